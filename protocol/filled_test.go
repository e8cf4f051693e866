package protocol

import (
	"reflect"
	"testing"
)

// filled is a protocol with something in every list: a field that is added is in it, too.
func filled() *Protocol {
	var p Protocol
	fill(reflect.ValueOf(&p).Elem(), 1)
	return &p
}

// fill makes lists and maps one long, and pointers of some depth point to something filled.
func fill(v reflect.Value, depth int) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), depth)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0), depth)
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.ValueOf("n"), reflect.ValueOf("1"))
	case reflect.Pointer:
		if depth > 0 {
			v.Set(reflect.New(v.Type().Elem()))
			fill(v.Elem(), depth-1)
		}
	}
}

// each calls changed with the path of every part of v in turn while it has another value: of lists, too, while they are empty.
func each(t *testing.T, path string, v reflect.Value, changed func(path string)) {
	t.Helper()
	old := reflect.New(v.Type()).Elem()
	old.Set(v)
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			name := v.Type().Field(i).Name
			if path != "" {
				name = path + "." + name
			}
			each(t, name, v.Field(i), changed)
		}
		return
	case reflect.Slice:
		if v.Len() == 0 {
			t.Errorf("%s is empty: nothing of it is tried", path)
		}
		for i := range v.Len() {
			each(t, path, v.Index(i), changed)
		}
		v.SetZero()
	case reflect.Map:
		for _, m := range []map[string]string{{"n": "2"}, {"m": "1"}} {
			v.Set(reflect.ValueOf(m))
			changed(path)
		}
		v.SetZero()
	case reflect.Pointer:
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
			break
		}
		each(t, path, v.Elem(), changed)
		v.SetZero()
	default:
		alter(t, path, v)
	}
	changed(path)
	v.Set(old)
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

// TestEqualCoversFields: operations and accesses that differ in any field are not equal.
func TestEqualCoversFields(t *testing.T) {
	one := filled().Classes[0].Ops[0]
	same := filled().Classes[0].Ops[0]
	if !one.Equal(&same) || !one.Access[0].Equal(same.Access[0]) {
		t.Fatal("not equal to itself")
	}
	fields := 0
	each(t, "Op", reflect.ValueOf(&same).Elem(), func(path string) {
		if fields++; one.Equal(&same) {
			t.Errorf("%s: changed, and equal", path)
		}
	})
	each(t, "Access", reflect.ValueOf(&same.Access[0]).Elem(), func(path string) {
		if fields++; one.Access[0].Equal(same.Access[0]) {
			t.Errorf("%s: changed, and equal", path)
		}
	})
	if fields < 35 {
		t.Errorf("%d fields were tried", fields)
	}
}

// TestGrowCoversLocations: what a class has one of a location, or says by locations, is what Grow repeats.
func TestGrowCoversLocations(t *testing.T) {
	known := map[reflect.Type]map[string]string{
		reflect.TypeFor[Class]():    {"Name": "", "CTA": "", "Count": "", "Threads": "", "Ops": "one a location", "Blocks": "one a location, and the end"},
		reflect.TypeFor[Op]():       {"Kind": "", "Object": "", "Count": "", "Value": "", "Bytes": "", "Parity": "", "Compare": "", "Order": "", "Scope": "", "Effects": "", "Access": "", "Behind": "sites", "Drains": "locations", "Site": ""},
		reflect.TypeFor[Loop]():     {"Unknown": "", "Class": "", "Heads": "locations", "Lead": "rounds"},
		reflect.TypeFor[Protocol](): {"Kernel": "", "Values": "", "CTAs": "", "Cluster": "", "GPUs": "", "Fenced": "", "Beyond": "", "Wide": "", "Mbars": "", "Named": "", "Flags": "", "Buffers": "", "Classes": "locations", "Across": "", "Sites": "", "Premise": "of the same locations", "Loops": "locations", "Repeats": ""},
	}
	for of, fields := range known {
		for i := range of.NumField() {
			if _, ok := fields[of.Field(i).Name]; !ok {
				t.Errorf("%s.%s is new: does Grow have to repeat it?", of.Name(), of.Field(i).Name)
			}
		}
	}
}
