package mutant

import (
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/program"
)

// role is what a statement is for in a protocol.
type role string

const (
	arrives role = "arrive"
	commits role = "commit"
	release role = "release"
	waits   role = "wait"
	barrier role = "barrier"
	fences  role = "fence"
	tails   role = "tail"
	advance role = "advance"
)

// roles says what the canonical operations are for.
var roles = map[dialect.Kind]role{
	dialect.MbarrierArrive: arrives, dialect.MbarrierArriveExpectTx: arrives, dialect.MbarrierArriveDrop: arrives, dialect.MbarrierExpectTx: arrives,
	dialect.CpAsyncMbarrierArrive: arrives, dialect.NamedBarrierArrive: arrives, dialect.ClusterArrive: arrives,
	dialect.Tcgen05Commit: commits, dialect.BulkCommit: commits, dialect.CpAsyncCommit: commits, dialect.WgmmaCommit: commits,
	dialect.MbarrierWait: waits, dialect.ClusterWait: waits, dialect.BulkWait: waits, dialect.CpAsyncWait: waits, dialect.WgmmaWait: waits,
	dialect.NamedBarrierSync: barrier, dialect.CtaSync: barrier, dialect.WarpSync: barrier, dialect.ClusterSync: barrier, dialect.GridSync: barrier,
	dialect.FenceProxy: fences, dialect.Fence: fences, dialect.MbarrierInitFence: fences,
}

// methodRoles says what the methods of the library's objects are for (notes/cutedsl.md, 1.3 and 1.4). A name may go on
// after an underscore: consumer_release_w_index.
var methodRoles = []struct {
	name string
	role role
}{
	{"producer_tail", tails}, {"tail", tails},
	{"producer_commit", commits}, {"commit", commits},
	{"consumer_release", release}, {"release", release},
	{"producer_acquire", waits}, {"consumer_wait", waits}, {"acquire", waits}, {"wait", waits},
	{"arrive_and_wait", barrier}, {"sync", barrier},
	{"arrive", arrives}, {"advance", advance}, {"fence", fences},
}

// roleOf says what a statement is for; none for most.
func (s *scan) roleOf(st program.Stmt) (r role, kind dialect.Kind) {
	switch st := st.(type) {
	case *program.ExprStmt:
		if c, ok := st.X.(*program.Call); ok {
			return s.roleOfCall(c)
		}
	case *program.Asm:
		for i := range st.Instrs {
			for _, op := range s.table.Instr(&st.Instrs[i], st) {
				if r, ok := roles[op.Kind]; ok {
					return r, op.Kind
				}
			}
		}
	case *program.While:
		// A try_wait or a load in the condition of a loop that does nothing else is a wait.
		if len(st.Body) > 1 {
			return "", ""
		}
		found := dialect.Kind("")
		program.WalkExprs(st.Cond, func(e program.Expr) bool {
			if c, ok := e.(*program.Call); ok {
				if op, ok := s.table.Call(c, nil); ok && (op.Kind == dialect.MbarrierTryWait || op.Kind == dialect.MbarrierTestWait || op.Kind == dialect.Load) {
					found = op.Kind
				}
			}
			return found == ""
		})
		if found != "" {
			return waits, found
		}
	}
	return "", ""
}

func (s *scan) roleOfCall(c *program.Call) (role, dialect.Kind) {
	if op, ok := s.table.Call(c, nil); ok {
		if r, ok := roles[op.Kind]; ok {
			return r, op.Kind
		}
		if op.Kind != dialect.Pure {
			return "", ""
		}
	}
	name := lastName(c.Fun)
	if fns := s.functions[name]; len(fns) > 0 {
		if r, kind := s.wrapper(fns); r != "" {
			return r, kind
		}
	}
	if _, method := c.Fun.(*program.Attr); !method {
		return "", ""
	}
	for _, m := range methodRoles {
		if name == m.name || strings.HasPrefix(name, m.name+"_") && !strings.HasSuffix(name, "_and_advance") {
			return m.role, ""
		}
	}
	return "", ""
}

// wrapper is the role of a function that does one thing only: a user's name for an instruction.
func (s *scan) wrapper(fns []*program.Function) (role, dialect.Kind) {
	var found role
	var kind dialect.Kind
	note := func(op dialect.Op) bool {
		k := op.Kind
		if k == dialect.MbarrierTryWait || k == dialect.MbarrierTestWait {
			k = dialect.MbarrierWait
		}
		r, ok := roles[k]
		if !ok {
			return true
		}
		if found != "" && found != r {
			found, kind = "mixed", ""
			return false
		}
		found, kind = r, k
		return true
	}
	for _, fn := range fns {
		if fn.Kernel || len(fn.Body) > 4 {
			return "", ""
		}
		program.WalkStmts(fn.Body, func(st program.Stmt) bool {
			if a, ok := st.(*program.Asm); ok {
				for i := range a.Instrs {
					for _, op := range s.table.Instr(&a.Instrs[i], a) {
						note(op)
					}
				}
			}
			return true
		})
		for c := range program.Calls(fn.Body) {
			if op, ok := s.table.Call(c, nil); ok {
				note(op)
			}
		}
	}
	if found == "mixed" {
		return "", ""
	}
	return found, kind
}

func lastName(e program.Expr) string {
	switch e := e.(type) {
	case *program.Name:
		name := e.Ident
		if i := strings.LastIndexAny(name, ".:"); i >= 0 {
			name = name[i+1:]
		}
		return name
	case *program.Attr:
		return e.Name
	}
	return ""
}
