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
