package cuda

import (
	"bytes"
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/limit"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/source"
)

// Calls of which nothing is known: they may do anything to what they are handed.

// childLaunch is the launch of a kernel by a thread: what the parent has written is visible to the child (CUDA C++ Programming Guide, CUDA Dynamic Parallelism,
// Memory Consistency), which runs beside its parent and is not followed.
func (c *compiler) childLaunch(x *program.Call) value {
	for _, a := range slices.Concat(x.Launch, x.Args) {
		if isList(a) {
			continue
		}
		if why, hard, _ := c.attempted(func() { c.expr(a) }); hard {
			panic(unsupported{why: why, hard: true})
		}
	}
	c.outside(limit.Call.Sayf("launch of %s from the device, whose threads are not followed", cmp.Or(identOf(x.Fun), "a kernel")), ir.MayMeet)
	return value{t: voidType, op: ir.None}
}

// opaqueCall is a call of which nothing is known.
func (c *compiler) opaqueCall(name string, x *program.Call) value {
	shared, hands := false, false // something that may be, or that is a way to shared memory
	effect := c.effectOf(name)
	knows := effect == dialect.Touches || effect == dialect.Views || effect == dialect.Assigns || effect == dialect.Readdresses
	var numbers []value
	for _, a := range x.Args {
		if isList(a) {
			continue
		}
		why, hard, done := c.attempted(func() {
			v := c.reference(a)
			c.losesStages(x, a, v)
			c.handedOwn(v)
			may := c.mayLeadToShared(v)
			shared = may || shared
			hands = hands || may && (v.at != nil && v.at.memory != nil || v.t.pointer() || v.t.array)
			c.handedGlobal(v, x)
			if !knows {
				c.handedShared(name, v)
			}
			c.handedElement(v)
			if v.at == nil || v.at.memory == nil {
				numbers = append(numbers, c.loaded(v))
			}
		})
		if hard {
			panic(unsupported{why: why, hard: true})
		}
		shared, hands = shared || !done, hands || !done
	}
	for _, a := range x.Args {
		if effect == dialect.Assigns && !isList(a) {
			c.forget(a)
		} else {
			c.handed(a)
		}
	}
	if m, is := x.Fun.(*program.Attr); is {
		c.handedObject(m, knows)
		c.forget(m.X)
	}
	if x == c.acting && !knows && len(numbers) == len(x.Args) {
		c.forgetNumbers(x.Args, numbers)
	}
	out := opaqueType("")
	out.view = c.givesView(x)
	switch {
	case knows:
		if shared {
			c.outside(limit.Access.Sayf("%s accesses what it is handed", name), 0)
		}
	default:
		code, why := limit.Call, "whose body is not found"
		c.missing[name] = true
		if out.untold = c.untoldOf(x.Fun); out.untold != "" {
			code, why = limit.Template, "which depends on "+out.untold+": no launch that is found says what that is"
		} else if left := c.leftOut(lastName(name)); left != "" {
			why += left
		}
		flags := ir.MayMeet
		if c.silent(x) {
			flags = 0
			called := name
			if m, is := x.Fun.(*program.Attr); is {
				called = m.Name
			}
			c.taking(called + waitsForNobody)
		}
		c.outside(code.Sayf("call of %s, %s", name, why), flags)
		if _, named := x.Fun.(*program.Name); named && flags != 0 && !hands && x != c.acting {
			c.valued = append(c.valued, computing{name: name, outside: len(c.code.Insts) - 1})
		}
		if v, is := c.functionOf(name, x, numbers); is {
			return v
		}
	}
	return value{t: out, op: ir.Operand{Reg: c.nothing}}
}

// forgetNumbers gives up the variables that a call for no value may set: it is handed nothing but numbers, and does something all the same.
func (c *compiler) forgetNumbers(args []program.Expr, numbers []value) {
	if slices.ContainsFunc(numbers, func(v value) bool { return !v.t.scalarLike() || v.t.pointer() }) {
		return
	}
	for _, a := range args {
		if id, is := a.(*program.Name); is {
			if v := c.scope.find(id.Ident); v != nil && v.reg >= 0 && !v.fixed && !c.formals[v] {
				c.forgetVariable(v)
			}
		}
	}
}

