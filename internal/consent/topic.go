package consent

import (
	"regexp"
	"strings"
)

// Overlay is what is seen of an overlay: its own text, the fields in it, and the names that its authors gave it.
type Overlay struct {
	Text    string    // visible text, frames and shadow roots included
	Names   string    // ids, classes, aria labels and frame addresses, joined by spaces
	Buttons []Meaning // what its buttons mean
	Fields  bool      // it asks for an e-mail address or a password
	Choices int       // tick boxes
}

// Verdict is what Judge found.
type Verdict struct {
	Banner   bool
	Kind     string // "banner"; what the overlay is taken for otherwise
	Obstacle string // when it is about cookies and must be left alone all the same: "pay-or-consent", "age-gate", …
}

// topic words: cookies as such, in any language that writes the word, and consent to tracking.
var (
	topic   = regexp.MustCompile(`\b(cookies?|cookie|kakor|kakser|informasjonskapsler|evaste\w*|galetes|cerez\w*|sutik?\w*|kolacic\w*|piskotk\w*|slapuk\w*|kupsi\w*|sikdat\w*|traceurs?|trackers?|tracking|rgpd|gdpr|dsgvo|lgpd|ccpa)\b|куки|cookie|μπισκοτ`)
	support = regexp.MustCompile(`\b(consent\w*|consentimiento|consentement|einwilligung\w*|zustimmung\w*|consenso|consentimento|toestemming|zgod\w*|samtycke|samtykke|suostumu\w*|souhlas\w*|hozzajarul\w*|privacy|privacidad|privacidade|datenschutz\w*|privatsphare|vie privee|confidentialite|prywatnosc\w*|integritet\w*|personvern|personal data|datos personales|personenbezogene\w*|donnees personnelles|dati personali|dados pessoais|third[- ]part\w*|terceros|dritter?|tiers|terze parti|terceiros|derden|partners?|socios|analy\w*|statisti\w*|estadist\w*|marketing|advert\w*|publicid\w*|publicit\w*|pubblicita|werbung|personali[sz]\w*|personnalis\w*|preferenc\w*|medir|measure\w*|messung|mesurer|misurare|visit\w*|besuch\w*|visite\w*|traffic|trafico|audience|experience|experiencia|erfahrung|esperienza)\b`)
	hints   = regexp.MustCompile(`(?i)(cookie|consent|gdpr|rgpd|dsgvo|ccpa|cmp\b|cmp[-_]|onetrust|didomi|usercentrics|quantcast|qc-cmp|sp_message|truste|iubenda|axeptio|cookiebot|cybot|klaro|orejime|tarteaucitron|borlabs|complianz|cmplz|privacy[-_]?(banner|notice|bar|center|manager|policy)|tracking[-_]?(banner|notice|consent))`)
)

// vetoes tell what else an overlay may be. Any of them wins over the topic.
var vetoes = []struct {
	kind string
	re   *regexp.Regexp
}{
	{"pay-or-consent", regexp.MustCompile(`[€$£]\s?\d|\d\s?(€|\$|£|eur\b|usd\b|gbp\b|chf\b|zl\b|kr\b|kc\b|ft\b|lei\b|tl\b)|\b(pur[- ]?abo|abo abschliessen|subscriptions?|suscripcion|suscribi\w+|abonne\w*|abonnier\w*|abonnement\w*|abbona\w*|assinatura|assin[ae]\w*|prenumer\w*|subscribers?|suscriptor\w*|paywall)\b`)},
	{"newsletter", regexp.MustCompile(`\b(subscribe|newsletters?|boletin|infolettre|sign up|mailing list|e-?mail address|your e-?mail|tu correo|ihre e-?mail|votre e-?mail|discount code|coupon|gutschein|codigo de descuento|code promo|black friday|% off)\b`)},
	{"age-gate", regexp.MustCompile(`\b(1[68]|21)\s?(\+|years|anos|jahre|ans|anni|or older|o mas)|\b(over|under|uber|mayor de|plus de|menos de|older than) (1[68]|21)\b|\b(legal (drinking )?age|drinking age|age verification|verify your age|date of birth|mayor de edad|volljahrig|majeur|maggiorenne|geburtsdatum|fecha de nacimiento)\b`)},
	{"login", regexp.MustCompile(`\b(password|contrasena|passwort|mot de passe|wachtwoord|log ?in to|sign in to|inicia sesion|iniciar sesion|anmelden|se connecter|connectez|accedi al|create an account|crear una cuenta|konto erstellen)\b`)},
	{"cart", regexp.MustCompile(`\b(basket|shopping cart|your cart|to cart|add to|carrito|cesta de|warenkorb|panier|carrello|carrinho|winkelwagen|koszyk\w*|checkout|free shipping|envio gratis|producto anadido)\b`)},
	{"chat", regexp.MustCompile(`\b(live chat|chat with|start chat|accept chat|chat)\b`)},
	{"notifications", regexp.MustCompile(`\b((allow|push|send you|enable|receive|show) notifications|notificaciones push|recibir notificaciones|mitteilungen erhalten|benachrichtigungen|recevoir des notifications|notifiche push)\b`)},
	{"region", regexp.MustCompile(`\b(another country|other country|your country|your region|your location is|choose your (store|country|language|region)|select your (country|store|language|region)|shipping to|ship to|elija su (pais|tienda)|tu pais|otro pais|anderes land|ihr land|wahlen sie ihr land|autre pays|votre pays|altro paese|tuo paese|outro pais|seu pais|switch to the)\b`)},
	{"food", regexp.MustCompile(`\b(chocolate|schokolade\w*|chocolat|dough|baked|bakery|oven|recipes?|recetas?|rezepte?|recettes?|flour|butter|vanilla|crunchy|crispy|delicious|fresh cookies|biscuits?|gluten|backerei|ofenfrisch\w*|panaderia|boulangerie)\b`)},
	{"app", regexp.MustCompile(`\b(install (the|our) app|download (the|our) app|get the app|descarga(r)? la app|app herunterladen|telecharger l ?app\w*)\b`)},
	{"survey", regexp.MustCompile(`\b(survey|encuesta|umfrage|sondage|sondaggio|pesquisa de|rate us|feedback form|quiz|gewinnspiel|sorteo|giveaway|prize draw)\b`)},
	{"donation", regexp.MustCompile(`\b(donate|donation|donacion|spende\w*|faire un don|donazione|doacao)\b`)},
}

