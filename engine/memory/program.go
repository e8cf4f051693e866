package memory

// Scope is how far a strong operation reaches (PTX ISA, "Memory Consistency Model", Scope).
type Scope uint8

// The scopes of the format; a weak operation has none.
const (
	NoScope Scope = iota
	CTA
	Cluster
	GPU
	Sys
)

var scopeNames = map[string]Scope{"cta": CTA, "cluster": Cluster, "gpu": GPU, "sys": Sys}

// Proxy is the path by which an access reaches memory (PTX ISA, "Proxies").
type Proxy uint8

// The proxies of the format. Alias is none of an access: it marks a fence between virtual addresses of one cell.
const (
	Generic Proxy = iota
	Surface
	Texture
	Constant
	Alias
	Async
	Tensormap
)

var proxyNames = map[string]Proxy{"generic": Generic, "surface": Surface, "texture": Texture, "constant": Constant, "alias": Alias}

// semantics is what an operation says beside reading or writing.
type semantics uint8

const (
	weak semantics = iota
	relaxed
	acquire
	release
	acqRel
	seqCst
)

var semanticsNames = map[string]semantics{
	"weak": weak, "relaxed": relaxed, "acquire": acquire, "release": release, "acq_rel": acqRel, "sc": seqCst,
}

func (s semantics) acquires() bool { return s == acquire || s == acqRel || s == seqCst }
func (s semantics) releases() bool { return s == release || s == acqRel || s == seqCst }

type opcode uint8

const (
	opLoad opcode = iota
	opStore
	opRMW
	opFence      // of a scope
	opProxyFence // of a proxy
	opBarrier
	opMove
	opArith
	opBranch
	opInit   // of an mbarrier
	opArrive // on an mbarrier, named barrier or cluster barrier
	opWait   // for a phase of one of them; with a destination it only asks
	opSync   // arrives on a named barrier and waits
	opEngine // has an engine do the parts
	opCommit // makes a group of copies
	opGroups // waits for groups
	opOrder  // wgmma.fence
)

// operand is a register or a number; absent operands are none.
type operand struct {
	kind operandKind
	reg  int
	imm  int64
}

type operandKind uint8

const (
	none operandKind = iota
	register
	number
)

// instruction is one cell of the table. Which fields mean something depends on op.
type instruction struct {
	line   int
	text   string
	op     opcode
	sem    semantics
	scope  Scope
	proxy  Proxy
	name   int // of an access: index into Program.names
	dst    int // register, or -1
	args   [3]operand
	fn     string // of arithmetic, read-modify-writes and branches: add, cas, eq…
	target int    // of a branch
	label  string // of a barrier: its instance
	arrive bool   // of a barrier: does not block

	signal signal        // of an operation on a barrier object
	space  Space         // of a proxy fence: what it is restricted to
	only   int           // of a proxy fence: the one cell that it is about, or -1
	parts  []instruction // of opEngine: what the engine does, one behind the other
	family family        // of what completes by groups
}

// name is what an access calls a cell. Names of one cell that are proxies of each other share a virtual address; a
// generic alias has an address of its own.
type name struct {
	text    string
	cell    int
	address int
}

// thread is a column of the table.
type thread struct {
	id       int // as the file has it: the number behind P
	cta, gpu int
	cluster  int // of those the file declares; a CTA of none is a cluster of its own and has -1 - cta
	code     []instruction
	regs     []string
	initial  []int64 // of regs
}

func (t *thread) register(text string) int {
	for i, r := range t.regs {
		if r == text {
			return i
		}
	}
	t.regs = append(t.regs, text)
	t.initial = append(t.initial, 0)
	return len(t.regs) - 1
}

// Quantifier says what a test asks of its condition.
type Quantifier uint8

// The quantifiers.
const (
	Exists Quantifier = iota
	NotExists
	Forall
)

func (q Quantifier) String() string { return [...]string{"exists", "~exists", "forall"}[q] }

// Program is a litmus test.
type Program struct {
	Name    string
	names   []name
	cells   []int64 // initial values, by cell
	spaces  []Space // by cell, where copies tell
	objects []object
	threads []thread

	Quantifier Quantifier
	condition  *formula
	filter     *formula // executions that do not satisfy it are not looked at; nil: all are
	shown      []term   // what a state consists of
}

// Shown names what a state consists of.
func (p *Program) Shown() []string {
	var out []string
	for _, x := range p.shown {
		out = append(out, x.text)
	}
	return out
}

// Condition is what the test asks about, in one line.
func (p *Program) Condition() string { return p.condition.String() }

// beyond says what the test has that a model does not know, or nothing.
func (p *Program) beyond(m *Model) string {
	if !m.recent() && p.additions() {
		return m.Name + " does not know clusters, mbarriers and engines, which the test has; ptx-async does"
	}
	if !m.uses("vloc") && p.proxies() {
		return m.Name + " does not know proxies, which the test has; ptx-v7.5 does"
	}
	return ""
}

// proxies reports whether the test has accesses that are not generic, or several addresses of a cell.
func (p *Program) proxies() bool {
	return len(p.cells) < len(p.names) || p.has(func(in *instruction) bool { return in.proxy != Generic })
}

// additions reports whether the test has what is not in the public format.
func (p *Program) additions() bool {
	return len(p.objects) > 0 || p.has(func(in *instruction) bool { return in.op > opBranch || in.scope == Cluster || in.proxy > Alias })
}

func (p *Program) has(what func(*instruction) bool) bool {
	for i := range p.threads {
		for k := range p.threads[i].code {
			if what(&p.threads[i].code[k]) {
				return true
			}
		}
	}
	return false
}
