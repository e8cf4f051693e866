package cutedsl

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/program/ptx"
	"github.com/fencepost-dev/fencepost/source"
)

// hole stands in the parsed instructions where the template has a run-time part (an f-string's interpolation).
const hole = "?"

// InlineCall reads a call that emits PTX, llvm.inline_asm(type, [ops], "ptx", "constraints") or
// inline_ptx("ptx", read_only_args=[…]), as the Asm it is. Operands are renumbered %0, %1, … in CUDA's way, and % of
// registers doubled in Template. Outputs have no expression: they are the call's result, in order.
//
// When the template is not a literal, Template is nil; the instructions are still read, with "?" for each run-time
// part of an f-string.
func InlineCall(c *program.Call) (*program.Asm, bool) {
	text := argument(c, 2, "asm_string")
	if isInlinePTX(c) {
		text = argument(c, 0, "ptx_code")
	}
	if text == nil {
		return nil, false
	}
	template, literal := literalText(text)
	list, known := argument(c, 3, "constraints").(*program.String)
	constraints := ""
	if known {
		constraints = list.Value
	}
	return inlineCall(c, template, constraints, literal && (known || isInlinePTX(c)), text.Where())
}

// InlineText is the expressions of a call's template and constraints; constraints are nil for the DSL's own inline_ptx.
func InlineText(c *program.Call) (template, constraints program.Expr) {
	if isInlinePTX(c) {
		return argument(c, 0, "ptx_code"), nil
	}
	return argument(c, 2, "asm_string"), argument(c, 3, "constraints")
}

// InlineCallText is InlineCall for a caller that has evaluated the template and the constraints, which are then taken
// as literal.
func InlineCallText(c *program.Call, template, constraints string) (*program.Asm, bool) {
	return inlineCall(c, template, constraints, true, c.Span)
}

func inlineCall(c *program.Call, template, constraints string, literal bool, at source.Span) (*program.Asm, bool) {
	switch {
	case lastName(c.Fun) == "inline_asm":
		return llvmAsm(c, template, constraints, literal, at)
	case isInlinePTX(c):
		return inlinePTX(c, template, literal, at)
	}
	return nil, false
}

func isInlinePTX(c *program.Call) bool {
	name := lastName(c.Fun)
	return strings.HasSuffix(name, "inline_ptx") || strings.HasSuffix(name, "inline_ptx_hl")
}

// llvmAsm reads llvm.inline_asm(res, operands_, asm_string, constraints, …), LLVM's inline assembly.
func llvmAsm(c *program.Call, template, constraints string, literal bool, at source.Span) (*program.Asm, bool) {
	if argument(c, 3, "constraints") == nil {
		return nil, false
	}
	a := &program.Asm{Place: c.Place}
	if side, ok := argument(c, -1, "has_side_effects").(*program.Bool); ok {
		a.Volatile = side.Value
	}
	bindLLVM(a, constraints, argument(c, 1, "operands_"))
	fill(a, fromLLVM(template), literal, at)
	return a, true
}

// bindLLVM splits LLVM's constraint string: "=r,l,r,~{memory}".
func bindLLVM(a *program.Asm, constraints string, operands program.Expr) {
	n := 0
	for _, k := range strings.Split(constraints, ",") {
		k = strings.TrimSpace(k)
		switch {
		case k == "":
		case strings.HasPrefix(k, "~"):
			a.Clobbers = append(a.Clobbers, strings.Trim(k, "~{}"))
		case strings.HasPrefix(k, "=") || strings.HasPrefix(k, "+"):
			a.Outputs = append(a.Outputs, program.AsmOperand{Constraint: k})
		default:
			a.Inputs = append(a.Inputs, program.AsmOperand{Constraint: k, X: element(operands, n)})
			n++
		}
	}
}

// element is the i-th element of a list expression.
func element(list program.Expr, i int) program.Expr {
	var elems []program.Expr
	switch l := list.(type) {
	case nil:
		return nil
	case *program.List:
		elems = l.Elems
	case *program.Tuple:
		elems = l.Elems
	}
	for _, e := range elems {
		if _, starred := e.(*program.Starred); starred {
			elems = nil
			break
		}
	}
	if i < len(elems) {
		return irValue(elems[i])
	}
	place := program.Place{Span: list.Where()}
	return &program.Index{Place: place, X: list, Args: []program.Expr{&program.Int{Place: place, Value: int64(i)}}}
}

