package memory

import (
	"fmt"
	"math/rand"
	"os"
	"strings"
	"testing"

	"github.com/fencepost-dev/fencepost/engine/progress"
)

// asLitmus writes a program of check-exchange-branch steps as a litmus test: the threads in CTAs of their own.
func asLitmus(p *progress.Program) string {
	rows, columns := 0, len(p.Threads)
	code := make([][]string, columns)
	for t, list := range p.Threads {
		for pc, i := range list {
			access := fmt.Sprintf("ld.relaxed.gpu r0, c%d", i.Loc)
			if i.Exch {
				access = fmt.Sprintf("atom.relaxed.gpu.exch r0, c%d, %d", i.Loc, i.Value)
			}
			code[t] = append(code[t], fmt.Sprintf("LC%d:", pc), access, fmt.Sprintf("beq r0, %d, LC%d", i.Check, i.Jump))
		}
		code[t] = append(code[t], fmt.Sprintf("LC%d:", len(list)))
		rows = max(rows, len(code[t]))
	}
	var b strings.Builder
	b.WriteString("PTX steps\n{\n}\n")
	for t := range columns {
		fmt.Fprintf(&b, "%s P%d@cta %d,gpu 0", map[bool]string{true: " |"}[t > 0], t, t)
	}
	b.WriteString(" ;\n")
	for r := range rows {
		for t := range columns {
			text := ""
			if r < len(code[t]) {
				text = code[t][r]
			}
			fmt.Fprintf(&b, "%s %s", map[bool]string{true: " |"}[t > 0], text)
		}
		b.WriteString(" ;\n")
	}
	return b.String() + "exists (c0 == 0)\n"
}

func interleaved(t *testing.T, text string, cooperative bool) *progress.Result {
	t.Helper()
	p, err := Read(strings.NewReader(text))
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	in, err := Interleave(p, cooperative)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	r, err := progress.Decide(in)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// compare decides a program as it is and as a litmus test.
func compareSteps(t *testing.T, p *progress.Program) {
	t.Helper()
	system, err := p.System()
	if err != nil {
		t.Fatal(err)
	}
	want, err := progress.Decide(system)
	if err != nil {
		t.Fatal(err)
	}
	text := asLitmus(p)
	got := interleaved(t, text, p.Cooperative)
	for g, a := range want.Answers {
		if g.Model == progress.CUDA && len(p.Groups) > 0 && !p.Cooperative {
			continue // the format has no clusters
		}
		if got.Answers[g].Ends != a.Ends {
			t.Errorf("%s: %s: ends %v as a litmus test, %v as steps, of\n%s", p.ID, g, got.Answers[g].Ends, a.Ends, text)
		}
	}
}

// The idioms of docs/progress.md, and random programs, end under the same models when they are written as litmus tests.
func TestStepsAsLitmus(t *testing.T) {
	f, err := os.Open("../../testdata/progress/idioms.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	tests, err := progress.Read(f)
	if err != nil {
		t.Fatal(err)
	}
	for i := range tests {
		compareSteps(t, &tests[i].Program)
	}
	r := rand.New(rand.NewSource(3))
	for n := range 2000 {
		p := &progress.Program{ID: fmt.Sprint("random ", n)}
		for range 2 + r.Intn(2) {
			var list []progress.Instruction
			size := 1 + r.Intn(3)
			for range size {
				list = append(list, progress.Instruction{Loc: r.Intn(2), Check: r.Intn(2), Jump: r.Intn(size + 1), Exch: r.Intn(2) == 0, Value: r.Intn(2)})
			}
			p.Threads = append(p.Threads, list)
		}
		compareSteps(t, p)
	}
}

func TestInterleaving(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		ends map[progress.Model]bool // weak
	}{
		"a barrier of the CTA": {`PTX barrier
{
}
 P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;
 LC00:          | LC00:          ;
 bar.cta.sync 0 | bar.cta.sync 0 ;
 add r0, r0, 1  | add r0, r0, 1  ;
 blt r0, 3, LC00 | blt r0, 3, LC00 ;
exists (P0:r0 == 3)`, map[progress.Model]bool{progress.Unfair: false, progress.HSA: true, progress.OBE: true, progress.CUDA: true}},
		"a barrier that one leaves out": {`PTX missed
{
}
 P0@cta 0,gpu 0 | P1@cta 0,gpu 0  ;
 bar.cta.sync 0 | ld.relaxed.gpu r0, x ;
 bar.cta.sync 0 | bar.cta.sync 0 ;
exists (x == 0)`, map[progress.Model]bool{progress.Fair: false}},
		"the writer arrives only": {`PTX arrives
{
}
 P0@cta 0,gpu 0 | P1@cta 0,gpu 0   ;
 bar.cta.sync 0 | bar.cta.arrive 0 ;
exists (x == 0)`, map[progress.Model]bool{progress.OBE: true, progress.HSA: true}},
		"the whole CTA is one unit": {`PTX unit
{
}
 P0@cta 0,gpu 0 | P1@cta 1,gpu 0        | P2@cta 1,gpu 0 ;
 LC00:                   |              | st.relaxed.gpu y, 1 ;
 ld.relaxed.gpu r0, x    | LC00:                   | ;
 beq r0, 0, LC00         | ld.relaxed.gpu r0, y    | ;
                         | beq r0, 0, LC00         | ;
                         | st.relaxed.gpu x, 1     | ;
exists (x == 1)`, map[progress.Model]bool{progress.HSA: false, progress.OBE: false, progress.LOBE: false, progress.Fair: true, progress.CUDA: false}},
		"another GPU has a lowest CTA of its own": {`PTX gpus
{
}
 P0@cta 0,gpu 0          | P1@cta 0,gpu 1      ;
 LC00:                   | st.relaxed.sys x, 1 ;
 ld.relaxed.sys r0, x    | ;
 beq r0, 0, LC00         | ;
exists (x == 1)`, map[progress.Model]bool{progress.HSA: true, progress.OBE: false, progress.LOBE: false, progress.Fair: true}},
	} {
		r := interleaved(t, c.text, false)
		for m, want := range c.ends {
			if got := r.Answers[progress.Guarantee{Model: m}].Ends; got != want {
				t.Errorf("%s: %s: ends %v, want %v", name, m, got, want)
			}
		}
	}
}

// What has no place in an interleaving is refused, with its line.
func TestNotInterleaved(t *testing.T) {
	p, err := Read(strings.NewReader("PTX counted\n{\n}\n P0@cta 0,gpu 0 ;\n bar.cta.sync 0, 1, 64 ;\nexists (x == 0)\n"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Interleave(p, false); err == nil || !strings.Contains(err.Error(), "line 5") {
		t.Errorf("%v", err)
	}
}
