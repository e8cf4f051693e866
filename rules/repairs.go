package rules

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/finding"
	"github.com/fencepost-dev/fencepost/litmus"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/source"
)

// wider are the scopes that a repair may ask for, the narrowest first. Which one is needed is found by trying.
var wider = []string{"gpu", "sys"}

// publisherRepairs lists what may be changed so that what is published is there when the flag is.
func (c *cutter) publisherRepairs() {
	if !c.File.Source.Stands(c.from.span) || !c.File.Source.Stands(c.to.span) { // in what a macro stands for: one repair would be one of all its uses
		return
	}
	at := c.index(c.side.Flag, c.to)
	if g := c.singled(c.to, c.from); c.two && g != nil { // first: what is put before the flag besides stands behind it
		c.barrierAt(g.Where(), false, "before one thread publishes for its CTA")
	}
	for _, scope := range wider {
		c.widen(scope)
		c.strengthen(c.side.Flag, at, c.to, "release", scope)
		c.fenceAt(c.side.Flag, at, c.statement(c.to, false), false, scope, "before the flag is written")
	}
}

// consumerRepairs lists what may be changed so that what is read after the wait is not older than the flag.
func (c *cutter) consumerRepairs() {
	if !c.File.Source.Stands(c.from.span) || !c.File.Source.Stands(c.to.span) { // in what a macro stands for: one repair would be one of all its uses
		return
	}
	at := c.index(c.side.Flag, c.from)
	for _, scope := range wider {
		c.widen(scope)
		c.strengthen(c.side.Flag, at, c.from, "acquire", scope)
		after := at
		for after < len(c.sites[c.side.Flag]) && c.sites[c.side.Flag][after] == c.from {
			after++
		}
		c.fenceAt(c.side.Flag, after, c.statement(c.from, true), true, scope, "after the wait")
	}
	if g := c.singled(c.from, c.to); c.two && g != nil {
		c.barrierAt(g.Where(), true, "after one thread waited for its CTA")
	}
	if c.async {
		c.proxyAt([]int{c.side.Data}, []int{c.index(c.side.Data, c.to)}, c.around(c.to.span), ".global", "before the copy")
	}
}

// index is where the steps of a site begin in a thread.
func (c *cutter) index(thread int, x *site) int {
	for i, s := range c.sites[thread] {
		if s == x {
			return i
		}
	}
	return len(c.sites[thread])
}

// statement is the statement of the function that a site stands in; of a wait it is the whole loop.
func (c *cutter) statement(x *site, loop bool) program.Node {
	if loop && x.spin != nil && len(x.via) == 0 {
		return x.spin.stmt
	}
	return c.around(x.span)
}

// around is the innermost statement around a place of the function.
func (c *cutter) around(at source.Span) program.Node {
	var found program.Node
	program.WalkStmts(c.fn.fn.Body, func(s program.Stmt) bool {
		if w := s.Where(); covers(w, at) && (found == nil || size(w) <= size(found.Where())) {
			found = s
		}
		return covers(s.Where(), at)
	})
	return found
}

// singled is the statement that singles out the thread at x, where the other operation stands outside of it.
func (c *cutter) singled(x, other *site) program.Node {
	for _, g := range x.guards {
		if hasGuard(other.guards, g) || g.exit || g.threads() == everyone {
			continue
		}
		if s, ok := g.node.(program.Stmt); ok && covers(c.fn.fn.Span, s.Where()) && covers(s.Where(), x.span) {
			return s
		}
		return c.around(x.span)
	}
	return nil
}

// widen offers a wider scope for each operation of the side that names one.
func (c *cutter) widen(scope string) {
	seen := map[*site]bool{}
	for thread := range c.side.Threads {
		for _, x := range c.sites[thread] {
			if seen[x] || x.op.Kind == unknownCall || width(scopeOf(x)) >= width(scope) {
				continue
			}
			seen[x] = true
			edit, ok := c.respell(x, "scope", scopeOf(x), scope)
			if !ok {
				continue
			}
			r := litmus.Repair{Kind: litmus.Scope, Words: "give line " + c.line(x) + " the scope " + scope, Edits: []finding.Edit{edit}, At: c.location(x.span), Scope: [2]string{scopeOf(x), scope}}
			for t := range c.side.Threads {
				for i, y := range c.sites[t] {
					if step := c.side.Threads[t].Steps[i]; y == x && step.Scope != "" {
						step.Scope = scope
						r.Changes = append(r.Changes, litmus.Change{Thread: t, At: i, Replace: true, Step: step})
					}
				}
			}
			if len(r.Changes) > 0 {
				c.side.Repairs = append(c.side.Repairs, r)
			}
		}
	}
}

