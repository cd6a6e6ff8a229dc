package trap

import (
	"hash/maphash"
	"time"

	"github.com/amblecrawl/amble/internal/urlkey"
)

// Detector watches the URLs of one crawl, whatever the number of its sites. It is safe for concurrent use; sites that
// fall into different parts of its memory never wait for each other.
type Detector struct {
	seed  maphash.Seed
	parts [16]*Site
}

// New returns a Detector.
func New(limits Limits) *Detector {
	d := &Detector{seed: maphash.MakeSeed()}
	for i := range d.parts {
		d.parts[i] = NewSite(limits)
	}
	return d
}

// Check says why a URL belongs to an endless family, as of today; "" when it does not. See [Site.Check].
func (d *Detector) Check(u urlkey.URL) string {
	origin := u.Origin()
	part := d.parts[maphash.String(d.seed, origin)%uint64(len(d.parts))]
	if v := part.Check(origin, u.Path(), u.Query(), time.Now()); v.Trap() {
		return v.String()
	}
	return ""
}
