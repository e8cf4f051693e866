package lower

import (
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"testing"
	"unsafe"

	ints "github.com/fencepost-dev/fencepost/integer"
	"github.com/fencepost-dev/fencepost/lower/cute"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
)

// A field that evaluation depends on and a survey leaves out would let rounds pass for alike that are not. Each field of what a
// survey goes through is written down, or stands here with the reason why it need not be.

// settled are fields of values that a survey leaves out.
var settled = map[string]map[string]string{
	"Class":    {"Mod": "fixed by decl", "Bases": "fixed by decl", "Dataclass": "fixed by decl", "Enum": "fixed by decl", "Numeric": "fixed by decl", "Args": "spells what env binds"},
	"Object":   {"holding": "says when the fields are copied, not what they are"},
	"Scope":    {"holding": "says when the names are copied, not what they are", "around": "set where the scope is made", "instance": "set where the scope is made"},
	"Tensor":   {"Cuts": "of what CTAs have to themselves, of which growth says nothing"},
	"Pointer":  {"Cuts": "of what CTAs have to themselves, of which growth says nothing"},
	"Property": {"Cached": "set where the class is made"},
	"Mixed":    {"size": "counted of x and y"},
	"Block": {"Name": "set where the block is made", "Shared": "set where the block is made", "Elements": "set where the block is made", "Size": "set where the block is made",
		"Flat": "only says what is lost", "Deep": "only says what is lost", "Counted": "only says what is lost", "Next": "follows from the struct that it is a field of", "From": "only says what is lost"},
}

// samples are the kinds of values that have fields.
func samples() []value.Value {
	number := &value.Expr{Num: 1, IsConst: true}
	return []value.Value{&value.Sequence{}, &value.Object{Fields: map[string]value.Value{"f": value.Int(1)}}, &value.Closure{}, value.Pointer{}, value.Symbol{Expr: number}, value.FlagValue{}, value.FlagTest{}, value.TryResult{}, value.Mixed{X: value.Int(1), Y: value.Int(2)},
		value.RangeValue{}, &cute.Tensor{}, &cute.Layout{}, &cute.TiledMMA{}, &value.Class{Decl: &program.Class{}}, &value.Mapping{Order: []string{"k"}, Keys: map[string]value.Value{"k": value.Int(1)}, Values: map[string]value.Value{"k": value.Int(1)}}, &value.EnumMember{Class: &value.Class{Decl: &program.Class{}}},
		value.BoundMethod{}, value.StaticMethod{}, value.ClassMethod{}, value.Property{}, value.SuperRef{}, &value.Exception{}, value.Register{}, &value.Scope{Vars: map[string]value.Location{}}, &value.Block{}, &value.Cell{}, value.Word{}, state{}, &value.PartialCall{Given: &value.Arguments{Vals: []value.Value{value.Int(1)}}}}
}

// TestSurveyWritesValues changes each field of each kind of value: what a survey writes is something else then.
func TestSurveyWritesValues(t *testing.T) {
	fields := 0
	for _, x := range samples() {
		kind := reflect.TypeOf(x)
		pointed := kind.Kind() == reflect.Pointer
		if pointed {
			kind = kind.Elem()
		}
		for i := range kind.NumField() {
			field := kind.Field(i)
			if why := settled[kind.Name()][field.Name]; why != "" {
				continue
			}
			w := &watch{watcher: &watcher{}, ids: map[any]int64{}, names: map[any][]string{}, holders: map[*value.Scope][]value.Value{}, m: &machine{in: &instance{low: &lowering{}}}}
			same := reflect.New(kind)
			if pointed {
				same.Elem().Set(reflect.ValueOf(x).Elem())
			} else {
				same.Elem().Set(reflect.ValueOf(x))
			}
			at := same.Elem().Field(i)
			at = reflect.NewAt(at.Type(), unsafe.Pointer(at.UnsafeAddr())).Elem()
			write := func() string {
				v := &survey{w: w, h: &head{counts: map[string]int64{}}, seen: map[any]int{}, left: maxSurvey}
				switch y := same.Interface().(type) {
				case *value.Scope:
					v.scope("", y)
				case *value.Block:
					v.memory(y)
				case *value.Cell:
					v.location("", y)
				default:
					if pointed {
						v.value("", y)
					} else {
						v.value("", same.Elem().Interface())
					}
				}
				return string(v.b)
			}
			before := write()
			fields++
			if !another(at) {
				t.Errorf("%s.%s: a %s is not tried", kind.Name(), field.Name, at.Type())
			} else if clear(w.names); write() == before {
				t.Errorf("%s.%s is in no survey: write it down there, or say in this file why it need not be", kind.Name(), field.Name)
			}
			if w.reason != "" {
				t.Errorf("%s.%s: %s", kind.Name(), field.Name, w.reason)
			}
		}
	}
	if fields < 90 {
		t.Errorf("%d fields were tried", fields)
	}
}

