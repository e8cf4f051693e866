package exec

// join is a place where lanes that were split come together again: the first that all ways from the split lead to.
type join struct {
	pc    int32
	depth int // of calls
	outer *join
	size  int
}

// maxJoins bounds how many splits are open in one warp.
const maxJoins = 1000

func (j *join) length() int {
	if j == nil {
		return 0
	}
	return j.size
}

// within reports whether lanes have still to come to a join.
func (f *fragment) within(j *join) bool {
	for k := f.join; k != nil; k = k.outer {
		if k == j {
			return true
		}
	}
	return false
}

// rejoin lets lanes go on together from a join, if all have come.
func (w *warp) rejoin(j *join) {
	var first *fragment
	for _, f := range w.fragments {
		if f.join == j && f.park {
			if first == nil {
				first = f
			}
		} else if f.within(j) {
			return
		}
	}
	if first == nil {
		return
	}
	for k := len(w.fragments) - 1; k >= 0; k-- {
		if f := w.fragments[k]; f != first && f.join == j {
			first.mask |= f.mask
			w.remove(f)
		}
	}
	first.join, first.park = j.outer, false
}

// rejoinAll looks at all joins, after lanes have ended.
func (w *warp) rejoinAll() {
	for again := true; again; {
		again = false
		for _, f := range w.fragments {
			if f.park {
				if w.rejoin(f.join); !f.park {
					again = true
					break
				}
			}
		}
	}
}

// release lets lanes go on from a join without the others, which wait for something else. It reports whether there were any.
func (w *warp) release() bool {
	for _, f := range w.fragments {
		if f.park {
			f.join, f.park = f.join.outer, false
			return true
		}
	}
	return false
}
