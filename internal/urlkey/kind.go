package urlkey

// Kind sorts URLs by what can be done with them.
type Kind uint8

// The kinds. Only KindHTTP is ever asked for; the others are links that a report may want to count.
const (
	KindNone       Kind = iota // the zero URL
	KindHTTP                   // http and https
	KindMail                   // mailto
	KindPhone                  // tel and sms
	KindJavaScript             // javascript
	KindData                   // data
	KindBlob                   // blob
	KindAbout                  // about
	KindFile                   // file
	KindFTP                    // ftp
	KindSocket                 // ws and wss
	KindOther                  // any other scheme
)

var kindNames = [...]string{"none", "http", "mail", "phone", "javascript", "data", "blob", "about", "file", "ftp",
	"socket", "other"}

// String returns the kind's name in lower case.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "unknown"
}

func kindOf(scheme string) Kind {
	switch scheme {
	case "http", "https":
		return KindHTTP
	case "mailto":
		return KindMail
	case "tel", "sms":
		return KindPhone
	case "javascript":
		return KindJavaScript
	case "data":
		return KindData
	case "blob":
		return KindBlob
	case "about":
		return KindAbout
	case "file":
		return KindFile
	case "ftp":
		return KindFTP
	case "ws", "wss":
		return KindSocket
	}
	return KindOther
}

// defaultPort is that of the standard's special schemes, or 0.
func defaultPort(scheme string) uint16 {
	switch scheme {
	case "http", "ws":
		return 80
	case "https", "wss":
		return 443
	case "ftp":
		return 21
	}
	return 0
}
