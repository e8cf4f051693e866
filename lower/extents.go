package lower

import (
	"strings"

	"github.com/fencepost-dev/fencepost/lower/value"
)

// The tensors of a matrix product share extents: k of A is k of B. Kernels say so in the names of their parameters only,
// mA_mkl and mB_nkl, whose letters are the modes in order. Extents of one letter are taken to be one unknown, and the
// bounds say so: two roles that count the same loop by different tensors agree on its length (notes/cutedsl.md 3.2, R8).

// ModesIn are the letters of the modes that a parameter's name ends in; "" where it has none.
func ModesIn(name string) string {
	at := strings.LastIndexByte(name, '_')
	letters := name[at+1:]
	if at < 0 || len(letters) < 2 || len(letters) > 4 || strings.Trim(letters, "mnkl") != "" {
		return ""
	}
	for i := range letters {
		if strings.IndexByte(letters[i+1:], letters[i]) >= 0 {
			return ""
		}
	}
	return letters
}

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
		letters := ModesIn(p.Name)
		switch v.(type) {
		case *Tensor, value.Symbol:
		default:
			continue
		}
		for k := range letters {
			s, ok := Part(ShapeOf(v), k).(value.Symbol)
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

// Named is a tensor of which nothing is known but the parameter that it is given as: its extents are unknowns of the
// parameter, which every thread of the launch sees. Where some extents are known, how they hang together with the others
// is, too, and that would be lost.
func (t *Tensor) Named(parameter string) *Tensor {
	if _, unknown := t.Shape.(value.Data); !unknown {
		return t
	}
	out := *t
	out.Name, out.Shape = parameter, value.Atom(parameter+".shape")
	return &out
}
