package amble

func parseTree(p *Page) *tree { return &tree{} }
