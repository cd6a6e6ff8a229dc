package tech_test

import (
	"net/http"
	"strings"
	"testing"
)

// FuzzAnswer: whatever the headers and bytes, an answer is judged without a panic.
func FuzzAnswer(f *testing.F) {
	f.Add("default-src ';", "max-age=;=;\"", "a", "<div><svg></div>")
	f.Add(" , ;'", "max-age=\"", "__Host-=; SameSite", strings.Repeat("<div>", 6000))
	f.Add("'", ",", "=", "</b><b></p><base href='data:'><meta charset>")
	f.Fuzz(func(t *testing.T, csp, value, cookie, body string) {
		h := http.Header{"Content-Type": {"text/html"}, "Content-Security-Policy": {csp}, "Strict-Transport-Security": {value},
			"Cache-Control": {value}, "Referrer-Policy": {value}, "X-Frame-Options": {value}, "X-Content-Type-Options": {value}, "Set-Cookie": {cookie}}
		judge(t, page("https://site.test/", body, h))
	})
}
