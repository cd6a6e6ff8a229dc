package browserbench

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/chromedp/chromedp"
)

// plainChromedp is the loop that most programs on chromedp are: a browser context for each page, load, read the HTML.
func plainChromedp(ctx context.Context, j job) error {
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]), chromedp.ExecPath(j.chrome))
	ctx, cancel := chromedp.NewExecAllocator(ctx, options...)
	defer cancel()
	browser, cancel := chromedp.NewContext(ctx)
	defer cancel()
	if err := chromedp.Do(browser); err != nil {
		return err
	}
	urls := make(chan string)
	errs := make([]error, j.tabs)
	var group sync.WaitGroup
	for i := range j.tabs {
		group.Go(func() {
			for u := range urls {
				errs[i] = errors.Join(errs[i], plainPage(browser, u))
			}
		})
	}
	for _, u := range j.urls() {
		urls <- u
	}
	close(urls)
	group.Wait()
	return errors.Join(append(errs, chromedp.Cancel(browser))...)
}

func plainPage(browser context.Context, u string) error {
	page, cancel := chromedp.NewContext(browser, chromedp.WithNewBrowserContext())
	defer cancel()
	if err := chromedp.Do(page, chromedp.Navigate(u)); err != nil {
		return err
	}
	html, err := chromedp.Run(page, chromedp.Evaluate[string]("document.documentElement.outerHTML"))
	if err == nil && !strings.Contains(html, scriptsRan) {
		err = fmt.Errorf("%s: its scripts did not run", u)
	}
	return err
}
