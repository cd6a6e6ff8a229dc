package htmlmeta

// counts are the lengths of the lists when the body began.
type counts struct {
	links, h1s, canonicals, robots, alternates, resources, social, data, ids, titles, descriptions int
}

// bodyBegins and bodyRemoved serve a frameset that takes the place of a body without text: what stood there is gone.
func (b *builder) bodyBegins() { b.snapshot = b.counts() }

func (b *builder) counts() counts {
	d := &b.doc
	return counts{
		len(b.links), len(b.h1s), len(d.Canonicals), len(d.Robots), len(d.Alternates), len(d.Resources), len(d.Social),
		len(d.Data), len(d.IDs), d.Titles, d.Descriptions,
	}
}

func (b *builder) bodyRemoved() {
	d, s := &b.doc, b.snapshot
	b.links, b.h1s = b.links[:s.links], b.h1s[:s.h1s]
	d.Canonicals, d.Robots, d.Alternates = d.Canonicals[:s.canonicals], d.Robots[:s.robots], d.Alternates[:s.alternates]
	d.Resources, d.Social, d.Data, d.IDs = d.Resources[:s.resources], d.Social[:s.social], d.Data[:s.data], d.IDs[:s.ids]
	d.Titles, d.Descriptions = s.titles, s.descriptions
	if d.Titles == 0 {
		b.title, b.titleState = nil, 0
	}
	if d.Descriptions == 0 {
		d.Description, d.HasDescription = "", false
	}
	b.active = b.active[:0]
}
