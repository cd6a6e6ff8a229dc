package browser

import (
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"os"
	"runtime"
	"strings"
)

// closedProxy is where a request goes that belongs to no site's context: nowhere (the discard port).
const closedProxy = "http://127.0.0.1:9"

// offFeatures are Chrome's features that make calls of their own, fetch what no page asked for, or waste work here.
var offFeatures = []string{
	// Calls of its own.
	"AutofillServerCommunication", "CertificateTransparencyComponentUpdater", "DialMediaRouteProvider", "MediaRouter",
	"InterestFeedContentSuggestions", "NetworkTimeServiceQuerying", "OptimizationHints", "OptimizationGuideModelDownloading",
	"OptimizationTargetPrediction", "PrivacySandboxSettings4", "Translate",
	// Requests that no page made. HttpsUpgrades would try https where the crawl asked for http.
	"FedCm", "HttpsUpgrades", "HttpsFirstBalancedModeAutoEnable", "NetworkErrorLogging", "Prerender2", "Prerender2FallbackPrefetchSpecRules", "Reporting",
	"SpeculationRulesPrefetchFuture", "PreconnectToSearch", "LoadingPredictorPrefetch",
	// Pages kept alive behind the one that is looked at.
	"BackForwardCache",
	// WebUI that full Chromium opens with every window.
	"AiModeOmniboxEntryPoint", "OmniboxPopupWebUI", "WebUIOmniboxAimPopup", "WebUIOmniboxPopup",
}

// flagOptions are what differs from one browser to another.
type flagOptions struct {
	noSandbox bool
	trusted   []*x509.Certificate
	off       switches
}

// flags are the command line of a browser that we start. They are chosen one by one: chromedp's defaults let pop-ups
// open, for example.
func flags(profile string, o flagOptions) []string {
	out := []string{
		"--headless", // the headless shell knows no other way and ignores it
		"--user-data-dir=" + profile,
		"--no-first-run", "--no-default-browser-check", "--no-startup-window",
		"--enable-automation", // navigator.webdriver says what is so: we do not hide

		"--disable-background-networking", "--disable-breakpad", "--disable-client-side-phishing-detection",
		"--disable-component-update", "--disable-default-apps", "--disable-domain-reliability", "--disable-extensions",
		"--disable-search-engine-choice-screen", "--disable-sync", "--metrics-recording-only", "--no-pings",
		"--password-store=basic", "--use-mock-keychain", "--gaia-url=http://127.0.0.1:9/",

		// A tab that is not in front works as one that is.
		"--disable-background-timer-throttling", "--disable-backgrounding-occluded-windows", "--disable-renderer-backgrounding",
		"--disable-hang-monitor", "--disable-prompt-on-repost", "--force-color-profile=srgb", "--mute-audio",

		// One way out: each site's context has its own proxy; what is outside goes nowhere. Loopback is no exception.
		"--proxy-server=" + closedProxy, "--proxy-bypass-list=<-loopback>", "--disable-quic",
		"--disable-features=" + strings.Join(offFeatures, ","),
	}
	if !o.off.allowSpeculation {
		// Speculation rules that a script adds on a secure page are seen by nobody outside of Chrome: neither by the
		// interception nor, in a tunnel, by the proxy. With no room among the prefetches under way, none begins.
		out = append(out, "--enable-features=PrefetchMultipleActiveSetSizeLimitForBase:prefetch_multiple_active_set_size_limit_for_base_value/0")
	}
	if !o.off.allowWebRTC {
		// Full Chromium knows the first, the headless shell only the second.
		out = append(out, "--webrtc-ip-handling-policy=disable_non_proxied_udp", "--force-webrtc-ip-handling-policy=disable_non_proxied_udp")
	}
	if len(o.trusted) > 0 {
		var keys []string
		for _, c := range o.trusted {
			sum := sha256.Sum256(c.RawSubjectPublicKeyInfo)
			keys = append(keys, base64.StdEncoding.EncodeToString(sum[:]))
		}
		out = append(out, "--ignore-certificate-errors-spki-list="+strings.Join(keys, ","))
	}
	if o.noSandbox {
		out = append(out, "--no-sandbox")
	}
	if smallShm() {
		out = append(out, "--disable-dev-shm-usage")
	}
	return out
}

// needsNoSandbox reports whether Chrome refuses to start with its sandbox: it does for root.
func needsNoSandbox() bool { return runtime.GOOS == "linux" && os.Geteuid() == 0 }

// preferences is the profile's settings file, for what full Chromium takes from nowhere else.
const preferences = `{"net":{"network_prediction_options":2},"webrtc":{"ip_handling_policy":"disable_non_proxied_udp"},` +
	`"credentials_enable_service":false,"autofill":{"enabled":false},"signin":{"allowed":false},"safebrowsing":{"enabled":false},` +
	`"search":{"suggest_enabled":false},"translate":{"enabled":false},"alternate_error_pages":{"enabled":false}}`
