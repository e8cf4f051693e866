package check

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/finding"
	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/protocol"
	"github.com/fencepost-dev/fencepost/rules"
)

// usualBlocks are the shapes that are taken where nothing says what shape a CTA has, by how many axes matter.
var usualBlocks = [...][3]int{1: {256, 1, 1}, 2: {32, 8, 1}, 3: {32, 4, 2}}

// block is a shape of a CTA of the kernel: what is stated, what the text says, or a guess.
func (k *compiledKernel) block() (shape [3]int, guess bool) {
	known := func(b [3]int) bool { return b[0] > 0 && b[1] > 0 && b[2] > 0 && b[0]*b[1]*b[2] <= ir.MaxThreads }
	if known(k.stated.Block) {
		return k.stated.Block, false
	}
	if b := k.whole.Directives["reqntid"]; known(b) {
		return b, false
	}
	for _, l := range k.whole.Launches {
		if known(l.Block) {
			return l.Block, false
		}
	}
	return usualBlocks[k.whole.Axes()], true
}

// divided tells of barriers that some threads of the CTA do not come to (FP403), as warnings but where a warp surely comes in parts, and of collectives whose masks do not fit the lanes that come (FP412):
// whatever the execution says, which ends where control cannot be followed and knows only numbers that were tried. What is known already is told once, as surely as it is here. Of a function it is not known that whole warps call it.
func (k *compiledKernel) divided(opt *Options, known []finding.Finding, wholeWarps bool) (out []finding.Finding) {
	if k.whole == nil {
		return nil
	}
	add := func(severity finding.Severity, rule string, at int32, message string, labels map[int32]string, help string) {
		if fd := k.toldAt(opt, known, out, severity, rule, at, message, labels, help); fd != nil {
			out = append(out, *fd)
		}
	}
	if !(k.balanced() && k.Verdict == engine.Holds) { // else not all numbers were tried
		shape, guess := k.block()
		for _, d := range k.whole.Divided(shape, guess) {
			severity, what, why := finding.Warning, "the CTA barrier is ", "unless bound or data happen to fit the CTA, some of its threads fail this"
			switch {
			case d.Lanes && !(guess && k.whole.Axes() > 1) && k.whole.Insts[d.Barrier].Flags&ir.Aligned != 0: // which all threads of a warp have to execute together (PTX ISA 9.7.13.1)
				severity, what, why = finding.Error, what+"reached by part of a warp only; expected all its threads to reach it", "this condition splits the warp"
			case d.Ends:
				what, why = "a collective takes what all threads of the CTA have; expected none to have returned before it", "unless bound or data happen to fit the CTA, some of its threads have returned here"
			case d.By == ir.ByIndex:
				what, why = what+"reached by some threads of the CTA only; the others meet no barrier in their branch", "this condition divides the threads of the CTA"
			case d.By == ir.ByData:
				what += "reached only by the threads that pass a check of data of their own"
			case d.Leaves:
				what += "in a loop that some threads of the CTA may leave earlier than others"
			default:
				what += "reached only by the threads that pass a check of their bound"
			}
			labels := map[int32]string{d.Branch: why}
			if d.Later >= 0 {
				labels[d.Later] = "the others go on to this barrier: the two are taken for one"
			}
			add(severity, "FP403", d.Barrier, what, labels, "let all threads of the CTA come to it, and check around the work only")
		}
		if k.Report != nil && k.Uneven {
			for _, d := range k.whole.PerhapsDivided(shape, guess) {
				if k.Missed[k.whole.Insts[d.Barrier].Place] {
					add(finding.Warning, "FP403", d.Barrier, "the CTA barrier is reached by some threads of the CTA less often than by others, which meet no barrier in their branch",
						map[int32]string{d.Branch: "this condition divides the threads of the CTA"}, "let all threads of the CTA come to it, and check around the work only")
				}
			}
		}
	}
	for _, m := range k.whole.Misfits(k.block()) {
		name := collectiveNames[k.whole.Insts[m.Inst].Op]
		if m.Short {
			add(finding.Warning, "FP412", m.Inst, fmt.Sprintf("%s takes what lane %d has, and the last warp of the CTA has %s only: that is not defined", name, m.Lane, lanesOf(m.Mask)), nil,
				"launch whole warps, or take from lanes that there are")
			continue
		}
		if m.Branch < 0 && m.Takes {
			add(finding.Warning, "FP412", m.Inst, fmt.Sprintf("%s takes what lane %d has, and its mask names %s only: that is not defined", name, m.Lane, lanesOf(m.Mask)), nil,
				"name every lane that it takes from: 0xffffffff for the whole warp")
			continue
		}
		if m.Branch < 0 && !wholeWarps {
			continue
		}
		if m.Branch < 0 {
			add(finding.Warning, "FP412", m.Inst, fmt.Sprintf("%s names %s only, and lane %d executes it as well", name, lanesOf(m.Mask), m.Lane), nil,
				"name every lane that executes it: 0xffffffff for the whole warp")
			continue
		}
		if m.Outside {
			add(finding.Warning, "FP412", m.Inst, name+" names the lanes that voted for something, and those that did not execute it as well", map[int32]string{m.Branch: "the mask is of the lanes for which this holds"},
				"let only the lanes of the mask come here, or name all that do: 0xffffffff for the whole warp")
			continue
		}
		if m.Active && m.By == 0 {
			add(finding.Warning, "FP412", m.Inst, name+" is of the lanes that happen to be together (__activemask), and all lanes of the warp come here", map[int32]string{m.Branch: "lanes that part here need not be together again"},
				"name the lanes: 0xffffffff for the whole warp, or __ballot_sync before the condition")
			continue
		}
		if m.Lane < 0 {
			who, why := "fail a check of data of their own", "what each lane has read decides this"
			switch {
			case m.By == ir.ByBound && m.Leaves:
				who, why = "leave the loop earlier than others", "unless the bound happens to fit the warp, some of its lanes leave here"
			case m.By == ir.ByBound:
				who, why = "fail a check of their bound", "unless the bound happens to fit the warp, some of its lanes fail this"
			case m.Leaves:
				who = "leave the loop, by data of their own,"
			}
			what := "all lanes"
			if m.Mask == 0 {
				what = "the lanes that voted before"
			}
			if m.Active {
				what = "the lanes that were together before"
			}
			said := fmt.Sprintf("%s names %s, and those that %s do not come here", name, what, who)
			if m.Takes {
				said = fmt.Sprintf("%s takes what lanes have that %s: that is not defined", name, who)
			}
			add(finding.Warning, "FP412", m.Inst, said, map[int32]string{m.Branch: why},
				"let all lanes come here, and check around the work only; or name the lanes that come (__ballot_sync before the condition)")
			continue
		}
		add(finding.Warning, "FP412", m.Inst, fmt.Sprintf("%s names %s, and lane %d never comes here", name, lanesOf(m.Mask), m.Lane),
			map[int32]string{m.Branch: "this condition keeps it away"}, "name only the lanes that pass the condition, or move the call out of it")
	}
	return out
}

