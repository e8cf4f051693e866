package lower

import (
	"slices"

	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/program"
)

func transposed(lists [][]value) *sequence {
	out := &sequence{}
	for i := 0; ; i++ {
		row := &sequence{}
		for _, l := range lists {
			if i >= len(l) {
				return out
			}
			row.elems = append(row.elems, l[i])
		}
		out.elems = append(out.elems, row)
	}
}

func (m *machine) product(lists [][]value, repeat value, n program.Node) value {
	times, ok := repeat.(integer)
	if !ok || times < 0 || times > 16 {
		return data{}
	}
	rows := [][]value{nil}
	for range times {
		for _, l := range lists {
			var longer [][]value
			for _, r := range rows {
				for _, v := range l {
					longer = append(longer, append(slices.Clone(r), v))
				}
				if len(longer) > maxElems {
					m.stop(n, limit.Size, "product of more than %d elements", maxElems)
				}
			}
			rows = longer
		}
	}
	out := &sequence{}
	for _, r := range rows {
		out.elems = append(out.elems, &sequence{elems: r})
	}
	return out
}
