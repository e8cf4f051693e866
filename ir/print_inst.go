package ir

import (
	"fmt"
	"strconv"
	"strings"
)

// inst prints one instruction: guard, results, op with what narrows it down, operands, and what else it has.
func (p *printer) inst(in *Inst) {
	row, form := in.Op.row(), in.Op.form()
	if in.Guard >= 0 {
		not := ""
		if in.GuardNot {
			not = "!"
		}
		fmt.Fprintf(&p.out, "@%s%s ", not, p.predicate(in.Guard))
	}
	if list := p.results(in, form); list != "" {
		p.out.WriteString(list + " = ")
	}
	p.out.WriteString(strings.Join(append([]string{row.name}, in.modifiers(row)...), "."))
	list := p.operands(in, form)
	switch in.Op {
	case Branch:
		list = []string{p.label(in.Target)}
	case Call:
		list = []string{spelledName(p.entry[in.Target])}
	}
	if len(list) > 0 {
		p.out.WriteString(" " + strings.Join(list, ", "))
	}
	p.rest(in, row)
}

func (p *printer) label(target int32) string {
	if b, ok := p.block[target]; ok {
		return fmt.Sprintf("b%d", b)
	}
	return fmt.Sprintf("b?%d", target)
}

// results are D|E and those behind.
func (p *printer) results(in *Inst, form *form) string {
	d := ""
	switch {
	case form.d == Register && in.D >= 0:
		d = p.register(in.D)
	case form.d == Predicate && in.D >= 0:
		d = p.predicate(in.D)
	}
	if form.e == Predicate && in.E >= 0 {
		if d == "" && form.d == Predicate || d == "" && len(in.Dests()) > 0 {
			d = "_"
		}
		if d != "" {
			d += "|"
		}
		d += p.predicate(in.E)
	}
	more := in.Dests()
	if d == "" && form.d != Unused && len(more) > 0 {
		d = "_"
	}
	list := make([]string, 0, len(more)+1)
	if d != "" {
		list = append(list, d)
	}
	for _, r := range more {
		list = append(list, p.register(r))
	}
	return strings.Join(list, ", ")
}

// modifiers stand behind the op's name: mode, join, flags, state space, order, scope, types.
func (in *Inst) modifiers(row *row) (out []string) {
	add := func(names []string, n int) {
		if n < len(names) && names[n] != "" {
			out = append(out, names[n])
		}
	}
	if row.has&lanes == 0 {
		add(row.modes, int(in.Mode))
	}
	if row.has&joined != 0 && in.Join != 0 {
		add(joining, int(in.Join))
	}
	for k, name := range flagNames {
		if in.Flags>>k&1 != 0 {
			out = append(out, name)
		}
	}
	if row.has&spaced != 0 {
		add(spaces, int(in.Space))
	}
	if row.has&ordered != 0 {
		add(orders, int(in.Order))
		add(scopes, int(in.Scope))
	}
	switch {
	case row.types == converted:
		out = append(out, in.Result.text(), in.Type.text())
	case row.types != untyped && in.Type != Type{}:
		out = append(out, in.Type.text())
	}
	return out
}

func (p *printer) operands(in *Inst, form *form) []string {
	if form.four {
		return p.endpoints(in)
	}
	var more []Operand
	if in.Extra != nil && form.more {
		more = in.Extra.Operands
	}
	var out []string
	kept := 0
	for k, o := range [3]Operand{in.A, in.B, in.C} {
		bank := form.operands[k]
		if bank == Unused {
			continue
		}
		text := p.operand(o, bank)
		if k == 0 && form.address && (o != None || !form.optional[0]) {
			text = p.address(o, in.Offset)
		}
		out = append(out, text)
		if o != None || !form.optional[k] {
			kept = len(out)
		}
	}
	if len(more) == 0 {
		return out[:kept]
	}
	for _, o := range more {
		out = append(out, p.operand(o, Register))
	}
	return out
}

// endpoints are the addresses of an asynchronous operation: destination, source, mbarrier, and the mask of its CTAs.
func (p *printer) endpoints(in *Inst) []string {
	var out []string
	kept := 0
	for k, o := range in.more() {
		text := p.operand(o, Register)
		if k < 3 && o != None && k < len(in.Extra.Offsets) {
			text = p.address(o, in.Extra.Offsets[k])
		}
		if out = append(out, text); o != None {
			kept = len(out)
		}
	}
	return out[:kept]
}

// more are the operands behind C.
func (in *Inst) more() []Operand {
	if in.Extra == nil {
		return nil
	}
	return in.Extra.Operands
}

func (p *printer) operand(o Operand, bank Bank) string {
	if o == None {
		return "_"
	}
	not := ""
	if o.Not {
		not = "!"
	}
	switch {
	case o.Reg < 0:
		of := ""
		if o.Of > 0 && int(o.Of) <= len(p.shared) {
			of = ":" + spelledName(p.shared[o.Of-1].Name)
		}
		return not + strconv.FormatInt(o.Imm, 10) + of
	case bank == Predicate:
		return not + p.predicate(o.Reg)
	}
	return not + p.register(o.Reg)
}

func (p *printer) address(o Operand, offset int64) string {
	text := p.operand(o, Register)
	switch {
	case offset > 0:
		text += "+" + strconv.FormatInt(offset, 10)
	case offset < 0:
		text += strconv.FormatInt(offset, 10)
	}
	return "[" + text + "]"
}

// rest are the fields that have a word before them.
func (p *printer) rest(in *Inst, row *row) {
	word := func(common string) string {
		if row.word != "" {
			return row.word
		}
		return common
	}
	if in.Op.form().four {
		fmt.Fprintf(&p.out, " bytes %s", p.operand(in.B, Register))
	}
	if row.has&measured != 0 && in.Size != 0 {
		fmt.Fprintf(&p.out, " %s %d", word("size"), in.Size)
	}
	if row.has&lanes != 0 {
		fmt.Fprintf(&p.out, " lanes %d", in.Mode)
	}
	if row.has&masked != 0 && in.Members != None {
		fmt.Fprintf(&p.out, " members %s", p.operand(in.Members, Register))
	}
	if row.has&worded != 0 && in.Extra != nil {
		fmt.Fprintf(&p.out, " %s %s", word("text"), strconv.Quote(in.Extra.Text))
		if in.Extra.Code != 0 {
			p.out.WriteString(" code " + in.Extra.Code.String())
		}
	}
	if in.Op == BranchIndexed && in.Extra != nil {
		var list []string
		for _, t := range in.Extra.Targets {
			list = append(list, p.label(t))
		}
		p.out.WriteString(" to " + strings.Join(list, ", "))
	}
}
