package lower

import (
	"strings"

	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
)

var textMethods = value.Words(`lower upper strip lstrip rstrip startswith endswith split join replace format find count removeprefix removesuffix
	isdigit isalpha isupper islower capitalize title encode splitlines rsplit partition`)

func (m *machine) textMethod(x value.Text, name string, a *value.Arguments) value.Value {
	t := string(x)
	arg := func(i int) string {
		s, _ := a.Arg(i).(value.Text)
		return string(s)
	}
	for _, v := range a.Vals {
		switch v.(type) {
		case value.Text, value.Int, value.None, *value.Sequence:
		default:
			return value.Data{}
		}
	}
	switch name {
	case "lower":
		return value.Text(strings.ToLower(t))
	case "upper":
		return value.Text(strings.ToUpper(t))
	case "capitalize", "title", "format", "encode":
		return value.Data{}
	case "strip", "lstrip", "rstrip":
		return value.Stripped(t, name, a)
	case "startswith", "endswith":
		return value.Affixed(t, name == "endswith", a.Arg(0))
	case "split", "rsplit", "splitlines":
		return value.Split(t, name, a)
	case "partition":
		before, after, found := strings.Cut(t, arg(0))
		sep := arg(0)
		if !found {
			sep = ""
		}
		return &value.Sequence{Elems: []value.Value{value.Text(before), value.Text(sep), value.Text(after)}}
	case "join":
		return value.JoinText(t, a.Arg(0))
	case "replace":
		if arg(0) == "" || len(t)*(len(arg(1))+1) > value.MaxElems {
			return value.Data{}
		}
		return value.Text(strings.ReplaceAll(t, arg(0), arg(1)))
	case "find":
		return value.Int(strings.Index(t, arg(0)))
	case "count":
		return value.Int(strings.Count(t, arg(0)))
	case "removeprefix":
		return value.Text(strings.TrimPrefix(t, arg(0)))
	case "removesuffix":
		return value.Text(strings.TrimSuffix(t, arg(0)))
	case "isdigit":
		return value.Bool(t != "" && strings.Trim(t, "0123456789") == "")
	case "isupper":
		return value.Bool(t != strings.ToLower(t) && t == strings.ToUpper(t))
	case "islower":
		return value.Bool(t != strings.ToUpper(t) && t == strings.ToLower(t))
	}
	return value.Data{}
}

// formatted is an f-string without format specifications.
func (m *machine) formatted(e *program.OpaqueExpr, s *value.Scope) value.Value {
	var b strings.Builder
	known := e.Why == "f-string"
	for _, p := range e.Parts {
		t, ok := value.Spelled(m.settle(m.eval(p, s)))
		known = known && ok && b.Len() < value.MaxElems
		b.WriteString(string(t))
	}
	if !known {
		return value.Data{}
	}
	return value.Text(b.String())
}
