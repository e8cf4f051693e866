// Package cuda translates kernels of CUDA C++ from their text to the IR: statement by statement, functions and methods in place of their
// calls, templates with what they are given. It is tolerant: what it does not understand may do anything to what it is handed, so that nothing
// is proved behind it; where control cannot be followed, the execution ends, with the reason. What is taken for granted is among the kernel's assumptions.
package cuda

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
	ints "github.com/fencepost-dev/fencepost/integer"
	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/source"
)

// Limits against hostile input.
const (
	maxInline    = 40      // calls within each other
	maxRecursion = 400     // static constants of class templates that are made of those of others
	maxAgain     = 3       // calls of a function within itself where it is not known how it is compiled
	maxInsts     = 1 << 16 // of a kernel
	maxUnroll    = 64      // elements of an array of a thread's own that are followed
	dynamicAt    = 1 << 18 // where dynamic shared memory lies
	maxMembers   = 64
	farAt        = 1 << 19 // where shared arrays lie of which it is not known how large they are
	farBits      = 14
	maxFar       = 30
	maxFiles     = 256
	maxWork      = 1 << 19 // expressions, those of macros and of functions in place as often as they are used
)

// Translate makes the IR of a __global__ function. The other files of its tree may be nil. A number that its template
// is given, and no launch says, is the guess, which is then among what is assumed, and guessed says so.
func Translate(f *program.File, t *dialect.Table, kernel *program.Function, files Files, guess int64) (k *ir.Kernel, guessed bool, err error) {
	return TranslateOtherwise(f, t, kernel, files, guess, nil)
}

// TranslateOtherwise is Translate with other numbers for some parameters of the kernel's template, those that the guess has left out text for.
func TranslateOtherwise(f *program.File, t *dialect.Table, kernel *program.Function, files Files, guess int64, numbers map[string]int64) (k *ir.Kernel, guessed bool, err error) {
	defer func() { // the other kernels of the file are read all the same
		if p := recover(); p != nil {
			k, guessed, err = nil, false, fmt.Errorf("kernel %s: internal error, please report it: %v", kernel.Name, p)
		}
	}()
	return translate(f, t, kernel, files, guess, numbers)
}

// translate makes the IR of all instances of a kernel's template that are launched: the others of them stand in the first.
func translate(f *program.File, t *dialect.Table, kernel *program.Function, files Files, guess int64, numbers map[string]int64) (k *ir.Kernel, guessed bool, err error) {
	others := elsewhere{}
	k, guessed, instances, err := instanceOf(f, t, kernel, files, guess, numbers, 0, others)
	for which := 1; err == nil && which < instances; which++ {
		other, more, _, err := instanceOf(f, t, kernel, files, guess, numbers, which, others)
		if err != nil {
			k.Unread = true
			continue
		}
		k.Others, guessed = append(k.Others, other), guessed || more
	}
	return k, guessed, err
}

func instanceOf(f *program.File, t *dialect.Table, kernel *program.Function, files Files, guess int64, numbers map[string]int64, which int, others elsewhere) (k *ir.Kernel, guessed bool, instances int, err error) {
	err = refitted(numbers, func(fit map[string]int64) (err error) {
		k, guessed, instances, err = instanceWith(f, t, kernel, files, guess, fit, which, others)
		return err
	})
	return k, guessed, instances, err
}

func instanceWith(f *program.File, t *dialect.Table, kernel *program.Function, files Files, guess int64, fit map[string]int64, which int, others elsewhere) (k *ir.Kernel, guessed bool, instances int, err error) {
	defer func() {
		if p := recover(); p != nil {
			u, ok := p.(unsupported)
			if !ok {
				panic(p)
			}
			k, guessed, instances, err = nil, false, 0, fmt.Errorf("kernel %s: %w", kernel.Name, u.why)
			if u.not {
				err = fmt.Errorf("kernel %s: %w: %w", kernel.Name, u.why, u.excluded())
			}
		}
	}()
	translated := func(like *instance, around ...*program.File) (c *compiler) {
		own, kinds := newOwned(), map[string]*ctype{}
		for range maxAnew {
			c = newCompiler(f, t, kernel, files, around...)
			c.guess, c.fit, c.which, c.own, c.takes, c.like, c.elsewhere = guess, fit, which, own, kinds, like, others
			c.kernel(kernel, c.launches(kernel, files))
			more := len(kinds)
			maps.Copy(c.fitting, kinds) // the first that was found
			if kinds = c.fitting; !own.grows(&c.wanted) && len(kinds) == more {
				break
			}
		}
		return c
	}
	c := translated(nil)
	if around := c.surrounding(kernel, files); around != nil { // a header may use what stands before the place where it is included
		if other := translated(c.like, around); other.finds(c.missing) || len(other.code.Lacking) > len(c.code.Lacking) { // or why it is missing is known
			c = other
			c.assume(fmt.Sprintf("%s is compiled as a part of %s", f.Source.Name, around.Source.Name))
			elsewhere := func(g *program.File) bool { return g.Source.Name != around.Source.Name && !c.has(g) }
			if c.borrowed && slices.ContainsFunc(files.Launchers(f), elsewhere) { // another one may have it otherwise
				c.code.Unread = true
			}
		}
	}
	if len(c.code.Insts) > maxInsts {
		return nil, false, 0, limit.Size.Sayf("kernel %s is more than %d instructions with what it calls", kernel.Name, maxInsts)
	}
	c.finish()
	return c.code, c.guessed, c.instances, ir.Verify(c.code)
}

