package lower

import (
	varint "encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/fencepost-dev/fencepost/lower/cute"
	"github.com/fencepost-dev/fencepost/lower/provenance"
	"github.com/fencepost-dev/fencepost/lower/value"
)

// survey writes down what evaluation depends on at the head of a round: all that the scopes of the running functions and
// of the modules reach, and the state of the machine. Numbers count as they are, leaves by their order only. On the way,
// what grows becomes leaves: afterwards a variable, field or element that is computed of leaves has one of its own.
type survey struct {
	w        *watch
	h        *head
	b        []byte
	seen     map[any]int
	left     int
	nameless []string
	unknowns map[string]value.Symbol // what expressions without a value are called from now on
	kept     bool                    // what is visited outlives the evaluation: nothing in it may become a leaf
}

// maxSurvey bounds the values that one survey visits.
const maxSurvey = 60_000

func (w *watch) survey(h *head) *survey {
	clear(w.seen)
	v := &survey{w: w, h: h, b: w.bytes[:0], seen: w.seen, left: maxSurvey}
	v.modules()
	for i, s := range append(slices.Clone(w.frames), w.scope) {
		v.scope(fmt.Sprint(i), s)
	}
	if w.surveyed += maxSurvey - v.left; v.left < 0 {
		w.fail("there is too much to compare from round to round")
	}
	return v
}

// text writes down texts, with the names of leaves in them by when they are met first.
func (v *survey) text(list ...string) {
	for _, s := range list {
		from := 0
		for i := 0; i < len(s); i++ {
			if end := i + len(value.LeafMark) + nameDigits; s[i] >= 0x80 && end <= len(s) && madeName(s[i:end]) {
				v.b = append(v.b, s[from:i]...)
				v.name(s[i:end])
				from, i = end, end-1
			}
		}
		v.b = append(append(v.b, s[from:]...), 0)
	}
}

// ints writes down numbers.
func (v *survey) ints(list ...int64) {
	for _, n := range list {
		v.b = varint.AppendVarint(v.b, n)
	}
}

// flags writes down truth values.
func (v *survey) flags(list ...bool) {
	for _, yes := range list {
		v.ints(int64(value.Bool(yes)))
	}
}

// same writes down which of the things that stay as they are something is.
func (v *survey) same(x any) {
	n, known := v.w.ids[x]
	if !known {
		n = int64(len(v.w.ids))
		v.w.ids[x] = n
	}
	v.ints(n)
}

// name writes down the name of a leaf, or of an unknown that has none, by when it is met first.
func (v *survey) name(name string) {
	list := &v.h.leaves
	if !strings.HasPrefix(name, value.LeafMark) {
		list = &v.nameless
	}
	i := slices.Index(*list, name)
	if i < 0 {
		i = len(*list)
		*list = append(*list, name)
	}
	v.b = append(v.b, '<')
	v.flags(list == &v.nameless)
	v.ints(int64(i))
}

func (v *survey) number(e *value.Expr) {
	if e.IsConst || e.Op == "" {
		v.flags(e.IsConst)
		v.ints(e.Num)
		v.text(e.Atom)
		return
	}
	v.text("(", e.Op)
	for _, x := range []*value.Expr{e.X, e.Y, e.C} {
		if v.flags(x != nil); x != nil {
			v.number(x)
		}
	}
}

// visited reports whether a thing that can be shared was written down before, and says which it is.
func (v *survey) visited(x any) bool {
	v.left--
	n, seen := v.seen[x]
	if !seen {
		n = len(v.seen)
		v.seen[x] = n
	}
	v.ints(int64(n))
	return seen || v.left < 0
}

// modules are the variables of all modules: a function may change those of its own. Those of the models of libraries are
// set once (library_test.go), but for what their containers hold.
func (v *survey) modules() {
	v.kept = true
	defer func() { v.kept = false }()
	l := v.w.m.in.low
	for _, name := range names(v, l, l.byFile) {
		switch mod := l.byFile[name]; {
		case mod == nil:
		case mod.Library:
			v.library(mod.Globals)
		default:
			v.scope(name, mod.Globals)
		}
	}
}

