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
	memory  *memory
}

// memory is what reading a file takes and the tree does not keep: the next file has it again.
type memory struct {
	nodes         []node // room for more behind those of the file
	places        []*node
	kids, parents []int32
	path          []int32
	tokens        []token
	match         []int
}

// maxSpare is how many nodes there may be room for in memory that is kept for the next file: what is kept lets the heap grow several times over.
const maxSpare = 1 << 15

var spare = sync.Pool{New: func() any { return &memory{} }}

// room is a slice of the length behind what the slice holds already, of which nothing is known.
func room[T any](s *[]T, n int) []T {
	if cap(*s)-len(*s) < n {
		*s = make([]T, 0, n+n/4+4096) // what was handed out stays with who has it
	}
	from := len(*s)
	*s = (*s)[:from+n]
	return (*s)[from : from+n : from+n]
}

// newParser makes a parser for a file of the size.
func newParser(size int) (*parser, error) {
	p := &parser{grammar: theGrammar(), seconds: parseSeconds * (1 + size>>20), memory: spare.Get().(*memory)}
	var err error
	p.Parser, err = p.grammar.NewParser(time.Duration(p.seconds) * time.Second)
	return p, err
}

// Close ends the reading of a file: nothing may have nodes of it any more.
func (p *parser) Close() {
	if m := p.memory; cap(m.nodes) <= maxSpare {
		m.nodes, m.places = m.nodes[:0], m.places[:0]
		spare.Put(m)
	}
	p.Parser.Close()
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
	m := p.memory
	nodes := room(&m.nodes, len(list))[:0]
	kids, parents, path := m.kids[:0], m.parents[:0], m.path[:0] // path: the nodes around, by depth
	unread := uint32(math.MaxUint32)
	for i := range list {
		l := &list[i]
		if l.Depth > unread {
			continue
		}
		p.nodes++
		n := node{start: at(l.Start), end: at(l.End), bad: l.Bad()}
		n.kind, n.named = p.grammar.Kind(l)
		n.field, n.missing = p.grammar.Field(l), n.bad && l.Missing()
		if l.Depth > 0 && !n.keep() {
			unread = l.Depth // it has no children
			continue
		}
		unread = math.MaxUint32
		above := int32(-1)
		var parent *node
		if l.Depth > 0 {
			above = path[l.Depth-1]
			parent = &nodes[above]
			kids[above]++
		}
		path = append(path[:l.Depth], int32(len(nodes)))
		if !p.enter(&n, parent, len(path), descend) {
			unread = l.Depth
		}
		nodes, kids, parents = append(nodes, n), append(kids, 0), append(parents, above)
	}
	m.nodes, m.kids, m.parents, m.path = m.nodes[:len(m.nodes)-len(list)+len(nodes)], kids, parents, path
	places := room(&m.places, len(nodes))
	for i := range nodes {
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
