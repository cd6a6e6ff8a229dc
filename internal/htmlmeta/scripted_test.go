package htmlmeta

import "testing"

func TestScriptsThatMayMakeIDs(t *testing.T) {
	for page, want := range map[string]bool{
		`<script src=a.js></script>`:                                true,
		`<script type=module src=a.js></script>`:                    true,
		`<script>x.id = "y"</script>`:                               true,
		`<script>x.innerHTML = "<p id='y'>"</script>`:               true,
		`<script>h("p", {id: y})</script>`:                          true,
		`<script>x["id"] = y</script>`:                              true,
		`<script>x.setAttribute(a, b)</script>`:                     true,
		`<script>fetch("/more")</script>`:                           true,
		`<script type="text/javascript">document.write(x)</script>`: true,
		`<script type=module>import "./x.js"</script>`:              true,
		``:                         false,
		`<script src=""></script>`: false,
		`<script type=application/ld+json>{"id": "x"}</script>`:                                               false,
		`<script type=text/template><p id=x></script>`:                                                        false,
		`<script type=application/ld+json src=x.json></script>`:                                               false,
		`<script>if (x.id == "y") hide(x)</script>`:                                                           false,
		`<script>width = 1; hidden = 2; idx = 3; document.getElementById("a").innerHTML = "show"</script>`:    false,
		`<template><script src=a.js></script></template>`:                                                     false,
		`<script>var a = 1</script><style>#id { }</style><p>id = x</p><textarea>x.id = "y"</textarea>`:        false,
		`<script type=application/ld+json>{"id": "x"}</script><script>a()</script><noscript id=x></noscript>`: false,
	} {
		if got := Parse([]byte(page), Options{IDs: true}).MakesIDs; got != want {
			t.Errorf("%s: %v", page, got)
		}
	}
}