// library writes down the containers among the variables of a library's module, and those of its classes.
func (v *survey) library(s *value.Scope) {
	holders, known := v.w.holders[s]
	if !known {
		holders = provenance.Containers(s)
		v.w.holders[s] = holders
	}
	for _, l := range holders {
		v.value("", l)
	}
}

// names are the keys of a map that something has, in order.
func names[V any](v *survey, of any, in map[string]V) []string {
	old := v.w.names[of]
	if len(old) == len(in) && !slices.ContainsFunc(old, func(name string) bool { _, ok := in[name]; return !ok }) {
		return old
	}
	v.w.names[of] = slices.Sorted(maps.Keys(in))
	return v.w.names[of]
}

func (v *survey) scope(place string, s *value.Scope) {
	for ; s != nil; s, place = s.Parent, place+"^" {
		if _, library := v.w.holders[s]; library {
			v.same(s)
			return
		}
		if v.visited(s) {
			return
		}
		v.flags(s.Function, s.Class != nil)
		v.value(place, s.Self)
		if s.Class != nil {
			v.class(place, s.Class)
		}
		if s.Owner != nil {
			v.class(place, s.Owner)
		}
		for _, name := range names(v, s, s.Vars) {
			v.text(name)
			v.location(place+"."+name, s.Vars[name])
		}
	}
}

func (v *survey) location(place string, l value.Location) {
	switch l := l.(type) {
	case *value.Cell:
		if !v.visited(l) {
			l.V = v.held(place, l.V)
		}
	case value.ElementOf:
		v.value(place, l.S)
		v.text("element")
		v.ints(int64(l.I))
	case value.FieldOf:
		v.value(place, l.O)
		v.text("field", l.Name)
	case value.KeyOf:
		v.value(place, l.M)
		v.value(place, l.K)
	case *importCell:
		v.value(place, l.v)
	case value.Nowhere, nil:
		v.text("nowhere")
	default:
		v.w.fail("a place of kind %T is carried from round to round", l)
	}
}

// held is what a variable, field or element holds from now on, written down.
func (v *survey) held(place string, x value.Value) value.Value {
	if v.kept {
		if y, ok := x.(value.Symbol); ok && value.HasLeaf(y.Expr) {
			v.w.fail("a module keeps what grows from round to round")
		}
		v.value(place, x)
		return x
	}
	switch y := x.(type) {
	case value.Int:
		v.count(place, int64(y))
		if v.w.grows[place] {
			x = value.Symbol{Expr: v.w.leaf(value.Const(int64(y)))}
		}
	case value.Symbol:
		if z, ok := v.stretched(place, y.Expr); ok {
			x = z
		} else if _, known := v.w.value(y.Expr); value.HasLeaf(y.Expr) && known {
			x = value.Symbol{Expr: v.w.leaf(y.Expr)}
		} else if !known && madeNames.MatchString(y.Expr.Spell()) {
			x = v.unknown(y.Expr)
		}
	case value.Word:
		y.V = v.held(place, y.V)
		x = y
	case value.Pointer:
		switch y.Offset.(type) {
		case value.Int, value.Symbol:
			v.text("at")
			y.Offset = v.held(place+"+", y.Offset)
			x = y
		}
	}
	v.value(place, x)
	return x
}

// count notes a number that may turn out to grow.
func (v *survey) count(place string, n int64) {
	if v.w.only == nil {
		v.h.counts[place] = n
	}
}

