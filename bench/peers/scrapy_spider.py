# Scrapy's spider with robots.txt on, eight at a time, reading the same things of each page.
import json
from urllib.parse import urlsplit

import scrapy


class Site(scrapy.Spider):
    name = "site"
    custom_settings = {
        "ROBOTSTXT_OBEY": True,
        "CONCURRENT_REQUESTS": 8,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 8,
        "DOWNLOAD_DELAY": 0,
        "RETRY_ENABLED": False,
        "LOG_ENABLED": False,
        "TELNETCONSOLE_ENABLED": False,
    }

    def __init__(self, start, **kwargs):
        super().__init__(**kwargs)
        self.start_urls = [start]
        self.host = urlsplit(start).netloc

    def parse(self, response):
        head = {
            "title": response.css("title::text").get(),
            "description": response.css("meta[name=description]::attr(content)").get(),
            "canonical": response.css("link[rel=canonical]::attr(href)").get(),
            "robots": response.css("meta[name=robots]::attr(content)").get(),
            "h1": response.css("h1::text").getall(),
            "types": [json.loads(t).get("@type") for t in response.css("script[type='application/ld+json']::text").getall()],
        }
        if not head["title"]:
            return
        for href in response.css("a::attr(href)").getall():
            url = response.urljoin(href)
            if urlsplit(url).netloc == self.host:
                yield scrapy.Request(url, callback=self.parse)
