package amble

// HTTPFetcher is the default Fetcher.
type HTTPFetcher struct{ Fetcher }
