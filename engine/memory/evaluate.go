package memory

// machine evaluates a model on one execution that is being put together. Relations that are decided in part are enough
// to see that an axiom fails, as every axiom fails for more of them if it fails for less (compile.go keeps it so).
type machine struct {
	grid
	model *Model
	val   []relation          // by step
	bases map[string]relation // of the execution, by name in the model
	picks []relation          // by order: directions that were decided
	spare relation
}

func newMachine(m *Model, n int) *machine {
	x := &machine{grid: grid{n, wordsFor(n)}, model: m, val: make([]relation, len(m.steps)), bases: map[string]relation{}}
	for name, set := range base {
		switch {
		case recent[name] && !m.recent():
		case set:
			x.bases[name] = x.set()
		default:
			x.bases[name] = x.relation()
		}
	}
	for i, s := range m.steps {
		switch {
		case s.kind == kindBase:
			x.val[i] = x.bases[s.base]
		case s.set:
			x.val[i] = x.set()
		default:
			x.val[i] = x.relation()
		}
	}
	for range m.orders {
		x.picks = append(x.picks, x.relation())
	}
	x.spare = x.relation()
	return x
}

// run computes what depends on what a stage decides, and reports whether no axiom fails.
func (x *machine) run(from stage) bool {
	for i := range x.model.steps {
		if s := &x.model.steps[i]; s.stage >= from && s.stage < afterwards && !x.compute(i, s) {
			return false
		}
	}
	for i := range x.model.checks {
		c := &x.model.checks[i]
		if c.kind != flagged && x.model.steps[c.of].stage >= from && !x.holds(c) {
			return false
		}
	}
	return true
}

// flags computes what is told of an execution that is decided: the labels of the flags that have something in them.
func (x *machine) flags(label string) (relation, bool) {
	for i := range x.model.steps {
		if s := &x.model.steps[i]; s.stage == afterwards {
			x.compute(i, s)
		}
	}
	for _, c := range x.model.checks {
		if c.kind == flagged && c.label == label && !empty(x.val[c.of]) {
			return x.val[c.of], true
		}
	}
	return nil, false
}

// compute sets the value of a step; false if it is an order with a cycle.
func (x *machine) compute(i int, s *step) bool {
	dst := x.val[i]
	switch s.kind {
	case kindBase:
	case kindUnion:
		a, b := x.val[s.a], x.val[s.b]
		for k := range dst {
			dst[k] = a[k] | b[k]
		}
	case kindIntersection:
		a, b := x.val[s.a], x.val[s.b]
		for k := range dst {
			dst[k] = a[k] & b[k]
		}
	case kindDifference:
		a, b := x.val[s.a], x.val[s.b]
		for k := range dst {
			dst[k] = a[k] &^ b[k]
		}
	case kindCompose:
		x.compose(dst, x.val[s.a], x.val[s.b])
	case kindProduct:
		x.product(dst, x.val[s.a], x.val[s.b])
	case kindIdentity:
		x.identity(dst, x.val[s.a])
	case kindInverse:
		x.inverse(dst, x.val[s.a])
	case kindClosure:
		x.closure(dst, x.val[s.a])
	case kindReflexive:
		x.reflexive(dst, x.val[s.a])
	case kindOrder:
		a, b := x.val[x.model.orders[s.a].contains], x.picks[s.a]
		for k := range x.spare {
			x.spare[k] = a[k] | b[k]
		}
		x.closure(dst, x.spare)
		return x.irreflexive(dst)
	}
	return true
}

func (x *machine) holds(c *check) bool {
	r := x.val[c.of]
	switch c.kind {
	case checkEmpty:
		return empty(r)
	case checkIrreflexive:
		return x.irreflexive(r)
	}
	x.closure(x.spare, r)
	return x.irreflexive(x.spare)
}

// undecided finds a pair that an order has to decide and has not.
func (x *machine) undecided(o int) (a, b int, found bool) {
	order := &x.model.orders[o]
	want, have := x.val[order.decides], x.val[order.step]
	for i := 0; i < x.n; i++ {
		for j := 0; j < x.n; j++ {
			if i != j && x.has(want, i, j) && !x.has(have, i, j) && !x.has(have, j, i) {
				return i, j, true
			}
		}
	}
	return 0, 0, false
}

// named is the value of a name of the model, such as co.
func (x *machine) named(name string) relation {
	if i, ok := x.model.names[name]; ok {
		return x.val[i]
	}
	return nil
}
