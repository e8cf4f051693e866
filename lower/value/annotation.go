package value

import (
	"slices"
	"strings"
)

// Annotation splits Tuple[int, int] into its name and arguments, and of alternatives the first.
func Annotation(typ string) (head string, args []string) {
	typ = FirstOfUnion(typ)
	head, rest, ok := strings.Cut(strings.TrimSpace(typ), "[")
	head = LastWord(strings.TrimSpace(head))
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
