package compiled

// matched is the compiled group without the collectives that the source leaves out, and how many these are. A collective orders
// operations in time, so a source without it allows more executions, and hides none. Barriers of warps are never left out.
func matched(source, compiled *Group) (*Group, int) {
	keep := make([]int, 0, len(compiled.Steps))
	for i, j := 0, 0; j < len(compiled.Steps); {
		m, n := i, j
		for m < len(source.Steps) && source.Steps[m].ofWarp() {
			m++
		}
		for n < len(compiled.Steps) && compiled.Steps[n].ofWarp() {
			n++
		}
		for _, k := range chosen(source.Steps[i:m], compiled.Steps[j:n]) {
			keep = append(keep, j+k)
		}
		if n < len(compiled.Steps) {
			keep = append(keep, n)
		}
		i, j = min(m+1, len(source.Steps)), n+1
	}
	left := len(compiled.Steps) - len(keep)
	if left == 0 {
		return compiled, 0
	}
	out := &Group{CTA: compiled.CTA, Threads: compiled.Threads, Waits: compiled.Waits}
	for _, k := range keep {
		out.Steps = append(out.Steps, compiled.Steps[k])
	}
	out.InFlight = func(thread, step int) []Touch { return compiled.InFlight(thread, keep[step]) }
	out.Touches = func(thread, interval int) []Touch {
		first, last := bounds(keep, interval, len(compiled.Steps))
		var touches []Touch
		for k := first; k <= last; k++ {
			touches = append(touches, compiled.Touches(thread, k)...)
		}
		return touches
	}
	return out, left
}

// lanesAgree reports whether lanes of a warp that meet are those that the source says. Lanes that have exited are not waited for
// (PTX ISA 9.7.13.2), and the execution has only those that are left; where others of the mask stand elsewhere it has none.
func lanesAgree(source, compiled *Step) bool { return compiled.Count <= source.Count }

// ofWarp reports whether lanes of one warp meet.
func (s *Step) ofWarp() bool { return s.Act == WarpSync || s.Act == Collective }

// chosen are the meetings of a warp that correspond to those of the source, in order; all of them if there is no way.
func chosen(source, compiled []Step) (keep []int) {
	fits := func(i, j int) bool { return lanesAgree(&source[i], &compiled[j]) }
	ok := make([][]bool, len(source)+1) // the rest of both corresponds
	for i := range ok {
		ok[i] = make([]bool, len(compiled)+1)
	}
	for i := len(source); i >= 0; i-- {
		for j := len(compiled); j >= 0; j-- {
			switch {
			case j == len(compiled):
				ok[i][j] = i == len(source)
			default:
				ok[i][j] = compiled[j].Act == Collective && ok[i][j+1] || i < len(source) && fits(i, j) && ok[i+1][j+1]
			}
		}
	}
	all := !ok[0][0]
	for i, j := 0, 0; j < len(compiled); j++ {
		if taken := i < len(source) && fits(i, j) && ok[i+1][j+1]; all || taken {
			keep = append(keep, j)
			i++
		}
	}
	return keep
}

// bounds are what an interval between the steps at some places takes in: from behind the step before it up to the one that ends it, or
// to the end of all.
func bounds(at []int, interval, end int) (first, last int) {
	if last = end; interval < len(at) {
		last = at[interval]
	}
	if interval > 0 {
		first = at[interval-1] + 1
	}
	return first, last
}
