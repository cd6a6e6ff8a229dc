package seo

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/amblecrawl/amble/analyze/internal/audit"
)

// required holds the properties without which Google shows no rich result of a type.
var required = map[string][]string{
	"Article": nil, "BreadcrumbList": {"itemListElement"}, "Event": {"name", "startDate", "location"}, "FAQPage": {"mainEntity"},
	"JobPosting": {"title", "description", "datePosted", "hiringOrganization"}, "LocalBusiness": {"name", "address"},
	"Product": {"name"}, "QAPage": {"mainEntity"}, "Recipe": {"name", "image"}, "Review": {"itemReviewed", "author"},
	"VideoObject": {"name", "thumbnailUrl", "uploadDate"}, "Course": {"name", "description"}, "Dataset": {"name", "description"},
	"SoftwareApplication": {"name", "offers"}, "Movie": {"name", "image"}, "ItemList": {"itemListElement"},
}

// structuredData judges JSON-LD blocks. A broken one hides none of the others.
func structuredData(c *pass) {
	c.nodes = c.dataNodes()
	for i, block := range c.facts.data {
		var v any
		decoder := json.NewDecoder(strings.NewReader(block))
		err := decoder.Decode(&v)
		if err == nil && decoder.More() {
			err = errors.New("something follows the value")
		}
		if err != nil {
			c.Fail("data-json-invalid", "", firstLine(block), fmt.Sprintf("JSON-LD block %d is no JSON: %v.", i+1, err), "error", err.Error())
			continue
		}
		c.items(v, true, block)
		c.vocabulary(v, block)
	}
	if len(c.Meta.Data) == 0 && len(c.facts.data) == 0 && c.Whole {
		c.Fail("data-none", "", "", "The page has no structured data.")
	}
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return audit.Clip(line)
}

// items judges the items of a block: one, a list, or a graph.
func (c *pass) items(v any, top bool, block string) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			c.items(item, top, block)
		}
	case map[string]any:
		if _, ok := v["@context"]; top && !ok && !expanded(v) {
			c.Fail("data-context-missing", "", firstLine(block), "An item has no @context: its words mean nothing.")
		}
		if graph, ok := v["@graph"]; ok {
			c.items(graph, false, block)
			return
		}
		c.item(v, block)
	}
}

func (c *pass) item(v map[string]any, block string) {
	said := c.nodes[c.nodeID(v)] // what the page says of the item elsewhere
	types := typesOf(aliased(v, "type"))
	if len(types) == 0 {
		for key := range v {
			if !strings.HasPrefix(key, "@") && key != "id" && !said["@type"] { // more than a reference
				c.Fail("data-no-type", "", firstLine(block), "An item has no @type.")
				return
			}
		}
		return
	}
	has := terms(v)
	for _, t := range types {
		var missing []string
		for _, name := range required[t] {
			if !has[name] && !said[name] {
				missing = append(missing, name)
			}
		}
		if len(missing) > 0 {
			c.Fail("data-required-missing", t, firstLine(block), "An item of type "+t+" lacks "+strings.Join(missing, ", ")+".", "type", t, "missing", strings.Join(missing, ", "))
		}
	}
}

// term takes schema.org off the front of a name.
func term(name string) string {
	for _, prefix := range []string{"https://schema.org/", "http://schema.org/", "schema:"} {
		name = strings.TrimPrefix(name, prefix)
	}
	return name
}

// aliased returns the value of @type or @id. schema.org's own context, and many another, gives them second names without
// the sign.
func aliased(v map[string]any, name string) any {
	if value, ok := v["@"+name]; ok {
		return value
	}
	return v[name]
}

// terms returns the names of what an item says, those of nothing left out.
func terms(v map[string]any) map[string]bool {
	out := make(map[string]bool, len(v))
	for name, value := range v {
		if value != nil && value != "" {
			out[term(name)] = true
		}
	}
	return out
}

// expanded tells whether all names of an item are whole addresses, which mean the same without a context.
func expanded(v map[string]any) bool {
	whole := func(s string) bool { return strings.Contains(s, "://") }
	for name := range v {
		if !strings.HasPrefix(name, "@") && !whole(name) {
			return false
		}
	}
	list, ok := v["@type"].([]any)
	if !ok {
		list = []any{v["@type"]}
	}
	for _, t := range list {
		if s, ok := t.(string); !ok || !whole(s) {
			return false
		}
	}
	return true
}

// dataNodes returns what all blocks together say of each item that has an address (JSON-LD 1.1 section 2.4.1): items of
// one @id are one.
func (c *pass) dataNodes() map[string]map[string]bool {
	nodes := make(map[string]map[string]bool)
	var walk func(v any, depth int)
	walk = func(v any, depth int) {
		if depth > maxNesting {
			return
		}
		switch v := v.(type) {
		case []any:
			for _, item := range v {
				walk(item, depth+1)
			}
		case map[string]any:
			if id := c.nodeID(v); id != "" {
				if nodes[id] == nil {
					nodes[id] = make(map[string]bool)
				}
				maps.Copy(nodes[id], terms(v))
				if len(typesOf(aliased(v, "type"))) > 0 {
					nodes[id]["@type"] = true
				}
			}
			for _, value := range v {
				walk(value, depth+1)
			}
		}
	}
	for _, block := range c.facts.data {
		var v any
		if strings.Contains(block, `id"`) && json.Unmarshal([]byte(block), &v) == nil {
			walk(v, 0)
		}
	}
	return nodes
}

// nodeID returns an item's address, or "".
func (c *pass) nodeID(v map[string]any) string {
	id, _ := aliased(v, "id").(string)
	if strings.HasPrefix(id, "#") {
		return c.Meta.Base + id
	}
	return id
}

func typesOf(v any) (out []string) {
	switch v := v.(type) {
	case string:
		out = append(out, v)
	case []any:
		for _, t := range v {
			if s, ok := t.(string); ok {
				out = append(out, s)
			}
		}
	}
	for i, t := range out {
		out[i] = term(t)
	}
	return slices.DeleteFunc(out, func(t string) bool { return t == "" })
}

// social judges Open Graph properties.
func social(c *pass) {
	s := c.Meta.Social
	var missing []string
	for _, name := range []string{"og:title", "og:image"} {
		if strings.TrimSpace(s[name]) == "" {
			missing = append(missing, name)
		}
	}
	if len(missing) > 0 && c.Whole {
		c.Fail("og-missing", "", "", "Not given: "+strings.Join(missing, ", ")+".", "missing", strings.Join(missing, ", "))
	}
	if image := strings.TrimSpace(s["og:image"]); image != "" && isRelative(image) {
		c.Fail("og-image-relative", image, image, "og:image is not absolute.", "og:image", image)
	}
	canonical := canonicalURL(c.Meta)
	if canonical == "" {
		canonical = c.URL
	}
	if u := strings.TrimSpace(s["og:url"]); u != "" && withoutFragment(u) != canonical {
		c.Fail("og-url-not-canonical", u, u, "og:url differs from the canonical address.", "og:url", u, "canonical", canonical)
	}
}
