package lower

import (
	"slices"

	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
)

func (m *machine) product(lists [][]value.Value, repeat value.Value, n program.Node) value.Value {
	times, ok := repeat.(value.Int)
	if !ok || times < 0 || times > 16 {
		return value.Data{}
	}
	rows := [][]value.Value{nil}
	for range times {
		for _, l := range lists {
			var longer [][]value.Value
			for _, r := range rows {
				for _, v := range l {
					longer = append(longer, append(slices.Clone(r), v))
				}
				if len(longer) > value.MaxElems {
					m.stop(n, limit.Size, "product of more than %d elements", value.MaxElems)
				}
			}
			rows = longer
		}
	}
	out := &value.Sequence{}
	for _, r := range rows {
		out.Elems = append(out.Elems, &value.Sequence{Elems: r})
	}
	return out
}
