package reference

import "github.com/fencepost-dev/fencepost/judge/kernel"

// event is one thing that a thread does which others can notice.
type event struct {
	kind    kind
	object  int // index of an array, of an mbarrier, or the id of a named barrier
	element int // of the array
	other   int // of a bulk copy: its mbarrier
	n       int // elements, threads, arrivals, bytes, parity, groups
	value   int64
	at      *kernel.Stmt
}

type kind uint8

const (
	read kind = iota
	write
	atomic
	warpSync // n is the mask; up to namedArrive it is a barrier of warps
	elect    // the same, that orders no memory (PTX ISA 9.7.13.14)
	namedSync
	namedArrive
	initGate
	arrive
	expect
	wait
	bulkCopy
	copyAsync
	commitGroup
	waitGroup
)

// wide is the number of threads of a barrier for all of the CTA.
const wide = -1

// steps is how many statements a thread may execute.
const steps = 5000

// thread executes the kernel for one thread. Nothing it does hangs on others: what it reads from memory is data, and data that
// decide something make the execution undefined.
type thread struct {
	k      *kernel.Kernel
	id     int
	names  []string
	values []number
	bound  []binding
	events []event
	left   int
}

// binding says what a name of an array or of mbarriers stands for.
type binding struct {
	name   string
	object int
	offset int64
	gate   bool
}

// signal is how a list of statements ended.
type signal uint8

const (
	fell signal = iota
	broke
	continued
	returned
)

// trace executes thread id with values of the run-time parameters.
func trace(k *kernel.Kernel, id int, params []int64) (events []event) {
	t := &thread{k: k, id: id, left: steps, events: make([]event, 0, 64)}
	for i, n := range k.Params {
		t.declare(n, number{v: params[i]})
	}
	for i, a := range k.Arrays {
		t.bound = append(t.bound, binding{name: a.Name, object: i})
	}
	first := 0
	for _, b := range k.Barriers {
		t.bound = append(t.bound, binding{name: b.Name, object: first, gate: true})
		first += b.Length
	}
	t.list(k.Body)
	return t.events
}

func (t *thread) declare(name string, v number) {
	t.names, t.values = append(t.names, name), append(t.values, v)
}

func (t *thread) variable(name string) *number {
	for i := len(t.names) - 1; i >= 0; i-- {
		if t.names[i] == name {
			return &t.values[i]
		}
	}
	panic(undefined("no variable " + name))
}

func (t *thread) place(name string) binding {
	for i := len(t.bound) - 1; i >= 0; i-- {
		if t.bound[i].name == name {
			return t.bound[i]
		}
	}
	panic(undefined("no array " + name))
}

func (t *thread) spend() {
	if t.left--; t.left < 0 {
		panic(undefined("too many steps"))
	}
}

// list executes statements in a scope of their own.
func (t *thread) list(list []*kernel.Stmt) signal {
	n := len(t.names)
	how := fell
	for _, s := range list {
		if how = t.stmt(s); how != fell {
			break
		}
	}
	if t.k.Language == kernel.CUDA { // Python's scopes are functions
		t.names, t.values = t.names[:n], t.values[:n]
	}
	return how
}

func (t *thread) stmt(s *kernel.Stmt) signal {
	t.spend()
	switch s.Op {
	case kernel.Declare:
		v := t.eval(s.A)
		t.declare(s.Name, number{fit(v.v, s.Type), s.Type, v.data})
	case kernel.Assign:
		v := t.eval(s.A)
		to := t.variable(s.Name)
		to.v, to.data = fit(v.v, to.t), v.data
	case kernel.If:
		if t.decide(s.A) {
			return t.list(s.Body)
		}
		return t.list(s.Else)
	case kernel.For:
		return t.loop(s)
	case kernel.While:
		for t.decide(s.A) {
			t.spend()
			if how := t.list(s.Body); how == broke {
				break
			} else if how == returned {
				return how
			}
		}
	case kernel.Break:
		return broke
	case kernel.Continue:
		return continued
	case kernel.Return:
		return returned
	case kernel.Elect:
		if t.k.Language == kernel.CuTe { // elect.sync; CUDA asks for the lane
			t.events = append(t.events, event{kind: elect, n: 1<<32 - 1, at: s})
		}
		if t.id%32 == 0 {
			return t.list(s.Body)
		}
	case kernel.Call:
		t.call(s)
	case kernel.Stand:
		t.eval(s.A)
	default:
		t.operation(s)
	}
	return fell
}