// irValue takes x out of x.ir_value(loc=loc, ip=ip), which only hands the value to MLIR.
func irValue(e program.Expr) program.Expr {
	if c, ok := e.(*program.Call); ok && len(c.Args) == 0 {
		if a, ok := c.Fun.(*program.Attr); ok && a.Name == "ir_value" {
			return a.X
		}
	}
	return e
}

var llvmOperand = regexp.MustCompile(`\$\$|\$(\d+)|\$\{(\d+)(?::\w+)?\}|%`)

// fromLLVM rewrites LLVM's escapes ($0, ${0:n}, $$, plain %) into those of CUDA's asm (%0, %%).
func fromLLVM(template string) string {
	return llvmOperand.ReplaceAllStringFunc(template, func(m string) string {
		switch m {
		case "$$":
			return "$"
		case "%":
			return "%%"
		}
		return "%" + llvmOperand.ReplaceAllString(m, "$1$2")
	})
}

var namedOperand = regexp.MustCompile(`\{\$(rw|r|w)(\d{1,4})\}|%`)

// inlinePTX reads cute.arch.inline_ptx(ptx_code, write_only_types=, read_only_args=, read_write_args=, predicate=).
// Its operands {$w0}, {$rw0}, {$r0} are numbered in that order.
func inlinePTX(c *program.Call, template string, literal bool, at source.Span) (*program.Asm, bool) {
	count := map[string]int{}
	for _, m := range namedOperand.FindAllStringSubmatch(template, -1) {
		if n, err := strconv.Atoi(m[2]); err == nil {
			count[m[1]] = max(count[m[1]], n+1)
		}
	}
	a := &program.Asm{Place: c.Place, Volatile: true}
	readWrite, readOnly := argument(c, -1, "read_write_args"), argument(c, -1, "read_only_args")
	for range count["w"] {
		a.Outputs = append(a.Outputs, program.AsmOperand{Constraint: "="})
	}
	for i := range count["rw"] {
		a.Outputs = append(a.Outputs, program.AsmOperand{Constraint: "+", X: element(readWrite, i)})
	}
	for i := range count["r"] {
		a.Inputs = append(a.Inputs, program.AsmOperand{X: element(readOnly, i)})
	}
	first := map[string]int{"w": 0, "rw": count["w"], "r": count["w"] + count["rw"]}
	template = namedOperand.ReplaceAllStringFunc(template, func(m string) string {
		if m == "%" {
			return "%%"
		}
		parts := namedOperand.FindStringSubmatch(m)
		n, _ := strconv.Atoi(parts[2])
		return fmt.Sprintf("%%%d", first[parts[1]]+n)
	})
	if p := argument(c, -1, "predicate"); p != nil {
		if _, none := p.(*program.None); !none {
			template = fmt.Sprintf("@%%%d %s", len(a.Outputs)+len(a.Inputs), template)
			a.Inputs = append(a.Inputs, program.AsmOperand{Constraint: "b", X: p})
		}
	}
	fill(a, template, literal, at)
	return a, true
}

func fill(a *program.Asm, template string, literal bool, at source.Span) {
	if literal {
		a.Template = &template
	}
	a.Instrs, _ = ptx.ParseAsm(template, at, nil)
}

// argument returns a positional or keyword argument, or nil; position -1 is keyword only.
func argument(c *program.Call, position int, keyword string) program.Expr {
	for _, k := range c.Keywords {
		if k.Name == keyword {
			return k.Value
		}
	}
	if position < 0 || position >= len(c.Args) {
		return nil
	}
	for _, a := range c.Args[:position+1] {
		if _, starred := a.(*program.Starred); starred {
			return nil
		}
	}
	return c.Args[position]
}

// literalText returns the text of a string expression, with a hole for each part that is not literal.
func literalText(e program.Expr) (text string, literal bool) {
	switch e := e.(type) {
	case *program.String:
		return e.Value, true
	case *program.Binary:
		if e.Op == "+" {
			x, a := literalText(e.X)
			y, b := literalText(e.Y)
			return x + y, a && b
		}
	case *program.OpaqueExpr:
		if strings.HasPrefix(e.Why, "f-string") {
			var b strings.Builder
			for _, p := range e.Parts {
				if s, ok := p.(*program.String); ok {
					b.WriteString(s.Value)
				} else {
					b.WriteString(hole)
				}
			}
			return b.String(), false
		}
	}
	return "", false
}
