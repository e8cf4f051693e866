package memory

import "strings"

// family is what completes by groups, each kind by its own (PTX ISA 9.7.9.25.3, .6, 9.7.15.7).
type family uint8

const (
	noFamily   family = iota
	bulkGroup         // stores by cp.async.bulk
	wgmmaGroup        // wgmma.mma_async
	plainGroup        // cp.async
)

// engineOp reads what engines do, asynchronously to the thread that asks for it:
//
//	cp.async.bulk[.tensor].shared.global DST, SRC, BYTES, MBARRIER     SRC in brackets: the descriptor, which stands for its data
//	cp.async.bulk.shared.shared DST, SRC, BYTES, MBARRIER
//	cp.async.bulk[.tensor].global.shared DST, SRC
//	cp.reduce.async.bulk[.tensor].global.shared.FN DST, SRC
//	cp.async.bulk.commit_group      cp.async.bulk.wait_group[.read] N
//	cp.async.shared.global DST, SRC  cp.async.commit_group  cp.async.wait_group N  cp.async.wait_all
//	cp.async.mbarrier.arrive[.noinc] MBARRIER
//	tcgen05.mma DST, SRC            tcgen05.commit MBARRIER
//	wgmma.mma_async DST, SRC        wgmma.fence  wgmma.commit_group  wgmma.wait_group N
func (p *reader) engineOp(c *column, in *instruction, at token, words []string, args [][]token) error {
	in.op = opEngine
	verb := words[len(words)-1]
	switch {
	case verb == "commit_group" || verb == "fence" && words[0] == "wgmma":
		in.op = opCommit
		if verb == "fence" {
			in.op = opOrder
		}
		in.family = familyOf(at.text)
		return wants(at, args, 0, 0)
	case at.text == "cp.async.wait_all":
		in.op, in.family, in.fn = opGroups, plainGroup, verb
		return wants(at, args, 0, 0)
	case strings.Contains(at.text, ".wait_group"):
		in.op, in.family, in.fn = opGroups, familyOf(at.text), verb
		if err := wants(at, args, 1, 1); err != nil {
			return err
		}
		v, err := p.value(c, at, args[0])
		if err == nil && (v.kind != number || v.imm < 0 || verb != "read" && verb != "wait_group") {
			err = errorAt(at.line, "%s takes how many groups may be pending", at.text)
		}
		in.args[0] = v
		return err
	case at.text == "tcgen05.commit", strings.HasPrefix(at.text, "cp.async.mbarrier.arrive"):
		if err := wants(at, args, 1, 1); err != nil {
			return err
		}
		if words[0] == "cp" {
			return p.plainArrive(in, at, words, args[0])
		}
		return p.completes(in, at, args[0], 1, 0)
	case at.text == "tcgen05.mma" || at.text == "wgmma.mma_async":
		if words[0] == "wgmma" {
			in.family = wgmmaGroup
		}
		if err := wants(at, args, 2, 2); err != nil {
			return err
		}
		return p.moves(in, at, args[0], args[1], Shared, AnySpace)
	}
	return p.copyOp(c, in, at, words, args)
}

func familyOf(text string) family {
	switch {
	case strings.HasPrefix(text, "wgmma"):
		return wgmmaGroup
	case strings.HasPrefix(text, "cp.async.bulk"):
		return bulkGroup
	}
	return plainGroup
}

// plainArrive reads cp.async.mbarrier.arrive: an arrival when the copies before are over. Without .noinc it is made up for
// by one arrival more that the phase takes, at once (PTX ISA 9.7.13.15.15).
func (p *reader) plainArrive(in *instruction, at token, words []string, arg []token) error {
	in.family = plainGroup
	if err := p.completes(in, at, arg, 1, 0); err != nil {
		return err
	}
	in.parts[0].scope = CTA
	if words[len(words)-1] != "noinc" {
		more := in.parts[0]
		more.sem, more.scope = weak, NoScope
		more.args[0].imm = -1
		in.parts = append([]instruction{more}, in.parts...)
	}
	return nil
}

func (p *reader) copyOp(c *column, in *instruction, at token, words []string, args [][]token) error {
	var spaces []Space
	fn := ""
	for _, w := range words {
		switch w {
		case "shared", "shared::cta", "shared::cluster", "global":
			spaces = append(spaces, spaceNames[w])
		case "add", "and", "or", "xor":
			fn = w
		}
	}
	if at.text == "cp.async.shared.global" || at.text == "cp.async.ca.shared.global" || at.text == "cp.async.cg.shared.global" {
		in.family = plainGroup
		if err := wants(at, args, 2, 2); err != nil {
			return err
		}
		return p.moves(in, at, args[0], args[1], Global, Shared)
	}
	if !strings.Contains(at.text, "async.bulk") || len(spaces) != 2 || spaces[0] == Global && spaces[1] == Global ||
		(fn != "") != (words[1] == "reduce") {
		return errorAt(at.line, "%s: expected cp.async.bulk with destination and source, as in cp.async.bulk.shared.global", at.text)
	}
	in.fn = fn
	signals := spaces[0] == Shared
	n := 2
	if signals {
		n = 4
	} else {
		in.family = bulkGroup
	}
	if err := wants(at, args, n, n); err != nil {
		return err
	}
	if err := p.moves(in, at, args[0], args[1], spaces[1], spaces[0]); err != nil || !signals {
		return err
	}
	bytes, err := p.value(c, at, args[2])
	if err != nil {
		return err
	}
	if bytes.kind != number || bytes.imm < 1 || bytes.imm > maxCount {
		return errorAt(at.line, "%s: the bytes are a number from 1 to %d", at.text, maxCount)
	}
	return p.completes(in, at, args[3], 0, -bytes.imm)
}