// leftOut says where a function, or a type, of a name seems to be declared in text that is not compiled here; "" where it is not.
func (c *compiler) leftOut(name string) (why string) {
	if why, known := c.lefts[name]; known || name == "" {
		return why
	}
	defer func() { c.lefts[name] = why }()
	for _, f := range c.files {
		for _, l := range f.Left {
			in, k := f, declaredIn([]byte(f.Source.Text(l.Span)), name)
			if k >= 0 {
				k += l.Span.Start
			}
			for _, g := range c.leftFiles(f, l) {
				if k < 0 {
					in, k = g, declaredIn(g.Source.Written(), name)
				}
			}
			if k < 0 {
				continue
			}
			for _, name := range l.Names {
				if !slices.Contains(c.code.Lacking, name) {
					c.code.Lacking = append(c.code.Lacking, name)
				}
			}
			return fmt.Sprintf(": %s:%d names it, which is compiled where %s is defined, and nothing that is read defines that", in.Source.Name, in.Source.Position(k).Line, strings.Join(l.Names, " or "))
		}
	}
	return ""
}

// leftFiles are those that text includes which is not compiled.
func (c *compiler) leftFiles(f *program.File, l program.Left) (out []*program.File) {
	if c.tree == nil {
		return nil
	}
	text := f.Source.Text(l.Span)
	for _, m := range includes.FindAllStringSubmatchIndex(text, -1) {
		at := source.Span{Start: l.Span.Start + m[0], End: l.Span.Start + m[1]}
		if g, _ := c.tree.Include(f, &program.Import{Place: program.Place{Span: at}, From: text[m[2]:m[3]]}); g != nil {
			out = append(out, g)
		}
	}
	return out
}

var includes = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*include[ \t]*["<]([^">\n]+)[">]`)

// declaredIn is where a function, or a type, of a name seems to be declared in a text; -1 where it is not.
func declaredIn(text []byte, name string) int {
	for at := 0; ; {
		k := bytes.Index(text[at:], []byte(name))
		if k < 0 {
			return -1
		}
		k += at
		at = k + len(name)
		before, after := bytes.TrimRight(text[:k], " \t"), bytes.TrimLeft(text[at:], " \t\r\n")
		if len(before) < k && len(before) > 0 && len(after) > 0 && (letter(before[len(before)-1]) || digit(before[len(before)-1]) || bytes.ContainsAny(before[len(before)-1:], "*&>")) &&
			bytes.ContainsAny(after[:1], "(={:;") && !bytes.HasSuffix(before, []byte("return")) {
			return k
		}
	}
}

// handedGlobal notes that a call may write where a pointer to global memory leads: an element, or as many bytes as its last argument says.
func (c *compiler) handedGlobal(v value, x *program.Call) {
	v = c.decayed(c.loaded(v))
	if !v.t.pointer() || v.address != nil || v.t.space != ir.Global || v.op.Reg < 0 {
		return
	}
	size := max(min(v.t.to.size, 16), 1)
	if len(x.Args) == 3 {
		n, known := c.constant(x.Args[2])
		if size = n; !known || n < 1 || n > 64 { // how far it goes is not known
			v.op, size = ir.Operand{Reg: c.nothing}, 1
		}
	}
	for at := int64(0); at < size; {
		part := int64(4)
		if size-at < 4 {
			part = 1
		}
		start := len(c.code.Insts)
		c.storeMemory(&place{t: scalar(uint8(8*part), false, false), memory: &memory{space: ir.Global, base: v.op, offset: at}}, value{t: uintType, op: ir.Operand{Reg: c.nothing}})
		for k := start; k < len(c.code.Insts); k++ {
			if c.code.Insts[k].Op == ir.Store {
				c.written = append(c.written, k)
			}
		}
		at += part
	}
}

// mayLeadToShared reports whether shared memory may be accessed by way of a value.
func (c *compiler) mayLeadToShared(v value) bool {
	apart := func(s ir.Space) bool { return s == ir.Global || s == ir.Const || s == ir.Param || s == ir.Local }
	switch {
	case v.at != nil && v.at.memory != nil:
		return v.at.memory.lost || !apart(v.at.memory.space) || v.t.pointer() || v.t.fields != nil && !v.t.ofNumbers()
	case v.address != nil:
		return false
	case v.t.pointer():
		return !apart(v.t.space)
	case v.input != "" || v.t.scalarLike() || v.t.fields != nil && v.t.ofNumbers():
		return false
	}
	for _, p := range v.parts {
		if c.mayLeadToShared(p) {
			return true
		}
	}
	return v.parts == nil && !v.t.array && v.t != voidType
}
