package lower

import (
	"maps"

	"github.com/fencepost-dev/fencepost/lower/value"
)

// An object that a helper is handed and that a loop or an if of the helper carries becomes another one there: the DSL takes it
// apart into values, and what it makes of them at the end is bound to the helper's own name (tried on nvidia-cutlass-dsl 4.8.1).
// Whoever handed it in has it as it was before the statement, unless the helper gives it back. Here it is the same object all along,
// so when the helper is left it is put back as it was, and what it has become is a new one.

// keep notes what an object was before a statement in the running call made it its own.
func (m *machine) keep(o *value.Object, depth int) {
	if depth == 0 { // nobody is left to whom the kernel returns
		return
	}
	if m.kept == nil {
		m.kept = map[int]map[*value.Object]map[string]value.Value{}
	}
	if m.kept[depth] == nil {
		m.kept[depth] = map[*value.Object]map[string]value.Value{}
	}
	if m.kept[depth][o] == nil {
		m.kept[depth][o] = maps.Clone(o.Fields)
	}
}

// handBack leaves a call that gives v: what was handed in is as the caller knows it.
func (m *machine) handBack(v value.Value) value.Value {
	kept := m.kept[m.depth]
	if len(kept) == 0 {
		return v
	}
	delete(m.kept, m.depth)
	become := map[*value.Object]*value.Object{}
	for o, fields := range kept {
		become[o] = o.HandOver(fields)
	}
	return value.Instead(v, become)
}
