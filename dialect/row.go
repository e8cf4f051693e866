package dialect

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A row says what one call means:
//
//	name(params) = operation(parameter=value, …)
//
// name is the last component of the callee or a longer suffix ("arch.load", "ptx::mbarrier_init"); "Type->method" is a
// method on a receiver of that type ("A|B->" several types, "*->" any).
// params: "p" is required, "p?" may be absent, "a|b" are two spellings of one keyword, "p~word" must be an expression
// that mentions word, parameters after "*" are keyword-only, "..." ends the list and lets any arguments follow.
// values: a parameter; $0, $1 … (positional argument; $2/4: of an instruction with four operands); $name (keyword); this (receiver); this.field; <0> (template
// argument); "word"; an integer; p+8; p?"word" (the word when p is literally true).
// In PTX rows, [0] is the first bracketed operand, [0:1] the operand after it, $0 the first operand.
type row struct {
	path   []string // components, outermost first
	recv   []string // receiver types for method rows
	any    bool     // no parameter list: positional references only
	params []rowParam
	more   bool
	kind   Kind
	args   []rowArg
	text   string
}

type rowParam struct {
	names    []string
	optional bool
	keyword  bool
	mentions string
}

type valueKind uint8

const (
	valueParam valueKind = iota
	valuePositional
	valueKeyword
	valueReceiver
	valueTemplate
	valueWord
	valueInt
	valueAddress
)

type rowArg struct {
	name   string // canonical parameter
	kind   valueKind
	ref    string // parameter, keyword, receiver field or word
	index  int    // positional, template, address operand, integer
	after  int    // valueAddress: operands after the bracketed one
	of     int    // valuePositional: only of an instruction with so many operands, if not 0
	offset int64
	when   string // word given when the referenced argument is literally true
}

// parseRow reads one line of a table; split takes its name apart.
func parseRow(line string, split func(string) []string) (*row, error) {
	left, right, ok := strings.Cut(line, " = ")
	if !ok {
		return nil, fmt.Errorf("row %q: expected \"name(params) = operation(args)\"", line)
	}
	r := &row{text: line}
	if err := r.parseName(strings.TrimSpace(left), split); err != nil {
		return nil, fmt.Errorf("row %q: %w", line, err)
	}
	if err := r.parseMeaning(strings.TrimSpace(right)); err != nil {
		return nil, fmt.Errorf("row %q: %w", line, err)
	}
	return r, nil
}

func (r *row) parseName(s string, split func(string) []string) error {
	name, rest, hasParams := strings.Cut(s, "(")
	r.any = !hasParams
	if types, method, ok := strings.Cut(name, "->"); ok {
		r.recv, name = strings.Split(types, "|"), method
	}
	r.path = split(name)
	for _, c := range r.path {
		if !isWord(strings.ReplaceAll(c, "::", "_")) {
			return fmt.Errorf("%q is not a name", name)
		}
	}
	if len(r.path) == 0 {
		return fmt.Errorf("no name before the operation")
	}
	if !hasParams {
		return nil
	}
	rest, ok := strings.CutSuffix(rest, ")")
	if !ok {
		return fmt.Errorf("unclosed parameter list")
	}
	keyword := false
	for _, p := range splitList(rest) {
		switch p {
		case "*":
			keyword = true
			continue
		case "...":
			r.more = true
			continue
		}
		q := rowParam{keyword: keyword}
		p, q.mentions, _ = strings.Cut(p, "~")
		p, q.optional = strings.CutSuffix(p, "?")
		q.names = strings.Split(p, "|")
		r.params = append(r.params, q)
	}
	return nil
}

// parseMeaning reads "operation(parameter=value, …)", the part a user's wrapper spells too.
func (r *row) parseMeaning(s string) error {
	name, rest, ok := strings.Cut(s, "(")
	body, closed := strings.CutSuffix(rest, ")")
	if !ok || !closed {
		return fmt.Errorf("expected operation(parameter=value, …), found %q", s)
	}
	r.kind = Kind(strings.TrimSpace(name))
	if _, known := signatures[r.kind]; !known {
		return fmt.Errorf("unknown operation %q; the operations are %s", r.kind, strings.Join(kindNames(), ", "))
	}
	for _, item := range splitList(body) {
		a, err := r.parseArg(item)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(r.args, func(b rowArg) bool { return b.name == a.name }) {
			return fmt.Errorf("parameter %q of %s is given twice", a.name, r.kind)
		}
		r.args = append(r.args, a)
	}
	for _, p := range parameters(r.kind) {
		if !p.optional && !slices.ContainsFunc(r.args, func(b rowArg) bool { return b.name == p.name }) {
			return fmt.Errorf("%s needs %q: %s(%s)", r.kind, p.name, r.kind, signatures[r.kind])
		}
	}
	return nil
}

