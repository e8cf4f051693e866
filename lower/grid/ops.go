package grid

import (
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/program"
)

func isTriple(k dialect.Kind) bool {
	return k == dialect.ThreadIdx || k == dialect.BlockIdx || k == dialect.BlockDim || k == dialect.GridDim
}

// isPure reports whether an operation only gives a value.
func isPure(k dialect.Kind) bool {
	switch k {
	case dialect.LaneIdx, dialect.WarpIdx, dialect.WarpGroupIdx, dialect.ElectOne, dialect.Uniform, dialect.Pure, dialect.ClusterRank, dialect.ClusterSize:
		return true
	}
	return isTriple(k)
}

// query is where a thread is.
func (c *compiler) query(op *dialect.Op) expr {
	k := c.kernel
	along := func(f func(t int) int64) expr {
		if axis := op.Text("axis", "x"); axis != "x" {
			n := int64(0)
			if op.Kind == dialect.BlockDim || op.Kind == dialect.GridDim {
				n = 1
			}
			return constant(n)
		}
		return func(e *env) int64 { return f(e.thread) }
	}
	switch op.Kind {
	case dialect.ThreadIdx:
		return along(func(t int) int64 { return int64(t % k.Block) })
	case dialect.BlockIdx:
		return along(func(t int) int64 { return int64(t / k.Block) })
	case dialect.BlockDim:
		return along(func(int) int64 { return int64(k.Block) })
	case dialect.GridDim:
		return along(func(int) int64 { return int64(k.CTAs) })
	case dialect.LaneIdx:
		return along(func(t int) int64 { return int64(t % k.Block % 32) })
	case dialect.WarpIdx:
		return along(func(t int) int64 { return int64(t % k.Block / 32) })
	case dialect.WarpGroupIdx:
		return along(func(t int) int64 { return int64(t % k.Block / 128) })
	case dialect.ElectOne:
		return along(func(t int) int64 { return truth(t%k.Block%32 == 0) })
	case dialect.ClusterRank:
		return along(func(t int) int64 { return int64(t / k.Block % k.Cluster) })
	case dialect.ClusterSize:
		return along(func(int) int64 { return int64(k.Cluster) })
	}
	return constant(unknown)
}

// resolve finds the one function of the file that a call can mean.
func (c *compiler) resolve(call *program.Call) *program.Function {
	var found *program.Function
	name := lastWord(pathOf(call.Fun))
	for _, fn := range c.file.Functions {
		if name == "" || fn.Name != name || fn.Kernel || len(call.Args) > len(fn.Params) || fn.Class != nil {
			continue
		}
		if found != nil {
			return nil
		}
		found = fn
	}
	return found
}

func (c *compiler) call(call *program.Call) expr {
	if op, ok := c.table.Call(call, nil); ok {
		return c.operation(&op)
	}
	if fn := c.resolve(call); fn != nil {
		return c.inline(fn, call)
	}
	name := lastWord(pathOf(call.Fun))
	if conversion := kindOf(name); conversion != asIs && len(call.Args) == 1 {
		v := c.expr(call.Args[0])
		return func(e *env) int64 { return conversion.of(v(e)) }
	}
	var args []expr
	for _, a := range call.Args {
		args = append(args, c.expr(a))
	}
	if (name == "min" || name == "max") && len(args) == 2 {
		return func(e *env) int64 {
			less := binary("<", args[0](e), args[1](e))
			switch {
			case isUnknown(less):
				return unknown
			case (less != 0) == (name == "min"):
				return args[0](e)
			}
			return args[1](e)
		}
	}
	if !harmless[name] {
		c.fail("what " + call1(name) + " does is not known here")
	}
	return constant(unknown)
}

func call1(name string) string {
	if name == "" {
		return "this call"
	}
	return name
}

// inline puts a function of the file in place of its call.
func (c *compiler) inline(fn *program.Function, call *program.Call) expr {
	if len(c.calls) >= maxInline || len(c.code) >= maxCode-1 {
		c.fail("calls are nested too deeply")
		return constant(unknown)
	}
	names := map[string]symbol{}
	for i, p := range fn.Params {
		switch {
		case i < len(call.Args) && p.Ref:
			n, ok := call.Args[i].(*program.Name)
			if !ok {
				n = &program.Name{}
			}
			v, found := c.find(n.Ident)
			if !found {
				c.fail("a reference to this argument is not followed")
			}
			names[p.Name] = v
		case i < len(call.Args):
			names[p.Name] = c.argument(p, c.expr(call.Args[i]))
		case p.Default != nil:
			names[p.Name] = c.argument(p, c.expr(p.Default))
		}
	}
	for _, k := range call.Keywords {
		names[k.Name] = c.argument(program.Param{Name: k.Name}, c.expr(k.Value))
	}
	for i, t := range fn.Template {
		if i < len(call.Template) {
			names[t.Name] = symbol{value: c.expr(call.Template[i])}
		}
	}
	r := &returns{slot: c.temporary()}
	saved, loops, outer := c.scope, c.loops, c.outer
	c.scope, c.loops, c.outer = &scope{names: names, returns: r}, nil, c.at
	c.calls = append(c.calls, fn)
	c.block(fn.Body)
	c.calls = c.calls[:len(c.calls)-1]
	for _, at := range r.from {
		c.code[at].target = len(c.code)
	}
	c.scope, c.loops, c.outer = saved, loops, outer
	return local(r.slot)
}

