package source

import (
	"bytes"
	"path"
	"regexp"
	"slices"
	"strings"
)

// Suppression is one comment that asks for silence:
//
//	mbarrier_wait(ptr, 0)  # fencepost: ignore[FP101] the ring is drained before this
//
// In C++ and PTX it is written in a // or /* */ comment. It speaks of its own line or, standing alone, of the next line
// that holds code.
type Suppression struct {
	Line      int      // of the comment, 1-based
	Column    int      // of the comment, 1-based
	Target    int      // the line it speaks of
	Rules     []string // "FP101"
	Reason    string
	Malformed string // what is wrong with the comment, "" if nothing; a malformed one suppresses nothing
}

const (
	maxSuppressedRules = 32
	marker             = "fencepost:"
)

var ruleID = regexp.MustCompile(`^FP[0-9]{3}$`)

// Suppressions returns the suppression comments of a file in order.
func Suppressions(f *File) []Suppression {
	if !bytes.Contains(f.Data, []byte(marker)) {
		return nil
	}
	openers := []string{"//", "/*"}
	if ext := path.Ext(f.Name); ext == ".py" || ext == ".pyi" {
		openers = []string{"#"}
	}
	var found []Suppression
	var waiting []int // indices of comments alone on their line, for which the next line of code is awaited
	for n := 1; n <= f.Lines(); n++ {
		line := f.Line(n)
		s, at, ok := parseSuppression(line, openers)
		if ok {
			s.Line, s.Target = n, n
			s.Column = 1 + utf16Length([]byte(line[:at]))
		}
		alone := ok && strings.TrimSpace(line[:at]) == "" && s.Target == n && !codeAfter(line[at:])
		switch {
		case alone:
			waiting = append(waiting, len(found))
		case strings.TrimSpace(line) != "":
			for _, i := range waiting {
				found[i].Target = n
			}
			waiting = waiting[:0]
		}
		if ok {
			found = append(found, s)
		}
	}
	return found
}

// codeAfter reports whether text follows a /* */ comment on its line.
func codeAfter(comment string) bool {
	if !strings.HasPrefix(comment, "/*") {
		return false
	}
	_, rest, closed := strings.Cut(comment, "*/")
	return closed && strings.TrimSpace(rest) != ""
}

// parseSuppression finds the comment in a line and reads it; at is the offset of its opener.
func parseSuppression(line string, openers []string) (s Suppression, at int, ok bool) {
	for from := 0; ; {
		i := strings.Index(line[from:], marker)
		if i < 0 {
			return s, 0, false
		}
		i += from
		from = i + len(marker)
		before := strings.TrimRight(line[:i], " \t")
		for _, opener := range openers {
			if !strings.HasSuffix(before, opener) {
				continue
			}
			if rest, ok := afterIgnore(line[i+len(marker):]); ok {
				if opener == "/*" {
					rest, _, _ = strings.Cut(rest, "*/")
				}
				return parseList(strings.TrimSpace(rest)), len(before) - len(opener), true
			}
		}
	}
}

// afterIgnore returns what follows the word "ignore". It looks at the beginning only: a hostile line holds many markers.
func afterIgnore(body string) (rest string, ok bool) {
	rest, ok = strings.CutPrefix(strings.TrimLeft(body, " \t"), "ignore")
	return rest, ok && (rest == "" || strings.IndexByte("[ \t*", rest[0]) >= 0)
}

// parseList reads "[FP101, FP102] reason".
func parseList(rest string) (s Suppression) {
	list, reason, closed := strings.Cut(strings.TrimPrefix(rest, "["), "]")
	if !strings.HasPrefix(rest, "[") || !closed {
		s.Malformed = "it names no rule: write ignore[FP101] and the reason"
		return s
	}
	s.Reason = strings.TrimSpace(reason)
	for _, id := range strings.Split(list, ",") {
		id = strings.TrimSpace(id)
		switch {
		case !ruleID.MatchString(id):
			s.Malformed = "its list must hold rule identifiers such as FP101, separated by commas"
		case len(s.Rules) == maxSuppressedRules:
			s.Malformed = "it names too many rules"
		default:
			s.Rules = append(s.Rules, id)
			continue
		}
		return s
	}
	if s.Reason == "" {
		s.Malformed = "it gives no reason: say after the bracket why the finding is not one"
	}
	return s
}

// Suppress is what to put in, and where, so that a comment asks for silence about a rule on a line; ok is false where there is no
// place for one, or it is silent already.
func Suppress(f *File, line int, rule, reason string) (at int, text string, ok bool) {
	target := line
	for _, s := range Suppressions(f) {
		if s.Target == line && s.Malformed == "" && at == 0 { // it goes on with one more rule
			from, _ := f.Offset(Position{Line: s.Line, Column: s.Column})
			at, text = from+bytes.IndexByte(f.Data[from:], ']'), ", "+rule
		}
	}
	if text == "" {
		at, text, ok = newComment(f, line, "fencepost: ignore["+rule+"] "+reason)
		if !ok {
			return 0, "", false
		}
		target += strings.Count(text, "\n")
	}
	after := &File{Name: f.Name, Data: slices.Concat(f.Data[:at], []byte(text), f.Data[at:])}
	count := func(f *File, line int) (n int) {
		for _, s := range Suppressions(f) {
			if s.Target == line && s.Malformed == "" && slices.Contains(s.Rules, rule) {
				n++
			}
		}
		return n
	}
	return at, text, count(f, line) == 0 && count(after, target) == 1
}

// newComment is a comment at the end of a line, or, where that is within a string or a line that goes on, before it.
func newComment(f *File, line int, words string) (at int, text string, ok bool) {
	span := f.LineSpan(line)
	code := strings.TrimRight(f.Text(span), " \t")
	if code == "" {
		return 0, "", false
	}
	python := path.Ext(f.Name) == ".py" || path.Ext(f.Name) == ".pyi"
	goesOn := strings.HasSuffix(code, `\`)
	opener, above := "//", strings.Contains(code, `R"`)
	if python {
		opener, above = "#", goesOn || strings.Count(code, `"""`)%2 == 1 || strings.Count(code, "'''")%2 == 1
	}
	switch {
	case goesOn && !python && !above: // of a macro, which a // would end
		return span.Start + len(code) - 1, "/* " + words + " */ ", true
	case !above:
		return span.Start + len(code), "  " + opener + " " + words, true
	case strings.HasSuffix(strings.TrimRight(f.Line(line-1), " \t"), `\`):
		return 0, "", false
	}
	end := "\n"
	if span.End+1 < len(f.Data) && f.Data[span.End] == '\r' {
		end = "\r\n"
	}
	indent := code[:len(code)-len(strings.TrimLeft(code, " \t"))]
	return span.Start, indent + opener + " " + words + end, true
}
