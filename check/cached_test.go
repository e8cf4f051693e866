package check

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/fencepost-dev/fencepost/cache"
	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/explore"
	"github.com/fencepost-dev/fencepost/engine/spin"
	"github.com/fencepost-dev/fencepost/finding"
	"github.com/fencepost-dev/fencepost/lower"
	"github.com/fencepost-dev/fencepost/protocol"
)

// remembers opens a fresh cache that keeps everything, and a function that closes it and opens it again.
func remembers(t *testing.T) (again func() *cache.Cache) {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"HOME", "XDG_CACHE_HOME", "LocalAppData"} {
		t.Setenv(name, dir)
	}
	old := worthwhile
	worthwhile = 0
	t.Cleanup(func() { worthwhile = old })
	tree := t.TempDir()
	var c *cache.Cache
	return func() *cache.Cache {
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		var err error
		if c, err = cache.Open(tree); err != nil {
			t.Fatal(err)
		}
		return c
	}
}

// TestCached: what holds whole is asked once; nothing else is kept, and nothing is told to another question.
func TestCached(t *testing.T) {
	limits := engine.Limits{States: 100, Proof: 50, Memory: 1 << 20}
	whole := func(answers map[protocol.Property]engine.Answer) *engine.Result {
		r := says(explore.Name, answers)
		r.Complete = true
		return r
	}
	part := says(explore.Name, nil)
	fewer := whole(nil)
	delete(fewer.Properties, protocol.Race)
	warned := map[protocol.Property]engine.Answer{protocol.Attribution: {Verdict: engine.Violated, Trace: toTheWait}}
	tests := []struct {
		name     string
		answer   *engine.Result
		question func(p *protocol.Protocol, lim *engine.Limits) // what the second time differs in
		asked    int
	}{
		{name: "the same again", answer: whole(nil), asked: 1},
		{name: "of another name and elsewhere", answer: whole(nil), asked: 1, question: func(p *protocol.Protocol, _ *engine.Limits) {
			p.Kernel, p.Mbars[0].Name = "moved", "door"
			p.Sites = []protocol.Site{{Path: "l.py", Line: 20}, {Path: "l.py", Line: 21}}
		}},
		{name: "time", answer: whole(nil), asked: 1, question: func(_ *protocol.Protocol, lim *engine.Limits) { lim.Time = time.Hour }},
		{name: "states", answer: whole(nil), asked: 2, question: func(_ *protocol.Protocol, lim *engine.Limits) { lim.States-- }},
		{name: "proof", answer: whole(nil), asked: 2, question: func(_ *protocol.Protocol, lim *engine.Limits) { lim.Proof-- }},
		{name: "memory", answer: whole(nil), asked: 2, question: func(_ *protocol.Protocol, lim *engine.Limits) { lim.Memory-- }},
		{name: "another protocol", answer: whole(nil), asked: 2, question: func(p *protocol.Protocol, _ *engine.Limits) { p.Mbars[0].Count = 1 }},
		{name: "an error", answer: whole(hangs), asked: 2},
		{name: "a warning", answer: whole(warned), asked: 2},
		{name: "undecided", answer: whole(unknown), asked: 2},
		{name: "not searched whole", answer: part, asked: 2},
		{name: "not all told", answer: fewer, asked: 2},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			again := remembers(t)
			asked := 0
			ask := func(p *protocol.Protocol, lim engine.Limits) *engine.Result {
				e := engines{explore: func(context.Context, *protocol.Protocol, engine.Limits) *engine.Result {
					asked++
					return test.answer
				}}
				return e.cached(again()).explore(context.Background(), p, lim)
			}
			p, lim := hanging(), limits
			first := ask(p, lim)
			if test.question != nil {
				test.question(p, &lim)
			}
			second := ask(p, lim)
			if asked != test.asked || !reflect.DeepEqual(first, second) {
				t.Errorf("asked %d times, want %d\nfirst  %+v\nsecond %+v", asked, test.asked, first, second)
			}
		})
	}
}

// TestCachedSpin: SPIN's answers are its own, and to the properties it was asked about.
func TestCachedSpin(t *testing.T) {
	if _, ok := spin.Programs(); !ok {
		t.Fatal("spin and cc are needed: `make tools` installs them")
	}
	again := remembers(t)
	asked := 0
	ask := func(props ...protocol.Property) {
		e := engines{spin: func(_ context.Context, _ *protocol.Protocol, props []protocol.Property, _ engine.Limits) *engine.Result {
			asked++
			r := &engine.Result{Engine: spin.Name, Complete: true, Properties: map[protocol.Property]engine.Answer{}}
			for _, p := range props {
				r.Properties[p] = engine.Answer{Verdict: engine.Holds, Object: -1}
			}
			return r
		}}.cached(again())
		e.spin(context.Background(), hanging(), props, engine.Limits{})
	}
	const race, hang = protocol.Race, protocol.Deadlock
	for i, question := range [][]protocol.Property{{race}, {race}, {hang}, {race, hang}, {hang}} {
		ask(question...)
		if want := []int{1, 1, 2, 3, 3}[i]; asked != want {
			t.Errorf("question %d: asked %d times, want %d", i, asked, want)
		}
	}
	if p, lim := hanging(), (engine.Limits{}); keyOf(explore.Name, nil, p, protocol.Properties, lim) == keyOf(spin.Name, nil, p, protocol.Properties, lim) ||
		keyOf(spin.Name, []byte("6.5.1"), p, nil, lim) == keyOf(spin.Name, []byte("6.5.2"), p, nil, lim) {
		t.Error("the engine, or its version, is no part of the question")
	}
}

