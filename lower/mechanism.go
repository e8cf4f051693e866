package lower

import (
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
)

// The mechanisms a kernel synchronizes with, in the order in which they are told.
const (
	Pipelines     = "pipelines"
	Mbarriers     = "mbarriers"
	NamedBarriers = "named barriers"
	Clusters      = "cluster"
	Flags         = "flags"
)

var mechanisms = []string{Pipelines, Mbarriers, NamedBarriers, Clusters, Flags}

// pipelineMethods are what the producers and consumers of every pipeline class call (notes/cutedsl.md, 1.4).
var pipelineMethods = map[string]bool{
	"producer_acquire": true, "producer_commit": true, "producer_tail": true, "producer_try_acquire": true,
	"consumer_wait": true, "consumer_release": true, "consumer_try_wait": true,
	"acquire_and_advance": true, "wait_and_advance": true, "make_participants": true, "make_producer": true, "make_consumer": true,
}

// mechanisms says what a kernel synchronizes with, by the text of it and of the functions it mentions. It does not
// depend on what can be evaluated, so that kernels can be counted that cannot be lowered.
func (l *lowering) mechanisms(fn *program.Function) []string {
	used := map[string]bool{}
	seen := map[*program.Function]bool{fn: true}
	queue := []callee{{fn, l.main}}
	follow := func(next []callee) {
		for _, c := range next {
			if !seen[c.fn] && !c.mod.Library {
				seen[c.fn] = true
				queue = append(queue, c)
			}
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		mod, body := queue[0].mod, &program.Block{Body: queue[0].fn.Body}
		for op := range l.opsIn(mod.File, body) {
			if m := mechanism(&op); m != "" {
				used[m] = true
			}
		}
		program.WalkExprs(body, func(e program.Expr) bool {
			switch e := e.(type) {
			case *program.Name:
				follow(of(mod, value.LastWord(e.Ident)))
			case *program.Attr:
				follow(of(mod, e.Name))
			case *program.Call:
				if createsPipeline(e) {
					used[Pipelines] = true
				}
				follow(l.callees(mod, e))
			}
			return true
		})
	}
	var out []string
	for _, m := range mechanisms {
		if used[m] {
			out = append(out, m)
		}
	}
	return out
}

// createsPipeline tells PipelineTmaAsync.create(…) and the methods of what it makes.
func createsPipeline(c *program.Call) bool {
	fun, ok := c.Fun.(*program.Attr)
	if !ok {
		return false
	}
	if pipelineMethods[fun.Name] {
		return true
	}
	class := ""
	switch x := fun.X.(type) {
	case *program.Name:
		class = value.LastWord(x.Ident)
	case *program.Attr:
		class = x.Name
	}
	return fun.Name == "create" && strings.Contains(class, "Pipeline")
}

// mechanism is what an operation belongs to, "" for what decides no kernel's class: CTA and warp barriers, fences, copies.
func mechanism(op *dialect.Op) string {
	switch op.Kind {
	case dialect.MbarrierInit, dialect.MbarrierArrive, dialect.MbarrierArriveExpectTx, dialect.MbarrierArriveDrop, dialect.MbarrierExpectTx,
		dialect.MbarrierCompleteTx, dialect.MbarrierWait, dialect.MbarrierTryWait, dialect.MbarrierTestWait, dialect.CpAsyncMbarrierArrive:
		return Mbarriers
	case dialect.NamedBarrierSync, dialect.NamedBarrierArrive, dialect.NamedBarrierObject:
		return NamedBarriers
	case dialect.ClusterArrive, dialect.ClusterWait, dialect.ClusterSync:
		return Clusters
	case dialect.AtomicAdd, dialect.AtomicSub, dialect.AtomicMax, dialect.AtomicExch, dialect.AtomicCas, dialect.Reduce:
		return Flags
	case dialect.Load, dialect.Store:
		if s := op.Text("sem", "weak"); s != "weak" && s != "nc" {
			return Flags
		}
	}
	return ""
}
