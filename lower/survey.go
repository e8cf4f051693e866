package lower

import (
	varint "encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
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
	unknowns map[string]symbol // what expressions without a value are called from now on
	kept     bool              // what is visited outlives the evaluation: nothing in it may become a leaf
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
			if end := i + len(leafMark) + nameDigits; s[i] >= 0x80 && end <= len(s) && madeName(s[i:end]) {
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
		v.ints(int64(boolean(yes)))
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
	if !strings.HasPrefix(name, leafMark) {
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

func (v *survey) number(e *symExpr) {
	if e.isN || e.op == "" {
		v.flags(e.isN)
		v.ints(e.num)
		v.text(e.atom)
		return
	}
	v.text("(", e.op)
	for _, x := range []*symExpr{e.x, e.y, e.c} {
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
		case mod.library:
			v.library(mod.globals)
		default:
			v.scope(name, mod.globals)
		}
	}
}

// library writes down the containers among the variables of a library's module, and those of its classes.
func (v *survey) library(s *scope) {
	holders, known := v.w.holders[s]
	if !known {
		holders = containers(s)
		v.w.holders[s] = holders
	}
	for _, l := range holders {
		v.value("", l)
	}
}

func containers(s *scope) (out []value) {
	note := func(x value) {
		switch x.(type) {
		case *sequence, *mapping, *object:
			out = append(out, x)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.vars)) {
		c, ok := s.vars[name].(*cell)
		if !ok {
			continue
		}
		note(c.v)
		if c, ok := c.v.(*class); ok {
			for _, attr := range slices.Sorted(maps.Keys(c.attrs)) {
				note(c.attrs[attr])
			}
		}
	}
	return out
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

func (v *survey) scope(place string, s *scope) {
	for ; s != nil; s, place = s.parent, place+"^" {
		if _, library := v.w.holders[s]; library {
			v.same(s)
			return
		}
		if v.visited(s) {
			return
		}
		v.flags(s.function, s.class != nil)
		v.value(place, s.self)
		if s.class != nil {
			v.class(place, s.class)
		}
		if s.owner != nil {
			v.class(place, s.owner)
		}
		for _, name := range names(v, s, s.vars) {
			v.text(name)
			v.location(place+"."+name, s.vars[name])
		}
	}
}

func (v *survey) location(place string, l location) {
	switch l := l.(type) {
	case *cell:
		if !v.visited(l) {
			l.v = v.held(place, l.v)
		}
	case elementOf:
		v.value(place, l.s)
		v.text("element")
		v.ints(int64(l.i))
	case fieldOf:
		v.value(place, l.o)
		v.text("field", l.name)
	case keyOf:
		v.value(place, l.m)
		v.value(place, l.k)
	case *importCell:
		v.value(place, l.v)
	case nowhere, nil:
		v.text("nowhere")
	default:
		v.w.fail("a place of kind %T is carried from round to round", l)
	}
}

// held is what a variable, field or element holds from now on, written down.
func (v *survey) held(place string, x value) value {
	if v.kept {
		if y, ok := x.(symbol); ok && hasLeaf(y.expr) {
			v.w.fail("a module keeps what grows from round to round")
		}
		v.value(place, x)
		return x
	}
	switch y := x.(type) {
	case integer:
		v.count(place, int64(y))
		if v.w.grows[place] {
			x = symbol{v.w.leaf(number(int64(y)))}
		}
	case symbol:
		if z, ok := v.stretched(place, y.expr); ok {
			x = z
		} else if _, known := v.w.value(y.expr); hasLeaf(y.expr) && known {
			x = symbol{v.w.leaf(y.expr)}
		} else if !known && madeNames.MatchString(y.expr.spell()) {
			x = v.unknown(y.expr)
		}
	case word:
		y.v = v.held(place, y.v)
		x = y
	case pointer:
		switch y.offset.(type) {
		case integer, symbol:
			v.text("at")
			y.offset = v.held(place+"+", y.offset)
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
func (v *survey) unknown(e *symExpr) symbol {
	key := e.spell()
	if v.unknowns == nil {
		v.unknowns = map[string]symbol{}
	}
	if _, ok := v.unknowns[key]; !ok {
		v.unknowns[key] = atom(numbered(namelessMark, v.w.nameless))
		v.w.nameless++
	}
	return v.unknowns[key]
}

func (v *survey) list(place string, list []value) {
	v.ints(int64(len(list)))
	for i, x := range list {
		v.value(place+"["+strconv.Itoa(i)+"]", x)
	}
}

func (v *survey) value(place string, x value) {
	if v.left--; v.left < 0 {
		return
	}
	switch x := x.(type) {
	case nil:
		v.text("nil")
	case none:
		v.text("none")
	case data:
		v.text("data")
	case integer:
		v.text("integer")
		v.ints(int64(x))
	case word:
		v.text("word", x.t.String())
		v.value(place, x.v)
	case lanes:
		v.text("lanes")
		v.ints(int64(len(x)))
		v.ints(x...)
	case text:
		v.text("text", string(x))
	case path:
		v.text("path", string(x))
	case float:
		v.text("float", fmt.Sprint(x))
	case symbol:
		v.text("symbol")
		v.number(x.expr)
	case *sequence:
		if v.text("sequence"); !v.visited(x) {
			v.ints(int64(len(x.elems)))
			v.flags(x.list, x.lost)
			for i := range x.elems {
				x.elems[i] = v.held(place+"["+strconv.Itoa(i)+"]", x.elems[i])
			}
		}
	case *object:
		if v.text("object"); !v.visited(x) {
			v.ints(int64(len(x.fields)))
			if x.class != nil {
				v.class(place, x.class)
			}
			for _, name := range names(v, x, x.fields) {
				v.text(name)
				x.fields[name] = v.held(place+"."+name, x.fields[name])
			}
		}
	case *mapping:
		v.text("mapping")
		v.mapping(place, x)
	case pointer:
		v.text("pointer")
		v.memory(x.block)
		v.value(place, x.offset)
		v.value(place, x.cta)
		v.ints(int64(len(x.dims)), x.each)
		v.ints(x.dims...)
		v.value(place, x.elem)
	case mixed:
		v.text("mixed", x.op)
		v.value(place, x.x)
		v.value(place, x.y)
	case rangeValue:
		v.text("range")
		v.list(place, []value{x.lo, x.hi, x.step})
	case *tensor:
		v.text("tensor")
		v.tensor(place, x)
	case *layout:
		v.text("layout")
		v.list(place, []value{x.shape, x.stride, x.step})
	case *tiledMMA:
		v.text("mma", x.kind)
		v.flags(x.scaled)
		v.ints(int64(len(x.dtypes)))
		v.list(place, slices.Concat([]value{x.ctas, x.shape, x.atoms, x.dtype, x.permutation, x.source}, x.dtypes, x.majors))
	default:
		v.callable(place, x)
	}
}

func (v *survey) mapping(place string, x *mapping) {
	if v.visited(x) {
		return
	}
	v.flags(x.set, x.frozen, x.lost)
	v.ints(int64(len(x.order)))
	v.value(place, x.auto)
	for _, k := range x.order {
		v.text(k)
		v.value(place, x.keys[k])
		x.values[k] = v.held(place+"["+k+"]", x.values[k])
	}
}

func (v *survey) memory(b *block) {
	if v.flags(b != nil); b != nil {
		v.same(b)
		v.flags(b.mbarrier)
		v.text(b.unit)
		v.value("", b.typed)
		v.value("", b.elem)
	}
}