// strengthen offers release or acquire order for the operation on the flag, with a scope that reaches far enough.
func (c *cutter) strengthen(thread, at int, x *site, sem, scope string) {
	if at >= len(c.side.Threads[thread].Steps) || len(c.sites[thread]) > at+1 && c.sites[thread][at+1] == x {
		return // spelt as more than one step
	}
	step := c.side.Threads[thread].Steps[at]
	if step.Sem != "relaxed" || x.op.Kind == plainStore || x.op.Kind == plainLoad || sem == "acquire" && x.op.Kind == dialect.AtomicCas {
		return
	}
	edits, ok := c.spellOrder(x, sem, scope)
	if !ok {
		return
	}
	step.Sem = sem
	if width(step.Scope) < width(scope) || x.op.Text("sem", "") == "volatile" {
		step.Scope = scope
	}
	c.side.Repairs = append(c.side.Repairs, litmus.Repair{
		Kind: litmus.Order, Words: "give line " + c.line(x) + " " + sem + " order at scope " + step.Scope,
		Edits: edits, Changes: []litmus.Change{{Thread: thread, At: at, Replace: true, Step: step}},
	})
}

func (c *cutter) line(x *site) string { return strconv.Itoa(c.location(x.span).Line) }

// spellOrder rewrites the order of an operation, and its scope where that is too narrow.
func (c *cutter) spellOrder(x *site, sem, scope string) ([]finding.Edit, bool) {
	was := x.op.Text("sem", "")
	if x.op.Kind == dialect.Load && x.op.Instr != nil && was == "volatile" {
		return nil, false // ld.volatile has no scope to keep; a fence says it better
	}
	if !x.op.Has("sem") && x.op.Call != nil && c.File.Language == program.CuTe && !x.op.Has("scope") && len(x.via) == 0 {
		end := x.op.Call.Span.End - 1 // the closing parenthesis
		if c.spelt(source.Span{Start: end, End: end + 1}) == ")" {
			return []finding.Edit{c.edit(source.Span{Start: end, End: end}, `, sem="`+sem+`", scope="`+scope+`"`)}, true
		}
		return nil, false
	}
	edit, ok := c.respell(x, "sem", was, sem)
	if !ok {
		return nil, false
	}
	edits := []finding.Edit{edit}
	if width(scopeOf(x)) < width(scope) {
		more, ok := c.respell(x, "scope", scopeOf(x), scope)
		if !ok {
			return nil, false
		}
		edits = append(edits, more)
	}
	return edits, true
}

// scopeSpellings are what the scopes are called beside their PTX names.
var scopeSpellings = map[string][]string{
	"cta": {"cta", "CTA", "block", "_block"}, "cluster": {"cluster", "CLUSTER"}, "gpu": {"gpu", "GPU", "device"}, "sys": {"sys", "SYS", "system", "_system"},
}

// respell replaces the word for a scope or an order of an operation, where the source has it exactly once.
func (c *cutter) respell(x *site, what, was, now string) (finding.Edit, bool) {
	if was == "" {
		return finding.Edit{}, false
	}
	if a := x.arg(what); a != nil {
		return c.replaceWord(a.Where(), was, now)
	}
	if x.op.Instr != nil || strings.Contains(c.spelt(x.op.Span), "."+was) {
		return c.replaceWord(x.op.Span, "."+was, "."+now)
	}
	if x.op.Call == nil || what != "scope" {
		return finding.Edit{}, false
	}
	if a, ok := x.op.Call.Fun.(*program.Attr); ok && c.File.Language == program.CUDA {
		return c.retype(a.X, was, now)
	}
	return c.rename(x, was, now)
}

