package check

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/fencepost-dev/fencepost/engine"
	"github.com/fencepost-dev/fencepost/engine/explore"
	"github.com/fencepost-dev/fencepost/protocol"
)

// TestKeyCoversLimits: an answer depends on every limit but the time, which only ever makes it none, and the work of executing kernels, which
// no engine of protocols does.
func TestKeyCoversLimits(t *testing.T) {
	p, lim := hanging(), engine.Limits{}
	base := keyOf(explore.Name, nil, p, protocol.Properties, lim)
	v := reflect.ValueOf(&lim).Elem()
	for i := range v.NumField() {
		name := v.Type().Field(i).Name
		v.Field(i).SetInt(7)
		if same := keyOf(explore.Name, nil, p, protocol.Properties, lim) == base; same != (name == "Time" || name == "Work") {
			t.Errorf("%s: changed, and the key is the same: %t", name, same)
		}
		v.Field(i).SetInt(0)
	}
}

// TestKeptResult: what is kept of an answer comes back whole.
func TestKeptResult(t *testing.T) {
	var r, back engine.Result
	complete(t, "Result", reflect.ValueOf(&r).Elem())
	data, err := json.Marshal(&r)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &back); err != nil || !reflect.DeepEqual(r, back) {
		t.Errorf("%v: %+v came back as %+v", err, r, back)
	}
}

// complete gives every field of a value, and of what is in it, another value than none.
func complete(t *testing.T, path string, v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); !f.IsExported() {
				t.Errorf("%s.%s is not kept", path, f.Name)
				continue
			}
			complete(t, path+"."+v.Type().Field(i).Name, v.Field(i))
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		complete(t, path, v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		complete(t, path, v.Index(0))
	case reflect.Map:
		key, x := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		complete(t, path, key)
		complete(t, path, x)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, x)
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Uint8:
		v.SetUint(1)
	case reflect.Int, reflect.Int64:
		v.SetInt(3)
	default:
		t.Errorf("%s: a %s is not tried", path, v.Kind())
	}
}
