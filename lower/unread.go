package lower

import (
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/finding"
	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/lower/cute"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/protocol"
)

// A callee whose body is not read, and of which neither an operation, a model nor a row of effects tells (dialect), may do
// anything to what it can reach: wait, arrive, write, keep an address. Where one is called, the kernel is opaque.

// effect tells what a library's function may do.
func (m *machine) effect(name string) dialect.Effect {
	return m.in.low.effect(name)
}

func (l *lowering) effect(name string) dialect.Effect {
	effect, known := l.effects[name]
	if !known {
		effect = l.table.Effect(name, nil)
		l.effects[name] = effect
	}
	return effect
}

// handOver says what a call of a function that is not evaluated leaves behind, of what it was handed.
func (m *machine) handOver(effect dialect.Effect, name string, handed []value.Value, n program.Node) {
	if m.host {
		return
	}
	switch effect {
	case dialect.Computes, dialect.Readdresses, dialect.Converges:
		functions := slices.DeleteFunc(slices.Clone(handed), func(v value.Value) bool { return !function(v) }) // it may call them
		if m.surrender(functions, "used by a function that is handed to "+clip(name), 0) != reachesGuard {
			return
		}
	case dialect.Touches, dialect.Assigns:
		if m.surrender(handed, "handed to "+clip(name)+", which is not modelled", 0) != reachesGuard {
			return
		}
	default:
		m.surrender(handed, "handed to "+clip(name)+", which is not read", 0)
	}
	m.in.unread = true
	m.noteOpaque(n.Where(), limit.Call.Says("call of "+clip(name)+", which is not read"), true)
}

// function reports whether a value is a function of the program, whose calls its holder alone knows of.
func function(v value.Value) bool {
	switch v.(type) {
	case *value.Closure, *value.PartialCall, value.BoundMethod:
		return true
	}
	return false
}

// maxHanded bounds how deep in objects something is looked for that is handed to a function.
const maxHanded = 8

// reach is what can be got at through values.
type reach int

const (
	reachesNothing reach = iota
	reachesMemory
	reachesGuard // a barrier, a flag or a function that synchronizes
)

// surrender stops tracking the memory that can be reached through values, and forgets what the variables among them hold.
func (m *machine) surrender(handed []value.Value, why string, depth int) (got reach) {
	if depth > maxHanded {
		return reachesGuard
	}
	for _, v := range handed {
		switch v := v.(type) {
		case value.Pointer:
			got = max(got, m.surrenderPointer(v, why))
		case *cute.Tensor:
			m.loseTensors([]value.Value{v}, why)
			if v.Block != nil {
				got = max(got, m.surrenderPointer(value.Pointer{Block: v.Block}, why))
			}
			if v.Values != nil {
				value.ForgetContent(v.Values, 0)
			}
		case value.Symbol, value.Mixed:
			p, ok := m.pointerOf(v)
			if ok && m.in.flagBlocks[p.Block.Name] { // a tensor of the DSL is no way to write it
				got = max(got, m.surrenderPointer(p, why))
			}
		case *value.Sequence:
			got = max(got, m.surrender(v.Elems, why, depth+1))
		case *value.Mapping:
			for _, k := range v.Order {
				got = max(got, m.surrender([]value.Value{v.Values[k]}, why, depth+1))
			}
		case *value.Object:
			for _, f := range v.Fields {
				got = max(got, m.surrender([]value.Value{f}, why, depth+1))
			}
		case *value.PartialCall:
			got = max(got, m.surrender(append([]value.Value{v.Fun}, v.Given.All()...), why, depth+1))
		case value.BoundMethod:
			got = max(got, m.surrender([]value.Value{v.Self}, why, depth+1))
		case *value.Closure:
			got = max(got, m.surrenderFunction(v, why, depth))
		case value.Location: // the address of a variable
			got = max(got, m.surrender([]value.Value{v.Get()}, why, depth+1))
			if !value.InMemory(v.Get()) {
				v.Set(value.Data{})
			}
		}
	}
	return got
}

func (m *machine) surrenderPointer(p value.Pointer, why string) reach {
	switch b := p.Block; {
	case b == nil:
		return reachesNothing
	case b.Mbarrier || m.in.flagBlocks[b.Name]:
		return reachesGuard
	default:
		if !b.Shared {
			m.in.writes(b.Name)
			m.changes(b.Name)
		}
		m.in.untracked(b.Name, why)
	}
	return reachesMemory
}

// surrenderFunction hands over a function of the program, which may then be called as often as one likes.
func (m *machine) surrenderFunction(f *value.Closure, why string, depth int) reach {
	body := []program.Stmt(nil)
	switch {
	case f.Lambda != nil:
		body = f.Lambda.Body
	case f.Fn != nil:
		body = f.Fn.Body
	}
	if f.Mod != nil {
		defer m.enter(f.Mod)()
	}
	if f.Env != nil && f.Env != m.globals && m.depth < maxDepth {
		m.depth++
		m.havoc(&program.Block{Body: body}, f.Env)
		m.depth--
	}
	if slices.ContainsFunc(body, func(st program.Stmt) bool { return m.syncs(st) }) {
		return reachesGuard
	}
	got := reachesNothing
	if slices.ContainsFunc(body, func(st program.Stmt) bool { return m.touches(st) }) {
		got = reachesMemory
	}
	return max(got, m.surrender([]value.Value{f.Self}, why, depth+1))
}

