package memory

import (
	"fmt"
	"strconv"
	"strings"
)

// object is what threads arrive on and wait for, phase after phase: an mbarrier, a named barrier of a CTA, the barrier of
// a cluster. They differ in who declares them and in what orders memory, not in how they count (PTX ISA 9.7.13.1, .3, .15).
type object struct {
	kind  objectKind
	name  int   // index into Program.names
	count int64 // arrivals that a phase takes; 0: mbarrier.init says, or every thread that has not ended
}

// initialized reports whether an instruction of the test initializes the object.
func (o *object) initialized() bool { return o.kind == mbarrier && o.count == 0 }

type objectKind uint8

const (
	mbarrier objectKind = iota
	namedBarrier
	clusterBarrier
)

// maxCount is the largest number of arrivals and of bytes that an mbarrier counts (PTX ISA 9.7.13.15.2).
const maxCount = 1<<20 - 1

// Space is a state space, of a cell that a copy tells it of.
type Space uint8

// The spaces; fences between proxies may be restricted to one.
const (
	AnySpace Space = iota
	Global
	Shared
)

var spaceNames = map[string]Space{"global": Global, "shared": Shared, "shared::cta": Shared, "shared::cluster": Shared}

// signal is what an instruction does to an object.
type signal struct {
	object int
	drop   bool // an arrival that counts for later phases too
	parity bool // a wait for a parity, not for a token
}

// declaredObject reads b @ mbarrier 2, or b @ mbarrier where an instruction initializes it.
func (p *reader) declaredObject(t token) error {
	i, err := p.newCell(t)
	if err != nil {
		return err
	}
	o := object{kind: mbarrier, name: i}
	if next := p.peek().text; next != ";" && next != "}" {
		if o.count, err = p.number(); err == nil && (o.count < 1 || o.count > maxCount) {
			err = errorAt(t.line, "mbarrier %s counts %d arrivals; it may be 1 to %d", t.text, o.count, maxCount)
		}
	}
	p.out.objects = append(p.out.objects, o)
	return err
}

// newCell makes a cell that must not be declared yet.
func (p *reader) newCell(t token) (int, error) {
	if _, twice := p.names[t.text]; twice {
		return 0, errorAt(t.line, "%s is declared already", t)
	}
	return p.cell(t)
}

// objectOf is the object of a cell, or -1.
func (p *Program) objectOf(cell int) int {
	for i, o := range p.objects {
		if p.names[o.name].cell == cell {
			return i
		}
	}
	return -1
}

// mbarrierOperand reads the name of an mbarrier.
func (p *reader) mbarrierOperand(in *instruction, at token, arg []token) error {
	if len(arg) == 1 {
		if i, ok := p.names[arg[0].text]; ok {
			if o := p.out.objectOf(p.out.names[i].cell); o >= 0 {
				in.name, in.signal.object = i, o
				return nil
			}
		}
	}
	return errorAt(at.line, "%s needs an mbarrier; declare it in the initial state, such as full @ mbarrier 1", at.text)
}

// mbarrierOp reads
//
//	mbarrier.init b, COUNT
//	mbarrier.arrive|arrive_drop [r,] b[, COUNT]      mbarrier.arrive|arrive_drop.expect_tx [r,] b, BYTES
//	mbarrier.expect_tx|complete_tx b, BYTES
//	mbarrier.try_wait[.parity] b, PARITY|TOKEN       mbarrier.test_wait|try_wait[.parity] r, b, PARITY|TOKEN
//
// with .SEM.SCOPE behind; .shared::cta, .shared::cluster and .b64 say nothing here.
func (p *reader) mbarrierOp(c *column, in *instruction, at token, words []string, args [][]token) error {
	if len(words) < 2 {
		return errorAt(at.line, "mbarrier needs a verb, such as mbarrier.arrive")
	}
	verb := words[1]
	given, expect := []string{}, false
	for _, w := range words[2:] {
		switch w {
		case "shared", "shared::cta", "shared::cluster", "b64":
		case "parity":
			in.signal.parity = true
		case "expect_tx":
			expect = true
		default:
			given = append(given, w)
		}
	}
	in.args[0], in.args[1] = operand{kind: number}, operand{kind: number}
	tx := expect || verb == "expect_tx" || verb == "complete_tx"
	switch verb {
	case "init":
		in.op = opInit
	case "arrive", "arrive_drop":
		in.op, in.sem, in.scope = opArrive, release, CTA
		in.signal.drop = verb == "arrive_drop"
		in.args[0].imm = 1
	case "expect_tx", "complete_tx":
		in.op, in.sem, in.scope = opArrive, relaxed, CTA
	case "test_wait", "try_wait":
		in.op, in.sem, in.scope = opWait, acquire, CTA
	default:
		return errorAt(at.line, "unknown instruction %s", at)
	}
	if expect && verb != "arrive" && verb != "arrive_drop" || in.signal.parity && in.op != opWait {
		return errorAt(at.line, "%s: .expect_tx is of arrivals and .parity of waits", at.text)
	}
	if err := objectQualifiers(in, at, given); err != nil {
		return err
	}
	asks := in.op == opWait && (verb == "test_wait" || len(args) == 3)
	token := verb == "arrive" && len(args) > 1 && len(args[0]) == 1 && isRegister.MatchString(args[0][0].text)
	if asks || token {
		if len(args) == 0 {
			return wants(at, args, 3, 3)
		}
		if err := p.destination(c, in, at, args[0]); err != nil {
			return err
		}
		args = args[1:]
	}
	least := 2
	if in.op == opArrive && !tx {
		least = 1
	}
	if err := wants(at, args, least, 2); err != nil {
		return err
	}
	if err := p.mbarrierOperand(in, at, args[0]); err != nil {
		return err
	}
	if len(args) == 1 {
		return nil
	}
	v, err := p.value(c, at, args[1])
	slot := 0
	if tx {
		slot = 1
		if verb == "complete_tx" && err == nil {
			if v.kind != number {
				return errorAt(at.line, "%s: give the number of bytes", at.text)
			}
			v.imm = -v.imm
		}
	}
	in.args[slot] = v
	return err
}

