package cuda

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/program"
)

// Limits against hostile input.
const (
	maxRead    = 512 // functions of a file that may be
	maxAlone   = 64  // of these, looked at by themselves
	rootAt     = 1 << 19
	maxBuffers = 28 // that a function is given, each of rootAt bytes
)

// Root is a function of the device that may be looked at by itself, whether something of its name is called as far as the text says, and the files that were
// looked through for that.
type Root struct {
	Function *program.Function
	Called   bool
	Files    []string
}

// Roots lists the functions of a file that may be looked at by themselves: those of the device that synchronize or have shared memory, or call one
// that does. First those that nothing in the file names, or in those that include it.
func Roots(f *program.File, t *dialect.Table, files Files) (out []Root) {
	defer func() {
		if recover() != nil { // what cannot be indexed has none
			out = nil
		}
	}()
	c := newCompiler(f, t, &program.Function{}, files)
	named := c.namers()
	syncs := map[*program.Function]bool{}
	for _, fn := range f.Functions {
		if len(out) == maxRead {
			break
		}
		if fn.Kernel || fn.Macro || fn.Outer != nil || fn.Destructor || fn.Conversion != "" || len(fn.Body) == 0 || fn.Class != nil && fn.Name == fn.Class.Name || !c.ofDevice(fn) || !c.meets(fn, syncs, 0) {
			continue
		}
		calls := func(by []*program.Function) bool {
			return slices.ContainsFunc(by, func(g *program.Function) bool { return g != fn })
		}
		word := fn.Name
		if fn.Operator != "" { // what is called is an object: whoever names the class may have one
			if fn.Class == nil {
				continue
			}
			word = fn.Class.Name
		}
		r := Root{fn, calls(named[word]), []string{f.Source.Name}}
		if files != nil && !r.Called {
			for _, g := range files.Launchers(f, word) {
				r.Files = append(r.Files, g.Source.Name)
				r.Called = r.Called || speaksOf(g, word)
			}
		}
		out = append(out, r)
	}
	slices.SortStableFunc(out, func(a, b Root) int { return cmp.Compare(boolean(a.Called), boolean(b.Called)) })
	return out[:min(len(out), maxAlone)]
}

// ofDevice reports whether a function is compiled for the device, by what stands before it, or by what it does: a word before it may be a macro of a header that
// is not there.
func (c *compiler) ofDevice(fn *program.Function) bool {
	return slices.ContainsFunc(fn.Qualifiers, func(q string) bool {
		return q == "__device__" || slices.ContainsFunc(c.files, func(f *program.File) bool { return f.Device[q] })
	}) || c.onlyDevice(fn)
}

// onlyDevice reports whether the body of a function is none that the host could have: it asks which thread it is, declares shared memory, or calls what CUDA has for
// the device alone. Functions without a name in it are compiled for the device by themselves.
func (c *compiler) onlyDevice(fn *program.Function) (yes bool) {
	for _, st := range fn.Body {
		program.Walk(st, func(n program.Node) bool {
			switch n := n.(type) {
			case *program.Lambda:
				return false
			case *program.Assign:
				yes = yes || n.Decl && n.Shared
			case *program.Attr:
				id, is := n.X.(*program.Name)
				yes = yes || is && (id.Ident == "threadIdx" || id.Ident == "blockIdx") && (n.Name == "x" || n.Name == "y" || n.Name == "z")
			case *program.Call:
				id, is := n.Fun.(*program.Name)
				yes = yes || is && strings.HasPrefix(id.Ident, "__") && c.synchronizes(n)
			}
			return !yes
		})
	}
	return yes
}

// synchronizes reports whether a call is of an operation of CUDA's in which threads meet, by its name.
func (c *compiler) synchronizes(x *program.Call) bool {
	name := identOf(x.Fun)
	_, is := c.table.Call(x, func(program.Expr) string { return "" })
	_, shuffles := shuffles[name]
	return is || shuffles || taken[name] > 0 || withoutMask[name] != ""
}

