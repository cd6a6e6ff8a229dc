import puppeteer from 'puppeteer-core';
import { job, each, check, flags } from './job.mjs';

const browser = await puppeteer.launch({ executablePath: job.chrome, headless: 'shell', args: flags });
await each(async (url) => {
  const context = await browser.createBrowserContext();
  const page = await context.newPage();
  await page.goto(url, { waitUntil: 'load' });
  check(url, await page.content());
  await context.close();
});
await browser.close();
