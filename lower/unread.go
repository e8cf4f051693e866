package lower

import (
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/program"
)

// A callee whose body is not read, and of which neither an operation, a model nor a row of effects tells (dialect), may do
// anything to what it can reach: wait, arrive, write, keep an address. Where one is called, the kernel is opaque.

// effect tells what a library's function may do.
func (m *machine) effect(name string) dialect.Effect {
	return m.table().Effect(name, nil)
}

// handOver says what a call of a function that is not evaluated leaves behind, of what it was handed.
func (m *machine) handOver(effect dialect.Effect, name string, handed []value, n program.Node) {
	if m.host {
		return
	}
	switch effect {
	case dialect.Computes, dialect.Readdresses, dialect.Converges:
		functions := slices.DeleteFunc(slices.Clone(handed), func(v value) bool { return !function(v) }) // it may call them
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
func function(v value) bool {
	switch v.(type) {
	case *closure, *partial, boundMethod:
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
func (m *machine) surrender(handed []value, why string, depth int) (got reach) {
	if depth > maxHanded {
		return reachesGuard
	}
	for _, v := range handed {
		switch v := v.(type) {
		case pointer:
			got = max(got, m.surrenderPointer(v, why))
		case *tensor:
			m.loseTensors([]value{v}, why)
			if v.block != nil {
				got = max(got, m.surrenderPointer(pointer{block: v.block}, why))
			}
			if v.content != nil {
				forgetContent(v.content, 0)
			}
		case symbol, mixed:
			p, ok := m.pointerOf(v)
			if ok && m.in.flagBlocks[p.block.name] { // a tensor of the DSL is no way to write it
				got = max(got, m.surrenderPointer(p, why))
			}
		case *sequence:
			got = max(got, m.surrender(v.elems, why, depth+1))
		case *mapping:
			for _, k := range v.order {
				got = max(got, m.surrender([]value{v.values[k]}, why, depth+1))
			}
		case *object:
			for _, f := range v.fields {
				got = max(got, m.surrender([]value{f}, why, depth+1))
			}
		case *partial:
			got = max(got, m.surrender(append([]value{v.fun}, v.given.all()...), why, depth+1))
		case boundMethod:
			got = max(got, m.surrender([]value{v.self}, why, depth+1))
		case *closure:
			got = max(got, m.surrenderFunction(v, why, depth))
		case location: // the address of a variable
			got = max(got, m.surrender([]value{v.get()}, why, depth+1))
			if !memory(v.get()) {
				v.set(data{})
			}
		}
	}
	return got
}

func (m *machine) surrenderPointer(p pointer, why string) reach {
	switch b := p.block; {
	case b == nil:
		return reachesNothing
	case b.mbarrier || m.in.flagBlocks[b.name]:
		return reachesGuard
	default:
		if !b.shared {
			m.in.writes(b.name)
			m.changes(b.name)
		}
		m.in.untracked(b.name, why)
	}
	return reachesMemory
}

// surrenderFunction hands over a function of the program, which may then be called as often as one likes.
func (m *machine) surrenderFunction(f *closure, why string, depth int) reach {
	body := []program.Stmt(nil)
	switch {
	case f.lambda != nil:
		body = f.lambda.Body
	case f.fn != nil:
		body = f.fn.Body
	}
	if f.mod != nil {
		defer m.enter(f.mod)()
	}
	if f.env != nil && f.env != m.globals && m.depth < maxDepth {
		m.depth++
		m.havoc(&program.Block{Body: body}, f.env)
		m.depth--
	}
	if slices.ContainsFunc(body, func(st program.Stmt) bool { return m.syncs(st) }) {
		return reachesGuard
	}
	got := reachesNothing
	if slices.ContainsFunc(body, func(st program.Stmt) bool { return m.touches(st) }) {
		got = reachesMemory
	}
	return max(got, m.surrender([]value{f.self}, why, depth+1))
}

func clip(name string) string {
	if r := []rune(name); len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return name
}

// callSymbol calls a run-time value: a type, a method of an object that is not known, or a function that the host side
// hands over.
func (m *machine) callSymbol(f symbol, e *program.Call, args []value) {
	if m.host || bitsOf(f) > 0 {
		return
	}
	if at, method := e.Fun.(*program.Attr); method && lastWord(f.expr.String()) == at.Name {
		m.handOver(m.table().MethodEffect(at.Name), at.Name, append(args, f), e)
		return
	}
	name := f.expr.String()
	got := m.surrender(args, "handed to "+clip(name)+", which is not read", 0)
	if got == reachesNothing && f.expr.op == "" {
		m.in.assumed[clip(name)+" only computes"] = true
		return
	}
	m.handOver(dialect.Unread, name, args, e)
}

// fullName is the name of a callee from the package on that the imports of its module lead to.
func (l *lowering) fullName(mod *module, fun program.Expr) string {
	root, rest, dotted := strings.Cut(program.DumpExpr(fun), ".")
	if im := mod.from[root]; im != nil {
		switch v := l.imported(mod, im).(type) {
		case path:
			root = string(v)
		case moduleRef:
			root = v.mod.name
		}
	}
	if dotted {
		root += "." + rest
	}
	return root
}

// converges reports whether a call makes the lanes of a warp meet without ordering memory.
func (l *lowering) converges(mod *module, c *program.Call) bool {
	return l.table.Effect(l.fullName(mod, c.Fun), nil) == dialect.Converges
}
