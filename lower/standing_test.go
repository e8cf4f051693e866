package lower

import (
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"testing"
)

// Why a survey leaves fields of the machine and of the instance out, a reason for many.
const (
	isFixed    = "the same for the whole evaluation of a group"
	ofHost     = "of the host side, which is over"
	isRecorded = "a record that evaluation of this group never looks at: what comes after it does"
	givesIndex = "gives a thing the same index again"
	isFound    = "what is found out about the whole kernel only grows, and decides at the end"
	isLimit    = "limits are no part of what a kernel means"
	isCarried  = "kernels in which values travel through memory are refused"
	isWatched  = "compared in another way by the certificate"
	byCalls    = "follows from the scopes of the running functions"
)

// unsurveyed are the fields that a survey leaves out.
var unsurveyed = map[reflect.Type]map[string]string{
	reflect.TypeFor[machine](): {
		"in": isFixed, "file": "follows from mod", "cta": isFixed, "threads": isFixed, "globals": "follows from mod", "fuel": isLimit, "at": "the head of the loop",
		"left": "written when a group has ended", "reinits": isRecorded, "endless": ofHost, "unbounded": isRecorded, "walks": isRecorded, "active": byCalls, "around": "the open loops: in the place of the head", "kept": "what was before the loop, and does not change in it", "regions": "the staged statements around: in the place of the head", "tracing": ofHost, "unnamed": ofHost, "forks": isLimit, "carried": isLimit, "blurred": "of branches, which are over at the head of a loop",
		"effects": "asked of calls, where nothing is watched", "computed": "not looked at where rounds are watched", "met": "of what is sampled: nothing at the head of a loop that is run by rounds", "underway": "its fields are looked at by themselves",
		"waits": "but for those of responses, recorded only", "said": "shuffles are counted (heard), so that rounds with any are never alike", "inquired": isFound, "worked": isFound, "launch": ofHost, "joints": isWatched, "led": "says of a test only that it has one answer: a finding", "deciding": "no test is being evaluated at the head of a round", "compared": "what trip counts are asked for by: a finding",
		"answered": isRecorded, "inquiry": byCalls, "peeked": isRecorded, "released": isCarried, "hearings": isCarried, "touched": isRecorded, "constant": "of the running statement, which is none of a loop", "watch": isWatched,
	},
	reflect.TypeFor[underway]():      {"copies": isRecorded, "fences": isRecorded, "weaknesses": isRecorded, "initsTold": isRecorded, "registersOrdered": isRecorded, "fenced": "of the block at hand only (behindFence)", "landed": isRecorded, "stored": isRecorded, "queue": isRecorded},
	reflect.TypeFor[reallocations](): {},
	reflect.TypeFor[instance](): {
		"low": isFixed, "values": "what leaves are worth; the questions about it are in the record", "taken": ofHost, "choose": isFixed, "epoch": "numbers the values", "ctas": isFixed, "across": isRecorded,
		"flights": isRecorded, "cluster": isFixed, "block": isFixed, "grid": isFixed, "clus": isFixed, "launched": isFixed, "waitsForGrids": isRecorded, "ahead": isRecorded,
		"counted": isFound, "assumed": isFound, "guesses": ofHost, "post": isCarried, "spread": isFixed, "fenced": isRecorded,
		"params": isFixed, "mbars": isRecorded, "within": isRecorded, "initsBy": isRecorded, "mbarKey": givesIndex, "ringOf": givesIndex, "warpBars": givesIndex, "exchanges": isFound,
		"flags": isRecorded, "flagKey": givesIndex, "buffers": isRecorded, "bufKey": givesIndex, "columns": isFound, "blindly": isRecorded, "sites": isRecorded, "siteKey": givesIndex, "blocks": givesIndex,
		"arguments": isFixed, "lost": isFound, "supposed": isFound, "losses": isFound, "written": isFound, "opaques": isFound, "undefineds": isFound, "reached": isFound, "passed": isFound,
		"unread": isFound, "unplaced": isFound, "chosen": isFixed, "rewritten": isFound, "unordered": isFound, "unshown": isFound, "together": isFound, "stray": isFound, "alone": isFound, "astray": isFound, "territory": "of what CTAs have to themselves, of which growth says nothing", "owned": "of what threads have to themselves, of which growth says nothing",
	},
}

// TestSurveyWritesMachine: each field of the machine and of the instance is written down by survey.machine, or it is known why not.
func TestSurveyWritesMachine(t *testing.T) {
	f, err := parser.ParseFile(token.NewFileSet(), "standing.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	written := map[string]bool{}
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok {
			ast.Inspect(fn, func(n ast.Node) bool {
				if s, ok := n.(*ast.SelectorExpr); ok {
					written[s.Sel.Name] = true
				}
				return true
			})
		}
	}
	for of, reasons := range unsurveyed {
		known := map[string]bool{}
		for i := range of.NumField() {
			name := of.Field(i).Name
			if known[name] = true; !written[name] && reasons[name] == "" {
				t.Errorf("%s.%s is in no survey: write it down in standing.go, or say in this file why it need not be", of.Name(), name)
			}
		}
		for name := range reasons {
			if !known[name] {
				t.Errorf("%s has no field %s any more", of.Name(), name)
			}
		}
	}
}
