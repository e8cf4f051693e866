package source

import (
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"
)

// Range is a range of lines, both ends in it, 1-based.
type Range struct {
	First, Last int
	Remark      bool // of a change: what was there and what is there now are blank lines and such that begin with #
}

// WholeFile covers every line.
var WholeFile = Range{First: 1, Last: math.MaxInt32}

// parseDiff reads what `git diff -U0` prints: for every file of the new side, the ranges that changed. Lines that were
// only taken away mark the line before and the line after the gap, because a fence that is gone is a change too.
func parseDiff(text string) (map[string][]Range, error) {
	changed := map[string][]Range{}
	name := "" // of the new side; "" between files and for deleted ones
	for number := 1; text != ""; number++ {
		var line string
		line, text, _ = strings.Cut(text, "\n")
		switch {
		case strings.HasPrefix(line, "diff --git "):
			name = ""
		case strings.HasPrefix(line, "+++ "):
			var err error
			if name, err = newName(line[len("+++ "):]); err != nil {
				return nil, fmt.Errorf("read git diff: line %d: %w", number, err)
			}
		case strings.HasPrefix(line, "@@ "):
			removed, added, at, err := parseHunk(line)
			if err != nil {
				return nil, fmt.Errorf("read git diff: line %d: %w", number, err)
			}
			// The body is skipped by count: a removed line may itself read "-- a/x" or "++ b/x".
			rest := skipBody(text, removed, added)
			if name != "" {
				r := hunkRange(at, added)
				r.Remark = remarks(text[:len(text)-len(rest)])
				changed[name] = append(changed[name], r)
			}
			text = rest
		}
	}
	return changed, nil
}

// remarks reports whether the lines of a hunk's body say nothing in a language whose comments begin with #, if they stand outside of strings.
func remarks(body string) bool {
	for line := range strings.Lines(body) {
		if said := strings.TrimSpace(line[1:]); line[0] != '\\' && said != "" && (said[0] != '#' || strings.Contains(said, "fencepost")) { // a suppression says something
			return false
		}
	}
	return true
}

func hunkRange(at, added int) Range {
	if added == 0 {
		return Range{First: max(at, 1), Last: at + 1}
	}
	return Range{First: max(at, 1), Last: at + added - 1}
}

func skipBody(text string, removed, added int) string {
	for text != "" && (removed > 0 || added > 0) {
		switch text[0] {
		case '-':
			removed--
		case '+':
			added--
		case ' ':
			removed--
			added--
		case '\\':
		default:
			return text
		}
		_, text, _ = strings.Cut(text, "\n")
	}
	return text
}

// parseHunk reads "@@ -a,b +c,d @@ …".
func parseHunk(line string) (removed, added, at int, err error) {
	fields := strings.Fields(line)
	if len(fields) < 4 || fields[3] != "@@" {
		return 0, 0, 0, fmt.Errorf("%.80q is no hunk header", line)
	}
	_, removed, err = side(fields[1], "-")
	if err == nil {
		at, added, err = side(fields[2], "+")
	}
	if err != nil {
		return 0, 0, 0, fmt.Errorf("%.80q is no hunk header", line)
	}
	return removed, added, at, nil
}

func side(s, sign string) (start, count int, err error) {
	s, ok := strings.CutPrefix(s, sign)
	if !ok {
		return 0, 0, strconv.ErrSyntax
	}
	first, length, has := strings.Cut(s, ",")
	a, err := strconv.ParseUint(first, 10, 30)
	if err != nil {
		return 0, 0, err
	}
	b := uint64(1)
	if has {
		if b, err = strconv.ParseUint(length, 10, 30); err != nil {
			return 0, 0, err
		}
	}
	if a == 0 && b > 0 {
		return 0, 0, strconv.ErrRange // lines count from 1; only an empty side stands at 0
	}
	return int(a), int(b), nil
}

// newName reads the name in a "+++ " line: "/dev/null", "b/name", "b/name with space\t", or a C-quoted one.
func newName(s string) (string, error) {
	if strings.HasPrefix(s, `"`) {
		unquoted, err := unquoteC(s)
		if err != nil {
			return "", err
		}
		s = unquoted
	} else {
		s = strings.TrimSuffix(s, "\t") // git ends a name that holds a blank with a tab
	}
	if s == "/dev/null" {
		return "", nil
	}
	name, ok := strings.CutPrefix(s, "b/")
	if !ok || !filepath.IsLocal(filepath.FromSlash(name)) {
		return "", fmt.Errorf("%.200q is no name of a file in the tree", s)
	}
	return name, nil
}

var cEscapes = map[byte]byte{'a': '\a', 'b': '\b', 't': '\t', 'n': '\n', 'v': '\v', 'f': '\f', 'r': '\r', '"': '"', '\\': '\\'}

// unquoteC undoes git's quoting of names (quote.c: C escapes and three octal digits).
func unquoteC(s string) (string, error) {
	bad := fmt.Errorf("%.200q is no quoted name", s)
	var out []byte
	for i := 1; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"':
			return string(out), nil
		case c != '\\':
			out = append(out, c)
		case i+1 < len(s) && cEscapes[s[i+1]] != 0:
			i++
			out = append(out, cEscapes[s[i]])
		case i+3 < len(s):
			octal, err := strconv.ParseUint(s[i+1:i+4], 8, 8)
			if err != nil {
				return "", bad
			}
			out = append(out, byte(octal))
			i += 3
		default:
			return "", bad
		}
	}
	return "", bad
}
