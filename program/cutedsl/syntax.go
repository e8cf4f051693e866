package cutedsl

import (
	"sync"

	sitter "github.com/tree-sitter/go-tree-sitter"
	python "github.com/tree-sitter/tree-sitter-python/bindings/go"
)

// Limits. A file beyond them is read up to the limit and gets a note: they exist because pull requests come from
// strangers, not because real kernels come near them (the largest public CuTe DSL file has some 80,000 nodes).
const (
	maxNodes = 1_000_000
	maxDepth = 200
	maxBytes = 64 << 20
)

// syntax is one node of the concrete syntax tree, copied out of tree-sitter's memory in one pass so that no C memory
// is held while the tree is read, and so that the copy, not the reader, meets whatever depth the text has.
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

// grammar holds the language and its symbol names, looked up once.
type grammar struct {
	language *sitter.Language
	kinds    []string
	named    []bool
	fields   []string
}

var pythonGrammar = sync.OnceValue(func() *grammar {
	l := sitter.NewLanguage(python.Language())
	g := &grammar{language: l}
	for id := range uint16(l.NodeKindCount()) {
		g.kinds = append(g.kinds, l.NodeKindForId(id))
		g.named = append(g.named, l.NodeKindIsNamed(id))
	}
	for id := range uint16(l.FieldCount() + 1) {
		name := ""
		if id > 0 {
			name = l.FieldNameForId(id)
		}
		g.fields = append(g.fields, name)
	}
	return g
})

func (g *grammar) kind(id uint16) (string, bool) {
	if int(id) < len(g.kinds) {
		return g.kinds[id], g.named[id]
	}
	return "ERROR", true
}

func (g *grammar) field(id uint16) string {
	if int(id) < len(g.fields) {
		return g.fields[id]
	}
	return ""
}

// parse reads data[from:to] and returns its root with byte offsets into data. It returns a nil root when the parser
// gave up, and complete=false when the node limit cut the copy short.
func parse(data []byte, from, to int) (root *syntax, complete bool) {
	p := sitter.NewParser()
	defer p.Close()
	g := pythonGrammar()
	if p.SetLanguage(g.language) != nil {
		return nil, false
	}
	// The binding copies every chunk it is handed into C memory and keeps it until the end, so chunks are small.
	const chunk = 4096
	read := func(at int, _ sitter.Point) []byte {
		at += from
		if at >= to {
			return nil
		}
		return data[at:min(at+chunk, to)]
	}
	// Steps, not time, bound the parser: the same file must give the same answer on every machine. A healthy file
	// takes about one callback per 100 bytes.
	steps, budget := 0, 20_000+(to-from)
	tree := p.ParseWithOptions(read, nil, &sitter.ParseOptions{ProgressCallback: func(sitter.ParseState) bool {
		steps++
		return steps > budget
	}})
	if tree == nil {
		return nil, false
	}
	defer tree.Close()
	return copyTree(g, tree, from)
}

// copyTree copies a tree-sitter tree, leaving out comments and line continuations.
func copyTree(g *grammar, tree *sitter.Tree, shift int) (root *syntax, complete bool) {
	cur := tree.Walk()
	defer cur.Close()
	slab := make([]syntax, 0, 1024)
	var last, parent *syntax // last: the sibling before the next node, or nil
	count := 0
	for {
		if count++; count > maxNodes {
			markBroken(parent)
			return root, false
		}
		node := cur.Node()
		kind, named := g.kind(node.KindId())
		descend := false
		if kind != "comment" && kind != "line_continuation" {
			if len(slab) == cap(slab) {
				slab = make([]syntax, 0, 4096)
			}
			slab = append(slab, syntax{kind: kind, named: named, field: g.field(cur.FieldId()), parent: parent,
				start: shift + int(node.StartByte()), end: shift + int(node.EndByte())})
			n := &slab[len(slab)-1]
			switch {
			case root == nil:
				root = n
			case last != nil:
				last.next = n
			case parent != nil:
				parent.first = n
			}
			if kind == "ERROR" || n.start == n.end && node.IsMissing() {
				n.wrong = true
				markBroken(n)
			}
			last, descend = n, true
		}
		if descend && cur.GotoFirstChild() {
			parent, last = last, nil
			continue
		}
		for !cur.GotoNextSibling() {
			if !cur.GotoParent() {
				return root, true
			}
			last, parent = parent, parent.parent
		}
	}
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
