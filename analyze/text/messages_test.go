package text

import "testing"

const catalogue = `{
"The title has {1} characters.": ["El título tiene {1} caracteres.", "Le titre a {1} caractères.", "Der Titel hat {1} Zeichen.", "O título tem {1} carateres."],
"{1}: {2} of {3}.": ["{1}: {3} da {2}.", "{1} : {2} sur {3}.", "{1}: {2} von {3}.", "{1}: {2} de {3}."],
"It is wrong: {1}.": ["Está mal: {1}.", "C’est faux : {1}.", "Es ist falsch: {1}.", "Está errado: {1}."],
"no number": ["ningún número", "pas un nombre", "keine Zahl", "nenhum número"]
}`

// TestTell proves that values go to their places, that the sentence with the most fixed text wins, that a value may be a
// sentence itself, and that what is not in the catalogue is said to be missing.
func TestTell(t *testing.T) {
	m, err := ParseMessages([]byte(catalogue))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		in, lang, want string
		ok             bool
	}{
		{"The title has 93 characters.", "de", "Der Titel hat 93 Zeichen.", true},
		{"The title has 93 characters.", "en", "The title has 93 characters.", true},
		{"The title has 93 characters.", "it", "The title has 93 characters.", false},
		{"The title has 93 characters, and more.", "de", "The title has 93 characters, and more.", false},
		{"a: 1 of 2.", "es", "a: 2 da 1.", true},
		{"It is wrong: no number.", "fr", "C’est faux : pas un nombre.", true},
		{"It is wrong: {1}.", "pt", "Está errado: {1}.", true},
		{"no number", "pt", "nenhum número", true},
		{"", "pt", "", false},
	} {
		if got, ok := m.Tell(test.in, test.lang); got != test.want || ok != test.ok {
			t.Errorf("%q in %s: %q %v, want %q %v", test.in, test.lang, got, ok, test.want, test.ok)
		}
	}
	if got, ok := (*Messages)(nil).Tell("x", "de"); got != "x" || ok {
		t.Errorf("no catalogue: %q %v", got, ok)
	}
	for _, bad := range []string{"x", `{"a {1}": ["a"]}`, `{"a {1}": ["a", "b {1}", "c {1}", "d {1}"]}`, `{"a {1} {1}": ["{1}", "{1}", "{1}", "{1}"]}`, `{"a": ["a", " ", "a", "a"]}`} {
		if _, err := ParseMessages([]byte(bad)); err == nil {
			t.Errorf("%s was taken", bad)
		}
	}
	for format, want := range map[string]string{"%d of %.2f, %q": "{1} of {2}, {3}", "100 %% of %v": "100 % of {1}", "200 %": "200 %"} {
		if got := Key(format); got != want {
			t.Errorf("%q became %q, want %q", format, got, want)
		}
	}
}

// FuzzTell proves that no sentence breaks the matching, and that English stays as it is.
func FuzzTell(f *testing.F) {
	m, err := ParseMessages([]byte(catalogue))
	if err != nil {
		f.Fatal(err)
	}
	f.Add("The title has  characters.")
	f.Add(": of .")
	f.Add("It is wrong: It is wrong: It is wrong: x..")
	f.Fuzz(func(t *testing.T, in string) {
		if got, ok := m.Tell(in, "en"); got != in || !ok {
			t.Errorf("%q became %q", in, got)
		}
		if got, ok := m.Tell(in, "de"); !ok && got != in {
			t.Errorf("%q became %q", in, got)
		}
	})
}
