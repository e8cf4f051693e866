package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/finding"
)

// The picture of a counterexample: time goes down, a lane for each group of threads and for each kind of operation that goes on
// without them, and a column for each barrier. Everything is placed here; the page's template only writes it. A row is a picture of
// its own, as high as its text, so that paper can break between them and a row can be dimmed.

// Sizes, in pixels.
const (
	numberWide   = 40
	textWide     = 424
	stateWide    = 130
	lanesWide    = 620 // what all lanes share
	laneMost     = 90
	laneLeast    = 46
	bandHigh     = 20
	lineHigh     = 16
	rowPad       = 7
	letterWide   = 6.7 // of the page's text
	codeWide     = 7.3 // of its code
	labelWide    = 6.2 // of small text
	partHigh     = 24  // of a box
	headLetters  = 17  // of a barrier's name, on a line
	stateLetters = 20  // of how it stands
)

// Bounds of one picture. What is left out is told.
const (
	maxLanes  = 16
	maxStates = 6
	maxRows   = headSteps + tailSteps + 40
	maxSpans  = 4096 // ranges of threads in all steps
	maxParts  = 256  // parties of a step, and what it changes
)

type picture struct {
	Width, Head int
	Bands       []band
	Lanes       []lane
	States      []stateHead
	Rows        []row
	More        int // barriers without a column
	Steps       string
	Waiting     bool
}

// band is a CTA's lanes.
type band struct {
	X, Wide int
	Name    string
}

type lane struct {
	X, Wide int
	Middle  int
	Lines   []label
	Title   string
	Async   bool
}

type stateHead struct {
	X     int
	Lines []label
	Title string
}

type label struct {
	Y    int
	Text string
}

// row is a step, or a line between steps.
type row struct {
	High, Width int
	Step        int    // its number in what is gone through, from 1; 0 of a line between steps
	Number      string // as it is shown
	Kind        string // "step", "gap", "rule", "race", "stuck"
	Title       string // all of it in words, for who cannot see it
	Words       []label
	Codes       []label
	Lines       []laneLine
	Boxes       []box
	Links       []link
	Cells       []stateCell
	Separated   int // where the words begin
}

// laneLine is the piece of a lane in a row.
type laneLine struct {
	X      int
	Async  bool
	Flying bool
	Waits  bool // it has done all that it does, and is stuck at the end
}

type box struct {
	X, Y, Wide, High int
	Class            string
	Label, Sub       label
	Middle           int
}

// link joins boxes of one step.
type link struct{ X1, X2, Y int }

type stateCell struct {
	X, Y, Wide, High int
	Class            string // "same", "new", "done"
	Lines            []label
	Bar              int // how much of the width is filled
	Counted          bool
	BarY             int
	Title            string
}

// picturing lays out one counterexample.
type picturing struct {
	f     finding.Finding
	line  func(path string, n int) string
	rows  []shownStep
	lanes []laneOf
	at    map[string]finding.Standing // of every object, as of the row that is laid out
	out   picture
	cols  []string
	text  int // where words begin
	cells int // where barriers begin
	steps int // rows that are gone through, so far
}

// shownStep is a step with what it is in the picture.
type shownStep struct {
	finding.Step
	kind, number string
}

// laneOf is a lane with what is in it: threads of a CTA, or something that has a name.
type laneOf struct {
	cta     int
	threads [][2]int
	name    string
	async   bool
	mark    []bool // of each party, in order: the lane has part in it
	flying  int
	last    int // its last step, by row; -1 where it has none
	stuck   bool
}

// drawn lays out the counterexample of a finding, nil where it has none.
func drawn(f finding.Finding, line func(path string, n int) string) *picture {
	if len(f.Trace)+len(f.Cycle)+len(f.Stuck) == 0 {
		return nil
	}
	p := &picturing{f: f, line: line, at: map[string]finding.Standing{}}
	p.choose()
	p.out.Steps, p.out.Waiting = count(len(f.Trace), "step", "steps"), len(f.Stuck) > 0
	p.divide()
	p.columns()
	p.head()
	for i := range p.rows {
		p.row(i)
	}
	return &p.out
}

