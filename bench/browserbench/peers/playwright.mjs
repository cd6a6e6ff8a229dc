import { chromium } from 'playwright-core';
import { job, each, check } from './job.mjs';

const browser = await chromium.launch({ executablePath: job.chrome });
await each(async (url) => {
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(url, { waitUntil: 'load' });
  check(url, await page.content());
  await context.close();
});
await browser.close();
