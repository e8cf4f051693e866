package memory

import (
	"strings"
)

// column is a thread that is being read: branches name labels that may stand further down.
type column struct {
	*thread
	labels map[string]int
	open   []int // branches, by index into code, whose target is the label below
	wants  []token
}

// rows reads the rows of the table, up to the assertion.
func (p *reader) rows() error {
	columns := make([]column, len(p.out.threads))
	for i := range columns {
		columns[i] = column{thread: &p.out.threads[i], labels: map[string]int{}}
	}
	for {
		switch t := p.peek(); t.text {
		case "", "exists", "forall", "~", "not", "locations", "filter":
			for i := range columns {
				if err := columns[i].resolve(); err != nil {
					return err
				}
			}
			return nil
		}
		for i := 0; ; i++ {
			var cell []token
			for t := p.peek(); t.text != "|" && t.text != ";"; t = p.peek() {
				if t.text == "" {
					return errorAt(t.line, "a row of instructions ends with ;")
				}
				cell = append(cell, p.next())
			}
			end := p.next()
			if len(cell) > 0 && i >= len(columns) {
				return errorAt(end.line, "a row has more columns than there are threads")
			}
			if len(cell) > 0 {
				if err := p.cellOf(&columns[i], cell); err != nil {
					return err
				}
			}
			if end.text == ";" {
				break
			}
		}
	}
}

func (c *column) resolve() error {
	for i, at := range c.open {
		target, ok := c.labels[c.wants[i].text]
		if !ok {
			return errorAt(c.wants[i].line, "P%d has no label %s", c.id, c.wants[i])
		}
		c.code[at].target = target
	}
	return nil
}

// cellOf reads the labels of a cell, and the instruction behind them where there is one.
func (p *reader) cellOf(c *column, cell []token) error {
	for len(cell) >= 2 && cell[1].text == ":" {
		t := cell[0]
		if !isLabel.MatchString(t.text) {
			return errorAt(t.line, "expected a label such as LC00, not %s", t)
		}
		if _, twice := c.labels[t.text]; twice {
			return errorAt(t.line, "label %s stands twice in P%d", t, c.id)
		}
		c.labels[t.text] = len(c.code)
		cell = cell[2:]
	}
	if len(cell) == 0 {
		return nil
	}
	if len(c.code) == maxCode {
		return errorAt(cell[0].line, "more than %d instructions in P%d", maxCode, c.id)
	}
	var args [][]token
	start := 1
	for i := 1; i <= len(cell); i++ {
		if i == len(cell) || cell[i].text == "," {
			if i > start || i < len(cell) || len(args) > 0 {
				args = append(args, cell[start:i])
			}
			start = i + 1
		}
	}
	in, err := p.instruction(c, cell[0], args)
	if err != nil {
		return err
	}
	var words []string
	for _, t := range cell[1:] {
		words = append(words, t.text)
	}
	in.line = cell[0].line
	in.text = strings.TrimSpace(cell[0].text + " " + strings.ReplaceAll(strings.Join(words, " "), " ,", ","))
	for i := range in.parts {
		in.parts[i].line, in.parts[i].text = in.line, in.text
	}
	c.code = append(c.code, *in)
	return nil
}

// value reads a register or a number.
func (p *reader) value(c *column, at token, arg []token) (operand, error) {
	if len(arg) == 1 && isRegister.MatchString(arg[0].text) {
		if len(c.regs) == maxRegs {
			return operand{}, errorAt(at.line, "more than %d registers in P%d", maxRegs, c.id)
		}
		return operand{kind: register, reg: c.register(arg[0].text)}, nil
	}
	sub := reader{list: append(append([]token{}, arg...), token{"", at.line})}
	v, err := sub.number()
	if err != nil {
		return operand{}, err
	}
	if t := sub.peek(); t.text != "" {
		return operand{}, errorAt(t.line, "unexpected %s behind a number", t)
	}
	return operand{kind: number, imm: v}, nil
}

func (p *reader) values(c *column, in *instruction, at token, args [][]token) error {
	for i, arg := range args {
		v, err := p.value(c, at, arg)
		if err != nil {
			return err
		}
		in.args[i] = v
	}
	return nil
}

