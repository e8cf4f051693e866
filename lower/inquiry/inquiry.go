// Package inquiry tells what a call was told that looks something up: what it finds is named by that.
package inquiry

import (
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"

	"github.com/fencepost-dev/fencepost/lower/cute"
	"github.com/fencepost-dev/fencepost/lower/value"
)

// Plain are functions of Python that say nothing but what they are told.
var Plain = value.Words("abs all any bool divmod enumerate float int isinstance len list max min range reversed round sum tuple zip")

// Call is a call that looks something up, as far as it got.
type Call struct {
	Before *value.Heap // what the arguments reached when it began
	Lane   bool        // it asks for its lane
	Speaks bool        // it speaks with the other lanes
	Looks  bool        // it reads what does not change
	Other  bool        // it does what is not looking up

	// Of a call that each thread makes for itself, what its variables hold is the same for all that are told the same: what it finds on
	// the way has a name, too, of what it was told until then.
	Alone *value.Scope // that of its variables, else nil
	Short func(what, long string) string
	Deep  int // of branches that are taken both ways, it being one

	told  strings.Builder // the arguments, and every field that was read, in order
	asked map[field]bool
	known map[string]bool // the unknowns that it was told
	found []string        // those that it found on the way
}

type field struct {
	of   *value.Object
	name string
}

// Begin is a call of a function that is about to begin.
func Begin(function string) *Call {
	q := &Call{Before: value.EmptyHeap(), asked: map[field]bool{}, known: map[string]bool{}}
	q.told.WriteString(function)
	return q
}

// Told spells all that the call was told.
func (q *Call) Told() string { return q.told.String() }

// Tell notes something that the call is told. What cannot be spelled may be anything.
func (q *Call) Tell(name string, v value.Value) {
	q.told.WriteString("\x00" + name + "=")
	if q.told.Len() > maxTold || !q.spell(v, 0) {
		q.Other = true
	}
}

const (
	// maxTold bounds what a call is told, maxParts how deep its result is taken apart.
	maxTold  = 4096
	maxParts = 4
)

func (q *Call) spell(v value.Value, depth int) bool {
	if depth > maxParts {
		return false
	}
	switch v := v.(type) {
	case value.Int, value.Float, value.Text, value.None, value.Path, *value.EnumMember, *value.Class:
		q.told.WriteString(value.Canonical(v))
	case value.Word:
		q.told.WriteString(v.T.String())
		return q.spell(v.V, depth)
	case value.Symbol:
		q.known[v.Expr.String()] = true
		q.told.WriteString(v.Expr.String())
	case *value.Sequence:
		for _, e := range v.Elems {
			q.told.WriteByte(',')
			if !q.spell(e, depth+1) {
				return false
			}
		}
	case *value.Object: // its fields are told when they are read
		_, there := q.Before.Objects[v]
		return there
	case *cute.Tensor:
		q.told.WriteString(v.Name)
		return v.Input && v.Block == nil && v.Values == nil
	default:
		return false
	}
	return true
}

// Reads notes that a field of an object is read, which the call may have been given.
func (q *Call) Reads(o *value.Object, name string) {
	if q == nil {
		return
	}
	fields, there := q.Before.Objects[o]
	if at := (field{o, name}); there && !q.asked[at] {
		q.asked[at] = true
		if v, set := fields.All[name]; set {
			q.Tell(name, v)
		}
	}
}

// Found is the result of the call: what it was not told is unknown.
func (q *Call) Found(v value.Value, name string, depth int) value.Value {
	switch v := v.(type) {
	case value.Data:
		return value.Atom(name)
	case value.Word:
		return value.Typed(q.Found(v.V, name, depth), v.T)
	case value.Symbol:
		if q.Alone != nil {
			return q.answer(v)
		}
		if !q.known[v.Expr.String()] {
			return value.Atom(name)
		}
	case *value.Sequence:
		if depth > maxParts {
			break
		}
		out := &value.Sequence{Elems: make([]value.Value, len(v.Elems)), List: v.List, Lost: v.Lost}
		for i, e := range v.Elems {
			out.Elems[i] = q.Found(e, fmt.Sprintf("%s[%d]", name, i), depth+1)
		}
		return out
	case *value.Object:
		if _, there := q.Before.Objects[v]; !there {
			q.Left(v, name, depth)
		}
	}
	return v
}

// answer is a number that a call found, of which only what decides something has a name of its own.
func (q *Call) answer(v value.Symbol) value.Value {
	switch v.Expr.Op {
	case "", "+", "-", "*", "//", "%":
		return v
	}
	if text := v.Expr.String(); slices.ContainsFunc(q.found, func(name string) bool { return strings.Contains(text, name) }) {
		return value.Atom(q.Short("", "\x00"+text))
	}
	return v
}

// Passed names what a statement of the call's own left unknown.
func (q *Call) Passed(s *value.Scope, at int) {
	if q == nil || s != q.Alone || q.Deep != 1 || q.Other {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(s.Vars)) {
		c, ok := s.Vars[name].(*value.Cell)
		if !ok {
			continue
		}
		if _, data := value.Untyped(c.V).(value.Data); data {
			found := q.Short(" as "+name, fmt.Sprintf("%s\x00%d", q.Told(), at))
			q.found = append(q.found, found)
			if w, typed := c.V.(value.Word); typed {
				c.V = value.Typed(value.Atom(found), w.T)
			} else {
				c.V = value.Atom(found)
			}
		}
	}
}

// Left names what the call left in an object that is new or that it was given.
func (q *Call) Left(o *value.Object, name string, depth int) {
	if depth > maxParts {
		return
	}
	names := make([]string, 0, len(o.Fields))
	for f := range o.Fields {
		names = append(names, f)
	}
	sort.Strings(names)
	for _, f := range names {
		v, old := o.Fields[f], q.Before.Objects[o].All[f]
		if part, ok := v.(*value.Object); ok && old == v {
			q.Left(part, name+"."+f, depth+1)
		} else if !value.Same(v, old) {
			o.Put(f, q.Found(v, name+"."+f, depth+1))
		}
	}
}
