package lower

import (
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/lower/combination"
	"github.com/fencepost-dev/fencepost/lower/syntax"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
)

// Which options of a kernel are tried, and in which order. What decides most about synchronization comes first, one option
// at a time, and together with the tensors that its branches need: an option that is only right with another one would
// else be refused every time. Then come pairs of what is left.

// given is the type of a parameter that may be None where it is not.
func given(typ string) string {
	if head, args := syntax.Annotation(typ); head == "Optional" && len(args) == 1 {
		return args[0]
	}
	parts := slices.DeleteFunc(strings.Split(typ, "|"), func(p string) bool { return strings.TrimSpace(p) == "None" })
	return strings.TrimSpace(strings.Join(parts, "|"))
}

// switches is a test that is decided when the kernel is compiled: the names in it, those in its arms, and whether the
// arms synchronize.
type switches struct {
	names, arms map[string]bool
	syncs       bool
}

// tests lists the tests of the file that are decided when the kernel is compiled.
func (l *lowering) tests() []switches {
	in := l.newInstance(nil, &launch{})
	var out []switches
	for _, f := range l.file.Functions {
		for _, st := range f.Body {
			program.Walk(st, func(n program.Node) bool {
				switch n := n.(type) {
				case *program.If:
					if n.Const || strings.Contains(program.DumpExpr(n.Cond), "const_expr") {
						arms := append(slices.Clone(n.Then), n.Else...)
						t := switches{syntax.Mentions(nil).Of(n.Cond), syntax.Mentions(arms).Names, false}
						for _, st := range arms {
							r := l.relevance(in, l.main, st)
							t.syncs = t.syncs || r.syncs
						}
						out = append(out, t)
					}
				case *program.Call:
					if value.LastWord(program.DumpExpr(n.Fun)) == "const_expr" {
						w := syntax.Mentions(nil)
						for _, a := range n.Args {
							w.Of(a)
						}
						out = append(out, switches{w.Names, nil, false})
					}
				}
				return true
			})
		}
	}
	return out
}

// aliases are the names that stand for a parameter: its own, and what is assigned an expression of it.
func (l *lowering) aliases(name string) map[string]bool {
	out := map[string]bool{name: true}
	for _, f := range l.file.Functions {
		if f.Kernel || !slices.ContainsFunc(f.Params, func(p program.Param) bool { return p.Name == name }) {
			continue
		}
		program.WalkStmts(f.Body, func(st program.Stmt) bool {
			if a, ok := st.(*program.Assign); ok && a.Value != nil && len(a.Targets) == 1 && syntax.Mentions(nil).Of(a.Value)[name] {
				switch t := a.Targets[0].(type) {
				case *program.Name:
					out[t.Ident] = true
				case *program.Attr:
					out[t.Name] = true
				}
			}
			return true
		})
	}
	return out
}

// ranked are the options that decide a test, those first that decide most tests of what synchronizes, and the tensors
// that arms of such tests use.
func (l *lowering) ranked(la *launch) []option {
	tests := l.tests()
	var out []option
	for _, o := range la.offered {
		if o.joins || o.member || slices.ContainsFunc(out, func(p option) bool { return p.key == o.key }) {
			continue
		}
		o.with = map[string]bool{}
		decides := o.extent
		names := l.aliases(o.name)
		for _, t := range tests {
			if !common(names, t.names) {
				continue
			}
			decides = true
			if t.syncs {
				o.weight++
			}
			for name := range t.arms {
				o.with[name] = true
			}
		}
		o.companion = !decides
		out = append(out, o)
	}
	all := out
	out = slices.DeleteFunc(slices.Clone(all), func(o option) bool {
		_, left := o.chosen.(value.None)
		return o.companion && (!left || !slices.ContainsFunc(all, func(p option) bool { return p.with[o.name] }))
	})
	slices.SortStableFunc(out, func(a, b option) int { return b.weight - a.weight })
	return out
}

func common(a, b map[string]bool) bool {
	for k := range a {
		if b[k] {
			return true
		}
	}
	return false
}

// alternatives are the configurations of a kernel but the default.
func (l *lowering) alternatives(la *launch) []config {
	options := l.options(la)
	var out []config
	add := func(c config) {
		if len(out) < maxConfigs && !slices.ContainsFunc(out, func(d config) bool { return d.String() == c.String() }) {
			out = append(out, c)
		}
	}
	for _, o := range options {
		if o.companion {
			continue
		}
		add(config{o})
		for _, p := range options {
			if _, left := p.chosen.(value.None); left && p.key != o.key && o.with[p.name] {
				if _, both := o.chosen.(value.None); !both {
					add(config{o, p})
				}
			}
		}
	}
	for _, o := range l.leftOut(la) {
		add(config{o})
	}
	for _, c := range pairwise(slices.DeleteFunc(options, func(o option) bool { return o.companion || o.extent })) {
		add(c)
	}
	return out
}

// leftOut are the tensors that are fields of a record and that nobody gives. Most uses of them are refused, and some only
// go with another option (together.go): they are tried after all others.
func (l *lowering) leftOut(la *launch) (out []option) {
	for _, o := range la.offered {
		if o.joins && !slices.ContainsFunc(out, func(p option) bool { return p.key == o.key }) {
			out = append(out, o)
		}
	}
	return out[:min(len(out), maxJoined)]
}

// pairwise lists configurations that together give every two options every pair of their values, the default
// configuration left out.
func pairwise(options []option) []config {
	var out []config
	for _, row := range combination.Pairwise(len(options), maxConfigs) {
		var c config
		for i, o := range options {
			if row[i] {
				c = append(c, o)
			}
		}
		out = append(out, c)
	}
	return out
}
