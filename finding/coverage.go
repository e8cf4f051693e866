package finding

import (
	"cmp"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/limit"
)

// Status is how far the proof of a kernel got.
type Status string

// The statuses, what is known best first.
const (
	Proved       Status = "proved"       // the verdict is holds
	Violated     Status = "violated"     // the verdict is violated
	Inconclusive Status = "inconclusive" // modelled whole, and not decided
	Opaque       Status = "opaque"       // lowering stopped
)

// Statuses lists them in the order in which they are told.
var Statuses = []Status{Proved, Violated, Inconclusive, Opaque}

// Coverage says what is known about every kernel of a run.
type Coverage struct {
	Kernels []Covered
	All     Group
	Groups  []Group // by language, then by top folder; none where there is only one
	Reasons []Reason
	Open    []Unshown
}

// Covered is one kernel with its status and the first line that stopped it.
type Covered struct {
	Kernel
	Status Status
	Stop   *Stop // nil where the verdict is holds or violated
}

// Tally counts kernels.
type Tally struct {
	Kernels int
	Status  map[Status]int
	Plain   int     // proved, with nothing open
	Median  float64 // milliseconds
	Max     float64
	Slowest string // the kernel that took Max
}

// Unshown counts the kernels that hold and leave a property open for one class of reasons.
type Unshown struct {
	Property string
	Class    string
	Kernels  int
}

// Group counts the kernels of a part of the tree.
type Group struct {
	Name      string // "CuTe DSL", "kernels/"
	All       Tally
	Pipelined Tally // those with pipelines or mbarriers: what a model of plain barriers does not reach
}

// Reason counts the kernels that one class of reasons keeps from a verdict.
type Reason struct {
	Code  limit.Code
	Class string
	First int // kernels that it stops first
	Any   int // kernels that it stops at all
}

// Cover sorts the kernels of a report by their status.
func Cover(kernels []Kernel) Coverage {
	var c Coverage
	languages, folders := map[string][]Covered{}, map[string][]Covered{}
	reasons := map[string]*Reason{}
	for _, k := range kernels {
		one := cover(k)
		c.Kernels = append(c.Kernels, one)
		languages[language(k.Path)] = append(languages[language(k.Path)], one)
		folders[topFolder(k.Path)] = append(folders[topFolder(k.Path)], one)
		one.countReasons(reasons)
	}
	c.Open = unshown(c.Kernels)
	c.All = group("all", c.Kernels)
	c.Groups = append(groups(languages), groups(folders)...)
	for _, r := range reasons {
		c.Reasons = append(c.Reasons, *r)
	}
	slices.SortFunc(c.Reasons, func(a, b Reason) int {
		return cmp.Or(b.First-a.First, b.Any-a.Any, strings.Compare(a.Class, b.Class))
	})
	return c
}

// unshown counts what is open in kernels that hold, the most frequent first.
func unshown(kernels []Covered) []Unshown {
	counts := map[Unshown]int{}
	for _, k := range kernels {
		if k.Status != Proved {
			continue
		}
		for _, o := range k.Open {
			counts[Unshown{Property: o.Property, Class: reasonClass(o.Why)}]++
		}
	}
	var out []Unshown
	for u, n := range counts {
		u.Kernels = n
		out = append(out, u)
	}
	slices.SortFunc(out, func(a, b Unshown) int {
		return cmp.Or(b.Kernels-a.Kernels, strings.Compare(a.Property, b.Property), strings.Compare(a.Class, b.Class))
	})
	return out
}

func cover(k Kernel) Covered {
	switch {
	case k.Verdict == "holds":
		return Covered{k, Proved, nil}
	case k.Verdict == "violated":
		return Covered{k, Violated, nil}
	case len(k.Stopped) > 0:
		return Covered{k, Opaque, &k.Stopped[0]}
	}
	why := limit.Reason{Text: "no reason is given"}
	if len(k.Reasons) > 0 {
		why = k.Whys()[0]
	}
	return Covered{k, Inconclusive, &Stop{k.Path, k.Line, why.Text, why.Code}}
}

func (c *Covered) countReasons(reasons map[string]*Reason) {
	if c.Stop == nil {
		return
	}
	stops := c.Stopped
	if len(stops) == 0 {
		stops = []Stop{*c.Stop}
	}
	seen := map[string]bool{}
	for i, s := range stops {
		class := reasonClass(s.Why)
		r := reasons[class]
		if r == nil {
			r = &Reason{Code: s.Code, Class: class}
			reasons[class] = r
		}
		if i == 0 {
			r.First++
		}
		if !seen[class] {
			seen[class] = true
			r.Any++
		}
	}
}

var (
	quoted = regexp.MustCompile(`"[^"]*"`)
	number = regexp.MustCompile(`\b\d[\d.,]*`)
	callOf = regexp.MustCompile(`^call of .*?(, which| on an? | with )`)
)

// reasonClass is a reason without what is special to one kernel: quoted names, numbers, the function that is called.
func reasonClass(why string) string {
	why = callOf.ReplaceAllString(why, "call of …$1")
	why = quoted.ReplaceAllString(why, "…")
	return number.ReplaceAllString(why, "N")
}

// groups are in the order of their names. One group alone would only repeat the totals.
func groups(by map[string][]Covered) []Group {
	var out []Group
	if len(by) > 1 {
		for _, name := range slices.Sorted(maps.Keys(by)) {
			out = append(out, group(name, by[name]))
		}
	}
	return out
}

func group(name string, kernels []Covered) Group {
	var pipelined []Covered
	for _, k := range kernels {
		if slices.Contains(k.Mechanisms, "pipelines") || slices.Contains(k.Mechanisms, "mbarriers") {
			pipelined = append(pipelined, k)
		}
	}
	return Group{name, tally(kernels), tally(pipelined)}
}

func language(name string) string {
	switch strings.ToLower(path.Ext(name)) {
	case ".py":
		return "CuTe DSL"
	case ".ptx":
		return "PTX"
	}
	return "CUDA C++"
}

func topFolder(name string) string {
	folder, _, ok := strings.Cut(name, "/")
	if !ok {
		return "."
	}
	return folder + "/"
}

func tally(kernels []Covered) Tally {
	t := Tally{Kernels: len(kernels), Status: map[Status]int{}}
	var times []float64
	for _, k := range kernels {
		t.Status[k.Status]++
		if k.Status == Proved && len(k.Open) == 0 {
			t.Plain++
		}
		times = append(times, k.Millis)
		if k.Millis > t.Max || t.Slowest == "" {
			t.Max, t.Slowest = k.Millis, k.Path+":"+k.Name
		}
	}
	if len(times) > 0 {
		slices.Sort(times)
		t.Median = times[len(times)/2]
	}
	return t
}
