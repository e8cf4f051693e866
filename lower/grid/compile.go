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

// scope holds names of a block, or of a function.
type scope struct {
	parent  *scope
	names   map[string]symbol
	returns *returns // of a function
}

// returns is where return goes.
type returns struct {
	slot int
	from []int
}

// symbol is what a name stands for: a number of the thread, an object in memory, or an expression of the host.
type symbol struct {
	slot   int
	kind   wrap
	object bool
	base   int
	value  expr // not nil: a constant
	array  bool // of the thread's own: not followed
	strong bool // points to volatile
	extent bool // of an object that is declared: an array, whose name is its address
	whole  bool // a variable of the file: its name is its value
}

func (s *scope) find(name string) (symbol, bool) {
	for ; s != nil; s = s.parent {
		if v, ok := s.names[name]; ok {
			return v, true
		}
	}
	return symbol{}, false
}

// readConstants notes the constants of the file, and enumerators.
func (c *compiler) readConstants() {
	note := func(a *program.Assign) {
		for _, t := range a.Targets {
			if n, ok := t.(*program.Name); ok && a.Value != nil && len(a.Dims) == 0 {
				c.constants[n.Ident] = a.Value
			}
		}
	}
	for _, s := range c.file.Body {
		if a, ok := s.(*program.Assign); ok && (a.Const || strings.Contains(a.Type, "const") || c.file.Language == program.CuTe) {
			note(a)
		}
	}
}

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

// readVariables notes the variables of the file in global memory: the tree has no place for __device__, so the text before
// the declaration tells.
func (c *compiler) readVariables() {
	data := c.file.Source.Data
	for _, s := range c.file.Body {
		a, ok := s.(*program.Assign)
		if !ok || !a.Decl || a.Shared || a.Const || a.Span.Start > len(data) {
			continue
		}
		before := string(data[max(0, a.Span.Start-200):a.Span.Start])
		before = before[strings.LastIndexAny(before, ";{}")+1:]
		if !strings.Contains(before, "__device__") || strings.Contains(before, "__constant__") {
			continue
		}
		for _, t := range a.Targets {
			if n, isName := t.(*program.Name); isName {
				c.variables[n.Ident] = a
			}
		}
	}
}

// variable makes an object of a variable in global memory. What it holds at first is known where that is 0.
func (c *compiler) variable(a *program.Assign, name string) symbol {
	if a.Value != nil {
		if v := c.pure(a.Value)(nil); v != 0 {
			return symbol{array: true}
		}
	}
	v := symbol{object: true, base: c.base(name, false, kindOf(a.Type)), extent: len(a.Dims) > 0, strong: strings.Contains(a.Type, "volatile"), whole: true}
	c.declared[name] = v
	return v
}

// find is what a name stands for where the compiler is.
func (c *compiler) find(name string) (symbol, bool) {
	if v, ok := c.scope.find(name); ok {
		return v, true
	}
	if v, ok := c.declared[name]; ok {
		return v, true
	}
	if a := c.variables[name]; a != nil && c.program.kernel != nil {
		return c.variable(a, name), true
	}
	return symbol{}, false
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

// base is the object of a name.
func (c *compiler) base(name string, shared bool, kind wrap) int {
	if b, ok := c.bases[name]; ok {
		return b
	}
	if len(c.program.bases) == maxBases {
		return 0
	}
	b := len(c.program.bases)
	c.bases[name] = b
	c.program.bases = append(c.program.bases, base{name, shared, kind})
	return b
}

// kindOf is how the integers of a declared type overflow.
func kindOf(typ string) wrap {
	for _, w := range strings.FieldsFunc(typ, func(r rune) bool { return strings.ContainsRune(" *&<>,", r) }) {
		switch strings.TrimPrefix(w, "std::") {
		case "unsigned", "uint", "uint32_t", "Uint32":
			if strings.Contains(typ, "long") || strings.Contains(typ, "64") {
				return asIs
			}
			return uint32s
		case "int", "int32_t", "Int32":
			if strings.Contains(typ, "long") {
				return asIs
			}
			return int32s
		}
	}
	return asIs
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

func (c *compiler) declare(name string, kind wrap) symbol {
	if v, ok := c.scope.names[name]; ok && v.value == nil && !v.object && !v.array {
		return v
	}
	v := symbol{slot: c.temporary(), kind: kind}
	c.scope.names[name] = v
	return v
}

func constant(v int64) expr { return func(*env) int64 { return v } }

func local(slot int) expr { return func(e *env) int64 { return e.s[e.local+slot] } }

func lastWord(name string) string {
	if i := strings.LastIndexAny(name, ".:"); i >= 0 {
		return name[i+1:]
	}
	return name
}
