// Package check runs the whole path over files: read, rules, lowering, engines, and one report. It is where the
// rules' suspicions and the engines' answers meet.
package check

import (
	"context"
	"errors"
	"fmt"
	"path"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/fencepost-dev/fencepost/cache"
	"github.com/fencepost-dev/fencepost/config"
	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/finding"
	"github.com/fencepost-dev/fencepost/lower"
	"github.com/fencepost-dev/fencepost/program"
	"github.com/fencepost-dev/fencepost/source"
)

// Engine names for Options.Engine.
const (
	Auto    = "auto"    // explore always; SPIN, when installed, on violations and suspects
	Explore = "explore" // the embedded engine alone
	Spin    = "spin"    // SPIN alone
	Both    = "both"    // both on every kernel; they must agree
	None    = "none"    // pattern rules alone
)

// Options says what to check and how.
type Options struct {
	Tree        *source.Tree
	Paths       []string               // files and folders below Tree; none means all of it
	Include     func(name string) bool // nil: every file with a kernel's extension
	Engine      string
	Enabled     func(id string) bool                                 // nil: every rule
	Chosen      func(id string) bool                                 // which findings are told; nil: all. Verdicts count the others, too
	Severity    func(id string) (severity finding.Severity, ok bool) // the user's severity for a rule; nil: the rule's own
	Wrappers    []config.Wrapper                                     // what the user's own functions mean
	ConfigPath  string                                               // the configuration file, "" without one
	ConfigFrom  string                                               // the revision that the configuration was read from, "" for the tree
	ConfigNames []string                                             // the files that it may be in
	Includes    []string                                             // directories where included files are looked for
	Constants   map[string]string                                    // --set NAME=VALUE
	Settable    *lower.Settable                                      // what could be set, and was; may be nil
	Launch      func(kernel string, grid, block, cluster *[3]int)    // fills in what is stated of a compiled kernel's launch; may be nil
	Shard       int                                                  // 1 … Shards
	Shards      int
	Jobs        int
	Limits      engine.Limits
	AllRounds   bool         // prove for every number of rounds, however long it takes
	Cache       *cache.Cache // of what was shown to hold before; may be nil
	Verify      bool         // check the certificates of what holds; nothing is taken from the cache then
	ShowCleared bool
	Strict      bool                      // text that was not read is a finding and not a note
	Undecided   bool                      // a kernel that nothing decided is a finding
	Require     []string                  // patterns of the kernels that have to hold
	Changed     map[string][]source.Range // nil: everything counts as changed
	// Committed gives the texts of files as they were, for a run that checks what a change of the files named may have changed; nil for one
	// that checks all of them.
	Committed func(ctx context.Context, names []string) (map[string][]byte, error)
	Progress  func(done, total int)
	Activity  bool                // models say where the program does what they do not follow (lower.Activity)
	Lowered   func(*lower.Kernel) // told of every kernel that was lowered; may be nil, called by several workers at once
	Executed  func(*Executed)     // and of every one that was executed as IR

	load     func(name string) *program.File // other files of the tree, for imports
	sources  *Sources
	workers  workers
	calling  callers
	touching *touching     // nil: everything is checked
	checks   *verification // nil without Verify
}

// InternalError is a failure of fencepost itself, not of the kernels: it names the file and what happened.
type InternalError struct {
	Path  string
	Err   error
	Stack string // where it happened, "" if that says nothing
}

func (e *InternalError) Error() string {
	return fmt.Sprintf("%s: internal error: %v (please report it; the other files were checked)", e.Path, e.Err)
}

func (e *InternalError) Unwrap() error { return e.Err }

// Run checks files and returns what was found. A non-nil error with a report means that the report is incomplete.
func Run(ctx context.Context, opt Options) (finding.Report, error) {
	start := time.Now()
	opt.load, opt.sources = Loader(opt.Tree), NewSources(opt.Tree, opt.Includes)
	names, calling, report, err := collect(ctx, &opt)
	if err != nil {
		return report, err
	}
	opt.calling = calling
	if opt.Jobs <= 0 {
		opt.Jobs = min(runtime.GOMAXPROCS(0), 8)
	}
	if opt.Verify {
		opt.Cache, opt.checks = nil, &verification{}
	}
	opt.workers = newWorkers(opt.Jobs)
	results, left := checkAll(ctx, opt, names)
	report.Left, report.Summary.FilesLeft = left, len(left)
	var failures []error
	var suppressions []suppressed
	for _, r := range results {
		report.Findings = append(report.Findings, r.findings...)
		report.Kernels = append(report.Kernels, r.kernels...)
		report.Notes = append(report.Notes, r.notes...)
		report.Summary.FunctionsSkipped += r.functionsSkipped
		if r.unread {
			report.Summary.FilesSkipped++
		}
		if r.err != nil {
			failures = append(failures, r.err)
		}
		suppressions = append(suppressions, suppressed{r.name, r.suppressions})
	}
	if ctx.Err() != nil {
		failures = append(failures, fmt.Errorf("stopped before the end: %w", context.Cause(ctx)))
	}
	if opt.checks != nil {
		report.Notes = append(report.Notes, opt.checks.note())
	}
	finish(&report, opt, suppressions)
	report.Files = names
	report.Summary.Millis = float64(time.Since(start).Microseconds()) / 1000
	return report, errors.Join(failures...)
}

