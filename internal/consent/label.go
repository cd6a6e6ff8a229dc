// Package consent reads cookie banners: whether the text of an overlay is one, what its buttons mean, and what to do about
// it. It knows words of some twenty languages and the habits of consent managers; it does not know a browser.
//
// The rule is: refuse, or close without a choice, or leave it to be hidden; never accept, never acknowledge. Consent is an
// act of a person (GDPR article 4(11)); a robot that clicks "accept" makes it up.
package consent

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Meaning is what a button of a banner does.
type Meaning uint8

// The meanings, in the order in which they are preferred.
const (
	Other       Meaning = iota // anything else: not to be touched
	Reject                     // refuses all that can be refused
	Necessary                  // keeps what is needed only
	Close                      // closes, without a choice
	Save                       // keeps the choice as it is set
	Settings                   // opens a second layer
	Acknowledge                // "OK", "Got it": may pass for consent
	Accept
)

var meaningNames = [...]string{"other", "reject", "necessary", "close", "save", "settings", "acknowledge", "accept"}

// String returns the meaning's name.
func (m Meaning) String() string { return meaningNames[m] }

// Label reads what a button is called. Only the whole label counts: one word that belongs to none of the vocabularies
// ("refuse and subscribe") makes it Other.
func Label(label string) Meaning {
	trimmed := strings.TrimSpace(label)
	switch trimmed {
	case "×", "✕", "✖", "✗", "⨯", "╳", "X", "x", "❌", "🗙":
		return Close
	}
	words := fold(trimmed)
	if len(words) == 0 || len(words) > 9 {
		return Other
	}
	if m, ok := phrases[strings.Join(words, " ")]; ok {
		return m
	}
	seen := map[kind]bool{}
	for _, word := range words {
		k, ok := vocabulary[word]
		if !ok {
			return Other
		}
		seen[k] = true
	}
	negated := seen[without]
	switch {
	case seen[refuse] && !seen[accept]:
		return Reject
	case negated && (seen[accept] || seen[agree]):
		return Reject
	case seen[necessary] && !negated && !seen[settings]:
		return Necessary
	case seen[selection] && (seen[accept] || seen[save] || seen[agree]):
		return Save
	case seen[save] && !seen[accept]:
		return Save
	case seen[settings] || seen[selection] && !seen[accept]:
		return Settings
	case seen[accept]:
		return Accept
	case seen[shut]:
		return Close
	case seen[agree]:
		return Acknowledge
	}
	return Other
}

// fold splits a text into words in lower case, without accents and punctuation.
func fold(s string) []string {
	var b strings.Builder
	for _, r := range norm.NFD.String(strings.ToLower(s)) {
		switch {
		case unicode.Is(unicode.Mn, r) || r == '\'' || r == '’' && false:
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			b.WriteRune(plainLetter(r))
		default:
			b.WriteByte(' ')
		}
	}
	return strings.Fields(b.String())
}

// plainLetter maps letters that do not decompose.
func plainLetter(r rune) rune {
	switch r {
	case 'ø':
		return 'o'
	case 'ł':
		return 'l'
	case 'đ':
		return 'd'
	case 'ı':
		return 'i'
	case 'ß':
		return 's'
	}
	return r
}

type kind uint8

const (
	filler kind = iota + 1
	refuse
	accept
	agree // weak: "ok", "understood"
	without
	necessary
	save
	settings
	selection
	shut
)

