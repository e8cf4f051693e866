package dialect

import (
	"strconv"
	"strings"

	"github.com/fencepost-dev/fencepost/program"
)

// Instr returns the operations of a PTX instruction. Operands are bound to the expressions of the asm statement a that
// holds it; for a .ptx file a is nil and arguments hold the operand's spelling. A try_wait inside its own retry loop in
// one asm statement is a blocking mbarrier_wait.
func (t *Table) Instr(i *program.Instr, a *program.Asm) []Op {
	if i == nil {
		return nil
	}
	var best *row
	for _, r := range t.ptx[i.Op] {
		if (best == nil || len(r.path) > len(best.path)) && hasAll(i, r.path[1:]) {
			best = r
		}
	}
	if best == nil {
		return nil
	}
	b := operandBinder{instr: i, asm: a}
	b.at = b.position()
	args := map[string]Arg{}
	for _, ra := range best.args {
		if arg, ok := b.argument(ra, args); ok {
			args[ra.name] = arg
		}
	}
	for _, p := range parameters(best.kind) {
		if _, has := args[p.name]; !has && !p.optional {
			return nil
		}
	}
	addModifiers(i, best.kind, args)
	if i.Pred != "" && takes(best.kind, "pred") {
		args["pred"] = b.predicate()
	}
	op := Op{Kind: best.kind, Name: i.Op + "." + strings.Join(i.Modifiers, "."), Args: args, Span: i.Span, Instr: i}
	op.Name = strings.TrimSuffix(op.Name, ".")
	if (op.Kind == MbarrierTryWait || op.Kind == MbarrierTestWait) && b.retried() {
		op.Kind = MbarrierWait
	}
	return []Op{op}
}

func hasAll(i *program.Instr, mods []string) bool {
	for _, m := range mods {
		if !i.Has(m) {
			return false
		}
	}
	return true
}

// addModifiers takes sem, scope, space and op from the modifier set, whose order varies in the wild (cuda.md, fact 6).
func addModifiers(i *program.Instr, k Kind, args map[string]Arg) {
	set := func(name, word string) {
		if _, has := args[name]; !has && word != "" && takes(k, name) {
			args[name] = Arg{Text: word}
		}
	}
	for _, m := range i.Modifiers {
		set("sem", semWords[m])
		if m != "shared" {
			set("scope", scopeWords[m])
		}
		switch m {
		case "shared", "shared::cta":
			set("space", "cta")
		case "shared::cluster":
			set("space", "cluster")
		case "global":
			set("space", "global")
		case "mmio":
			set("sem", "relaxed")
		case "add", "min", "max", "and", "or", "xor", "inc", "dec":
			set("op", m)
		}
	}
	if (k == Load || k == Store) && i.Op != "multimem" {
		set("sem", "weak") // PTX 9.7.9.8: no qualifier means .weak
	}
}

// operandBinder looks operands of one instruction up in the asm statement that holds it.
type operandBinder struct {
	instr *program.Instr
	asm   *program.Asm
	at    int // index of instr in asm.Instrs, -1 if unknown
}

func (b *operandBinder) position() int {
	if b.asm == nil {
		return -1
	}
	for k := range b.asm.Instrs {
		if &b.asm.Instrs[k] == b.instr {
			return k
		}
	}
	return -1
}

func (b *operandBinder) argument(ra rowArg, args map[string]Arg) (Arg, bool) {
	switch ra.kind {
	case valueWord:
		return Arg{Text: ra.ref}, true
	case valueInt:
		return Arg{Text: strconv.Itoa(ra.index), Expr: &program.Int{Place: program.Place{Span: b.instr.Span}, Value: int64(ra.index)}}, true
	case valuePositional:
		if ra.index < len(b.instr.Operands) && (ra.of == 0 || ra.of == len(b.instr.Operands)) {
			return b.operand(b.instr.Operands[ra.index].Text, args), true
		}
	case valueAddress:
		n := 0
		for k, o := range b.instr.Operands {
			if !o.Address {
				continue
			}
			if n == ra.index {
				if k+ra.after < len(b.instr.Operands) {
					return b.operand(b.instr.Operands[k+ra.after].Text, args), true
				}
				break
			}
			n++
		}
	}
	return Arg{}, false
}

