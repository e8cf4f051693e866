package check

import (
	"maps"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/lower"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/protocol"
)

// unprepared takes back that threads of a kernel wait for ever for words that another kernel writes before it: what they find there at first is not known.
func unprepared(lowered []*kernelResult, translated []*compiledKernel) {
	for _, r := range lowered {
		if r.answer(protocol.Livelock).verdict != engine.Violated {
			continue
		}
		for _, k := range translated {
			if k.whole == nil || k.fn != r.Function {
				continue
			}
			if name := k.preparedWord(); name != "" {
				r.Opaque = append(r.Opaque, lower.Opaque{Path: r.Path, Line: r.Line, Why: limit.Memory.Says("another kernel writes " + name + " before it, and what its threads find there at first is not known")})
				r.decision = decision{}
			}
		}
	}
}

// preparedWord is a pointer of the kernel, as the source names it, to words that its threads wait for and that another kernel writes before it; "" where there is none.
func (k *compiledKernel) preparedWord() string {
	polls := k.whole.Polls()
	for _, n := range slices.Sorted(maps.Keys(polls)) {
		if k.whole.Insts[n].Space == ir.Shared {
			continue
		}
		for _, name := range k.whole.NamedBy(&k.whole.Insts[n]) {
			if param, _, _ := strings.Cut(name, "+"); prepared(k.file, k.fn, param) {
				return k.whole.Spelled(name)
			}
		}
	}
	return ""
}

// prepared reports whether a function of the host launches another kernel before this one, with the argument that a parameter of this one gets, and that kernel may
// write there what is not zero: what this one's threads wait for is not 0 at first, then.
func prepared(f *program.File, kernel *program.Function, param string) bool {
	at := slices.IndexFunc(kernel.Params, func(p program.Param) bool { return p.Name == param })
	if at < 0 {
		return false
	}
	for _, host := range f.Functions {
		if host.Kernel {
			continue
		}
		var before []*program.Call
		for call := range program.Calls(host.Body) {
			if len(call.Launch) == 0 {
				continue
			}
			if launches(call, kernel) && at < len(call.Args) && slices.ContainsFunc(before, func(b *program.Call) bool { return fills(f, b, nameOf(call.Args[at])) }) {
				return true
			}
			before = append(before, call)
		}
	}
	return false
}

// launches reports whether a call launches a kernel, by its name.
func launches(call *program.Call, kernel *program.Function) bool {
	_, last := program.SplitName(nameOf(call.Fun))
	return last == kernel.Name
}

// fills reports whether a kernel of the file that is launched with an argument of a name assigns anything but zeros.
func fills(f *program.File, call *program.Call, name string) bool {
	if name == "" || !slices.ContainsFunc(call.Args, func(x program.Expr) bool { return nameOf(x) == name }) {
		return false
	}
	for _, fn := range f.Functions {
		if !fn.Kernel || !launches(call, fn) {
			continue
		}
		other := false
		program.WalkStmts(fn.Body, func(st program.Stmt) bool {
			if a, is := st.(*program.Assign); is && !a.Decl {
				n, number := a.Value.(*program.Int)
				other = other || !number || n.Value != 0
			}
			return !other
		})
		if other {
			return true
		}
	}
	return false
}

// nameOf is the name that an expression is; "" where it is none.
func nameOf(x program.Expr) string {
	if id, is := x.(*program.Name); is {
		return id.Ident
	}
	return ""
}
