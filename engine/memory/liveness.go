package memory

// liveness tells for each place of a thread's code which registers may still be read: by an instruction behind it, or by
// the condition at the end.
func liveness(p *Program, index int) [][]bool {
	t := &p.threads[index]
	live := make([][]bool, len(t.code)+1)
	for i := range live {
		live[i] = make([]bool, len(t.regs))
	}
	see := func(x term) {
		if x.thread == index {
			live[len(t.code)][x.reg] = true
		}
	}
	for _, x := range p.shown {
		see(x)
	}
	p.condition.terms(see)
	if p.filter != nil {
		p.filter.terms(see)
	}
	for changed := true; changed; {
		changed = false
		for i := len(t.code) - 1; i >= 0; i-- {
			in := &t.code[i]
			for r := range live[i] {
				if !live[i][r] && liveBefore(in, r, live, i) {
					live[i][r] = true
					changed = true
				}
			}
		}
	}
	return live
}

func liveBefore(in *instruction, r int, live [][]bool, i int) bool {
	for _, a := range in.args {
		if a.kind == register && a.reg == r {
			return true
		}
	}
	if in.op == opBranch {
		return live[in.target][r] || in.fn != "goto" && live[i+1][r]
	}
	return in.dst != r && live[i+1][r]
}