// vocabulary says what a word means on a button of a banner. Words of all languages share it: a label is in the language
// of the page or in English, and the few that mean different things in two languages are left out.
var vocabulary = func() map[string]kind {
	lists := map[kind]string{
		filler: `all cookies cookie the my and to with of any use only just non optional additional other everything for this site please i you your yes we a an in on from tracking unnecessary
			todo todos todas toda las los la el y con de mis solo solamente unicamente opcionales opcional adicionales demas usar uso si esta
			ab das ist alle alles und mit die der das den nur optionale optionalen optionaler weitere ich ja bitte von weiter zu
			tout tous toutes les le et avec des mes uniquement seulement optionnels facultatifs je oui du au aux nos vos sur ce
			tutti tutte tutto i gli e con solo soltanto opzionali facoltativi si miei il
			os o as e com apenas somente meus sim opcionais
			en met alleen de het optionele ja ik van te
			wszystkie wszystkich pliki plikow tylko i z tak opcjonalne
			alla alle kun endast bara och og med valfria ja jag jeg kaikki vain ja
			vsechny vse pouze jen a soubory osszes minden csak az toate doar si cookie-urile cookieuri hepsi tumu tumunu sadece ve
			tots totes nomes i amb cookiek suti sutik sutiket cerezleri cerezler kakor informasjonskapsler evasteet galetes cookiene cookieene
			все только файлы cookies куки и
			continue continuing continuer continuar continua weitergehen fortfahren proceed seguir navigating prosegui proseguire prosseguir doorgaan fortsett fortsatt fortsaet kontynuuj pokracovat jatka navegando navegar naviguer la`,
		refuse: `reject decline refuse deny disagree disallow dismissall rejecting declining refusing opt-out optout rejeitar
			rechazar descartar rechazo rechazarlas denegar rehusar declinar
			ablehnen verweigern ablehne lehne widersprechen verbieten ablehnung
			refuser refuse interdire decliner rejeter
			rifiuta rifiutare rifiuto rifiutali nega negare declina rifiutarli
			recusar recuso rejeito negar
			weigeren weiger afwijzen afwijs
			odrzuc odrzucam odmow odrzucenie
			avvisa avboj neka avvis avslaa avsla afvis afvise nakka hylkaa kiella estaa
			odmitnout odmitam zamitnout elutasitom elutasitas elutasit respinge refuz refuza reddet reddediyorum
			rebutja rebutjar denega rebutjo ukatu baztertu rexeitar
			отклонить отказаться отклоняю απορριψη απορριπτω odbij odbaci`,
		accept: `accept allow agree consent enable accepting approve
			aceptar acepto aceptarlas permitir aceptarlo consentir consiento
			akzeptieren akzeptiere zustimmen zulassen erlauben annehmen einwilligen aktivieren zustimmung
			accepter accepte autoriser jaccepte consentir activer
			accetta accettare accetto consenti consentire acconsento autorizza accettarli acconsentire
			aceitar aceito permito concordo
			accepteren accepteer toestaan akkoord accepteert
			akceptuj akceptuje zaakceptuj zgadzam zezwol zgoda
			acceptera godkann tillat godta accepter accepteer tillad hyvaksy salli hyvaksyn
			prijmout souhlasim prijimam povolit elfogadom elfogadas elfogad accepta accept acceptati kabul onayla
			acceptar accepto permet onartu aceptalas
			принять разрешить согласен αποδοχη αποδεχομαι prihvati prihvacam`,
		agree: `ok okay understood understand got it gotit fine great
			entendido entiendo vale conforme
			verstanden einverstanden
			compris daccord entendu
			capito inteso bene ho va
			percebi entendi
			begrepen rozumiem forstar forstatt selva rozumim ertem`,
		without: `no not dont do never without nope
			sin nein nicht ohne kein keine non pas sans ne senza sem nao zonder geen niet bez nie utan inte uten ikke uden ei ilman ne nem fara nu sense gabe без нет`,
		necessary: `necessary essential essentials required strictly functional technical technically needed minimal mandatory necessaries basic
			necesarias necesario necesarios esenciales esencial imprescindibles estrictamente tecnicas tecnica obligatorias funcionales basicas
			notwendige notwendigen notwendig notwendiger erforderliche erforderlichen essenzielle essenziellen essentielle essentiellen technisch erforderlich unbedingt funktionale
			necessaires necessaire essentiels essentiel indispensables strictement techniques obligatoires requis
			necessari necessario essenziali strettamente tecnici indispensabili
			necessarios necessarias necessario essenciais essencial estritamente obrigatorios
			noodzakelijke noodzakelijk essentiele functionele strikt vereiste
			niezbedne niezbednych konieczne wymagane
			nodvandiga nodvendige nodvendig valttamattomat
			nezbytne nutne szukseges feltetlenul necesare esentiale gerekli zorunlu necessaries beharrezkoak необходимые απαραιτητα nuzne nuzni`,
		save: `save confirm submit apply store
			guardar confirmar aplicar
			speichern bestatigen ubernehmen sichern
			enregistrer confirmer valider sauvegarder
			salva salvare conferma confermare
			salvar gravar
			opslaan bevestigen bewaar
			zapisz potwierdz
			spara bekrafta lagre bekreft gem tallenna vahvista
			ulozit potvrdit mentes megerositem salveaza confirma kaydet desa guarda сохранить αποθηκευση spremi`,
		settings: `settings preferences manage customise customize configure options personalise personalize personalize details adjust change more choose modify custom show view set cookie-settings advanced
			configurar configuracion preferencias gestionar personalizar opciones ajustes ajustar mas detalles panel modificar configuralas administrar ver
			einstellungen einstellen anpassen verwalten optionen mehr individuell konfigurieren details praferenzen andern individuelle privatsphare datenschutzeinstellungen cookie-einstellungen
			parametrer parametres personnaliser preferences gerer configurer reglages plus choix gestion
			impostazioni preferenze personalizza gestisci opzioni altro dettagli configura personalizzare gestire scegli
			configuracoes preferencias definicoes gerir gerenciar mais opcoes personalizar
			instellingen voorkeuren beheren aanpassen opties meer instellen
			ustawienia zarzadzaj preferencje dostosuj wiecej
			installningar hantera innstillinger tilpass indstillinger administrer asetukset muokkaa anpassa
			nastaveni upravit beallitasok testreszabas setari personalizeaza ayarlar tercihler configura preferencies ezarpenak настройки настроить ρυθμισεις postavke`,
		selection: `selection selected choices choice preference current
			seleccion seleccionadas seleccionados eleccion elecciones seleccionada
			auswahl ausgewahlte ausgewahlten getroffene
			selection selectionnes choisis
			selezione selezionati selezionate scelte selezionato
			selecao selecionados escolhas
			selectie geselecteerde keuze keuzes
			wybor wybrane zaznaczone wybory
			val valda valg utvalg valgte valinta valinnat
			vyber vybrane volbu valasztas kivalasztott selectia selectate secimi secilenleri seleccio выбор выбранные επιλογη`,
		shut: `close dismiss hide skip exit
			cerrar ocultar schlieben schliesen schliessen fermer masquer chiudi chiudere fechar sluiten zamknij stang lukk luk sulje zavrit bezar bezaras inchide kapat tanca itxi закрыть κλεισιμο zatvori banner popup notice dialog window message`,
	}
	out := map[string]kind{}
	for _, k := range []kind{filler, shut, selection, settings, save, agree, accept, necessary, without, refuse} {
		for _, word := range strings.Fields(lists[k]) {
			for _, part := range fold(word) {
				out[part] = k
			}
		}
	}
	return out
}()

