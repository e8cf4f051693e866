package lower

// Containers of the program may hold themselves, or share parts so often that spelling them takes for ever. Both are
// refused where a value is put into a container: what does not fit is unknown there.

// maxNesting bounds the depth of containers in containers.
const maxNesting = 32

// fit is v, or data where putting it into the container would make a cycle or something too large to be looked through.
func fit(container, v value) value {
	left := maxElems
	if !bounded(container, v, maxNesting, &left) {
		return data{}
	}
	return v
}

// bounded reports whether v has at most *left parts, is nested no deeper than depth, and does not hold the container.
func bounded(container, v value, depth int, left *int) bool {
	if *left--; *left < 0 || depth < 0 {
		return false
	}
	switch x := v.(type) {
	case *sequence:
		if container == v {
			return false
		}
		for _, e := range x.elems {
			if !bounded(container, e, depth-1, left) {
				return false
			}
		}
	case *mapping:
		if container == v {
			return false
		}
		for _, h := range x.order {
			if !bounded(container, x.keys[h], depth-1, left) || !bounded(container, x.values[h], depth-1, left) {
				return false
			}
		}
	case *partial:
		for _, e := range x.given.all() {
			if !bounded(container, e, depth-1, left) {
				return false
			}
		}
	case boundMethod:
		return bounded(container, x.self, depth-1, left)
	}
	return true
}
