package order

// graphing is the barrier dependence graph as it grows.
type graphing struct {
	graph  Graph
	front  [][]int32 // per strand: nodes it waited for, the latest of each object
	phases map[phaseRef]int32
	edges  map[[2]int32]bool
}

// node adds a dynamic barrier that is complete now: it follows whatever its members waited for.
func (r *run) node(kind Kind, object uint32, cta, generation int, members, blocked []registration) {
	if !r.o.Graph {
		return
	}
	g := r.graph
	if g == nil {
		g = &graphing{front: make([][]int32, len(r.strands)), phases: map[phaseRef]int32{}, edges: map[[2]int32]bool{}}
		r.graph = g
	}
	id := int32(len(g.graph.Nodes))
	g.graph.Nodes = append(g.graph.Nodes, Node{Kind: kind, Object: object, CTA: cta, Generation: generation})
	r.memory += 64
	for _, m := range members {
		for _, from := range g.front[m.s.id] {
			if e := [2]int32{from, id}; !g.edges[e] {
				g.edges[e] = true
				g.graph.Edges = append(g.graph.Edges, e)
				r.memory += 48
			}
		}
	}
	for _, m := range blocked {
		g.front[m.s.id] = append(g.front[m.s.id][:0], id)
	}
	switch kind {
	case MbarWait:
		g.phases[phaseRef{r.objects[object].dim, int32(generation)}] = id
	case ClusterWait:
		g.phases[phaseRef{-1, int32(generation)}] = id
	}
}

// met takes down that a strand knows a phase to be over.
func (r *run) met(s *strand, kind Kind, object uint32, generation int) {
	if r.graph == nil {
		return
	}
	key := phaseRef{-1, int32(generation)}
	if kind == MbarWait {
		key.dim = r.objects[object].dim
	}
	id, ok := r.graph.phases[key]
	if !ok {
		return
	}
	front := r.graph.front[s.id][:0]
	for _, old := range r.graph.front[s.id] {
		if n := r.graph.graph.Nodes[old]; n.Kind != kind || n.Object != object {
			front = append(front, old)
		}
	}
	r.graph.front[s.id] = append(front, id)
}

func (g *graphing) out() *Graph { return &g.graph }
