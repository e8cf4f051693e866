// Package cutedsl reads CuTe DSL Python into the kernel tree.
//
// Spans are exact byte ranges. Docstrings stay as string statements. An assert is a call of "assert", as in CUDA;
// pass leaves nothing. An f-string is an OpaqueExpr whose Parts are its
// pieces in order, text as String and interpolations as expressions. A declaration without a value (x: T) has Decl
// set; one with a value (x: T = v) is a plain Assign with its Type, since Python names live in the whole function.
package cutedsl

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/source"
)

// Read reads a Python file. It never fails: what does not parse is listed in Skipped, OpaqueStmt or Notes.
func Read(f *source.File) *program.File {
	out := &program.File{Source: f, Language: program.CuTe}
	r := &reader{src: f.Data, out: out, kernels: map[string]bool{}}
	if len(f.Data) > maxBytes {
		r.note(source.Span{}, fmt.Sprintf("file is longer than %d bytes and was not read", maxBytes))
		return out
	}
	nodes := spare.Get().(*[]syntax)
	r.nodes = (*nodes)[:0]
	defer func() {
		if cap(r.nodes) <= maxSpare {
			*nodes = r.nodes
		}
		spare.Put(nodes)
	}()
	root, complete := r.parse(f.Data, 0, len(f.Data))
	if root == nil {
		r.note(source.Span{End: len(f.Data)}, "the parser gave up on this file; nothing in it was read")
		return out
	}
	if !complete {
		r.note(source.Span{}, fmt.Sprintf("file has more than %d syntax nodes; the rest was not read", maxNodes))
	}
	if root.faulty {
		if data, again := r.withoutSplats(); again != nil {
			r.src, root = data, again
		}
	}
	if root.kind == "ERROR" {
		for _, p := range r.pieces(root) {
			out.Body = append(out.Body, r.module(p)...)
		}
	}
	if out.Body == nil {
		out.Body = r.module(root)
	}
	return out
}

// reader turns one file's syntax into the kernel tree.
type reader struct {
	src     []byte
	out     *program.File
	nodes   []syntax // room for those of the file
	depth   int
	deep    bool            // the depth note has been given
	splats  map[int]bool    // offsets of expressions whose leading star was blanked (withoutSplats)
	kernels map[string]bool // names bound by `from cutlass… import kernel`
}

// scope is where a definition stands.
type scope struct {
	class  *program.Class
	outer  *program.Function
	prefix string // "Class." or "outer."
}

func (r *reader) note(at source.Span, text string) {
	r.out.Notes = append(r.out.Notes, program.Note{Span: at, Text: text})
}

func (r *reader) text(n *syntax) string {
	if n == nil {
		return ""
	}
	return string(r.src[n.start:n.end])
}

func span(n *syntax) source.Span { return source.Span{Start: n.start, End: n.end} }

func at(n *syntax) program.Place { return program.Place{Span: span(n)} }

// enter counts nesting; on false the caller must make the node opaque and not leave.
func (r *reader) enter(n *syntax) bool {
	if r.depth >= maxDepth {
		if !r.deep {
			r.deep = true
			r.note(span(n), fmt.Sprintf("nested more than %d deep; not read below this", maxDepth))
		}
		return false
	}
	r.depth++
	return true
}

func (r *reader) leave() { r.depth-- }

// module reads the top level. A definition that swallowed others because of a syntax error inside it (an unclosed
// bracket) is cut at the lines that start a definition in column 0, and the pieces are read by themselves.
func (r *reader) module(root *syntax) []program.Stmt {
	if root.kind == "ERROR" {
		return r.broken(root, scope{})
	}
	var body []program.Stmt
	for c := root.first; c != nil; c = c.next {
		if !c.named {
			continue
		}
		if c.faulty {
			if parts := r.pieces(c); parts != nil {
				for _, p := range parts {
					body = append(body, r.module(p)...)
				}
				continue
			}
		}
		body = append(body, r.stmt(c, scope{})...)
	}
	return body
}

// pieces re-parses the text of a broken top-level statement, cut before each line that starts a definition in
// column 0. It returns nil when there is no such line.
func (r *reader) pieces(n *syntax) []*syntax {
	cuts := []int{n.start}
	decorated := false
	quoted := longStrings(n)
	for i := n.start; i < n.end; i++ {
		if len(quoted) > 0 && i >= quoted[0].Start {
			i = max(i, quoted[0].End-1)
			quoted = quoted[1:]
			continue
		}
		if i != n.start && r.src[i-1] != '\n' {
			continue
		}
		line := r.src[i:min(i+16, n.end)]
		decorator := line[0] == '@'
		if decorator || startsDefinition(string(line)) {
			if i != n.start && !decorated {
				cuts = append(cuts, i)
			}
			decorated = decorator
		}
	}
	if len(cuts) < 2 || len(cuts) > 10_000 {
		return nil
	}
	var parts []*syntax
	for i, from := range cuts {
		to := n.end
		if i+1 < len(cuts) {
			to = cuts[i+1]
		}
		root, complete := r.parse(r.src, from, to)
		if root == nil || !complete {
			return nil
		}
		parts = append(parts, root)
	}
	return parts
}

// longStrings returns the places of strings of several lines below n, in order.
func longStrings(n *syntax) []source.Span {
	var out []source.Span
	stack := []*syntax{n}
	for len(stack) > 0 {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if n.kind == "string" && !n.broken && n.end-n.start > 6 {
			out = append(out, span(n))
			continue
		}
		for c := n.first; c != nil; c = c.next {
			stack = append(stack, c)
		}
	}
	slices.SortFunc(out, func(a, b source.Span) int { return a.Start - b.Start })
	return out
}

func startsDefinition(line string) bool {
	for _, word := range []string{"def ", "class ", "async def "} {
		if strings.HasPrefix(line, word) {
			return true
		}
	}
	return false
}

// withoutSplats works around a gap in tree-sitter-python 0.23.6: a starred expression in an unparenthesised tuple
// (`return a, *(x,) * n`) is a syntax error there. The star is blanked, its place remembered, and the file parsed again.
func (r *reader) withoutSplats() ([]byte, *syntax) {
	var data []byte
	splats := map[int]bool{}
	for i := 0; i < len(r.src); {
		end := i
		for end < len(r.src) && r.src[end] != '\n' {
			end++
		}
		line := string(r.src[i:end])
		if strings.HasPrefix(strings.TrimLeft(line, " \t"), "return ") {
			for j := 1; j < len(line); j++ {
				before := strings.TrimRight(line[:j], " \t")
				if line[j] != '*' || !strings.HasSuffix(before, ",") && !strings.HasSuffix(before, "return") {
					continue
				}
				k := j + 1
				for k < len(line) && line[k] == ' ' {
					k++
				}
				if k == len(line) || line[k] != '(' {
					continue
				}
				if data == nil {
					data = append([]byte(nil), r.src...)
				}
				data[i+j] = ' '
				splats[i+k] = true
			}
		}
		i = end + 1
	}
	if data == nil {
		return nil, nil
	}
	again, complete := r.parse(data, 0, len(data))
	if again == nil || !complete {
		return nil, nil
	}
	r.splats = splats
	return data, again
}