// operand binds one operand's spelling. A register computed by mov or cvta earlier in the same statement is followed to
// its source; one computed by mapa names the peer as well (CUTLASS's remote arrive).
func (b *operandBinder) operand(text string, args map[string]Arg) Arg {
	text = strings.TrimSpace(strings.Trim(strings.TrimSpace(text), "[]"))
	return b.follow(text, b.at, args, 0)
}

func (b *operandBinder) follow(text string, before int, args map[string]Arg, depth int) Arg {
	place := program.Place{Span: b.instr.Span}
	base, off, hasOffset := strings.Cut(text, "+")
	if n, err := strconv.ParseInt(strings.TrimSpace(off), 0, 64); hasOffset && err == nil {
		arg := b.follow(strings.TrimSpace(base), before, args, depth)
		if arg.Expr != nil {
			arg.Expr = &program.Binary{Place: place, Op: "+", X: arg.Expr, Y: &program.Int{Place: place, Value: n}}
		}
		arg.Text = text
		return arg
	}
	if n, err := strconv.ParseInt(strings.TrimSuffix(text, "U"), 0, 64); err == nil {
		return Arg{Text: text, Expr: &program.Int{Place: place, Value: n}}
	}
	if x := b.bound(text); x != nil {
		return Arg{Expr: x, Text: constantText(x)}
	}
	for k := before - 1; k >= 0 && depth < 8; k-- {
		d := &b.asm.Instrs[k]
		if len(d.Operands) < 2 || d.Operands[0].Text != text {
			continue
		}
		switch {
		case d.Op == "mov" || d.Op == "cvta" || d.Op == "cvt":
			return b.follow(d.Operands[1].Text, k, args, depth+1)
		case d.Op == "mapa" && len(d.Operands) > 2:
			args["peer"] = b.follow(d.Operands[2].Text, k, args, depth+1)
			return b.follow(d.Operands[1].Text, k, args, depth+1)
		}
		break
	}
	return Arg{Text: text}
}

// bound returns the source expression of "%3", nil for anything else.
func (b *operandBinder) bound(text string) program.Expr {
	digits, ok := strings.CutPrefix(text, "%")
	n, err := strconv.Atoi(digits)
	if !ok || err != nil || n < 0 || b.asm == nil {
		return nil
	}
	if n < len(b.asm.Outputs) {
		return b.asm.Outputs[n].X
	}
	if n -= len(b.asm.Outputs); n < len(b.asm.Inputs) {
		return b.asm.Inputs[n].X
	}
	return nil
}

func constantText(x program.Expr) string {
	if i, ok := x.(*program.Int); ok {
		return strconv.FormatInt(i.Value, 10)
	}
	return ""
}

// predicate is the guard of @p: where "setp.ne p, %1, 0" made it, the expression %1 itself.
func (b *operandBinder) predicate() Arg {
	p := b.instr.Pred
	for k := b.at - 1; k >= 0; k-- {
		d := &b.asm.Instrs[k]
		if d.Op != "setp" || len(d.Operands) < 3 || d.Operands[0].Text != p {
			continue
		}
		x := b.bound(d.Operands[1].Text)
		zero := d.Operands[2].Text == "0"
		if x == nil || (!zero && d.Operands[2].Text != "1") || (!d.Has("ne") && !d.Has("eq")) {
			break
		}
		if (d.Has("ne") == zero) == b.instr.PredNot {
			x = &program.Unary{Place: program.Place{Span: b.instr.Span}, Op: "!", X: x}
		}
		return Arg{Expr: x, Text: p}
	}
	return Arg{Text: p}
}

// retried reports whether a later branch of the same statement jumps back to a label at or before this instruction.
func (b *operandBinder) retried() bool {
	if b.at < 0 {
		return false
	}
	labels := map[string]bool{}
	for k := 0; k <= b.at; k++ {
		if l := b.asm.Instrs[k].Label; l != "" {
			labels[l] = true
		}
	}
	for k := b.at + 1; k < len(b.asm.Instrs); k++ {
		d := &b.asm.Instrs[k]
		if d.Op == "bra" && len(d.Operands) > 0 && labels[d.Operands[0].Text] {
			return true
		}
	}
	return false
}