// surrounding is the file as whose part one is compiled that uses what neither it nor what it includes has: that of the launch; nil where there is none.
func (c *compiler) surrounding(kernel *program.Function, files Files) *program.File {
	if len(c.missing) == 0 || files == nil {
		return nil
	}
	all := []*program.File{c.unit}
	switch own := c.unit != nil && c.has(c.unit); {
	case own && strings.HasSuffix(c.file.Source.Name, ".cu"): // what launches its own kernels is seldom a part of another one
		return nil
	case own, c.unit == nil:
		all = append(files.Launchers(c.file, kernel.Name), files.Launchers(c.file)...)
	}
	for _, f := range all {
		if !c.has(f) {
			return f
		}
	}
	return nil
}

// finds reports whether something is found that was missing.
func (c *compiler) finds(missing map[string]bool) bool {
	for name := range missing {
		if !c.missing[name] {
			return true
		}
	}
	return false
}

// has reports whether a file is compiled with the kernel's.
func (c *compiler) has(f *program.File) bool {
	return slices.ContainsFunc(c.files, func(g *program.File) bool { return f.Source.Name == g.Source.Name })
}

// newCompiler reads what a file includes, and what others do that it stands in.
func newCompiler(f *program.File, t *dialect.Table, kernel *program.Function, files Files, around ...*program.File) *compiler {
	c := &compiler{takers: map[string][]*program.Function{}, wanted: newOwned(), missing: map[string]bool{}, fitting: map[string]*ctype{}, objects: map[string]map[string]ints.Number{}, varying: map[string][]*program.Function{}, file: f, table: t, byName: map[string]classes{}, announced: map[string]*program.Class{}, bySimple: map[string][]*program.Class{}, inside: map[string][]*program.Class{}, enumerators: map[string][]*program.Class{},
		in: map[*program.Class]*program.File{}, laid: map[string]*ctype{}, functions: map[string][]*program.Function{}, variables: map[string][]*program.Function{}, formulas: map[string]uint32{}, spellings: map[string]*spelling{},
		inputs: map[string]int32{}, formal: map[string]bool{}, constants: map[string][]string{}, single: map[string]bool{}, lambdas: map[*program.Lambda]*program.Function{}, sets: map[*program.Function]map[string]bool{}, open: map[*program.Function]map[string]bool{}, defined: map[*program.Class][]*program.Function{},
		owner: map[*program.Function]*program.Class{}, tailored: map[*program.Function][]string{},
		lefts: map[string]string{}, hosts: map[*program.File]*program.Class{}, housed: map[*program.File]string{}, spliced: map[*program.Function]bool{},
		formals: map[*variable]bool{}, shared: map[declared]*variable{}, globals: map[string]*variable{}, arrays: map[string]*program.Assign{}, noted: map[string]bool{}, numberOf: map[string]int64{}, order: map[*ir.Variable]int{}, taken: map[string]int{},
		code: &ir.Kernel{Name: kernel.Name, File: f.Source, Rows: true, Directives: map[string][3]int{}, Variables: map[string]*ir.Variable{}, Special: map[string]int32{}}}
	c.files, c.of, c.src = append([]*program.File{f}, around...), map[*program.Function]*program.File{}, f
	c.units, c.tree = around, files
	c.nothing = c.register("?", ir.Type{})
	c.code.Nothing = c.nothing
	c.included(files)
	c.models = modelFiles()
	c.files = append(c.files, c.models...)
	c.aliases, c.spaces = map[string][]*alias{}, map[string]string{}
	for _, f := range c.files {
		for name, of := range f.Spaces {
			if c.spaces[name] == "" {
				c.spaces[name] = of
			}
		}
	}
	c.index()
	c.staged, c.staging = c.speaksOfStages(), map[string]int64{}
	c.scope = newScope(nil)
	for k := len(c.files) - 1; k >= 0; k-- { // what a file includes stands before it
		c.fileScope(c.files[k])
		c.takenOver(c.files[k])
	}
	return c
}

