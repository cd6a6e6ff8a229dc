package consent

import "testing"

func TestLabel(t *testing.T) {
	for label, want := range map[string]Meaning{
		"Reject all": Reject, "Decline": Reject, "Rechazar todas": Reject, "Alle ablehnen": Reject, "Tout refuser": Reject, "Rifiuta tutti": Reject,
		"Rejeitar todos": Reject, "Weigeren": Reject, "Odrzuć wszystkie": Reject, "Avvisa alla": Reject, "Continue without accepting →": Reject,
		"Continuer sans accepter": Reject, "I do not accept": Reject, "Nicht akzeptieren": Reject, "Reject & close": Reject, "No thanks": Reject,
		"Rechazar y continuar": Reject, "Refuse non-essential cookies": Necessary,
		"Only necessary": Necessary, "Use necessary cookies only": Necessary, "Nur notwendige Cookies": Necessary, "Solo las necesarias": Necessary,
		"Accept only essential cookies": Necessary, "Uniquement les cookies nécessaires": Necessary, "Strictly necessary": Necessary,
		"×": Close, "Close": Close, "Fermer": Close, "Schließen": Close, "Cerrar": Close, "Not now": Close,
		"Save choices": Save, "Auswahl speichern": Save, "Guardar selección": Save, "Allow selection": Save, "Confirm my choices": Save,
		"Settings": Settings, "Configurar": Settings, "Einstellungen": Settings, "Manage preferences": Settings, "Paramétrer": Settings, "Más opciones": Settings,
		"OK": Acknowledge, "Got it": Acknowledge, "Ho capito": Acknowledge, "Entendido": Acknowledge, "Verstanden": Acknowledge,
		"Accept all": Accept, "Aceptar todas": Accept, "Alle akzeptieren": Accept, "Tout accepter": Accept, "I agree": Accept, "Allow all cookies": Accept,
		"Accept and continue": Accept, "Zustimmen und weiter": Accept,
		"Refuse and subscribe": Other, "Rechazar seguro": Other, "Add cookies to basket": Other, "Subscribe": Other, "Akzeptieren und kaufen": Other,
		"Cookie policy": Other, "Privacy": Other, "": Other, "Continue": Other, "Learn about walks": Other, "Jetzt Pur abonnieren": Other, "Stay here": Other,
	} {
		got := Label(label)
		if want == Necessary && got == Reject {
			continue // as good
		}
		if got != want {
			t.Errorf("%q is %v, want %v", label, got, want)
		}
	}
}

func TestJudge(t *testing.T) {
	pair := []Meaning{Reject, Accept}
	for _, test := range []struct {
		name string
		o    Overlay
		want bool
	}{
		{"a plain banner", Overlay{Text: "We use our own and third-party cookies to measure visits.", Buttons: pair}, true},
		{"an information without a choice", Overlay{Text: "Usiamo cookie propri e di terze parti.", Buttons: []Meaning{Acknowledge}}, true},
		{"privacy without the word", Overlay{Text: "We value your privacy. We and our partners store information on a device.", Names: "qc-cmp2-container", Buttons: []Meaning{Reject, Accept, Settings}}, true},
		{"store as a verb", Overlay{Text: "We and our partners store and access cookies on your device", Buttons: pair}, true},
		{"terms", Overlay{Text: "To use this service you have to accept our terms and privacy policy.", Buttons: pair}, false},
		{"pay or consent", Overlay{Text: "Lesen Sie mit Cookies und Werbung kostenlos oder ohne Tracking im Abo für 3,99 €.", Buttons: pair}, false},
		{"age", Overlay{Text: "Are you over 18? We use a cookie to remember your answer.", Names: "cookie", Buttons: pair}, false},
		{"bakery", Overlay{Text: "Fresh cookies today! Chocolate cookies, 2 for 1.", Names: "cookie-bar", Buttons: []Meaning{Close}}, false},
		{"region", Overlay{Text: "You seem to be in another country. Choose your store; we store the choice in a cookie.", Buttons: []Meaning{Close}}, false},
		{"chat", Overlay{Text: "Hi! Questions about privacy or cookies? Ask us. Accept chat", Buttons: []Meaning{Reject, Close}}, false},
		{"a login", Overlay{Text: "We use cookies", Buttons: pair, Fields: true}, false},
	} {
		if got := Judge(test.o); got.Banner != test.want {
			t.Errorf("%s: %+v", test.name, got)
		}
	}
}
