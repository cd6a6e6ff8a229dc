package text_test

import (
	"fmt"
	"testing"

	"github.com/amblecrawl/amble/analyze/text"
)

func ExampleCatalog_Text() {
	c, err := text.Parse([]byte(`{"title-missing": {"en": {"title": "The page has a title"}, "es": {"title": "La página tiene título"}}}`))
	if err != nil {
		fmt.Println(err)
	}
	es, _ := c.Text("title-missing", "es")
	fi, _ := c.Text("title-missing", "fi")
	fmt.Println(es.Title)
	fmt.Println(fi.Title)
	// Output:
	// La página tiene título
	// The page has a title
}

func TestMissingNamesWhatACatalogLacks(t *testing.T) {
	c, err := text.Parse([]byte(`{"a": {"en": {"title": "t", "why": "w", "fix": "f"}}, "b": {}}`))
	if err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprint(c.Missing([]string{"a"}))
	if want := "[a in de a in es a in fr a in pt a rule for the text b]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
