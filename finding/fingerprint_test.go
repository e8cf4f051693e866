package finding

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/fencepost-dev/fencepost/source"
)

// byDefinition computes the hashes as the definition reads, window by window.
func byDefinition(text string) []string {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text)
	text = strings.NewReplacer(" ", "", "\t", "").Replace(text)
	units := append(utf16.Encode([]rune(text)), hashEnd)
	seen := map[uint64]int{}
	var hashes []string
	for start := range units {
		if start > 0 && units[start-1] != '\n' {
			continue
		}
		var sum uint64
		for i := range hashBlock {
			sum *= hashBase
			if start+i < len(units) {
				sum += uint64(units[start+i])
			}
		}
		seen[sum]++
		hashes = append(hashes, fmt.Sprintf("%x:%d", sum, seen[sum]))
	}
	return hashes
}

func TestLineHashes(t *testing.T) {
	long := strings.Repeat("the same long line, ", 12) + "\n"
	for _, text := range []string{
		"", "\n", "a", "a\nb\n", "wait(p, 0)\r\n\twait(p, 0)\nµ😀\n", "a\rb\rc", strings.Repeat(long, 4) + "end", strings.Repeat("\n", 250), strings.Repeat("x", 99) + "\n",
	} {
		if got, want := LineHashes(&source.File{Data: []byte(text)}), byDefinition(text); !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	// Every text that ends with a terminator has this last line; the value is well known from uploads to code scanning.
	if got := LineHashes(&source.File{}); !reflect.DeepEqual(got, []string{"c129715d7a2bc9a3:1"}) {
		t.Errorf("the empty file: %q", got)
	}
}

func TestFingerprint(t *testing.T) {
	file := func(text string) func(string) *source.File {
		f := &source.File{Name: "k.py", Data: []byte(text)}
		return func(path string) *source.File {
			if path != "k.py" {
				return nil
			}
			return f
		}
	}
	list := func(lines ...int) (fs []Finding) {
		for _, n := range lines {
			fs = append(fs, Finding{Rule: "FP101", Kernel: "k", Location: Location{Path: "k.py", Line: n}})
		}
		return fs
	}
	before := list(1, 3)
	Fingerprint(before, file("wait(p, 0)\nx\nwait(p, 0)\n"))
	after := list(3, 5)
	Fingerprint(after, file("# new\n\n  wait(p,  0)\nx\nwait(p, 0)\n"))
	if before[0].Identity == before[1].Identity {
		t.Error("two findings share an identity")
	}
	for i := range before {
		if before[i].Identity != after[i].Identity || before[i].Identity == "" {
			t.Errorf("the identity moved with the line: %s, %s", before[i].Identity, after[i].Identity)
		}
		if !strings.HasSuffix(before[i].LineHash, ":1") {
			t.Errorf("line hash %q", before[i].LineHash)
		}
	}
	odd := []Finding{{Location: Location{Path: "other.py", Line: 1}}, {Location: Location{Path: "k.py", Line: 99}}}
	Fingerprint(odd, file("x\n"))
	if odd[0].Identity != "" || odd[1].LineHash != "" {
		t.Errorf("a place that is not there has a fingerprint: %+v", odd)
	}
}