// phrases are labels whose words mean something else together.
var phrases = func() map[string]Meaning {
	out := map[string]Meaning{}
	for m, list := range map[Meaning]string{
		Reject: `no thanks; no thank you; no gracias; nein danke; non merci; no grazie; nao obrigado; nee bedankt; opt out; block all; block cookies; disable all; turn off all; i do not agree; i don't agree;
			continue without accepting; continuer sans accepter; continuar sin aceptar; continua senza accettare; weiter ohne einwilligung; ohne zustimmung fortfahren; ohne einwilligung fortfahren; continuar sem aceitar; doorgaan zonder te accepteren;
			object to all; withdraw consent; deny all; alle verbieten; nicht zustimmen; ne pas accepter; do not consent; desactivar todas; tout desactiver; alle deaktivieren; disattiva tutti; rifiuta e chiudi; refuse and close`,
		Close: `not now; maybe later; later; ahora no; mas tarde; jetzt nicht; spater; plus tard; pas maintenant; non ora; piu tardi; agora nao; close this; close cookie notice`,
		Settings: `let me choose; lassen sie mich wahlen; laissez moi choisir; dejame elegir; lasciami scegliere; laat me kiezen; learn more and customise; more options; more choices; mas opciones; mehr optionen; plus doptions; en savoir plus et parametrer; piu opzioni; cookie settings; your choices; my choices; mis preferencias;
			manage consent; consent preferences; set preferences; do not sell my personal information; show purposes; show details; mostrar detalles; details zeigen`,
		Save:        `accept selected; allow selection; confirm my choices; save and close; save and exit; save my choices; guardar y cerrar; speichern und schliessen; auswahl erlauben; auswahl bestatigen; enregistrer mes choix; salva ed esci`,
		Acknowledge: `got it; i understand; ok got it; that's fine; de acuerdo; d'accord; ho capito; va bene; in ordnung; alles klar; ja ok; j'ai compris; estoy de acuerdo; tudo bem; okay verstanden; ok thanks`,
		Accept:      `i agree; yes i agree; that's ok; i'm ok with that; i accept; agree and close; agree and continue; accept and close; ok accept all; zustimmen und weiter; einverstanden; accepter et fermer; accepter et continuer; aceptar y cerrar; accetta e chiudi`,
	} {
		for phrase := range strings.SplitSeq(list, ";") {
			out[strings.Join(fold(phrase), " ")] = m
		}
	}
	return out
}()
