package cuda

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/program"
)

// Limits against hostile input.
const (
	maxRoots      = 32 // functions of the host that are followed
	maxCallers    = 5  // functions between one that is followed and a launch
	maxNamed      = 64 // functions that lead to it, on one level
	maxLaunchers  = 8  // files that include the kernel's, and are looked through
	maxShapes     = 4  // that are told apart
	maxTranslated = 12 // instances of the template of a kernel
	maxExplicit   = 16 // explicit instantiations of a function of the host
)

// api is where a function that launches kernels takes what.
type api struct {
	kernel, config, grid, block int // -1: not at all
	args                        int // where the kernel's arguments begin; -1: nowhere
	list                        int // the array of pointers to them; -1: none
	cooperative                 bool
}

// launches are the functions of CUDA that launch kernels (CUDA Runtime API, 6.7 and 6.8), those of HIP, which text for both has (HIP documentation, "C++ language
// extensions"), and a macro of FBGEMM (fbgemm_gpu/utils/kernel_launcher.cuh).
var launches = map[string]*api{
	"cudaLaunchKernel":            {kernel: 0, config: -1, grid: 1, block: 2, args: -1, list: 3},
	"cudaLaunchCooperativeKernel": {kernel: 0, config: -1, grid: 1, block: 2, args: -1, list: 3, cooperative: true},
	"cudaLaunchKernelEx":          {kernel: 1, config: 0, grid: -1, block: -1, args: 2, list: -1},
	"cudaLaunchKernelExC":         {kernel: 1, config: 0, grid: -1, block: -1, args: -1, list: 2},
	"hipLaunchKernel":             {kernel: 0, config: -1, grid: 1, block: 2, args: -1, list: 3},
	"hipLaunchKernelGGL":          {kernel: 0, config: -1, grid: 1, block: 2, args: 5, list: -1},
	"FBGEMM_LAUNCH_KERNEL":        {kernel: 0, config: -1, grid: 1, block: 2, args: 5, list: -1},
	"FBGEMM_LAUNCH_DSA_KERNEL":    {kernel: 0, config: -1, grid: 1, block: 2, args: 5, list: -1},
}

// site is a launch as some path comes to it.
type site struct {
	at                   string // FILE:LINE
	from                 string // where the function that was followed calls what leads there; "" where it launches itself
	root                 *program.Function
	unit                 *program.File // that is compiled with it
	kernel               *instance
	block, grid, cluster *cell
	clustered            bool // the launch says something of clusters
	cooperative          bool
	dependent            bool
	text                 string // of the block
	unread               bool   // what the statement says is not known
	chosen               bool   // the same call gives other shapes, too
	to                   string // of one of these: a function that is not at hand, and is handed the kernel
	args                 []*cell
	supposed             []supposition
}

// launches looks for launches of the kernel in its file, in those that it includes, and in those that include it. The first kind of them, by the arguments of the template,
// is the one that is translated first; the shapes of its launches stand in the IR, and what is not known of them.
func (c *compiler) launches(kernel *program.Function, files Files) *launched {
	work := c.work // which is for the kernel itself
	defer func() { c.work = work }()
	h, where := c.launchers(kernel, files, 0)
	c.supposing(h, kernel, files)
	out := c.settle(kernel, h, where)
	if len(h.found) == 0 && len(kernel.Template) > 0 {
		c.instantiated(kernel, h, out)
	}
	return out
}

// launchers follows the functions that may launch the kernel, and says in which files they were looked for. Numbers that their templates are given, and nothing says, are
// not known, or taken to be a certain one.
func (c *compiler) launchers(kernel *program.Function, files Files, number int64) (h *host, where []string) {
	h = c.followed(kernel, map[*program.Function]bool{}, number)
	where = []string{c.file.Source.Name}
	lead := h.leading()
	look := func(names []string) {
		for _, f := range files.Launchers(c.file, names...) {
			if len(where) > maxLaunchers || slices.Contains(where, f.Source.Name) {
				continue
			}
			where = append(where, f.Source.Name)
			at := c.elsewhere.in(f, c, kernel, files, number)
			maps.Copy(h.inner, at.inner)
			h.found, lead, h.denied = append(h.found, at.found...), append(lead, at.lead...), h.denied || at.denied
		}
	}
	if header := !strings.HasSuffix(c.file.Source.Name, ".cu"); files != nil && (len(h.found) == 0 || header) { // nobody includes a file of its own
		look([]string{kernel.Name})
		if header && len(lead) > 0 && slices.ContainsFunc(h.found, func(s site) bool { return !s.known() }) { // who calls what launches it may say what is not known there
			look(lead)
		}
	}
	return h, where
}

