package ir

import (
	"strconv"
	"strings"
)

// Names of the parts of the text form; docs/ir.md has its grammar.
var (
	spaces    = []string{"", "shared", "global", "const", "local", "param"}
	flagNames = []string{"aligned", "token", "drop", "reduction", "noinc", "read", "multicast", "tensor", "write", "changes", "arrive", "to_shared", "from_shared", "sync", "commutative", "a_in_tensor", "inverse", "may_sync", "gathers"}
	keywords  = map[string]bool{"size": true, "formula": true, "bytes": true, "lanes": true, "members": true, "text": true, "code": true, "space": true, "to": true, "columns": true, "_": true}
)

// Reserved reports whether a name means something else in the text form.
func Reserved(name string) bool { return keywords[name] }

// plain reports whether a name can stand in the text as it is.
func plain(name string) bool {
	return name != "" && !keywords[name] && strings.IndexFunc(name, func(r rune) bool { return !InName(r) }) < 0 &&
		(name[0] < '0' || name[0] > '9') && name[0] != '@'
}

// spelledName is a name as the text has it.
func spelledName(name string) string {
	if plain(name) {
		return name
	}
	return strconv.Quote(name)
}

// text is the type as instructions and declarations have it: b32, s32, f32; any where the width is not known.
func (t Type) text() string {
	switch {
	case t.Bits == 0 && !t.Signed && !t.Data:
		return "any"
	case t.Data:
		return "f" + strconv.Itoa(int(t.Bits))
	case t.Signed:
		return "s" + strconv.Itoa(int(t.Bits))
	}
	return "b" + strconv.Itoa(int(t.Bits))
}

func (t Type) String() string { return t.text() }

// typeOf reads a type.
func typeOf(text string) (t Type, ok bool) {
	if text == "any" {
		return t, true
	}
	if len(text) < 2 || strings.IndexByte("bsf", text[0]) < 0 || text[1] == '0' {
		return t, false
	}
	n, err := strconv.ParseUint(text[1:], 10, 8)
	return Type{Bits: uint8(n), Signed: text[0] == 's', Data: text[0] == 'f'}, err == nil
}
