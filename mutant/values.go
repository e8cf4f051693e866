package mutant

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/program"
)

// names notes which names hold phases and stage indices, by what waits and arrives use them for.
func (s *scan) names(body []program.Stmt) {
	note := func(e program.Expr, into map[string]bool) {
		program.WalkExprs(e, func(e program.Expr) bool {
			switch e := e.(type) {
			case *program.Name:
				into[e.Ident] = true
			case *program.Attr:
				into[e.Name] = true
				return false
			case *program.Call:
				for _, a := range e.Args {
					program.WalkExprs(a, func(e program.Expr) bool { return true })
				}
			}
			return true
		})
	}
	for c := range program.Calls(body) {
		op, ok := s.table.Call(c, nil)
		if !ok {
			continue
		}
		if p := op.Expr("phase"); p != nil {
			note(p, s.phases)
		}
		if p := op.Expr("ptr"); p != nil && roles[op.Kind] != "" {
			if b, ok := p.(*program.Binary); ok {
				note(b.Y, s.indices)
			}
			if x, ok := p.(*program.Index); ok {
				for _, a := range x.Args {
					note(a, s.indices)
				}
			}
		}
	}
	program.WalkStmts(body, func(st program.Stmt) bool {
		if a, ok := st.(*program.Assign); ok && len(a.Targets) == 1 {
			name := lastName(a.Targets[0])
			if s.flips(a) {
				s.phases[name] = true
			}
			if a.Value != nil && strings.Contains(s.text(a.Value.Where()), "TmaStore") {
				s.stores[name] = true
			}
		}
		return true
	})
}

// flips tells p ^= 1, p = p ^ 1 and p = 1 - p.
func (s *scan) flips(a *program.Assign) bool {
	if a.Value == nil || len(a.Targets) != 1 {
		return false
	}
	if a.Op == "^=" {
		return literal(a.Value) != nil && literal(a.Value).Value == 1
	}
	b, ok := a.Value.(*program.Binary)
	if !ok || a.Op != "=" {
		return false
	}
	target := s.text(a.Targets[0].Where())
	one := func(e program.Expr) bool { n := literal(e); return n != nil && n.Value == 1 }
	switch b.Op {
	case "^":
		return s.text(b.X.Where()) == target && one(b.Y)
	case "-":
		return one(b.X) && s.text(b.Y.Where()) == target
	}
	return false
}

// literal is the integer in an expression that is one, bare or in a conversion: Int32(0).
func literal(e program.Expr) *program.Int {
	switch e := e.(type) {
	case *program.Int:
		return e
	case *program.Cast:
		return literal(e.X)
	case *program.Call:
		switch lastName(e.Fun) {
		case "Int32", "Uint32", "Int64", "Uint64", "Int8", "Uint8", "Int16", "Uint16", "uint32_t", "int32_t", "int", "uint":
			if len(e.Args) == 1 && len(e.Keywords) == 0 {
				return literal(e.Args[0])
			}
		}
	}
	return nil
}

// step finds the hand-made advance of a stage: a phase that is flipped, an index that goes on, a phase that starts.
func (s *scan) step(a *program.Assign) {
	if len(a.Targets) != 1 || a.Value == nil {
		return
	}
	name := lastName(a.Targets[0])
	n := literal(a.Value)
	switch {
	case s.flips(a):
		s.drop("advance-never", a, false)
	case a.Op == "+=" && s.indices[name] && n != nil && n.Value == 1:
		s.drop("advance-never", a, false)
		s.replace("advance-twice", n, "2")
	}
}

// host finds faults in values, wherever they are made.
func (s *scan) host(body []program.Stmt) {
	program.WalkStmts(body, func(st program.Stmt) bool {
		if a, ok := st.(*program.Assign); ok && len(a.Targets) == 1 && a.Op == "=" && a.Value != nil && s.phases[lastName(a.Targets[0])] {
			if n := literal(a.Value); n != nil && n.Value <= 1 && n.Value >= 0 {
				s.replace("flip-start-phase", n, strconv.FormatInt(1-n.Value, 10))
			}
		}
		return true
	})
	loops := s.loopCalls(body)
	for c := range program.Calls(body) {
		s.states(c)
		op, known := s.table.Call(c, nil)
		if known {
			s.counts(&op)
			s.waitPhase(&op, loops[c])
		}
		if lastName(c.Fun) == "CooperativeGroup" {
			s.group(c)
		}
	}
}

// loopCalls are the calls inside of loops.
func (s *scan) loopCalls(body []program.Stmt) map[*program.Call]bool {
	in := map[*program.Call]bool{}
	program.WalkStmts(body, func(st program.Stmt) bool {
		var inner []program.Stmt
		switch st := st.(type) {
		case *program.For:
			inner = st.Body
		case *program.While:
			inner = st.Body
		}
		for c := range program.Calls(inner) {
			in[c] = true
		}
		return true
	})
	return in
}

