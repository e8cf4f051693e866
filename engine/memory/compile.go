package memory

import (
	"fmt"
	"strings"
)

// base are the relations and sets that an execution comes with; true: a set.
var base = map[string]bool{
	"R": true, "W": true, "F": true, "B": true, "INIT": true, "STRONG": true, "ACQ": true, "REL": true, "SC": true,
	"GENERIC": true, "SURFACE": true, "TEXTURE": true, "CONSTANT": true, "ALIAS": true,
	"id": false, "po": false, "loc": false, "vloc": false, "inscope": false, "samecta": false,
	"rmw": false, "dep": false, "rf": false, "bar": false,
	"ASYNC": true, "TENSORMAP": true, "SETUP": true, "ARRIVE": true, "WAIT": true, "ENGINE": true, "FINIT": true, "RED": true,
	"issue": false, "done": false, "phase": false, "turn": false, "covers": false,
}

// recent are those of the base that only some models know; others do without them.
var recent = map[string]bool{
	"ASYNC": true, "TENSORMAP": true, "SETUP": true, "ARRIVE": true, "WAIT": true, "ENGINE": true, "FINIT": true, "RED": true,
	"issue": true, "done": true, "phase": true, "turn": true, "covers": true,
}

// compiler turns the text of a model into steps. Equal expressions become one step.
type compiler struct {
	list []token
	at   int
	m    *Model
	keys map[step]int
}

// compileModel reads
//
//	model NAME
//	let NAME = EXPRESSION
//	order NAME contains EXPRESSION decides EXPRESSION
//	empty|irreflexive|acyclic|flag EXPRESSION as LABEL
//
// with, from the one that binds least: a | b, a ; b, a \ b, a & b, s * t, and behind a relation ? + ^-1; [s] is the
// identity on a set.
func compileModel(text string) (*Model, error) {
	list, err := modelTokens(text)
	if err != nil {
		return nil, err
	}
	c := &compiler{list: list, m: &Model{names: map[string]int{}}, keys: map[step]int{}}
	for c.list[c.at].text != "" {
		if err := c.statement(); err != nil {
			return nil, err
		}
	}
	return c.m, nil
}

// modelTokens splits the text of a model; names may have dashes inside.
func modelTokens(text string) ([]token, error) {
	var out []token
	line := 1
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == '\n':
			line++
			i++
		case c == ' ' || c == '\t':
			i++
		case strings.HasPrefix(text[i:], "(*"):
			end := strings.Index(text[i:], "*)")
			if end < 0 {
				return nil, errorAt(line, "a comment does not end")
			}
			line += strings.Count(text[i:i+end], "\n")
			i += end + 2
		case isWord(c):
			j := i
			for j < len(text) && (isWord(text[j]) || text[j] == '-') {
				j++
			}
			out = append(out, token{text[i:j], line})
			i = j
		case strings.HasPrefix(text[i:], "^-1"):
			out = append(out, token{"^-1", line})
			i += 3
		default:
			out = append(out, token{text[i : i+1], line})
			i++
		}
	}
	return append(out, token{"", line}), nil
}

func (c *compiler) peek() string { return c.list[c.at].text }

func (c *compiler) accept(text string) bool {
	if c.peek() != text {
		return false
	}
	c.at++
	return true
}

func (c *compiler) word() (string, error) {
	t := c.list[c.at]
	if t.text == "" || !isWord(t.text[0]) {
		return "", errorAt(t.line, "expected a name, not %s", t)
	}
	c.at++
	return t.text, nil
}

func (c *compiler) expect(text string) error {
	if t := c.list[c.at]; !c.accept(text) {
		return errorAt(t.line, "expected %q, not %s", text, t)
	}
	return nil
}

func (c *compiler) statement() error {
	line := c.list[c.at].line
	verb, err := c.word()
	if err != nil {
		return err
	}
	switch verb {
	case "model":
		c.m.Name, err = c.word()
		return err
	case "let":
		name, err := c.word()
		if err != nil {
			return err
		}
		if err := c.expect("="); err != nil {
			return err
		}
		s, err := c.expression()
		c.m.names[name] = s
		return err
	case "order":
		return c.order()
	case "empty", "irreflexive", "acyclic", "flag":
		s, err := c.relation()
		if err != nil {
			return err
		}
		if err := c.expect("as"); err != nil {
			return err
		}
		label, err := c.word()
		kind := map[string]checkKind{"empty": checkEmpty, "irreflexive": checkIrreflexive, "acyclic": checkAcyclic, "flag": flagged}[verb]
		if kind == flagged {
			c.m.steps[s].stage = afterwards
		} else if c.m.steps[s].stage == afterwards {
			return errorAt(line, "%s: an axiom has to fail for more of what is decided, so nothing undecided may be taken away", label)
		}
		c.m.checks = append(c.m.checks, check{kind, label, s})
		return err
	}
	return errorAt(line, "no statement %q; there are model, let, order, empty, irreflexive, acyclic and flag", verb)
}

