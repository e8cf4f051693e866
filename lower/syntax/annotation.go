package syntax

import (
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
)

// Annotation splits Tuple[int, int] into its name and arguments, and of alternatives the first.
func Annotation(typ string) (head string, args []string) {
	typ = FirstOfUnion(typ)
	head, rest, ok := strings.Cut(strings.TrimSpace(typ), "[")
	head = value.LastWord(strings.TrimSpace(head))
	if !ok {
		return head, nil
	}
	rest = strings.TrimSuffix(strings.TrimSpace(rest), "]")
	depth, from := 0, 0
	for i, c := range rest {
		switch {
		case c == '[':
			depth++
		case c == ']':
			depth--
		case c == ',' && depth == 0:
			args = append(args, strings.TrimSpace(rest[from:i]))
			from = i + 1
		}
	}
	args = append(args, strings.TrimSpace(rest[from:]))
	if head == "Union" && !slices.Contains(args, "None") { // the first of the alternatives, as for A | B
		return Annotation(args[0])
	}
	return head, args
}

// FirstOfUnion is A of A | B.
func FirstOfUnion(typ string) string {
	depth := 0
	for i, c := range typ {
		switch {
		case c == '[':
			depth++
		case c == ']':
			depth--
		case c == '|' && depth == 0:
			return typ[:i]
		}
	}
	return typ
}

// Unset reports whether the default of a field says that it has none: None is no data type.
func Unset(def value.Value, typ string) bool {
	_, none := def.(value.None)
	head, _ := Annotation(typ)
	return none && (head == "Type" || head == "type")
}

// Unaligned reports whether a field of a struct stands where its type lets it: MemRange[type, count], or a type, and no Align[field, bytes].
func Unaligned(annotation program.Expr) bool {
	switch a := annotation.(type) {
	case *program.Index:
		return NamedExpr(a.X, "MemRange")
	case *program.Name, *program.Attr:
		return value.Sizes[value.LastName(a)] > 0
	}
	return false
}