// collect lists the files of this shard. Sharding is by file, in the order of the walk, so that shards are alike in size.
func collect(ctx context.Context, opt *Options) (names []string, calling callers, report finding.Report, err error) {
	match := func(name string) bool {
		return HasKernelExtension(name) && (opt.Include == nil || opt.Include(name))
	}
	paths := opt.Paths
	if len(paths) == 0 {
		paths = []string{"."}
	}
	var named []string
	report.Notes, err = opt.Tree.Walk(paths, match, func(name string, explicit bool) error {
		if explicit && !match(name) {
			return nil // pre-commit and the Action pass every changed file
		}
		if explicit {
			named = append(named, name)
		}
		names = append(names, name)
		return nil
	})
	if opt.Changed != nil {
		all := names
		names = opt.concerned(slices.Clone(all))
		calling.of = map[string][]source.Range{}
		report.Notes = append(report.Notes, calling.users(opt, slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !cudaFile(name) || path.Ext(name) == ".cu" }))...)
		calling.files = slices.DeleteFunc(calling.files, func(name string) bool { return !slices.Contains(all, name) })
	} else {
		var notes []string
		if opt.Committed != nil {
			named, names, notes = opt.since(ctx, names)
			report.Notes = append(report.Notes, notes...)
		}
		calling, notes = opt.callers(named, match)
		opt.touching.callers(opt, &calling, names, match)
		report.Notes = append(report.Notes, notes...)
	}
	calling.files = slices.DeleteFunc(calling.files, func(name string) bool { return slices.Contains(names, name) })
	names = append(names, calling.files...)
	if opt.Shards > 1 {
		all := names
		names = nil
		for i := opt.Shard - 1; i < len(all); i += opt.Shards {
			names = append(names, all[i])
		}
	}
	report.Summary.Files = len(names)
	if err != nil {
		err = &PathError{err}
	}
	return names, calling, report, err
}

// concerned keeps the files a change can say something new about: the changed ones, and those that import them.
func (opt *Options) concerned(names []string) []string {
	importing := importers(opt.Tree, names, opt.Changed)
	return slices.DeleteFunc(names, func(name string) bool {
		_, changed := opt.Changed[name]
		return !changed && !importing[name]
	})
}

// PathError says that a path given by the user cannot be checked.
type PathError struct{ Err error }

func (e *PathError) Error() string { return e.Err.Error() }

func (e *PathError) Unwrap() error { return e.Err }

// HasKernelExtension reports whether a file may hold kernels, by its name.
func HasKernelExtension(name string) bool {
	switch extension(name) {
	case ".py", ".cu", ".cuh", ".h", ".hh", ".hpp", ".hxx", ".inl", ".inc", ".ptx":
		return true
	}
	return false
}

// extension says what a file is. Of one that a build fills in (.cuh.in) it is the one before.
func extension(name string) string { return path.Ext(strings.TrimSuffix(strings.ToLower(name), ".in")) }

// patience is how long a run that is to end waits for the files at hand: whoever interrupted it wants the report now, and what
// watches for that in a file's check looks up many times a second.
const patience = 2 * time.Second

// checkAll checks every file on opt.Jobs workers. Results stand in the order of names, whatever finishes first. Where the run is to
// end before, left are the files that were not checked to their end.
func checkAll(ctx context.Context, opt Options, names []string) (results []fileResult, left []string) {
	type checked struct {
		i      int
		result fileResult
		cut    bool // it may be
	}
	next, done := make(chan int), make(chan checked, len(names)) // a worker that nobody waits for ends all the same
	for range min(opt.Jobs, len(names)) {
		go func() {
			for i := range next {
				<-opt.workers
				r := checkFile(ctx, opt, names[i])
				opt.workers <- struct{}{}
				done <- checked{i, r, ctx.Err() != nil}
			}
		}()
	}
	results = make([]fileResult, len(names))
	whole := make([]bool, len(names))
	take := func(c checked) { results[c.i], whole[c.i] = c.result, !c.cut }
	given, taken := 0, 0
	for taken < len(names) && ctx.Err() == nil {
		give := next
		if given == len(names) {
			give = nil
		}
		select {
		case give <- given:
			given++
		case c := <-done:
			take(c)
			taken++
			if opt.Progress != nil {
				opt.Progress(taken, len(names))
			}
		case <-ctx.Done():
		}
	}
	close(next)
	for late := time.After(patience); taken < given; taken++ {
		select {
		case c := <-done:
			take(c)
			continue
		case <-late:
		}
		break
	}
	for i, name := range names {
		if !whole[i] {
			left = append(left, name)
		}
	}
	return results, left
}

func (opt *Options) enabled(id string) bool { return opt.Enabled == nil || opt.Enabled(id) }
