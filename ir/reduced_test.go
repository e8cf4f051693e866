package ir

import (
	"reflect"
	"testing"
)

// TestReducedKeepsAll: what is left out of a copy is left out on purpose.
func TestReducedKeepsAll(t *testing.T) {
	derived := map[string]bool{"Insts": true, "Functions": true, "Data": true, "Tracked": true, "Blocking": true, "Writes": true, "Others": true, "Unread": true}
	whole := &Kernel{}
	v := reflect.ValueOf(whole).Elem()
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if !f.IsExported() || derived[f.Name] {
			continue
		}
		switch p := v.Field(i); p.Kind() {
		case reflect.Int, reflect.Int32:
			p.SetInt(3)
		case reflect.Bool:
			p.SetBool(true)
		case reflect.String:
			p.SetString("k")
		case reflect.Array:
			p.Index(0).SetInt(3)
		case reflect.Slice:
			p.Set(reflect.MakeSlice(p.Type(), 1, 1))
		case reflect.Map:
			p.Set(reflect.MakeMap(p.Type()))
		case reflect.Pointer:
			p.Set(reflect.New(p.Type().Elem()))
		default:
			t.Fatalf("%s is a %s: say here how it is filled", f.Name, p.Kind())
		}
	}
	whole.Registers = 4 // the register that nothing sets is one of them
	got := reflect.ValueOf(whole.Reduced(false)).Elem()
	for i := range v.NumField() {
		if f := v.Type().Field(i); f.IsExported() && !derived[f.Name] && !reflect.DeepEqual(v.Field(i).Interface(), got.Field(i).Interface()) {
			t.Errorf("%s is not in the copy", f.Name)
		}
	}
}
