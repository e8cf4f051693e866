package lower

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/lower/cute"
	"github.com/fencepost-dev/fencepost/lower/provenance"
	"github.com/fencepost-dev/fencepost/lower/value"
)

// Lengths, offsets and tables that a kernel is given in global memory decide how often its roles loop. An element that
// the kernel reads and does not write is one unknown, equal wherever the same canonical index occurs (notes/cutedsl.md
// 3.2, R7): it holds what it held at the launch. That nothing else writes it meanwhile is assumed, and printed.

// input is the element at a coordinate of global memory that is called base; it fails where the element may change
// while the kernel runs, or where threads read different ones.
func (m *machine) input(base string, coord []value.Value) (value.Value, bool) {
	from := root(base)
	if m.host || m.polling || !m.in.params[from] || m.in.low.written[from] || m.in.flagBlocks[base] || len(coord) == 0 {
		return nil, false
	}
	at := &value.Sequence{Elems: make([]value.Value, len(coord))}
	for i, c := range coord {
		at.Elems[i] = value.Whole(c)
	}
	if !provenance.Numbers(at) || len(base) > 120 {
		return nil, false
	}
	m.in.low.inputs[from] = true
	m.in.assumed["what is read of "+from+" does not change while the kernel runs"] = inWords
	if i, ok := value.AsExpr(at.Elems[0]); ok && len(at.Elems) == 1 {
		return m.offsetAt(base, i), true
	}
	return element(base, at), true
}

// element is the unknown that one element of an input is.
func element(base string, at *value.Sequence) value.Value {
	index := value.Canonical(at)
	name := base + "[" + index[1:len(index)-1] + "]"
	if len(name) > 400 {
		return value.Data{}
	}
	return value.Atom(name)
}

// offsetAt is base[i]. An array of which neighbours are read holds where each of a sequence of parts begins, so that
// base[i+1] is base[i] and the length of part i, which is not negative.
func (m *machine) offsetAt(base string, i *value.Expr) value.Value {
	l := m.in.low
	if l.read[base] == nil {
		l.read[base] = map[string]bool{}
	}
	l.read[base][i.String()] = true
	before, follows := value.Predecessor(i)
	after := value.Binary("+", value.Symbol{Expr: i}, value.Int(1))
	if !l.rising[base] && (follows && l.read[base][before.String()] || l.read[base][value.Canonical(after)]) {
		l.rising[base] = true
		panic(restart{}) // it has been given values that may fall
	}
	at := element(base, cute.Tuple(value.ToValue(i)))
	if !l.rising[base] || !follows {
		return at
	}
	m.in.assumed[fmt.Sprintf("%s does not fall from one element to the next", base)] = inWords
	begin := element(base, cute.Tuple(value.ToValue(before)))
	length := value.Atom("length of part " + before.String() + " of " + base)
	return value.Binary("+", begin, length)
}

// metadataOf is what a name says of the shape of a tensor, none of which is what the tensor holds.
var metadataOf = regexp.MustCompile(`\w+\.(shape|stride|layout)\b`)

// changesTensor notes that the kernel writes to a tensor.
func (m *machine) changesTensor(t *cute.Tensor) {
	switch {
	case t.Local || t.InRegisters():
	case t.Root != "":
		m.changes(t.Root)
	default:
		m.changes(t.Name)
	}
}

// changes notes that the kernel writes global memory that is reached under a name. Inputs whose name occurs in it are
// none then.
func (m *machine) changes(name string) {
	if m.host {
		return
	}
	m.in.writes(name)
	if len(m.in.low.inputs) == 0 {
		return
	}
	for _, word := range append(m.in.reachedAs(name), name) {
		if m.in.low.inputs[word] && !m.in.low.written[word] {
			m.in.low.written[word] = true
			panic(restart{})
		}
	}
}

// brackets are coordinates of a path: they say where in a tensor something is, and an element of another tensor there is no
// part of that one.
var brackets = regexp.MustCompile(`\[[^][]*\]`)

// reachedAs lists the words of a name that may be what is reached under it: the parameter where the name is a path from one,
// else each. What a view is of is spelled ahead of where in it: of a name that is not spelled to its end, and of no parameter as far
// as it is, any may be meant.
func (in *instance) reachedAs(name string) []string {
	name = metadataOf.ReplaceAllString(name, "")
	path, base := name, root(name)
	for old := ""; old != path && strings.Contains(path, "["); {
		old, path = path, brackets.ReplaceAllString(path, "")
	}
	switch {
	case in.params[base] && !strings.ContainsAny(path, "([… "):
		return []string{base}
	}
	words := value.Identifiers(name)
	if strings.Contains(name, "…") && !slices.ContainsFunc(words, func(w string) bool { return in.params[w] }) {
		words = append(words, slices.Collect(maps.Keys(in.params))...)
	}
	return words
}