// toldAt is a finding at an instruction; nil where it is known at that line, or told, which is then as sure as this is.
func (k *compiledKernel) toldAt(opt *Options, known, told []finding.Finding, severity finding.Severity, rule string, at int32, message string, labels map[int32]string, help string) *finding.Finding {
	site := func(pc int32) protocol.Site { return k.site(placeOf(k.whole, pc)) }
	r, where := rules.ByID(rule), site(at)
	fd := finding.Finding{Rule: r.ID, Name: r.Name, Severity: severity, Location: opt.wholeLine(k.file.Source, where), Kernel: k.fn.Qualified,
		Message: first120(message), KernelLines: k.lines(), Help: help}
	if where.Line == 0 || !opt.enabled(rule) {
		return nil
	}
	for _, list := range [][]finding.Finding{known, told} {
		if toldIn(list, &fd) {
			return nil
		}
	}
	for pc, text := range labels {
		if other := site(pc); other.Line > 0 && (other.Path != where.Path || other.Line != where.Line) {
			fd.Labels = append(fd.Labels, finding.Label{Location: opt.wholeLine(k.file.Source, other), Text: text})
		}
	}
	slices.SortFunc(fd.Labels, func(a, b finding.Label) int { return a.Line - b.Line })
	return &fd
}

// toldIn reports whether something is told of a finding's line; it is as severe as that then.
func toldIn(list []finding.Finding, fd *finding.Finding) bool {
	for n := range list {
		if o := &list[n]; o.Path == fd.Path && o.Line == fd.Line && o.Severity >= finding.Warning && !o.Cleared { // told, but for how sure it is
			o.Severity = max(o.Severity, fd.Severity)
			return true
		}
	}
	return false
}

// collectiveNames are what collectives of lanes are called.
var collectiveNames = map[ir.Op]string{ir.Shuffle: "a shuffle", ir.Vote: "a vote", ir.BarrierWarp: "a barrier of lanes", ir.Elect: "an election", ir.Rendezvous: "a collective"}

// lanesOf says a mask in words.
func lanesOf(mask uint32) string {
	switch low := bits.TrailingZeros32(mask); {
	case mask == 0:
		return "no lane"
	case ^mask == 0:
		return "all lanes"
	case bits.OnesCount32(mask) == 1:
		return fmt.Sprintf("lane %d", low)
	case mask>>low&(mask>>low+1) == 0:
		return fmt.Sprintf("lanes %d to %d", low, 31-bits.LeadingZeros32(mask))
	}
	return fmt.Sprintf("the lanes of %#x", mask)
}
