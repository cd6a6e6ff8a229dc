package seo

import (
	"fmt"
	"strings"
)

// The lengths are those that results show in most cases. They count characters: bytes would punish other scripts.
const (
	titleMost       = 60
	titleLeast      = 20
	descriptionMost = 160
	descriptionMin  = 70
	altMost         = 150
	thinWords       = 200
)

// least halves a lower limit for scripts that say a word in one or two characters.
func least(limit int, s string) int {
	if dense(s) {
		return limit / 2
	}
	return limit
}

func titles(c *pass) {
	m := c.Meta
	title := strings.TrimSpace(m.Title)
	switch n := chars(title); {
	case title == "":
		if c.Whole {
			c.Fail("title-missing", "", "", "The page has no title.")
		}
	case n > titleMost:
		c.Fail("title-long", "", title, fmt.Sprintf("The title has %d characters; results show about %d.", n, titleMost), "title", title, "characters", fmt.Sprint(n))
	case n < least(titleLeast, title):
		c.Fail("title-short", "", title, fmt.Sprintf("The title has only %d characters.", n), "title", title, "characters", fmt.Sprint(n))
	}
	if m.Titles > 1 {
		c.Fail("title-multiple", "", "<title", fmt.Sprintf("The page has %d titles; the first counts.", m.Titles), "titles", fmt.Sprint(m.Titles))
	}
	if len(c.facts.bodyTitles) > 0 {
		c.Fail("title-outside-head", "", c.facts.bodyTitles[0], "A title stands in the body.", "title", c.facts.bodyTitles[0])
	}
	if title != "" && len(m.H1) > 0 && m.H1[0] == title {
		c.Fail("title-same-as-h1", "", title, "The title is the same as the main heading.", "title", title)
	}
}

func descriptions(c *pass) {
	m := c.Meta
	d := strings.TrimSpace(m.Description)
	switch n := chars(d); {
	case d == "":
		if c.Whole {
			c.Fail("description-missing", "", "", "The page has no meta description.")
		}
	case n > descriptionMost:
		c.Fail("description-long", "", d, fmt.Sprintf("The description has %d characters; results show about %d.", n, descriptionMost), "characters", fmt.Sprint(n))
	case n < least(descriptionMin, d):
		c.Fail("description-short", "", d, fmt.Sprintf("The description has only %d characters.", n), "characters", fmt.Sprint(n))
	}
	if m.Descriptions > 1 {
		c.Fail("description-multiple", "", "", fmt.Sprintf("The page has %d meta descriptions.", m.Descriptions), "descriptions", fmt.Sprint(m.Descriptions))
	}
}

func headings(c *pass) {
	mains, last := 0, 0
	skipped := false
	for _, h := range c.facts.headings {
		if h.level == 1 && h.text != "" {
			mains++
		}
		if last > 0 && h.level > last+1 && !skipped {
			skipped = true
			c.Fail("heading-skip", "", h.text, fmt.Sprintf("A heading of level %d follows one of level %d.", h.level, last), "heading", h.text)
		}
		last = h.level
	}
	switch {
	case mains == 0 && c.Whole:
		c.Fail("h1-missing", "", "", "The page has no main heading, or an empty one.")
	case mains > 1:
		c.Fail("h1-multiple", "", "", fmt.Sprintf("The page has %d main headings.", mains), "headings", fmt.Sprint(mains))
	}
}

// content counts words, and where the script has no spaces characters, two to a word.
func content(c *pass) {
	words := c.facts.words + c.facts.denseChars/2
	if c.Whole && words < thinWords && !c.Meta.Robots.NoIndex {
		c.Fail("content-thin", "", "", fmt.Sprintf("The page's own text has %d words.", words), "words", fmt.Sprint(words))
	}
}
