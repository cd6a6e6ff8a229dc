// Package frontier keeps the big things of a crawl small: which URLs are known, which wait, and where what is kept of
// each stands.
//
// Set knows URLs by 64-bit fingerprints, in 7.8 to 9 bytes each; Queue holds what waits for each server, in memory up to a
// bound and in a temporary file past it; Index maps fingerprints to places in another file, and is itself in temporary
// files past a bound. Set and Queue are not safe for concurrent use: the store that owns them has a lock anyway.
//
// # Chance of a collision
//
// A Set compares all 64 bits of a fingerprint. Two different URLs agree in them, so that the second is taken for known
// and left out, with a chance of about n²/2⁶⁵ for a whole crawl of n URLs: 1 in 37 million at a million URLs, 1 in 370,000
// at 10 million, 1 in 3,700 at 100 million. That holds while the fingerprint is a hash with a secret key: a site that knew
// the key could choose URLs that collide. To notice a collision would take a look at the disk for every link that is known
// already, which are most of all links.
package frontier
