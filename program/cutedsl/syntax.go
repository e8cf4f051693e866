package cutedsl

import (
	"math"
	"sync"

	"github.com/fencepost-dev/fencepost/program/treesitter"
	python "github.com/tree-sitter/tree-sitter-python/bindings/go"
)

// Limits. A file beyond them is read up to the limit and gets a note: they exist because pull requests come from
// strangers, not because real kernels come near them (the largest public CuTe DSL file has some 80,000 nodes).
const (
	maxNodes = 1_000_000
	maxDepth = 200
	maxBytes = 64 << 20
)

// syntax is one node of the concrete syntax tree, made in one pass over a list so that this, not the reader, meets whatever
// depth the text has.
type syntax struct {
	kind       string
	field      string
	named      bool
	wrong      bool // ERROR or MISSING
	broken     bool // holds something wrong, not counting what nested function definitions hold
	faulty     bool // holds something wrong anywhere
	start, end int
	first      *syntax
	next       *syntax
	parent     *syntax
}

// child returns the first child with the field name, or nil.
func (n *syntax) child(field string) *syntax {
	for c := n.first; c != nil; c = c.next {
		if c.field == field {
			return c
		}
	}
	return nil
}

// names returns the named children.
func (n *syntax) names() []*syntax {
	var list []*syntax
	for c := n.first; c != nil; c = c.next {
		if c.named {
			list = append(list, c)
		}
	}
	return list
}

// spare has the memory of nodes: the next file's are written over those of the one before.
var spare = sync.Pool{New: func() any { return &[]syntax{} }}

// maxSpare is how many nodes there may be room for in it: what is kept lets the heap grow several times over.
const maxSpare = 1 << 15

var pythonGrammar = sync.OnceValue(func() *treesitter.Language { return treesitter.New(python.Language()) })

// parse reads data[from:to] and returns its root with byte offsets into data. It returns a nil root when the parser
// gave up, and complete=false when the node limit cut the copy short.
func (r *reader) parse(data []byte, from, to int) (root *syntax, complete bool) {
	p, err := pythonGrammar().NewParser(0)
	if err != nil {
		return nil, false
	}
	defer p.Close()
	// Steps, not time, bound the parser: the same file must give the same answer on every machine. A healthy file
	// takes about one for every 100 bytes.
	list, err := p.Parse(data[from:to], treesitter.Limits{Steps: 20_000 + (to - from), Nodes: maxNodes, Deepest: math.MaxInt32})
	if err != nil {
		return nil, false
	}
	return tree(pythonGrammar(), list, from, r.room(len(list)))
}

// room is memory for nodes, with whatever was there for another file.
func (r *reader) room(n int) []syntax {
	if cap(r.nodes)-len(r.nodes) < n {
		r.nodes = make([]syntax, 0, n+n/4) // what was handed out stays with who has it
	}
	from := len(r.nodes)
	r.nodes = r.nodes[:from+n]
	return r.nodes[from:]
}

// tree makes nodes of a list, leaving out comments and line continuations.
func tree(g *treesitter.Language, list []treesitter.Node, shift int, nodes []syntax) (root *syntax, complete bool) {
	var path []*syntax // the last node of each depth
	unread := uint32(math.MaxUint32)
	for i := range list {
		l := &list[i]
		if l.Depth > unread {
			continue
		}
		unread = math.MaxUint32
		var parent *syntax
		if l.Depth > 0 {
			parent = path[l.Depth-1]
		}
		if i >= maxNodes {
			markBroken(parent)
			return root, false
		}
		kind, named := g.Kind(l)
		if kind == "comment" || kind == "line_continuation" {
			unread = l.Depth
			continue
		}
		n := &nodes[i]
		*n = syntax{kind: kind, field: g.Field(l), named: named, parent: parent, start: shift + int(l.Start), end: shift + int(l.End)}
		switch {
		case parent == nil:
			root = n
		case int(l.Depth) < len(path):
			path[l.Depth].next = n
		default:
			parent.first = n
		}
		path = append(path[:l.Depth], n)
		if n.kind == "ERROR" || l.Missing() {
			n.wrong = true
			markBroken(n)
		}
	}
	return root, true
}

// markBroken marks n and what contains it: broken up to and including the innermost function definition, faulty all
// the way up.
func markBroken(n *syntax) {
	inside := true
	for ; n != nil && !(n.faulty && (n.broken || !inside)); n = n.parent {
		n.faulty = true
		n.broken = n.broken || inside
		inside = inside && n.kind != "function_definition"
	}
}
