// Package treesitter runs tree-sitter's parsers and lists the nodes of what they read, with one call into C for a whole text: through
// the binding, every step over a tree is several, and the walk costs more than the parser.
package treesitter

// The binding brings the parser in, and a header that only its own folder finds: tree_sitter/api.h is a copy of that.

/*
#cgo CFLAGS: -std=c11
#include <stdlib.h>
#include "flat.h"
*/
import "C"

import (
	"errors"
	"math"
	"time"
	"unsafe"

	sitter "github.com/tree-sitter/go-tree-sitter"
)

func init() {
	// The binding's allocator calls back into Go for every piece of memory, only to call malloc there.
	C.ts_set_allocator(nil, nil, nil, nil)
}

// Language is a grammar with its tables of names.
type Language struct {
	language *C.TSLanguage
	kinds    []string
	named    []bool
	fields   []string
	idle     chan *Parser
}

// A parser that is done waits for the next text with the memory that its list took, unless that is much.
const (
	maxIdle      = 16
	maxIdleNodes = 1 << 20
)

// New takes what the Language function of a grammar's package returns.
func New(language unsafe.Pointer) *Language {
	names := sitter.NewLanguage(language)
	l := &Language{language: (*C.TSLanguage)(language), fields: []string{""}, idle: make(chan *Parser, maxIdle)}
	for id := range uint16(names.NodeKindCount()) {
		l.kinds = append(l.kinds, names.NodeKindForId(id))
		l.named = append(l.named, names.NodeKindIsNamed(id))
	}
	for id := uint16(1); uint32(id) <= names.FieldCount(); id++ {
		l.fields = append(l.fields, names.FieldNameForId(id))
	}
	return l
}

// Kind is the name of a node's symbol, and whether it is one of the grammar's own rather than a piece of text.
func (l *Language) Kind(n *Node) (kind string, named bool) {
	if int(n.symbol) < len(l.kinds) {
		return l.kinds[n.symbol], l.named[n.symbol]
	}
	return "ERROR", true // ts_builtin_sym_error, which no grammar lists
}

// Field is the name that a node has among its parent's children, "" if none.
func (l *Language) Field(n *Node) string {
	if int(n.field) < len(l.fields) {
		return l.fields[n.field]
	}
	return ""
}

// Node is a node of a syntax tree.
type Node struct {
	Start, End    uint32 // bytes of the text
	Depth         uint32 // 0 for the root
	symbol, field uint16
	flags         uint16
	_             uint16
}

// A Node is read where C wrote it: both have one size.
var _ [unsafe.Sizeof(Node{}) - unsafe.Sizeof(C.flat_node{})]struct{}
var _ [unsafe.Sizeof(C.flat_node{}) - unsafe.Sizeof(Node{})]struct{}

// Bad reports whether an error stands in the node or below.
func (n *Node) Bad() bool { return n.flags&C.FLAT_ERROR != 0 }

// Missing reports whether the parser put the node in where the text lacks it.
func (n *Node) Missing() bool { return n.flags&C.FLAT_MISSING != 0 }

// Limits bound one text: the last two what is listed, not what is parsed.
type Limits struct {
	Steps   int // of the parser, a hundred operations each; 0: any number
	Nodes   int // as soon as these are listed, no more children are
	Deepest int // children of nodes of this depth are left out
}

// ErrLimit says that a limit ended the parser before the end of the text.
var ErrLimit = errors.New("a limit ended the parser")

// Parser parses one text after the other.
type Parser struct {
	language *Language
	parser   *C.TSParser
	list     *C.flat_tree
	limit    C.uint64_t // in microseconds
}

// NewParser makes a parser that is to be closed. It gives up on a text after a time, if that is not 0.
func (l *Language) NewParser(limit time.Duration) (*Parser, error) {
	var p *Parser
	select {
	case p = <-l.idle:
	default:
		p = &Parser{language: l, list: (*C.flat_tree)(C.calloc(1, C.sizeof_flat_tree))}
		if !p.renew() {
			p.free()
			return nil, errors.New("the grammar is of another version than the parser")
		}
	}
	p.limit = C.uint64_t(limit.Microseconds())
	C.ts_parser_set_timeout_micros(p.parser, p.limit)
	return p, nil
}

// renew takes a new parser of tree-sitter, and reports whether it takes the grammar.
func (p *Parser) renew() bool {
	if p.parser != nil {
		C.ts_parser_delete(p.parser)
	}
	p.parser = C.ts_parser_new()
	C.ts_parser_set_timeout_micros(p.parser, p.limit)
	return bool(C.ts_parser_set_language(p.parser, p.language.language))
}

// Close gives the parser back, and with it the nodes that it listed.
func (p *Parser) Close() {
	if p.list.room <= maxIdleNodes {
		select {
		case p.language.idle <- p:
			return
		default:
		}
	}
	p.free()
}

func (p *Parser) free() {
	C.ts_parser_delete(p.parser)
	C.free(unsafe.Pointer(p.list.nodes))
	C.free(unsafe.Pointer(p.list))
}

// Parse lists the nodes of a text, a node before its children. They are there until the next text, or Close.
func (p *Parser) Parse(text []byte, lim Limits) ([]Node, error) {
	if len(text) > math.MaxInt32 {
		return nil, ErrLimit
	}
	C.flat_parse(p.list, p.parser, (*C.char)(unsafe.Pointer(unsafe.SliceData(text))), C.uint32_t(len(text)),
		C.uint64_t(lim.Steps), C.size_t(lim.Nodes), C.uint32_t(lim.Deepest))
	switch {
	case bool(p.list.stopped): // while it balanced the tree, perhaps: then the next text would go on with a tree that a reset has taken away
		p.renew()
		return nil, ErrLimit
	case bool(p.list.memory):
		return nil, errors.New("there is too little memory for the nodes of the text")
	}
	return unsafe.Slice((*Node)(unsafe.Pointer(p.list.nodes)), p.list.count), nil
}
