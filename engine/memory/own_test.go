package memory

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const own = "../../testdata/litmus"

// ours reads the tests of the project, by name.
func ours(t *testing.T) map[string]*Program {
	t.Helper()
	files, err := filepath.Glob(own + "/*.litmus")
	if err != nil || len(files) < 50 {
		t.Fatalf("%d tests in %s: %v", len(files), own, err)
	}
	out := map[string]*Program{}
	for _, file := range files {
		p := load(t, file)
		name := strings.TrimSuffix(filepath.Base(file), ".litmus")
		if p == nil || p.Name != name {
			t.Fatalf("%s: the name inside is another", file)
		}
		out[name] = p
	}
	return out
}

func model(t *testing.T, name string) *Model {
	t.Helper()
	m, err := LoadModel(name)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// other are the tests that an older model does not decide as the newest does.
var other = map[string]Verdict{
	"red-acquire": Fail, "red-acquire-fence": Fail, // the manual says of reductions only later that they do not acquire
}

// expected is the verdict of a test of the project.
func expected(test string, p *Program, m *Model) Verdict {
	if v, ok := other[test]; ok && m.Name != "ptx-async" {
		return v
	}
	if p.beyond(m) != "" {
		return Inconclusive
	}
	return Pass
}

// TestOwn decides the tests of the project: each says why it is to pass. Older models know neither proxies nor engines.
func TestOwn(t *testing.T) {
	for _, name := range Models {
		m := model(t, name)
		for test, p := range ours(t) {
			want := expected(test, p, m)
			for _, states := range []bool{false, true} {
				r := Solve(context.Background(), p, m, Options{States: states})
				if r.Verdict != want {
					t.Errorf("%s %s, states %v: %s (%s), want %s", test, name, states, r.Verdict, r.Reason, want)
				}
			}
		}
	}
}

// endsAndRaces are the other two properties of some tests.
var endsAndRaces = map[string]struct{ ends, race Verdict }{
	"mp-weak":                     {Pass, Fail},
	"mp-relaxed":                  {Pass, Fail},
	"mp-release-acquire":          {Pass, Fail}, // the reader does not look at what it read before it reads on
	"wait-acquire":                {Pass, Pass},
	"wait-relaxed":                {Pass, Fail},
	"wait-wrong-value":            {Fail, Pass},
	"lock-cas":                    {Pass, Pass},
	"lock-cas-relaxed":            {Pass, Fail},
	"last-block":                  {Pass, Pass},
	"last-block-fences":           {Pass, Pass},
	"last-block-narrow":           {Pass, Fail},
	"grid-barrier":                {Pass, Pass},
	"grid-barrier-relaxed-arrive": {Pass, Fail},
	"grid-barrier-relaxed-wait":   {Pass, Fail},
	"barrier-crossed":             {Fail, Pass},
	"barrier-rounds":              {Pass, Fail}, // the second store races with the load between the barriers
	"barrier-arrived":             {Pass, Pass},
	"barrier-count":               {Pass, Fail}, // who comes late passes
	"atomic-add":                  {Pass, Pass},
	"atomic-add-narrow":           {Pass, Fail},
	"publish-for-cta":             {Pass, Fail},
	"coherence-unordered":         {Pass, Fail},

	"mbarrier-arrive":                {Pass, Pass},
	"mbarrier-arrive-relaxed":        {Pass, Fail},
	"mbarrier-remote-arrive-cta":     {Pass, Fail},
	"mbarrier-parity-fresh":          {Fail, Fail}, // the phase that is over may be the first, which is not waited for
	"mbarrier-not-toggled":           {Fail, Fail},
	"mbarrier-toggled":               {Pass, Pass},
	"mbarrier-count-short":           {Fail, Fail}, // who waits may find two phases over
	"mbarrier-drop":                  {Fail, Pass}, // so it may here
	"mbarrier-asked":                 {Pass, Fail}, // it reads on whatever the answer is
	"mbarrier-asked-in-loop":         {Pass, Pass},
	"mbarrier-expect-little":         {Pass, Fail},
	"mbarrier-init-cta":              {Pass, Pass},
	"mbarrier-init-unordered":        {Pass, Fail},
	"mbarrier-init-after":            {Pass, Fail},
	"mbarrier-init-cluster":          {Pass, Pass},
	"mbarrier-init-cluster-no-fence": {Pass, Fail},
	"mbarrier-init-cluster-release":  {Pass, Pass},
	"mbarrier-hangs":                 {Fail, Pass},
	"cluster-barrier":                {Pass, Pass},
	"cluster-barrier-relaxed":        {Pass, Fail},
	"cluster-barrier-missing":        {Fail, Pass},
	"named-barrier":                  {Pass, Pass},
	"named-barrier-arrived":          {Pass, Fail},
	"named-barrier-early":            {Pass, Fail},
	"named-barrier-missing":          {Fail, Pass},
	"named-barrier-exited":           {Pass, Pass},
	"copy-load":                      {Pass, Pass},
	"copy-load-unawaited":            {Pass, Fail},
	"copy-load-reuse":                {Pass, Pass},
	"copy-load-reuse-no-fence":       {Pass, Fail},
	"copy-store-fence-writer":        {Pass, Pass},
	"copy-store-fence-third":         {Pass, Fail},
	"copy-store-no-fence":            {Pass, Fail},
	"copy-store-reuse":               {Pass, Pass},
	"copy-store-reuse-early":         {Pass, Fail},
	"copy-reduce":                    {Pass, Pass},
	"copy-reduce-overwritten":        {Pass, Fail},
	"ring-stage":                     {Pass, Pass},
	"ring-stage-no-fence":            {Pass, Fail},
	"mma-commit":                     {Pass, Pass},
	"mma-uncommitted":                {Pass, Fail},
	"wgmma-group":                    {Pass, Pass},
	"tensormap-fences":               {Pass, Pass},
	"tensormap-no-fences":            {Pass, Fail},
}

// TestEndsAndRaces decides them.
func TestEndsAndRaces(t *testing.T) {
	tests := ours(t)
	for test, w := range endsAndRaces {
		for _, name := range Models {
			if tests[test] == nil || tests[test].beyond(model(t, name)) != "" {
				continue
			}
			for property, verdict := range map[Property]Verdict{Termination: w.ends, Race: w.race} {
				r := Solve(context.Background(), tests[test], model(t, name), Options{Property: property})
				if r.Verdict != verdict || r.Verdict == Fail != (r.Witness != nil) {
					t.Errorf("%s %s %s: %s (%s), want %s", test, name, property, r.Verdict, r.Reason, verdict)
				}
			}
		}
	}
}

// clauses are changes of a model's text: what stands before the arrow becomes what stands behind it.
var clauses = []string{
	"[STRONG] ; inscope ; [STRONG]→po", // nothing is morally strong across threads
	"| ms & phase→", "| ms & phase→| phase", "let write = (W | ARRIVE) \\ ENGINE→let write = W | ARRIVE", "R \\ RED | WAIT→R | WAIT",
	"(po | issue | edge)+→(po | edge)+", "let completion = done |→let completion =", "[ENGINE & access] ; po→[access] ; (issue | po)+",
	"[ENGINE & ARRIVE] ; phase ; acquire-pattern→[ENGINE & ARRIVE] ; phase",
	"[ENGINE & ARRIVE] ; phase ; acquire-pattern→(ms & ([ENGINE & ARRIVE] ; phase)) ; acquire-pattern",
	"  | vloc & (initialized ; base? ; [mem & GENERIC])→", "[SETUP] ; po ; [FINIT] ; (ms→[mem] ; po ; [FINIT] ; (ms",
	"same-proxy & samecta & covers→same-proxy & covers", "same-proxy & samecta & covers→same-proxy & samecta",
	"[F \\ TENSORMAP] ; (base→[F] ; (base", "| completion ; base?\nlet to→\nlet to",
	"(map-sync | base & inscope)→(base & inscope)", "(map-sync | base & inscope)→(map-sync | base)", "(map-sync | base & inscope)→map-sync",
	"(base & samecta & covers) ; [R→(base & covers) ; [R", "(base & samecta & covers) ; [R→(base & samecta) ; [R",
	"  | vloc & (completion ; base? ; [mem & GENERIC])→", "  | vloc & ([ASYNC] ; completion ; (base & samecta) ; [mem & ASYNC])→",
	"completion ; (base & samecta) ; [mem & ASYNC])→completion ; base ; [mem & ASYNC])", "[ASYNC] ; completion ; (base→completion ; (base", "  | vloc & (completion ; base ; enters)→",
	"  | vloc & ([mem & GENERIC] ; base ; map-fences ; map-use)→", "| [ARRIVE] ; turn as→as",
	"acyclic turn | cause & object as phases→", "| unready | unready^-1→", "let fence = F & GENERIC→let fence = F",
	"; (rmw ; observed)+?→",
	"po-loc? ; [W & STRONG]→[W & STRONG]", "po-vloc? ; [W & STRONG]→[W & STRONG]",
	"[R & STRONG] ; po-loc? ; [R & ACQ]→[R & ACQ]", "[R & STRONG] ; po-vloc? ; [R & ACQ]→[R & ACQ]",
	"| [F & REL] ; po ; [W & STRONG]→", "| [R & STRONG] ; po ; [F & ACQ]→",
	"let edge = sync | sc→let edge = sync", "let edge = sync | sc→let edge = sc", "| bar & samecta→",
	"| writes & cause→", "decides ms & writes→decides ms & writes \\ (W * W)", "(INIT * W & loc) \\ id→(INIT * INIT) \\ id",
	"empty rmw & ((ms & fr) ; (ms & co)) as atomicity→",
	"acyclic rf | dep as no-thin-air→",
	"acyclic ms & (rf | co | fr) | po-loc as sc-per-location→",
	"irreflexive (rf | fr) ; cause as causality→",
	"irreflexive (rf | fr) ; cause→irreflexive rf ; cause", "irreflexive (rf | fr) ; cause→irreflexive fr ; cause",
	"inscope ;→(STRONG * STRONG) ;", // every scope is the system
	"let cause = cause-base | observation ; (cause-base | po-loc)→let cause = cause-base",
	"let cause = observation? ; preserved→let cause = preserved",
	"| vloc & ([mem] ; (base & same-proxy & samecta) ; [mem])→",
	"| vloc & (leaves ; base ; [mem & GENERIC])→", "| vloc & ([mem & GENERIC] ; base ; enters)→",
	"| vloc & (leaves ; base ; enters)→", "| loc & (from ; [ALIAS] ; to)→",
	"let fence-of = same-proxy & samecta→let fence-of = same-proxy", "[mem & GENERIC] ; base ; [mem & GENERIC]→[mem] ; base ; [mem]",
	"\n    vloc & ([mem & GENERIC]→\n    loc & ([mem & GENERIC]",
}

// TestClauses takes clauses out of the models, or changes them: some test of the project has to notice. The axiom of
// Fence-SC is not among them, see TestFenceSC.
func TestClauses(t *testing.T) {
	tests := ours(t)
	used := map[string]bool{}
	for _, name := range Models {
		text, err := ModelText(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, change := range clauses {
			old, replacement, _ := strings.Cut(change, "→")
			changed := strings.Replace(text, old, replacement, 1)
			if changed == text {
				continue
			}
			used[change] = true
			m, err := compileModel(changed)
			if err != nil {
				t.Errorf("%s with %q: %v", name, change, err)
				continue
			}
			noticed := 0
			for test, p := range tests {
				if p.beyond(m) != "" {
					continue
				}
				if Solve(context.Background(), p, m, Options{}).Verdict != expected(test, p, m) {
					noticed++
				}
				if w, ok := endsAndRaces[test]; ok && Solve(context.Background(), p, m, Options{Property: Race}).Verdict != w.race {
					noticed++
				}
			}
			if noticed == 0 {
				t.Errorf("%s: no test notices that %q became %q", name, old, replacement)
			}
		}
	}
	for _, change := range clauses {
		if !used[change] {
			t.Errorf("no model has %q", change)
		}
	}
}

// TestFenceSC: without its axiom Fence-SC order may contradict causality order, but no state more is reached. Choose
// within each cycle of both orders another Fence-SC order that agrees with the causality order there is without it:
// that orders nothing more, so every other axiom still holds.
func TestFenceSC(t *testing.T) {
	for name, axiom := range map[string]string{"ptx-v6.0": "irreflexive sc ; cause as fence-sc",
		"ptx-v7.5": "irreflexive sc ; base as fence-sc", "ptx-async": "irreflexive sc ; base as fence-sc"} {
		text, _ := ModelText(name)
		m, err := compileModel(strings.Replace(text, axiom, "", 1))
		if err != nil {
			t.Fatal(err)
		}
		if full := model(t, name); len(m.checks) != len(full.checks)-1 {
			t.Fatalf("%s has not %q", name, axiom)
		}
		for test, p := range ours(t) {
			if want := Solve(context.Background(), p, model(t, name), Options{}).Verdict; Solve(context.Background(), p, m, Options{}).Verdict != want {
				t.Errorf("%s %s: another verdict without the axiom", name, test)
			}
		}
	}
}

// TestReasons: each test of the project says why it has the verdict it has.
func TestReasons(t *testing.T) {
	files, _ := filepath.Glob(own + "/*.litmus")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if parts := strings.Split(string(text), "\""); len(parts) != 3 || len(parts[1]) < 30 {
			t.Errorf("%s does not say why", file)
		}
	}
}

func ownText(t testing.TB, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(own, name+".litmus"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
