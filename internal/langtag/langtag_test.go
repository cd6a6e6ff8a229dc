package langtag

import (
	"fmt"
	"testing"
)

func TestParse(t *testing.T) {
	for tag, want := range map[string]Problem{
		"de": None, "pt-BR": None, "zh-Hant-TW": None, "es-419": None, "zh-cmn-Hans-CN": None, "sl-rozaj-biske": None,
		"de-CH-1996": None, "en-u-ca-gregory": None, "en-x-mine": None, "x-mine": None, "i-klingon": None, "EN-us": None,
		"fil": None, "": Empty, "en_US": Underscore, "e": Malformed, "en-": Malformed, "-en": Malformed, "en US": Malformed,
		"12": Malformed, "en-verylongsubtag": Malformed, "en-u": Malformed, "x": Malformed, "de-1996-1996": Malformed,
		"español": Malformed, "jp": UnknownLanguage, "cz": UnknownLanguage, "english": UnknownLanguage,
		"en-Abcd": UnknownScript, "en-UK": UnknownRegion,
	} {
		if _, got := Parse(tag); got != want {
			t.Errorf("%q: got %v, want %v", tag, got, want)
		}
	}
	if got, _ := Parse("zh-cmn-Hans-CN"); got.Language != "zh-cmn" || got.Script != "Hans" || got.Region != "CN" {
		t.Errorf("got %+v", got)
	}
}

func TestCheckHreflang(t *testing.T) {
	for code, want := range map[string]Problem{
		"en": None, "en-GB": None, "EN-gb": None, "zh-Hans": None, "zh-hans-cn": None, "x-default": None, "X-Default": None,
		"": Empty, "en_GB": Underscore, "en-UK": UnknownRegion, "en-EU": UnknownRegion, "es-419": UnknownRegion, "en-AN": UnknownRegion,
		"jp": NoLanguage, "us": NoLanguage, "en-english": NotHreflang, "zzz": UnknownLanguage, "Hans": NoLanguage, "fil": NotHreflang, "de-CH-1996": NotHreflang, "en-XX": UnknownRegion,
		"en-": Malformed,
	} {
		if got := CheckHreflang(code); got != want {
			t.Errorf("%q: got %v, want %v", code, got, want)
		}
	}
}

func TestPrimary(t *testing.T) {
	for in, want := range map[string]string{"de-AT": "de", "PT_br": "pt", "": "", "en": "en"} {
		if got := Primary(in); got != want {
			t.Errorf("%q: got %q", in, got)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("zh-cmn-Hans-CN-x-a")
	f.Add("a-b-c")
	f.Fuzz(func(t *testing.T, s string) {
		if tag, p := Parse(s); p == None && tag.Language == "" {
			t.Errorf("%q has no language", s)
		}
		if CheckHreflang(s) == None {
			if _, p := Parse(s); p != None && Primary(s) != "x" {
				t.Errorf("%q: hreflang is narrower than BCP 47, yet %v", s, p)
			}
		}
	})
}

func ExampleCheckHreflang() {
	for _, code := range []string{"en-UK", "en_GB", "jp"} {
		fmt.Printf("%s: %v\n", code, CheckHreflang(code))
	}
	fmt.Println("jp is likely meant as", Meant("jp"))
	// Output:
	// en-UK: unknown region
	// en_GB: underscore instead of hyphen
	// jp: a region or script where the language belongs
	// jp is likely meant as ja
}
