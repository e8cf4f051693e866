package syntax

import (
	"maps"
	"slices"

	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
)

// Keys are the keys of tables of the file, by their spelling, and those of them that a kernel stands under.
type Keys struct{ all, own map[string]program.Expr }

// ChosenBy are the parameters of a function whose default is a key: with the first one that the kernel stands under.
func (k Keys) ChosenBy(f *program.Function) map[string]program.Expr {
	out := map[string]program.Expr{}
	for _, p := range f.Params {
		if p.Default == nil || k.all[program.DumpExpr(p.Default)] == nil {
			continue
		}
		for _, at := range slices.Sorted(maps.Keys(k.own)) {
			out[p.Name] = k.own[at]
			break
		}
	}
	return out
}

// Choosers are the functions that look in a table of the file, where a kernel is mentioned nowhere else: a function that launches
// whatever it is handed gets it from there.
func Choosers(file *program.File, kernel *program.Function, words func(*program.Function) *Words) (out []*program.Function, keys Keys) {
	keys = Keys{map[string]program.Expr{}, map[string]program.Expr{}}
	var tables []string
	for _, st := range file.Body {
		a, ok := st.(*program.Assign)
		if !ok || len(a.Targets) != 1 || a.Value == nil || !Mentions(nil).Of(a.Value)[kernel.Name] {
			continue
		}
		if d, ok := a.Value.(*program.Dict); ok {
			tables = append(tables, value.LastName(a.Targets[0]))
			for i, key := range d.Keys {
				if key == nil {
					continue
				}
				keys.all[program.DumpExpr(key)] = key
				if Mentions(nil).Of(d.Values[i])[kernel.Name] {
					keys.own[program.DumpExpr(key)] = key
				}
			}
		}
	}
	for _, f := range file.Functions {
		if f.Outer == nil && !f.Kernel && words(f).Any(tables) {
			out = append(out, f)
		}
	}
	return out, keys
}