func (p *reader) destination(c *column, in *instruction, at token, arg []token) error {
	v, err := p.value(c, at, arg)
	if err == nil && v.kind != register {
		err = errorAt(at.line, "%s needs a register such as r0 to write to", at.text)
	}
	in.dst = v.reg
	return err
}

func (p *reader) place(in *instruction, at token, arg []token) error {
	if len(arg) != 1 || isRegister.MatchString(arg[0].text) {
		return errorAt(at.line, "%s needs the name of a cell; addresses in registers are not modelled", at.text)
	}
	i, err := p.cell(arg[0])
	if err == nil && p.out.objectOf(p.out.names[i].cell) >= 0 {
		return errorAt(at.line, "%s is an mbarrier: only mbarrier operations may touch it (PTX ISA 9.7.13.15.3)", arg[0])
	}
	in.name = i
	return err
}

// qualifiers reads .sem and .scope.
func qualifiers(in *instruction, at token, words []string, allowed string) error {
	if len(words) == 0 {
		return errorAt(at.line, "%s says no semantics: %s", at.text, allowed)
	}
	// A volatile access is a relaxed one of system scope (PTX ISA 8.4.2).
	if len(words) == 1 && words[0] == "volatile" && in.op <= opStore {
		words = []string{"relaxed", "sys"}
	}
	sem, ok := semanticsNames[words[0]]
	if !ok || !strings.Contains(" "+allowed+" ", " "+words[0]+" ") {
		return errorAt(at.line, "%s cannot be .%s; it may be %s", at.text, words[0], allowed)
	}
	in.sem = sem
	if len(words) > 1 {
		if in.scope, ok = scopeNames[words[1]]; !ok || sem == weak {
			return errorAt(at.line, "%s cannot have the scope .%s", at.text, words[1])
		}
	}
	if sem != weak && len(words) != 2 || sem == weak && len(words) != 1 {
		return errorAt(at.line, "%s: a strong operation has one scope, cta, cluster, gpu or sys; a weak one has none", at.text)
	}
	return nil
}

var accessProxy = map[string]Proxy{
	"ld": Generic, "st": Generic, "atom": Generic, "red": Generic,
	"suld": Surface, "sust": Surface, "suatom": Surface, "sured": Surface,
	"tld": Texture, "cold": Constant,
}

// wants are how many operands an operation has.
func wants(at token, args [][]token, least, most int) error {
	if len(args) < least || len(args) > most {
		return errorAt(at.line, "%s has %d operands; it takes %d to %d", at.text, len(args), least, most)
	}
	return nil
}

// instruction reads one instruction from its mnemonic and its operands.
func (p *reader) instruction(c *column, at token, args [][]token) (*instruction, error) {
	in := &instruction{dst: -1}
	words := strings.Split(at.text, ".")
	in.proxy = accessProxy[words[0]]
	switch words[0] {
	case "ld", "suld", "tld", "cold":
		return in, p.load(c, in, at, words, args)
	case "st", "sust":
		in.op = opStore
		if err := wants(at, args, 2, 2); err != nil {
			return nil, err
		}
		if err := p.place(in, at, args[0]); err != nil {
			return nil, err
		}
		if err := p.values(c, in, at, args[1:]); err != nil {
			return nil, err
		}
		return in, qualifiers(in, at, words[1:], "weak relaxed release")
	case "atom", "suatom", "red", "sured":
		return in, p.update(c, in, at, words, args)
	case "fence":
		if is, err := p.asyncFence(in, at, words, args); is || err != nil {
			return in, err
		}
		return in, fence(in, at, words, args)
	case "bar":
		if strings.HasPrefix(at.text, "bar.cta.") {
			return in, p.barrier(c, in, at, args)
		}
		return in, p.barrierOp(c, in, at, words, args)
	case "barrier":
		return in, p.barrierOp(c, in, at, words, args)
	case "mbarrier":
		return in, p.mbarrierOp(c, in, at, words, args)
	case "cp", "tcgen05", "wgmma":
		return in, p.engineOp(c, in, at, words, args)
	case "add", "sub", "mul", "div", "and", "or", "xor":
		in.op, in.fn = opArith, at.text
		if err := wants(at, args, 3, 3); err != nil {
			return nil, err
		}
		if err := p.values(c, in, at, args[1:]); err != nil {
			return nil, err
		}
		return in, p.destination(c, in, at, args[0])
	case "beq", "bne", "blt", "bgt", "ble", "bge", "goto":
		return in, p.branch(c, in, at, args)
	}
	return nil, errorAt(at.line, "unknown instruction %s", at)
}