// states flips where a pipeline's state starts: its kind, or the phase given by hand.
func (s *scan) states(c *program.Call) {
	switch lastName(c.Fun) {
	case "make_pipeline_state":
		for _, e := range append(slices.Clone(c.Args), keyword(c, "type")) {
			a, ok := e.(*program.Attr)
			if !ok {
				continue
			}
			if other := map[string]string{"Producer": "Consumer", "ProducerConsumer": "Consumer", "Consumer": "Producer"}[a.Name]; other != "" {
				s.replace("flip-start-phase", a, s.text(a.X.Where())+"."+other)
			}
		}
	case "PipelineState":
		phase := keyword(c, "phase")
		if len(c.Args) == 4 {
			phase = c.Args[3]
		}
		if phase != nil {
			s.replace("flip-start-phase", phase, "("+s.text(phase.Where())+") ^ 1")
		}
	}
}

func keyword(c *program.Call, name string) program.Expr {
	for _, k := range c.Keywords {
		if k.Name == name {
			return k.Value
		}
	}
	return nil
}

// counts makes a barrier expect one participant more or less than there are; a warp for named barriers, which count in
// warps (PTX ISA, barrier).
func (s *scan) counts(op *dialect.Op) {
	by := 1
	switch op.Kind {
	case dialect.MbarrierInit:
	case dialect.NamedBarrierSync, dialect.NamedBarrierArrive, dialect.NamedBarrierObject:
		by = 32
	default:
		return
	}
	if e := op.Expr("count"); e != nil && op.Call != nil {
		s.plusMinus(e, by)
	}
}

func (s *scan) plusMinus(e program.Expr, by int) {
	text := s.text(e.Where())
	s.replace("count-more", e, fmt.Sprintf("(%s) + %d", text, by))
	s.replace("count-less", e, fmt.Sprintf("(%s) - %d", text, by))
}

// group changes the size of a cooperative group, which is 1 where it is not given.
func (s *scan) group(c *program.Call) {
	size := keyword(c, "size")
	if len(c.Args) > 1 {
		size = c.Args[1]
	}
	if size != nil {
		s.plusMinus(size, 1)
		return
	}
	span := c.Span
	span.Start = span.End - 1
	if s.text(span) == ")" && len(c.Args) > 0 {
		s.add("count-more", false, edit{span, ", fencepost_probe)"}, edit{span, ", 2)"})
	}
}

// waitPhase puts another phase into a wait: the other one where it is computed in place, a fixed one in a loop.
func (s *scan) waitPhase(op *dialect.Op, looped bool) {
	switch op.Kind {
	case dialect.MbarrierWait, dialect.MbarrierTryWait, dialect.MbarrierTestWait:
	default:
		return
	}
	e := op.Expr("phase")
	if e == nil || op.Has("token") {
		return
	}
	if _, name := e.(*program.Name); !name || literal(e) != nil {
		s.replace("flip-start-phase", e, "("+s.text(e.Where())+") ^ 1")
	}
	if looped && literal(e) == nil {
		s.replace("literal-phase", e, "0")
	}
}

// equalIDs makes two named barriers one.
func (s *scan) equalIDs(bodies [][]program.Stmt) {
	ids := map[int64][]*program.Int{}
	seen := map[*program.Int]bool{}
	note := func(n *program.Int) {
		if n != nil && !seen[n] && n.Value >= 0 && n.Value < 16 {
			seen[n] = true
			ids[n.Value] = append(ids[n.Value], n)
		}
	}
	for _, body := range bodies {
		for c := range program.Calls(body) {
			op, ok := s.table.Call(c, nil)
			if !ok || op.Expr("id") == nil {
				continue
			}
			switch op.Kind {
			case dialect.NamedBarrierSync, dialect.NamedBarrierArrive, dialect.NamedBarrierObject:
			default:
				continue
			}
			id := op.Expr("id")
			if n := literal(id); n != nil {
				note(n)
				continue
			}
			program.WalkExprs(id, func(e program.Expr) bool {
				for _, n := range s.defined(bodies, lastName(e)) {
					note(n)
				}
				_, call := e.(*program.Call)
				return !call
			})
		}
	}
	var values []int64
	for v := range ids {
		values = append(values, v)
	}
	slices.SortFunc(values, cmp.Compare)
	for i := 1; i < len(values); i++ {
		text := strconv.FormatInt(values[i-1], 10)
		var edits []edit
		for _, n := range ids[values[i]] {
			edits = append(edits, edit{n.Span, text})
		}
		s.add("equal-ids", false, edit{edits[0].span, "fencepost_probe"}, edits...)
	}
}

// defined are the integers that a name is given anywhere in the file: fields of an enumeration, attributes of self.
func (s *scan) defined(bodies [][]program.Stmt, name string) []*program.Int {
	var out []*program.Int
	look := func(a *program.Assign) {
		for _, t := range a.Targets {
			if name != "" && lastName(t) == name && a.Value != nil {
				if n := literal(a.Value); n != nil {
					out = append(out, n)
				}
			}
		}
	}
	for _, c := range s.file.Classes {
		for _, a := range c.Fields {
			look(a)
		}
	}
	for _, body := range bodies {
		program.WalkStmts(body, func(st program.Stmt) bool {
			if a, ok := st.(*program.Assign); ok {
				look(a)
			}
			return true
		})
	}
	return out
}