// elsewhere is what was found of a kernel's launches in the files that include its own, each looked through once for each number that templates of the host are given.
type elsewhere map[lookedFor]*inFile

type lookedFor struct {
	file   string
	number int64
}

// inFile is what one of them says.
type inFile struct {
	found  []site
	inner  map[*program.Function]bool
	lead   []string // functions that lead to the kernel
	denied bool     // a static assertion does not hold with the number
}

func (e elsewhere) in(f *program.File, c *compiler, kernel *program.Function, files Files, number int64) *inFile {
	key := lookedFor{f.Source.Name, number}
	if out := e[key]; out != nil {
		return out
	}
	out := &inFile{inner: map[*program.Function]bool{}}
	e[key] = out
	other := newCompiler(f, c.table, kernel, files)
	if slices.ContainsFunc(other.files, func(g *program.File) bool { return g.Source.Name == c.file.Source.Name }) {
		there := other.followed(kernel, out.inner, number)
		out.found, out.lead, out.denied = there.found, there.leading(), there.denied
	}
	return out
}

// instantiated takes the arguments of the kernel's template from its explicit instantiations, where nobody launches it.
func (c *compiler) instantiated(kernel *program.Function, h *host, out *launched) {
	var all []*instance
	for _, f := range c.files {
		for _, name := range f.Instances {
			h.file, h.in = f, kernel
			if h.names(name.Ident, -1) {
				all = append(all, h.instance(name.Template, &path{scopes: []map[string]*cell{{}}}))
			}
		}
	}
	if all = c.apart(all); len(all) == 0 {
		return
	}
	out.take(kernel, all[min(c.which, len(all)-1)])
	if c.code.Unread = c.instances < len(all); c.code.Unread {
		c.code.Unlaunched += fmt.Sprintf(", and of several explicit instantiations it is looked at in the first %d", maxTranslated)
	}
}

// apart are instances of the kernel's template, each once, and how many of them are to be translated.
func (c *compiler) apart(all []*instance) []*instance {
	var out []*instance
	for _, i := range all {
		if !slices.ContainsFunc(out, i.same) {
			out = append(out, i)
		}
	}
	c.instances = min(len(out), maxTranslated)
	return varied(out)
}

// varied puts instances into an order in which those that are looked at first have as many different arguments as they may: the first stays, and each of the next ones has the most that none
// before it has. What is wrong is often so with one value of one argument, whatever the others are.
func varied(all []*instance) []*instance {
	left := slices.Clone(all)
	out := make([]*instance, 0, len(all))
	for len(left) > 0 && len(out) < maxTranslated {
		best, most := 0, -1
		for k, i := range left {
			if n := i.news(out); n > most {
				best, most = k, n
			}
		}
		out = append(out, left[best])
		left = slices.Delete(left, best, best+1)
	}
	return append(out, left...)
}

// news counts the arguments of an instance that none of others has.
func (i *instance) news(others []*instance) (n int) {
	for k, a := range i.args {
		if !slices.ContainsFunc(others, func(o *instance) bool {
			return k < len(o.args) && (a == nil) == (o.args[k] == nil) && a.equal(o.args[k]) && (a != nil && a.symbol == "" || i.texts[k] == o.texts[k])
		}) {
			n++
		}
	}
	return n
}

// known reports whether it is known what is launched, and with what shape.
func (s *site) known() bool { return !s.unread && s.block.extent()[0] > 0 && s.kernel.known() }

// leading are the names of functions that lead to the kernel.
func (h *host) leading() (out []string) {
	for fn := range h.near {
		if !fn.Macro && !slices.Contains(out, fn.Name) {
			out = append(out, fn.Name)
		}
	}
	slices.Sort(out)
	return out
}

// alike reports whether two types that may have been read apart are the same.
func (t *ctype) alike(o *ctype) bool {
	switch {
	case t == nil || o == nil || t == o:
		return t == o
	case t.class == nil || o.class == nil || t.to != nil || o.to != nil:
		return t.array == o.array && t.extent == o.extent && (t.to != nil) == (o.to != nil) && (t.to == nil && t.key() == o.key() || t.to != nil && t.to.alike(o.to))
	}
	return t.class.Qualified == o.class.Qualified && slices.EqualFunc(t.args, o.args, func(a, b argument) bool {
		return a.t != nil && b.t != nil && a.t.alike(b.t) || a.t == nil && b.t == nil && a.key() == b.key()
	})
}

// where is the place of a launch, as it is printed.
func (s *site) where() string {
	if s.from != "" {
		return s.at + " from " + s.from
	}
	return s.at
}

func (s *site) same(o *site) bool {
	names := renaming{}
	matches := func(a, b *cell) bool { return a.matches(b, names) }
	return s.at == o.at && s.kernel.same(o.kernel) && matches(s.block, o.block) && matches(s.grid, o.grid) && s.cluster.equal(o.cluster) && slices.EqualFunc(s.args, o.args, matches)
}

