package rules

import (
	"bytes"
	"regexp"

	"github.com/fencepost-dev/fencepost/program"
)

// Around gives the CUDA files beside a file for whose text match returns true. It may be nil: then there are none.
type Around func(match func(text []byte) bool) []*program.File

func (a Around) files(match func(text []byte) bool) []*program.File {
	if a == nil {
		return nil
	}
	return a(match)
}

// folder are the facts of the file and of those beside it whose text has all of some words.
func (p *Pass) folder(words ...string) []*fileFacts {
	files := []*fileFacts{p.fn.file}
	for _, f := range p.fn.file.around.files(func(text []byte) bool {
		for _, w := range words {
			if !bytes.Contains(text, []byte(w)) {
				return false
			}
		}
		return true
	}) {
		if p.fn.file.beside[f] == nil {
			p.fn.file.beside[f] = newFacts(f, p.Table)
		}
		files = append(files, p.fn.file.beside[f])
	}
	return files
}

// enum are the values of an enumeration that the file uses: its own, or that of the one file beside it that has one of that
// name. The ids of named barriers stand in the file of the kernel, and its parts get them as a parameter of a template.
func (f *fileFacts) enum(name string) map[string]int64 {
	values, known := f.enums[name]
	if known {
		return values
	}
	if values = enumerators(f.file, name); values == nil {
		definition := regexp.MustCompile(`\benum\s+(class\s+|struct\s+)?` + regexp.QuoteMeta(name) + `\b[^;{]*\{`)
		for _, other := range f.around.files(definition.Match) {
			if values != nil {
				values = nil // which of them is meant is not known
				break
			}
			values = enumerators(other, name)
		}
	}
	f.enums[name] = values
	return values
}

// enumerators are the values of an enumeration of a file, nil if it has none of that name or a value is no constant.
func enumerators(f *program.File, name string) map[string]int64 {
	for _, c := range f.Classes {
		if !c.Enum || lastWord(c.Name) != name {
			continue
		}
		out, next := map[string]int64{}, int64(0)
		for _, a := range c.Fields {
			if a.Value != nil {
				n, ok := a.Value.(*program.Int)
				if !ok {
					return nil
				}
				next = n.Value
			}
			for _, t := range a.Targets {
				out[lastWord(path(t))] = next
			}
			next++
		}
		return out
	}
	return nil
}
