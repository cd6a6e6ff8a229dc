package urlkey_test

import (
	"fmt"

	"github.com/amblecrawl/amble/internal/urlkey"
)

func ExampleResolve() {
	base, err := urlkey.Parse("https://www.example.com/docs/guide/")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, href := range []string{"../about us.html#team", `\\cdn.example.net\x`, "https:next", "mailto:us@example.com"} {
		u, err := urlkey.Resolve(base, href)
		fmt.Println(u.Kind(), u, u.Fragment(), err)
	}
	// Output:
	// http https://www.example.com/docs/about%20us.html team <nil>
	// http https://cdn.example.net/x  <nil>
	// http https://www.example.com/docs/guide/next  <nil>
	// mail mailto:us@example.com  <nil>
}

func ExampleURL_URL() {
	u, _ := urlkey.Parse("https://example.com/a|b%zz")
	fmt.Println(u.URL().RequestURI())
	// Output: /a|b%zz
}

func ExampleRegistrable() {
	fmt.Println(urlkey.Registrable("www.shop.example.co.uk"))
	fmt.Println(urlkey.Registrable("co.uk"))
	// Output:
	// example.co.uk true
	//  false
}

func ExampleWithinDomain() {
	fmt.Println(urlkey.WithinDomain("www.example.com", "example.com"), urlkey.WithinDomain("notexample.com", "example.com"))
	// Output: true false
}

func ExampleHasPathPrefix() {
	fmt.Println(urlkey.HasPathPrefix("/blog/x", "/blog/"), urlkey.HasPathPrefix("/blogger", "/blog/"))
	// Output: true false
}
