package cli

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every row of SECURITY.md's table names a test, and the test exists.
func TestThreatTableNamesTests(t *testing.T) {
	page, err := os.ReadFile("../SECURITY.md")
	if err != nil {
		t.Fatal(err)
	}
	defined := map[string]bool{}
	function := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)
	err = filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range function.FindAllStringSubmatch(string(text), -1) {
			defined[m[1]] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile("`((?:Test|Fuzz)\\w+|ci/\\w+\\.sh)`")
	rows := 0
	for _, line := range strings.Split(string(page), "\n") {
		cells := strings.Split(line, " | ")
		if !strings.HasPrefix(line, "| ") || len(cells) != 3 || strings.HasPrefix(line, "| ---") || strings.HasPrefix(line, "| Attack") {
			continue
		}
		rows++
		tests := named.FindAllStringSubmatch(cells[2], -1)
		if len(tests) == 0 {
			t.Errorf("no test proves the row %.60s", line)
		}
		for _, m := range tests {
			script := strings.HasPrefix(m[1], "ci/")
			if script {
				if _, err := os.Stat(filepath.Join("..", m[1])); err != nil {
					t.Error(err)
				}
			} else if !defined[m[1]] {
				t.Errorf("SECURITY.md names %s, which does not exist", m[1])
			}
		}
	}
	if rows < 20 {
		t.Errorf("%d rows, want at least 20", rows)
	}
}