// choose lists the rows: the steps, the middle of a long trace left out, then who is stuck, or what goes on for ever.
func (p *picturing) choose() {
	rule := func(kind, text string) {
		p.rows = append(p.rows, shownStep{Step: finding.Step{Text: text}, kind: kind})
	}
	f := &p.f
	left := len(f.Trace) - headSteps - tailSteps
	racing := false
	for i, s := range f.Trace {
		if left > 1 && i >= headSteps && i < headSteps+left {
			if i == headSteps {
				rule("gap", fmt.Sprintf("%d steps left out here; JSON has them", left))
			}
			for _, a := range s.After { // what they changed stays changed
				p.rows[len(p.rows)-1].leaves(a)
			}
			continue
		}
		s.By, s.After = s.By[:min(len(s.By), maxParts)], s.After[:min(len(s.After), maxParts)]
		kind := "step"
		if s.Racing {
			if kind = "race"; !racing {
				rule("rule", "now both of these may happen, and nothing orders them")
			}
			racing = true
		}
		p.rows = append(p.rows, shownStep{s, kind, fmt.Sprint(i + 1)})
	}
	stuck := slices.Clone(f.Stuck)
	for i := range stuck {
		stuck[i].Text, _, _ = strings.Cut(stuck[i].Text, " (line ") // which stands beside it
	}
	if len(stuck) == 0 {
		stuck = f.Cycle
	}
	switch {
	case len(stuck) == 0:
		return
	case len(f.Stuck) == 0:
		rule("rule", "and then this, for ever")
	default:
		rule("rule", "no step is possible: who is not at its end waits for ever")
	}
	for i, s := range stuck {
		if len(p.rows) >= maxRows {
			rule("gap", fmt.Sprintf("%d more", len(stuck)-i))
			return
		}
		for _, c := range f.Cycle { // what it reads again and again
			if len(f.Stuck) > 0 && c.Actor == s.Actor && c.Line == s.Line && c.Text != s.Text {
				_, reads, _ := strings.Cut(c.Text, ": ")
				s.Text += ": " + reads
				break
			}
		}
		p.rows = append(p.rows, shownStep{s, "stuck", "∞"})
	}
}

// leaves takes in how something stands after one of the steps that the row is for.
func (s *shownStep) leaves(a finding.Standing) {
	if i := slices.IndexFunc(s.After, func(b finding.Standing) bool { return b.Object == a.Object }); i >= 0 {
		s.After[i] = a
	} else if len(s.After) < maxParts {
		s.After = append(s.After, a)
	}
}

// parties are who takes part in a row.
func (s *shownStep) parties() []finding.Party {
	if len(s.By) == 0 && s.Actor != "" {
		return []finding.Party{{CTA: -1, Name: s.Actor}}
	}
	return s.By
}

// divide makes the lanes. Threads that take part in the same steps are one lane; where that makes too many, those are joined that
// differ in the fewest steps.
func (p *picturing) divide() {
	type span struct{ first, last, party int }
	spans, names, marks := map[int][]span{}, map[string]int{}, 0
	var named []laneOf
	total := 0
	var parties []finding.Party
	for i := range p.rows {
		parties = append(parties, p.rows[i].parties()...)
	}
	for k, q := range parties {
		for _, t := range q.Threads {
			if total++; t[0] >= 0 && t[0] <= t[1] && total <= maxSpans {
				spans[q.CTA] = append(spans[q.CTA], span{t[0], t[1], k})
			}
		}
		if len(q.Threads) > 0 {
			continue
		}
		key := fmt.Sprint(q.CTA, q.Async, q.Name)
		i, ok := names[key]
		if !ok {
			i = len(named)
			names[key] = i
			named = append(named, laneOf{cta: q.CTA, name: q.Name, async: q.Async, mark: make([]bool, len(parties))})
		}
		named[i].mark[k] = true
	}
	marks = len(parties)
	for _, cta := range sortedKeys(spans) {
		var cuts []int
		for _, s := range spans[cta] {
			cuts = append(cuts, s.first, s.last+1)
		}
		slices.Sort(cuts)
		cuts = slices.Compact(cuts)
		by := map[string]int{}
		var of []laneOf
		for i := 0; i+1 < len(cuts); i++ {
			mark, any := make([]bool, marks), false
			for _, s := range spans[cta] {
				if s.first <= cuts[i] && cuts[i+1]-1 <= s.last {
					mark[s.party], any = true, true
				}
			}
			if !any {
				continue
			}
			key := fmt.Sprint(mark)
			n, ok := by[key]
			if !ok {
				n = len(of)
				by[key] = n
				of = append(of, laneOf{cta: cta, mark: mark})
			}
			of[n].threads = append(of[n].threads, [2]int{cuts[i], cuts[i+1] - 1})
		}
		p.lanes = append(p.lanes, of...)
	}
	p.lanes = append(p.lanes, named...)
	for len(p.lanes) > maxLanes {
		p.join()
	}
	for i := range p.lanes {
		l := &p.lanes[i]
		l.threads, l.last = merged(l.threads), -1
		k := 0
		for n := range p.rows {
			for range p.rows[n].parties() {
				if l.mark[k] && p.rows[n].kind == "stuck" {
					l.stuck = true
				} else if l.mark[k] {
					l.last = n
				}
				k++
			}
		}
	}
	slices.SortStableFunc(p.lanes, func(a, b laneOf) int {
		first := func(l laneOf) int {
			switch {
			case l.async:
				return 1<<31 - 1
			case len(l.threads) == 0:
				return 1<<31 - 2
			}
			return l.threads[0][0]
		}
		return cmp.Or(a.cta-b.cta, first(a)-first(b))
	})
}

