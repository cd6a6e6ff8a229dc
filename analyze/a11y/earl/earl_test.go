package earl_test

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/amblecrawl/amble/analyze/a11y"
	"github.com/amblecrawl/amble/analyze/a11y/earl"
)

func Example() {
	page := `<!DOCTYPE html><html lang="en"><title>Cats</title><img src="cat.jpg">`
	rep, err := a11y.CheckHTML(context.Background(), []byte(page), "https://example.com/", "text/html", &a11y.Options{Rules: []string{"image-name"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := earl.New("amble", "1.0", rep).Write(os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// {
	//   "@context": "https://www.w3.org/WAI/content-assets/wcag-act-rules/earl-context.json",
	//   "assertedBy": {
	//     "@type": "Assertor",
	//     "name": "amble",
	//     "release": {
	//       "@type": "Version",
	//       "revision": "1.0"
	//     }
	//   },
	//   "@graph": [
	//     {
	//       "@type": "TestSubject",
	//       "source": "https://example.com/",
	//       "assertions": [
	//         {
	//           "@type": "Assertion",
	//           "result": {
	//             "outcome": "earl:failed"
	//           },
	//           "test": {
	//             "title": "image-name",
	//             "isPartOf": [
	//               "WCAG2:non-text-content"
	//             ]
	//           }
	//         }
	//       ]
	//     }
	//   ]
	// }
}

func ExampleReport_Write() {
	var out strings.Builder
	if err := earl.New("", "").Write(&out); err != nil {
		fmt.Println(err)
	}
	fmt.Print(out.String())
	// Output:
	// {
	//   "@context": "https://www.w3.org/WAI/content-assets/wcag-act-rules/earl-context.json",
	//   "@graph": []
	// }
}
