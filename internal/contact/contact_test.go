package contact

import "testing"

func TestMailtoRFC6068(t *testing.T) {
	for rest, right := range map[string]bool{
		"a@b.example": true, "a.b+c@b.example": true, "a@b.example,c@d.example": true, "a@b.example?subject=x": true,
		"?to=a@b.example": true, "?subject=x&body=y": true, "%22not%40me%22@example.org": true, "gorby%25kremvax@example.com": true,
		"user@example.org?subject=caf%C3%A9": true, "jürgen@müller.example": true, "a@localhost": true, "a@[192.0.2.1]": true,
		"a@b.example,": true, "a@xn--bcher-kva.example": true, "a@b.example?cc=c@d.example&bcc=": true, "a%40b.example": true,
		" a@b.example": true, "o'brien@b.example": true,

		"": false, "?": false, "nobody": false, "@b.example": false, "a@": false, "a b@c.example": false, "a@b@c.example": false,
		"a@b..example": false, "a@.example": false, "a@b.example;c@d.example": false, "a@b.example?cc=nobody": false,
		"Name <a@b.example>": false, "a@b.example%": false, "a@b.example,,c@d.example": false, "a..b@c.example": false,
		"http://a@b.example": false, "a@b c.example": false,
	} {
		if err := CheckMailto(rest); (err == nil) != right {
			t.Errorf("mailto:%s: %v", rest, err)
		}
	}
}

func TestTelRFC3966(t *testing.T) {
	for rest, right := range map[string]bool{
		"+34600123456": true, "+1-201-555-0123": true, "+44(0)20.7946.0000": true, "112": true, "0800-123": true, "*100%23": true,
		"7042;phone-context=example.com": true, "+3491;ext=12": true, "863-1234;phone-context=+1-914-555": true,

		"": false, "+": false, "call me": false, "+34 600 123 456": false, "+34%20600123456": false, "//600123456": false,
		"600/123456": false, "+1234567890123456": false, "+12": false, "+34*1234": false, "%zz": false, "--": false,
	} {
		if err := CheckTel(rest); (err == nil) != right {
			t.Errorf("tel:%s: %v", rest, err)
		}
	}
}

func FuzzContact(f *testing.F) {
	for _, s := range []string{"a@b.example?cc=x", "+34-600;ext=1", "%", "\"a\"@[::1]", ""} {
		f.Add(s)
	}
	f.Fuzz(func(_ *testing.T, s string) {
		_ = CheckMailto(s)
		_ = CheckTel(s)
	})
}
