// Package httpsig makes and checks HTTP message signatures (RFC 9421) as crawlers use them to say who they are: Ed25519
// keys, named by their JWK thumbprint (RFC 7638), published in a key directory
// (draft-meunier-webbotauth-httpsig-protocol, which merges draft-meunier-web-bot-auth-architecture and
// draft-meunier-http-message-signatures-directory).
//
// Only what that needs is here: the derived components of requests, plain fields, dictionary members and the ";req" flag.
package httpsig

// The names that the drafts fix.
const (
	Tag           = "web-bot-auth"                                       // of a request's signature
	DirectoryTag  = "http-message-signatures-directory"                  // of a key directory's answer
	DirectoryPath = "/.well-known/http-message-signatures-directory"     // where the directory is
	DirectoryType = "application/http-message-signatures-directory+json" // its media type
)
