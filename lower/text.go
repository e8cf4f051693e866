package lower

import (
	"strings"

	"github.com/fencepost-dev/fencepost/program"
)

var textMethods = words(`lower upper strip lstrip rstrip startswith endswith split join replace format find count removeprefix removesuffix
	isdigit isalpha isupper islower capitalize title encode splitlines rsplit partition`)

func (m *machine) textMethod(x text, name string, a *arguments) value {
	t := string(x)
	arg := func(i int) string {
		s, _ := a.arg(i).(text)
		return string(s)
	}
	for _, v := range a.vals {
		switch v.(type) {
		case text, integer, none, *sequence:
		default:
			return data{}
		}
	}
	switch name {
	case "lower":
		return text(strings.ToLower(t))
	case "upper":
		return text(strings.ToUpper(t))
	case "capitalize", "title", "format", "encode":
		return data{}
	case "strip", "lstrip", "rstrip":
		return strip(t, name, a)
	case "startswith", "endswith":
		return affixed(t, name == "endswith", a.arg(0))
	case "split", "rsplit", "splitlines":
		return m.splitText(t, name, a)
	case "partition":
		before, after, found := strings.Cut(t, arg(0))
		sep := arg(0)
		if !found {
			sep = ""
		}
		return &sequence{elems: []value{text(before), text(sep), text(after)}}
	case "join":
		return joinText(t, a.arg(0))
	case "replace":
		if arg(0) == "" || len(t)*(len(arg(1))+1) > maxElems {
			return data{}
		}
		return text(strings.ReplaceAll(t, arg(0), arg(1)))
	case "find":
		return integer(strings.Index(t, arg(0)))
	case "count":
		return integer(strings.Count(t, arg(0)))
	case "removeprefix":
		return text(strings.TrimPrefix(t, arg(0)))
	case "removesuffix":
		return text(strings.TrimSuffix(t, arg(0)))
	case "isdigit":
		return boolean(t != "" && strings.Trim(t, "0123456789") == "")
	case "isupper":
		return boolean(t != strings.ToLower(t) && t == strings.ToUpper(t))
	case "islower":
		return boolean(t != strings.ToUpper(t) && t == strings.ToLower(t))
	}
	return data{}
}

func strip(t, side string, a *arguments) value {
	cut := " \t\r\n\v\f"
	if s, ok := a.arg(0).(text); ok {
		cut = string(s)
	}
	switch side {
	case "lstrip":
		return text(strings.TrimLeft(t, cut))
	case "rstrip":
		return text(strings.TrimRight(t, cut))
	}
	return text(strings.Trim(t, cut))
}

// affixed is startswith and endswith, for one text or a tuple of them.
func affixed(t string, end bool, affix value) value {
	switch x := affix.(type) {
	case text:
		if end {
			return boolean(strings.HasSuffix(t, string(x)))
		}
		return boolean(strings.HasPrefix(t, string(x)))
	case *sequence:
		for _, e := range x.elems {
			if r, ok := affixed(t, end, e).(integer); !ok || r != 0 {
				return r
			}
		}
		return integer(0)
	}
	return data{}
}

func (m *machine) splitText(t, name string, a *arguments) value {
	var parts []string
	sep, ok := a.arg(0).(text)
	switch {
	case name == "splitlines":
		parts = strings.Split(strings.TrimSuffix(t, "\n"), "\n")
	case len(a.vals) > 1 || ok && sep == "":
		return data{}
	case ok:
		parts = strings.Split(t, string(sep))
	default:
		parts = strings.Fields(t)
	}
	out := &sequence{list: true}
	for _, p := range parts {
		out.elems = append(out.elems, text(p))
	}
	return out
}

// joinText is sep.join(list).
func joinText(sep string, list value) value {
	seq, ok := list.(*sequence)
	if !ok {
		return data{}
	}
	var parts []string
	size := 0
	for _, e := range seq.elems {
		s, ok := e.(text)
		if size += len(s) + len(sep); !ok || size > maxElems {
			return data{}
		}
		parts = append(parts, string(s))
	}
	return text(strings.Join(parts, sep))
}

// spelled is str(v), where v is known.
func spelled(v value) (text, bool) {
	switch v := v.(type) {
	case text:
		return v, true
	case integer, float, none:
		return text(canonical(v)), true
	case path:
		return text(lastWord(string(v))), true
	case *exception:
		if len(v.args) == 1 {
			return spelled(v.args[0])
		}
	case *sequence:
		parts := make([]string, len(v.elems))
		for i, e := range v.elems {
			s, ok := spelled(e)
			if !ok {
				return "", false
			}
			parts[i] = string(s)
		}
		return text("(" + strings.Join(parts, ", ") + ")"), true
	}
	return "", false
}

// formatted is an f-string without format specifications.
func (m *machine) formatted(e *program.OpaqueExpr, s *scope) value {
	var b strings.Builder
	known := e.Why == "f-string"
	for _, p := range e.Parts {
		t, ok := spelled(m.settle(m.eval(p, s)))
		known = known && ok && b.Len() < maxElems
		b.WriteString(string(t))
	}
	if !known {
		return data{}
	}
	return text(b.String())
}