// join makes one lane of the two that differ in the fewest steps, of one CTA if it has two.
func (p *picturing) join() {
	best, x, y := 1<<30, 0, 1
	for i := range p.lanes {
		for j := i + 1; j < len(p.lanes); j++ {
			a, b := &p.lanes[i], &p.lanes[j]
			differ := 0
			for k := range a.mark {
				if a.mark[k] != b.mark[k] {
					differ++
				}
			}
			if a.cta != b.cta {
				differ += 1 << 16
			}
			if a.async != b.async {
				differ += 1 << 17
			}
			if differ < best {
				best, x, y = differ, i, j
			}
		}
	}
	a, b := &p.lanes[x], p.lanes[y]
	for k := range a.mark {
		a.mark[k] = a.mark[k] || b.mark[k]
	}
	if a.cta != b.cta {
		a.name, b.name, a.threads, b.threads, a.cta = "others", "", nil, nil, -1
	}
	a.threads = append(a.threads, b.threads...)
	if b.name != "" && a.name != b.name {
		a.name = strings.TrimPrefix(a.name+" and "+b.name, " and ")
	}
	p.lanes = slices.Delete(p.lanes, y, y+1)
}

func sortedKeys[V any](m map[int]V) []int {
	var keys []int
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// merged sorts ranges and joins those that touch.
func merged(ranges [][2]int) (out [][2]int) {
	ranges = slices.Clone(ranges)
	slices.SortFunc(ranges, func(a, b [2]int) int { return cmp.Or(a[0]-b[0], a[1]-b[1]) })
	for _, r := range ranges {
		if n := len(out) - 1; n >= 0 && out[n][1]+1 >= r[0] {
			out[n][1] = max(out[n][1], r[1])
			continue
		}
		out = append(out, r)
	}
	return out
}

func ranges(list [][2]int) string {
	var parts []string
	for _, r := range list {
		if r[0] == r[1] {
			parts = append(parts, fmt.Sprint(r[0]))
		} else {
			parts = append(parts, fmt.Sprintf("%d-%d", r[0], r[1]))
		}
	}
	return strings.Join(parts, ", ")
}

// warps names ranges that are whole warps.
func warps(list [][2]int) string {
	var parts [][2]int
	for _, r := range list {
		if r[0]%32 != 0 || r[1]%32 != 31 {
			return ""
		}
		parts = append(parts, [2]int{r[0] / 32, r[1] / 32})
	}
	switch {
	case len(parts) == 1 && parts[0][0] == parts[0][1]:
		return fmt.Sprintf("warp %d", parts[0][0])
	case len(parts) == 0:
		return ""
	}
	return "warps " + ranges(parts)
}

// columns chooses the barriers that get a column: those that somebody is stuck at, then those that change most, which stand in the
// order in which they are met.
func (p *picturing) columns() {
	worth, order := map[string]int{}, []string(nil)
	for _, r := range p.rows {
		for _, a := range r.After {
			if _, ok := worth[a.Object]; !ok {
				order = append(order, a.Object)
			}
			if worth[a.Object]++; r.kind == "stuck" {
				worth[a.Object] += 1 << 20
			}
		}
	}
	chosen := slices.Clone(order)
	slices.SortStableFunc(chosen, func(a, b string) int { return worth[b] - worth[a] })
	chosen = chosen[:min(len(chosen), maxStates)]
	for _, stuck := range []bool{true, false} {
		for _, o := range order {
			if (worth[o] >= 1<<20) == stuck && slices.Contains(chosen, o) {
				p.cols = append(p.cols, o)
			}
		}
	}
	p.out.More = len(order) - len(p.cols)
}

// wrapped breaks a text into at most so many lines of so many letters.
func wrapped(text string, letters, most int) (lines []string) {
	for _, word := range strings.Fields(text) {
		n := len(lines) - 1
		switch {
		case n >= 0 && width(lines[n])+1+width(word) <= letters:
			lines[n] += " " + word
		case len(lines) == most:
			lines[n] = clip(lines[n]+" "+word, letters)
			return lines
		default:
			lines = append(lines, clip(word, letters))
		}
	}
	return lines
}

func labels(y int, texts ...string) (out []label) {
	for _, t := range texts {
		out = append(out, label{y, t})
		y += lineHigh - 2
	}
	return out
}

// head places the lanes, the words and the barriers, and writes what stands above them.
func (p *picturing) head() {
	wide := laneMost
	if n := len(p.lanes); n > 0 {
		wide = min(max(lanesWide/n, laneLeast), laneMost)
	}
	x := numberWide
	high := 0
	for i := range p.lanes {
		l := &p.lanes[i]
		var lines []string
		letters := int(float64(wide-4) / labelWide)
		title := l.name
		switch {
		case len(l.threads) > 0:
			noun := "threads"
			if len(l.threads) == 1 && l.threads[0][0] == l.threads[0][1] {
				noun = "thread"
			}
			title = noun + " " + ranges(l.threads)
			if wide < 60 {
				lines = wrapped(ranges(l.threads), letters, 3)
			} else {
				lines = wrapped(title, letters, 2)
			}
			if w := warps(l.threads); w != "" {
				title += " (" + w + ")"
				lines = append(lines, clip(w, letters))
			}
			if l.name != "" {
				title += " and " + l.name
			}
		default:
			title = Clean(l.name)
			short := strings.TrimSuffix(title, fmt.Sprintf(" of CTA %d", l.cta))
			if wide < laneMost {
				short = strings.TrimPrefix(short, "operations ")
			}
			if short == fmt.Sprintf("CTA %d", l.cta) {
				short = "all of it"
			}
			lines = wrapped(short, letters, 4)
		}
		p.out.Lanes = append(p.out.Lanes, lane{X: x, Wide: wide, Middle: x + wide/2, Lines: labels(bandHigh+15, lines...), Title: title, Async: l.async})
		high = max(high, len(lines))
		if n := len(p.out.Bands) - 1; n >= 0 && i > 0 && p.lanes[i-1].cta == l.cta {
			p.out.Bands[n].Wide += wide
		} else {
			b := band{X: x, Wide: wide}
			if l.cta >= 0 {
				b.Name = fmt.Sprintf("CTA %d", l.cta)
			}
			p.out.Bands = append(p.out.Bands, b)
		}
		x += wide
	}
	p.text = x + 14
	p.cells = p.text + textWide
	x = p.cells
	for _, o := range p.cols {
		name := Clean(o)
		object, of, two := strings.Cut(name, " of ")
		lines := wrapped(object, headLetters, 2)
		if two {
			lines = append(lines, clip("of "+of, headLetters))
		}
		p.out.States = append(p.out.States, stateHead{X: x + 6, Lines: labels(bandHigh+15, lines...), Title: name})
		high = max(high, len(lines))
		x += stateWide
	}
	p.out.Width = x + 4
	p.out.Head = bandHigh + 15 + high*(lineHigh-2)
}

// row lays out a step.
func (p *picturing) row(i int) {
	s := &p.rows[i]
	r := row{Kind: s.kind, Number: s.number, Width: p.out.Width, Separated: p.text}
	if s.kind == "gap" || s.kind == "rule" {
		r.High = lineHigh + 2*rowPad
		r.Words = labels(rowPad+12, clip(Clean(s.Text), 100))
		r.Title = Clean(s.Text)
		p.lines(&r, s, i)
		for _, a := range s.After {
			p.at[a.Object] = a
		}
		p.out.Rows = append(p.out.Rows, r)
		return
	}
	p.steps++
	r.Step, r.Title = p.steps, step(p.f.Path, s.Step)
	letters := textWide - 20
	text := s.Text
	for _, a := range s.After { // what stands beside it need not be told
		if slices.Contains(p.cols, a.Object) {
			text = strings.TrimSuffix(text, " is in "+a.State)
		}
	}
	words := wrapped(Clean(text), int(float64(letters)/letterWide), 3)
	r.Words = labels(rowPad+12, words...)
	var codes []string
	for _, at := range []finding.Location{s.From, s.Location} {
		if code := p.source(at); code != "" {
			codes = append(codes, clip(code, int(float64(letters)/codeWide)))
		}
	}
	r.Codes = labels(rowPad+12+len(words)*(lineHigh-2), codes...)
	r.High = max((len(words)+len(codes))*(lineHigh-2)+2*rowPad+2, partHigh+2*rowPad)
	p.boxes(&r, s)
	p.states(&r, s)
	p.lines(&r, s, i)
	for _, a := range s.After {
		if state := Clean(a.State); !strings.Contains(r.Title, state) {
			r.Title += "; " + Clean(a.Object) + ": " + state
		}
	}
	p.out.Rows = append(p.out.Rows, r)
}

// source is the line that a step stands on, with its number. A statement that only begins there goes on with what follows.
func (p *picturing) source(s finding.Location) string {
	if s.Line < 1 || s.Path == "" {
		return ""
	}
	text := Clean(strings.TrimSpace(p.line(s.Path, s.Line)))
	for n := s.Line + 1; n < s.Line+12 && text != "" && strings.ContainsAny(text[len(text)-1:], "(,\\\"") && len(text) < 300; n++ {
		more := Clean(strings.TrimSpace(p.line(s.Path, n)))
		if more == "" {
			break
		}
		text += " " + more
	}
	place := fmt.Sprint(s.Line)
	if s.Path != p.f.Path {
		place = Clean(s.Path[strings.LastIndexByte(s.Path, '/')+1:]) + ":" + place
	}
	return strings.TrimSpace(place + "  " + text)
}

// lines draws the lanes through a row, thick where an operation is in flight before it.
func (p *picturing) lines(r *row, s *shownStep, i int) {
	for k := range p.lanes {
		l := &p.lanes[k]
		r.Lines = append(r.Lines, laneLine{X: p.out.Lanes[k].Middle, Async: l.async, Flying: l.flying > 0, Waits: l.stuck && i > l.last})
	}
	for _, q := range s.parties() {
		for k := range p.lanes {
			if l := &p.lanes[k]; q.Async && l.async && l.name == q.Name && l.cta == q.CTA {
				l.flying = q.InFlight
			}
		}
	}
}

// boxes draws who takes a step.
func (p *picturing) boxes(r *row, s *shownStep) {
	first := 0 // of the parties of this row, among all
	for k := range p.rows {
		if &p.rows[k] == s {
			break
		}
		first += len(p.rows[k].parties())
	}
	parties := s.parties()
	verb := verb(s)
	y := (r.High - partHigh) / 2
	last := -2
	for k := range p.lanes {
		l := &p.lanes[k]
		var in []finding.Party
		for q := range parties {
			if first+q < len(l.mark) && l.mark[first+q] {
				in = append(in, parties[q])
			}
		}
		if len(in) == 0 {
			continue
		}
		class, sub := s.kind, ""
		if l.async && class == "step" {
			class = "async"
		}
		if l.async && class == "step" || l.async && len(in) == 1 && in[0].InFlight > 1 {
			sub = fmt.Sprintf("%d in flight", in[0].InFlight)
		}
		if of := within(in, l); len(l.threads) > 0 && ranges(of) != ranges(l.threads) {
			sub = ranges(of)
		}
		at := &p.out.Lanes[k]
		if n := len(r.Boxes) - 1; n >= 0 && last == k-1 && r.Boxes[n].Class == class && sub == "" && r.Boxes[n].Sub.Text == "" {
			r.Boxes[n].Wide += at.Wide
		} else {
			r.Boxes = append(r.Boxes, box{X: at.X + 3, Y: y, Wide: at.Wide - 6, High: partHigh, Class: class, Sub: label{Text: sub}})
		}
		last = k
	}
	for n := range r.Boxes {
		b := &r.Boxes[n]
		b.Middle = b.X + b.Wide/2
		letters := int(float64(b.Wide-4) / labelWide)
		b.Label = label{b.Y + 16, clip(verb, letters)}
		if b.Sub.Text != "" {
			b.Label.Y = b.Y + 11
			b.Sub = label{b.Y + 21, clip(b.Sub.Text, letters+2)}
		}
		if n > 0 {
			r.Links = append(r.Links, link{r.Boxes[n-1].X + r.Boxes[n-1].Wide, b.X, b.Y + partHigh/2})
		}
	}
}

// within are the threads of some parties that are a lane's.
func within(parties []finding.Party, l *laneOf) [][2]int {
	var out [][2]int
	for _, q := range parties {
		for _, t := range q.Threads {
			for _, u := range l.threads {
				if lo, hi := max(t[0], u[0]), min(t[1], u[1]); lo <= hi && q.CTA == l.cta {
					out = append(out, [2]int{lo, hi})
				}
			}
		}
	}
	return merged(out)
}

// verb is what a step does in a word or two, for a box.
func verb(s *shownStep) string {
	text := Clean(s.Text)
	if s.kind == "stuck" {
		return "stuck"
	}
	text = strings.TrimPrefix(strings.TrimPrefix(text, "asynchronous operation "), "mbarrier.")
	text = strings.TrimPrefix(strings.TrimPrefix(text, "may now "), "do ")
	if strings.HasSuffix(text, "; ends") {
		return "ends"
	}
	for _, end := range []string{" on ", " of ", ": ", " ("} {
		text, _, _ = strings.Cut(text, end)
	}
	return text
}

// states writes how the barriers stand after a step: what it changed in full, the others faintly.
func (p *picturing) states(r *row, s *shownStep) {
	for c, o := range p.cols {
		x := p.cells + c*stateWide
		was, known := p.at[o]
		now, met := was, false
		for _, a := range s.After {
			if a.Object == o {
				now, met = a, true
			}
		}
		if !known && !met {
			continue
		}
		p.at[o] = now
		cell := stateCell{X: x, Y: 3, Wide: stateWide - 8, High: r.High - 6, Class: "same", Title: Clean(o) + ": " + Clean(now.State)}
		state := strings.NewReplacer(" arrivals pending", " pending", " bytes outstanding", " B to come", " threads registered", " threads", " threads arrived", " threads").Replace(Clean(now.State))
		parts := strings.SplitN(state, ", ", 3)
		switch {
		case met && (known && now.Phase > was.Phase || now.State == "complete"):
			cell.Class = "done"
			if known && now.Phase > was.Phase {
				head, _, _ := strings.Cut(parts[0], " ")
				parts[0] = fmt.Sprintf("%s %d → %d", head, was.Phase, now.Phase)
			}
		case met:
			cell.Class = "new"
		}
		if s.kind == "stuck" && met {
			cell.Class = "stuck"
		}
		room := max((r.High-10)/(lineHigh-3), 1)
		y := 16
		if len(parts) < room {
			y += (r.High - 10 - len(parts)*(lineHigh-3)) / 2
		}
		for i, t := range parts {
			if i < room {
				cell.Lines = append(cell.Lines, label{y, clip(t, stateLetters)})
				y += lineHigh - 3
			}
		}
		if now.Need > 0 {
			cell.Counted = true
			cell.Bar = int(int64(cell.Wide) * int64(min(max(now.Come, 0), now.Need)) / int64(now.Need))
			cell.BarY = r.High - 6
		}
		r.Cells = append(r.Cells, cell)
	}
	for _, a := range s.After {
		p.at[a.Object] = a
	}
}
