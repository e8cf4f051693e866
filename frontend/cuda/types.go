package cuda

import (
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/ir"
	"github.com/fencepost-dev/fencepost/program"
)

// ctype is a type of C++ as far as a kernel's memory and arithmetic need it.
type ctype struct {
	number  ir.Type // of scalars; no bits: none
	boolean bool
	to      *ctype   // a pointer's, an array's element
	extent  int64    // of an array; -1: not said
	array   bool     // to is an element
	space   ir.Space // of a pointer
	fields  []field  // of a class
	name    string   // of a class, as it is written
	size    int64
	align   int64
	class   *program.Class
}

// field is a data member and its place.
type field struct {
	name string
	t    *ctype
	at   int64
}

var (
	voidType = &ctype{size: 0, align: 1, name: "void"}
	boolType = &ctype{number: ir.Type{Bits: 8}, boolean: true, size: 1, align: 1}
	intType  = scalar(32, true, false)
	uintType = scalar(32, false, false)
	longType = scalar(64, true, false)
	ulongOf  = scalar(64, false, false)
	realType = scalar(32, true, true)
)

func scalar(bits uint8, signed, data bool) *ctype {
	n := int64(max(bits, 8)) / 8
	return &ctype{number: ir.Type{Bits: bits, Signed: signed && !data, Data: data}, size: n, align: n}
}

func pointerTo(t *ctype, space ir.Space) *ctype {
	return &ctype{to: t, space: space, size: 8, align: 8}
}

func arrayOf(t *ctype, n int64) *ctype {
	return &ctype{to: t, array: true, extent: n, size: t.size * max(n, 0), align: t.align}
}

func (t *ctype) pointer() bool    { return t != nil && t.to != nil && !t.array }
func (t *ctype) data() bool       { return t.number.Data }
func (t *ctype) integer() bool    { return t.number.Bits > 0 && !t.number.Data }
func (t *ctype) scalarLike() bool { return t.number.Bits > 0 || t.pointer() }

// scalars are the number types of C++ and CUDA on a 64-bit host, by their spelling without const and with single spaces.
var scalars = map[string]*ctype{
	"void": voidType, "bool": boolType, "char": scalar(8, true, false), "signed char": scalar(8, true, false), "unsigned char": scalar(8, false, false), "uchar": scalar(8, false, false),
	"int8_t": scalar(8, true, false), "uint8_t": scalar(8, false, false), "short": scalar(16, true, false), "short int": scalar(16, true, false), "unsigned short": scalar(16, false, false), "ushort": scalar(16, false, false),
	"int16_t": scalar(16, true, false), "uint16_t": scalar(16, false, false), "int": intType, "signed": intType, "signed int": intType, "int32_t": intType,
	"unsigned": uintType, "unsigned int": uintType, "uint": uintType, "uint32_t": uintType, "long": longType, "long int": longType, "long long": longType, "long long int": longType,
	"int64_t": longType, "ptrdiff_t": longType, "intptr_t": longType, "unsigned long": ulongOf, "unsigned long long": ulongOf, "unsigned long long int": ulongOf, "unsigned long int": ulongOf, "ulong": ulongOf,
	"uint64_t": ulongOf, "size_t": ulongOf, "uintptr_t": ulongOf, "clock_t": longType,
	"float": realType, "double": scalar(64, true, true), "half": scalar(16, true, true), "__half": scalar(16, true, true), "__nv_bfloat16": scalar(16, true, true), "nv_bfloat16": scalar(16, true, true),
	"half2": scalar(32, true, true), "__half2": scalar(32, true, true), "__nv_bfloat162": scalar(32, true, true), "nv_bfloat162": scalar(32, true, true),
}

