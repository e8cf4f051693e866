package ir

// Heading is how a search of the ways from an instruction goes on where it has come to another one.
type Heading uint8

const (
	Onward Heading = iota // to what comes next
	Aside                 // on other ways alone
	Found                 // not at all: this is what was looked for
)

// Behind looks at the instructions that control may come to from one on, which is not among them but where ways lead back to it, and returns the first that is what is looked for; -1 where none
// is. Ways are those of the control flow: whether the guards of one go together is not asked.
func (fl *Flow) Behind(k int32, look func(k int32) Heading) int32 { return fl.walk(k, false, look) }

// ahead looks at the instructions that control may come to from where a block starts on.
func (fl *Flow) ahead(block int32, look func(k int32) Heading) int32 {
	w := ways{fl: fl, look: look, met: map[int32]bool{block: true}, todo: []int32{block}}
	return w.follow()
}

// walk looks at the instructions behind one, or goes back from it to those that lead there.
func (fl *Flow) walk(k int32, back bool, look func(k int32) Heading) int32 {
	w := ways{fl: fl, back: back, look: look, met: map[int32]bool{}}
	by := int32(1)
	if back {
		by = -1
	}
	if found := w.through(k+by, fl.BlockOf(k)); found >= 0 {
		return found
	}
	return w.follow()
}

// ways are those that a search follows, in one direction.
type ways struct {
	fl   *Flow
	back bool
	look func(k int32) Heading
	met  map[int32]bool // blocks, as a whole
	todo []int32
}

// through looks at a block from an instruction of it on.
func (w *ways) through(k, block int32) int32 {
	by, end, next := int32(1), w.fl.Last(block), w.fl.Next(block)
	if w.back {
		by, end, next = -1, w.fl.Start(block), w.fl.Before(block)
	}
	for ; by*k <= by*end; k += by {
		switch w.look(k) {
		case Found:
			return k
		case Aside:
			return -1
		}
	}
	for _, b := range next {
		if !w.met[b] && w.fl.Reached(b) {
			w.met[b], w.todo = true, append(w.todo, b)
		}
	}
	return -1
}

func (w *ways) follow() int32 {
	for len(w.todo) > 0 {
		b := w.todo[len(w.todo)-1]
		w.todo = w.todo[:len(w.todo)-1]
		first := w.fl.Start(b)
		if w.back {
			first = w.fl.Last(b)
		}
		if found := w.through(first, b); found >= 0 {
			return found
		}
	}
	return -1
}

// asideIf leaves a way where it is over.
func asideIf(over bool) Heading {
	if over {
		return Aside
	}
	return Onward
}
