package cuda

import (
	"slices"

	"github.com/fencepost-dev/fencepost/program"
)

// Prepared reports whether a function of the host launches another kernel before this one, with the argument that a parameter of this one gets, and that kernel may
// write there what is not zero: what this one's threads wait for is not 0 at first, then.
func Prepared(f *program.File, kernel *program.Function, param string) bool {
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
			if launchesKernel(call, kernel) && at < len(call.Args) && slices.ContainsFunc(before, func(b *program.Call) bool { return fills(f, b, identOf(call.Args[at])) }) {
				return true
			}
			before = append(before, call)
		}
	}
	return false
}

// launchesKernel reports whether a call launches a kernel, by its name.
func launchesKernel(call *program.Call, kernel *program.Function) bool {
	_, last := program.SplitName(identOf(call.Fun))
	return last == kernel.Name
}

// fills reports whether a kernel of the file that is launched with an argument of a name assigns anything but zeros.
func fills(f *program.File, call *program.Call, name string) bool {
	if name == "" || !slices.ContainsFunc(call.Args, func(x program.Expr) bool { return identOf(x) == name }) {
		return false
	}
	for _, fn := range f.Functions {
		if !fn.Kernel || !launchesKernel(call, fn) {
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
