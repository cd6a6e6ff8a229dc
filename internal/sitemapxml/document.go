package sitemapxml

import (
	"bytes"
	"strconv"

	"github.com/amblecrawl/amble/internal/urlkey"
)

const (
	defaultPriority = 0.5 // sitemaps.org
	maxDepth        = 64  // open elements that are looked at; deeper ones are passed over
	maxBindings     = 256
	maxExtensions   = 1000    // images, videos or alternates of one entry (Google's limit for images)
	maxExtensionLen = 1 << 20 // bytes of all extensions of one entry
)

type frame struct {
	name     string
	role     role
	field    field
	bindings int // in force outside of the element
}

// document is the state of reading one XML file.
type document struct {
	*Scanner
	z         *tokenizer
	stack     []frame
	deeper    int // elements below maxDepth that are open
	bindings  []binding
	rootSpace space
	rootURI   string
	closed    bool // the root element ended
	rootBase  urlkey.URL

	// The entry that is open.
	entry     Entry
	loc       loc
	hasLoc    bool
	values    [fieldPriority + 1]string
	text      []byte // of the field that is open
	textBad   bool
	textLong  bool
	entryBase urlkey.URL
	extension int // bytes kept in extensions

	names map[string]string // interned, so that common names cost nothing
}

func (s *Scanner) scanXML() {
	d := &document{Scanner: s, names: make(map[string]string)}
	d.z = newTokenizer(s.in, func(detail string) {
		s.line = d.z.line
		s.report(XML, detail)
	})
	for !s.stopped {
		kind := d.z.next()
		s.line = d.z.line
		switch kind {
		case tokenOpen:
			d.open()
			if d.z.empty && !s.stopped {
				d.close()
			}
		case tokenClose:
			d.closeNamed()
		case tokenText:
			d.chars()
		case tokenEnd:
			s.blank = !d.z.marked && s.format == Unknown && s.Count(XML) == 0
			if d.z.readErr != nil && s.in.source.err == nil {
				s.end(d.closed && !d.z.cut)
			} else {
				s.end(false)
			}
			return
		}
	}
}

// chars takes a piece of text.
func (d *document) chars() {
	top := d.top()
	if top == nil || top.role != roleField || d.deeper > 0 {
		if top == nil && len(bytes.TrimSpace(d.z.text)) > 0 {
			d.report(XML, "text outside of the root element")
		}
		return
	}
	d.textBad = d.textBad || d.z.badText
	room := maxField - len(d.text)
	if len(d.z.text) > room {
		d.textLong = true
		d.text = append(d.text, d.z.text[:room]...)
		return
	}
	d.text = append(d.text, d.z.text...)
}

func (d *document) top() *frame {
	if len(d.stack) == 0 {
		return nil
	}
	return &d.stack[len(d.stack)-1]
}

// intern returns name as a string, without an allocation when it was seen before.
func (d *document) intern(name []byte) string {
	if s, ok := d.names[string(name)]; ok {
		return s
	}
	s := string(name)
	if len(d.names) < 1000 {
		d.names[s] = s
	}
	return s
}

// open takes a start tag.
func (d *document) open() {
	if len(d.stack) >= maxDepth {
		d.deeper++
		return
	}
	outside := len(d.bindings)
	d.bind()
	prefix, local := splitName(d.z.name)
	space := d.lookup(prefix)
	if d.closed {
		d.report(XML, "a second root element")
		d.stopped = true
		return
	}
	d.repair(space, local)
	f := frame{name: d.intern(d.z.name), bindings: outside}
	if top := d.top(); top == nil {
		if !d.root(prefix, local, space) {
			return
		}
		f.role = roleRoot
	} else {
		f.role, f.field = d.meaning(top, space, local)
	}
	if d.stopped {
		return
	}
	if f.role == roleField {
		d.text, d.textBad, d.textLong = d.text[:0], false, false
	}
	d.stack = append(d.stack, f)
}

// bind puts the xmlns attributes of a tag in force.
func (d *document) bind() {
	for _, a := range d.z.attrs {
		prefix, local := splitName(a.name)
		switch {
		case string(a.name) == "xmlns":
			local = nil
		case string(prefix) != "xmlns":
			continue
		}
		if len(d.bindings) == maxBindings {
			d.report(Namespace, "too many namespace declarations")
			return
		}
		uri := d.intern(a.value)
		space, exact := spaceOf(uri)
		if !exact {
			d.report(Namespace, "namespace "+strconv.Quote(uri)+" is not spelt as the format wants it")
		}
		if space == spaceOther && d.rootURI != "" && uri == d.rootURI {
			space = spaceRoot
		}
		d.bindings = append(d.bindings, binding{prefix: d.intern(local), uri: uri, space: space})
	}
}

func (d *document) lookup(prefix []byte) space {
	for i := len(d.bindings) - 1; i >= 0; i-- {
		if d.bindings[i].prefix == string(prefix) {
			return d.bindings[i].space
		}
	}
	if len(prefix) == 0 {
		return spaceNone
	}
	if string(prefix) == "xml" {
		return spaceOther
	}
	d.report(Namespace, "prefix "+string(prefix)+" is not declared")
	return spaceOfPrefix(string(prefix))
}

// repair closes what an author forgot to close: a value before the next value, an entry before the next entry.
func (d *document) repair(space space, local []byte) {
	entry := 1
	if d.format == RSS {
		entry = 2
	}
	if len(d.stack) <= entry || d.stack[entry].role != roleEntry || space == spaceUnbound {
		return
	}
	if string(local) == d.format.entryName() && space == d.rootSpace {
		d.report(XML, "an entry without its end tag")
		d.closeTo(entry)
		return
	}
	if len(d.stack) == entry+2 && d.top().role == roleField && space == d.rootSpace && d.ownField(local) != 0 {
		d.report(XML, "<"+d.top().name+"> without its end tag")
		d.close()
	}
}

// closeNamed takes an end tag.
func (d *document) closeNamed() {
	if d.deeper > 0 {
		d.deeper--
		return
	}
	for i := len(d.stack) - 1; i >= 0; i-- {
		if d.stack[i].name == string(d.z.name) {
			if i < len(d.stack)-1 {
				d.report(XML, "<"+d.top().name+"> without its end tag")
			}
			d.closeTo(i)
			return
		}
	}
	d.report(XML, "end tag </"+string(d.z.name)+"> without its start tag")
}

// closeTo closes the open elements down to and with the one at index i.
func (d *document) closeTo(i int) {
	for len(d.stack) > i && !d.stopped {
		d.close()
	}
}

// close ends the innermost element.
func (d *document) close() {
	if d.deeper > 0 {
		d.deeper--
		return
	}
	f := *d.top()
	d.stack = d.stack[:len(d.stack)-1]
	d.bindings = d.bindings[:f.bindings]
	switch f.role {
	case roleField:
		d.set(f.field)
	case roleImage:
		if last := len(d.entry.Images) - 1; d.entry.Images[last].Loc == "" {
			d.report(BadExtension, "an image without an address")
			d.entry.Images = d.entry.Images[:last]
		}
	case roleEntry:
		d.finish()
	case roleRoot:
		d.closed = true
	}
}
