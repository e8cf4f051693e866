package progress

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
)

// Test is a program with the verdicts that it is expected to have, by the names of guarantees; none where the file has none.
type Test struct {
	Program
	Expected map[string]bool `json:"expected"`
}

// maxLine bounds a line of a file of tests, in bytes.
const maxLine = 1 << 20

// Read reads tests, one JSON object a line.
func Read(r io.Reader) ([]Test, error) {
	var out []Test
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	for n := 1; lines.Scan(); n++ {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		var t Test
		if err := json.Unmarshal(lines.Bytes(), &t); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		if t.ID == "" {
			t.ID = fmt.Sprintf("line %d", n)
		}
		if err := t.Validate(); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		for name := range t.Expected {
			if _, ok := named(name); !ok {
				return nil, fmt.Errorf("line %d: no model %q; the models are unfair, hsa, obe, hsa_obe, lobe, fair and cuda, weak_ or strong_ before them", n, name)
			}
		}
		out = append(out, t)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("after %d tests: %w", len(out), err)
	}
	return out, nil
}

func named(name string) (Guarantee, bool) {
	for _, g := range Guarantees() {
		if g.String() == name {
			return g, true
		}
	}
	return Guarantee{}, false
}
