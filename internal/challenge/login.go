package challenge

import (
	"net/url"
	"strings"
)

// loginWall says why the answer is a login page that stands in the place of the page asked for: the request was sent on
// to an address that looks like a login, and that address points back to the page or asks for a password. A login page
// that was itself asked for is content.
func loginWall(a Answer, p *page) string {
	if a.Requested == "" || a.Requested == a.URL || a.Status >= 300 {
		return ""
	}
	from, err := url.Parse(a.Requested)
	if err != nil {
		return ""
	}
	to, err := url.Parse(a.URL)
	if err != nil || sameResource(from, to) || looksLikeLogin(from) || !looksLikeLogin(to) {
		return ""
	}
	switch {
	case pointsBack(from, to):
		return "sent on to " + to.Host + to.Path + ", which points back"
	case p.passwords > 0:
		return "sent on to " + to.Host + to.Path + ", which asks for a password"
	}
	return ""
}

// sameResource: scheme, "www." and a slash at the end are no other page.
func sameResource(a, b *url.URL) bool {
	host := func(u *url.URL) string { return strings.TrimPrefix(strings.ToLower(u.Host), "www.") }
	return host(a) == host(b) && strings.TrimSuffix(a.Path, "/") == strings.TrimSuffix(b.Path, "/")
}

func looksLikeLogin(u *url.URL) bool {
	for segment := range strings.SplitSeq(strings.ToLower(u.Path), "/") {
		segment, _, _ = strings.Cut(segment, ";")
		if dot := strings.LastIndexByte(segment, '.'); dot > 0 {
			segment = segment[:dot]
		}
		if isLoginWord(segment) {
			return true
		}
	}
	label, rest, _ := strings.Cut(strings.ToLower(u.Hostname()), ".")
	if !strings.Contains(rest, ".") && rest != "localhost" {
		return false // the registrable name itself
	}
	switch label {
	case "login", "signin", "logon", "auth", "sso", "accounts", "account", "id", "idp", "identity", "passport":
		return true
	}
	return false
}

func isLoginWord(s string) bool {
	switch strings.NewReplacer("-", "", "_", "").Replace(s) {
	case "login", "wplogin", "userlogin", "signin", "usersignin", "logon", "signon", "sso", "auth", "oauth", "oauth2", "authorize", "authenticate",
		"authentication", "saml", "saml2", "openidconnect", "cas", "signinform", "loginform", "memberlogin", "customerlogin",
		"acceder", "iniciarsesion", "identificarse", "anmelden", "anmeldung", "einloggen", "connexion", "seconnecter", "accedi",
		"entrar", "inloggen", "logga", "zaloguj", "logowanie", "prihlaseni":
		return true
	}
	return false
}

// pointsBack reports whether a parameter of the login's address names the page that was asked for.
func pointsBack(from, to *url.URL) bool {
	for _, values := range to.Query() {
		for _, value := range values {
			if back, err := url.Parse(value); err == nil && (strings.HasPrefix(value, "/") || back.IsAbs()) {
				if back.Host != "" && !strings.EqualFold(back.Host, from.Host) {
					continue
				}
				if strings.TrimSuffix(back.Path, "/") == strings.TrimSuffix(from.Path, "/") {
					return true
				}
				// A callback of the site that carries the page in a parameter of its own.
				if back.IsAbs() && strings.EqualFold(back.Host, from.Host) {
					return true
				}
			}
		}
	}
	return false
}
