package browser

import (
	"context"
	"runtime"
	"strconv"
	"strings"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"

	"github.com/amblecrawl/amble"
)

// identity is who the browser says it is (S1): its own true version without the word Headless, our name at the end, and
// client hints that agree with the user agent. navigator.webdriver stays true: we do not hide.
type identity struct {
	product  string // "Chrome/156.0.8078.114"
	major    int
	agent    string
	language string // "es-ES,es", without weights: Chrome adds its own
	metadata *emulation.UserAgentMetadata
	platform string // navigator.platform
	viewport amble.Viewport
}

func newIdentity(r *Renderer, product, reported string) identity {
	id := identity{product: strings.Replace(product, "HeadlessChrome/", "Chrome/", 1), viewport: viewportOf(r)}
	_, version, _ := strings.Cut(id.product, "/")
	major, _, _ := strings.Cut(version, ".")
	id.major, _ = strconv.Atoi(major)
	if r.Mobile {
		id.agent = r.Agent.ChromeMobile(reported)
	} else {
		id.agent = r.Agent.Chrome(reported)
	}
	var languages []string
	for part := range strings.SplitSeq(r.Agent.Language, ",") {
		tag, _, _ := strings.Cut(part, ";")
		if tag = strings.TrimSpace(tag); tag != "" && tag != "*" {
			languages = append(languages, tag)
		}
	}
	id.language = strings.Join(languages, ",")
	// The brands of an unbranded Chromium, as it sends them itself, with the placeholder that the standard asks for.
	brands := func(version string) []*emulation.UserAgentBrandVersion {
		return []*emulation.UserAgentBrandVersion{
			{Brand: "Chromium", Version: version},
			{Brand: "Not;A=Brand", Version: strings.TrimSuffix("99"+strings.Repeat(".0", strings.Count(version, ".")), ".")},
		}
	}
	id.metadata = &emulation.UserAgentMetadata{
		Brands: brands(major), FullVersionList: brands(version),
		Platform: "Linux", PlatformVersion: "", Architecture: "x86", Bitness: "64", FormFactors: []string{"Desktop"},
	}
	if runtime.GOARCH == "arm64" || runtime.GOARCH == "arm" {
		id.metadata.Architecture = "arm"
	}
	switch {
	case r.Mobile:
		id.metadata.Platform, id.metadata.PlatformVersion, id.metadata.Model = "Android", "10.0.0", "K"
		id.metadata.Architecture, id.metadata.Bitness, id.metadata.Mobile, id.metadata.FormFactors = "", "", true, []string{"Mobile"}
		id.platform = "Linux armv81"
	case strings.Contains(reported, "Windows"):
		id.metadata.Platform, id.metadata.PlatformVersion = "Windows", "10.0.0"
	case strings.Contains(reported, "Macintosh"):
		id.metadata.Platform, id.metadata.PlatformVersion = "macOS", "10.15.7"
	}
	return id
}

func viewportOf(r *Renderer) amble.Viewport {
	v := r.Viewport
	if v.Width == 0 || v.Height == 0 {
		v.Width, v.Height = 1366, 768
		if r.Mobile {
			v.Width, v.Height = 412, 915
		}
	}
	if v.Scale == 0 {
		v.Scale = 1
		if r.Mobile {
			v.Scale = 2.625
		}
	}
	v.Mobile = r.Mobile
	return v
}

func (id identity) override() emulation.SetUserAgentOverrideParams {
	return emulation.SetUserAgentOverrideParams{
		UserAgent: id.agent, AcceptLanguage: id.language, Platform: id.platform, UserAgentMetadata: id.metadata,
	}
}

// apply gives a tab its identity, before it loads anything.
func (id identity) apply(ctx context.Context, s *session) error {
	if _, err := cdp.Call(ctx, s, emulation.SetUserAgentOverride, id.override()); err != nil {
		return err
	}
	_, err := cdp.Call(ctx, s, emulation.SetDeviceMetricsOverride, emulation.SetDeviceMetricsOverrideParams{
		Width: int64(id.viewport.Width), Height: int64(id.viewport.Height), DeviceScaleFactor: id.viewport.Scale, Mobile: id.viewport.Mobile,
	})
	if err != nil || !id.viewport.Mobile {
		return err
	}
	_, err = cdp.Call(ctx, s, emulation.SetTouchEmulationEnabled, emulation.SetTouchEmulationEnabledParams{Enabled: true, MaxTouchPoints: 5})
	return err
}
