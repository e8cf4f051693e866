package lower

import (
	"slices"

	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/program"
)

func transposed(lists [][]Value) *Sequence {
	out := &Sequence{}
	for i := 0; ; i++ {
		row := &Sequence{}
		for _, l := range lists {
			if i >= len(l) {
				return out
			}
			row.Elems = append(row.Elems, l[i])
		}
		out.Elems = append(out.Elems, row)
	}
}

func (m *machine) product(lists [][]Value, repeat Value, n program.Node) Value {
	times, ok := repeat.(Int)
	if !ok || times < 0 || times > 16 {
		return Data{}
	}
	rows := [][]Value{nil}
	for range times {
		for _, l := range lists {
			var longer [][]Value
			for _, r := range rows {
				for _, v := range l {
					longer = append(longer, append(slices.Clone(r), v))
				}
				if len(longer) > MaxElems {
					m.stop(n, limit.Size, "product of more than %d elements", MaxElems)
				}
			}
			rows = longer
		}
	}
	out := &Sequence{}
	for _, r := range rows {
		out.Elems = append(out.Elems, &Sequence{Elems: r})
	}
	return out
}
