// What a client is told to do, and the loop that loads so many pages at once.
const [base, pages, tabs, chrome] = process.argv.slice(2);
export const job = {
  chrome,
  tabs: Number(tabs),
  urls: Array.from({ length: Number(pages) }, (_, i) => `${base}/page/${i}`),
};

// each calls work for every URL, as many at once as there are tabs.
export async function each(work) {
  const queue = [...job.urls];
  await Promise.all(Array.from({ length: job.tabs }, async () => {
    for (let url; (url = queue.shift());) await work(url);
  }));
}

// check throws when the scripts of a page did not run.
export function check(url, html) {
  if (!html.includes('class="row r1"')) throw new Error(`${url}: its scripts did not run`);
}

// flags are for root, for whom Chrome has no sandbox.
export const flags = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
