package memory

import (
	"fmt"
	"strings"
)

// Execution is an execution that was found: what a model allows and the question asked about.
type Execution struct {
	Threads []Thread
	Events  []Event
	Edges   []Edge
	Final   []string // the state it ends in, such as P0:r0=1; none where it does not end
}

// Thread is a thread of an execution.
type Thread struct {
	ID, CTA, GPU int
	Cluster      int    // or negative: the CTA is in none that is declared
	Stuck        string // how it fails to end, or empty
}

// place says where a thread is.
func (t *Thread) place() string {
	if t.Cluster < 0 {
		return fmt.Sprintf("P%d (cta %d, gpu %d)", t.ID, t.CTA, t.GPU)
	}
	return fmt.Sprintf("P%d (cta %d, cluster %d, gpu %d)", t.ID, t.CTA, t.Cluster, t.GPU)
}

// Event is what one instruction did; a read-modify-write did two things.
type Event struct {
	Thread  int // index, or -1: an initial write
	Line    int
	Text    string // the instruction
	Did     string // reads, writes, arrives on, sees, or empty
	Cell    string // or the barrier object
	Value   int64  // or the phase of the object: the one that the arrival is in, or that the wait saw
	Known   bool   // whether the value is
	Engine  bool   // done by an engine, asynchronously
	Barrier bool   // of a barrier object
}

// Edge orders two events: rf (reads from), co (coherence), sc (order of fence.sc), bar (left after an arrival),
// phase (an arrival before a wait that saw its phase over), done (a copy before the wait for its group), race.
type Edge struct {
	Kind     string
	From, To int
}

// witness keeps the execution under search.
func (s *search) witness(races relation, final []int64) {
	if s.result.Witness != nil {
		return
	}
	x := &Execution{}
	for i := range s.program.threads {
		t := &s.program.threads[i]
		stuck := ""
		switch p := s.shape.paths[i]; p.end {
		case spins:
			stuck = "goes round for ever: what it reads stays as it is"
		case blocked:
			stuck = fmt.Sprintf("stands at line %d for ever: the barrier never fills", p.events[len(p.events)-1].in.line)
		case waits:
			stuck = fmt.Sprintf("waits at line %d for ever: the phase never completes", p.events[len(p.events)-1].in.line)
		}
		x.Threads = append(x.Threads, Thread{t.id, t.cta, t.gpu, t.cluster, stuck})
	}
	for i := range s.shape.events {
		x.Events = append(x.Events, s.shown(i))
	}
	for r, w := range s.from {
		if w >= 0 {
			x.Edges = append(x.Edges, Edge{"rf", w, r})
		}
	}
	for _, name := range []string{"co", "sc"} {
		if r := s.machine.named(name); r != nil {
			s.edgesOf(x, name, s.machine.reduced(r))
		}
	}
	s.edgesOf(x, "bar", s.machine.bases["bar"])
	s.edgesOf(x, "phase", s.machine.bases["phase"])
	s.edgesOf(x, "done", s.machine.bases["done"])
	if races != nil {
		s.edgesOf(x, "race", races)
	}
	for i, v := range final {
		x.Final = append(x.Final, fmt.Sprintf("%s=%d", s.program.shown[i].text, v))
	}
	s.result.Witness = x
}

// edgesOf adds the pairs of a relation; races are symmetric, so each once.
func (s *search) edgesOf(x *Execution, kind string, r relation) {
	for i := range s.shape.events {
		for j := range s.shape.events {
			if r != nil && s.machine.has(r, i, j) && (kind != "race" || i < j) {
				x.Edges = append(x.Edges, Edge{kind, i, j})
			}
		}
	}
}

// reduced is a transitive relation without the pairs that follow from others.
func (g grid) reduced(r relation) relation {
	twice := g.relation()
	g.compose(twice, r, r)
	out := g.relation()
	for i := range out {
		out[i] = r[i] &^ twice[i]
	}
	return out
}

func (s *search) shown(i int) Event {
	e := &s.shape.events[i]
	out := Event{Thread: e.thread, Engine: e.agent > 0, Did: did[e.kind]}
	if e.thread < 0 {
		out.Text = "initial value"
	} else {
		out.Line, out.Text = e.in.line, e.in.text
	}
	if e.cell < 0 {
		return out
	}
	out.Barrier = s.program.objectOf(e.cell) >= 0
	for _, n := range s.program.names {
		if n.cell == e.cell {
			out.Cell = n.text
			break
		}
	}
	switch {
	case e.signal != nil:
		out.Value, out.Known = int64(s.phase[i]), s.phase[i] >= 0
	case e.kind == eventRead:
		out.Value, out.Known = s.written(s.from[i])
	default:
		out.Value, out.Known = s.written(i)
	}
	return out
}

var did = map[eventKind]string{
	eventInit: "writes", eventRead: "reads", eventWrite: "writes", eventSetup: "initializes", eventArrive: "arrives on", eventWait: "sees",
}

