package browser

import "github.com/amblecrawl/amble"

// BannerPolicy says what is done about cookie banners (S9).
type BannerPolicy struct{}

func (l *load) banners(snap *amble.Snapshot, policy BannerPolicy) {}