// objectQualifiers reads .SEM.SCOPE, which stand together or not at all.
func objectQualifiers(in *instruction, at token, given []string) error {
	if len(given) == 0 {
		return nil
	}
	allowed := map[opcode]string{opArrive: "release relaxed", opWait: "acquire relaxed"}[in.op]
	if len(given) != 2 {
		return errorAt(at.line, "%s: semantics and scope stand together, as in .%s.cta", at.text, strings.Fields(allowed + " relaxed")[0])
	}
	if err := qualifiers(in, at, given, allowed); err != nil {
		return err
	}
	if in.scope != CTA && in.scope != Cluster {
		return errorAt(at.line, "%s: the scope of an mbarrier operation is cta or cluster", at.text)
	}
	return nil
}

// barrierOp reads barrier[.cta].sync|arrive ID[, COUNT], the same as bar.sync|arrive, and barrier.cluster.arrive[.release
// or .relaxed] and barrier.cluster.wait[.acquire].
func (p *reader) barrierOp(c *column, in *instruction, at token, words []string, args [][]token) error {
	var rest []string
	for _, w := range words[1:] {
		if w != "aligned" {
			rest = append(rest, w)
		}
	}
	if len(rest) > 0 && rest[0] == "cluster" {
		return clusterOp(in, at, rest[1:], args)
	}
	if len(rest) > 0 && rest[0] == "cta" {
		rest = rest[1:]
	}
	if len(rest) != 1 || rest[0] != "sync" && rest[0] != "arrive" {
		return errorAt(at.line, "expected barrier.sync, barrier.arrive or barrier.cluster, not %s", at)
	}
	in.op, in.sem, in.scope, in.label = opSync, acqRel, CTA, "named"
	least := 1
	if rest[0] == "arrive" {
		in.op, least = opArrive, 2
	}
	if err := wants(at, args, least, 2); err != nil {
		return err
	}
	if err := p.values(c, in, at, args); err != nil {
		return err
	}
	if in.args[0].kind != number || in.args[0].imm < 0 || in.args[0].imm > 15 || in.args[1].kind == register {
		return errorAt(at.line, "%s: the barrier is a number from 0 to 15, and so is how many threads it waits for", at.text)
	}
	if in.args[1].kind == number && (in.args[1].imm < 1 || in.args[1].imm > maxThreads) {
		return errorAt(at.line, "%s: a barrier waits for 1 to %d threads of the test", at.text, maxThreads)
	}
	return nil
}

func clusterOp(in *instruction, at token, rest []string, args [][]token) error {
	in.scope, in.label = Cluster, "cluster"
	if err := wants(at, args, 0, 0); err != nil {
		return err
	}
	switch strings.Join(rest, ".") {
	case "arrive", "arrive.release":
		in.op, in.sem = opArrive, release
	case "arrive.relaxed":
		in.op, in.sem = opArrive, relaxed
	case "wait", "wait.acquire":
		in.op, in.sem = opWait, acquire
	default:
		return errorAt(at.line, "expected barrier.cluster.arrive, .arrive.relaxed or .wait, not %s", at)
	}
	return nil
}

// barriers makes the objects of named and cluster barriers: one for each CTA and number, one for each cluster.
func (p *reader) barriers() error {
	index := map[string]int{}
	for t := range p.out.threads {
		th := &p.out.threads[t]
		for i := range th.code {
			in := &th.code[i]
			if in.label == "" || in.op == opBarrier {
				continue
			}
			key := fmt.Sprintf("cluster barrier %d of GPU %d", th.cluster, th.gpu)
			kind, count := clusterBarrier, int64(0)
			if in.label == "named" {
				key = fmt.Sprintf("barrier %d of CTA %d, GPU %d", in.args[0].imm, th.cta, th.gpu)
				kind, count = namedBarrier, in.args[1].imm
			}
			at, ok := index[key]
			if !ok {
				if len(p.out.names) == maxNames {
					return errorAt(in.line, "more than %d names", maxNames)
				}
				at = len(p.out.objects)
				index[key] = at
				n := len(p.out.names)
				p.out.names = append(p.out.names, name{key, len(p.out.cells), n})
				p.out.cells = append(p.out.cells, 0)
				p.out.objects = append(p.out.objects, object{kind: kind, name: n, count: count})
			}
			o := p.out.objects[at]
			if o.count != count {
				return errorAt(in.line, "%s waits for %s threads here and for %s there: PTX does not define that", key, threads(count), threads(o.count))
			}
			in.name, in.signal.object = o.name, at
			in.args[0], in.args[1] = operand{kind: number, imm: 1}, operand{kind: number}
		}
	}
	return nil
}

func threads(n int64) string {
	if n == 0 {
		return "all"
	}
	return strconv.FormatInt(n, 10)
}