// meets reports whether the text of a function, or of one that it names, may have a barrier or shared memory: what it has is asked of its IR.
func (c *compiler) meets(fn *program.Function, known map[*program.Function]bool, depth int) bool {
	if yes, is := known[fn]; is || depth > maxInline {
		return yes
	}
	known[fn] = false // one that calls itself
	in := c.of[fn]
	yes := false
	if in != nil {
		text := in.Source.Text(fn.Span)
		yes = strings.Contains(text, "__shared__") || strings.Contains(text, "sync") || strings.Contains(text, "bar") // __syncthreads, block.sync(), bar.sync, barrier
	}
	for _, st := range fn.Body {
		if yes {
			break
		}
		each(st, func(name string) {
			for _, g := range c.functions[name] {
				yes = yes || g != fn && c.meets(g, known, depth+1)
			}
		})
	}
	known[fn] = yes
	return yes
}

// each hands out the names in a statement or an expression, without their scopes.
func each(n program.Node, note func(string)) {
	program.WalkExprs(n, func(x program.Expr) bool {
		switch x := x.(type) {
		case *program.Name:
			note(lastName(x.Ident))
		case *program.Attr:
			note(x.Name)
		}
		return true
	})
}

// namers are the functions of the kernel's file that name something, by that name.
func (c *compiler) namers() map[string][]*program.Function {
	out := map[string][]*program.Function{}
	for _, fn := range c.file.Functions {
		for _, st := range fn.Body {
			each(st, func(name string) {
				if by := out[name]; len(by) == 0 || by[len(by)-1] != fn {
					out[name] = append(by, fn)
				}
			})
		}
	}
	return out
}

// speaksOf reports whether a function of a file, or what it declares, names something.
func speaksOf(f *program.File, word string) (yes bool) {
	for _, fn := range f.Functions {
		for _, st := range fn.Body {
			each(st, func(name string) { yes = yes || name == word })
		}
		if yes {
			return true
		}
	}
	for _, st := range f.Body {
		if a, is := st.(*program.Assign); is && a.Value != nil {
			each(a.Value, func(name string) { yes = yes || name == word })
		}
	}
	return yes
}

// Alone is a function that is looked at by itself, as the IR of a kernel that calls it.
type Alone struct {
	*ir.Kernel
	Called bool            // something calls it
	Held   bool            // nothing is wrong with it, and all of it was followed
	Whole  bool            // threads of the CTA meet in it: all of them call it
	Warp   bool            // all lanes of a warp meet in it, with their memory
	Lanes  bool            // lanes meet in it
	Shared bool            // it has shared memory of its own
	Inputs map[string]bool // that are the same for all threads for sure
	Params map[string]bool // shared variables that stand for memory that it is handed: where each is, is the caller's business
}

// TranslateAlone makes the IR of a kernel that calls a function of the device once, or twice in a row. What pointers and references to objects lead to are buffers
// apart from each other, in memory that all threads of the CTA have; what numbers it is given, each thread knows, but for those that decide alone whether threads come to a
// barrier of the CTA: these all threads have alike, or the barrier is not for them. A number of its template is the guess, but for those of which numbers says otherwise.
func TranslateAlone(f *program.File, t *dialect.Table, fn *program.Function, files Files, guess int64, numbers map[string]int64, twice bool) (a *Alone, guessed bool, err error) {
	err = refitted(numbers, func(fit map[string]int64) (err error) {
		a, guessed, err = translateAlone(f, t, fn, files, guess, fit, twice)
		return err
	})
	return a, guessed, err
}

