package value

import "sync/atomic"

// Content is what the names of a scope, or the fields of an object, stood for at one moment. What is held is copied when it
// changes: most of it never does.
type Content[V any] struct {
	All     map[string]V // read only
	version uint64
}

// holding says whether somebody holds what there is, and which version of it that is.
type holding struct {
	held    bool
	version uint64
}

var versions atomic.Uint64

func (h *holding) hold() uint64 {
	if !h.held {
		h.held, h.version = true, versions.Add(1)
	}
	return h.version
}

// is reports whether there is what there was.
func (h *holding) is(version uint64) bool { return h.held && h.version == version }

// Hold gives what the names of the scope stand for now, whatever is bound later.
func (s *Scope) Hold() Content[Location] { return Content[Location]{s.Vars, s.hold()} }

// Hold gives the fields as they are now, whatever is put later.
func (o *Object) Hold() Content[Value] { return Content[Value]{o.Fields, o.hold()} }

func (s *Scope) restore(c Content[Location]) { s.Vars, s.holding = c.All, holding{true, c.version} }
func (o *Object) restore(c Content[Value])   { o.Fields, o.holding = c.All, holding{true, c.version} }

func (s *Scope) own() {
	if s.held {
		s.Vars, s.held = CloneMap(s.Vars), false
	}
}

func (o *Object) own() {
	if o.held {
		o.Fields, o.held = CloneMap(o.Fields), false
	}
}

// Bind makes a name of this scope stand for a place.
func (s *Scope) Bind(name string, l Location) {
	s.own()
	s.Vars[name] = l
}

// Unbind takes a name out of this scope.
func (s *Scope) Unbind(name string) {
	s.own()
	delete(s.Vars, name)
}

// Put gives a field a value.
func (o *Object) Put(name string, v Value) {
	o.own()
	o.Fields[name] = v
}

// Drop takes a field out.
func (o *Object) Drop(name string) {
	o.own()
	delete(o.Fields, name)
}

// HandOver gives an object all that this one has, which has other fields from then on.
func (o *Object) HandOver(fields map[string]Value) *Object {
	out := &Object{Class: o.Class, Fields: o.Fields, holding: o.holding}
	o.Fields, o.holding = fields, holding{}
	return out
}
