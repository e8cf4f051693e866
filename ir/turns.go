package ir

import "slices"

// StageAct is what a text does with a stage of a pipeline: the mode of a Stage.
type StageAct uint8

// Who fills a stage acquires it, fills it and commits it; who reads it waits for it and releases it; then both go on to the next one.
const (
	StageAcquire StageAct = iota
	StageFill
	StageCommit
	StageWait
	StageRelease
	StageAdvance
	StageUse
	StageSet  // the state is set anew
	StageLost // a call of which nothing is known is handed the object
)

var stages = []string{"acquire", "fill", "commit", "wait", "release", "advance", "use", "set", "lost"}

// Turn is a stage of a pipeline that a text takes its turns with, and leaves something out in each: whoever fills a stage acquires it before and commits it then,
// whoever reads it waits for it before and releases it then (cutlass/pipeline/sm90_pipeline.hpp), and goes on to the next stage.
type Turn struct {
	Inst, Advance int32 // the call that is there; where the turn begins, or ends
	Has, Lacks    StageAct
	Pipeline      string
}

// obligation says of what a turn has what has to come before it, or behind it.
type obligation struct {
	has   []StageAct
	lacks StageAct
	meets []StageAct // one of which is as good
	ahead bool       // it has to come before
}

var obligations = []obligation{
	{[]StageAct{StageRelease}, StageWait, []StageAct{StageWait}, true},
	{[]StageAct{StageCommit, StageFill}, StageAcquire, []StageAct{StageAcquire}, true},
	{[]StageAct{StageAcquire}, StageCommit, []StageAct{StageCommit}, false},
	{[]StageAct{StageWait}, StageRelease, []StageAct{StageRelease}, false},
	{[]StageAct{StageAdvance}, StageWait, []StageAct{StageWait}, true},
	{[]StageAct{StageAdvance}, StageRelease, []StageAct{StageRelease}, true},
}

// Turns lists what is surely left out: on no way through a turn is it done, and the turns go round, or on to the next, in this text. Something is done in the turn beside that, which
// tells it from one that only gives back what is left. What a call of which nothing is known is handed is not judged. The first turn begins where the kernel does, or a function that is not called by others here,
// and is told of where later turns with the state do it: else a caller may have done it.
func (c *Kernel) Turns(called bool) (out []Turn) {
	if len(c.Insts) > most {
		return nil
	}
	lost := map[int64]bool{}
	var acts []int32
	for k := range c.Insts {
		in := &c.Insts[k]
		switch {
		case in.Op != Stage || !c.Flow().Reached(c.Flow().BlockOf(int32(k))):
		case StageAct(in.Mode) != StageLost:
			acts = append(acts, int32(k))
		case in.A.Imm < 0: // a function that is handed, and may be called there
			return nil
		case in.A.Imm > 0:
			lost[in.A.Imm] = true
		}
	}
	told := map[[2]int64]bool{}
	for _, k := range acts {
		in := &c.Insts[k]
		if in.A.Imm == 0 || lost[in.A.Imm] || lost[in.B.Imm] || in.B.Imm == 0 && StageAct(in.Mode) != StageAdvance {
			continue
		}
		for _, o := range obligations {
			key := [2]int64{in.A.Imm, int64(o.lacks)}
			if !slices.Contains(o.has, StageAct(in.Mode)) || told[key] {
				continue
			}
			t := Turn{Inst: k, Has: StageAct(in.Mode), Lacks: o.lacks, Pipeline: in.Extra.Text}
			if t.Has == StageAdvance {
				by, is := c.onlyState(acts, in.A.Imm, o.lacks)
				if !is || lost[by.A.Imm] || told[[2]int64{by.A.Imm, key[1]}] {
					continue
				}
				key[0], t.Pipeline = by.A.Imm, by.Extra.Text
			} else if c.deferred(acts, in, o.meets) {
				continue
			}
			w := c.turnOf(k, &o)
			first := w.advance < 0 && w.begins && !called && t.Has != StageAdvance && c.doneLater(acts, k, o.meets)
			if w.met || w.advance < 0 && !first || !first && !w.works && t.Has != StageAdvance {
				continue
			}
			told[key], t.Advance = true, w.advance
			out = append(out, t)
		}
	}
	return out
}

