package grid

import (
	"strings"

	"github.com/fencepost-dev/fencepost/program"
)

// skipped leaves out a loop that only works on data.
func (c *compiler) skipped(s program.Stmt) bool {
	names, inert := c.inert([]program.Stmt{s}, 0)
	if !inert {
		return false
	}
	for _, slot := range c.assigned(names) {
		c.emit(instr{op: opCompute, dst: slot, a: func(*env) int64 { return unknown }})
	}
	return true
}

func (c *compiler) while(s *program.While) {
	if c.skipped(s) {
		return
	}
	if len(s.Else) > 0 {
		c.fail("a loop with else is not followed")
	}
	top := len(c.code)
	l := &loop{}
	c.loops = append(c.loops, l)
	no := -1
	if !s.DoWhile {
		no = c.emit(instr{op: opBranch, a: c.expr(s.Cond), spins: true})
	}
	c.block(s.Body)
	for _, at := range l.continues {
		c.code[at].target = len(c.code)
	}
	c.here(s)
	if s.DoWhile {
		no = c.emit(instr{op: opBranch, a: c.expr(s.Cond), spins: true})
	}
	c.emit(instr{op: opJump, target: top})
	c.endLoop(l, no)
}

func (c *compiler) endLoop(l *loop, no int) {
	if no >= 0 {
		c.code[no].target = len(c.code)
	}
	for _, at := range l.breaks {
		c.code[at].target = len(c.code)
	}
	c.loops = c.loops[:len(c.loops)-1]
}

func (c *compiler) forLoop(s *program.For) {
	if c.skipped(s) {
		return
	}
	if len(s.Else) > 0 {
		c.fail("a loop with else is not followed")
	}
	c.scope = &scope{parent: c.scope, names: map[string]symbol{}, returns: c.scope.returns}
	if c.file.Language == program.CuTe {
		c.scope.names = c.scope.parent.names
	}
	defer func() { c.scope = c.scope.parent }()
	post, cond := func() {}, expr(nil)
	if s.Iter != nil {
		var ok bool
		if cond, post, ok = c.rangeLoop(s); !ok {
			c.fail("this loop is not followed")
			return
		}
	}
	for _, i := range s.Init {
		c.stmt(i)
	}
	top := len(c.code)
	l := &loop{}
	c.loops = append(c.loops, l)
	no := -1
	if s.Cond != nil {
		cond = c.expr(s.Cond)
	}
	if cond != nil {
		no = c.emit(instr{op: opBranch, a: cond, spins: true})
	}
	c.block(s.Body)
	for _, at := range l.continues {
		c.code[at].target = len(c.code)
	}
	c.here(s)
	for _, p := range s.Post {
		c.stmt(p)
	}
	post()
	c.emit(instr{op: opJump, target: top})
	c.endLoop(l, no)
}

// rangeLoop is for i in range(…).
func (c *compiler) rangeLoop(s *program.For) (cond expr, post func(), ok bool) {
	call, isCall := s.Iter.(*program.Call)
	name, isName := s.Target.(*program.Name)
	if !isCall || !isName || !strings.HasPrefix(lastWord(pathOf(call.Fun)), "range") || len(call.Args) == 0 || len(call.Args) > 3 {
		return nil, nil, false
	}
	var args []expr
	for _, a := range call.Args {
		slot := c.temporary()
		c.emit(instr{op: opCompute, dst: slot, a: c.expr(a)})
		args = append(args, local(slot))
	}
	from, to, by := constant(0), args[0], constant(1)
	if len(args) > 1 {
		from, to = args[0], args[1]
	}
	if len(args) > 2 {
		by = args[2]
	}
	v := c.declare(name.Ident, asIs)
	c.emit(instr{op: opCompute, dst: v.slot, a: from})
	i := local(v.slot)
	cond = func(e *env) int64 { return binary("<", i(e), to(e)) }
	post = func() {
		c.emit(instr{op: opCompute, dst: v.slot, a: func(e *env) int64 { return binary("+", i(e), by(e)) }})
	}
	return cond, post, true
}
