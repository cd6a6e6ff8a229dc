package seo

import "fmt"

// images judges the alternatives of images. An empty one is right for decoration.
func images(c *pass) {
	for _, i := range c.facts.images {
		switch n := chars(i.alt); {
		case !i.hasAlt && !i.hidden:
			c.Fail("img-alt-missing", i.src, i.src, "An image has no alt attribute.", "src", i.src)
		case n > altMost:
			c.Fail("img-alt-long", i.src, i.src, fmt.Sprintf("The text alternative of an image has %d characters.", n), "src", i.src, "characters", fmt.Sprint(n))
		}
	}
	if c.facts.pictures > 0 {
		c.Fail("picture-no-img", "", "<picture", "A picture element has no img element and shows nothing.", "pictures", fmt.Sprint(c.facts.pictures))
	}
}
