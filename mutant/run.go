package mutant

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/fencepost-dev/fencepost/check"
	"github.com/fencepost-dev/fencepost/finding"
	"github.com/fencepost-dev/fencepost/lower"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/protocol"
)

// Fate is what became of a fault.
type Fate string

// The fates.
const (
	Killed     Fate = "killed"     // a violation or a defect is reported that the right kernel does not have
	Survived   Fate = "survived"   // nothing is reported, or nothing was decided
	Equivalent Fate = "equivalent" // the fault changes nothing: no kernel runs the place, or the model is the same to the letter
)

// Result is one fault and its fate.
type Result struct {
	Fault
	Path   string `json:"path"`
	Fate   Fate   `json:"fate"`
	Rule   string `json:"rule,omitempty"` // that killed it
	At     int    `json:"at,omitempty"`   // the line the rule points at
	Aim    string `json:"aim,omitempty"`  // what stands there: "fault", "wait", "trace" (the fault is a step on the way), "access" (of a race, a copy in flight at exit, or a read that the finding misses a wait for) or "elsewhere"
	Detail string `json:"detail,omitempty"`
}

// File is one file with its results.
type File struct {
	Path    string   `json:"path"`
	Skipped string   `json:"skipped,omitempty"` // why it was not tried: only proved kernels are worth a fault
	Results []Result `json:"results"`
}

// Options say which faults to try.
type Options struct {
	Check     check.Options // Tree, Paths, limits; the engine
	Operators []string      // none: all
	Sample    int           // faults of a file at most; 0: all
	Seed      uint64        // chooses the sample
}

// Run tries the faults of every file among the paths.
func Run(ctx context.Context, opt Options) ([]File, error) {
	paths := opt.Check.Paths
	if len(paths) == 0 {
		paths = []string{"."}
	}
	var names []string
	_, err := opt.Check.Tree.Walk(paths, check.HasKernelExtension, func(name string, _ bool) error {
		names = append(names, name)
		return nil
	})
	if err != nil {
		return nil, &check.PathError{Err: err}
	}
	var files []File
	for _, name := range names {
		f, err := opt.file(ctx, name)
		if err != nil {
			return files, err
		}
		if f != nil {
			files = append(files, *f)
		}
	}
	return files, ctx.Err()
}

// outcome is what a check says of one version of a file.
type outcome struct {
	verdicts map[string]string // by kernel
	reasons  map[string][]string
	// By kernel and configuration: the protocols, and the same as text, "" where it is not modelled whole.
	instances map[string][]*protocol.Protocol
	models    map[string]string
	spans     []finding.Location
	waits     map[int]bool // lines where threads wait
	copies    map[int]bool // lines of asynchronous copies
	reads     map[int]bool // lines where threads read what others write
	findings  []finding.Finding
}

func (opt *Options) file(ctx context.Context, name string) (*File, error) {
	source, err := opt.Check.Tree.Read(name)
	if err != nil {
		return nil, err
	}
	base, err := opt.check(ctx, name, source.Data)
	if err != nil || len(base.verdicts) == 0 {
		return nil, err
	}
	f := &File{Path: name}
	if f.Skipped = base.unfit(); f.Skipped != "" {
		return f, nil
	}
	tree, err := check.Read(source)
	if err != nil {
		return nil, err
	}
	if tree.Language == program.PTX {
		f.Skipped = "PTX is not changed: the CUDA it comes from is"
		return f, nil
	}
	table, err := check.Table(tree.Language, opt.Check.Wrappers)
	if err != nil {
		return nil, err
	}
	faults := opt.choose(Faults(tree, table, base.spans))
	f.Results = make([]Result, len(faults))
	errs := make([]error, len(faults))
	opt.each(len(faults), func(i int) {
		f.Results[i], errs[i] = opt.try(ctx, name, source.Data, faults[i], base)
	})
	for _, err := range errs {
		if err != nil {
			return f, err
		}
	}
	return f, nil
}

// each runs work(0) … work(n-1) on the workers.
func (opt *Options) each(n int, work func(int)) {
	jobs := opt.Check.Jobs
	if jobs <= 0 {
		jobs = min(runtime.GOMAXPROCS(0), 8)
	}
	next := make(chan int)
	var wait sync.WaitGroup
	for range min(jobs, n) {
		wait.Add(1)
		go func() {
			defer wait.Done()
			for i := range next {
				work(i)
			}
		}()
	}
	for i := range n {
		next <- i
	}
	close(next)
	wait.Wait()
}

