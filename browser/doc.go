// Package browser loads pages in a real Chrome, politely, down to every file that a page asks for. Its Renderer is an
// amble.Fetcher: set it as Crawler.Renderer, and the pages that an Analyzer needs rendered come with a Snapshot.
//
// Each request that a page makes passes the crawl's Gate (scope, robots.txt, address guard, limiter) before it leaves,
// and leaves through a proxy in this process that knows no server that was not let in. What a crawler has no business
// with is refused: forms and everything else that is not GET, WebSockets, service and shared workers, downloads, pop-ups,
// permission prompts, speculative loads, and Chrome's own calls.
//
// A document's redirects are answers, as the Fetcher's contract has it: a 3xx comes back as such, and so does a page that
// sends the browser elsewhere by itself (meta refresh, location = …), as a 302 with the header Amble-Client-Redirect.
//
// Chrome is found on the machine (Find), or given by path or endpoint. A browser that was not started here, given by
// Endpoint, is guarded less: one on this machine still uses our proxy, one that runs elsewhere is guarded by interception
// alone. Status.Unguarded and the Problems of every Snapshot say what that means.
//
// No type of chromedp or cdproto appears in an exported name: both change with every release.
package browser
