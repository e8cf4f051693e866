package protocol

import (
	"reflect"
	"strings"
	"testing"
)

// TestShape changes every field of a protocol in turn: what people read is no part of its shape, everything else is.
func TestShape(t *testing.T) {
	p, fields := filled(), 0
	p.Sites = []Site{{Path: "k.py", Line: 3}, {Path: "k.py", Line: 4}}
	base := p.Shape()
	words := map[string]bool{
		"Kernel": true, "Mbars.Name": true, "Flags.Name": true, "Buffers.Name": true, "Classes.Name": true,
		"Sites.Path": true, "Sites.Line": true, "Sites.Text": true, "Sites.From": true, // both places change as one does here: neither line is the other's
	}
	each(t, "", reflect.ValueOf(p).Elem(), func(path string) {
		in := strings.TrimPrefix(path, "Premise.")
		// How a premise grows is how its protocol does.
		want := words[in] || in != path && (strings.HasPrefix(in, "Values") || strings.HasPrefix(in, "Loops") || strings.HasPrefix(in, "Repeats"))
		if fields++; (p.Shape() == base) != want {
			t.Errorf("%s: changed, and the shape is the same: %t", path, p.Shape() == base)
		}
	})
	if p.Shape() != base || fields < 120 {
		t.Errorf("%d fields were tried", fields)
	}
	p.Sites[1].Line = 3
	if p.Shape() == base {
		t.Error("which places are on one line is no part of the shape")
	}
}