// Text shows an execution thread by thread.
func (x *Execution) Text() string {
	var b strings.Builder
	sources := map[int]int{}
	for _, e := range x.Edges {
		if e.Kind == "rf" {
			sources[e.To] = e.From
		}
	}
	for t := -1; t < len(x.Threads); t++ {
		if t < 0 {
			b.WriteString("  initially\n")
		} else {
			fmt.Fprintf(&b, "  %s\n", x.Threads[t].place())
		}
		for i, e := range x.Events {
			if e.Thread != t || e.setUp() {
				continue
			}
			fmt.Fprintf(&b, "    %-4s", label(i))
			if t >= 0 {
				fmt.Fprintf(&b, " line %-3d %-32s", e.Line, e.Text)
			}
			if e.Engine {
				b.WriteString(" engine")
			}
			if e.Did != "" {
				fmt.Fprintf(&b, " %s %s", e.Did, e.value())
			}
			if w, ok := sources[i]; ok {
				fmt.Fprintf(&b, " from %s", label(w))
			}
			b.WriteString("\n")
		}
		if t >= 0 && x.Threads[t].Stuck != "" {
			fmt.Fprintf(&b, "    %s\n", x.Threads[t].Stuck)
		}
	}
	for _, kind := range []string{"co", "sc", "bar", "phase", "done", "race"} {
		x.edges(&b, kind)
	}
	return b.String()
}

var edgeNames = map[string]string{
	"co": "coherence order", "sc": "order of fence.sc", "bar": "barriers (arrival before departure)", "race": "data races",
	"phase": "phases (arrival before the wait that saw them over)", "done": "waits for groups (copy before the wait)",
}

func (x *Execution) edges(b *strings.Builder, kind string) {
	var list []string
	for _, e := range x.Edges {
		if e.Kind == kind {
			list = append(list, label(e.From)+" "+label(e.To))
		}
	}
	if len(list) > 0 {
		fmt.Fprintf(b, "  %s: %s\n", edgeNames[kind], strings.Join(list, ", "))
	}
}

// label names an event: a, b, … z, a1, b1, …
func label(i int) string {
	name := string(rune('a' + i%26))
	if i >= 26 {
		name += fmt.Sprint(i / 26)
	}
	return name
}

// setUp reports whether an event stands for a barrier object as it is before the threads start.
func (e *Event) setUp() bool { return e.Thread < 0 && e.Barrier }

func (e *Event) value() string {
	switch {
	case !e.Known:
		return e.Cell
	case e.Barrier:
		return fmt.Sprintf("%s in phase %d", e.Cell, e.Value)
	}
	return fmt.Sprintf("%s = %d", e.Cell, e.Value)
}

var edgeColors = map[string]string{"rf": "red", "co": "blue", "sc": "darkorange", "bar": "darkgreen", "phase": "darkgreen", "done": "darkgreen", "race": "magenta"}

// Dot shows an execution as a graph for Graphviz.
func (x *Execution) Dot(name string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "digraph %s {\n  node [shape=box, fontname=\"monospace\"];\n", quote(name))
	for t := -1; t < len(x.Threads); t++ {
		title := "initially"
		if t >= 0 {
			th := x.Threads[t]
			title = th.place()
			if th.Stuck != "" {
				title += "\n" + th.Stuck
			}
		}
		fmt.Fprintf(&b, "  subgraph %s {\n    label=%s;\n", quote(fmt.Sprintf("cluster%d", t+1)), quote(title))
		last := -1
		for i, e := range x.Events {
			if e.Thread != t || e.setUp() {
				continue
			}
			text := label(i) + ": " + e.Text
			if e.Did != "" {
				text += "\n" + e.Did + " " + e.value()
			}
			fmt.Fprintf(&b, "    e%d [label=%s];\n", i, quote(text))
			switch {
			case e.Engine && last >= 0:
				fmt.Fprintf(&b, "    e%d -> e%d [style=dotted];\n", last, i)
				continue
			case t >= 0 && last >= 0:
				fmt.Fprintf(&b, "    e%d -> e%d;\n", last, i)
			}
			last = i
		}
		b.WriteString("  }\n")
	}
	for _, e := range x.Edges {
		extra := ""
		if e.Kind == "race" {
			extra = ", dir=none, style=dashed"
		}
		fmt.Fprintf(&b, "  e%d -> e%d [label=%s, color=%s, fontcolor=%s, constraint=false%s];\n",
			e.From, e.To, quote(e.Kind), edgeColors[e.Kind], edgeColors[e.Kind], extra)
	}
	b.WriteString("}\n")
	return b.String()
}

// quote makes a string of the DOT language.
func quote(s string) string {
	return "\"" + strings.NewReplacer("\\", "\\\\", "\"", "\\\"", "\n", "\\n").Replace(s) + "\""
}
