package analyze

import "github.com/amblecrawl/amble/analyze/text"

// metadataTexts are the texts of the rules that package seo does not have.
var metadataTexts = text.Catalog{
	"metadata-malformed": {
		"en": {Title: "Metadata is malformed", Why: "What cannot be read is ignored, so that a wish stated there may not be respected.",
			Fix: "Write the directive, header or block as its specification says."},
		"es": {Title: "Metadatos mal escritos", Why: "Lo que no se puede leer se ignora, y puede que no se respete lo que allí se pide.",
			Fix: "Escriba la directiva, la cabecera o el bloque como dice su especificación."},
		"fr": {Title: "Métadonnées mal formées", Why: "Ce qui est illisible est ignoré : un souhait exprimé là peut ne pas être respecté.",
			Fix: "Écrivez la directive, l’en-tête ou le bloc comme le dit sa spécification."},
		"de": {Title: "Metadaten sind fehlerhaft", Why: "Was nicht lesbar ist, wird übergangen; ein dort genannter Wunsch wird womöglich nicht beachtet.",
			Fix: "Schreiben Sie die Anweisung, den Header oder den Block so, wie seine Spezifikation es verlangt."},
		"pt": {Title: "Metadados malformados", Why: "O que não se consegue ler é ignorado, e o que ali se pede pode não ser respeitado.",
			Fix: "Escreva a diretiva, o cabeçalho ou o bloco como diz a sua especificação."},
	},
	"head-broken": {
		"en": {Title: "The head ends early", Why: "An element that may not stand in a head ended it; metadata after that element stands in the body and does not count.",
			Fix: "Move the element into the body."},
		"es": {Title: "La cabecera head termina antes de tiempo", Why: "Un elemento que no puede estar en head la cerró; los metadatos que siguen quedan en body y no cuentan.",
			Fix: "Mueva el elemento a body."},
		"fr": {Title: "L’élément head se termine trop tôt", Why: "Un élément qui n’a pas sa place dans head l’a fermé ; les métadonnées qui suivent sont dans body et ne comptent pas.",
			Fix: "Déplacez l’élément dans body."},
		"de": {Title: "Der Kopf der Seite endet zu früh", Why: "Ein Element, das nicht in head stehen darf, hat ihn beendet; Metadaten dahinter stehen in body und zählen nicht.",
			Fix: "Verschieben Sie das Element nach body."},
		"pt": {Title: "O elemento head termina cedo demais", Why: "Um elemento que não pode estar em head fechou-o; os metadados seguintes ficam em body e não contam.",
			Fix: "Mova o elemento para body."},
	},
	"charset-undeclared": {
		"en": {Title: "No character encoding is declared", Why: "Browsers then read the page as windows-1252, or guess.",
			Fix: "Send charset=utf-8 in Content-Type, or put a meta charset first in the head."},
		"es": {Title: "No se declara la codificación de caracteres", Why: "Los navegadores leen entonces la página como windows-1252, o adivinan.",
			Fix: "Envíe charset=utf-8 en Content-Type, o ponga un meta charset al principio de head."},
		"fr": {Title: "L’encodage des caractères n’est pas déclaré", Why: "Les navigateurs lisent alors la page en windows-1252, ou devinent.",
			Fix: "Envoyez charset=utf-8 dans Content-Type, ou placez un meta charset au début de head."},
		"de": {Title: "Die Zeichenkodierung fehlt", Why: "Browser lesen die Seite dann als windows-1252 oder raten.",
			Fix: "Senden Sie charset=utf-8 in Content-Type, oder setzen Sie ein meta charset an den Anfang von head."},
		"pt": {Title: "A codificação de caracteres não está declarada", Why: "Os navegadores leem então a página como windows-1252, ou adivinham.",
			Fix: "Envie charset=utf-8 em Content-Type, ou ponha um meta charset no início de head."},
	},
}
