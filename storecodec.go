package amble

import (
	"encoding/binary"
	"time"
)

// How the stores of this package write what they keep. Integers are varints; a text has its length first; a text that
// often starts as the item's URL does (origin, referrer, canonical) is written as what it has in common and its rest.

func appendText(b []byte, s string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(s))), s...)
}

func appendNear(b []byte, s, base string) []byte {
	n := 0
	for n < len(s) && n < len(base) && s[n] == base[n] {
		n++
	}
	return appendText(binary.AppendUvarint(b, uint64(n)), s[n:])
}

// appendItem writes an item; read by storeReader.item.
func appendItem(b []byte, it *Item) []byte {
	b = append(b, byte(it.Outcome), byte(it.Source))
	b = appendText(b, it.URL)
	b = binary.AppendVarint(b, int64(it.Depth))
	b = appendNear(b, string(it.Origin), it.URL)
	b = appendNear(b, it.Referrer, it.URL)
	b = appendText(b, it.Reason)
	b = appendTime(b, it.LastMod)
	b = binary.AppendUvarint(b, uint64(len(it.Chain)))
	for _, hop := range it.Chain {
		b = appendNear(b, hop.URL, it.URL)
		b = binary.AppendVarint(b, int64(hop.Status))
	}
	return b
}

// appendRecord writes a record, all but its URL; read by storeReader.record.
func appendRecord(b []byte, r *Record) []byte {
	b = append(b, byte(r.Outcome))
	b = binary.AppendVarint(b, int64(r.Status))
	b = binary.LittleEndian.AppendUint64(b, r.Hash)
	b = appendTime(b, r.At)
	b = appendTime(b, r.Seen)
	b = appendText(b, r.Reason)
	b = appendText(b, r.ETag)
	b = appendText(b, r.LastModified)
	b = appendNear(b, r.Redirect, r.URL)
	b = appendNear(b, r.Canonical, r.URL)
	b = binary.AppendUvarint(b, uint64(len(r.Links)))
	for _, link := range r.Links {
		b = appendNear(b, link, r.URL)
	}
	return b
}

// appendTime writes one byte for the zero time, and keeps any year (a sitemap's lastmod may name one that has no
// nanoseconds since 1970).
func appendTime(b []byte, t time.Time) []byte {
	if t.IsZero() {
		return binary.AppendUvarint(b, 0)
	}
	b = binary.AppendUvarint(b, uint64(t.Nanosecond())+1)
	return binary.AppendVarint(b, t.Unix())
}

// storeReader reads what the functions above wrote. bad is set when it cannot be that; values are then meaningless.
type storeReader struct {
	b   []byte
	bad bool
}

func (r *storeReader) take(n uint64) []byte {
	if n > uint64(len(r.b)) {
		r.bad, r.b = true, nil
		return nil
	}
	part := r.b[:n]
	r.b = r.b[n:]
	return part
}

func (r *storeReader) byte() byte {
	if part := r.take(1); part != nil {
		return part[0]
	}
	return 0
}

func (r *storeReader) uint64() uint64 {
	if part := r.take(8); part != nil {
		return binary.LittleEndian.Uint64(part)
	}
	return 0
}

func (r *storeReader) uvarint() uint64 {
	v, n := binary.Uvarint(r.b)
	if n <= 0 {
		r.bad, r.b = true, nil
		return 0
	}
	r.b = r.b[n:]
	return v
}

func (r *storeReader) varint() int64 {
	v, n := binary.Varint(r.b)
	if n <= 0 {
		r.bad, r.b = true, nil
		return 0
	}
	r.b = r.b[n:]
	return v
}

func (r *storeReader) time() time.Time {
	nano := r.uvarint()
	if nano == 0 {
		return time.Time{}
	}
	if nano > 1e9 {
		r.bad = true
	}
	return time.Unix(r.varint(), int64(nano)-1).UTC()
}

func (r *storeReader) text() string { return string(r.take(r.uvarint())) }

func (r *storeReader) near(base string) string {
	n := r.uvarint()
	rest := r.take(r.uvarint())
	if n > uint64(len(base)) {
		r.bad = true
		return ""
	}
	if len(rest) == 0 {
		return base[:n]
	}
	return base[:n] + string(rest)
}

func (r *storeReader) item() Item {
	it := Item{Outcome: Outcome(r.byte()), Source: Source(r.byte()), URL: r.text(), Depth: int(r.varint())}
	it.Origin = Origin(r.near(it.URL))
	it.Referrer = r.near(it.URL)
	it.Reason = r.text()
	it.LastMod = r.time()
	for range min(r.uvarint(), uint64(len(r.b))) {
		it.Chain = append(it.Chain, Hop{URL: r.near(it.URL), Status: int(r.varint())})
	}
	return it
}

func (r *storeReader) record(url string) Record {
	rec := Record{URL: url, Outcome: Outcome(r.byte()), Status: int(r.varint()), Hash: r.uint64()}
	rec.At = r.time()
	rec.Seen = r.time()
	rec.Reason = r.text()
	rec.ETag = r.text()
	rec.LastModified = r.text()
	rec.Redirect = r.near(url)
	rec.Canonical = r.near(url)
	for range min(r.uvarint(), uint64(len(r.b))) {
		rec.Links = append(rec.Links, r.near(url))
	}
	return rec
}
