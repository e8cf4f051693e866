package memory

import (
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Read reads a litmus test in the PTX format of the public collections (notes/litmus.md 3; docs/memory.md).
func Read(r io.Reader) (*Program, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxFile+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxFile {
		return nil, fmt.Errorf("the file is larger than %d bytes", maxFile)
	}
	title, rest, line, err := header(string(text))
	if err != nil {
		return nil, err
	}
	list, err := tokens(rest, line)
	if err != nil {
		return nil, err
	}
	p := &reader{list: list, names: map[string]int{}, out: &Program{Name: title}, initial: map[string]map[string]int64{}}
	for _, step := range []func() error{p.initialState, p.threads, p.rows, p.barriers, p.assertions} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return p.out, nil
}

// reader is the state of reading one test.
type reader struct {
	list    []token
	at      int
	out     *Program
	names   map[string]int
	initial map[string]map[string]int64 // of registers, by thread and name: threads come after
}

func (p *reader) peek() token { return p.list[p.at] }

func (p *reader) next() token {
	t := p.list[p.at]
	if t.text != "" {
		p.at++
	}
	return t
}

func (p *reader) accept(text string) bool {
	if p.peek().text != text {
		return false
	}
	p.at++
	return true
}

func (p *reader) expect(text string) error {
	if t := p.next(); t.text != text {
		return errorAt(t.line, "expected %q, not %s", text, t)
	}
	return nil
}

var (
	identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	isRegister = regexp.MustCompile(`^r[0-9]+$`)
	isThread   = regexp.MustCompile(`^P?([0-9]{1,6})$`)
	isLabel    = regexp.MustCompile(`^LC[0-9]+$`)
)

func (p *reader) number() (int64, error) {
	minus := p.accept("-")
	t := p.next()
	v, err := strconv.ParseInt(t.text, 0, 64)
	if err != nil || strings.ContainsAny(t.text, "_") {
		return 0, errorAt(t.line, "expected a number, not %s", t)
	}
	if minus {
		v = -v
	}
	return v, nil
}

// cell finds a name, and makes it where it is not declared: such cells are 0 at first.
func (p *reader) cell(t token) (int, error) {
	if !identifier.MatchString(t.text) {
		return 0, errorAt(t.line, "expected the name of a cell, not %s", t)
	}
	if i, ok := p.names[t.text]; ok {
		return i, nil
	}
	if len(p.out.names) == maxNames {
		return 0, errorAt(t.line, "more than %d names", maxNames)
	}
	i := len(p.out.names)
	p.names[t.text] = i
	p.out.names = append(p.out.names, name{t.text, len(p.out.cells), i})
	p.out.cells = append(p.out.cells, 0)
	return i, nil
}

func (p *reader) initialState() error {
	if err := p.expect("{"); err != nil {
		return err
	}
	for {
		for p.accept(";") {
		}
		if p.accept("}") {
			p.accept(";")
			return nil
		}
		if err := p.declaration(); err != nil {
			return err
		}
		if t := p.peek(); t.text != ";" && t.text != "}" {
			return errorAt(t.line, "expected ; or } behind a declaration, not %s", t)
		}
	}
}

// declaration reads x=0, P0:r0=0, or y @ surface aliases x.
func (p *reader) declaration() error {
	t := p.next()
	switch {
	case p.accept(":"):
		m := isThread.FindStringSubmatch(t.text)
		if m == nil {
			return errorAt(t.line, "expected a thread such as P0, not %s", t)
		}
		reg := p.next()
		if !isRegister.MatchString(reg.text) {
			return errorAt(reg.line, "expected a register such as r0, not %s", reg)
		}
		if err := p.expect("="); err != nil {
			return err
		}
		v, err := p.number()
		if err != nil {
			return err
		}
		if p.initial[m[1]] == nil {
			p.initial[m[1]] = map[string]int64{}
		}
		p.initial[m[1]][reg.text] = v
		return nil
	case p.accept("@"):
		switch kind := p.peek().text; kind {
		case "mbarrier":
			p.next()
			return p.declaredObject(t)
		case "shared", "global":
			p.next()
			i, err := p.cell(t)
			if err != nil {
				return err
			}
			return p.inSpace(t, p.out.names[i].cell, spaceNames[kind])
		}
		return p.aliasOf(t)
	}
	i, err := p.cell(t)
	if err != nil {
		return err
	}
	if err := p.expect("="); err != nil {
		return err
	}
	if p.accept("&") {
		return errorAt(t.line, "addresses as values are not modelled: give %s a number", t.text)
	}
	p.out.cells[p.out.names[i].cell], err = p.number()
	return err
}

func (p *reader) aliasOf(t token) error {
	kind := p.next()
	proxy, ok := proxyNames[kind.text]
	if !ok || proxy == Alias {
		return errorAt(kind.line, "expected generic, surface, texture or constant, or mbarrier, shared or global, not %s", kind)
	}
	if err := p.expect("aliases"); err != nil {
		return err
	}
	other := p.next()
	i, ok := p.names[other.text]
	if !ok {
		return errorAt(other.line, "%s is not declared yet", other)
	}
	if _, twice := p.names[t.text]; twice || !identifier.MatchString(t.text) {
		return errorAt(t.line, "%s is declared already, or no name", t)
	}
	if len(p.out.names) == maxNames {
		return errorAt(t.line, "more than %d names", maxNames)
	}
	n := name{t.text, p.out.names[i].cell, p.out.names[i].address}
	if proxy == Generic {
		n.address = len(p.out.names)
	}
	p.names[t.text] = len(p.out.names)
	p.out.names = append(p.out.names, n)
	return nil
}

// threads reads the row P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;
func (p *reader) threads() error {
	for {
		t := p.next()
		m := isThread.FindStringSubmatch(t.text)
		if m == nil {
			return errorAt(t.line, "expected a thread such as P0@cta 0,gpu 0, not %s", t)
		}
		id, _ := strconv.Atoi(m[1])
		th := thread{id: id}
		for _, old := range p.out.threads {
			if old.id == id {
				return errorAt(t.line, "thread P%d is declared twice", id)
			}
		}
		if len(p.out.threads) == maxThreads {
			return errorAt(t.line, "more than %d threads", maxThreads)
		}
		if err := p.position(t, &th); err != nil {
			return err
		}
		given := p.initial[strconv.Itoa(id)]
		for _, reg := range slices.Sorted(maps.Keys(given)) {
			r := th.register(reg)
			th.initial[r] = given[reg]
		}
		p.out.threads = append(p.out.threads, th)
		if p.accept(";") {
			return nil
		}
		if err := p.expect("|"); err != nil {
			return err
		}
	}
}

// position reads @cta 0[,cluster 0],gpu 0. Numbers of CTAs and clusters are those of their GPU.
func (p *reader) position(t token, th *thread) error {
	th.cluster = -1
	for _, part := range []struct {
		sign, word string
		to         *int
	}{{"@", "cta", &th.cta}, {",", "cluster", &th.cluster}, {",", "gpu", &th.gpu}} {
		if part.word == "cluster" && p.list[min(p.at+1, len(p.list)-1)].text != "cluster" {
			continue
		}
		if err := p.expect(part.sign); err != nil {
			return err
		}
		if err := p.expect(part.word); err != nil {
			return err
		}
		v, err := p.number()
		if err != nil {
			return err
		}
		if v < 0 || v > 1<<30 {
			return errorAt(t.line, "%d is no number of a CTA, cluster or GPU", v)
		}
		*part.to = int(v)
	}
	if th.cluster < 0 {
		th.cluster = -1 - th.cta
	}
	for _, o := range p.out.threads {
		if o.gpu == th.gpu && o.cta == th.cta && o.cluster != th.cluster {
			return errorAt(t.line, "CTA %d is in two clusters: give all its threads the same", th.cta)
		}
	}
	return nil
}