func (r *row) parseArg(item string) (rowArg, error) {
	name, value, ok := strings.Cut(item, "=")
	name, value = strings.TrimSpace(name), strings.TrimSpace(value)
	if !ok || value == "" {
		return rowArg{}, fmt.Errorf("expected parameter=value, found %q", item)
	}
	if !takes(r.kind, name) {
		return rowArg{}, fmt.Errorf("%s has no parameter %q: %s(%s)", r.kind, name, r.kind, signatures[r.kind])
	}
	a := rowArg{name: name}
	if v, off, found := strings.Cut(value, "+"); found {
		n, err := strconv.ParseInt(strings.TrimSpace(off), 10, 32)
		if err != nil {
			return a, fmt.Errorf("%q: only a constant may be added", value)
		}
		a.offset, value = n, strings.TrimSpace(v)
	}
	if v, word, found := strings.Cut(value, "?"); found {
		a.when, value = strings.Trim(strings.TrimSpace(word), `"`), strings.TrimSpace(v)
	}
	return a, r.parseValue(&a, value)
}

func (r *row) parseValue(a *rowArg, v string) error {
	number := func(s string) (int, bool) {
		n, err := strconv.Atoi(s)
		return n, err == nil && n >= 0 && n < 1<<20
	}
	inner := func(open, end string) (string, bool) {
		s, ok := strings.CutPrefix(v, open)
		if !ok {
			return "", false
		}
		return strings.CutSuffix(s, end)
	}
	if word, ok := inner(`"`, `"`); ok {
		a.kind, a.ref = valueWord, word
		return nil
	}
	if n, ok := number(v); ok {
		a.kind, a.index = valueInt, n
		return nil
	}
	if s, ok := strings.CutPrefix(v, "$"); ok {
		first, all, _ := strings.Cut(s, "/")
		if n, isNumber := number(first); isNumber {
			a.kind, a.index = valuePositional, n
			a.of, _ = number(all)
			return nil
		}
		if isWord(s) {
			a.kind, a.ref = valueKeyword, s
			return nil
		}
		return fmt.Errorf("%q: after $ comes a position or a keyword", v)
	}
	if s, ok := inner("<", ">"); ok {
		if n, isNumber := number(s); isNumber {
			a.kind, a.index = valueTemplate, n
			return nil
		}
	}
	if s, ok := inner("[", "]"); ok {
		first, after, _ := strings.Cut(s, ":")
		n, isNumber := number(first)
		k, _ := number(after)
		if isNumber {
			a.kind, a.index, a.after = valueAddress, n, k
			return nil
		}
	}
	if s, ok := strings.CutPrefix(v, "this"); ok && (s == "" || s[0] == '.') {
		a.kind, a.ref = valueReceiver, strings.TrimPrefix(s, ".")
		return nil
	}
	if r.param(v) < 0 {
		return fmt.Errorf("%q is not a parameter; write $0 for the first argument, $name for a keyword, or \"word\"", v)
	}
	a.kind, a.ref = valueParam, v
	return nil
}

// param returns the index of the parameter with that spelling, or -1.
func (r *row) param(name string) int {
	return slices.IndexFunc(r.params, func(p rowParam) bool { return slices.Contains(p.names, name) })
}

func kindNames() []string {
	var out []string
	for k := range signatures {
		out = append(out, string(k))
	}
	slices.Sort(out)
	return out
}

// components splits a callee's name at "." and "::".
func components(name string) []string {
	return strings.FieldsFunc(strings.ReplaceAll(name, "::", "."), func(r rune) bool { return r == '.' })
}

// modifiers splits an instruction's name at "."; a modifier may hold "::" itself.
func modifiers(name string) []string { return strings.Split(name, ".") }

func isWord(s string) bool {
	if s == "" {
		return false
	}
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c != '_' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return true
}

// splitList splits at top-level commas; values hold no nested lists, only quoted words.
func splitList(s string) []string {
	var out []string
	quoted, start := false, 0
	for i := 0; i <= len(s); i++ {
		if i < len(s) && s[i] == '"' {
			quoted = !quoted
		}
		if i == len(s) || (s[i] == ',' && !quoted) {
			if w := strings.TrimSpace(s[start:i]); w != "" {
				out = append(out, w)
			}
			start = i + 1
		}
	}
	return out
}
