// Lighthouse with one browser for all pages, one after the other, as it has to be.
import lighthouse from 'lighthouse';
import puppeteer from 'puppeteer-core';
import { job, flags } from './job.mjs';

const browser = await puppeteer.launch({ executablePath: job.chrome, headless: 'shell', args: flags });
const port = Number(new URL(browser.wsEndpoint()).port);
for (const url of job.urls) {
  const result = await lighthouse(url, { port, output: 'json', logLevel: 'error', disableFullPageScreenshot: true });
  if (result.lhr.runtimeError) throw new Error(`${url}: ${result.lhr.runtimeError.message}`);
}
await browser.close();
