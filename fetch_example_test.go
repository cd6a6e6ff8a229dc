package amble_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"

	"github.com/amblecrawl/amble"
)

// One exchange with a server of a test: the default policy would refuse its address.
func ExampleHTTPFetcher() {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/start", http.StatusMovedPermanently)
	}))
	defer site.Close()
	u, _ := url.Parse(site.URL)

	fetcher := &amble.HTTPFetcher{Addresses: amble.LoopbackOnly()}
	defer fetcher.CloseIdleConnections()
	resp, err := fetcher.Fetch(context.Background(), &amble.Request{URL: u, MaxBytes: -1})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Release()
	fmt.Println(resp.Status, resp.Header.Get("Location"), resp.Proto)

	// Output: 301 /start HTTP/1.1
}

// The address guard refuses whatever leads into a private network.
func ExampleFetchError() {
	u, _ := url.Parse("http://169.254.169.254/latest/meta-data/")
	_, err := new(amble.HTTPFetcher).Fetch(context.Background(), &amble.Request{URL: u})

	var trouble *amble.FetchError
	if errors.Is(err, amble.ErrForbiddenAddr) && errors.As(err, &trouble) {
		fmt.Println(trouble.Trouble, trouble.Rule)
	}
	// Output: forbidden link-local
}

func ExampleAddressPolicy() {
	policy := amble.AddressPolicy{Ports: []uint16{80, 443, 8443}}
	for _, raw := range []string{"https://example.com:8443/", "https://example.com:22/", "http://0x7f.1/"} {
		_, err := policy.ParseURL(raw)
		fmt.Println(raw, err == nil)
	}
	// Output:
	// https://example.com:8443/ true
	// https://example.com:22/ false
	// http://0x7f.1/ false
}

// A site that is a handler is fetched in process, under any name.
func ExampleHandlerFetcher() {
	site := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprintf(w, "hello from %s", r.Host) })
	u, _ := url.Parse("https://www.example.com/")
	resp, err := amble.HandlerFetcher(site).Fetch(context.Background(), &amble.Request{URL: u, MaxBytes: -1})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(resp.Status, string(resp.Body))
	// Output: 200 hello from www.example.com
}

// A program built on http.Client uses the guarded way out.
func ExampleFetcherTransport() {
	site := amble.HandlerFetcher(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "hello") }))
	client := http.Client{Transport: amble.FetcherTransport(site)}
	resp, err := client.Get("https://www.example.com/")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	fmt.Println(string(body), err)
	// Output: hello <nil>
}

// Any http.RoundTripper can be what makes the exchange.
func ExampleRoundTripperFetcher() {
	canned := roundTripper(func(r *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: 404, Body: http.NoBody, Request: r}, nil
	})
	u, _ := url.Parse("https://www.example.com/")
	resp, err := amble.RoundTripperFetcher(canned).Fetch(context.Background(), &amble.Request{URL: u})
	fmt.Println(resp.Status, err)
	// Output: 404 <nil>
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