// unknown is an expression that nothing is known of as an unknown with a name that says nothing: asking for it ends what can
// be told.
func (v *survey) unknown(e *value.Expr) value.Symbol {
	key := e.Spell()
	if v.unknowns == nil {
		v.unknowns = map[string]value.Symbol{}
	}
	if _, ok := v.unknowns[key]; !ok {
		v.unknowns[key] = value.Atom(numbered(namelessMark, v.w.nameless))
		v.w.nameless++
	}
	return v.unknowns[key]
}

func (v *survey) list(place string, list []value.Value) {
	v.ints(int64(len(list)))
	for i, x := range list {
		v.value(place+"["+strconv.Itoa(i)+"]", x)
	}
}

func (v *survey) value(place string, x value.Value) {
	if v.left--; v.left < 0 {
		return
	}
	switch x := x.(type) {
	case nil:
		v.text("nil")
	case value.None:
		v.text("none")
	case value.Data:
		v.text("data", x.Of.Spelled())
	case value.Int:
		v.text("integer")
		v.ints(int64(x))
	case value.Word:
		v.text("word", x.T.String())
		v.value(place, x.V)
	case value.Lanes:
		v.text("lanes")
		v.ints(int64(len(x)))
		v.ints(x...)
	case value.Text:
		v.text("text", string(x))
	case value.Path:
		v.text("path", string(x))
	case value.Float:
		v.text("float", fmt.Sprint(x))
	case value.Symbol:
		v.text("symbol")
		v.number(x.Expr)
	case *value.Sequence:
		if v.text("sequence"); !v.visited(x) {
			v.ints(int64(len(x.Elems)))
			v.flags(x.List, x.Lost)
			for i := range x.Elems {
				x.Elems[i] = v.held(place+"["+strconv.Itoa(i)+"]", x.Elems[i])
			}
		}
	case *value.Object:
		if v.text("object"); !v.visited(x) {
			v.ints(int64(len(x.Fields)))
			if x.Class != nil {
				v.class(place, x.Class)
			}
			for _, name := range names(v, x, x.Fields) {
				v.text(name)
				x.Put(name, v.held(place+"."+name, x.Fields[name]))
			}
		}
	case *value.Mapping:
		v.text("mapping")
		v.mapping(place, x)
	case value.Pointer:
		v.text("pointer")
		v.memory(x.Block)
		v.value(place, x.Offset)
		v.value(place, x.Cta)
		v.ints(int64(len(x.Dims)), x.Each)
		v.ints(x.Dims...)
		v.value(place, x.Elem)
	case value.Mixed:
		v.text("mixed", x.Op)
		v.value(place, x.X)
		v.value(place, x.Y)
	case value.RangeValue:
		v.text("range")
		v.list(place, []value.Value{x.Lo, x.Hi, x.Step})
	case *cute.Tensor:
		v.text("tensor")
		v.tensor(place, x)
	case *cute.Layout:
		v.text("layout")
		v.list(place, []value.Value{x.Shape, x.Stride, x.Step})
		v.flags(x.Scales)
	case *cute.TiledMMA:
		v.text("mma", x.Kind)
		v.flags(x.Scaled)
		v.ints(int64(len(x.Dtypes)))
		v.list(place, slices.Concat([]value.Value{x.Ctas, x.Shape, x.Atoms, x.Dtype, x.Permutation, x.Source}, x.Dtypes, x.Majors))
	default:
		v.callable(place, x)
	}
}

func (v *survey) mapping(place string, x *value.Mapping) {
	if v.visited(x) {
		return
	}
	v.flags(x.Set, x.Frozen, x.Lost)
	v.ints(int64(len(x.Order)))
	v.value(place, x.Auto)
	for _, k := range x.Order {
		v.text(k)
		v.value(place, x.Keys[k])
		x.Values[k] = v.held(place+"["+k+"]", x.Values[k])
	}
}

func (v *survey) memory(b *value.Block) {
	if v.flags(b != nil); b != nil {
		v.same(b)
		v.flags(b.Mbarrier)
		v.text(b.Unit)
		v.value("", b.Typed)
		v.value("", b.Elem)
	}
}
