package a11y_test

import (
	"context"
	"fmt"

	"github.com/amblecrawl/amble/analyze/a11y"
)

func ExampleCheckHTML() {
	page := `<!DOCTYPE html><html lang="en"><title>Shop</title>
<main><h1>Shop</h1><p>All that you need for the kitchen.</p><a href="/cart"><img src="cart.png" alt=""></a><label>Search <input name="q"></label></main>`
	rep, err := a11y.CheckHTML(context.Background(), []byte(page), "https://example.com/", "text/html", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range rep.Findings {
		fmt.Println(f.Rule, f.Result, f.Selector)
		fmt.Println(f.Message)
	}
	fmt.Println(rep.Outcome("field-name").Result, rep.Outcome("contrast").Result)
	// Output:
	// link-name failed body > main:nth-child(1) > a:nth-child(3)
	// The link has no name: neither text nor a text alternative inside of it.
	// passed untested
}

func ExampleRule_Text() {
	for _, r := range a11y.ByACT("23a2a8") {
		fmt.Println(r.ID, r.SC, r.Text("es").Title)
	}
	// Output: image-name [1.1.1] Las imágenes tienen texto alternativo
}

func ExampleCriterion_Clause() {
	for _, number := range []string{"1.4.3", "2.5.8", "4.1.1"} {
		c, _ := a11y.CriterionByNumber(number)
		fmt.Printf("%s %s %q %q\n", c.Number, c.Name, c.Clause(a11y.EN301549V321), c.Clause(a11y.EN301549V411))
	}
	// Output:
	// 1.4.3 Contrast (Minimum) "9.1.4.3" "9.1.4.3"
	// 2.5.8 Target Size (Minimum) "" "9.2.5.8"
	// 4.1.1 Parsing "9.4.1.1" ""
}
