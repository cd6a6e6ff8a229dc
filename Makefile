# The two commands of the README are "make demo" and "make test". Both install what they need where they can: on Debian
# and Ubuntu as root or with sudo; elsewhere they say what is missing.

STATICCHECK = go run honnef.co/go/tools/cmd/staticcheck@v0.8.2

.PHONY: demo test setup setup-demo lint unit race fuzz bench bench-peers bench-compare bench-frontier bench-repeats bench-browser audit-cost kill-tests bench-a11y-peers bench-a11y sarif-check

demo: setup-demo ## crawl a small site on loopback
	go run ./examples/cmskite -demo

test: setup lint race ## everything that must hold, on a fresh machine

setup-demo:
	@.ci/setup demo

setup:
	@.ci/setup test

lint:
	@out=$$(gofmt -l .); if [ -n "$$out" ]; then echo "gofmt would change: $$out"; exit 1; fi
	go vet ./...
	$(STATICCHECK) ./...

unit: ## the tests without the race detector: quicker
	go test ./...

race:
	go test -race -timeout 20m ./...

fuzz: ## each fuzz target for FUZZTIME (default 1m)
	@.ci/fuzz $(or $(FUZZTIME),1m)

bench-peers: ## install the crawlers that the comparison runs beside ours
	apt-get install -y -qq wget wget2 httrack python3-scrapy
	cd bench && go run . browser-peers

bench-browser: ## the same pages in Chrome with amble and with other programs, interleaved
	cd bench && go run . browser $(BENCH)

bench-a11y-peers: ## install axe-core and Alfa, which the comparison of accessibility rules runs beside ours
	cd bench && go run . a11y-peers

bench-a11y: ## W3C's cases ($$AMBLE_CASES) by amble's rules, axe-core and Alfa; then what the rules cost
	cd bench && go run . a11y cases $(BENCH)
	cd bench && go run . a11y cost

bench-compare: ## the same crawl with amble and with other crawlers, interleaved
	cd bench && go run . compare

audit-cost: ## what the audits cost on 10,140 real pages: CPU time per page and memory, in 3 rounds
	apt-get install -y -qq openjdk-17-doc nginx-light
	AMBLE_COST=$(or $(ROUNDS),3) go test -count 1 -timeout 20m -run TestCostOfAudits -v ./analyze

.PHONY: bench-all
bench-all: bench-peers bench-compare bench-browser bench-a11y-peers bench-a11y ## every comparison, with what it needs

.PHONY: browser-soak
browser-soak: ## 2,000 hostile and 1,000 calm pages in Chrome, 300 real ones, Close at 140 bad moments
	AMBLE_SOAK=2000 AMBLE_REAL_PAGES=300 AMBLE_CLOSE_ROUNDS=20 go test -count 1 -timeout 2h -run 'TestSoak|TestRealSites|TestClose' -v ./browser

bench: ## micro-benchmarks
	go test -run '^$$' -bench . -benchmem ./...

bench-frontier: ## ten million URLs in each store: bytes of heap each, peak memory, CPU for each claim
	AMBLE_MILLIONS=10 AMBLE_STORE=memory go test -count 1 -timeout 30m -run MillionsOfURLs -v .
	AMBLE_MILLIONS=10 AMBLE_STORE=file go test -count 1 -timeout 30m -run MillionsOfURLs -v .

bench-repeats: ## 20 crawls of 300 pages and 3 of 20,000: nothing asked for twice, nothing that robots.txt disallows
	AMBLE_REPEATS=20000 go test -count 1 -timeout 30m -run NothingIsAskedForTwice -v .

sarif-check: ## the SARIF that reports write, against the published schema; FILES="x.sarif" for more
	.ci/sarif $(FILES)

kill-tests: ## kill -9 a journal, a store and whole crawls 200 times each
	AMBLE_KILLS=200 go test -count 1 -timeout 30m -run SIGKILL -v . ./internal/journal
