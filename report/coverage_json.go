package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"github.com/fencepost-dev/fencepost/finding"
	"github.com/fencepost-dev/fencepost/limit"
)

// CoverageSchema names the JSON that CoverageJSON writes; see Schema.
const CoverageSchema = "fencepost-coverage/v1"

type coverageDocument struct {
	Schema  string           `json:"schema"`
	Kernels []coverageKernel `json:"kernels"`
	Groups  []coverageGroup  `json:"groups"`
	Reasons []coverageReason `json:"reasons"`
	Open    []coverageOpen   `json:"open"`
}

type coverageKernel struct {
	Path       string         `json:"path"`
	Line       int            `json:"line"`
	Name       string         `json:"name"`
	Status     finding.Status `json:"status"`
	Mechanisms []string       `json:"mechanisms"`
	Stopped    *finding.Stop  `json:"stopped,omitempty"`
	Open       []finding.Open `json:"open"`
	States     int            `json:"states"`
	Millis     float64        `json:"ms,omitempty"`
}

// coverageGroup counts all kernels, those of a language, or those of a top folder; the first is "all".
type coverageGroup struct {
	Name      string        `json:"name"`
	All       coverageTally `json:"all"`
	Pipelined coverageTally `json:"pipelined"`
}

type coverageTally struct {
	Kernels int                    `json:"kernels"`
	Status  map[finding.Status]int `json:"status"`
	Plain   int                    `json:"plain"`
	Median  float64                `json:"median_ms,omitempty"`
	Max     float64                `json:"max_ms,omitempty"`
	Slowest string                 `json:"slowest,omitempty"`
}

type coverageReason struct {
	Reason string     `json:"reason"`
	Code   limit.Code `json:"code,omitempty"`
	First  int        `json:"first"`
	Any    int        `json:"any"`
}

type coverageOpen struct {
	Property string `json:"property"`
	Reason   string `json:"reason"`
	Kernels  int    `json:"kernels"`
}

// CoverageJSON writes a coverage as one versioned document.
func CoverageJSON(w io.Writer, c finding.Coverage, timing bool) error {
	sum := func(t finding.Tally) coverageTally {
		out := coverageTally{Kernels: t.Kernels, Status: map[finding.Status]int{}, Plain: t.Plain}
		for _, s := range finding.Statuses {
			out.Status[s] = t.Status[s]
		}
		if timing {
			out.Median, out.Max, out.Slowest = t.Median, t.Max, t.Slowest
		}
		return out
	}
	d := coverageDocument{CoverageSchema, []coverageKernel{}, []coverageGroup{}, []coverageReason{}, []coverageOpen{}}
	for _, k := range c.Kernels {
		one := coverageKernel{k.Path, k.Line, k.Name, k.Status, append([]string{}, k.Mechanisms...), k.Stop, append([]finding.Open{}, k.Open...), k.States, 0}
		if timing {
			one.Millis = k.Millis
		}
		d.Kernels = append(d.Kernels, one)
	}
	for _, g := range append([]finding.Group{c.All}, c.Groups...) {
		d.Groups = append(d.Groups, coverageGroup{g.Name, sum(g.All), sum(g.Pipelined)})
	}
	for _, r := range c.Reasons {
		d.Reasons = append(d.Reasons, coverageReason{r.Class, r.Code, r.First, r.Any})
	}
	for _, o := range c.Open {
		d.Open = append(d.Open, coverageOpen{o.Property, o.Class, o.Kernels})
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(d); err != nil {
		return fmt.Errorf("write json: %w", err)
	}
	_, err := w.Write(finding.EscapeJSON(b.Bytes()))
	return err
}