func clip(name string) string {
	if r := []rune(name); len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return name
}

// callSymbol calls a run-time value: a type, a method of an object that is not known, or a function that the host side
// hands over.
func (m *machine) callSymbol(f value.Symbol, e *program.Call, args []value.Value) {
	if m.host || value.BitsOf(f) > 0 {
		return
	}
	if at, method := e.Fun.(*program.Attr); method && value.LastWord(f.Expr.String()) == at.Name {
		m.handOver(m.table().MethodEffect(at.Name), at.Name, append(args, f), e)
		return
	}
	name := f.Expr.String()
	got := m.surrender(args, "handed to "+clip(name)+", which is not read", 0)
	if got == reachesNothing && f.Expr.Op == "" {
		m.in.assumed[clip(name)+" only computes"] = inWords
		return
	}
	m.handOver(dialect.Unread, name, args, e)
}

// fullName is the name of a callee from the package on that the imports of its module lead to.
func (l *lowering) fullName(mod *value.Module, fun program.Expr) string {
	root, rest, dotted := strings.Cut(program.DumpExpr(fun), ".")
	if im := mod.From[root]; im != nil {
		switch v := l.imported(mod, im).(type) {
		case value.Path:
			root = string(v)
		case value.ModuleRef:
			root = v.Mod.Name
		}
	}
	if dotted {
		root += "." + rest
	}
	return root
}

// converges reports whether a call makes the lanes of a warp meet without ordering memory.
func (l *lowering) converges(mod *value.Module, c *program.Call) bool {
	return l.effect(l.fullName(mod, c.Fun)) == dialect.Converges
}

// Where a kernel works with the other CTAs of its cluster and the host side makes that one CTA large by a default, what the
// CTAs of a cluster do to each other has not been searched. A launch that spells its cluster out, or has none, means it.

// worksAlone notes that a kernel works with its cluster, of which there is only one CTA.
func (m *machine) worksAlone(n program.Node) {
	if m.in.chosen && !m.in.cluster && !m.host && m.in.alone == nil {
		at := m.bare(n)
		m.in.alone = &at
	}
}

// alone is why the property race-grid is open of a kernel of which no configuration has a larger cluster.
func (w *sweep) alone(in *instance) {
	if in.alone != nil && w.k.Alone == nil {
		w.k.Alone = &finding.Open{Property: finding.RaceGrid, Path: in.alone.Path, Line: in.alone.Line,
			Why: "the CTAs of a cluster work together here, and only a cluster of one was evaluated"}
	}
}

// storesAstray leaves open who else writes the global memory that a store is to which is not followed.
func (w *sweep) storesAstray(in *instance) {
	if at := in.astray; at != nil {
		for _, property := range []string{finding.RaceGrid, string(protocol.Race)} {
			w.k.leave(finding.Open{Property: property, Path: at.Path, Line: at.Line, Why: "global memory is written here, and which of it is not followed"})
		}
	}
}

// overMbarriers tells of accesses to what is an mbarrier among data (PTX ISA 9.7.13.15.3).
func (w *sweep) overMbarriers(in *instance, groups []*machine) {
	blocks := in.blocksOf()
	for i := range in.within {
		for _, m := range groups {
			met := in.within[i].Meets(m.ops, m.blocks, func(b int) *value.Block { return blocks[b] }, func(mbar int) bool { return in.ringOf[mbar].b == in.within[i].Own })
			if at := met.Access; at != nil && met.Sure {
				w.k.opaque(Opaque{in.sites[at.Site].Path, in.sites[at.Site].Line, limit.Undefined.Sayf("an mbarrier stands in what is accessed here: %s", in.within[i].Own.Name)})
			} else if at != nil {
				w.k.leave(finding.Open{Property: string(protocol.Lifetime), Path: in.sites[at.Site].Path, Line: in.sites[at.Site].Line, Why: "an mbarrier may stand in what is accessed here: " + in.within[i].Own.Name})
			}
		}
	}
}

// sends notes a bulk copy from shared memory: until a wait_group of its thread says so, it may still have to read.
func (m *machine) sends(n program.Node) {
	if !m.sampling && !m.host {
		m.sending = append(m.sending, m.site(n.Where(), "copy from shared memory"))
	}
}

func isShared(v value.Value) bool {
	t, ok := v.(*cute.Tensor)
	return ok && t.Block != nil && t.Block.Shared
}

// unreadStores notes the bulk copies that no thread waits for: their CTA may be gone, and its shared memory another
// CTA's, before they have read it. Only the thread that issued a copy can wait for it (PTX ISA 9.7.9.25.1.1), so that its
// own program decides.
func (w *sweep) unreadStores(in *instance, groups []*machine) {
	for _, m := range groups {
		for _, site := range slices.Concat(append(m.leaving, m.sending)...) {
			w.k.undefined(Undefined{Rule: UnreadStore, Whole: true, Site: in.sites[site],
				What: "this copy may still read shared memory when its CTA has exited; expected a wait for its bulk group"})
		}
	}
}
