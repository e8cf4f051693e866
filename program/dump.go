package program

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Dump prints a file's tree as s-expressions, one statement a line, nested bodies indented: for tests and for
// looking at what a reader made of a file. Spans are left out.
func Dump(w io.Writer, f *File) error {
	d := &dumper{w: bufio.NewWriter(w)}
	d.stmts(f.Body)
	for _, s := range f.Skipped {
		d.line("(skipped %s)", s.Name)
	}
	for _, n := range f.Notes {
		d.line("(note %q)", n.Text)
	}
	return d.w.Flush()
}

// DumpExpr returns an expression as one s-expression.
func DumpExpr(e Expr) string { return sexpr(e) }

type dumper struct {
	w     *bufio.Writer
	depth int
}

func (d *dumper) line(format string, args ...any) {
	fmt.Fprintf(d.w, "%s%s\n", strings.Repeat("  ", d.depth), fmt.Sprintf(format, args...))
}

func (d *dumper) stmts(list []Stmt) {
	for _, s := range list {
		d.stmt(s)
	}
}

// body prints a head line, then statements one level in.
func (d *dumper) body(head string, list []Stmt) {
	d.line("%s", head)
	d.depth++
	d.stmts(list)
	d.depth--
}

func (d *dumper) stmt(s Stmt) {
	switch s := s.(type) {
	case *Assign:
		d.line("%s", assignLine(s))
	case *ExprStmt:
		d.line("%s", sexpr(s.X))
		if call, is := s.X.(*Call); is && call.Block != nil {
			d.body("(block)", call.Block)
		}
	case *If:
		d.body(join("(if", flag("const", s.Const), sexpr(s.Cond))+")", s.Then)
		d.otherwise(s.Else)
	case *For:
		if s.Iter != nil {
			d.body(fmt.Sprintf("(for %s %s)", sexpr(s.Target), sexpr(s.Iter)), s.Body)
			d.otherwise(s.Else)
			return
		}
		d.body("(for)", s.Init)
		d.body(join("(cond", sexpr(s.Cond))+")", s.Body)
		d.body("(post)", s.Post)
	case *While:
		d.body(join("(while", flag("do", s.DoWhile), sexpr(s.Cond))+")", s.Body)
		d.otherwise(s.Else)
	case *Try:
		d.body("(try)", s.Body)
		for _, h := range s.Handlers {
			d.body(join("(except", sexpr(h.Type), h.Name)+")", h.Body)
		}
		d.otherwise(s.Else)
		if len(s.Finally) > 0 {
			d.body("(finally)", s.Finally)
		}
	case *With:
		var items []string
		for _, it := range s.Items {
			items = append(items, join("(item", sexpr(it.X), sexpr(it.As))+")")
		}
		d.body("(with "+strings.Join(items, " ")+")", s.Body)
	case *Block:
		d.body("(block)", s.Body)
	case *FuncDef:
		d.function(s.Func)
	case *ClassDef:
		d.class(s.Class)
	case *Asm:
		d.asm(s)
	default:
		d.line("%s", leafStmt(s))
	}
}

func (d *dumper) otherwise(list []Stmt) {
	if len(list) > 0 {
		d.body("(else)", list)
	}
}

func leafStmt(s Stmt) string {
	switch s := s.(type) {
	case *Return:
		return join("(return", sexpr(s.Value)) + ")"
	case *Break:
		return "(break)"
	case *Continue:
		return "(continue)"
	case *Raise:
		return join("(raise", sexpr(s.X)) + ")"
	case *Delete:
		return "(del" + list(s.Targets) + ")"
	case *Outer:
		return join("(outer", flag("global", s.Global), strings.Join(s.Names, " ")) + ")"
	case *Import:
		return fmt.Sprintf("(import %q %q %q)", s.From, s.Name, s.Alias)
	case *OpaqueStmt:
		return fmt.Sprintf("(opaque %q)", s.Why)
	}
	return fmt.Sprintf("(%T)", s)
}

func assignLine(s *Assign) string {
	var dims string
	if len(s.Dims) > 0 {
		dims = "(dims" + list(s.Dims) + ")"
	}
	var typ string
	if s.Type != "" {
		typ = strconv.Quote(s.Type)
	}
	return join("("+s.Op+list(s.Targets), flag("decl", s.Decl), flag("shared", s.Shared), flag("const", s.Const), typ,
		dims, sexpr(s.Value)) + ")"
}

func (d *dumper) function(f *Function) {
	d.body(join("(func", flag("kernel", f.Kernel), f.Qualified, params(f.Template), params(f.Params))+list(f.Attributes)+")", f.Body)
}

func (d *dumper) class(c *Class) {
	d.line("%s", join("(class", flag("enum", c.Enum), c.Name)+list(c.Bases)+list(c.Attributes)+")")
	d.depth++
	for _, f := range c.Fields {
		d.stmt(f)
	}
	for _, m := range c.Methods {
		d.function(m)
	}
	d.depth--
}

func (d *dumper) asm(s *Asm) {
	if len(s.Outputs)+len(s.Inputs)+len(s.Clobbers) == 0 && s.Template == nil && len(s.Instrs) == 1 {
		d.line("(asm %s)", s.Instrs[0])
		return
	}
	operands := func(ops []AsmOperand) string {
		var out []string
		for _, o := range ops {
			out = append(out, join(strconv.Quote(o.Constraint), sexpr(o.X)))
		}
		return "(" + strings.Join(out, ", ") + ")"
	}
	d.line("%s", join("(asm", flag("volatile", s.Volatile), "out"+operands(s.Outputs), "in"+operands(s.Inputs),
		strings.Join(s.Clobbers, " "))+")")
	d.depth++
	for _, i := range s.Instrs {
		d.line("%s", i.String())
	}
	d.depth--
}

// String returns the instruction in PTX syntax.
func (i Instr) String() string {
	var b strings.Builder
	if i.Label != "" {
		b.WriteString(i.Label + ": ")
	}
	if i.Pred != "" {
		not := ""
		if i.PredNot {
			not = "!"
		}
		b.WriteString("@" + not + i.Pred + " ")
	}
	b.WriteString(strings.Join(append([]string{i.Op}, i.Modifiers...), "."))
	for n, o := range i.Operands {
		if n > 0 {
			b.WriteByte(',')
		}
		b.WriteString(" " + o.Text)
	}
	return b.String()
}

func flag(name string, on bool) string {
	if on {
		return name
	}
	return ""
}

// join puts spaces between what is not empty.
func join(words ...string) string {
	var out []string
	for _, w := range words {
		if w != "" {
			out = append(out, w)
		}
	}
	return strings.Join(out, " ")
}

func params(list []Param) string {
	if len(list) == 0 {
		return ""
	}
	var out []string
	for _, p := range list {
		var def, ref, typ string
		if p.Default != nil {
			def = "= " + sexpr(p.Default)
		}
		if p.Type != "" {
			typ = strconv.Quote(p.Type)
		}
		if p.Ref {
			ref = "&"
		}
		out = append(out, join(strings.Repeat("*", p.Star)+ref+p.Name, typ, def))
	}
	return "(params " + strings.Join(out, ", ") + ")"
}
