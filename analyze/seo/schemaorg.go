package seo

import (
	_ "embed"
	"strings"
	"sync"
)

//go:embed schemaorg.txt
var schemaNames string

// vocabulary holds the names that schema.org defines.
type vocabulary struct{ types, properties map[string]bool }

// schemaOrg reads the list of names when it is first asked for. schema.org adds a few names a year: what is not in the
// list is likely wrong, not certainly.
var schemaOrg = sync.OnceValue(func() vocabulary {
	types, properties, _ := strings.Cut(schemaNames, "\n\n")
	v := vocabulary{make(map[string]bool), make(map[string]bool)}
	for name := range strings.SplitSeq(types, "\n") {
		v.types[name] = true
	}
	for name := range strings.SplitSeq(properties, "\n") {
		v.properties[name] = true
	}
	return v
})

// inSchemaOrg tells whether a block's context is schema.org alone: others bring names of their own.
func inSchemaOrg(context any) bool {
	s, ok := context.(string)
	if !ok {
		return false
	}
	s = strings.TrimPrefix(strings.TrimPrefix(strings.ToLower(strings.TrimSpace(s)), "https://"), "http://")
	return strings.TrimSuffix(strings.TrimPrefix(s, "www."), "/") == "schema.org"
}

// vocabulary judges the names of a block's items, as far as their context is schema.org's.
func (c *pass) vocabulary(v any, block string) {
	list, ok := v.([]any)
	if !ok {
		list = []any{v}
	}
	for _, item := range list {
		if root, ok := item.(map[string]any); ok && inSchemaOrg(root["@context"]) {
			c.names(root, block, 0)
		}
	}
}

// names judges the names of an item and of those in it. What a name with a colon means is up to another vocabulary.
func (c *pass) names(v any, block string, depth int) {
	if depth > maxNesting {
		return
	}
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			c.names(item, block, depth+1)
		}
	case map[string]any:
		if own, ok := v["@context"]; ok && !inSchemaOrg(own) {
			return
		}
		types := typesOf(aliased(v, "type"))
		known := len(types) > 0
		for _, t := range types {
			if !schemaOrg().types[t] {
				known = false
				if !strings.ContainsAny(t, ":/") {
					c.Fail("data-unknown-type", t, firstLine(block), "schema.org has no type "+t+".", "type", t)
				}
			}
		}
		for name, value := range v {
			if known && !plainName(name) && !schemaOrg().properties[name] {
				c.Fail("data-unknown-property", name, name, "schema.org has no property "+name+".", "property", name, "type", types[0])
			}
			if name != "@context" && name != "@id" && name != "@type" {
				c.names(value, block, depth+1)
			}
		}
	}
}

// maxNesting bounds how deep items in items are looked at.
const maxNesting = 50

// plainName tells names that are none of the vocabulary's: keywords of JSON-LD, prefixed names, and the annotations that
// actions put on properties.
func plainName(name string) bool {
	return strings.HasPrefix(name, "@") || name == "id" || name == "type" || strings.ContainsAny(name, ":/") || strings.HasSuffix(name, "-input") || strings.HasSuffix(name, "-output")
}
