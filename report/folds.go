package report

import (
	"strings"

	"github.com/fencepost-dev/fencepost/finding"
)

// maxRound is the longest round that is looked for in a counterexample.
const maxRound = 24

// fold is a part of a counterexample: steps as they are, or rounds that repeat what is before.
type fold struct{ from, length, rounds int }

// folds takes a counterexample apart. Of three rounds or more that do the same at the same lines, in whatever threads and with whatever numbers, the
// first and the last are told: how it begins, and how it is at the end.
func folds(trace []finding.Step) (out []fold) {
	type same struct {
		path string
		line int
		text string
	}
	keys := make([]same, len(trace))
	for i, s := range trace {
		keys[i] = same{s.Path, s.Line, withoutNumbers(s.Text)}
	}
	plain := func(from, n int) {
		if last := len(out) - 1; last >= 0 && out[last].rounds == 0 && out[last].from+out[last].length == from {
			out[last].length += n
			return
		}
		out = append(out, fold{from: from, length: n})
	}
	for i := 0; i < len(trace); {
		best, saved := fold{}, 0
		for n := 1; n <= maxRound && i+3*n <= len(trace); n++ {
			rounds := 1
			for i+(rounds+1)*n <= len(trace) && equal(keys[i:i+n], keys[i+rounds*n:i+(rounds+1)*n]) {
				rounds++
			}
			if s := (rounds-2)*n - 1; rounds > 2 && s > saved && keys[i].line > 0 {
				best, saved = fold{i, n, rounds}, s
			}
		}
		if saved == 0 {
			plain(i, 1)
			i++
			continue
		}
		plain(i, best.length)
		out = append(out, fold{i + best.length, best.length, best.rounds - 2})
		plain(i+(best.rounds-1)*best.length, best.length)
		i += best.rounds * best.length
	}
	return out
}

func equal[T comparable](a, b []T) bool {
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// withoutNumbers is a text with every number in it replaced by one mark.
func withoutNumbers(s string) string {
	var b strings.Builder
	within := false
	for _, r := range s {
		digit := r >= '0' && r <= '9'
		if digit && !within {
			b.WriteByte('#')
		}
		if within = digit; !digit {
			b.WriteRune(r)
		}
	}
	return b.String()
}
