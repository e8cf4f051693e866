package protocol

import (
	"reflect"
	"strings"
	"testing"
)

func TestDigest(t *testing.T) {
	digest := func(change func(*Protocol)) [32]byte {
		p := &Protocol{
			Kernel: "k", Values: map[string]string{"n": "1"}, CTAs: 1,
			Mbars:   []Mbarrier{{Name: "full", Count: 2}},
			Buffers: []Buffer{{Name: "tile", Elements: 4}},
			Sites:   []Site{{Path: "k.py", Line: 3, Text: "arrive"}},
			Classes: []Class{{Name: "a", Count: 1, Threads: []int{0}, Ops: []Op{{Kind: Arrive, Count: 1}},
				Blocks: [][]Access{nil, {{Elements: []Range{{0, 4}}}}}}},
		}
		change(p)
		return p.Digest()
	}
	base := digest(func(*Protocol) {})
	for name, change := range map[string]func(*Protocol){
		"values": func(p *Protocol) { p.Values = map[string]string{"n": "2"} },
		"kernel": func(p *Protocol) { p.Kernel = "l" },
	} {
		if digest(change) != base {
			t.Errorf("%s: another digest", name)
		}
	}
	for name, change := range map[string]func(*Protocol){
		"count":     func(p *Protocol) { p.Mbars[0].Count = 1 },
		"armed":     func(p *Protocol) { p.Mbars[0].Armed = true },
		"write":     func(p *Protocol) { p.Classes[0].Blocks[1][0].Write = true },
		"async":     func(p *Protocol) { p.Classes[0].Blocks[1][0].Async = true },
		"elements":  func(p *Protocol) { p.Classes[0].Blocks[1][0].Elements[0].Hi = 3 },
		"operation": func(p *Protocol) { p.Classes[0].Ops[0].Kind = ArriveDrop },
		"moved": func(p *Protocol) {
			p.Classes[0].Blocks[0], p.Classes[0].Blocks[1] = p.Classes[0].Blocks[1], nil
		},
		"line":    func(p *Protocol) { p.Sites[0].Line = 4 },
		"premise": func(p *Protocol) { p.Premise = &Protocol{CTAs: 1} },
	} {
		if digest(change) == base {
			t.Errorf("%s: the same digest", name)
		}
	}
}

// TestDigestCoversFields changes every field of a protocol in turn: one that the digest left out would make two protocols
// one.
func TestDigestCoversFields(t *testing.T) {
	p, fields := filled(), 0
	base := p.Digest()
	apart := map[string]bool{"Kernel": true, "Values": true, "Loops": true, "Repeats": true, // what a digest says of itself
		"Premise.Kernel": true, "Premise.Values": true, "Premise.Loops": true, "Premise.Repeats": true}
	each(t, "", reflect.ValueOf(p).Elem(), func(path string) {
		words := strings.Split(path, ".")
		top := words[0]
		if top == "Premise" && len(words) > 1 {
			top += "." + words[1]
		}
		if fields++; (p.Digest() == base) != apart[top] {
			t.Errorf("%s: changed, and the digest is the same: %t", path, p.Digest() == base)
		}
	})
	if p.Digest() != base || fields < 120 {
		t.Errorf("%d fields were tried", fields)
	}
}