func translateAlone(f *program.File, t *dialect.Table, fn *program.Function, files Files, guess int64, fit map[string]int64, twice bool) (a *Alone, guessed bool, err error) {
	defer func() {
		if p := recover(); p != nil {
			a, guessed = nil, false
			if u, ok := p.(unsupported); ok {
				err = fmt.Errorf("function %s: %w", fn.Name, u.why)
				if u.not {
					err = fmt.Errorf("function %s: %w: %w", fn.Name, u.why, u.excluded())
				}
			} else {
				err = fmt.Errorf("function %s: internal error, please report it: %v", fn.Name, p)
			}
		}
	}()
	first := newCompiler(f, t, fn, files)
	first.guess, first.fit = guess, fit
	r := &alone{c: first, fn: fn, all: true}
	r.translate(1)
	if err := ir.Verify(first.code); err != nil {
		return nil, false, err
	}
	c := newCompiler(f, t, fn, files)
	c.guess, c.fit = guess, fit
	same := alike(first.code, r.given)
	r = &alone{c: c, fn: fn, same: same}
	calls := 1
	if twice {
		calls = 2
	}
	r.translate(calls)
	if err := ir.Verify(c.code); err != nil {
		return nil, false, err
	}
	for _, name := range c.code.Guesses { // constants that the text does not say
		same[name] = true
	}
	out := &Alone{Kernel: c.code, Inputs: same, Params: r.params, Shared: len(c.shared) > 0}
	for k := range c.code.Insts {
		in := &c.code.Insts[k]
		out.Whole = out.Whole || in.Op == ir.BarrierCTA
		out.Lanes = out.Lanes || in.Op == ir.BarrierWarp || in.Flags&ir.Meets != 0
		out.Warp = out.Warp || in.Op == ir.BarrierWarp && in.Members.Reg == -1 && in.Members.Imm&everyLane == everyLane
	}
	return out, c.guessed, nil
}

// alike are the numbers that a function is given and that all threads have alike: of a branch around a barrier of the CTA that nothing else
// decides but what is the same for all, or of one that ends a loop with such a barrier: with others, threads would not meet in each of its rounds. And where all threads of
// the CTA come together, what their numbers are compared with, or indices made of these: how many there are of something.
func alike(k *ir.Kernel, given map[string]bool) map[string]bool {
	k = k.Reduced(false)
	u := k.Uniformity()
	same := map[string]bool{}
	var sets [][]string
	for pc := range k.Insts {
		in := &k.Insts[pc]
		if in.Op != ir.Branch || in.Guard < 0 || u.Predicates[in.Guard] != ir.UniformCTA && !k.Leaves(int32(pc)) {
			continue
		}
		if !slices.ContainsFunc(k.RegionOf(int32(pc)).Insts, func(n int32) bool { return k.Insts[n].Op == ir.BarrierCTA }) {
			continue
		}
		names, memory := k.InputsOf(in)
		if memory {
			continue
		}
		sets = append(sets, slices.DeleteFunc(names, func(n string) bool { return !given[n] }))
	}
	if slices.ContainsFunc(k.Insts, func(in ir.Inst) bool { return in.Op == ir.BarrierCTA }) {
		for name := range sizes(k, given) {
			same[name] = true
		}
	}
	for again := true; again; {
		again = false
		for _, set := range sets {
			left := slices.DeleteFunc(slices.Clone(set), func(n string) bool { return same[n] })
			if len(left) == 1 {
				same[left[0]], again = true, true
			}
		}
	}
	return same
}

// sizes are the numbers that a function is given, and that indices which are made of the threads' numbers are compared with.
func sizes(k *ir.Kernel, given map[string]bool) map[string]bool {
	out := map[string]bool{}
	u := k.Uniformity()
	of := func(o ir.Operand) (numbers []string, threads bool) {
		names, memory := k.InputsOf(&ir.Inst{Op: ir.Move, Guard: -1, A: o, B: ir.None, C: ir.None})
		if memory {
			return nil, false
		}
		for _, name := range names {
			if given[name] {
				numbers = append(numbers, name)
			}
		}
		return numbers, u.Of(o, ir.Register) != ir.UniformCTA // and no memory: it is made of the threads' numbers
	}
	for n := range k.Insts {
		in := &k.Insts[n]
		if in.Op != ir.Setp || in.Mode == ir.Equal || in.Mode == ir.NotEqual {
			continue
		}
		a, ofThreads := of(in.A)
		b, threads := of(in.B)
		switch {
		case ofThreads && !threads && len(b) == 1:
			out[b[0]] = true
		case threads && !ofThreads && len(a) == 1:
			out[a[0]] = true
		}
	}
	return out
}

// alone translates a function by itself.
type alone struct {
	c      *compiler
	fn     *program.Function
	all    bool            // all numbers are inputs
	same   map[string]bool // or those
	given  map[string]bool // numbers
	params map[string]bool
	kept   map[string]*variable // buffers
	at     int64
	// constant are the parameters that are references to const, and fixed the numbers of these, by the variables that stand for them: nobody writes them through the reference.
	constant map[string]bool
	fixed    map[uint16]bool
}

