package lower

import (
	"encoding/binary"

	"github.com/fencepost-dev/fencepost/lower/value"
)

// Each combination tells the threads of a CTA apart anew, and finds out anew who waits for what others store to shared memory:
// what a group did until then is thrown away. So a sweep keeps what groups came to in the combinations before, and a group that
// would come to the same is told apart, or held back, before it is evaluated. That is a matter of time alone: how finely threads
// are told apart, and in which order groups are evaluated, is free.

// precedents is what groups of threads came to in combinations before, by their CTA and threads.
type precedents map[string]*precedent

type precedent struct {
	splits []parting
	waits  bool // for what is stored by groups that came after it
}

// parting is how a group was told apart, and what its unknowns were worth up to there.
type parting struct {
	answers []answered
	parts   [][]int64
}

// answered is a question that evaluation asked, and the answer.
type answered struct {
	of    *value.Expr
	yesNo bool
	v     int64
}

// maxAnswers bounds what is kept of a group.
const maxAnswers = 1024

func (g *group) key() string {
	out := binary.AppendVarint(nil, int64(g.cta))
	for _, t := range g.threads {
		out = binary.AppendVarint(out, t)
	}
	return string(out)
}

func (all precedents) of(g *group) *precedent {
	key := g.key()
	if all[key] == nil {
		all[key] = &precedent{}
	}
	return all[key]
}

// split notes how a group was told apart.
func (p *precedent) split(m *machine, parts [][]int64) {
	if len(parts) > 1 && len(m.answered) < maxAnswers {
		p.splits = append(p.splits, parting{m.answered, parts})
	}
}

// parts is how the group will be told apart, nil where that is not known.
func (p *precedent) parts(in *instance) [][]int64 {
	m := &machine{in: in}
next:
	for _, s := range p.splits {
		for _, a := range s.answers {
			if v, missing := m.worth(a.of, a.yesNo); missing != nil || v != a.v {
				continue next
			}
		}
		return s.parts
	}
	return nil
}
