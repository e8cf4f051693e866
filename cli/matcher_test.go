package cli

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestProblemMatcher: the matcher for workflows that run the program themselves finds what the text report has.
func TestProblemMatcher(t *testing.T) {
	raw, err := os.ReadFile("../ci/problem-matcher.json")
	if err != nil {
		t.Fatal(err)
	}
	var m struct {
		ProblemMatcher []struct {
			Pattern []struct {
				Regexp              string
				File, Line, Message int
			}
		}
	}
	if err := json.Unmarshal(raw, &m); err != nil {
		t.Fatal(err)
	}
	pattern := m.ProblemMatcher[0].Pattern
	head, place := regexp.MustCompile(pattern[0].Regexp), regexp.MustCompile(pattern[1].Regexp)
	dir := write(t, map[string]string{"wrong.cu": wrong, "zero.py": zeroCount})
	lines := strings.Split(invoke(t, dir, nil, "check", "--engine", "explore").stdout, "\n")
	found := map[string]bool{}
	for i := 1; i < len(lines); i++ {
		if h, p := head.FindStringSubmatch(lines[i-1]), place.FindStringSubmatch(lines[i]); h != nil && p != nil && h[pattern[0].Message] != "" {
			found[p[pattern[1].File]+":"+p[pattern[1].Line]] = true
		}
	}
	if !found["wrong.cu:3"] || !found["zero.py:10"] {
		t.Errorf("found %v in\n%s", found, strings.Join(lines, "\n"))
	}
}