func (p *reader) load(c *column, in *instruction, at token, words []string, args [][]token) error {
	if err := wants(at, args, 2, 2); err != nil {
		return err
	}
	if err := p.destination(c, in, at, args[0]); err != nil {
		return err
	}
	// ld r0, 1 and ld r0, r1 move: nothing is read from memory.
	if v, err := p.value(c, at, args[1]); err == nil {
		in.op, in.args[0] = opMove, v
		return nil
	}
	in.op = opLoad
	if err := p.place(in, at, args[1]); err != nil {
		return err
	}
	return qualifiers(in, at, words[1:], "weak relaxed acquire")
}

// update reads atom and red: op.sem.scope.fn. A red has no destination.
func (p *reader) update(c *column, in *instruction, at token, words []string, args [][]token) error {
	in.op = opRMW
	if len(words) != 4 {
		return errorAt(at.line, "%s: expected semantics, scope and function, as in atom.relaxed.gpu.add", at.text)
	}
	if err := qualifiers(in, at, words[1:3], "relaxed acquire release acq_rel"); err != nil {
		return err
	}
	in.fn = words[3]
	count := 1
	switch in.fn {
	case "add", "sub", "mul", "div", "and", "or", "xor", "exch":
	case "cas":
		count = 2
	default:
		return errorAt(at.line, "%s: no function %q; there are add sub mul div and or xor exch cas", at.text, in.fn)
	}
	if strings.HasSuffix(words[0], "atom") {
		count++
	}
	if err := wants(at, args, count+1, count+1); err != nil {
		return err
	}
	if strings.HasSuffix(words[0], "atom") {
		if err := p.destination(c, in, at, args[0]); err != nil {
			return err
		}
		args = args[1:]
	}
	if err := p.place(in, at, args[0]); err != nil {
		return err
	}
	return p.values(c, in, at, args[1:])
}

func fence(in *instruction, at token, words []string, args [][]token) error {
	if err := wants(at, args, 0, 0); err != nil {
		return err
	}
	if len(words) == 3 && words[1] == "proxy" {
		proxy, ok := proxyNames[words[2]]
		if !ok {
			return errorAt(at.line, "%s: no proxy %q", at.text, words[2])
		}
		in.op, in.proxy = opProxyFence, proxy
		return nil
	}
	in.op = opFence
	return qualifiers(in, at, words[1:], "acquire release acq_rel sc")
}

// barrier reads bar.cta.sync INSTANCE[, ID[, QUORUM]].
func (p *reader) barrier(c *column, in *instruction, at token, args [][]token) error {
	in.op = opBarrier
	switch at.text {
	case "bar.cta.sync":
	case "bar.cta.arrive":
		in.arrive = true
	default:
		return errorAt(at.line, "expected bar.cta.sync or bar.cta.arrive, not %s", at)
	}
	if err := wants(at, args, 1, 3); err != nil {
		return err
	}
	if len(args[0]) != 1 || !isWord(args[0][0].text[0]) {
		return errorAt(at.line, "%s: the first operand is the number of the instance", at.text)
	}
	in.label = args[0][0].text
	return p.values(c, in, at, args[1:])
}

func (p *reader) branch(c *column, in *instruction, at token, args [][]token) error {
	in.op, in.fn = opBranch, at.text
	n := 3
	if at.text == "goto" {
		n = 1
	}
	if err := wants(at, args, n, n); err != nil {
		return err
	}
	last := args[n-1]
	if len(last) != 1 {
		return errorAt(at.line, "%s: the last operand is a label", at.text)
	}
	c.open, c.wants = append(c.open, len(c.code)), append(c.wants, last[0])
	return p.values(c, in, at, args[:n-1])
}