// compiler is a kernel as it grows.
type compiler struct {
	file        *program.File
	files       []*program.File // with what it includes
	models      []*program.File // of them those of libraries
	inner       int             // calls of their functions within each other: what they do stands where they are called
	of          map[*program.Function]*program.File
	src         *program.File // whose text is translated
	outer       source.Span   // of what in the kernel's file leads there
	table       *dialect.Table
	code        *ir.Kernel
	scope       *scope
	staged      bool             // what is done with stages of pipelines is noted
	staging     map[string]int64 // numbers of the objects there
	functions   map[string][]*program.Function
	variables   map[string][]*program.Function // templates of constants
	varying     map[string][]*program.Function // macros that their names are not everywhere in their files
	byName      map[string]classes             // by qualified name
	announced   map[string]*program.Class      // class templates that are declared with defaults, by qualified name
	bodies      map[string][]*program.Function // by name, methods too; nil: not asked for yet
	silences    map[silence]bool
	gathering   map[*program.Function]bool // whether threads synchronize in a function, as its text says
	presumed    map[string]*ctype          // see takenFor
	bySimple    map[string][]*program.Class
	inside      map[string][]*program.Class // by the qualified name of the class around
	in          map[*program.Class]*program.File
	laid        map[string]*ctype
	aliases     map[string][]*alias // those of namespaces
	spaces      map[string]string   // other names of namespaces
	declares    string              // the namespace of the constant that is declared
	spellings   map[string]*spelling
	inputs      map[string]int32 // registers of what is not said
	acting      *program.Call    // that stands as a statement: its value is of no use
	viewing     *program.Call    // of a method of what a library gave: see dialect.Views
	hidden      bool             // what may be a macro that declares names was met
	formal      map[string]bool
	extents     map[string]extent           // of the kernel that is being translated, see extentsGiven
	guessed     bool                        // a number or a type of the kernel's template
	constants   map[string][]string         // qualified names of those of namespaces, by their last one
	single      map[string]bool             // the names that are there without their namespace, too
	enumerators map[string][]*program.Class // those without a scope
	lambdas     map[*program.Lambda]*program.Function
	takers      map[string][]*program.Function         // functions, methods and macros by name
	open        map[*program.Function]map[string]bool  // names that a function hands on, by reference perhaps
	defined     map[*program.Class][]*program.Function // methods that are defined outside of their class
	owner       map[*program.Function]*program.Class   // whose those are
	tailored    map[*program.Function][]string         // of one that is for some arguments of a class template alone: those
	sets        map[*program.Function]map[string]bool  // names that a function sets, but where it declares them
	formulas    map[string]uint32
	lefts       map[string]string                // where names stand that are not compiled
	hosts       map[*program.File]*program.Class // of files that are included in the body of a class: that
	housed      map[*program.File]string         // of files that are included in a namespace: that
	spliced     map[*program.Function]bool       // functions of these, which are its methods
	shared      map[declared]*variable
	globals     map[string]*variable
	arrays      map[string]*program.Assign // __shared__, of namespaces
	noted       map[string]bool
	taken       map[string]int      // names of registers
	next        int64               // of shared memory
	far         int64               // arrays of which it is not known how large they are
	rooms       int                 // objects that have room for what is named of them
	parts       map[string]*ir.Part // of these
	cellOf      map[string]int64    // of members of elements that have no room, by type and name: which byte stands for it
	cellsOf     map[string]int64    // by type, how many members have one
	roomy       []*ir.Variable      // these objects
	cells, rows int64               // and parts of them
	usage       *usage
	homes       map[string]*place // of members of classes that are not read
	inShared    map[string]int    // objects in shared memory by their classes
	numbers     int               // of shared variables
	labels      []*label
	own, wanted owned      // what is no register, and what was found not to be to one
	ownNext     int64      // of local memory
	callables   []callable // functions whose addresses are taken
	numberOf    map[string]int64
	host        *host // whose expressions are evaluated, if any are
	order       map[*ir.Variable]int
	depth       int
	macros      int               // that are evaluated within each other
	entry       *program.Function // the kernel, or the function that is looked at by itself
	alone       *program.Function // that function; nil: a kernel is
	root        *alone            // of a function by itself
	guess       int64             // for numbers that the kernel's template is given
	fit         map[string]int64  // other numbers of that template, by parameter, which static assertions want
	elsewhere   elsewhere
	like        *instance       // of the kernel's template that is translated
	unit        *program.File   // that launches it
	tree        Files           // may be nil
	units       []*program.File // whose parts the kernel's is
	borrowed    bool            // the kernel's file calls what one of them has
	computing   []computing
	valued      []computing // calls of functions for their value that are handed no shared memory; they have no result of their own
	filling     []filling
	looks       []looking
	formals     map[*variable]bool                // parameters of the kernel
	astray      []int                             // what stands for stores of which it is not known where they are
	written     []int                             // stores that stand for what calls write that are not followed
	holds       map[string]bool                   // names of namespaces and classes that something which is read stands in
	missing     map[string]bool                   // names of functions whose bodies are not found, of what nothing declares, and of types of which it is not known how large they are
	takes       map[string]*ctype                 // for types that it is given
	objects     map[string]map[string]ints.Number // constant objects of namespaces: their members
	fitting     map[string]*ctype                 // for those that it is not made for as they are taken: some that it is
	which       int                               // of the instances of the kernel's template that are launched
	instances   int                               // how many of them are translated
	work        int
	asPlace     bool        // of the call that is translated next its place is asked for, not what stands there
	at          source.Span // of the statement or expression at hand
	placed      bool
	place       uint32
	nothing     int32
}