// argument is a parameter with its value, which is that of the time of the call.
func (c *compiler) argument(p program.Param, v expr) symbol {
	kind := kindOf(p.Type)
	if strings.Contains(p.Type, "*") {
		kind = asIs
	}
	s := symbol{slot: c.temporary(), kind: kind, strong: strings.Contains(p.Type, "volatile")}
	c.emit(instr{op: opCompute, dst: s.slot, a: v, kind: kind})
	return s
}

// operation emits an operation of the dialect.
func (c *compiler) operation(op *dialect.Op) expr {
	at := func(name string) expr {
		if x := op.Expr(name); x != nil {
			return c.expr(x)
		}
		return nil
	}
	if isPure(op.Kind) && op.Kind != dialect.Uniform && op.Kind != dialect.Pure {
		return c.query(op)
	}
	switch op.Kind {
	case dialect.Fence, dialect.FenceProxy, dialect.Nanosleep, dialect.GridDepWait, dialect.GridDepLaunch, dialect.MbarrierInitFence:
		return constant(unknown)
	case dialect.Pure, dialect.Uniform:
		x := at("x")
		if x == nil {
			return constant(unknown)
		}
		if op.Kind == dialect.Uniform && c.kernel.Block > 1 && c.usesThreadIdx(op.Expr("x")) {
			c.fail("an exchange between lanes is not followed")
		}
		return x
	case dialect.CtaSync, dialect.WarpSync, dialect.GridSync:
		kind := map[dialect.Kind]int64{dialect.CtaSync: ofCTA, dialect.WarpSync: ofWarp, dialect.GridSync: ofGrid}[op.Kind]
		c.emit(instr{op: opBarrier, a: constant(kind)})
		return constant(unknown)
	case dialect.Load, dialect.Store, dialect.AtomicAdd, dialect.AtomicSub, dialect.AtomicMax, dialect.AtomicExch, dialect.AtomicCas, dialect.Reduce:
		return c.memory(op, at)
	case dialect.Trap:
		c.fail("a trap")
		return constant(unknown)
	}
	c.fail("a " + strings.ReplaceAll(string(op.Kind), "_", " ") + " is not followed")
	return constant(unknown)
}

// usesThreadIdx reports whether an expression may differ between lanes.
func (c *compiler) usesThreadIdx(x program.Expr) bool {
	found := false
	program.WalkExprs(x, func(e program.Expr) bool {
		switch e.(type) {
		case *program.Int, *program.Binary:
		default:
			found = true
		}
		return !found
	})
	return found
}

// functions of atomics that the dialect has as one.
var functions = map[string]string{
	"atomicMax": "max", "atomicMin": "min", "atomicAnd": "&", "atomicOr": "|", "atomicXor": "^", "atomicInc": "inc",
	"atomic_max": "max", "atomic_min": "min", "atomic_and": "&", "atomic_or": "|", "atomic_xor": "^",
}

func (c *compiler) memory(op *dialect.Op, at func(string) expr) expr {
	ptr := at("ptr")
	if ptr == nil {
		c.fail("the address is not known here")
		return constant(unknown)
	}
	strong := false
	switch op.Text("sem", "") {
	case "acquire", "relaxed", "volatile", "sc", "acq_rel", "release":
		strong = true
	}
	value := at("value")
	if value == nil {
		value = constant(1)
	}
	switch op.Kind {
	case dialect.Load:
		return c.load(ptr, strong)
	case dialect.Store:
		c.emit(instr{op: opStore, ptr: ptr, a: value, strong: strong})
		return constant(unknown)
	}
	in := instr{op: opUpdate, ptr: ptr, a: value, dst: c.temporary()}
	switch op.Kind {
	case dialect.AtomicAdd:
		in.fn = "+"
	case dialect.AtomicSub:
		in.fn = "-"
	case dialect.AtomicExch:
		in.fn = "exch"
	case dialect.AtomicCas:
		if in.a = at("cmp"); in.a == nil {
			c.fail("an atomic without its operands")
			return constant(unknown)
		}
		in.fn, in.b = "cas", value
	case dialect.Reduce:
		in.fn = map[string]string{"add": "+", "and": "&", "or": "|", "xor": "^", "max": "max", "min": "min"}[op.Text("op", "add")]
	default:
		if in.fn = functions[lastWord(op.Name)]; in.fn == "" && op.Instr != nil {
			for word, fn := range map[string]string{"max": "max", "min": "min", "and": "&", "or": "|", "xor": "^", "inc": "inc"} {
				if op.Instr.Has(word) {
					in.fn = fn
				}
			}
		}
	}
	if in.fn == "" {
		c.fail("this atomic is not followed")
		return constant(unknown)
	}
	c.emit(in)
	return local(in.dst)
}

// asm emits inline PTX of one memory instruction.
func (c *compiler) asm(s *program.Asm) {
	if s.Template == nil || len(s.Instrs) != 1 || len(s.Outputs) > 1 {
		c.fail("inline PTX of more than one instruction is not followed")
		return
	}
	i := &s.Instrs[0]
	ops := c.table.Instr(i, s)
	if len(ops) != 1 || i.Pred != "" {
		if len(ops) == 0 && len(s.Outputs) == 0 && i.Op != "bra" && i.Op != "trap" {
			c.fail("inline PTX that is not known: " + i.Op)
			return
		}
		for _, o := range s.Outputs {
			c.set1(o.X, "=", constant(unknown))
		}
		if len(s.Outputs) == 0 {
			c.fail("inline PTX that is not followed: " + i.Op)
		}
		return
	}
	v := c.operation(&ops[0])
	for _, o := range s.Outputs {
		c.set1(o.X, "=", v)
	}
}
