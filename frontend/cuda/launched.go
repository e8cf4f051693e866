package cuda

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/program"
)

// launched is how the host launches the kernel: with what arguments of its template.
type launched struct {
	args    []program.Expr
	types   map[string]*ctype
	extents map[string]extent // see extentsGiven
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
	list, fit := distinct(found, together)
	if !fit && together != nil {
		list, fit = distinct(found, nil)
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

// distinct lists the launches that differ in their shapes, or in the numbers that go together, and reports whether there is room for all.
func distinct(found []site, together []map[string]int64) (list []ir.Launched, fit bool) {
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
