package a11y

import (
	"strings"
	"sync"
	"unicode"

	"github.com/amblecrawl/amble/analyze/a11y/internal/dom"
)

// usual lists the most usual words of some languages written in the Latin script: what a text is full of, whatever it is
// about.
var usual = map[string]string{
	"en": "the of and to in is that for it was on are with as his they at be this from have or by one had not but what all were we when your can there an each which she do how their if will up other about out many then them these so some her would make like him into has more no could people my than first been who its now only also may you i he",
	"es": "de la que el en y a los del se las por un para con no una su al lo como más pero sus le ya o este porque esta entre cuando muy sin sobre también hasta hay donde quien desde todo nos todos uno les ni contra otros ese eso ellos esto antes algunos qué unos yo otro otra él tanto esa estos mucho nada muchos cual poco ella es son está",
	"fr": "de la le et les des en un du une que est pour qui dans a par plus pas au sur ne se ce il sont avec ou son lui nous comme mais elle tout vous être aux leur cette ces mes très aussi sans entre deux même où après été je l d",
	"de": "der die und in den von zu das mit sich des auf für ist im dem nicht ein eine als auch es an werden aus er hat dass sie nach wird bei einer um am sind noch wie einem über einen so zum war haben nur oder aber vor zur bis mehr durch man sein wurde ich wir ihr",
	"pt": "de a o que e do da em um para é com não uma os no se na por mais as dos como mas foi ao ele das tem à seu sua ou ser quando muito há nos já está eu também só pelo pela até isso ela entre era depois sem mesmo aos ter seus quem nas esse eles estão você",
	"it": "di e il la che in un a per è una sono mi ho si lo ma ti con cosa le non da ci come ha io questo qui hai sei del della al gli dei nel alla più anche se dal delle",
	"nl": "de het een van en in is dat op te zijn met voor niet aan er om ook als dan maar bij of uit nog naar heeft worden door over wat ze we ik je hij was deze wordt dit geen werd moet kan ging haar",
	"sv": "och i att det som en på är av för med till den har de inte om ett han men var jag sig från vi så kan när man nu",
	"da": "og i at det er en til på som de med for ikke den af der et jeg han var du vi har men kan fra så om",
	"pl": "w i z na do nie się to że jest o jak za od po co ale przez dla tak czy był jego są tym oraz",
}

var usualSets = sync.OnceValue(func() map[string]map[string]bool {
	out := map[string]map[string]bool{}
	for lang, list := range usual {
		out[lang] = map[string]bool{}
		for _, w := range strings.Fields(list) {
			out[lang][w] = true
		}
	}
	return out
})

// scripts names languages that are written in one script of their own, and what a text in it may be in.
var scripts = []struct {
	table *unicode.RangeTable
	langs string
}{
	{unicode.Cyrillic, "ru uk bg sr mk be kk ky mn tg tt"}, {unicode.Greek, "el"}, {unicode.Hebrew, "he yi iw"}, {unicode.Arabic, "ar fa ur ps ku ckb sd ug"},
	{unicode.Hangul, "ko"}, {unicode.Thai, "th"}, {unicode.Devanagari, "hi mr ne sa"}, {unicode.Hiragana, "ja"}, {unicode.Katakana, "ja"}, {unicode.Han, "zh ja yue wuu"},
}

// guessLanguage tells the language of a text by its script or its usual words. sure is true when the declared language
// is clearly another one; best names what the text seems to be in.
func guessLanguage(text, declared string) (best string, sure bool) {
	letters, latin := 0, 0
	counts := make([]int, len(scripts))
	for _, r := range text {
		if !unicode.IsLetter(r) {
			continue
		}
		letters++
		if unicode.Is(unicode.Latin, r) {
			latin++
			continue
		}
		for i, s := range scripts {
			if unicode.Is(s.table, r) {
				counts[i]++
			}
		}
	}
	for i, s := range scripts {
		if letters >= 20 && counts[i]*10 > letters*8 {
			langs := strings.Fields(s.langs)
			if !strings.Contains(" "+s.langs+" ", " "+declared+" ") {
				_, known := usual[declared]
				for _, o := range scripts {
					known = known || strings.Contains(" "+o.langs+" ", " "+declared+" ")
				}
				return langs[0], known
			}
			return declared, false
		}
	}
	if latin*10 < letters*8 {
		return "", false
	}
	score := map[string]int{}
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) }) {
		for lang, set := range usualSets() {
			if set[w] {
				score[lang]++
			}
		}
	}
	second := 0
	for _, lang := range []string{"en", "es", "fr", "de", "pt", "it", "nl", "sv", "da", "pl"} {
		switch n := score[lang]; {
		case n > score[best]:
			second, best = score[best], lang
		case n > second && lang != best:
			second = n
		}
	}
	if best == "" || score[best] < 3 {
		return "", false // a word or two may be of many languages
	}
	_, known := usual[declared]
	for _, o := range scripts {
		known = known || strings.Contains(" "+o.langs+" ", " "+declared+" ")
	}
	clear := score[best] >= 5 && score[best] >= 2*second && score[best] >= 4*score[declared]
	return best, clear && known && best != declared
}

// pageLanguage: the text of the page is in the language that html declares (ACT ucwvc8). Short texts prove nothing.
func pageLanguage(p *pass) {
	h := htmlRoot(p)
	if h == nil || !h.Doc.IsTextHTML() || !knownLanguage(h.A("lang")) {
		return
	}
	text := languageText(h, 20_000)
	if t := firstTitle(h); t != nil {
		text = titleText(t) + "\n" + text
	}
	judgeLanguage(p, h, text)
}

// partLanguage: parts with a lang attribute are in that language (ACT off6ek).
func partLanguage(p *pass) {
	p.each(func(n *dom.Node) {
		if n.IsHTML() && n.Doc.IsTextHTML() && knownLanguage(n.A("lang")) && n.In(n.Doc.Body()) {
			if text := languageText(n, 5000); text != "" {
				judgeLanguage(p, n, text)
			}
		}
	})
}

func judgeLanguage(p *pass, n *dom.Node, text string) {
	declared, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(n.A("lang"))), "-")
	switch best, sure := guessLanguage(text, declared); {
	case sure:
		p.fail(n, "The text seems to be in another language than the lang attribute says.", "lang", declared, "seems", best)
	case best == declared:
		p.ok(n)
	case p.out.CantTell == 0: // once is enough: pages have many short parts
		p.cannot(n, "Whether the text is in the declared language needs a person: there is too little of it, or the language is not one that is known here.", "lang", declared)
	}
}
