package lower

// Containers of the program may hold themselves, or share parts so often that spelling them takes for ever. Both are
// refused where a value is put into a container: what does not fit is unknown there.

// MaxNesting bounds the depth of containers in containers.
const MaxNesting = 32

// Fit is v, or data where putting it into the container would make a cycle or something too large to be looked through.
func Fit(container, v Value) Value {
	left := MaxElems
	if !bounded(container, v, MaxNesting, &left) {
		return Data{}
	}
	return v
}

// bounded reports whether v has at most *left parts, is nested no deeper than depth, and does not hold the container.
func bounded(container, v Value, depth int, left *int) bool {
	if *left--; *left < 0 || depth < 0 {
		return false
	}
	switch x := v.(type) {
	case *Sequence:
		if container == v {
			return false
		}
		for _, e := range x.Elems {
			if !bounded(container, e, depth-1, left) {
				return false
			}
		}
	case *Mapping:
		if container == v {
			return false
		}
		for _, h := range x.Order {
			if !bounded(container, x.Keys[h], depth-1, left) || !bounded(container, x.Values[h], depth-1, left) {
				return false
			}
		}
	case *PartialCall:
		for _, e := range x.Given.All() {
			if !bounded(container, e, depth-1, left) {
				return false
			}
		}
	case BoundMethod:
		return bounded(container, x.Self, depth-1, left)
	}
	return true
}
