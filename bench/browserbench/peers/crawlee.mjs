import { PlaywrightCrawler, Configuration, log } from '@crawlee/playwright';
import { job, check } from './job.mjs';

log.setLevel(log.LEVELS.ERROR);
let read = 0;
const crawler = new PlaywrightCrawler({
  launchContext: { useIncognitoPages: true, launchOptions: { executablePath: job.chrome } },
  headless: true,
  respectRobotsTxtFile: true,
  maxConcurrency: job.tabs,
  minConcurrency: job.tabs,
  maxRequestRetries: 0,
  async requestHandler({ page, request }) {
    check(request.url, await page.content());
    read++;
  },
}, new Configuration({ persistStorage: false }));
await crawler.run(job.urls);
if (read !== job.urls.length) throw new Error(`${read} pages of ${job.urls.length} read`);
