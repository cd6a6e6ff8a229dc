package tech

// markup judges tags without a partner.
func markup(c *pass) {
	for _, u := range c.Outline.Unpaired() {
		switch {
		case u.Stray:
			c.FailAt("tag-stray", u.Name, "</"+u.Name+">", u.Line, "An end tag has no start tag: </"+u.Name+">", "element", u.Name)
		case u.Before != "":
			c.FailAt("tag-unclosed", u.Name, "<"+u.Name+">", u.Line, "The element "+u.Name+" is not closed before </"+u.Before+">.", "element", u.Name)
		case c.Whole:
			c.FailAt("tag-unclosed", u.Name, "<"+u.Name+">", u.Line, "The element "+u.Name+" is never closed.", "element", u.Name)
		}
	}
}
