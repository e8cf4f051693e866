package memory

import (
	"github.com/fencepost-dev/fencepost/lower/cute"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
)

// Ways is to which memory there is a way through something.
type Ways uint8

// Shared memory, tensor memory among it, and global memory. Registers are neither.
const (
	ToShared Ways = 1 << iota
	ToGlobal
	Nowhere Ways = 0
	Anyhow       = ToShared | ToGlobal
)

// maxWay bounds how far values are looked into for a way to memory.
const maxWay = 8

// Looked is how the ways are found that a piece of a program has to memory which is not evaluated.
type Looked struct {
	Variable func(name string) (value.Value, bool)
	Pointer  func(v value.Value) (value.Pointer, bool) // what an unknown points to
	Given    map[string][]program.Expr                 // what the piece assigns to names
	Called   func(c *program.Call) (Ways, bool)        // through what a call gives, besides what it is handed if that is not all
	asked    map[string]bool                           // names that were looked at for this answer
}

// In is to what memory an expression may be a way of which elements are accessed. Where it is not followed, it may be one to any.
func (l *Looked) In(e program.Expr) Ways {
	if id, ok := e.(*program.Name); ok && len(l.Given[id.Ident]) == 0 {
		if v, _ := l.Variable(id.Ident); value.IsData(v) {
			return Anyhow
		}
	}
	return l.Through(e)
}

// Through is to what memory an expression may be a way. What is not followed is none: where a way is given up, so is the memory.
func (l *Looked) Through(e program.Expr) (w Ways) {
	program.WalkExprs(e, func(x program.Expr) bool {
		switch x := x.(type) {
		case *program.Name:
			w |= l.name(x.Ident)
		case *program.Attr:
			if o, ok := l.object(x.X); ok && o.Fields[x.Name] != nil {
				w |= l.value(o.Fields[x.Name], 0)
				return false
			}
		case *program.Index:
			w |= l.Through(x.X)
			return false
		case *program.Call:
			given, known := l.Called(x)
			w |= given
			return !known
		case *program.Lambda:
			w = Anyhow
		}
		return w != Anyhow
	})
	return w
}

func (l *Looked) object(e program.Expr) (*value.Object, bool) {
	switch e := e.(type) {
	case *program.Name:
		if len(l.Given[e.Ident]) == 0 {
			v, _ := l.Variable(e.Ident)
			o, ok := v.(*value.Object)
			return o, ok
		}
	case *program.Attr:
		if o, ok := l.object(e.X); ok {
			o, ok := o.Fields[e.Name].(*value.Object)
			return o, ok
		}
	}
	return nil, false
}

func (l *Looked) name(name string) (w Ways) {
	if l.asked[name] {
		return Nowhere
	}
	if len(l.asked) == 0 { // the first: what any of those that it leads to gives is part of the answer, and counts once
		l.asked = map[string]bool{}
		defer func() { l.asked = nil }()
	}
	l.asked[name] = true
	v, ok := l.Variable(name)
	if ok {
		w = l.value(v, 0)
	} else if len(l.Given[name]) == 0 {
		return Anyhow
	}
	for _, e := range l.Given[name] {
		w |= l.Through(e)
	}
	return w
}

// value is to what memory a value is a way.
func (l *Looked) value(v value.Value, depth int) (w Ways) {
	if depth > maxWay {
		return Anyhow
	}
	all := func(vs []value.Value) (w Ways) {
		for _, e := range vs {
			w |= l.value(e, depth+1)
		}
		return w
	}
	switch v := v.(type) {
	case value.Pointer:
		return toBlock(v.Block)
	case *cute.Tensor:
		if v.Block == nil && !v.Local && v.Registers == nil {
			return ToGlobal
		}
		return toBlock(v.Block)
	case value.Symbol, value.Mixed:
		if p, ok := l.Pointer(v); ok {
			return toBlock(p.Block)
		}
	case *value.Sequence:
		return all(v.Elems)
	case *value.Mapping:
		for _, e := range v.Values {
			w |= l.value(e, depth+1)
		}
	case *value.Object:
		for _, e := range v.Fields {
			w |= l.value(e, depth+1)
		}
	case *value.PartialCall:
		return l.value(v.Fun, depth+1) | all(v.Given.All())
	case value.BoundMethod:
		return l.value(v.Self, depth+1)
	case value.Location:
		return l.value(v.Get(), depth+1)
	case *value.Closure:
		if v.Env != nil && v.Env.Parent != nil { // it may reach what is around it
			return Anyhow
		}
		return l.value(v.Self, depth+1)
	}
	return w
}

func toBlock(b *value.Block) Ways {
	switch {
	case b == nil:
		return Nowhere
	case b.Shared:
		return ToShared
	}
	return ToGlobal
}
