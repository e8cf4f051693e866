package lower

import (
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"testing"
	"unsafe"

	ints "github.com/fencepost-dev/fencepost/integer"
	"github.com/fencepost-dev/fencepost/program"
)

// A field that evaluation depends on and a survey leaves out would let rounds pass for alike that are not. Each field of what a
// survey goes through is written down, or stands here with the reason why it need not be.

// settled are fields of values that a survey leaves out.
var settled = map[string]map[string]string{
	"Class":    {"Mod": "fixed by decl", "Bases": "fixed by decl", "Dataclass": "fixed by decl", "Enum": "fixed by decl", "Numeric": "fixed by decl", "Args": "spells what env binds"},
	"Scope":    {"around": "set where the scope is made", "instance": "set where the scope is made"},
	"tensor":   {"cuts": "of what CTAs have to themselves, of which growth says nothing"},
	"Pointer":  {"Cuts": "of what CTAs have to themselves, of which growth says nothing"},
	"Property": {"Cached": "set where the class is made"},
	"Mixed":    {"size": "counted of x and y"},
	"Block": {"Name": "set where the block is made", "Shared": "set where the block is made", "Elements": "set where the block is made", "Size": "set where the block is made",
		"Flat": "only says what is lost", "Deep": "only says what is lost", "Counted": "only says what is lost", "From": "only says what is lost"},
}

// samples are the kinds of values that have fields.
func samples() []Value {
	number := &Expr{Num: 1, IsConst: true}
	return []Value{&Sequence{}, &Object{Fields: map[string]Value{"f": Int(1)}}, &Closure{}, Pointer{}, Symbol{Expr: number}, FlagValue{}, FlagTest{}, TryResult{}, Mixed{X: Int(1), Y: Int(2)},
		RangeValue{}, &tensor{}, &layout{}, &tiledMMA{}, &Class{Decl: &program.Class{}}, &Mapping{Order: []string{"k"}, Keys: map[string]Value{"k": Int(1)}, Values: map[string]Value{"k": Int(1)}}, &EnumMember{Class: &Class{Decl: &program.Class{}}},
		BoundMethod{}, StaticMethod{}, ClassMethod{}, Property{}, SuperRef{}, &Exception{}, Register{}, &Scope{Vars: map[string]Location{}}, &Block{}, &Cell{}, Word{}, state{}, &PartialCall{Given: &Arguments{Vals: []Value{Int(1)}}}}
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
			w := &watch{watcher: &watcher{}, ids: map[any]int64{}, names: map[any][]string{}, holders: map[*Scope][]Value{}, m: &machine{in: &instance{low: &lowering{}}}}
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
				case *Scope:
					v.scope("", y)
				case *Block:
					v.memory(y)
				case *Cell:
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
	case *Value:
		*x = Int(7)
		return true
	case *Location:
		*x = &Cell{V: Int(7)}
		return true
	case **Class:
		*x = &Class{Decl: &program.Class{}}
		return true
	case **Expr:
		*x = &Expr{Num: 9, IsConst: true}
		return true
	case *ints.Type:
		*x = ints.Int64
		return true
	case *Strength:
		x.Order += "x"
		return true
	case *[]ClassField:
		*x = append(*x, ClassField{Def: Int(7)})
		return true
	case *[]*Class:
		*x = append(*x, &Class{Decl: &program.Class{}})
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
		if one.Kind() == reflect.Interface && one.Type() == reflect.TypeFor[Value]() {
			one.Set(reflect.ValueOf(Int(7)))
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
