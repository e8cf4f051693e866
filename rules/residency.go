package rules

import (
	"regexp"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/program"
)

// residency are words of host code that launches cooperatively or asks how many CTAs fit on the device. What they are asked
// for is not followed: a file that asks is taken to know.
var residency = regexp.MustCompile(`(?i)launch_?cooperative|cooperative_?(launch|kernel)|attributecooperative|this_grid|grid_group|` +
	`occupancy|max_?active|multi_?processor_?count|num_?sms?($|_)|numsms|sm_?count|sm_?num|hardware_?info`)

// resident reports whether the file shows that the CTAs of the kernel run together: it launches cooperatively, in clusters,
// or bounds a grid by what fits on the device.
func (p *Pass) resident() bool {
	for _, a := range p.fn.fn.Attributes {
		if c, ok := a.(*program.Call); ok && clusterAttribute.MatchString(path(c.Fun)) {
			return true
		}
	}
	for _, s := range p.sites {
		if s.op.Kind == dialect.GridSync || s.op.Kind == dialect.ClusterRank || s.op.Kind == dialect.ClusterSync {
			return true
		}
	}
	return p.fn.file.asksResidency()
}

var clusterAttribute = regexp.MustCompile(`cluster_dims|reqnctapercluster`)

// asksResidency looks through the file once.
func (f *fileFacts) asksResidency() bool {
	if f.residency != nil {
		return *f.residency
	}
	found := false
	look := func(n program.Node) bool {
		switch n := n.(type) {
		case *program.Name:
			found = found || residency.MatchString(n.Ident)
		case *program.Attr:
			found = found || residency.MatchString(n.Name)
		case *program.Call:
			for _, k := range n.Keywords {
				_, off := k.Value.(*program.Bool)
				on := !off || k.Value.(*program.Bool).Value
				found = found || on && (k.Name == "cooperative" || k.Name == "cluster" || residency.MatchString(k.Name))
			}
		}
		return !found
	}
	for _, fn := range f.file.Functions {
		for _, q := range fn.Params {
			found = found || !fn.Kernel && residency.MatchString(q.Name)
		}
		for _, s := range fn.Body {
			program.Walk(s, look)
		}
	}
	f.residency = &found
	return found
}

// launchedInFile reports whether the file launches the kernel, with more than one CTA as far as it tells.
func (p *Pass) launchedInFile() bool {
	ctas, launched := p.fn.file.grids[p.fn.fn.Name]
	return launched && ctas != 1 || p.fn.file.launchesByCall(p.fn.fn.Name)
}

var launchCall = regexp.MustCompile(`^(cuda|cu|hip)Launch(Kernel|HostKernel)`)

// launchesByCall reports whether a function of the file gives the kernel to the runtime's launch, by its name or by a
// local that was given it: cudaLaunchKernelEx(&config, kernel, …).
func (f *fileFacts) launchesByCall(kernel string) bool {
	for _, fn := range f.file.Functions {
		names := map[string]bool{kernel: true}
		for _, s := range fn.Body {
			program.Walk(s, func(n program.Node) bool {
				if a, ok := n.(*program.Assign); ok && a.Value != nil && hasName(a.Value, names) {
					for _, t := range a.Targets {
						names[lastWord(path(t))] = true
					}
				}
				return true
			})
		}
		for c := range program.Calls(fn.Body) {
			if fn.Kernel || !launchCall.MatchString(lastWord(path(c.Fun))) {
				continue
			}
			for _, a := range c.Args {
				if hasName(a, names) {
					return true
				}
			}
		}
	}
	return false
}

// hasName reports whether an expression mentions one of some names.
func hasName(x program.Expr, names map[string]bool) bool {
	found := false
	program.WalkExprs(x, func(e program.Expr) bool {
		if n, ok := e.(*program.Name); ok {
			found = found || n.Ident != "" && names[lastWord(n.Ident)]
		}
		return !found
	})
	return found
}

// blockUse says what an expression has to do with the CTA's index along x.
type blockUse uint8

const (
	noBlock   blockUse = iota
	thisBlock          // the index itself
	someBlock          // made from it
)

