package ir

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// String is the kernel in the text form, which [Parse] reads back. Spans of places are lost: the line is kept.
func (c *Kernel) String() string {
	p := c.printer()
	p.header()
	p.storage()
	for k := range c.Insts {
		if name, ok := p.entry[int32(k)]; ok {
			fmt.Fprintf(&p.out, "function %s\n", spelledName(name))
		}
		if b, ok := p.block[int32(k)]; ok {
			fmt.Fprintf(&p.out, "b%d:\n", b)
		}
		p.out.WriteString("\t")
		p.inst(&c.Insts[k])
		p.place(c.Insts[k].Place)
		p.out.WriteString("\n")
	}
	return p.out.String()
}

// texts prints single instructions, without their places.
func (c *Kernel) texts() func(k int32) string {
	p := c.printer()
	return func(k int32) string {
		p.out.Reset()
		p.inst(&c.Insts[k])
		return p.out.String()
	}
}

func (c *Kernel) printer() *printer {
	p := &printer{kernel: c, block: map[int32]int{}, entry: map[int32]string{}, before: -1, shared: c.SharedVariables()}
	for k, start := range c.leaders() {
		p.block[start] = k
	}
	for k, r := range c.Functions {
		if p.entry[r[0]] = "?"; k < len(c.Called) {
			p.entry[r[0]] = c.Called[k]
		}
	}
	return p
}

type printer struct {
	shared []*Variable
	kernel *Kernel
	out    strings.Builder
	block  map[int32]int    // where they start
	entry  map[int32]string // of functions
	before int64            // the place of the instruction before
}

// header is what is said of the kernel as a whole, and its registers.
func (p *printer) header() {
	c := p.kernel
	fmt.Fprintf(&p.out, "kernel %s\n", spelledName(c.Name))
	if c.File != nil {
		fmt.Fprintf(&p.out, "file %q\n", c.File.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(c.Directives)) {
		d := c.Directives[name]
		fmt.Fprintf(&p.out, "directive %s %d, %d, %d\n", spelledName(name), d[0], d[1], d[2])
	}
	for _, name := range c.Formals {
		fmt.Fprintf(&p.out, "parameter %s\n", spelledName(name))
	}
	for _, text := range c.Assumed {
		fmt.Fprintf(&p.out, "assume %q\n", text)
	}
	var marks []string
	for _, m := range []struct {
		name string
		is   bool
	}{{"data", c.Data}, {"tracked", c.Tracked}, {"blocking", c.Blocking}} {
		if m.is {
			marks = append(marks, m.name)
		}
	}
	if len(marks) > 0 {
		fmt.Fprintf(&p.out, "followed %s\n", strings.Join(marks, ", "))
	}
	p.names("predicates", c.Tests)
	for from := 0; from < len(c.Names); { // as many of one type as stand together, eight a line
		to := from + 1
		for to < len(c.Names) && to-from < 8 && p.typeOf(to) == p.typeOf(from) {
			to++
		}
		p.names("registers "+p.typeOf(from).text(), c.Names[from:to])
		from = to
	}
}

func (p *printer) typeOf(r int) Type {
	if r < len(p.kernel.Types) {
		return p.kernel.Types[r]
	}
	return Type{}
}

func (p *printer) names(what string, list []string) {
	for part := range slices.Chunk(list, 8) {
		var out []string
		for _, name := range part {
			out = append(out, spelledName(name))
		}
		fmt.Fprintf(&p.out, "%s %s\n", what, strings.Join(out, ", "))
	}
}

// storage is what registers and memory hold at first.
func (p *printer) storage() {
	c := p.kernel
	if special := slices.Sorted(maps.Keys(c.Special)); len(special) > 0 {
		p.names("special", special)
	}
	for _, s := range c.Slots {
		pointer := ""
		if s.Pointer {
			pointer = " pointer"
		}
		if s.Text != "" {
			pointer += " as " + strconv.Quote(s.Text)
		}
		fmt.Fprintf(&p.out, "part %s = %s+%d%s\n", p.register(s.Register), spelledName(s.Name), s.Offset, pointer)
	}
	for _, name := range slices.Sorted(maps.Keys(c.Globals)) {
		fmt.Fprintf(&p.out, "address %s = %s\n", p.register(c.Globals[name]), spelledName(name))
	}
	fmt.Fprintf(&p.out, "nothing %s\n", p.register(c.Nothing))
	if len(c.Writes) > 0 {
		var names []string
		for _, r := range slices.Sorted(maps.Keys(c.Writes)) {
			if int(r) < len(c.Names) {
				names = append(names, c.Names[r])
			}
		}
		p.names("writes", names)
	}
	printed := map[*Variable]bool{}
	for _, v := range c.Constants { // in their order, which says what is found first
		p.variable(v)
		printed[v] = true
	}
	for _, name := range slices.Sorted(maps.Keys(c.Variables)) {
		if v := c.Variables[name]; !printed[v] {
			p.variable(v)
		}
	}
}

func (p *printer) variable(v *Variable) {
	fmt.Fprintf(&p.out, "variable %s %s at %d bytes %d element %d", spelledName(v.Space), spelledName(v.Name), v.At, v.Size, v.Elem)
	for k, n := range v.Init {
		sep := ", "
		if k == 0 {
			sep = " = "
		}
		fmt.Fprintf(&p.out, "%s%d", sep, n)
	}
	p.out.WriteString("\n")
}

func (p *printer) register(r int32) string {
	switch {
	case r < 0:
		return "_"
	case int(r) < len(p.kernel.Names):
		return spelledName(p.kernel.Names[r])
	}
	return fmt.Sprintf("register#%d", r)
}

func (p *printer) predicate(r int32) string {
	switch {
	case r < 0:
		return "_"
	case int(r) < len(p.kernel.Tests):
		return spelledName(p.kernel.Tests[r])
	}
	return fmt.Sprintf("predicate#%d", r)
}

// place is the trailing remark: "! file:line name", or "! same" as the instruction before.
func (p *printer) place(n uint32) {
	if int(n) >= len(p.kernel.Places) {
		return
	}
	at := &p.kernel.Places[n]
	switch where := p.kernel.Where(at); {
	case int64(n) == p.before:
		p.out.WriteString(" ! same")
	case where == "" && at.Name == "":
	case where == "":
		p.out.WriteString(" ! - " + remark(at.Name))
	default:
		path, line := where[:strings.LastIndexByte(where, ':')], where[strings.LastIndexByte(where, ':'):]
		if path == "-" || path == "" || strings.ContainsAny(path, " \t\"") || remark(path) != path {
			path = strconv.Quote(path)
		}
		p.out.WriteString(strings.TrimRight(" ! "+path+line+" "+remark(at.Name), " "))
	}
	p.before = int64(n)
}

// remark is text that stands to the end of its line.
func remark(text string) string {
	if quoted := strconv.Quote(text); quoted != `"`+text+`"` || strings.TrimSpace(text) != text {
		return quoted
	}
	return text
}
