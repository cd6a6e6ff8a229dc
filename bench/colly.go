package main

import (
	"net/url"
	"strings"

	"github.com/gocolly/colly/v2"
)

// collyCrawl is colly with robots.txt on, eight at a time, reading the same things of each page.
func collyCrawl(start string, _ int) error {
	base, err := url.Parse(start)
	if err != nil {
		return err
	}
	c := colly.NewCollector(colly.AllowedDomains(base.Hostname()), colly.Async(true))
	c.IgnoreRobotsTxt = false
	if err := c.Limit(&colly.LimitRule{DomainGlob: "*", Parallelism: workers}); err != nil {
		return err
	}
	c.OnHTML("a[href]", func(e *colly.HTMLElement) { _ = e.Request.Visit(e.Attr("href")) })
	var m meta
	c.OnHTML("head", func(e *colly.HTMLElement) {
		m.title = e.ChildText("title")
		m.description = e.ChildAttr("meta[name=description]", "content")
		m.canonical = e.ChildAttr("link[rel=canonical]", "href")
		m.robots = e.ChildAttr("meta[name=robots]", "content")
		m.types = strings.Fields(e.ChildText("script[type='application/ld+json']"))
	})
	c.OnHTML("h1", func(e *colly.HTMLElement) { m.h1 = []string{e.Text} })
	if err := c.Visit(start); err != nil {
		return err
	}
	c.Wait()
	return nil
}
