package protocol

import (
	"reflect"
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
	access := Access{Elements: []Range{{0, 4}}}
	one := func() *Protocol {
		return &Protocol{
			CTAs: 1, Mbars: make([]Mbarrier, 1), Named: make([]Named, 1), Flags: make([]Flag, 1), Buffers: make([]Buffer, 1), Sites: make([]Site, 1),
			Classes: []Class{{Threads: []int{0}, Blocks: [][]Access{{access}},
				Ops: []Op{{Effects: make([]Effect, 1), Access: []Access{access}, Drains: []int{0}}}}},
		}
	}
	p := one()
	p.Premise = one()
	base, fields := p.Digest(), 0
	var walk func(path string, v reflect.Value)
	walk = func(path string, v reflect.Value) {
		old := reflect.New(v.Type()).Elem()
		old.Set(v)
		switch v.Kind() {
		case reflect.Struct:
			for i := range v.NumField() {
				if name := v.Type().Field(i).Name; name != "Kernel" && name != "Values" && name != "Loops" && name != "Repeats" {
					walk(path+"."+name, v.Field(i))
				}
			}
			return
		case reflect.Slice:
			for i := range v.Len() {
				walk(path, v.Index(i))
			}
			return
		case reflect.Pointer:
			if !v.IsNil() {
				walk(path, v.Elem())
			}
			return
		default:
			alter(t, path, v)
		}
		if fields++; p.Digest() == base {
			t.Errorf("%s is no part of the digest", path)
		}
		v.Set(old)
	}
	walk("Protocol", reflect.ValueOf(p).Elem())
	if p.Digest() != base || fields < 50 {
		t.Errorf("%d fields were tried", fields)
	}
}

// alter gives a field another value.
func alter(t *testing.T, path string, v reflect.Value) {
	t.Helper()
	switch v.Kind() {
	case reflect.String:
		v.SetString(v.String() + "x")
	case reflect.Bool:
		v.SetBool(!v.Bool())
	case reflect.Uint8:
		v.SetUint(v.Uint() + 1)
	case reflect.Int:
		v.SetInt(v.Int() + 7) // no other number of the protocols tried
	default:
		t.Fatalf("%s: a %s is not tried", path, v.Kind())
	}
}