// blockUse follows names to their definitions.
func (f *function) blockUse(x program.Expr, depth int) blockUse {
	if x == nil || depth > 8 || f.spent() {
		return noBlock
	}
	is := func(op dialect.Op, known bool) bool { return known && op.Kind == dialect.BlockIdx }
	switch e := x.(type) {
	case *program.Attr:
		if is(f.file.table.Attr(e)) {
			return thisBlock
		}
	case *program.Index:
		if c, ok := e.X.(*program.Call); ok && is(f.call(c)) {
			return thisBlock
		}
	case *program.Call:
		if is(f.call(e)) {
			return thisBlock
		}
	case *program.Cast:
		return f.blockUse(e.X, depth+1)
	}
	if v := f.definition(x); v != nil {
		return f.blockUse(v, depth+1)
	}
	out := noBlock
	first := true
	program.WalkExprs(x, func(e program.Expr) bool {
		if first {
			first = false
			return true
		}
		if out == noBlock && f.blockUse(e, depth+1) != noBlock {
			out = someBlock
		}
		return false
	})
	return out
}

// onlyBlock gives the CTA that a guard lets through alone: blockIdx.x == 0.
func (g *guard) onlyBlock() (int64, bool) {
	b, ok := g.cond().(*program.Binary)
	if !ok || g.built {
		return 0, false
	}
	if b.Op == "&&" && !g.negated {
		for _, side := range []program.Expr{b.X, b.Y} {
			if n, ok := (&guard{rooted: side, fn: g.fn}).onlyBlock(); ok {
				return n, true
			}
		}
		return 0, false
	}
	if equal := b.Op == "=="; equal == g.negated || !equal && b.Op != "!=" {
		return 0, false
	}
	x, y := b.X, b.Y
	if _, constant := g.fn.fold(x); constant {
		x, y = y, x
	}
	n, ok := g.fn.fold(y)
	return n, ok && g.fn.blockUse(x, 0) != noBlock
}

// ofOneBlock gives the CTA whose threads alone reach a site.
func (s *site) ofOneBlock() (int64, bool) {
	for _, g := range s.guards {
		if n, ok := g.onlyBlock(); ok {
			return n, true
		}
	}
	return 0, false
}

// drawn are the names of a function that hold what an atomic addition returned, or something made from it: tickets.
func (p *Pass) drawn() map[string]bool {
	out := map[string]bool{}
	taints := func(x program.Expr) bool {
		found := false
		program.WalkExprs(x, func(e program.Expr) bool {
			switch e := e.(type) {
			case *program.Name, *program.Attr:
				found = found || out[path(e)]
			case *program.Index:
				found = found || out[path(e)]
			}
			return !found
		})
		return found
	}
	for round := 0; round < 8; round++ {
		grown := false
		for name, defs := range p.fn.defs {
			for _, d := range defs {
				if d.value != nil && !out[name] && (taints(d.value) || p.drawsIn(d.value)) {
					out[name], grown = true, true
					out[trimElement(name)] = true
				}
			}
		}
		if !grown {
			break
		}
	}
	return out
}

// trimElement is the array that an element is of, as definitions spell it.
func trimElement(name string) string {
	if n := len(name); n > 2 && name[n-2:] == "[]" {
		return name[:n-2]
	}
	return name
}

// drawsIn reports whether a value holds an atomic addition, other than one that adds nothing.
func (p *Pass) drawsIn(x program.Expr) bool {
	at := x.Where()
	for _, s := range p.sites {
		if s.op.Kind == dialect.AtomicAdd && s.spin == nil && s.span.Start >= at.Start && s.span.End <= at.End {
			if n, known := s.owner.fold(s.arg("value")); !known || n != 0 {
				return true
			}
		}
	}
	return false
}

// mentionsAny reports whether an expression has one of some names in it, through definitions too.
func (f *function) mentionsAny(x program.Expr, names map[string]bool, depth int) bool {
	if x == nil || depth > 4 {
		return false
	}
	found := false
	program.WalkExprs(x, func(e program.Expr) bool {
		switch e := e.(type) {
		case *program.Name, *program.Attr:
			if found = found || names[path(e)]; !found {
				if v := f.definition(e); v != nil {
					found = f.mentionsAny(v, names, depth+1)
				}
			}
		case *program.Index:
			found = found || names[path(e)]
		}
		return !found
	})
	return found
}
