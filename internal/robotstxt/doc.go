// Package robotstxt reads robots.txt files and answers which URLs a crawler may fetch, with the line that says so.
//
// [Parse] accepts any bytes, and [File.For] resolves the groups that apply to a crawler's product tokens into a
// [Matcher], which answers one URL after another without allocating:
//
//	file := robotstxt.Parse(body, robotstxt.RFC9309)
//	verdict := file.For("ExampleBot").Check("https://example.com/basket/")
//
// The package holds no policy: it fetches nothing, caches nothing, and treats the path /robots.txt as any other path,
// although RFC 9309 section 2.2.2 allows it always. For the owner of a site, [File.Lines] shows how each line was read
// and [File.Problems] what is wrong with it.
//
// # Two readings
//
// Everything that Google's published parser tolerates is tolerated in both modes: a whole or partial byte order mark,
// any line end, common misspellings, a missing colon, keys compared by their beginning, lines cut after [MaxLine] bytes,
// and a NUL that ends its line. The modes differ here:
//
//   - Percent escapes. RFC 9309 section 2.2.2 compares after escaping octets outside US-ASCII and decoding escapes of
//     unreserved characters, on both sides; %2A and %24 in a rule stand for the characters * and $ (section 2.2.3).
//     Google escapes the rule only, decodes nothing, and expects an escaped URL: see [Escape].
//   - Directory indexes. For Google an Allow rule whose last segment begins with index.htm also allows the directory
//     itself.
//   - Digits. Product tokens have letters, hyphens and underscores only (section 2.2.1), so a name such as "Bot2" cannot
//     match anything by either text. In the RFC 9309 mode a token that holds digits still finds its group, because
//     whoever wrote that line meant it.
//
// A File and a Matcher are never changed after they were made and may be used by any number of goroutines.
package robotstxt
