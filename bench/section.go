package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// section is a part of docs/bench.md that can be measured alone.
type section struct {
	name, title string
	// measure gives the text behind the title, and the plots by file.
	measure func() (text string, plots map[string]plot, err error)
}

// sections are in the order of the page, behind its other parts.
var sections = []section{
	{"multi-gpu", "Barriers of several GPUs", barriers},
	{"grid", "Barriers of a grid", gridBarriers},
	{"order", "Barriers by happens-before", ordered},
}

// renew measures one section, or all without a name, and puts them into the page that is there.
func renew(folder, name string) error {
	path := filepath.Join(folder, "bench.md")
	page, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	text, known := string(page), name == ""
	for _, s := range sections {
		if name != "" && s.name != name {
			continue
		}
		known = true
		body, plots, err := s.measure()
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		text = put(text, s.title, body)
		for file, p := range plots {
			if err := os.WriteFile(filepath.Join(folder, file), p.svg(), 0o644); err != nil {
				return err
			}
		}
	}
	if !known {
		var names []string
		for _, s := range sections {
			names = append(names, s.name)
		}
		return fmt.Errorf("no section %q; there are %s", name, strings.Join(names, " and "))
	}
	return os.WriteFile(path, []byte(text), 0o644)
}

// put replaces the section of a page that has a title, or appends it.
func put(page, title, body string) string {
	head := "\n## " + title + "\n"
	before, rest, there := strings.Cut(page, head)
	if !there {
		return strings.TrimRight(page, "\n") + "\n" + head + "\n" + strings.TrimSpace(body) + "\n"
	}
	after := ""
	if i := strings.Index(rest, "\n## "); i >= 0 {
		after = rest[i:]
	}
	return before + head + "\n" + strings.TrimSpace(body) + "\n" + after
}
