// Package finding holds what fencepost reports, and the small stages between the rules and the writers:
// suppress, changed lines, dedupe, sort, cap.
package finding

import "github.com/fencepost-dev/fencepost/limit"

// Severity orders findings; a higher value is worse.
type Severity uint8

// Severities.
const (
	Note Severity = iota
	Warning
	Error
)

func (s Severity) String() string {
	switch s {
	case Note:
		return "note"
	case Warning:
		return "warning"
	}
	return "error"
}

// ParseSeverity reads what String prints.
func ParseSeverity(text string) (Severity, bool) {
	for s := Note; s <= Error; s++ {
		if s.String() == text {
			return s, true
		}
	}
	return Note, false
}

// Location is a region of a file: 1-based lines, 1-based UTF-16 columns, end exclusive.
type Location struct {
	Path      string
	Line      int
	Column    int
	EndLine   int
	EndColumn int
}

// Label is a second region with a few words: "initialised with 256 here".
type Label struct {
	Location
	Text string
}

// Step is one step of a counterexample, in execution order.
type Step struct {
	Location
	Actor string   // "threads 1-127 of CTA 0"
	Text  string   // "wait on gate[0] phase 0 passes"
	From  Location // the call in the kernel that leads there; no line where it stands in the kernel itself, or that is not known
	// By is the actor in parts, for who draws it; nil where only the words are known. Of an operation that is issued, it has
	// who issues and what goes on by itself.
	By     []Party
	After  []Standing // how what the step was about or changed stands then
	Racing bool       // it is one of two accesses that nothing orders
}

// Party takes part in a step: threads of a CTA, or what they issued and what goes on without them.
type Party struct {
	CTA      int      `json:"cta"`
	Threads  [][2]int `json:"threads,omitempty"` // ranges of indices, both ends in
	Name     string   `json:"name,omitempty"`    // where it has no indices
	Async    bool     `json:"async,omitempty"`
	InFlight int      `json:"in_flight,omitempty"` // operations of an asynchronous party after the step
}

// Standing is how a barrier or a flag stands after a step.
type Standing struct {
	Object string `json:"object"` // "gate of CTA 0"
	State  string `json:"state"`  // "phase 1, 170 of 256 arrivals pending"
	Phase  int    `json:"phase"`  // of an mbarrier; of the barrier of a cluster, its generation
	Come   int    `json:"come"`   // arrivals or threads of this phase that have come
	Need   int    `json:"need"`   // of how many; 0 where none are counted
	Bytes  int    `json:"bytes,omitempty"`
}

// Edit replaces a region of a file, which may be empty, by a text.
type Edit struct {
	Location
	Text string
}

// Fix is a change of the source that makes a finding go away.
type Fix struct {
	Text  string // what it does, in a few words
	Edits []Edit
}

// Finding is one defect in one place.
type Finding struct {
	Rule     string // "FP101"
	Name     string // "literal-wait-phase"
	Severity Severity
	Verdict  string // "violated", "inconclusive", or "" for a pattern that needs no model
	Location
	Kernel  string // qualified name of the enclosing kernel or function, "" if none
	Message string // first sentence at most 120 characters and self-sufficient
	Labels  []Label
	Notes   []string // "note:" evidence
	Help    string   // "help:" the way out
	Trace   []Step
	Fix     *Fix     // a change that was tried and holds; nil without one
	Litmus  string   // the litmus test that was cut out of the kernel and decided, "" where none was
	Cycle   []Step   // what goes on for ever after Trace: who polls what in vain
	Final   []string // final state of every barrier, and what each stuck actor waits for
	Stuck   []Step   // of a hang: who stands where for ever
	// KernelLines are all line ranges of the kernel the finding belongs to (its body and inlined helpers): a finding
	// counts as changed when any of them does.
	KernelLines []Location
	Cleared     bool // an engine cleared it; shown only with --show-cleared
	Alone       bool // of a function that was looked at by itself
	// LineHash is GitHub's primaryLocationLineHash and Identity our own fencepost/v1 key, which survives moved lines; both
	// are filled by Fingerprint.
	LineHash string
	Identity string
}

// Kernel is what was found out about one kernel.
type Kernel struct {
	Path       string            `json:"path"`
	Line       int               `json:"line"`
	Name       string            `json:"name"`
	Verdict    string            `json:"verdict"`
	Engines    []string          `json:"engines"`
	Bounds     map[string]string `json:"bounds"`
	States     int               `json:"states"`
	Millis     float64           `json:"ms"`
	Properties map[string]string `json:"properties"`
	Only       map[string]string `json:"only,omitempty"` // of a property that is violated: what every violation needs, "n = 0"
	Open       []Open            `json:"open"`           // of a kernel that holds: what is not shown beside the verdict
	Reasons    []string          `json:"reasons"`
	Codes      []limit.Code      `json:"codes,omitempty"`   // of the reasons, in their order
	Mechanisms []string          `json:"mechanisms"`        // what it synchronizes with, by its text
	Stopped    []Stop            `json:"stopped,omitempty"` // what is not in the model, for a kernel that is not modelled whole
	Lines      []Location        `json:"-"`                 // its body and the functions it is inlined of
}

// Stop is a line that could not be modelled.
type Stop struct {
	Path string     `json:"path"`
	Line int        `json:"line"`
	Why  string     `json:"why"`
	Code limit.Code `json:"code,omitempty"`
}

// Because takes down why a kernel is inconclusive.
func (k *Kernel) Because(reasons ...limit.Reason) {
	for _, r := range reasons {
		k.Reasons, k.Codes = append(k.Reasons, r.Text), append(k.Codes, r.Code)
	}
}

// Whys are the reasons with their codes; those of a report that an earlier version wrote have none.
func (k *Kernel) Whys() []limit.Reason {
	out := make([]limit.Reason, len(k.Reasons))
	for i, text := range k.Reasons {
		if out[i].Text = text; len(k.Codes) == len(k.Reasons) {
			out[i].Code = k.Codes[i]
		}
	}
	return out
}

// Report is everything one run found.
type Report struct {
	Findings []Finding
	Kernels  []Kernel
	Summary  Summary
	Notes    []string // limits hit, files skipped: never silence
	Files    []string // that were to be checked; of a report that was read, none
	Left     []string // of these, what the run did not come to the end of
}

// Summary counts.
type Summary struct {
	Files            int            `json:"files"`
	FilesSkipped     int            `json:"files_skipped"`
	FilesLeft        int            `json:"files_left,omitempty"` // that the run did not come to the end of
	FunctionsSkipped int            `json:"functions_skipped"`    // functions with syntax errors
	Kernels          int            `json:"kernels"`
	Verdicts         map[string]int `json:"verdicts"`
	Open             int            `json:"open"` // kernels that hold and leave a property open
	Errors           int            `json:"errors"`
	Warnings         int            `json:"warnings"`
	NotesCount       int            `json:"notes"`
	Suppressed       int            `json:"suppressed"`
	Cleared          int            `json:"cleared"`
	Known            int            `json:"known,omitempty"` // findings that the baseline has
	Fixed            int            `json:"fixed,omitempty"` // findings that the baseline has and the run has not
	Millis           float64        `json:"ms"`
}