func (r *alone) translate(calls int) {
	c, fn := r.c, r.fn
	r.given, r.params, r.kept, r.constant, r.fixed = map[string]bool{}, map[string]bool{}, map[string]*variable{}, map[string]bool{}, map[uint16]bool{}
	c.at, c.entry, c.alone, c.root = fn.NameSpan, fn, fn, r
	c.scope = newScope(c.scope)
	file := c.scope
	c.scope.fn = &activation{fn: fn, end: c.label(), outermost: c.scope}
	var of *ctype
	if fn.Class != nil {
		of = r.class(fn.Class)
	}
	for range calls {
		c.scope = file
		r.call(of)
	}
	c.bind(file.fn.end)
	c.at, c.placed = fn.NameSpan, false
	if slices.ContainsFunc(c.code.Insts, func(in ir.Inst) bool { return in.Op == ir.BarrierCTA }) { // threads that leave it have not ended: they meet the others again
		c.synchronize(0)
	}
	c.emit(blank(ir.Return))
	c.code.Functions = [][2]int32{{0, int32(len(c.code.Insts))}}
	c.code.Called = []string{fn.Name}
	if len(c.code.Insts) > maxInsts {
		c.refuse(limit.Size, "it is too large with what it calls")
	}
	c.finish()
}

// call translates the function's body once.
func (r *alone) call(of *ctype) {
	c, fn := r.c, r.fn
	var this *place
	if of != nil {
		this = &place{t: of, object: r.value("this", of)}
		c.scope = newScope(of.env)
	} else {
		c.scope = newScope(c.scope)
	}
	c.scope.fn = &activation{fn: fn, end: c.label(), outermost: c.scope}
	if of != nil {
		c.scope.fn.instance = of.instanceName()
	}
	c.templates(fn, nil, nil, this)
	if this != nil {
		c.scope.names["this"] = &variable{t: of, reg: -1, alias: this}
		for _, f := range of.fields {
			c.scope.names[f.name] = &variable{t: f.t, reg: -1, alias: c.memberOf(this, f.name)}
		}
	}
	for _, p := range fn.Params {
		switch {
		case p.Name == "":
		case p.Star > 0: // of any number of things none
			c.scope.names[p.Name] = &variable{t: opaqueType(""), reg: -1, several: true}
		default:
			c.scope.names[p.Name] = r.parameter(p)
		}
	}
	act := c.scope.fn
	if fn.Result != "void" && fn.Result != "" {
		t, s := c.typeOf(fn.Result), c.spelled(fn.Result)
		act.result = &variable{reg: -1}
		if t != nil && !t.pointer() && !s.reference && !t.opaque {
			*act.result = *c.local("%r", t)
		}
		act.reference = s.reference
	}
	c.body(fn.Body)
	c.bind(act.end)
}

// class is the class of a method, its template with what is guessed for it.
func (r *alone) class(k *program.Class) *ctype {
	c := r.c
	if k.Enum || k.Union {
		c.refuse(limit.Source, "its class is not understood")
	}
	around := c.scope
	if outer, _ := program.SplitName(k.Qualified); outer != "" {
		if o := c.byName[outer].first(); o != nil && o != k {
			around = r.class(o).env
		}
	}
	var args []argument
	for _, p := range k.Template {
		a := argument{text: p.Name}
		switch {
		case p.Star > 0: // of any number of things none
			c.assume("nothing is given for " + p.Name)
			if len(k.Arguments) == 0 {
				continue
			}
		case p.Type == "typename":
			a.t = opaqueType(p.Name)
		case p.Default == nil:
			n := c.numberFor(p.Name)
			a.number, c.guessed = &n, true
			c.code.Guesses = append(c.code.Guesses, p.Name)
			c.assume(fmt.Sprintf("%s is %d", p.Name, n))
		default:
			a = c.argumentOf(p.Default)
		}
		args = append(args, a)
	}
	var t *ctype
	if len(k.Arguments) > 0 {
		t = c.specialisation(k, args, around)
	} else {
		t = c.instance(k, args, around)
	}
	if t.class != k || t.env == nil {
		c.refuse(limit.Source, "its class is not understood")
	}
	return t
}

