package httpsig

// Agent is one entry of a Signature-Agent field: where the keys of a signature are published.
type Agent struct {
	Label string // of the signature it belongs to; empty in the older form, a bare string
	URI   string
	Type  string // "directory" (the default), "jwks_uri" or "cimd"
}

// ParseAgent reads a Signature-Agent field: a dictionary of strings, or in the older form one bare string.
func ParseAgent(value string) ([]Agent, error) {
	if item, err := ParseItem(value); err == nil {
		if uri, ok := item.Value.(string); ok {
			return []Agent{{URI: uri, Type: "directory"}}, nil
		}
	}
	members, err := ParseDictionary(value)
	if err != nil {
		return nil, err
	}
	var out []Agent
	for _, m := range members {
		uri, ok := m.Value.(string)
		if !ok {
			return nil, errField
		}
		a := Agent{Label: m.Key, URI: uri, Type: "directory"}
		switch v, _ := m.Param("type"); kind := v.(type) {
		case Token:
			a.Type = string(kind)
		case string:
			a.Type = kind
		}
		out = append(out, a)
	}
	return out, nil
}
