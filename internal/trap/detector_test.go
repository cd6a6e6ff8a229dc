package trap

import (
	"fmt"
	"testing"

	"github.com/amblecrawl/amble/internal/urlkey"
)

func TestDetectorKeepsOriginsApart(t *testing.T) {
	d := New(Limits{})
	for i := range 200 { // more origins than parts of the memory
		u, err := urlkey.Parse(fmt.Sprintf("https://h%d.example/x?PHPSESSID=%032x", i, i))
		if err != nil {
			t.Fatal(err)
		}
		if why := d.Check(u); why != "" {
			t.Errorf("%s: %s", u, why)
		}
	}
	u, err := urlkey.Parse("https://h1.example/x?PHPSESSID=ffffffffffffffffffffffffffffff00")
	if err != nil {
		t.Fatal(err)
	}
	if d.Check(u) == "" {
		t.Error("a second session of one URL is let through")
	}
	if New(Limits{Off: true}).Check(u) != "" {
		t.Error("a detector that is off finds something")
	}
}
