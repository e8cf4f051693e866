package protocol

import (
	"reflect"
	"testing"
)

// TestShape changes every field of a protocol in turn: what people read is no part of its shape, everything else is.
func TestShape(t *testing.T) {
	access := Access{Elements: []Range{{0, 4}}}
	one := func() *Protocol {
		return &Protocol{
			CTAs: 1, Mbars: make([]Mbarrier, 1), Named: make([]Named, 1), Flags: make([]Flag, 1), Buffers: make([]Buffer, 1),
			Sites:  []Site{{Path: "k.py", Line: 3}, {Path: "k.py", Line: 4}},
			Values: map[string]string{"n": "1"}, Loops: []Loop{{Heads: []int{0}}}, Repeats: make([]Repeat, 1),
			Classes: []Class{{Threads: []int{0}, Blocks: [][]Access{{access}},
				Ops: []Op{{Effects: make([]Effect, 1), Access: []Access{access}, Drains: []int{0}}}}},
		}
	}
	words := map[string]bool{
		"Kernel": true, "Mbars.Name": true, "Flags.Name": true, "Buffers.Name": true, "Classes.Name": true,
		"Sites.Path": true, "Sites.Line": true, "Sites.Text": true, // both places change as one does here: neither line is the other's
	}
	p, fields := one(), 0
	base := p.Shape()
	var walk func(path string, v reflect.Value)
	changed := func(path string) {
		fields++
		if same := p.Shape() == base; same != words[path] {
			t.Errorf("%s: changed, and the shape is the same: %t", path, same)
		}
	}
	walk = func(path string, v reflect.Value) {
		old := reflect.New(v.Type()).Elem()
		old.Set(v)
		switch v.Kind() {
		case reflect.Struct:
			for i := range v.NumField() {
				name := v.Type().Field(i).Name
				if path != "" {
					name = path + "." + name
				}
				walk(name, v.Field(i))
			}
			return
		case reflect.Slice:
			for i := range v.Len() {
				walk(path, v.Index(i))
			}
			return
		case reflect.Map:
			for _, m := range []map[string]string{{"n": "2"}, {"m": "1"}, {}} {
				v.Set(reflect.ValueOf(m))
				changed(path)
			}
			v.Set(old)
			return
		case reflect.Pointer:
			v.Set(reflect.ValueOf(one()))
		default:
			alter(t, path, v)
		}
		changed(path)
		v.Set(old)
	}
	walk("", reflect.ValueOf(p).Elem())
	if p.Shape() != base || fields < 50 {
		t.Errorf("%d fields were tried", fields)
	}
	p.Sites[1].Line = 3
	if p.Shape() == base {
		t.Error("which places are on one line is no part of the shape")
	}
}
