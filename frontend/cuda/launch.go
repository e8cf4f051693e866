package cuda

import (
	"bytes"
	"cmp"
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

// launched is how the host launches the kernel: with what arguments of its template.
type launched struct {
	args    []program.Expr
	types   map[string]*ctype
	extents map[string]extent // see extentsGiven
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

// take binds the parameters of the kernel's template.
func (l *launched) take(kernel *program.Function, as *instance) {
	for k, p := range kernel.Template {
		if k >= len(as.args) || p.Star != 0 {
			break
		}
		var x program.Expr
		if v := as.args[k]; v != nil && v.number != nil {
			x = &program.Int{Value: v.number.N, Suffix: suffixOf(v)}
		} else if v != nil && v.t != nil && !v.t.guessed {
			l.types[p.Name] = v.t
		} else if v != nil && p.Type != "typename" && v.handed() {
			x = l.function(v)
		}
		l.args = append(l.args, x)
	}
}

// function is a function that a template is given, by its name. The types that its own template is given stand under names that no text has.
func (l *launched) function(v *cell) program.Expr {
	x := &program.Name{Ident: v.symbol}
	for _, a := range v.of.args {
		switch {
		case a.number != nil:
			x.Template = append(x.Template, &program.Int{Value: a.number.N, Suffix: suffixOf(a)})
		case a.t != nil:
			name := fmt.Sprintf("?%d", len(l.types))
			l.types[name] = a.t
			x.Template = append(x.Template, &program.Name{Ident: name})
		default:
			x.Template = append(x.Template, l.function(a))
		}
	}
	return x
}

// settle says in the IR what the launches have in common, and what is not known of them.
func (c *compiler) settle(kernel *program.Function, h *host, where []string) *launched {
	known := (*site).known
	var found []site
	for k := range h.found {
		s := &h.found[k]
		alone := h.inner[s.root] && !known(s) && slices.ContainsFunc(h.found, func(o site) bool { return o.at == s.at && o.root != s.root }) // without its callers, and with them elsewhere
		if !alone && !slices.ContainsFunc(found, func(o site) bool { return o.same(s) }) {
			found = append(found, *s)
		}
	}
	out := &launched{types: map[string]*ctype{}}
	if len(found) == 0 {
		c.code.Unlaunched = "no launch of it is found in " + strings.Join(where, ", ")
		return out
	}
	first := 0
	for k := range found { // the first of which most is known
		if known(&found[k]) && !known(&found[first]) || found[first].unread {
			first = k
		}
	}
	all := []*instance{found[first].kernel}
	for _, s := range found {
		if !s.unread {
			all = append(all, s.kernel)
		}
	}
	all = c.apart(all)
	as := all[min(c.which, len(all)-1)]
	if k := slices.IndexFunc(all, func(i *instance) bool { return c.like != nil && i.alike(c.like) }); k >= 0 {
		as = all[k]
	}
	c.like = as
	if k := slices.IndexFunc(found, func(s site) bool { return s.kernel.same(as) && !s.unread }); k >= 0 {
		c.unit = found[k].unit
	}
	c.code.Unread = c.instances < len(all)
	var why []string
	unsure := func(text string) {
		if len(why) < maxShapes && !slices.Contains(why, text) {
			why = append(why, text)
		}
	}
	var mine []site
	for _, s := range found {
		switch e := s.block.extent(); {
		case s.unread && s.to != "":
			unsure("it is handed to " + s.to + " at " + s.at + ", which is not read")
		case s.unread:
			unsure("a statement at " + s.at + " names it, which is not read")
		case !s.kernel.same(as):
			if !slices.ContainsFunc(all[:c.instances], s.kernel.same) {
				unsure(fmt.Sprintf("it is launched at %s, too, with other arguments of its template, which is not looked at", s.where()))
			}
		case e[0] == 0 || mixed(found, &s):
			unsure(fmt.Sprintf("it is launched at %s with a block of %s, which is not known here", s.where(), s.text))
		case s.clustered && s.cluster.extent()[0] == 0:
			unsure(fmt.Sprintf("it is launched at %s with clusters whose size is not known here", s.where()))
		default:
			mine = append(mine, s)
		}
	}
	for k := range mine {
		mine[k].chosen = slices.ContainsFunc(found, func(o site) bool {
			return !o.unread && o.where() == mine[k].where() && o.kernel.same(as) && o.block.extent() != mine[k].block.extent()
		})
	}
	if !c.shapes(kernel, mine, len(why) == 0) {
		why = append(why, "it is launched with blocks of other shapes, too")
	}
	if k := slices.IndexFunc(mine, func(s site) bool { return len(s.supposed) > 0 }); k >= 0 {
		c.guessed = true
		for _, s := range mine[k].supposed {
			c.code.Guesses = append(c.code.Guesses, s.name)
			c.assume(fmt.Sprintf("%s of %s, which launches it, is %d", s.name, mine[k].root.Name, s.number))
		}
	}
	c.code.Unlaunched = strings.Join(why, "; ")
	c.code.Grid, c.code.Extents, c.code.Across = gridOf(found, as), extentsOf(found, as, site.threads), extentsOf(found, as, site.ctas)
	out.take(kernel, as)
	out.extents = c.extentsGiven(kernel, found, as)
	return out
}

// gridOf is the grid that all launches of an instance have; zero where it is not known.
func gridOf(found []site, as *instance) (grid [3]int) {
	for _, s := range found {
		switch {
		case s.unread:
			return [3]int{}
		case !s.kernel.same(as):
		case s.grid.extent()[0] == 0 || grid[0] != 0 && grid != s.grid.extent():
			return [3]int{}
		default:
			grid = s.grid.extent()
		}
	}
	return grid
}

// threads and ctas are the extents of a launch's blocks, and of its grid; zero along an axis where they are not known.
func (s site) threads() [3]int { return s.block.extents() }
func (s site) ctas() [3]int    { return s.grid.extents() }

// extentsOf are the extents that all launches of an instance have; zero along an axis where they are not known, or not the same.
func extentsOf(found []site, as *instance, of func(site) [3]int) (all [3]int) {
	met := false
	for _, s := range found {
		e := of(s)
		switch {
		case s.unread:
			return [3]int{}
		case !s.kernel.same(as):
		case !met:
			all, met = e, true
		default:
			for axis := range all {
				if all[axis] != e[axis] {
					all[axis] = 0
				}
			}
		}
	}
	return all
}

// mixed reports whether the axes of the shapes that paths to one launch give vary by themselves: which of them go together is not known, as conditions
// that are spelled apart may be one.
func mixed(found []site, of *site) bool {
	var apart [2]bool // shapes that differ along the first axis alone, and along another one
	for k := range found {
		a := found[k].block.extent()
		for n := range found[:k] {
			b := found[n].block.extent()
			if found[k].at != of.at || found[n].at != of.at || !found[k].kernel.same(of.kernel) || !found[n].kernel.same(of.kernel) || a[0] == 0 || b[0] == 0 {
				continue
			}
			apart[0] = apart[0] || a[0] != b[0] && a[1] == b[1] && a[2] == b[2]
			apart[1] = apart[1] || a[0] == b[0] && (a[1] != b[1] || a[2] != b[2])
		}
	}
	return apart[0] && apart[1]
}

// suffixOf is the suffix of a literal of a cell's type.
func suffixOf(v *cell) string {
	s := ""
	if !v.number.Signed {
		s = "u"
	}
	if v.number.Bits == 64 {
		s += "l"
	}
	return s
}

// shapes puts the shapes of launches in the IR, those that are alike once, and reports whether there was room for all. What they all say of grid and
// parameters counts where all launches are known, and so do numbers that each says otherwise, where there is room for all that go together.
func (c *compiler) shapes(kernel *program.Function, found []site, all bool) (fit bool) {
	params, together := map[string]int64{}, []map[string]int64(nil)
	if all {
		params, together = c.passed(kernel, found)
	}
	list, fit := apart(found, together)
	if !fit && together != nil {
		list, fit = apart(found, nil)
	}
	for k := range list {
		if c.leavesOut(waitsForGrids) {
			list[k].Dependent = ""
		}
	}
	if c.code.Launches = list; len(list) == 0 {
		return fit
	}
	l := &list[0]
	if !slices.ContainsFunc(list, func(o ir.Launched) bool { return o.Block != l.Block || o.Cluster != l.Cluster }) {
		c.code.Directives["reqntid"] = l.Block
		if l.Cluster[0] > 0 {
			c.code.Directives["reqnctapercluster"] = l.Cluster
		}
	}
	if !all {
		return fit
	}
	grid := found[0].grid.extent()
	for _, s := range found {
		if s.grid.extent() != grid {
			grid = [3]int{}
		}
	}
	for k := range list {
		all := maps.Clone(params)
		maps.Copy(all, list[k].Params)
		list[k].Grid, list[k].Params = grid, all
	}
	return fit
}

// apart lists the launches that differ in their shapes, or in the numbers that go together, and reports whether there is room for all.
func apart(found []site, together []map[string]int64) (list []ir.Launched, fit bool) {
	for i, s := range found {
		l := ir.Launched{Block: s.block.extent(), Cluster: s.cluster.extent(), At: s.where(), Cooperative: s.cooperative, Chosen: s.chosen}
		if s.dependent {
			l.Dependent = s.where()
		}
		if together != nil {
			l.Params = together[i]
		}
		if k := slices.IndexFunc(list, func(o ir.Launched) bool {
			return o.Block == l.Block && o.Cluster == l.Cluster && maps.Equal(o.Params, l.Params)
		}); k >= 0 {
			list[k].Cooperative = list[k].Cooperative && l.Cooperative
			list[k].Chosen = list[k].Chosen && l.Chosen
			list[k].Dependent = cmp.Or(list[k].Dependent, l.Dependent)
			continue
		}
		if len(list) >= maxShapes {
			return list, false
		}
		list = append(list, l)
	}
	return list, true
}

// passed are the integers that all launches pass alike, and those, two or more, that each passes as constants of its own: which of them go together, the host says.
func (c *compiler) passed(kernel *program.Function, found []site) (alike map[string]int64, together []map[string]int64) {
	alike = map[string]int64{}
	several := make([]map[string]int64, len(found))
	for i := range several {
		several[i] = map[string]int64{}
	}
	for k, p := range kernel.Params {
		t := c.typeOf(p.Type)
		if t == nil || !t.integer() || p.Star != 0 || slices.ContainsFunc(found, func(s site) bool { return k >= len(s.args) || s.args[k] == nil || s.args[k].number == nil }) {
			continue
		}
		if first := found[0].args[k].number.N; !slices.ContainsFunc(found, func(s site) bool { return s.args[k].number.N != first }) {
			alike[p.Name] = numberOf(t).Wrap(first)
			continue
		}
		for i, s := range found {
			several[i][p.Name] = numberOf(t).Wrap(s.args[k].number.N)
		}
	}
	if len(several[0]) < 2 {
		several = nil
	}
	return alike, several
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
