package combination

import "github.com/fencepost-dev/fencepost/lower/value"

// NameFields makes fields of which nothing is known unknowns with the names of their fields, those of objects in them too.
func NameFields(v value.Value, name string, depth int) {
	o, ok := v.(*value.Object)
	if !ok || depth > 4 {
		return
	}
	for f, x := range o.Fields {
		if _, ok := x.(value.Data); ok {
			o.Put(f, value.Atom(name+"."+f))
			continue
		}
		NameFields(x, name+"."+f, depth+1)
	}
}