// specialisation is an instance of a class that is one of a template's specialisations, by what is given for its own parameters.
func (c *compiler) specialisation(k *program.Class, own []argument, around *scope) *ctype {
	before := c.scope
	c.scope = newScope(around)
	bound := map[program.Param]argument{}
	for n, p := range k.Template {
		if p.Star > 0 {
			c.pack(p.Name, nil)
			continue
		}
		plain := program.Param{Name: p.Name, Type: p.Type}
		bound[plain] = own[n]
		c.bound(plain, own[n])
	}
	var args []argument
	for _, x := range k.Arguments {
		args = append(args, c.argumentOf(x))
	}
	around, c.scope = c.scope, before
	return c.laidOut(k, args, bound, around)
}

// parameter declares one of the function's.
func (r *alone) parameter(p program.Param) *variable {
	c := r.c
	t := c.typeOr(p.Type)
	if t.groups != 0 {
		return c.holding(p.Name, t, value{t: t, op: ir.Operand{Reg: c.nothing}})
	}
	if p.Default != nil && t.scalarLike() && !t.pointer() {
		return c.holding(p.Name, t, c.expr(p.Default))
	}
	if s := c.spelled(p.Type); (s.reference || p.Ref) && !t.pointer() {
		if t.fields == nil && !opens(r.fn, p.Name) {
			return r.value(p.Name, t)
		}
		r.constant[p.Name] = slices.Contains(tokens(p.Type).list, "const")
		return r.referred(p.Name, t)
	}
	return c.holding(p.Name, t, c.load(&place{t: t, object: r.value(p.Name, t)}))
}

// value is an object that the function is given.
func (r *alone) value(name string, t *ctype) *variable {
	c := r.c
	switch {
	case t.pointer() && (t.to.pointer() || t.to.opaque && t.to != voidType):
		return &variable{t: pointerTo(t.to, ir.Generic), reg: c.nothing}
	case t.pointer():
		b := r.buffer(name, t.to)
		v := c.local(name, pointerTo(t.to, ir.Shared))
		c.move(v, value{t: v.t, op: b.memory.base})
		return v
	case t.array, t.opaque && t.fields == nil, t.closure != nil:
		return &variable{t: t, reg: -1, lost: true}
	case t.fields != nil && len(t.fields) <= maxMembers:
		v := &variable{t: t, reg: -1, parts: map[string]*variable{}}
		for _, f := range t.fields {
			if f.to != nil {
				v.parts[f.name] = r.referred(name+"."+f.name, f.to)
			} else {
				v.parts[f.name] = r.value(name+"."+f.name, f.t)
			}
		}
		return v
	case t.integer() && !t.boolean && (r.all || r.same[name]):
		r.given[name], c.formal[name] = true, true
		v := c.local(name, t)
		c.move(v, value{t: t, op: ir.Operand{Reg: r.slot(name, t)}})
		return v
	}
	v := c.local(name, t)
	if t.scalarLike() {
		c.set(v, c.unknown(t))
	}
	return v
}

// slot is an input of the name, for each call the same.
func (r *alone) slot(name string, t *ctype) int32 {
	c := r.c
	if n, known := c.inputs[name]; known {
		return n
	}
	c.code.Formals = append(c.code.Formals, name)
	c.inputs[name] = c.slot(name, name, 0, t.number, false)
	return c.inputs[name]
}

// buffer is memory that the function is handed a way to, for each call the same. How large it is, is not known.
func (r *alone) buffer(name string, t *ctype) *variable {
	c := r.c
	if v := r.kept[name]; v != nil {
		return v
	}
	if r.at++; r.at > maxBuffers {
		c.refuse(limit.Size, "it is handed more than %d buffers", maxBuffers)
	}
	v := &ir.Variable{Name: c.unique(name), Space: "shared", Elem: max(t.size, 1), Size: -1, At: r.at * rootAt}
	c.code.Variables[v.Name] = v
	c.numbers++
	c.order[v] = c.numbers
	r.params[v.Name] = true
	out := &variable{t: t, reg: -1, memory: &memory{space: ir.Shared, base: ir.Operand{Reg: -1, Imm: v.At, Of: uint16(c.numbers)}}}
	r.kept[name] = out
	return out
}
