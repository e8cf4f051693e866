package check

import (
	"bytes"
	"path"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/fencepost-dev/fencepost/source"
)

// What the Python files of a tree import of each other, as their text says.

// importing is something that a file imports, as its line has it: a module, or a name of one.
type importing struct {
	from, name string // name is "" for a module, "*" for all of its names
	as         bool   // it is called otherwise: the packages around it are not at hand
}

// importsOf reads the import statements of a Python file, those within strings, too.
func importsOf(text []byte) (out []importing) {
	for len(text) > 0 {
		next := bytes.IndexByte(text, '\n') + 1
		if next == 0 {
			next = len(text)
		}
		line := bytes.TrimLeft(text[:next], " \t")
		text = text[next:]
		if !bytes.HasPrefix(line, []byte("from")) && !bytes.HasPrefix(line, []byte("import")) {
			continue
		}
		whole := string(line)
		if open := strings.IndexByte(whole, '('); open >= 0 && strings.IndexByte(whole, ')') < 0 {
			end := bytes.IndexByte(text, ')') + 1
			whole, text = whole+string(text[:end]), text[end:]
		}
		for strings.HasSuffix(strings.TrimRight(whole, "\r\n"), "\\") && len(text) > 0 {
			next := bytes.IndexByte(text, '\n') + 1
			if next == 0 {
				next = len(text)
			}
			whole, text = strings.TrimRight(whole, "\\\r\n")+" "+string(text[:next]), text[next:]
		}
		out = append(out, importingOf(whole)...)
	}
	return out
}

func importingOf(text string) (out []importing) {
	var plain strings.Builder
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		plain.WriteString(strings.TrimRight(line, "\r\n") + " ")
	}
	text = plain.String()
	first := func(part string) string {
		fields := strings.Fields(part)
		if len(fields) == 0 {
			return ""
		}
		return strings.TrimRight(fields[0], ";")
	}
	if rest, is := strings.CutPrefix(text, "import"); is && strings.TrimLeft(rest, " \t") != rest {
		for part := range strings.SplitSeq(rest, ",") {
			if name := first(part); name != "" {
				out = append(out, importing{from: name, as: len(strings.Fields(part)) > 1})
			}
		}
		return out
	}
	rest, is := strings.CutPrefix(text, "from")
	from, names, has := strings.Cut(rest, "import")
	if from = strings.Join(strings.Fields(from), ""); !is || !has || from == "" {
		return nil
	}
	for part := range strings.SplitSeq(strings.Trim(strings.TrimSpace(names), "()"), ",") {
		if name := first(strings.Trim(part, " ()")); name != "" {
			out = append(out, importing{from: from, name: name})
		}
	}
	return out
}

// edge is that a file imports something of a file of the tree.
type edge struct {
	by   string
	name string // "" for the module itself, "*" for all of its names
}

// imported are the files that the evaluator would find for what a file imports (lower's search): below the folders from its own
// upwards.
func imported(files map[string][]byte, by string, i importing, add func(of string, e edge)) {
	rest := strings.TrimLeft(i.from, ".")
	dots := len(i.from) - len(rest)
	found := func(base string) string {
		for _, name := range []string{base + ".py", path.Join(base, "__init__.py")} {
			if _, ok := files[name]; ok {
				return name
			}
		}
		return ""
	}
	file := strings.ReplaceAll(rest, ".", "/")
	for dir, up := path.Dir(by), 0; ; dir, up = path.Dir(dir), up+1 {
		if dots > 0 && up != dots-1 {
			if up > dots {
				return
			}
			continue
		}
		base := path.Join(dir, file)
		of, more := found(base), ""
		if i.name != "" && i.name != "*" {
			more = found(path.Join(base, i.name))
		}
		if of != "" {
			add(of, edge{by, i.name})
		}
		if more != "" {
			add(more, edge{by, ""})
		}
		if i.name == "" && !i.as { // the packages around it are at hand, too
			for at := path.Dir(file); at != "."; at = path.Dir(at) {
				if of := found(path.Join(dir, at)); of != "" {
					add(of, edge{by, ""})
				}
			}
		}
		if dots > 0 || of != "" || more != "" || dir == "." || dir == "/" {
			return
		}
	}
}

// pythons reads the Python files of a tree, on all cores. kernels are those with kernels.
func pythons(tree *source.Tree) (texts map[string][]byte, kernels []string) {
	var names []string
	tree.Walk(nil, func(name string) bool { return path.Ext(name) == ".py" }, func(name string, _ bool) error {
		names = append(names, name)
		return nil
	})
	type read struct {
		text   []byte
		kernel bool
	}
	of := make([]read, len(names))
	var group sync.WaitGroup
	var next atomic.Int64
	for range min(runtime.GOMAXPROCS(0), 8) {
		group.Add(1)
		go func() {
			defer group.Done()
			for i := next.Add(1) - 1; int(i) < len(names); i = next.Add(1) - 1 {
				if f, err := tree.Read(names[i]); err == nil { // nobody runs what cannot be read
					of[i] = read{f.Data, pythonKernel(f.Data)}
				}
			}
		}()
	}
	group.Wait()
	texts = map[string][]byte{}
	for i, name := range names {
		if of[i].text != nil {
			texts[name] = of[i].text
		}
		if of[i].kernel {
			kernels = append(kernels, name)
		}
	}
	return texts, kernels
}