// declared is a declaration of a function, of a template in one of its instances.
type declared struct {
	in       *program.Assign
	instance string
	name     string // of several that it declares, or that the uses of a macro make of it
}

// unsupported ends the translation of a statement.
type unsupported struct {
	why   limit.Reason
	hard  bool // what the thread does from here on is not known
	not   bool // the guess is not what the function is made for
	refit bool // but another number of its template is known that may be
}

// excluded is the error of a guess that is not what the function is made for.
func (u *unsupported) excluded() error {
	if u.refit {
		return errRefit
	}
	return ErrGuess
}

func (c *compiler) refuse(code limit.Code, format string, args ...any) {
	panic(unsupported{why: code.Sayf(format, args...)})
}

// halt ends the execution there.
func (c *compiler) halt(code limit.Code, format string, args ...any) {
	panic(unsupported{why: code.Sayf(format, args...), hard: true})
}

// worked counts what is done; what takes too long is given up whole.
func (c *compiler) worked() {
	if c.work++; c.work > maxWork {
		at := ""
		if c.src != nil {
			at = fmt.Sprintf(": it is followed up to %s:%d", c.src.Source.Name, c.src.Source.Position(c.at.Start).Line)
		}
		panic(unsupported{why: limit.Size.Says("it is too large with what it calls" + at)})
	}
}

func (c *compiler) assume(text string) {
	if !c.noted[text] {
		c.noted[text] = true
		c.code.Assumed = append(c.code.Assumed, text)
	}
}

// kernel translates the function itself.
func (c *compiler) kernel(fn *program.Function, as *launched) {
	c.at, c.entry = fn.NameSpan, fn
	c.scope = newScope(c.scope)
	c.scope.fn = &activation{fn: fn, end: c.label(), outermost: c.scope}
	for name, t := range as.types {
		c.scope.kinds[name] = t
	}
	given := make([]argument, len(fn.Template))
	for k, p := range fn.Template {
		switch {
		case as.types[p.Name] != nil:
			given[k].t = as.types[p.Name]
		case k < len(as.args) && as.args[k] != nil:
			given[k] = c.argumentOf(as.args[k])
		}
	}
	c.templates(fn, given, nil, nil)
	c.attributes(fn)
	for _, p := range fn.Params {
		c.formal[p.Name] = true
	}
	c.extents = as.extents
	c.parameters(fn)
	c.axioms()
	c.undefined(fn)
	c.body(fn.Body)
	c.unlabelled(c.scope.fn)
	c.bind(c.scope.fn.end)
	c.at, c.placed = fn.NameSpan, false
	c.emit(blank(ir.Return))
	c.code.Functions = [][2]int32{{0, int32(len(c.code.Insts))}}
	c.code.Called = []string{fn.Name}
}