// choose takes the operators asked for and a sample of their faults.
func (opt *Options) choose(faults []Fault) []Fault {
	if len(opt.Operators) > 0 {
		faults = slices.DeleteFunc(faults, func(f Fault) bool { return !slices.Contains(opt.Operators, f.Operator) })
	}
	if opt.Sample <= 0 || opt.Sample >= len(faults) {
		return faults
	}
	random := rand.New(rand.NewPCG(opt.Seed, uint64(len(faults))))
	picked := random.Perm(len(faults))[:opt.Sample]
	slices.Sort(picked)
	var out []Fault
	for _, i := range picked {
		out = append(out, faults[i])
	}
	return out
}

// unfit says why the right version is no base to put faults into.
func (o *outcome) unfit() string {
	var unproved []string
	for name, v := range o.verdicts {
		if v != "holds" {
			unproved = append(unproved, fmt.Sprintf("kernel %s is not proved (%s)", name, v))
		}
	}
	slices.Sort(unproved)
	return strings.Join(unproved, "; ")
}

// check checks one version of a file.
func (opt *Options) check(ctx context.Context, name string, text []byte) (*outcome, error) {
	o := &outcome{verdicts: map[string]string{}, reasons: map[string][]string{}, models: map[string]string{}, instances: map[string][]*protocol.Protocol{}, waits: map[int]bool{}, copies: map[int]bool{}, reads: map[int]bool{}}
	run := opt.Check
	run.Tree, run.Paths, run.Jobs, run.Progress = opt.Check.Tree.With(name, text), []string{name}, 1, nil
	run.Activity = true
	run.Lowered = func(k *lower.Kernel) {
		o.spans = append(o.spans, k.Spans...)
		key := k.Name + " " + k.Config
		if o.models[key] = ""; len(k.Opaque) == 0 {
			o.models[key], o.instances[key] = modelText(k.Instances), k.Instances
		}
		for _, p := range k.Instances {
			o.note(p, name)
		}
		for _, p := range k.Partials {
			o.note(p.Protocol, name)
		}
	}
	run.Executed = func(e *check.Executed) {
		o.spans, o.models[e.Name] = append(o.spans, e.Spans...), "" // what threads do is not compared
		maps.Copy(o.waits, e.Waits)
		maps.Copy(o.copies, e.Copies)
		maps.Copy(o.reads, e.Reads)
	}
	r, err := check.Run(ctx, run)
	if err != nil {
		return nil, err
	}
	for _, k := range r.Kernels {
		o.verdicts[k.Name], o.reasons[k.Name] = k.Verdict, k.Reasons
	}
	o.findings = r.Findings
	return o, nil
}

func (o *outcome) note(p *protocol.Protocol, name string) {
	lineOf := func(site int) (int, bool) {
		if site < 0 || site >= len(p.Sites) || p.Sites[site].Path != name {
			return 0, false
		}
		return p.Sites[site].Line, true
	}
	for _, c := range p.Classes {
		for _, block := range c.Blocks {
			for _, a := range block {
				if line, ok := lineOf(a.Site); ok && !a.Write {
					o.reads[line] = true
				}
			}
		}
		for _, op := range c.Ops {
			line, ok := lineOf(op.Site)
			if !ok {
				continue
			}
			switch op.Kind {
			case protocol.NamedSync: // lanes of a warp meet at elections and copies too
				o.waits[line] = o.waits[line] || p.Named[op.Object].ID < protocol.WarpBarrier
			case protocol.Wait, protocol.ClusterWait, protocol.Spin, protocol.FlagSwap, protocol.Drain:
				o.waits[line] = true
			case protocol.Issue:
				o.copies[line] = o.copies[line] || len(op.Access) > 0 || slices.ContainsFunc(op.Effects, protocol.Effect.Lands)
			}
		}
	}
}

// modelText writes what engines search, without where it comes from.
func modelText(instances []*protocol.Protocol) string {
	var b strings.Builder
	for _, p := range instances {
		bare := *p
		bare.Sites = nil
		bare.Classes = slices.Clone(p.Classes)
		for i := range bare.Classes {
			c := &bare.Classes[i]
			c.Ops, c.Blocks = slices.Clone(c.Ops), slices.Clone(c.Blocks)
			for j := range c.Ops {
				c.Ops[j].Site, c.Ops[j].Access = 0, placeless(c.Ops[j].Access)
			}
			for j := range c.Blocks {
				c.Blocks[j] = placeless(c.Blocks[j])
			}
		}
		text, err := json.Marshal(bare)
		if err != nil {
			return ""
		}
		b.Write(text)
		b.WriteByte('\n')
	}
	return b.String()
}

func placeless(list []protocol.Access) []protocol.Access {
	out := slices.Clone(list)
	for i := range out {
		out[i].Site = 0
	}
	return out
}
