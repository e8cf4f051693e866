package cuda

import (
	"math"
	"sync"
	"time"

	"github.com/fencepost-dev/fencepost/program/treesitter"
	"github.com/fencepost-dev/fencepost/source"
	cuda "github.com/tree-sitter-grammars/tree-sitter-cuda/bindings/go"
)

// Limits of one file (DESIGN.md, untrusted input).
const (
	maxNodes = 2_000_000
	maxDepth = 600 // of the syntax tree: some 200 nested statements
	// A file may be parsed for this many seconds, and as many again for every megabyte: generated headers of 3 MB
	// take one or two.
	parseSeconds = 3
)

// node is one node of the syntax tree.
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

var theGrammar = sync.OnceValue(func() *treesitter.Language { return treesitter.New(cuda.Language()) })

// parser holds what one file needs from tree-sitter.
type parser struct {
	*treesitter.Parser
	grammar *treesitter.Language
	seconds int // the time limit
	nodes   int
	full    bool // the node limit was hit
	deep    bool // the depth limit was hit
}

// newParser makes a parser for a file of the size.
func newParser(size int) (*parser, error) {
	p := &parser{grammar: theGrammar(), seconds: parseSeconds * (1 + size>>20)}
	var err error
	p.Parser, err = p.grammar.NewParser(time.Duration(p.seconds) * time.Second)
	return p, err
}

// parse returns the root, or nil when the time limit was hit. descend tells whether a function body is wanted.
// A snippet is text[head:] less its tail, and stands at a place of its own in the file: within.
func (p *parser) parse(text []byte, head int, within source.Span, descend func(start, end int) bool) *node {
	limits := treesitter.Limits{Nodes: maxNodes - p.nodes, Deepest: maxDepth - 1}
	if descend != nil {
		limits.Nodes = math.MaxInt // the bodies that are not wanted do not count
	}
	list, err := p.Parse(text, limits)
	if err != nil {
		return nil
	}
	at := func(off uint32) int { return min(max(within.Start+int(off)-head, within.Start), within.End) }
	nodes := make([]node, len(list))
	kids, parents := make([]int32, len(list)), make([]int32, len(list))
	path := make([]int32, 0, 64) // the nodes around, by depth
	kept, unread := 0, uint32(math.MaxUint32)
	for i := range list {
		l := &list[i]
		parents[i] = -1
		if l.Depth > unread {
			continue
		}
		p.nodes++
		n := &nodes[i]
		n.kind, n.named = p.grammar.Kind(l)
		n.field, n.start, n.end, n.bad = p.grammar.Field(l), at(l.Start), at(l.End), l.Bad()
		n.missing = n.bad && l.Missing()
		path = path[:l.Depth]
		unread = math.MaxUint32
		var parent *node
		if l.Depth > 0 {
			parent = &nodes[path[l.Depth-1]]
			if n.keep() {
				parents[i] = path[l.Depth-1]
				kids[parents[i]]++
				kept++
			}
		}
		path = append(path, int32(i))
		if !p.enter(n, parent, len(path), descend) {
			unread = l.Depth
		}
	}
	places := make([]*node, kept)
	for i := range list {
		if n := kids[i]; n > 0 {
			nodes[i].kids, places = places[:0:n], places[n:]
		}
		if parent := parents[i]; parent >= 0 {
			nodes[parent].kids = append(nodes[parent].kids, &nodes[i])
		}
	}
	return &nodes[0]
}

// keep reports whether a node says something: punctuation without a field does not, keywords do ("constexpr", "case").
func (n *node) keep() bool {
	return n.named || n.field != "" || n.missing || len(n.kind) > 0 && isLetter(n.kind[0])
}

// enter reports whether the node's children are read.
func (p *parser) enter(n, parent *node, depth int, descend func(start, end int) bool) bool {
	switch {
	case p.nodes >= maxNodes:
		p.full = true
	case depth >= maxDepth:
		p.deep = true
	case descend != nil && n.kind == "compound_statement" && parent.kind == "function_definition" && !descend(n.start, n.end):
		return false
	default:
		return true
	}
	n.cut = true
	return false
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