// termsOnly: an overlay about terms of use that names cookies nowhere.
var terms = regexp.MustCompile(`\b(terms (of|and)|accept (our|the) terms|terminos|condiciones de uso|nutzungsbedingungen|agb|conditions (d.utilisation|generales)|termini|termos)\b`)

// Judge says whether an overlay is a cookie banner: its own text must be about cookies, and a second, independent sign must
// agree: a choice that such banners offer, or a name that its authors gave it. Whatever else it may be wins.
func Judge(o Overlay) Verdict {
	text := " " + strings.Join(fold(o.Text), " ") + " "
	raw := foldKeep(o.Text)
	about := len(topic.FindAllString(text, 8))
	hint := hints.MatchString(o.Names)
	other := ""
	for _, v := range vetoes {
		if v.re.MatchString(raw) || v.re.MatchString(text) {
			other = v.kind
			break
		}
	}
	if o.Fields && other == "" {
		other = "login"
	}
	if other != "" {
		if about > 0 || hint {
			return Verdict{Kind: other, Obstacle: other}
		}
		return Verdict{Kind: other}
	}
	if about == 0 && terms.MatchString(text) {
		return Verdict{Kind: "terms"}
	}
	has := map[Meaning]bool{}
	for _, m := range o.Buttons {
		has[m] = true
	}
	choice := has[Reject] || has[Necessary] || has[Save] || has[Accept] || has[Acknowledge]
	backed := support.MatchString(text)
	signs := 0
	if choice {
		signs++
	}
	if has[Accept] && (has[Reject] || has[Necessary] || has[Settings]) {
		signs++
	}
	if hint {
		signs++
	}
	if backed {
		signs++
	}
	switch {
	case about > 0 && signs >= 2 && (choice || hint && (has[Close] || has[Settings])):
		return Verdict{Banner: true, Kind: "banner"}
	case about == 0 && hint && backed && (has[Reject] || has[Necessary]) && (has[Accept] || has[Acknowledge] || has[Settings] || has[Save]):
		return Verdict{Banner: true, Kind: "banner"} // "We value your privacy", without the word
	}
	return Verdict{Kind: "other"}
}

// foldKeep is fold that keeps signs of prices and percentages.
func foldKeep(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch r {
		case '€', '$', '£', '%', '+', '.', ',', '-':
			b.WriteRune(r)
		default:
			for _, w := range foldRune(r) {
				b.WriteRune(w)
			}
		}
	}
	return " " + strings.Join(strings.Fields(b.String()), " ") + " "
}

func foldRune(r rune) []rune {
	words := fold(string(r))
	if len(words) == 0 {
		return []rune{' '}
	}
	return []rune(words[0])
}

var closing = regexp.MustCompile(`\b(by closing|closing this|al cerrar|si cierra|en fermant|durch (das )?schlie\w+|chiudendo|ao fechar|door te sluiten|continuing to (browse|use)|by continuing|si continua navegando|en poursuivant|proseguendo)\b`)

// ClosingConsents reports whether a banner's text says that closing it is consent.
func ClosingConsents(text string) bool {
	return closing.MatchString(strings.Join(fold(text), " "))
}