// attributes are what the kernel says of its launch.
func (c *compiler) attributes(fn *program.Function) {
	for _, a := range fn.Attributes {
		call, ok := a.(*program.Call)
		if !ok {
			continue
		}
		name, ok := call.Fun.(*program.Name)
		if !ok || len(call.Args) == 0 {
			continue
		}
		extent := [3]int{1, 1, 1}
		for k, x := range call.Args[:min(len(call.Args), 3)] {
			extent[k] = 0
			if n, known := c.constant(x); known && n > 0 && n < 1<<31 {
				extent[k] = int(n)
			}
		}
		switch {
		case name.Ident == "__launch_bounds__" && extent[0] > 0:
			c.code.Directives["maxntid"] = [3]int{extent[0], 1, 1}
		case name.Ident == "__cluster_dims__" && extent[0]*extent[1]*extent[2] == 0:
			c.refuse(limit.Source, "how many CTAs a cluster has is not known")
		case name.Ident == "__cluster_dims__":
			c.code.Directives["reqnctapercluster"] = extent
		}
	}
}

// parameters declares those of the kernel, first those that others are made of.
func (c *compiler) parameters(fn *program.Function) {
	made := func(p program.Param) bool {
		for text, of := range c.extents {
			if of.made != nil && (text == p.Name || strings.HasPrefix(text, p.Name+".")) {
				return true
			}
		}
		return false
	}
	for _, p := range fn.Params {
		if _, bound := c.extents[p.Name]; !bound {
			c.code.Formals = append(c.code.Formals, p.Name)
		}
		if !made(p) {
			c.parameter(p.Name)
		}
	}
	for _, p := range fn.Params {
		c.parameter(p.Name)
	}
}

// parameter declares one of the kernel's, once.
func (c *compiler) parameter(name string) {
	if c.scope.names[name] != nil {
		return
	}
	k := slices.IndexFunc(c.entry.Params, func(p program.Param) bool { return p.Name == name })
	v := c.given(name, name, c.typeOr(c.entry.Params[k].Type), 0)
	c.scope.names[name], c.formals[v] = v, true
}

// given is a part of a parameter, with its name in the text. What pointers of the kernel lead to is global memory.
func (c *compiler) given(name, text string, t *ctype, offset int64) *variable {
	v := &variable{t: t, reg: -1}
	switch of, is := c.extents[text]; {
	case is:
		return c.extent(of, text, t)
	case t.opaque && t.fields == nil:
		v.input = name
	case t.pointer():
		v.t = pointerTo(t.to, ir.Global)
		v.reg = c.slot(name, text, offset, ir.Type{Bits: 64}, true)
	case t.boolean:
		n := c.slot(name, text, offset, ir.Type{Bits: 8}, false)
		v.reg = c.predicate(name)
		in := blank(ir.Setp)
		in.Type, in.D, in.A, in.B, in.Mode = ir.Type{Bits: 8}, v.reg, ir.Operand{Reg: n}, constant(0), ir.NotEqual
		c.emit(in)
	case t.number.Bits > 0:
		v.reg = c.slot(name, text, offset, t.number, false)
	case t.array && t.extent > 0 && t.extent <= maxMembers && (t.to.pointer() || t.to.integer() || t.to.fields != nil && !t.to.opaque):
		v.items = map[int64]*variable{}
		for k := range t.extent {
			v.items[k] = c.given(name, fmt.Sprintf("%s[%d]", text, k), t.to, offset+k*t.to.size)
		}
	case t.fields != nil && len(t.fields) <= maxMembers:
		v.parts = map[string]*variable{}
		for _, f := range t.fields {
			if f.t.opaque && f.t.fields == nil {
				v.parts[f.name] = &variable{t: f.t, reg: -1, input: name + "." + f.name}
				continue
			}
			v.parts[f.name] = c.given(name, text+"."+f.name, f.t, offset+f.at)
		}
	}
	return v
}

func (c *compiler) slot(name, text string, offset int64, t ir.Type, pointer bool) int32 {
	shown := name
	if offset > 0 {
		shown = fmt.Sprintf("%s.%d", name, offset)
	}
	n := c.register(shown, t)
	if text == name {
		text = ""
	}
	c.code.Slots = append(c.code.Slots, ir.Parameter{Name: name, Offset: offset, Register: n, Pointer: pointer, Text: text})
	return n
}