// vectors are CUDA's vector types (vector_types.h): element, members, alignment.
var vectors = func() map[string]*ctype {
	out := map[string]*ctype{}
	for name, t := range map[string]*ctype{"char": scalars["char"], "uchar": scalars["uchar"], "short": scalars["short"], "ushort": scalars["ushort"], "int": intType, "uint": uintType,
		"long": longType, "ulong": ulongOf, "longlong": longType, "ulonglong": ulongOf, "float": realType, "double": scalars["double"]} {
		for n := int64(1); n <= 4; n++ {
			align := t.size
			if n != 3 {
				align = min(t.size*n, 16)
			}
			v := &ctype{name: name + string(rune('0'+n)), size: t.size * n, align: align}
			for k := range n {
				v.fields = append(v.fields, field{string("xyzw"[k]), t, k * t.size})
			}
			out[v.name] = v
		}
	}
	out["dim3"] = &ctype{name: "dim3", size: 12, align: 4, fields: []field{{"x", uintType, 0}, {"y", uintType, 4}, {"z", uintType, 8}}}
	return out
}()

var apart = strings.NewReplacer("*", " * ", "&", " & ")

// typeOf reads a type as it is written; nil where it is not known.
func (c *compiler) typeOf(text string) *ctype {
	words := strings.Fields(apart.Replace(text))
	stars := 0
	words = slices.DeleteFunc(words, func(w string) bool {
		switch w {
		case "const", "volatile", "__restrict__", "__restrict", "restrict", "&", "static", "constexpr", "typename", "__device__", "register", "extern", "inline", "struct", "class":
			return true
		case "*":
			stars++
			return true
		}
		return false
	})
	name := strings.Join(words, " ")
	suffix := strings.HasSuffix(name, "[]")
	name = strings.TrimSuffix(name, "[]")
	t := c.named(name)
	if t == nil {
		return nil
	}
	if suffix {
		stars++
	}
	for range stars {
		t = pointerTo(t, ir.Generic)
	}
	return t
}

func (c *compiler) named(name string) *ctype {
	if t := c.scope.types(name); t != nil {
		return t
	}
	if v := c.scope.find(name); v != nil && v.macro != nil && c.macros < maxInline { // #define real float
		if id, is := v.macro.(*program.Name); is && id.Ident != name {
			c.macros++
			defer func() { c.macros-- }()
			return c.typeOf(id.Ident)
		}
	}
	name = strings.TrimPrefix(strings.TrimPrefix(name, "::"), "std::")
	if t := scalars[name]; t != nil {
		return t
	}
	if t := vectors[name]; t != nil {
		return t
	}
	return c.classType(name)
}

// classType lays out a class of the file whose members are all of known types (Itanium C++ ABI, 2.2: members in order, each aligned).
func (c *compiler) classType(name string) *ctype {
	if t, known := c.laid[name]; known {
		return t
	}
	class := c.classes[name]
	if class == nil || len(class.Bases) > 0 || len(class.Template) > 0 {
		return nil
	}
	c.laid[name] = nil // one that contains itself is no type
	if class.Enum {
		c.laid[name] = intType
		return intType
	}
	t := &ctype{name: name, class: class, align: 1}
	for _, f := range class.Fields {
		if slices.Contains(strings.Fields(f.Type), "static") || f.Const {
			continue
		}
		for _, target := range f.Targets {
			id, ok := target.(*program.Name)
			of := c.typeOf(f.Type)
			if !ok || of == nil {
				return nil
			}
			for k := len(f.Dims) - 1; k >= 0; k-- {
				n, known := c.constant(f.Dims[k])
				if !known {
					return nil
				}
				of = arrayOf(of, n)
			}
			at := int64(0)
			if !class.Union {
				at = (t.size + of.align - 1) / of.align * of.align
			}
			t.fields = append(t.fields, field{id.Ident, of, at})
			t.size, t.align = max(t.size, at+of.size), max(t.align, of.align)
		}
	}
	t.size = (t.size + t.align - 1) / t.align * t.align
	c.laid[name] = t
	return t
}

func (t *ctype) member(name string) (field, bool) {
	for _, f := range t.fields {
		if f.name == name {
			return f, true
		}
	}
	return field{}, false
}
