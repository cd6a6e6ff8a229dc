package amble

import "time"

// Unlimited, as a value of a Budget's field, takes that limit away.
const Unlimited = -1

// Budget says when to stop. A field of zero means its polite default; Unlimited takes the limit away.
type Budget struct {
	Pages     int           // pages fetched, all servers together. Default 1,000.
	URLs      int           // URLs known, fetched or not. Default 100,000.
	Depth     int           // links from a seed. Default Unlimited.
	Bytes     int64         // decoded bytes of all bodies. Default 1 GiB.
	Time      time.Duration // of the whole run. Default 1 hour.
	PageBytes int64         // decoded bytes of one page. Default 5 MiB.
	PageTime  time.Duration // of one exchange. Default 30 seconds.
	Redirects int           // hops of one chain. Default 10.

	Sitemaps       int   // sitemap files, indexes counted in. Default 50.
	SitemapBytes   int64 // decoded bytes of one file. Default 50 MiB, the standard's own limit.
	SitemapEntries int   // entries of all files. Default 50,000.
}

func (b Budget) withDefaults() Budget {
	def := func(v *int, d int) {
		if *v == 0 {
			*v = d
		}
	}
	def64 := func(v *int64, d int64) {
		if *v == 0 {
			*v = d
		}
	}
	def(&b.Pages, 1000)
	def(&b.URLs, 100_000)
	def(&b.Depth, Unlimited)
	def64(&b.Bytes, 1<<30)
	def64((*int64)(&b.Time), int64(time.Hour))
	def64(&b.PageBytes, 5<<20)
	def64((*int64)(&b.PageTime), int64(30*time.Second))
	def(&b.Redirects, 10)
	def(&b.Sitemaps, 50)
	def64(&b.SitemapBytes, 50<<20)
	def(&b.SitemapEntries, 50_000)
	return b
}
