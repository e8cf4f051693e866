package compiled

import (
	"fmt"
	"slices"
	"strings"
)

// bytes are sets of bytes of shared memory, as sorted ranges.
type bytes map[where][]span

type where struct {
	cta      int
	variable string
}

type span struct{ lo, hi int }

// bytesOf are the bytes of accesses: of writes, or of reads.
func bytesOf(touches []Touch, write bool) bytes {
	out := bytes{}
	for _, t := range touches {
		if t.Write == write {
			at := where{t.CTA, t.Variable}
			out[at] = append(out[at], span{t.Lo, t.Hi})
		}
	}
	for at, spans := range out {
		out[at] = joined(spans)
	}
	return out
}

// joined sorts ranges and joins those that meet.
func joined(spans []span) []span {
	slices.SortFunc(spans, func(a, b span) int { return a.lo - b.lo })
	out := spans[:0]
	for _, s := range spans {
		if n := len(out); n > 0 && s.lo <= out[n-1].hi {
			out[n-1].hi = max(out[n-1].hi, s.hi)
		} else {
			out = append(out, s)
		}
	}
	return out
}

// add joins other sets to the set.
func (b bytes) add(other bytes) {
	for at, spans := range other {
		b[at] = joined(append(slices.Clone(b[at]), spans...))
	}
}

// without are the bytes that are in none of the others.
func (b bytes) without(others ...bytes) bytes {
	out := bytes{}
	for at, spans := range b {
		var rest []span
		for _, s := range spans {
			parts := []span{s}
			for _, o := range others {
				for _, cut := range o[at] {
					var next []span
					for _, p := range parts {
						if cut.hi <= p.lo || cut.lo >= p.hi {
							next = append(next, p)
							continue
						}
						if p.lo < cut.lo {
							next = append(next, span{p.lo, cut.lo})
						}
						if cut.hi < p.hi {
							next = append(next, span{cut.hi, p.hi})
						}
					}
					parts = next
				}
			}
			rest = append(rest, parts...)
		}
		if len(rest) > 0 {
			out[at] = rest
		}
	}
	return out
}

func (b bytes) String() string {
	var out []string
	for at, spans := range b {
		for _, s := range spans {
			out = append(out, fmt.Sprintf("%s[%d:%d] of CTA %d", at.variable, s.lo, s.hi, at.cta))
		}
	}
	slices.Sort(out)
	if len(out) > 4 {
		out = append(out[:4], fmt.Sprintf("… %d ranges", len(out)))
	}
	return strings.Join(out, ", ")
}

// of are the bytes of some variables.
func (b bytes) of(known map[string]bool) bytes {
	out := bytes{}
	for at, spans := range b {
		if known[at.variable] {
			out[at] = spans
		}
	}
	return out
}

// meeting are the bytes that are in another set, too.
func (b bytes) meeting(other bytes) bytes { return b.without(b.without(other)) }
