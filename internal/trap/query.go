package trap

import (
	"iter"
	"strings"
)

// parameter is one name=value of a query, as offsets into it. A parameter without "=" has an empty value.
type parameter struct{ whole, name, value span }

// parameters goes through a query, split at "&" and ";". Empty ones are left out.
func parameters(query string) iter.Seq[parameter] {
	return func(yield func(parameter) bool) {
		for start := 0; start < len(query); {
			end := len(query)
			if i := strings.IndexAny(query[start:], "&;"); i >= 0 {
				end = start + i
			}
			if end > start {
				nameEnd, value := end, end
				if i := strings.IndexByte(query[start:end], '='); i >= 0 {
					nameEnd, value = start+i, start+i+1
				}
				if !yield(parameter{span{start, end}, span{start, nameEnd}, span{value, end}}) {
					return
				}
			}
			start = end + 1
		}
	}
}