// moves makes the parts of a copy: the engine reads and writes by the async proxy, weakly; a descriptor it reads by the
// tensormap proxy (PTX ISA 9.7.9.25.2, 9.7.9.25.5). What it adds to global memory it adds with relaxed.gpu (9.7.9.25.4.2).
func (p *reader) moves(in *instruction, at token, dst, src []token, from, to Space) error {
	r := instruction{op: opLoad, proxy: Async, dst: -1}
	if len(src) == 3 && src[0].text == "[" && src[2].text == "]" {
		src, r.proxy, from = src[1:2], Tensormap, AnySpace
	}
	w := instruction{op: opStore, proxy: Async, dst: -1}
	if in.family == plainGroup {
		r.proxy, w.proxy = Generic, Generic // 9.7.9.25.3.1: cp.async is of the generic proxy
	}
	if in.fn != "" {
		w.op, w.fn, w.sem, w.scope = opRMW, in.fn, relaxed, GPU
	}
	for _, x := range []struct {
		part  *instruction
		arg   []token
		space Space
	}{{&r, src, from}, {&w, dst, to}} {
		if err := p.place(x.part, at, x.arg); err != nil {
			return err
		}
		if err := p.inSpace(at, p.out.names[x.part.name].cell, x.space); err != nil {
			return err
		}
	}
	in.parts = []instruction{r, w}
	return nil
}

// completes makes the last part: the engine signals an mbarrier, by the generic proxy, when it has done the others (PTX
// ISA 9.7.9.25.4.1, 9.7.16.12).
func (p *reader) completes(in *instruction, at token, arg []token, count, tx int64) error {
	part := instruction{op: opArrive, sem: release, scope: Cluster, dst: -1}
	part.args[0], part.args[1] = operand{kind: number, imm: count}, operand{kind: number, imm: tx}
	err := p.mbarrierOperand(&part, at, arg)
	in.parts = append(in.parts, part)
	return err
}

// inSpace notes the space of a cell.
func (p *reader) inSpace(at token, cell int, space Space) error {
	for len(p.out.spaces) <= cell {
		p.out.spaces = append(p.out.spaces, AnySpace)
	}
	if old := p.out.spaces[cell]; space != AnySpace && old != AnySpace && old != space {
		return errorAt(at.line, "%s: the same cell is in global and in shared memory", at.text)
	}
	if space != AnySpace {
		p.out.spaces[cell] = space
	}
	return nil
}

// spaceOf is the space of a cell, as far as it is known.
func (p *Program) spaceOf(cell int) Space {
	if cell < 0 || cell >= len(p.spaces) {
		return AnySpace
	}
	return p.spaces[cell]
}

// asyncFence reads fence.proxy.async[.SPACE], fence.proxy.tensormap::generic.release.SCOPE, the same with .acquire.SCOPE
// CELL[, 128], and fence.mbarrier_init.release.cluster.
func (p *reader) asyncFence(in *instruction, at token, words []string, args [][]token) (bool, error) {
	in.only = -1
	switch {
	case at.text == "fence.mbarrier_init.release.cluster":
		in.op, in.sem, in.scope, in.fn = opFence, release, Cluster, "init"
		return true, wants(at, args, 0, 0)
	case len(words) >= 3 && words[1] == "proxy" && words[2] == "async":
		in.op, in.proxy = opProxyFence, Async
		if len(words) > 3 {
			space, ok := spaceNames[words[3]]
			if !ok || len(words) > 4 {
				return true, errorAt(at.line, "%s: expected .global, .shared::cta or .shared::cluster", at.text)
			}
			in.space = space
		}
		return true, wants(at, args, 0, 0)
	case len(words) == 5 && words[1] == "proxy" && words[2] == "tensormap::generic":
		in.op, in.proxy = opProxyFence, Tensormap
		if err := qualifiers(in, at, words[3:], "acquire release"); err != nil {
			return true, err
		}
		if in.sem == release {
			return true, wants(at, args, 0, 0)
		}
		if err := wants(at, args, 1, 2); err != nil {
			return true, err
		}
		err := p.place(in, at, args[0])
		in.only = in.name
		return true, err
	}
	return false, nil
}