func (c *compiler) order() error {
	name, err := c.word()
	if err != nil {
		return err
	}
	o := order{name: name}
	for _, part := range []struct {
		word string
		to   *int
	}{{"contains", &o.contains}, {"decides", &o.decides}} {
		if err := c.expect(part.word); err != nil {
			return err
		}
		if *part.to, err = c.relation(); err != nil {
			return err
		}
	}
	s := step{kind: kindOrder, stage: chosen + stage(len(c.m.orders)), a: len(c.m.orders)}
	if c.m.steps[o.contains].stage >= s.stage || c.m.steps[o.decides].stage > fixed {
		return fmt.Errorf("order %s is made from something that is decided with it or later", name)
	}
	o.step = c.add(s)
	c.m.names[name] = o.step
	c.m.orders = append(c.m.orders, o)
	return nil
}

func (c *compiler) add(s step) int {
	if i, ok := c.keys[s]; ok {
		return i
	}
	c.m.steps = append(c.m.steps, s)
	c.keys[s] = len(c.m.steps) - 1
	return len(c.m.steps) - 1
}

func (c *compiler) relation() (int, error) {
	line := c.list[c.at].line
	s, err := c.expression()
	if err == nil && c.m.steps[s].set {
		err = errorAt(line, "a set stands where a relation is wanted")
	}
	return s, err
}

// levels are the operators between operands, from the one that binds least.
var levels = []struct {
	sign string
	kind stepKind
}{{"|", kindUnion}, {";", kindCompose}, {"\\", kindDifference}, {"&", kindIntersection}, {"*", kindProduct}}

func (c *compiler) expression() (int, error) { return c.level(0) }

func (c *compiler) level(l int) (int, error) {
	if l == len(levels) {
		return c.postfix()
	}
	a, err := c.level(l + 1)
	for err == nil && c.peek() == levels[l].sign {
		line := c.list[c.at].line
		c.at++
		var b int
		if b, err = c.level(l + 1); err == nil {
			a, err = c.pair(line, levels[l].kind, a, b)
		}
	}
	return a, err
}

func (c *compiler) pair(line int, kind stepKind, a, b int) (int, error) {
	x, y := c.m.steps[a], c.m.steps[b]
	s := step{kind: kind, set: x.set, stage: max(x.stage, y.stage), a: a, b: b}
	switch {
	case kind == kindProduct:
		if !x.set || !y.set {
			return 0, errorAt(line, "a * b takes two sets")
		}
		s.set = false
	case x.set != y.set || kind == kindCompose && x.set:
		return 0, errorAt(line, "a set and a relation do not go together")
	case kind == kindDifference && y.stage > fixed:
		// Not monotone: only a flag may have it, once everything is decided.
		s.stage = afterwards
	}
	return c.add(s), nil
}

func (c *compiler) postfix() (int, error) {
	line := c.list[c.at].line
	s, err := c.primary()
	for err == nil {
		var kind stepKind
		switch {
		case c.accept("?"):
			kind = kindReflexive
		case c.accept("+"):
			kind = kindClosure
		case c.accept("^-1"):
			kind = kindInverse
		default:
			return s, nil
		}
		if c.m.steps[s].set {
			return 0, errorAt(line, "? + ^-1 stand behind relations")
		}
		s = c.add(step{kind: kind, stage: c.m.steps[s].stage, a: s})
	}
	return s, err
}

func (c *compiler) primary() (int, error) {
	t := c.list[c.at]
	switch {
	case c.accept("("):
		s, err := c.expression()
		if err != nil {
			return 0, err
		}
		return s, c.expect(")")
	case c.accept("["):
		s, err := c.expression()
		if err != nil {
			return 0, err
		}
		if !c.m.steps[s].set {
			return 0, errorAt(t.line, "[s] takes a set")
		}
		return c.add(step{kind: kindIdentity, stage: c.m.steps[s].stage, a: s}), c.expect("]")
	}
	name, err := c.word()
	if err != nil {
		return 0, err
	}
	if s, ok := c.m.names[name]; ok {
		return s, nil
	}
	set, ok := base[name]
	if !ok {
		return 0, errorAt(t.line, "nothing is called %s", t)
	}
	s := step{kind: kindBase, set: set, base: name}
	switch name {
	case "rf", "bar", "phase", "turn":
		s.stage = read
	}
	return c.add(s), nil
}