// TestCachedNonsense: what reads as no answer in which everything holds is asked again and replaced.
func TestCachedNonsense(t *testing.T) {
	good, err := json.Marshal(func() *engine.Result { r := says(explore.Name, nil); r.Complete = true; return r }())
	if err != nil || decode(good, protocol.Properties) == nil {
		t.Fatal(err)
	}
	bad := map[string][]byte{
		"nothing": nil, "no object": []byte("7"), "cut": good[:len(good)/2], "an unknown field": bytes.Replace(good, []byte(`"Depth"`), []byte(`"Length"`), 1),
		"partly": bytes.Replace(good, []byte(`"Complete":true`), []byte(`"Complete":false`), 1),
		"wrong":  regexp.MustCompile(`"Verdict":1`).ReplaceAllLiteral(good, []byte(`"Verdict":2`)),
		"open":   bytes.Replace(good, []byte(`"Verdict":1`), []byte(`"Verdict":0`), 1),
		"beyond": bytes.Replace(good, []byte(`"Verdict":1`), []byte(`"Verdict":7`), 1),
		"other":  bytes.Replace(good, []byte(`"race"`), []byte(`"rice"`), 1),
	}
	for name, data := range bad {
		if bytes.Equal(data, good) || decode(data, protocol.Properties) != nil {
			t.Errorf("%s: believed", name)
		}
		c := remembers(t)()
		key := cache.Key{1}
		c.Put(key, data)
		asked := false
		kept(c, key, protocol.Properties, func() *engine.Result { asked = true; return decode(good, protocol.Properties) })
		if value, ok := c.Get(key); !asked || !ok || !bytes.Equal(value, good) {
			t.Errorf("%s: asked %t, and %q is kept", name, asked, value)
		}
	}
}

// TestCachedReports: the report is the same without a cache, with one that is empty, and with one that knows everything.
func TestCachedReports(t *testing.T) {
	files := fixtures(t, "ring/right.py", "ring/broken_no_warp_sync.py", "smoother/right.py")
	again := remembers(t)
	var first []byte
	for _, name := range []string{"none", "empty", "full"} {
		var c *cache.Cache
		if name != "none" {
			c = again()
		}
		r, err := run(t, files, func(o *Options) { o.Cache = c })
		if err != nil {
			t.Fatal(err)
		}
		data := untimed(t, r)
		if first == nil {
			first = data
		}
		if !bytes.Equal(data, first) {
			t.Errorf("cache %s: another report\n%s\n%s", name, data, first)
		}
	}
	again()
	under, _ := os.UserCacheDir()
	if list, err := os.ReadDir(filepath.Join(under, "fencepost")); err != nil || len(list) == 0 {
		t.Errorf("nothing was kept: %v", err)
	}
}

// TestWordsDecideNothing: protocols of one shape get the same answer, step for step.
func TestWordsDecideNothing(t *testing.T) {
	ctx, lim, tried := context.Background(), engine.Limits{States: 1 << 16, Memory: kernelMemory}, 0
	files := fixtures(t, "ring/right.py", "ring/broken_bytes.py", "ring/broken_no_release.cu", "smoother/right.py", "smoother/broken_single_halo.py")
	_, err := run(t, files, func(o *Options) {
		o.Engine, o.Jobs = Explore, 1
		o.Lowered = func(k *lower.Kernel) {
			for _, p := range k.Instances {
				one, other := wordless(explore.Check(ctx, p, lim)), wordless(explore.Check(ctx, renamed(p), lim))
				if p.Shape() != renamed(p).Shape() || p.Digest() == renamed(p).Digest() || !reflect.DeepEqual(one, other) {
					t.Errorf("%s %v: with other words another answer", p.Kernel, p.Values)
				}
				tried++
			}
		}
	})
	if err != nil || tried < 10 {
		t.Errorf("%d instances, %v", tried, err)
	}
}

// wordless is an answer without what it says of what it could not decide.
func wordless(r *engine.Result) *engine.Result {
	r.Elapsed = 0
	for prop, a := range r.Properties {
		if a.Verdict == engine.Inconclusive {
			a.Reason = ""
			r.Properties[prop] = a
		}
	}
	return r
}

// renamed is p with its objects and classes named in the other order of the alphabet, and its places in the other order
// of lines.
func renamed(p *protocol.Protocol) *protocol.Protocol {
	q := *p
	q.Kernel, q.Mbars, q.Flags, q.Buffers = "k", slices.Clone(p.Mbars), slices.Clone(p.Flags), slices.Clone(p.Buffers)
	q.Classes, q.Sites = slices.Clone(p.Classes), slices.Clone(p.Sites)
	for i := range q.Mbars {
		q.Mbars[i].Name = fmt.Sprint("m", 1000-i)
	}
	for i := range q.Flags {
		q.Flags[i].Name = fmt.Sprint("f", 1000-i)
	}
	for i := range q.Buffers {
		q.Buffers[i].Name = fmt.Sprint("b", 1000-i)
	}
	for i := range q.Classes {
		q.Classes[i].Name = fmt.Sprint("c", 1000-i)
	}
	for i := range q.Sites {
		q.Sites[i] = protocol.Site{Path: "z" + q.Sites[i].Path, Line: 100000 - q.Sites[i].Line}
	}
	if p.Premise != nil {
		q.Premise = renamed(p.Premise)
	}
	return &q
}

// fixtures reads files of testdata.
func fixtures(t *testing.T, names ...string) map[string]string {
	t.Helper()
	files := map[string]string{}
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join("../testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		files[name] = string(text)
	}
	return files
}

// untimed is a report without what differs from run to run.
func untimed(t *testing.T, r finding.Report) []byte {
	t.Helper()
	r.Summary.Millis = 0
	for i := range r.Kernels {
		r.Kernels[i].Millis = 0
	}
	data, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
