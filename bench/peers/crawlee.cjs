// Crawlee's CheerioCrawler with robots.txt on, eight at a time, reading the same things of each page.
// Storage is in memory, so that only the crawl is measured.
const { CheerioCrawler, Configuration } = require('@crawlee/cheerio');

const start = process.argv[2];
const config = new Configuration({ persistStorage: false, purgeOnStart: false });
const crawler = new CheerioCrawler({
	minConcurrency: 8,
	maxConcurrency: 8,
	maxRequestRetries: 0,
	respectRobotsTxtFile: true,
	async requestHandler({ $, request, enqueueLinks }) {
		const page = {
			title: $('title').text(),
			description: $('meta[name=description]').attr('content'),
			canonical: $('link[rel=canonical]').attr('href'),
			robots: $('meta[name=robots]').attr('content'),
			h1: $('h1').text(),
			types: $('script[type="application/ld+json"]').map((_, e) => JSON.parse($(e).text())['@type']).get(),
		};
		if (!page.title) throw new Error('no title at ' + request.url);
		await enqueueLinks({ strategy: 'same-hostname' });
	},
}, config);
crawler.log.setLevel(0);
crawler.run([start]).then(() => process.exit(0), (err) => { console.error(err); process.exit(1); });
