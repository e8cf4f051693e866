package lower

import (
	"github.com/fencepost-dev/fencepost/lower/cute"
	"github.com/fencepost-dev/fencepost/lower/value"
)

// The tensors of a matrix product share extents: k of A is k of B. Kernels say so in the names of their parameters only,
// mA_mkl and mB_nkl, whose letters are the modes in order. Extents of one letter are taken to be one unknown, and the
// bounds say so: two roles that count the same loop by different tensors agree on its length (notes/cutedsl.md 3.2, R8).

// sameExtents notes which unknown extents of the kernel's tensors are one.
func (m *machine) sameExtents(la *launch) {
	first := map[byte]string{}
	who := map[byte]string{}
	params := la.kernel.Params
	if la.self != nil && len(params) > 0 {
		params = params[1:]
	}
	for i, p := range params {
		v := la.keywords[p.Name]
		if i < len(la.args) {
			v = la.args[i]
		}
		letters := cute.ModesIn(p.Name)
		switch v.(type) {
		case *cute.Tensor, value.Symbol:
		default:
			continue
		}
		for k := range letters {
			s, ok := cute.Part(cute.ShapeOf(v), k).(value.Symbol)
			if !ok || s.Expr.Op != "" || s.Expr.IsConst {
				continue
			}
			_, known := m.in.values[s.Expr.Atom]
			switch of := first[letters[k]]; {
			case known:
			case of == "":
				first[letters[k]], who[letters[k]] = s.Expr.Atom, p.Name
			case of != s.Expr.Atom:
				if la.same == nil {
					la.same = map[string]string{}
				}
				la.same[s.Expr.Atom] = of
				m.in.assumed[string(letters[k])+" of "+who[letters[k]]+" is that of "+p.Name] = true
			}
		}
	}
}