// retype changes the scope in the type of a C++ atomic where that is declared in the function.
func (c *cutter) retype(receiver program.Expr, was, now string) (finding.Edit, bool) {
	defs := c.fn.visible(path(receiver), receiver.Where().Start)
	if len(defs) != 1 {
		return finding.Edit{}, false
	}
	at := defs[0].node.Where()
	at.Start = strings.LastIndexByte(string(c.File.Source.Data[:at.Start]), '\n') + 1
	words := map[string]string{"cta": "thread_scope_block", "gpu": "thread_scope_device", "sys": "thread_scope_system"}
	if words[was] == "" || strings.Count(c.spelt(at), words[was]) != 1 {
		return finding.Edit{}, false
	}
	start := at.Start + strings.Index(c.spelt(at), words[was])
	return c.edit(source.Span{Start: start, End: start + len(words[was])}, words[now]), true
}

// rename changes the name of a function that has its scope in it.
func (c *cutter) rename(x *site, was, now string) (finding.Edit, bool) {
	at := x.op.Call.Fun.Where()
	name := c.spelt(at)
	if c.File.Language == program.CUDA {
		suffix := map[string]string{"cta": "_block", "gpu": "", "sys": "_system"}
		from, to := suffix[was], suffix[now]
		base, ok := strings.CutSuffix(name, from)
		if !ok || !strings.HasPrefix(lastWord(base), "atomic") && lastWord(base) != "__threadfence" {
			return finding.Edit{}, false
		}
		return c.edit(at, base+to), true
	}
	base, ok := strings.CutSuffix(name, "_"+was)
	if !ok {
		return finding.Edit{}, false
	}
	return c.edit(at, base+"_"+now), true
}

// replaceWord replaces a word that stands once in a region, by a word of the same spelling style.
func (c *cutter) replaceWord(at source.Span, was, now string) (finding.Edit, bool) {
	text := c.spelt(at)
	olds, news := []string{was}, []string{now}
	if words := scopeSpellings[was]; words != nil {
		olds, news = words, scopeSpellings[now]
	}
	for i, old := range olds {
		found := regexp.MustCompile(`(^|[^A-Za-z0-9])`+regexp.QuoteMeta(old)+`($|[^A-Za-z0-9])`).FindAllStringIndex(text, -1)
		if strings.HasPrefix(old, ".") {
			found = regexp.MustCompile(regexp.QuoteMeta(old)+`\b`).FindAllStringIndex(text, -1)
		}
		if len(found) != 1 || i >= len(news) {
			continue
		}
		start := at.Start + found[0][0] + strings.Index(text[found[0][0]:], old)
		return c.edit(source.Span{Start: start, End: start + len(old)}, news[i]), true
	}
	return finding.Edit{}, false
}

// fenceAt offers a fence before or after a statement.
func (c *cutter) fenceAt(thread, at int, s program.Node, after bool, scope, where string) {
	spelling := c.fenceSpelling(scope)
	edits := c.insert(s, after, spelling)
	if edits == nil {
		return
	}
	c.side.Repairs = append(c.side.Repairs, litmus.Repair{
		Kind: litmus.Order, Words: "put " + strings.TrimSuffix(spelling, ";") + " " + where, Edits: edits,
		Changes: []litmus.Change{{Thread: thread, At: at, Step: litmus.Step{Op: "fence", Sem: "acq_rel", Scope: scope}}},
	})
}

func (c *cutter) fenceSpelling(scope string) string {
	if c.File.Language == program.CUDA {
		return map[string]string{"gpu": "__threadfence();", "sys": "__threadfence_system();"}[scope]
	}
	return c.arch() + "fence_acq_rel_" + scope + "()"
}

