package sitemapxml

// role is what an element means where it stands.
type role uint8

const (
	roleNone role = iota // nothing: passed over with all that is in it
	roleRoot
	roleChannel // of RSS
	roleEntry
	roleImage
	roleVideo
	roleNews
	rolePublication
	roleField // holds a value
)

// root takes the root element; false when it is none that can be read.
func (d *document) root(prefix, local []byte, space space) bool {
	want := spaceSitemap
	switch string(local) {
	case "urlset":
		d.format = URLSet
	case "sitemapindex":
		d.format = Index
		if d.o.Listed {
			d.report(NestedIndex, "an index must list sitemaps, not indexes")
		}
	case "feed":
		d.format, want = Atom, spaceAtom
	case "rss":
		d.format, want = RSS, spaceNone
	default:
		d.report(Root, "the root element is <"+string(d.z.name)+">")
		d.stopped = true
		return false
	}
	if space != want {
		d.report(Namespace, "the root element is not in the namespace of its format")
	}
	if space == spaceOther {
		space = spaceRoot
		for i := range d.bindings {
			if d.bindings[i].prefix == string(prefix) {
				d.rootURI = d.bindings[i].uri
			}
		}
		for i := range d.bindings {
			if d.bindings[i].uri == d.rootURI {
				d.bindings[i].space = spaceRoot
			}
		}
	}
	d.rootSpace = space
	d.rootBase = d.base(d.here)
	return true
}

// own tells whether an element is one of the format itself and not of an extension: in the namespace of the root
// element or, where the author lost it, in none or in the right one.
func (d *document) own(s space) bool {
	if s == d.rootSpace {
		return true
	}
	lost := s == spaceNone || s == spaceSitemap && (d.format == URLSet || d.format == Index) ||
		s == spaceAtom && d.format == Atom
	if lost && d.format != RSS {
		d.report(Namespace, "elements are not in the namespace of the root element")
	}
	return lost && (d.format != RSS || s == spaceNone)
}

// entryName returns the local name of an entry.
func (f Format) entryName() string {
	switch f {
	case Index:
		return "sitemap"
	case URLSet:
		return "url"
	case RSS:
		return "item"
	}
	return "entry"
}

// meaning tells what an element is, by the element that it stands in.
func (d *document) meaning(parent *frame, space space, local []byte) (role, field) {
	switch parent.role {
	case roleRoot, roleChannel:
		if d.format == RSS && parent.role == roleRoot {
			if string(local) == "channel" && d.own(space) {
				return roleChannel, 0
			}
			return roleNone, 0
		}
		if string(local) == d.format.entryName() && d.own(space) && d.begin() {
			d.startEntry()
			return roleEntry, 0
		}
	case roleEntry:
		return d.inEntry(space, local)
	case roleImage, roleVideo, roleNews, rolePublication:
		if parent.role == roleNews && space == spaceNews && string(local) == "publication" {
			return rolePublication, 0
		}
		if f := extensionFields[parent.role][child{space, d.intern(local)}]; f != 0 {
			return roleField, f
		}
	}
	return roleNone, 0
}
