package cute

import "github.com/fencepost-dev/fencepost/lower/value"

// Dims reads a launch extent: a number or a tuple. Unknown parts are 0, missing ones 1.
func Dims(v value.Value) [3]int64 {
	out := [3]int64{1, 1, 1}
	num := func(v value.Value) int64 {
		if n, ok := v.(value.Int); ok {
			return int64(n)
		}
		return 0
	}
	switch v := value.UntypedAll(v).(type) {
	case *value.Sequence:
		for i, e := range v.Elems {
			if i < 3 {
				out[i] = num(e)
			}
		}
	default:
		out[0] = num(v)
	}
	return out
}
