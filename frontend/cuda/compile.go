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
	maxInline  = 40      // calls within each other
	maxAgain   = 3       // calls of a function within itself where it is not known how it is compiled
	maxInsts   = 1 << 16 // of a kernel
	maxUnroll  = 64      // elements of an array of a thread's own that are followed
	dynamicAt  = 1 << 18 // where dynamic shared memory lies
	maxMembers = 64
	farAt      = 1 << 19 // where shared arrays lie of which it is not known how large they are
	farBits    = 14
	maxFar     = 30
	maxFiles   = 256
	maxWork    = 1 << 19 // expressions, those of macros and of functions in place as often as they are used
)

// Translate makes the IR of a __global__ function. The other files of its tree may be nil. A number that its template
// is given, and no launch says, is the guess, which is then among what is assumed, and guessed says so.
func Translate(f *program.File, t *dialect.Table, kernel *program.Function, files Files, guess int64) (k *ir.Kernel, guessed bool, err error) {
	defer func() { // the other kernels of the file are read all the same
		if p := recover(); p != nil {
			k, guessed, err = nil, false, fmt.Errorf("kernel %s: internal error, please report it: %v", kernel.Name, p)
		}
	}()
	return translate(f, t, kernel, files, guess)
}

// translate makes the IR of all instances of a kernel's template that are launched: the others of them stand in the first.
func translate(f *program.File, t *dialect.Table, kernel *program.Function, files Files, guess int64) (k *ir.Kernel, guessed bool, err error) {
	others := elsewhere{}
	k, guessed, instances, err := instanceOf(f, t, kernel, files, guess, 0, others)
	for which := 1; err == nil && which < instances; which++ {
		other, more, _, err := instanceOf(f, t, kernel, files, guess, which, others)
		if err != nil {
			k.Unread = true
			continue
		}
		k.Others, guessed = append(k.Others, other), guessed || more
	}
	return k, guessed, err
}

