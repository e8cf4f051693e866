package grid

import (
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/program"
)

// compiler makes the code of one kernel.
type compiler struct {
	file      *program.File
	table     *dialect.Table
	set       map[string]int64
	constants map[string]program.Expr
	variables map[string]*program.Assign // __device__
	declared  map[string]symbol          // those that were met
	kernel    *Kernel
	program   *Program

	code  []instr
	scope *scope
	slots int
	bases map[string]int
	calls []*program.Function // being inlined
	at    int                 // line of the statement at hand
	outer int                 // line of the kernel's own statement while a function is inlined, else 0
	loops []*loop
	work  int // expressions looked at, some of them twice
	depth int // of expressions
}

// loop is where break and continue of a loop go.
type loop struct{ breaks, continues []int }

// compile makes the code, from what is known of the kernel's memory.
func (c *compiler) compile() {
	c.code, c.slots, c.bases, c.declared, c.calls, c.loops, c.outer, c.work = nil, firstLocal, map[string]int{}, map[string]symbol{}, nil, nil, 0, 0
	c.program.bases, c.program.cells = nil, map[cell]int{}
	c.scope = &scope{names: map[string]symbol{}, returns: &returns{slot: -1}}
	fn := c.kernel.Function
	for i, p := range fn.Template {
		if i < len(c.kernel.launch.template) {
			c.scope.names[p.Name] = symbol{value: c.pure(c.kernel.launch.template[i])}
		}
	}
	for i, p := range fn.Params {
		c.parameter(p, i)
	}
	c.block(fn.Body)
	for _, from := range c.scope.returns.from {
		c.code[from].target = len(c.code)
	}
	c.program.code, c.program.slots = c.code, c.slots
	c.program.start = make([]int64, c.slots)
}

// parameter binds a parameter of the kernel: a number that is given, or an object of its own.
func (c *compiler) parameter(p program.Param, i int) {
	if v, ok := c.set[p.Name]; ok {
		c.scope.names[p.Name] = symbol{value: func(*env) int64 { return v }}
		return
	}
	if l := c.kernel.launch; i < len(l.args) {
		switch arg := l.args[i]; {
		case spelt(l.across, arg):
			c.scope.names[p.Name] = symbol{value: func(*env) int64 { return int64(c.kernel.CTAs) }}
			return
		case spelt(l.deep, arg):
			c.scope.names[p.Name] = symbol{value: func(*env) int64 { return int64(c.kernel.Block) }}
			return
		}
		if v := c.pure(c.kernel.launch.args[i]); isInteger(v(nil)) {
			c.scope.names[p.Name] = symbol{value: v}
			return
		}
	}
	c.scope.names[p.Name] = symbol{object: true, base: c.base(p.Name, false, kindOf(p.Type)), strong: strings.Contains(p.Type, "volatile")}
}

func (c *compiler) emit(in instr) int {
	in.line = c.at
	if in.op != opCompute && in.op != opLoad && in.op != opUpdate {
		in.dst = -1
	}
	if len(c.code) < maxCode {
		c.code = append(c.code, in)
	}
	return len(c.code) - 1
}

func (c *compiler) fail(why string) { c.emit(instr{op: opFail, why: why}) }

func (c *compiler) temporary() int {
	c.slots++
	return c.slots - 1
}

func (c *compiler) here(n program.Node) {
	if c.outer == 0 {
		c.at = c.file.Source.Position(n.Where().Start).Line
	}
}

func (c *compiler) block(body []program.Stmt) {
	c.scope = &scope{parent: c.scope, names: map[string]symbol{}, returns: c.scope.returns}
	if c.file.Language == program.CuTe {
		c.scope.names = c.scope.parent.names // a block of Python is no scope
	}
	for _, s := range body {
		if len(c.code) >= maxCode-1 {
			break
		}
		c.here(s)
		before := c.slots
		c.stmt(s)
		c.forget(before)
	}
	c.scope = c.scope.parent
}

// forget sets to 0 what a statement has made and nobody reads after it: states that only differ there are one.
func (c *compiler) forget(from int) {
	kept := map[int]bool{}
	for _, v := range c.scope.names {
		kept[v.slot] = true
	}
	var gone []int
	for slot := from; slot < c.slots; slot++ {
		if !kept[slot] {
			gone = append(gone, slot)
		}
	}
	if len(gone) > 0 {
		c.emit(instr{op: opForget, assign: gone})
	}
}

func (c *compiler) stmt(s program.Stmt) {
	switch s := s.(type) {
	case *program.ExprStmt:
		c.expr(s.X)
	case *program.Assign:
		c.assign(s)
	case *program.If:
		c.ifStmt(s)
	case *program.While:
		c.while(s)
	case *program.For:
		c.forLoop(s)
	case *program.Block:
		c.block(s.Body)
	case *program.Return:
		c.returnStmt(s)
	case *program.Break:
		c.leave(func(l *loop) *[]int { return &l.breaks })
	case *program.Continue:
		c.leave(func(l *loop) *[]int { return &l.continues })
	case *program.Asm:
		c.asm(s)
	case *program.Import, *program.FuncDef, *program.ClassDef:
	default:
		c.fail("this statement is not followed")
	}
}

func (c *compiler) leave(list func(*loop) *[]int) {
	at := c.emit(instr{op: opJump})
	if n := len(c.loops); n > 0 {
		to := list(c.loops[n-1])
		*to = append(*to, at)
	}
}

func (c *compiler) returnStmt(s *program.Return) {
	r := c.scope.returns
	if s.Value != nil {
		if v := c.expr(s.Value); r.slot >= 0 {
			c.emit(instr{op: opCompute, dst: r.slot, a: v})
		}
	}
	r.from = append(r.from, c.emit(instr{op: opJump}))
}

func (c *compiler) ifStmt(s *program.If) {
	cond := c.expr(s.Cond)
	skip := -1
	if names, inert := c.inert(append(slices.Clone(s.Then), s.Else...), 0); inert {
		skip = c.emit(instr{op: opSkip, a: cond, assign: c.assigned(names)})
	}
	no := c.emit(instr{op: opBranch, a: cond})
	c.block(s.Then)
	over := c.emit(instr{op: opJump})
	c.code[no].target = len(c.code)
	c.block(s.Else)
	c.code[over].target = len(c.code)
	if skip >= 0 {
		c.code[skip].target = len(c.code)
	}
}

// assigned are the numbers of the thread that names outside stand for.
func (c *compiler) assigned(names []string) (out []int) {
	for _, name := range names {
		if v, ok := c.find(name); ok && !v.object && !v.array && v.value == nil {
			out = append(out, v.slot)
		}
	}
	return out
}
