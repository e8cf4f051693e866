package value

import "strings"

// This file has what methods of Python's texts give (https://docs.python.org/3/library/stdtypes.html#string-methods).

// Stripped is a text without characters at its ends, as strip, lstrip and rstrip give it.
func Stripped(t, side string, a *Arguments) Value {
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

// Affixed is startswith and endswith, for one text or a tuple of them.
func Affixed(t string, end bool, affix Value) Value {
	switch x := affix.(type) {
	case Text:
		if end {
			return Bool(strings.HasSuffix(t, string(x)))
		}
		return Bool(strings.HasPrefix(t, string(x)))
	case *Sequence:
		for _, e := range x.Elems {
			if r, ok := Affixed(t, end, e).(Int); !ok || r != 0 {
				return r
			}
		}
		return Int(0)
	}
	return Data{}
}

// Split is the list of the parts of a text, as split and splitlines give it; of other arguments it is not known.
func Split(t, name string, a *Arguments) Value {
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

// TextMethods are the methods of texts.
var TextMethods = Words(`lower upper strip lstrip rstrip startswith endswith split join replace format find count removeprefix removesuffix
	isdigit isalpha isupper islower capitalize title encode splitlines rsplit partition`)

// TextMethod is x.name(…).
func TextMethod(x Text, name string, a *Arguments) Value {
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
		return Stripped(t, name, a)
	case "startswith", "endswith":
		return Affixed(t, name == "endswith", a.Arg(0))
	case "split", "rsplit", "splitlines":
		return Split(t, name, a)
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