func instanceOf(f *program.File, t *dialect.Table, kernel *program.Function, files Files, guess int64, which int, others elsewhere) (k *ir.Kernel, guessed bool, instances int, err error) {
	err = refitted(func(fit map[string]int64) (err error) {
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
	functions   map[string][]*program.Function
	variables   map[string][]*program.Function // templates of constants
	varying     map[string][]*program.Function // macros that their names are not everywhere in their files
	byName      map[string]classes             // by qualified name
	announced   map[string]*program.Class      // class templates that are declared with defaults, by qualified name
	bodies      map[string][]*program.Function // by name, methods too; nil: not asked for yet
	silences    map[silence]bool
	presumed    map[string]*ctype // see takenFor
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
	taken       map[string]int // names of registers
	next        int64          // of shared memory
	far         int64          // arrays of which it is not known how large they are
	numbers     int            // of shared variables
	labels      []*label
	own, wanted owned      // what is no register, and what was found not to be to one
	ownNext     int64      // of local memory
	callables   []callable // functions whose addresses are taken
	numberOf    map[string]int64
	host        *host // whose expressions are evaluated, if any are
	order       map[*ir.Variable]int
	depth       int
	macros      int               // that are evaluated within each other
	alone       *program.Function // that is looked at by itself; nil: a kernel is
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
	filling     []filling
	formals     map[*variable]bool                // parameters of the kernel
	written     []int                             // stores that stand for what calls write that are not followed
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

// index lists what the file defines.
func (c *compiler) index() {
	for _, f := range c.files {
		for _, fn := range slices.Concat(f.Functions, f.Macros) {
			if space := c.housed[f]; space != "" {
				fn = functionWithin(space, fn)
			}
			c.functions[fn.Name] = append(c.functions[fn.Name], fn)
			c.takers[fn.Name] = append(c.takers[fn.Name], fn)
			if name, _, varies := strings.Cut(fn.Name, " of line "); varies && fn.Macro {
				c.varying[name] = append(c.varying[name], fn)
			}
			c.of[fn] = f
			if in := c.hosts[f]; in != nil {
				c.joins(fn, in)
			}
		}
		for _, v := range f.Variables {
			c.variables[v.Name] = append(c.variables[v.Name], v)
		}
		for _, class := range f.Declared {
			c.announced[class.Qualified] = class
		}
		for _, class := range f.Classes {
			if in := c.hosts[f]; in != nil {
				class = c.memberClass(class, in.Qualified)
			} else if space := c.housed[f]; space != "" {
				class = c.memberClass(class, space)
			}
			c.in[class] = f
			c.byName[class.Qualified] = append(c.byName[class.Qualified], class)
			c.bySimple[class.Name] = append(c.bySimple[class.Name], class)
			outer := strings.Split(class.Qualified, "::")
			around := strings.Join(outer[:len(outer)-1], "::")
			c.inside[around] = append(c.inside[around], class)
			for _, m := range class.Methods {
				c.takers[m.Name] = append(c.takers[m.Name], m)
			}
			for _, e := range class.Fields {
				if id, ok := e.Targets[0].(*program.Name); ok && class.Enum && !class.Scoped {
					c.enumerators[id.Ident] = append(c.enumerators[id.Ident], class)
				}
			}
		}
	}
	for _, f := range c.files {
		for _, fn := range f.Functions {
			if fn.Outer == nil && strings.Contains(fn.Qualified, "::") {
				c.define(fn)
			}
		}
	}
	for _, f := range c.files {
		for _, p := range f.Prototypes {
			c.complete(p)
		}
	}
}

// complete gives the definition of a function of the device the defaults that its declaration says (C++17 [dcl.fct.default]/4).
func (c *compiler) complete(declared *program.Function) {
	words := func(p program.Param) string { return strings.Join(tokens(p.Type).list, " ") }
	for k, fn := range c.functions[declared.Name] {
		same := fn.Qualified == declared.Qualified && c.ownerOf(fn) == nil
		if declared.Class != nil {
			same = c.owner[fn] == declared.Class
		}
		class, own := c.ownTemplate(fn)
		if !same || fn.Macro || fn.Kernel || !c.ofDevice(fn) || len(own) != len(declared.Template) || !slices.EqualFunc(fn.Params, declared.Params, func(p, q program.Param) bool { return words(p) == words(q) && p.Star == q.Star }) {
			continue
		}
		full := *fn
		full.Params, full.Template = slices.Clone(fn.Params), slices.Clone(fn.Template)
		for n, p := range declared.Params {
			if full.Params[n].Default == nil {
				full.Params[n].Default = p.Default
			}
		}
		for n, p := range declared.Template {
			if q := &full.Template[len(class)+n]; q.Default == nil {
				q.Default = p.Default
			}
		}
		c.functions[declared.Name][k], c.of[&full] = &full, c.of[fn]
		if args, special := c.tailored[fn]; special {
			c.tailored[&full] = args
		}
		if owner := c.owner[fn]; owner != nil {
			c.owner[&full] = owner
			c.defined[owner][slices.Index(c.defined[owner], fn)] = &full
		}
	}
}

// define puts a method that is defined outside of its class with that, perhaps in another file: of a template's specialisations the one that it names.
func (c *compiler) define(fn *program.Function) {
	if fn.Class != nil && !c.outOfLine(fn, fn.Class) {
		return
	}
	scope, _ := program.SplitName(fn.Qualified)
	path := tokens(scope).path()
	if len(path) == 0 {
		return
	}
	last := path[len(path)-1]
	var names []string
	for _, s := range path {
		names = append(names, s.name)
	}
	exact := strings.Join(names, "::")
	var found *program.Class
	for _, k := range c.bySimple[last.name] {
		if k.Enum || k.Qualified != exact && (fn.Class == nil || !ends(k.Qualified, path)) || c.modelled(c.in[k]) != c.modelled(c.of[fn]) {
			continue
		}
		if slices.Equal(renamed(k.Template, texts(k.Arguments)), renamed(fn.Template, last.args)) {
			found = k
			break
		}
		if len(k.Arguments) == 0 && found == nil {
			found = k
		}
	}
	if found == nil {
		return
	}
	c.defined[found] = append(c.defined[found], fn)
	c.owner[fn] = found
	if len(found.Arguments) == 0 && len(last.args) > 0 && !slices.Equal(renamed(fn.Template, last.args), parametersOf(found.Template)) {
		c.tailored[fn] = last.args
	}
}

// renamed are template arguments as they are written, with the parameters of the template by their places.
func renamed(template []program.Param, args []string) (out []string) {
	for _, text := range args {
		list := slices.Clone(tokens(text).list)
		for n, word := range list {
			if k := slices.IndexFunc(template, func(p program.Param) bool { return p.Name == word }); k >= 0 {
				list[n] = fmt.Sprintf("#%d", k)
			}
		}
		out = append(out, strings.Join(list, " "))
	}
	return out
}

// parametersOf are the parameters of a template as its own class is written outside of it: S<T, A...>.
func parametersOf(template []program.Param) (out []string) {
	for k, p := range template {
		if p.Star > 0 {
			out = append(out, fmt.Sprintf("#%d . . .", k))
			continue
		}
		out = append(out, fmt.Sprintf("#%d", k))
	}
	return out
}

// ownerOf is the class whose method a function is.
func (c *compiler) ownerOf(fn *program.Function) *program.Class {
	if k := c.owner[fn]; k != nil {
		return k
	}
	return fn.Class
}

// ownTemplate is the template of a function without that of its class, which stands before it where a method is defined outside of its class.
func (c *compiler) ownTemplate(fn *program.Function) (class []program.Param, own []program.Param) {
	k := c.ownerOf(fn)
	if k == nil || c.tailored[fn] != nil || !c.outOfLine(fn, k) {
		return nil, fn.Template
	}
	n := min(len(k.Template), len(fn.Template))
	return fn.Template[:n], fn.Template[n:]
}

// builtins are variables of CUDA C++ (CUDA C++ Programming Guide, Built-in Variables).
var builtins = map[string]bool{"threadIdx": true, "blockIdx": true, "blockDim": true, "gridDim": true, "warpSize": true}

// fileScope declares constants and variables of namespaces.
func (c *compiler) fileScope(f *program.File) {
	defer func() { c.declares = "" }()
	for _, st := range f.Body {
		a, ok := st.(*program.Assign)
		if !ok || !a.Decl {
			continue
		}
		c.declares = a.Scope
		for _, t := range a.Targets {
			id, ok := t.(*program.Name)
			if !ok || builtins[id.Ident] { // an editor has a declaration of these
				continue
			}
			if a.Type != "using" {
				c.object(a.Scope, id.Ident, c.membersOf(a))
			}
			if a.Shared { // each CTA has one of its own, if its kernel uses it
				c.arrays[id.Ident] = a
				continue
			}
			if a.Type == "using" {
				c.aliases[id.Ident] = append(c.aliases[id.Ident], &alias{params: a.Template, value: a.Value, space: a.Scope})
				continue
			}
			if a.Type == "" && a.Const && a.Value != nil {
				c.declare(a.Scope, id.Ident, &variable{t: intType, reg: -1, macro: a.Value})
				continue
			}
			of := c.typeOf(a.Type)
			fixed := len(a.Dims) == 0 && (a.Const || slices.Contains(tokens(a.Type).list, "const"))
			if n, known := c.folded(unlisted(a.Value, of)); known && fixed {
				if of == nil && c.automatic(a.Type) {
					of = typeOfNumber(n.Type)
				}
				if of != nil {
					c.declare(a.Scope, id.Ident, &variable{t: of, reg: -1, number: &n.N})
				}
				continue
			}
			if fixed && a.Value != nil && a.Space == "" && of != nil && of.integer() && !of.boolean { // made of what is not read: a number all the same, and no memory
				c.declare(a.Scope, id.Ident, &variable{t: of, reg: -1, input: id.Ident})
				continue
			}
			for k := len(a.Dims) - 1; k >= 0 && of != nil; k-- {
				n, known := c.constant(a.Dims[k])
				if !known {
					of = nil
					break
				}
				of = arrayOf(of, n)
			}
			if of != nil { // __device__ and __constant__ variables, or the host's
				v := &variable{t: of, reg: -1, memory: &memory{space: ir.Global}}
				v.global = &ir.Variable{Name: id.Ident, Space: "global", Size: of.size, Elem: innermost(of).size, Init: c.atFirst(a, of)}
				if c.globals[id.Ident] = v; a.Scope != "" {
					c.globals[a.Scope+"::"+id.Ident] = v
				}
			}
		}
	}
}

// object notes a variable of a namespace, with its members if it is a constant one whose members are known. By a name that several have nothing is known.
func (c *compiler) object(space, name string, members map[string]ints.Number) {
	if old, again := c.objects[name]; again && !maps.Equal(old, members) {
		members = nil
	}
	if c.objects[name] = members; space != "" {
		c.object("", space+"::"+name, members)
	}
}

// membersOfStatic are the members of a constant object of a class, or of one that it is derived from.
func (c *compiler) membersOfStatic(of *ctype, name string) map[string]ints.Number {
	if of == nil || of.class == nil || of.env == nil {
		return nil
	}
	for _, f := range of.class.Fields {
		if len(f.Targets) == 1 && f.Static && identOf(f.Targets[0]) == name {
			before := c.scope
			defer func() { c.scope = before }()
			c.scope = of.env
			return c.membersOf(f)
		}
	}
	for _, b := range of.env.bases {
		if members := c.membersOfStatic(b, name); members != nil {
			return members
		}
	}
	return nil
}

// membersOf are the members of a constant object of an aggregate, or of a vector of CUDA, whose initializer lists numbers for all of them (C++17 [dcl.init.aggr]); nil:
// they are not known.
func (c *compiler) membersOf(a *program.Assign) map[string]ints.Number {
	if !a.Const && !isConst(a.Type) || len(a.Dims) > 0 {
		return nil
	}
	of := c.typeOf(a.Type)
	var list []program.Expr
	switch x := a.Value.(type) {
	case *program.List:
		list = x.Elems
	case *program.Call:
		if t := c.typeOf(identOf(x.Fun)); t != nil && t == of {
			list = x.Args
		}
	}
	if of == vectors["dim3"] && len(list) > 0 { // extents that are not said are 1
		list = slices.Clone(list)
		for len(list) < len(of.fields) {
			list = append(list, &program.Int{Value: 1})
		}
	}
	if of == nil || len(list) == 0 || len(list) != len(of.fields) {
		return nil
	}
	if k := of.class; k != nil && (len(k.Bases) > 0 || k.Union || slices.ContainsFunc(k.Methods, func(m *program.Function) bool { return m.Name == k.Name && !m.Destructor })) {
		return nil
	}
	members := map[string]ints.Number{}
	for n, f := range of.fields {
		v, known := c.constant(list[n])
		if !known || !f.t.integer() {
			return nil
		}
		members[f.name] = ints.Number{Type: numberOf(f.t), N: f.t.number.Store(v)}
	}
	return members
}

// innermost is the type of an array's elements, which may be arrays.
func innermost(t *ctype) *ctype {
	for t.array && t.to != nil {
		t = t.to
	}
	return t
}

// atFirst is what a variable of a namespace holds before anything is written to it: zero where nothing is said (C++17 [basic.start.static]/2); nil: that is not known.
func (c *compiler) atFirst(a *program.Assign, t *ctype) []int64 {
	if a.Value == nil && innermost(t).scalarLike() {
		return []int64{}
	}
	if n, known := c.constant(a.Value); known && !t.array {
		return []int64{n}
	}
	return nil
}

// addressed is the register that holds the address of a variable of a namespace.
func (c *compiler) addressed(v *variable) {
	name := c.unique(v.global.Name)
	g := *v.global
	g.Name = name
	if c.code.Globals == nil {
		c.code.Globals = map[string]int32{}
	}
	c.code.Globals[name] = c.register("&"+name, ir.Type{Bits: 64})
	c.code.Variables[name] = &g
	v.memory.base = ir.Operand{Reg: c.code.Globals[name]}
	v.global = nil
}

// declare puts a constant in scope: by its qualified name, and by its own where no other namespace has one that is different.
func (c *compiler) declare(space, name string, v *variable) {
	if space == "" {
		c.scope.names[name] = v
		return
	}
	full := space + "::" + name
	if c.scope.names[full] == nil {
		c.constants[name] = append(c.constants[name], full)
	}
	c.scope.names[full] = v
	if len(c.constants[name]) == 1 && c.scope.names[name] == nil || len(c.constants[name]) == 1 && c.single[name] {
		c.scope.names[name], c.single[name] = v, true
	} else if c.single[name] {
		delete(c.scope.names, name)
		delete(c.single, name)
	}
}

// kernel translates the function itself.
func (c *compiler) kernel(fn *program.Function, as *launched) {
	c.at = fn.NameSpan
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
	for _, p := range fn.Params {
		c.parameter(p)
	}
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

// parameter declares one of the kernel's.
func (c *compiler) parameter(p program.Param) {
	if c.extents[p.Name].special == "" {
		c.code.Formals = append(c.code.Formals, p.Name)
	}
	v := c.given(p.Name, p.Name, c.typeOr(p.Type), 0)
	c.scope.names[p.Name], c.formals[v] = v, true
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

// emit appends an instruction.
func (c *compiler) emit(in ir.Inst) *ir.Inst {
	if len(c.code.Insts) > maxInsts {
		panic(unsupported{why: limit.Size.Says("it is too large")})
	}
	if c.placed && (in.Op.Synchronizes() || in.Op.Accesses()) { // it is named by itself
		c.placed = false
	}
	if !c.placed {
		c.place, c.placed = uint32(len(c.code.Places)), true
		c.code.Places = append(c.code.Places, c.here(in.Op.Name()))
	}
	in.Place = c.place
	c.code.Insts = append(c.code.Insts, in)
	return &c.code.Insts[len(c.code.Insts)-1]
}

// on sets where what follows stands.
func (c *compiler) on(n program.Node) func() {
	if c.inner > 0 {
		return func() {}
	}
	before := c.at
	c.at, c.placed = n.Where(), false
	return func() { c.at, c.placed = before, false }
}

func (c *compiler) register(name string, t ir.Type) int32 {
	n := int32(len(c.code.Names))
	c.code.Names = append(c.code.Names, c.unique(name))
	c.code.Types = append(c.code.Types, t)
	return n
}

func (c *compiler) predicate(name string) int32 {
	n := int32(len(c.code.Tests))
	c.code.Tests = append(c.code.Tests, c.unique(name))
	return n
}

// unique is a name in the IR that nothing else has.
func (c *compiler) unique(name string) string {
	name = strings.Map(func(r rune) rune {
		if ir.InName(r) {
			return r
		}
		return '_'
	}, name)
	for c.taken[name]++; c.taken[name] > 1 || name == "" || ir.Reserved(name); c.taken[name]++ {
		name = fmt.Sprintf("%s#%d", name, c.taken[name])
	}
	return name
}

func (c *compiler) temp(t ir.Type) int32 { return c.register("%t", t) }

func (c *compiler) special(name string) ir.Operand {
	n, known := c.code.Special[name]
	if !known {
		n = c.register(name, ir.Type{Bits: 32})
		c.code.Special[name] = n
	}
	return ir.Operand{Reg: n}
}

func (c *compiler) finish() {
	if len(c.code.SharedVariables()) == 0 { // what is accessed at an unknown place is not shared
		for k := range c.code.Insts {
			in := &c.code.Insts[k]
			switch {
			case in.Op == ir.Outside && in.Flags&ir.MayMeet == 0:
				nop := blank(ir.Nop)
				nop.Place = in.Place
				*in = nop
			case in.Op.Accesses() && in.Op != ir.Outside && in.Space == ir.Generic && (c.ownNext == 0 || in.A.Reg == c.nothing):
				in.Space = ir.Global
			}
		}
	}
	c.code.Registers, c.code.Predicates = len(c.code.Names), len(c.code.Tests)
	c.renumber()
	c.code.InferTypes()
	c.settleCalls()
	c.settleFillings()
}

// renumber gives operands the numbers that shared variables have by their places.
func (c *compiler) renumber() {
	to := make([]uint16, c.numbers+1)
	for k, v := range c.code.SharedVariables() {
		to[c.order[v]] = uint16(k + 1)
	}
	fix := func(o *ir.Operand) {
		if o.Of > 0 {
			o.Of = to[o.Of]
		}
	}
	for k := range c.code.Insts {
		in := &c.code.Insts[k]
		for _, o := range []*ir.Operand{&in.A, &in.B, &in.C, &in.Members} {
			fix(o)
		}
		if in.Extra != nil {
			for n := range in.Extra.Operands {
				fix(&in.Extra.Operands[n])
			}
		}
	}
}

func (c *compiler) stop(why limit.Reason) {
	in := blank(ir.Stop)
	in.Extra = ir.Because(why)
	c.emit(in)
}

// label makes one. Those of a statement that is given up are bound where it ends.
func (c *compiler) label() *label {
	l := &label{}
	c.labels = append(c.labels, l)
	return l
}

// bind puts a label here.
func (c *compiler) bind(l *label) {
	l.at = int32(len(c.code.Insts))
	for _, k := range l.uses {
		c.code.Insts[k].Target = l.at
	}
	l.uses = nil
}

// jump branches to a label where a predicate is as it is asked; always where there is none.
func (c *compiler) jump(l *label, p ir.Operand, when bool) {
	if p.Reg == -1 { // a constant
		if (p.Imm != 0) != when {
			return
		}
		p = ir.None
	}
	in := blank(ir.Branch)
	if p.Reg >= 0 {
		in.Guard, in.GuardNot = p.Reg, p.Not == when
	}
	in.Target = l.at
	c.emit(in)
	if l.at == 0 {
		l.uses = append(l.uses, int32(len(c.code.Insts)-1))
	}
}

func constant(n int64) ir.Operand { return ir.Operand{Reg: -1, Imm: n} }

// blank is an instruction without operands that is always executed.
func blank(op ir.Op) ir.Inst {
	in := ir.Blank(op)
	in.Guard = -1
	return in
}
