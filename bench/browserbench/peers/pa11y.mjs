// pa11y-ci as its users call it: its own program, with a file of settings. One page at a time, as is its default: with two,
// it loses pages of the headless shell.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { job, flags } from './job.mjs';

const folder = mkdtempSync(join(tmpdir(), 'bench-pa11y-'));
const settings = join(folder, 'settings.json');
writeFileSync(settings, JSON.stringify({
  defaults: {
    runners: ['axe'], concurrency: 1, timeout: 60000, threshold: 100000,
    chromeLaunchConfig: { executablePath: job.chrome, headless: 'shell', args: flags },
  },
  urls: job.urls,
}));
const program = fileURLToPath(new URL('node_modules/pa11y-ci/bin/pa11y-ci.js', import.meta.url));
const done = spawnSync(process.execPath, [program, '--config', settings, '--json'], { encoding: 'utf8', maxBuffer: 1 << 28 });
rmSync(folder, { recursive: true });
const results = JSON.parse(done.stdout).results;
const failed = Object.entries(results).filter(([, list]) => list.length === 1 && !list[0].code);
if (Object.keys(results).length !== job.urls.length || failed.length) throw new Error(`pages failed: ${JSON.stringify(failed)} ${done.stderr}`);
