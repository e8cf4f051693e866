package lower

import (
	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/lower/slice"
	"github.com/fencepost-dev/fencepost/program"
)

// Slice says for every statement of a function whether synchronization depends on it: seeds are the synchronization operations and
// the calls that ask where a thread is.
func Slice(fn *program.Function, f *program.File, t *dialect.Table) []slice.Line {
	return slice.Of(fn, f.Source, newLowering(f, t, Options{}).seed)
}

// seed says why a statement is kept for itself.
func (l *lowering) seed(st program.Stmt) string {
	for op := range l.opsIn(l.file, st) {
		switch op.Kind {
		case dialect.AllocShared, dialect.AllocMbarrier, dialect.Uniform, dialect.Pure, dialect.TmemStore, dialect.TmemStoreWait, dialect.TmemLoad, dialect.TmemLoadWait, dialect.TmaStore, dialect.CpAsync, dialect.MmaAsync, dialect.WgmmaFence, dialect.TensormapWrite:
			continue
		case dialect.Load, dialect.Store, dialect.AtomicAdd, dialect.AtomicMax, dialect.AtomicSub:
			if !op.Has("sem") || op.Text("sem", "weak") == "weak" {
				continue
			}
		}
		return string(op.Kind)
	}
	found := ""
	program.WalkExprs(st, func(e program.Expr) bool {
		switch e := e.(type) {
		case *program.Attr:
			if op, ok := l.table.Attr(e); ok {
				found = string(op.Kind)
			}
		case *program.Call:
			for _, c := range l.callees(l.main, e) {
				fn := c.fn
				in := l.newInstance(nil, &launch{})
				for _, b := range fn.Body {
					if r := l.relevance(in, c.mod, b); r.syncs || r.asks {
						found = "calls " + fn.Name + ", which synchronizes"
					}
				}
			}
		}
		return found == ""
	})
	return found
}