// follow follows the functions that lead to the kernel: from those on that no other one of them calls.
func (h *host) follow() {
	h.near = map[*program.Function]bool{}
	level := map[string]bool{h.kernel.Name: true}
	var order []*program.Function
	calledBy := map[*program.Function]bool{} // by another one of them
	for depth := 0; depth < maxCallers && len(level) > 0; depth++ {
		next := map[string]bool{}
		for _, f := range h.c.files {
			stands, naming := false, map[*program.Function]bool{}
			for name := range level {
				word, _, _ := strings.Cut(name, " ") // one of several macros of a name has more to its own
				stands = stands || bytes.Contains(f.Source.Data, []byte(word))
			}
			if !stands || h.c.modelled(f) {
				continue
			}
			for name := range level {
				for _, fn := range f.Naming(name) {
					naming[fn] = true
				}
			}
			for _, fn := range f.Functions {
				if fn.Kernel || h.near[fn] || !naming[fn] {
					continue
				}
				if len(next) < maxNamed {
					h.near[fn], next[fn.Name] = true, true
					order = append(order, fn)
				}
			}
		}
		level = next
	}
	names := map[string]bool{}
	for _, fn := range order {
		for _, st := range fn.Body {
			program.WalkExprs(st, func(x program.Expr) bool {
				if id, ok := x.(*program.Name); ok {
					_, last := program.SplitName(id.Ident)
					if last != fn.Name {
						names[last] = true
					}
				}
				return true
			})
		}
	}
	for _, fn := range order {
		calledBy[fn] = names[fn.Name]
	}
	roots := 0
	for _, called := range []bool{false, true} { // the latter, if nobody came to them
		for _, fn := range order {
			if fn.Macro || calledBy[fn] != called || called && h.inner[fn] || roots >= maxRoots {
				continue
			}
			h.root = fn
			for _, params := range h.explicit(fn) {
				roots++
				h.enter(fn, params, nil)
			}
		}
	}
}

// explicit is what the explicit instantiations of a function's template give its parameters (C++17 [temp.explicit]). Without any it is followed once, with nothing known, or
// with what is taken for granted.
func (h *host) explicit(fn *program.Function) (out []map[string]*cell) {
	h.supposed = nil
	if len(fn.Template) > 0 {
		for _, f := range h.c.files {
			if !strings.HasSuffix(f.Source.Name, ".cu") { // whoever includes it may have others
				continue
			}
			for _, name := range f.Instances {
				if len(name.Template) == 0 || !program.EndsIn(fn.Qualified, name.Ident) {
					continue
				}
				if len(out) == maxExplicit { // and others
					return append(out, map[string]*cell{})
				}
				h.file, h.in = f, fn
				out = append(out, h.templates(fn, name.Template, nil, &path{scopes: []map[string]*cell{{}}}))
			}
		}
	}
	if len(out) == 0 {
		out = h.explicitClass(fn)
	}
	if h.number > 0 && len(out) == 1 && len(out[0]) == 0 {
		h.suppose(fn, out[0])
	}
	return out
}

// names reports whether a name is the kernel, where a call of it, if it is one, has so many arguments. Of several kernels of a name it is one that takes so many, in the
// namespace around.
func (h *host) names(ident string, args int) bool {
	_, last := program.SplitName(ident)
	if last != h.kernel.Name {
		return false
	}
	fits := func(fn *program.Function) bool {
		return program.EndsIn(fn.Qualified, ident) && (args < 0 || args <= len(fn.Params) || len(fn.Params) > 0 && fn.Params[len(fn.Params)-1].Star != 0)
	}
	exactly := func(fn *program.Function) bool { // what a macro stands for may be several arguments
		return args < 0 || !slices.ContainsFunc(fn.Params[min(args, len(fn.Params)):], func(p program.Param) bool { return p.Default == nil && p.Star == 0 })
	}
	if !fits(h.kernel) || !exactly(h.kernel) && slices.ContainsFunc(h.c.functions[last], func(fn *program.Function) bool { return fn.Kernel && fits(fn) && exactly(fn) }) {
		return false
	}
	around, best, mine := "", -1, false
	if h.in != nil {
		around = h.in.Qualified
	}
	for _, fn := range h.c.functions[last] {
		if !fits(fn) || !fn.Kernel {
			continue
		}
		outer, _ := program.SplitName(fn.Qualified)
		n := 0
		if outer != "" && strings.HasPrefix(around, outer+"::") {
			n = len(outer)
		}
		if n > best {
			best, mine = n, false
		}
		if n == best && (fn == h.kernel || fn.Qualified == h.kernel.Qualified && fn.Span == h.kernel.Span) {
			mine = true
		}
	}
	return mine
}

