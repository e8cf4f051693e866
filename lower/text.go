package lower

import (
	"strings"

	"github.com/fencepost-dev/fencepost/program"
)

var textMethods = Words(`lower upper strip lstrip rstrip startswith endswith split join replace format find count removeprefix removesuffix
	isdigit isalpha isupper islower capitalize title encode splitlines rsplit partition`)

func (m *machine) textMethod(x Text, name string, a *Arguments) Value {
	t := string(x)
	arg := func(i int) string {
		s, _ := a.Arg(i).(Text)
		return string(s)
	}
	for _, v := range a.Vals {
		switch v.(type) {
		case Text, Int, None, *Sequence:
		default:
			return Data{}
		}
	}
	switch name {
	case "lower":
		return Text(strings.ToLower(t))
	case "upper":
		return Text(strings.ToUpper(t))
	case "capitalize", "title", "format", "encode":
		return Data{}
	case "strip", "lstrip", "rstrip":
		return strip(t, name, a)
	case "startswith", "endswith":
		return affixed(t, name == "endswith", a.Arg(0))
	case "split", "rsplit", "splitlines":
		return m.splitText(t, name, a)
	case "partition":
		before, after, found := strings.Cut(t, arg(0))
		sep := arg(0)
		if !found {
			sep = ""
		}
		return &Sequence{Elems: []Value{Text(before), Text(sep), Text(after)}}
	case "join":
		return JoinText(t, a.Arg(0))
	case "replace":
		if arg(0) == "" || len(t)*(len(arg(1))+1) > MaxElems {
			return Data{}
		}
		return Text(strings.ReplaceAll(t, arg(0), arg(1)))
	case "find":
		return Int(strings.Index(t, arg(0)))
	case "count":
		return Int(strings.Count(t, arg(0)))
	case "removeprefix":
		return Text(strings.TrimPrefix(t, arg(0)))
	case "removesuffix":
		return Text(strings.TrimSuffix(t, arg(0)))
	case "isdigit":
		return Bool(t != "" && strings.Trim(t, "0123456789") == "")
	case "isupper":
		return Bool(t != strings.ToLower(t) && t == strings.ToUpper(t))
	case "islower":
		return Bool(t != strings.ToUpper(t) && t == strings.ToLower(t))
	}
	return Data{}
}

func strip(t, side string, a *Arguments) Value {
	cut := " \t\r\n\v\f"
	if s, ok := a.Arg(0).(Text); ok {
		cut = string(s)
	}
	switch side {
	case "lstrip":
		return Text(strings.TrimLeft(t, cut))
	case "rstrip":
		return Text(strings.TrimRight(t, cut))
	}
	return Text(strings.Trim(t, cut))
}

// affixed is startswith and endswith, for one text or a tuple of them.
func affixed(t string, end bool, affix Value) Value {
	switch x := affix.(type) {
	case Text:
		if end {
			return Bool(strings.HasSuffix(t, string(x)))
		}
		return Bool(strings.HasPrefix(t, string(x)))
	case *Sequence:
		for _, e := range x.Elems {
			if r, ok := affixed(t, end, e).(Int); !ok || r != 0 {
				return r
			}
		}
		return Int(0)
	}
	return Data{}
}

func (m *machine) splitText(t, name string, a *Arguments) Value {
	var parts []string
	sep, ok := a.Arg(0).(Text)
	switch {
	case name == "splitlines":
		parts = strings.Split(strings.TrimSuffix(t, "\n"), "\n")
	case len(a.Vals) > 1 || ok && sep == "":
		return Data{}
	case ok:
		parts = strings.Split(t, string(sep))
	default:
		parts = strings.Fields(t)
	}
	out := &Sequence{List: true}
	for _, p := range parts {
		out.Elems = append(out.Elems, Text(p))
	}
	return out
}

// JoinText is sep.join(list).
func JoinText(sep string, list Value) Value {
	seq, ok := list.(*Sequence)
	if !ok {
		return Data{}
	}
	var parts []string
	size := 0
	for _, e := range seq.Elems {
		s, ok := e.(Text)
		if size += len(s) + len(sep); !ok || size > MaxElems {
			return Data{}
		}
		parts = append(parts, string(s))
	}
	return Text(strings.Join(parts, sep))
}

// Spelled is str(v), where v is known.
func Spelled(v Value) (Text, bool) {
	switch v := v.(type) {
	case Text:
		return v, true
	case Int, Float, None:
		return Text(Canonical(v)), true
	case Path:
		return Text(LastWord(string(v))), true
	case *Exception:
		if len(v.Args) == 1 {
			return Spelled(v.Args[0])
		}
	case *Sequence:
		parts := make([]string, len(v.Elems))
		for i, e := range v.Elems {
			s, ok := Spelled(e)
			if !ok {
				return "", false
			}
			parts[i] = string(s)
		}
		return Text("(" + strings.Join(parts, ", ") + ")"), true
	}
	return "", false
}

// formatted is an f-string without format specifications.
func (m *machine) formatted(e *program.OpaqueExpr, s *Scope) Value {
	var b strings.Builder
	known := e.Why == "f-string"
	for _, p := range e.Parts {
		t, ok := Spelled(m.settle(m.eval(p, s)))
		known = known && ok && b.Len() < MaxElems
		b.WriteString(string(t))
	}
	if !known {
		return Data{}
	}
	return Text(b.String())
}