func (t *thread) loop(s *kernel.Stmt) signal {
	n := len(t.names)
	t.declare(s.Name, number{v: t.known(s.A)})
	for {
		t.spend()
		i := t.variable(s.Name).v
		step := t.known(s.C)
		if step <= 0 {
			panic(undefined("a loop that does not go on"))
		}
		if i >= t.known(s.B) {
			break
		}
		how := t.list(s.Body)
		if how == broke {
			break
		} else if how == returned {
			return how
		}
		if how == continued && s.Form == kernel.AsWhile {
			continue // which is printed at the end of the body
		}
		t.variable(s.Name).v = i + step
	}
	if t.k.Language == kernel.CUDA && s.Form != kernel.AsWhile {
		t.names, t.values = t.names[:n], t.values[:n]
	}
	return fell
}

func (t *thread) call(s *kernel.Stmt) {
	f := t.k.Function(s.Name)
	names, bound := len(t.names), len(t.bound)
	values := make([]number, len(s.Args))
	bindings := make([]binding, len(s.Args))
	for i, a := range s.Args {
		switch f.Params[i].Kind {
		case kernel.Number:
			v := t.eval(a)
			values[i] = number{fit(v.v, f.Params[i].Type), f.Params[i].Type, v.data}
		case kernel.Pointer:
			bindings[i] = t.place(a.Name)
			bindings[i].offset += t.known(a.Args[0])
		case kernel.Gate:
			bindings[i] = t.place(a.Name)
		}
	}
	for i, p := range f.Params {
		if p.Kind == kernel.Number {
			t.declare(p.Name, values[i])
		} else {
			bindings[i].name = p.Name
			t.bound = append(t.bound, bindings[i])
		}
	}
	t.list(f.Body)
	t.names, t.values, t.bound = t.names[:names], t.values[:names], t.bound[:bound]
}

// decide evaluates a condition.
func (t *thread) decide(e *kernel.Expr) bool { return t.known(e) != 0 }

// known evaluates what must not hang on data.
func (t *thread) known(e *kernel.Expr) int64 {
	v := t.eval(e)
	if v.data {
		panic(undefined("data decide"))
	}
	return v.v
}

func (t *thread) eval(e *kernel.Expr) number {
	switch e.Op {
	case kernel.Const:
		return number{v: e.Value, t: e.Type}
	case kernel.Tid:
		of := t.k.Index
		if t.k.Language == kernel.CUDA && e.Form == 1 {
			of = kernel.Unsigned
		}
		return number{v: int64(t.id), t: of}
	case kernel.Warp:
		return number{v: int64(t.id / 32)}
	case kernel.Lane:
		return number{v: int64(t.id % 32)}
	case kernel.Var:
		return *t.variable(e.Name)
	case kernel.Both, kernel.Either:
		a := t.eval(e.Args[0])
		if (a.v != 0) == (e.Op == kernel.Either) {
			return truth(a.v != 0, a)
		}
		b := t.eval(e.Args[1])
		return truth(b.v != 0, a, b)
	case kernel.Not:
		a := t.eval(e.Args[0])
		return truth(a.v == 0, a)
	case kernel.Cast:
		a := t.eval(e.Args[0])
		return number{fit(a.v, e.Type), e.Type, a.data}
	case kernel.Select:
		c := t.eval(e.Args[0])
		a, b := t.eval(e.Args[1]), t.eval(e.Args[2])
		of := t.k.Language.Common(a.t, b.t)
		if c.v == 0 {
			a = b
		}
		return number{fit(a.v, of), of, a.data || c.data}
	}
	return operate(t.k.Language, e.Op, t.eval(e.Args[0]), t.eval(e.Args[1]))
}
