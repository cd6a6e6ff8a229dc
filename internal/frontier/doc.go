// Package frontier keeps the two big things of a crawl small: which URLs are known, and which wait.
//
// Table knows URLs by 64-bit fingerprints; Queue holds what waits for each server, in memory up to a bound and in a
// temporary file past it. Neither is safe for concurrent use: the store that owns them has a lock anyway.
//
// # Chance of a collision
//
// A Table compares 60 bits of each fingerprint. Two different URLs agree in them, so that the second is taken for known
// and left out, with a chance of about n²/2⁶¹ for the whole crawl: 1 in 23,000 at 10 million URLs, 1 in 230 at 100
// million. That holds while the fingerprint is a hash with a secret key: a site that knew the key could choose URLs
// that collide.
package frontier
