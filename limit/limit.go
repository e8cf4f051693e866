// Package limit says why nothing was decided: every reason of a verdict that is inconclusive has one of few codes, which it is made
// with where it arises, and each code has a page.
package limit

import (
	"embed"
	"fmt"
)

// Code is a kind of reason. What its author can do about it is what tells one from another. The zero value is none.
type Code uint8

// The codes. Their numbers are never reused.
const (
	LaunchShape  Code = iota + 1 // how many threads a CTA has, or CTAs a grid or cluster, is not said
	Input                        // a number that the kernel is given decides, and is not said
	Template                     // an argument of a template is guessed
	LaunchPath                   // the host code does not come to the launch
	OtherLaunch                  // it is launched in other ways, too
	TooLarge                     // more CTAs or threads than the model has
	Call                         // of a function that is called nothing is known
	Source                       // a construct of the language is not understood
	Operation                    // an instruction or an object is not modelled
	RunTime                      // what is synchronized with is only known when the kernel runs
	DataBranch                   // data decide which way a thread goes
	DataOperand                  // data decide which barrier, or how many arrive
	DataAddress                  // data decide where shared memory is accessed
	Access                       // accesses of some memory are not in the model
	Memory                       // threads wait for what others write to memory
	Peek                         // whether a phase is over is asked once, and the answer decides
	Harmless                     // a race of accesses that perhaps do no harm to each other
	Fence                        // a fence between proxies is missing
	Undefined                    // what it does has no defined meaning
	Init                         // the initialisation of an mbarrier is not found
	Rounds                       // loops go round more often than is tried
	Way                          // a way is not taken by anything that is tried
	Trap                         // it comes to a trap with what is tried
	States                       // the limit of states was hit
	Time                         // the limit of time was hit
	Size                         // the limit of the kernel's size, of steps, or of memory was hit
	PerhapsWrong                 // something is wrong under circumstances that may not occur
	Unshown                      // something may be wrong, and no execution shows it
	NotRun                       // the engine was not asked
	Internal                     // two parts of fencepost contradict each other
	last
)

var names = [last]string{
	LaunchShape: "launch-shape-unknown", Input: "input-unknown", Template: "template-argument-guessed", LaunchPath: "launch-not-reached",
	OtherLaunch: "launch-not-looked-at", TooLarge: "larger-than-model", Call: "call-not-read", Source: "source-not-understood",
	Operation: "operation-not-modelled", RunTime: "known-at-run-time-only", DataBranch: "data-decides-branch", DataOperand: "data-decides-operand",
	DataAddress: "data-decides-address", Access: "accesses-not-followed", Memory: "waits-for-memory", Peek: "phase-asked-once",
	Harmless: "perhaps-harmless", Fence: "fence-missing", Undefined: "undefined-use", Init: "init-not-found", Rounds: "rounds-not-tried",
	Way: "way-not-tried", Trap: "ends-in-trap", States: "states-limit", Time: "time-limit", Size: "size-limit", PerhapsWrong: "perhaps-wrong",
	Unshown: "not-shown", NotRun: "engine-not-run", Internal: "internal-error",
}

// All lists the codes in the order of their numbers.
func All() []Code {
	out := make([]Code, 0, last-1)
	for c := Code(1); c < last; c++ {
		out = append(out, c)
	}
	return out
}

// String is "L007"; of no code it is empty.
func (c Code) String() string {
	if c == 0 {
		return ""
	}
	return fmt.Sprintf("L%03d", uint8(c))
}

// Name is "call-not-read".
func (c Code) Name() string {
	if c >= last {
		return ""
	}
	return names[c]
}

// Data reports whether data of the kernel decide: where these are what it is given, its caller may say them.
func (c Code) Data() bool { return c == DataBranch || c == DataOperand || c == DataAddress }

// Parse reads what String writes; 0 where it is no code.
func Parse(text string) Code {
	for _, c := range All() {
		if c.String() == text {
			return c
		}
	}
	return 0
}

// MarshalText writes a code as String does.
func (c Code) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalText reads it. A code that a later version made is none.
func (c *Code) UnmarshalText(text []byte) error {
	*c = Parse(string(text))
	return nil
}

// Reason is why something is not decided. The zero value is none.
type Reason struct {
	Code Code
	Text string
}

// Says makes a reason.
func (c Code) Says(text string) Reason { return Reason{c, text} }

// Sayf makes a reason.
func (c Code) Sayf(format string, args ...any) Reason { return Reason{c, fmt.Sprintf(format, args...)} }

// Error makes a reason one of the errors of who could not do his work for it.
func (r Reason) Error() string { return r.Text }

// String is the reason behind its code, as reports have it: "L007: call of f, whose body is not found".
func (r Reason) String() string {
	if r.Code == 0 {
		return r.Text
	}
	return r.Code.String() + ": " + r.Text
}

// And is the reason with more said.
func (r Reason) And(text string) Reason { return Reason{r.Code, r.Text + text} }

// After is the reason with something said before it.
func (r Reason) After(text string) Reason { return Reason{r.Code, text + r.Text} }

//go:embed doc/*.md
var pages embed.FS

// Page returns the code's page as Markdown.
func (c Code) Page() string {
	data, err := pages.ReadFile("doc/" + c.String() + ".md")
	if err != nil {
		return ""
	}
	return string(data)
}