// instance is the kernel with arguments of its template, and with the defaults of those that are not given.
func (h *host) instance(given []program.Expr, p *path) *instance {
	out := &instance{}
	for k, x := range given {
		v := h.eval(x, p)
		if v == nil || v.number == nil && v.t == nil && !v.handed() {
			if t := h.typeOf(x, p); t != nil {
				v = &cell{t: t}
			}
		}
		if k < len(h.kernel.Template) && h.kernel.Template[k].Type == "typename" && v != nil && v.number != nil {
			v = nil
		}
		out.args, out.texts = append(out.args, v), append(out.texts, h.file.Source.Text(x.Where()))
	}
	return out
}

// apiOf is the function of CUDA that a call calls, by its name in the global namespace.
func (h *host) apiOf(call *program.Call) string { return strings.TrimPrefix(identOf(call.Fun), "::") }

// launch notes k<<<grid, block>>>(args).
func (h *host) launch(call *program.Call, v *cell, p *path) {
	id, named := call.Fun.(*program.Name)
	switch {
	case v != nil && v.kernel != nil:
		as := v.kernel
		if given := call.Template; len(as.args) == 0 && len(given) > 0 {
			as = h.instance(given, p)
		}
		as = h.completed(as, call.Args, p)
		h.note(call, as, call.Launch[1], h.shape(call.Launch[1], p), h.shape(call.Launch[0], p), nil, false, h.arguments(call.Args, p))
	case v == nil && named:
		if _, variable := p.find(id.Ident); variable || !h.names(id.Ident, len(call.Args)) {
			return
		}
		given := call.Template
		if len(given) == 0 {
			given = id.Template
		}
		h.note(call, h.completed(h.instance(given, p), call.Args, p), call.Launch[1], h.shape(call.Launch[1], p), h.shape(call.Launch[0], p), nil, false, h.arguments(call.Args, p))
	}
}

func (h *host) arguments(args []program.Expr, p *path) (out []*cell) {
	for _, a := range args {
		out = append(out, h.resolved(h.eval(a, p), p))
	}
	return out
}

// byFunction notes a launch by a function.
func (h *host) byFunction(as *api, call *program.Call, p *path) {
	if len(call.Args) <= max(as.kernel, as.config, as.grid, as.block) {
		return
	}
	v := h.eval(call.Args[as.kernel], p)
	if v == nil || v.kernel == nil {
		return
	}
	var args []*cell
	kernel := v.kernel
	switch {
	case as.args >= 0 && as.args < len(call.Args):
		kernel = h.completed(kernel, call.Args[as.args:], p)
		args = h.arguments(call.Args[as.args:], p)
	case as.list >= 0 && as.list < len(call.Args):
		if list := h.resolved(h.eval(call.Args[as.list], p), p); list != nil {
			for k := range h.kernel.Params {
				args = append(args, h.resolved(list.parts[element(int64(k))], p))
			}
		}
	}
	if as.config < 0 {
		block := call.Args[as.block]
		h.note(call, kernel, block, h.shape(block, p), h.shape(call.Args[as.grid], p), nil, false, args)
		h.found[len(h.found)-1].cooperative = as.cooperative
		return
	}
	c := h.resolved(h.eval(call.Args[as.config], p), p)
	if c == nil || c.parts == nil {
		h.note(call, kernel, call.Args[as.config], nil, nil, nil, false, args)
		return
	}
	cluster, clustered := h.cluster(c, p)
	h.note(call, kernel, call.Args[as.config], c.parts["blockDim"], c.parts["gridDim"], cluster, clustered, args)
	if id, named := call.Args[as.kernel].(*program.Name); named { // which of several a variable leads to may hang on what the attributes do
		_, variable := p.find(id.Ident)
		h.found[len(h.found)-1].dependent = !variable && h.dependent(c, p)
	}
}

func (h *host) note(call *program.Call, k *instance, text program.Expr, block, grid, cluster *cell, clustered bool, args []*cell) {
	src := h.file.Source
	if e := block.extent(); e[0]*e[1]*e[2] > ir.MaxThreads || e[0] > ir.MaxThreads || e[1] > ir.MaxThreads || e[2] > ir.MaxThreads {
		block = nil
	}
	h.found = append(h.found, site{at: fmt.Sprintf("%s:%d", src.Name, src.Position(call.Span.Start).Line), from: h.from, root: h.root, unit: h.c.file, kernel: k, block: block, grid: grid,
		cluster: cluster, clustered: clustered, text: strings.Join(strings.Fields(src.Text(text.Where())), " "), args: args, supposed: slices.Clone(h.supposed)})
}
