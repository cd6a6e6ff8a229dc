package htmltoken

import "bytes"

// declaration reads what follows "<!": a comment, a doctype, a CDATA section, or else what counts as a comment.
func (z *Tokenizer) declaration(i int) Kind {
	page := z.page[:z.limit]
	rest := page[i:]
	switch {
	case bytes.HasPrefix(rest, []byte("--")):
		return z.comment(i + len("--"))
	case hasPrefixFold(rest, "doctype"):
		return z.doctype(i + len("doctype"))
	case z.cdata && bytes.HasPrefix(rest, []byte("[CDATA[")):
		return z.section(i + len("[CDATA["))
	case len(rest) < 2: // the second one is not looked at
		return z.token(Comment, z.runsOut())
	}
	return z.bogus(i)
}

// bogus reads a comment that is none: up to the next ">".
func (z *Tokenizer) bogus(i int) Kind {
	n := bytes.IndexByte(z.page[i:z.limit], '>')
	if n < 0 {
		return z.token(Comment, z.runsOut())
	}
	return z.token(Comment, i+n+1)
}

// comment reads what follows "<!--". It ends at "-->" or "--!>", or right away at ">" and "->".
func (z *Tokenizer) comment(from int) Kind {
	for i := from; ; {
		n := bytes.IndexByte(z.page[i:z.limit], '>')
		if n < 0 {
			return z.token(Comment, z.runsOut())
		}
		i += n
		data := z.page[from:i]
		if len(data) == 0 || len(data) == 1 && data[0] == '-' || bytes.HasSuffix(data, []byte("--")) || bytes.HasSuffix(data, []byte("--!")) {
			return z.token(Comment, i+1)
		}
		i++
	}
}

// doctype reads what follows "<!DOCTYPE".
func (z *Tokenizer) doctype(i int) Kind {
	for i < z.limit && class[z.page[i]]&isSpace != 0 {
		i++
	}
	z.dataFrom, z.dataTo = i, z.limit
	n := bytes.IndexByte(z.page[i:z.limit], '>')
	if n < 0 {
		return z.token(Doctype, z.runsOut())
	}
	z.dataTo = i + n
	return z.token(Doctype, z.dataTo+1)
}

// section reads what follows "<![CDATA[".
func (z *Tokenizer) section(from int) Kind {
	z.dataFrom, z.dataTo = from, z.limit
	z.raw = rawTitle // references in it are replaced, as x/net/html does, and NULs
	n := bytes.Index(z.page[from:z.limit], []byte("]]>"))
	if n < 0 {
		return z.token(Text, z.runsOut())
	}
	z.dataTo = from + n
	return z.token(Text, z.dataTo+len("]]>"))
}
