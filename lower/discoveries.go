package lower

import (
	"github.com/fencepost-dev/fencepost/lower/memory"
	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
)

// discoveries are what the runs of one kernel found out about it and later runs rely on. Runs that started without
// knowing are repeated.
type discoveries struct {
	addressed  map[memory.Spot]told       // places of shared memory, where the address of tensor memory is
	domains    map[string][]int64         // values of an unknown, where they are not those of any trip count
	scales     map[string]int64           // how far apart the values of an unknown are (unknown.go)
	divided    map[program.Node]int64     // what places divided unknowns by last
	bits       map[string]bool            // unknowns that one place divides by several numbers: they are not made of parts
	divisors   map[string]bool            // unknowns that something is divided by: they are not zero
	static     map[string]bool            // unknowns that say how often a loop is unrolled
	provided   map[string]bool            // unknowns that the kernel itself provides to be zero (rounds.go)
	rounds     map[string]bool            // unknowns that say how often a loop goes round, and whatever else is of their form
	counts     map[string]bool            // those of them that are as many rounds as a loop goes
	compared   map[program.Node]*asked    // what numbers were compared with (reach.go)
	reach      []int64                    // how far counters are to get
	gone       recurring                  // as far as loops have gone round for it
	extended   int                        // how often that was found out
	recurring                             // what comes back in loops (recur.go)
	tested     map[string][]int64         // values of unknowns for which tests come out another way (threshold.go)
	strides    map[string]bool            // ends that counters of threads go on to by strides (pace.go)
	varied     map[string]bool            // arguments that the host passes and that are given other values, too (passed.go)
	wholes     map[string]int64           // numbers that are divided into parts of an unknown's size
	shortNames map[string][]string        // the texts that short names stand for, by prefix
	generators map[program.Stmt]bool      // by the first statement: whether a function yields
	meanings   map[string]*value.Expr     // the expressions that short names stand for
	trends     map[trendPlace]*trend      // of narrow numbers
	walks      []string                   // walks over the grid (stride.go)
	apart      map[joint]bool             // places that not all lanes of a warp come to (ring.go)
	rows       map[string]rowPlace        // the places of what warps find in the rows of their work (inquiry.go)
	inquiries  map[*program.Function]bool // functions that a warp looked something up with; false: not all of its lanes did
	responses  map[string][]string        // where responses of cluster launch control arrive → the mbarriers that say so

	short    map[*program.While]bool // loops of which only the first rounds are evaluated
	followed map[program.Stmt]bool   // loops and branches whose test is asked for though they do not synchronize

	inputs  map[string]bool            // parameters of which elements are unknowns of their own (input.go)
	written map[string]bool            // parameters that the kernel writes to
	read    map[string]map[string]bool // the indices at which inputs of one mode are read
	rising  map[string]bool            // inputs that hold where parts of something begin
}

func newDiscoveries() discoveries {
	return discoveries{addressed: map[memory.Spot]told{}, recurring: newRecurring(), gone: newRecurring(), tested: map[string][]int64{}, strides: map[string]bool{}, compared: map[program.Node]*asked{}, trends: map[trendPlace]*trend{}, varied: map[string]bool{}, divided: map[program.Node]int64{}, bits: map[string]bool{}, domains: map[string][]int64{}, scales: map[string]int64{}, shortNames: map[string][]string{}, responses: map[string][]string{}, rows: map[string]rowPlace{}, inquiries: map[*program.Function]bool{}, apart: map[joint]bool{},
		generators: map[program.Stmt]bool{}, meanings: map[string]*value.Expr{}, followed: map[program.Stmt]bool{}, short: map[*program.While]bool{}, inputs: map[string]bool{}, written: map[string]bool{}, rounds: map[string]bool{}, counts: map[string]bool{},
		divisors: map[string]bool{}, static: map[string]bool{}, provided: map[string]bool{}, wholes: map[string]int64{}, read: map[string]map[string]bool{}, rising: map[string]bool{}}
}

// modelled reports whether an expression depends on nothing but unknowns whose values are a model's: then it is exact
// however often it is evaluated.
func (l *lowering) modelled(e *value.Expr) bool {
	switch {
	case e.IsConst:
		return true
	case e.Op == "":
		_, inRow := l.rows[e.Atom]
		return l.domains[e.Atom] != nil || inRow
	}
	return l.modelled(e.X) && (e.Y == nil || l.modelled(e.Y))
}