// deferred reports whether something is done to a pipeline by another state, earlier or later, or by whoever fills its stages: copies that complete on the stage's barrier.
func (c *Kernel) deferred(acts []int32, of *Inst, meets []StageAct) bool {
	return slices.ContainsFunc(acts, func(k int32) bool {
		o := &c.Insts[k]
		return o.A.Imm == of.A.Imm && (StageAct(o.Mode) == StageFill && slices.Contains(meets, StageCommit) || o.B.Imm != of.B.Imm && slices.Contains(meets, StageAct(o.Mode)))
	})
}

// doneLater reports whether something is done to the pipeline of an act, by its state, somewhere behind it.
func (c *Kernel) doneLater(acts []int32, than int32, meets []StageAct) bool {
	of := &c.Insts[than]
	return slices.ContainsFunc(acts, func(k int32) bool {
		o := &c.Insts[k]
		return k > than && o.A.Imm == of.A.Imm && o.B.Imm == of.B.Imm && slices.Contains(meets, StageAct(o.Mode))
	})
}

// onlyState is an act for which a state is there: all that is done by it is this, and, of one that is waited by, the use of the stage.
func (c *Kernel) onlyState(acts []int32, state int64, does StageAct) (one *Inst, is bool) {
	for _, k := range acts {
		switch in := &c.Insts[k]; {
		case in.A.Imm == state && StageAct(in.Mode) == StageUse && does != StageWait:
			return nil, false
		case in.B.Imm != state:
		case StageAct(in.Mode) != does || one != nil && one.A.Imm != in.A.Imm:
			return nil, false
		default:
			one = in
		}
	}
	return one, one != nil
}

// turnWay is what is on the ways from a call in a turn to where the turn begins, or ends.
type turnWay struct {
	met, works bool  // works: on a way between the two
	begins     bool  // some way comes from where the text begins
	advance    int32 // one of the places where it begins, or ends, by going on to another stage; -1: none
}

func (c *Kernel) turnOf(from int32, o *obligation) turnWay {
	w := turnWay{advance: -1}
	pipeline, state := c.Insts[from].A.Imm, c.Insts[from].B.Imm
	anyOf := StageAct(c.Insts[from].Mode) == StageAdvance // pipelines that go by the state
	if anyOf {
		state = pipeline
	}
	var advances []int32
	turn := map[int32]bool{}
	c.Flow().walk(from, o.ahead, func(k int32) Heading {
		in := &c.Insts[k]
		turn[k] = true
		w.begins = w.begins || k == 0
		if in.Op != Stage {
			return asideIf(w.met)
		}
		switch does := StageAct(in.Mode); {
		case does == StageAdvance && in.A.Imm == state:
			advances = append(advances, k)
			return Aside
		case does == StageSet && in.A.Imm == state:
			return Aside
		case slices.Contains(o.meets, does) && (in.A.Imm == pipeline || anyOf && in.B.Imm == state):
			w.met = true
		}
		return asideIf(w.met)
	})
	for _, a := range advances {
		w.advance = max(w.advance, a)
		c.Flow().walk(a, !o.ahead, func(k int32) Heading {
			if in := &c.Insts[k]; in.Op == Stage {
				does := StageAct(in.Mode)
				w.works = w.works || does == StageUse && in.A.Imm == state || does == StageFill && in.A.Imm == pipeline && in.B.Imm == state
			} else if turn[k] && c.Insts[k-1].Op != Stage { // else it is the call that is noted there
				w.works = w.works || in.Op == Outside || in.Op.Accesses() && in.Op != Load || in.Op.Synchronizes()
			}
			return asideIf(w.works || !turn[k])
		})
	}
	return w
}