// another gives a field another value.
func another(v reflect.Value) bool {
	switch x := v.Addr().Interface().(type) {
	case *value.Value:
		*x = value.Int(7)
		return true
	case *value.Location:
		*x = &value.Cell{V: value.Int(7)}
		return true
	case **value.Class:
		*x = &value.Class{Decl: &program.Class{}}
		return true
	case **value.Expr:
		*x = &value.Expr{Num: 9, IsConst: true}
		return true
	case *ints.Type:
		*x = ints.Int64
		return true
	case *value.Strength:
		x.Order += "x"
		return true
	case *[]value.ClassField:
		*x = append(*x, value.ClassField{Def: value.Int(7)})
		return true
	case *[]*value.Class:
		*x = append(*x, &value.Class{Decl: &program.Class{}})
		return true
	}
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(!v.Bool())
	case reflect.Int, reflect.Int64:
		v.SetInt(v.Int() + 7)
	case reflect.String:
		v.SetString(v.String() + "x")
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
	case reflect.Slice:
		one := reflect.New(v.Type().Elem()).Elem()
		if one.Kind() == reflect.Interface && one.Type() == reflect.TypeFor[value.Value]() {
			one.Set(reflect.ValueOf(value.Int(7)))
		}
		v.Set(reflect.Append(v, one))
	case reflect.Map:
		m := reflect.MakeMap(v.Type())
		if v.Len() == 0 {
			m.SetMapIndex(reflect.New(v.Type().Key()).Elem(), reflect.Zero(v.Type().Elem()))
		}
		for _, key := range v.MapKeys() {
			x := reflect.New(v.Type().Elem()).Elem()
			if !another(x) {
				return false
			}
			m.SetMapIndex(key, x)
		}
		v.Set(m)
	case reflect.Struct:
		return v.NumField() > 0 && another(reflect.NewAt(v.Field(0).Type(), unsafe.Pointer(v.Field(0).UnsafeAddr())).Elem())
	case reflect.Interface:
		if v.NumMethod() > 0 && reflect.TypeFor[*program.Name]().Implements(v.Type()) {
			v.Set(reflect.ValueOf(&program.Name{}))
			return true
		}
		return false
	default:
		return false
	}
	return true
}

// TestSurveyKinds: every kind of value that a survey knows and that has fields is among the samples.
func TestSurveyKinds(t *testing.T) {
	known := map[string]bool{"Cell": true, "Scope": true, "Block": true}
	for _, x := range samples() {
		kind := reflect.TypeOf(x)
		if kind.Kind() == reflect.Pointer {
			kind = kind.Elem()
		}
		known[kind.Name()] = true
	}
	for _, name := range []string{"nil", "None", "Data", "Int", "Lanes", "Text", "Path", "Float"} {
		known[name] = true // no fields
	}
	// Named by what they are, as the modules and the kinds of numbers stay as they are.
	for _, name := range []string{"ModuleRef", "NumberKind"} {
		known[name] = true
	}
	// Places, which are not kept in values but in scopes: each is what it is a place in.
	for _, name := range []string{"Location", "ElementOf", "FieldOf", "KeyOf", "importCell", "Nowhere"} {
		known[name] = true
	}
	seen := 0
	for _, file := range []string{"survey.go", "surveyed.go"} {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			s, ok := n.(*ast.TypeSwitchStmt)
			if !ok {
				return true
			}
			for _, c := range s.Body.List {
				for _, e := range c.(*ast.CaseClause).List {
					if p, ok := e.(*ast.StarExpr); ok {
						e = p.X
					}
					if of, ok := e.(*ast.SelectorExpr); ok {
						e = of.Sel
					}
					if id, ok := e.(*ast.Ident); ok {
						if seen++; !known[id.Name] {
							t.Errorf("%s of %s is in no sample", id.Name, file)
						}
					}
				}
			}
			return true
		})
	}
	if seen < 40 {
		t.Errorf("%d kinds", seen)
	}
}
