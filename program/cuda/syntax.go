package cuda

import (
	"sync"

	"github.com/fencepost-dev/fencepost/source"
	cuda "github.com/tree-sitter-grammars/tree-sitter-cuda/bindings/go"
	sitter "github.com/tree-sitter/go-tree-sitter"
)

// Limits of one file (DESIGN.md, untrusted input).
const (
	maxNodes = 2_000_000
	maxDepth = 600 // of the syntax tree: some 200 nested statements
	// A file may be parsed for this many seconds, and as many again for every megabyte: generated headers of 3 MB
	// take one or two.
	parseSeconds = 3
)

// node is one node of the syntax tree, copied out of the parser once: walking through cgo costs more than parsing.
type node struct {
	kind       string
	field      string
	start, end int
	kids       []*node
	named      bool
	missing    bool
	bad        bool // an error stands in it or below
	cut        bool // the depth or node limit left its children unread
}

// grammar is the language with its tables of names.
type grammar struct {
	language *sitter.Language
	kinds    []string
	named    []bool
	keep     []bool
	fields   []string
}

var theGrammar = sync.OnceValue(func() *grammar {
	l := sitter.NewLanguage(cuda.Language())
	g := &grammar{language: l}
	n := int(l.NodeKindCount())
	for id := range n {
		kind := l.NodeKindForId(uint16(id))
		named := l.NodeKindIsNamed(uint16(id))
		g.kinds = append(g.kinds, kind)
		g.named = append(g.named, named)
		// Punctuation without a field says nothing; keywords do ("constexpr", "case").
		g.keep = append(g.keep, named || len(kind) > 0 && isLetter(kind[0]))
	}
	g.fields = append(g.fields, "")
	for id := 1; id <= int(l.FieldCount()); id++ {
		g.fields = append(g.fields, l.FieldNameForId(uint16(id)))
	}
	return g
})

// parser holds what one file needs from tree-sitter.
type parser struct {
	*grammar
	sitter  *sitter.Parser
	seconds int // the time limit
	nodes   int
	slab    []node // nodes are allocated many at a time
	full    bool   // the node limit was hit
	deep    bool   // the depth limit was hit
}

// newParser makes a parser for a file of the size.
func newParser(size int) (*parser, error) {
	p := &parser{grammar: theGrammar(), sitter: sitter.NewParser()}
	if err := p.sitter.SetLanguage(p.language); err != nil {
		p.sitter.Close()
		return nil, err
	}
	p.seconds = parseSeconds * (1 + size>>20)
	p.sitter.SetTimeoutMicros(uint64(p.seconds) * 1_000_000)
	return p, nil
}

func (p *parser) close() { p.sitter.Close() }

// parse returns the root, or nil when the time limit was hit. descend tells whether a function body is wanted.
// A snippet is text[head:] less its tail, and stands at a place of its own in the file: within.
func (p *parser) parse(text []byte, head int, within source.Span, descend func(start, end int) bool) *node {
	tree := p.sitter.Parse(text, nil)
	if tree == nil {
		p.sitter.Reset()
		return nil
	}
	defer tree.Close()
	cursor := tree.Walk()
	defer cursor.Close()
	root := p.copy(cursor, head, within)
	stack := []*node{root}
	for down := true; ; {
		top := stack[len(stack)-1]
		if down && p.enter(stack, descend) && cursor.GotoFirstChild() {
			stack = append(stack, p.add(top, cursor, head, within))
			continue
		}
		if cursor.GotoNextSibling() {
			stack[len(stack)-1] = p.add(stack[len(stack)-2], cursor, head, within)
			down = true
			continue
		}
		if !cursor.GotoParent() || len(stack) == 1 {
			return root
		}
		stack = stack[:len(stack)-1]
		down = false
	}
}

// enter reports whether the node's children are read.
func (p *parser) enter(stack []*node, descend func(start, end int) bool) bool {
	depth := len(stack)
	n := stack[depth-1]
	switch {
	case p.nodes >= maxNodes:
		p.full = true
	case depth >= maxDepth:
		p.deep = true
	case descend != nil && n.kind == "compound_statement" && stack[depth-2].kind == "function_definition" && !descend(n.start, n.end):
		return false
	default:
		return true
	}
	n.cut = true
	return false
}

func (p *parser) add(parent *node, cursor *sitter.TreeCursor, head int, within source.Span) *node {
	n := p.copy(cursor, head, within)
	if n.named || n.field != "" || n.missing || p.keep[cursor.Node().KindId()] {
		parent.kids = append(parent.kids, n)
	}
	return n
}

func (p *parser) copy(cursor *sitter.TreeCursor, head int, within source.Span) *node {
	p.nodes++
	s := cursor.Node()
	id := s.KindId()
	if len(p.slab) == 0 {
		p.slab = make([]node, 512)
	}
	n := &p.slab[0]
	p.slab = p.slab[1:]
	at := func(off uint) int { return min(max(within.Start+int(off)-head, within.Start), within.End) }
	*n = node{start: at(s.StartByte()), end: at(s.EndByte()), field: p.fields[cursor.FieldId()]}
	if int(id) < len(p.kinds) {
		n.kind, n.named = p.kinds[id], p.named[id]
	} else {
		n.kind, n.named = "ERROR", true
	}
	n.bad = s.HasError()
	n.missing = n.bad && s.IsMissing()
	return n
}

// child is the first child with the field, or nil.
func (n *node) child(field string) *node {
	if n == nil {
		return nil
	}
	for _, k := range n.kids {
		if k.field == field {
			return k
		}
	}
	return nil
}

// first is the first child of one of the kinds, or nil.
func (n *node) first(kinds ...string) *node {
	if n == nil {
		return nil
	}
	for _, k := range n.kids {
		for _, want := range kinds {
			if k.kind == want {
				return k
			}
		}
	}
	return nil
}

// named are the named children that are not errors.
func (n *node) content() []*node {
	var out []*node
	for _, k := range n.kids {
		if k.named && k.kind != "comment" && !k.missing {
			out = append(out, k)
		}
	}
	return out
}

// only is the single content child, or nil.
func (n *node) only() *node {
	if c := n.content(); len(c) > 0 {
		return c[0]
	}
	return nil
}
