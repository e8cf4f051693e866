package progress

import "fmt"

// System is the system of p: the numbers of a state are where its threads are, then its cells.
func (p *Program) System() (System, error) {
	if err := p.Validate(); err != nil {
		return nil, err
	}
	return &axb{p}, nil
}

type axb struct{ *Program }

func (a *axb) Threads() []Thread {
	out := make([]Thread, len(a.Program.Threads))
	for t := range out {
		out[t] = Thread{Name: fmt.Sprintf("thread %d", t), Unit: t, Group: t}
		switch {
		case a.Cooperative:
			out[t].Group = 0
		case len(a.Groups) > 0:
			out[t].Group = a.Groups[t]
		}
	}
	return out
}

func (a *axb) Start() []int64 {
	cells := 0
	for _, list := range a.Program.Threads {
		for _, i := range list {
			cells = max(cells, i.Loc+1)
		}
	}
	return make([]int64, len(a.Program.Threads)+cells)
}

func (a *axb) Ended(s []int64, t int) bool { return int(s[t]) == len(a.Program.Threads[t]) }

// next gives the instruction of a thread, what it finds, and where it leads.
func (a *axb) next(s []int64, t int) (in Instruction, found, to int64) {
	in = a.Program.Threads[t][s[t]]
	found, to = s[len(a.Program.Threads)+in.Loc], s[t]+1
	if found == int64(in.Check) {
		to = int64(in.Jump)
	}
	return in, found, to
}

func (a *axb) Step(s []int64, t int) ([]int64, error) {
	in, _, to := a.next(s, t)
	out := append([]int64(nil), s...)
	out[t] = to
	if in.Exch {
		out[len(a.Program.Threads)+in.Loc] = int64(in.Value)
	}
	return out, nil
}

func (a *axb) Describe(s []int64, t int) (line, from int, text string) {
	in, found, to := a.next(s, t)
	text = fmt.Sprintf("at %d: cell %d is %d", s[t], in.Loc, found)
	if in.Exch {
		text += fmt.Sprintf(", set to %d", in.Value)
	}
	switch to {
	case int64(len(a.Program.Threads[t])):
		return 0, 0, text + "; ends"
	case s[t]:
		return 0, 0, text + "; again"
	}
	return 0, 0, fmt.Sprintf("%s; on to %d", text, to)
}