// proxyAt offers a proxy fence before a statement that the threads execute.
func (c *cutter) proxyAt(threads, at []int, s program.Node, space, where string) {
	spelling := `asm volatile("fence.proxy.async` + space + `;" ::: "memory");`
	if c.File.Language != program.CUDA {
		spelling = c.arch() + map[string]string{".global": `fence_proxy("async.global")`, ".shared::cta": `fence_proxy("async.shared", space="cta")`}[space]
	}
	edits := c.insert(s, false, spelling)
	if edits == nil {
		return
	}
	r := litmus.Repair{Kind: litmus.Proxy, Words: "put fence.proxy.async" + space + " " + where, Edits: edits}
	for i, thread := range threads {
		r.Changes = append(r.Changes, litmus.Change{Thread: thread, At: at[i], Step: litmus.Step{Text: "fence.proxy.async" + space}})
	}
	c.side.Repairs = append(c.side.Repairs, r)
}

// arch is how the file names the module of the DSL's operations.
func (c *cutter) arch() string {
	for _, x := range c.Pass.sites {
		if name, ok := strings.CutSuffix(x.op.Name, "."+lastWord(x.op.Name)); ok && strings.HasSuffix(name, "arch") && x.op.Call != nil && len(x.via) == 0 {
			return name + "."
		}
	}
	return "cute.arch."
}

// barrierAt offers a barrier of the CTA before or after the statement that singles one thread out.
func (c *cutter) barrierAt(at source.Span, after bool, where string) {
	spelling := "__syncthreads();"
	if c.File.Language != program.CUDA {
		spelling = c.arch() + "sync_threads()"
	}
	node := c.around(at)
	edits := c.insert(node, after, spelling)
	if edits == nil {
		return
	}
	r := litmus.Repair{Kind: litmus.Meeting, Words: "put " + strings.TrimSuffix(spelling, ";") + " " + where, Edits: edits}
	for thread := range c.side.Threads {
		i := 0
		for i < len(c.sites[thread]) && (c.sites[thread][i].span.Start < at.Start || after && c.sites[thread][i].span.Start < at.End) {
			i++
		}
		r.Changes = append(r.Changes, litmus.Change{Thread: thread, At: i, Step: litmus.Step{Op: "bar", Cell: c.prefix + "0"}})
	}
	c.side.Repairs = append(c.side.Repairs, r)
}

// insert puts a statement before or after another. A statement without braces around it that hangs on a condition gets
// them in C++.
func (c *cutter) insert(s program.Node, after bool, text string) []finding.Edit {
	if s == nil {
		return nil
	}
	at := s.Where()
	data := string(c.File.Source.Data)
	if at.Start < 0 || at.End > len(data) || at.Start >= at.End {
		return nil
	}
	end := at.Start + max(1, len(strings.TrimRight(data[at.Start:at.End], " \t\r\n")))
	line := data[strings.LastIndexByte(data[:at.Start], '\n')+1 : at.Start]
	indent := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
	first := strings.TrimSpace(line) == ""
	if c.File.Language == program.CUDA {
		if rest := strings.TrimLeft(data[end:], " \t\r\n"); data[end-1] != ';' && data[end-1] != '}' && strings.HasPrefix(rest, ";") {
			end = len(data) - len(rest) + 1
		}
		if before := strings.TrimRight(data[:at.Start], " \t\r\n"); strings.HasSuffix(before, ")") || strings.HasSuffix(before, "else") || strings.HasSuffix(before, "do") {
			if after {
				return []finding.Edit{c.edit(source.Span{Start: at.Start, End: at.Start}, "{ "), c.edit(source.Span{Start: end, End: end}, " "+text+" }")}
			}
			return []finding.Edit{c.edit(source.Span{Start: at.Start, End: at.Start}, "{ "+text+" "), c.edit(source.Span{Start: end, End: end}, " }")}
		}
	} else if !first {
		if after {
			return []finding.Edit{c.edit(source.Span{Start: end, End: end}, "; "+text)}
		}
		return []finding.Edit{c.edit(source.Span{Start: at.Start, End: at.Start}, text+"; ")}
	}
	if after {
		return []finding.Edit{c.edit(source.Span{Start: end, End: end}, "\n"+indent+text)}
	}
	return []finding.Edit{c.edit(source.Span{Start: at.Start, End: at.Start}, text+"\n"+indent)}
}

func (c *cutter) edit(at source.Span, text string) finding.Edit {
	return finding.Edit{Location: c.location(at), Text: text}
}

// text1 is the source text of a region.
func (c *cutter) spelt(at source.Span) string { return c.File.Source.Text(at) }
