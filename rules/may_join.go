package rules

import (
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/program"
)

// joining are parts of the names of functions that may hold a barrier of the CTA.
var joining = [...]string{
	"sync", "barrier", "wait", "arrive", "pipeline", "setup", "prologue", "join_", "commit", "reduce", "scan", "block", "cta", "sort", "broadcast",
	"exchange", "team", "group", "allgather", "collective", "mma", "tile", "epilogue", "mainloop", "gemm", "kernel", "process", "run", "impl",
}

// protocols are parts of the names of functions in which one thread alone may wait for others.
var protocols = [...]string{"sync", "barrier", "wait", "arrive", "pipeline", "acquire", "commit", "lock"}

// mayJoin reports whether a call that cannot be looked into may hold a barrier of the CTA.
func (s *site) mayJoin() bool {
	name := lastWord(s.op.Name)
	if c := s.op.Call; c != nil && name == "" {
		if a, ok := c.Fun.(*program.Attr); ok {
			name = a.Name
		}
	}
	if strings.HasPrefix(name, "__") && strings.HasSuffix(name, "_sync") || strings.Contains(name, "shfl") { // shuffles and votes of a warp
		return false
	}
	lower := strings.ToLower(name)
	if s.threads().single() { // the others would never come to a barrier in there
		return slices.ContainsFunc(protocols[:], func(w string) bool { return strings.Contains(lower, w) })
	}
	if strings.Contains(lower, "warp") && !strings.Contains(lower, "block") || strings.Contains(strings.ToLower(s.op.Name), "cp_async") {
		return false // meets the lanes of a warp at most; waits for copies of its own thread
	}
	for _, w := range joining {
		if strings.Contains(lower, w) {
			return true
		}
	}
	// A statement that is a call of a free function does its work elsewhere.
	_, method := s.op.Call.Fun.(*program.Attr)
	return !s.used && !method && !harmless(lower) && !returnsByPointer(s.op.Call)
}

// returnsByPointer reports whether a call is given the address of a variable: it works out a value.
func returnsByPointer(c *program.Call) bool {
	for _, a := range c.Args {
		if u, ok := a.(*program.Unary); ok && u.Op == "&" {
			if _, local := u.X.(*program.Name); local {
				return true
			}
		}
	}
	return false
}

// harmless reports whether a function is called what functions that move data are called.
func harmless(lower string) bool {
	for _, w := range [...]string{"load", "store", "copy", "cp", "ld", "st", "swap", "fill", "print", "assert", "prefetch", "atomic", "cast", "convert", "set", "clear", "memset", "void", "unused", "fma", "update", "write", "shfl", "min", "max"} {
		if strings.Contains(lower, w) {
			return true
		}
	}
	return false
}
