package ir

// circles numbers registers so that two have one number if each is computed from the other, as what is counted in a loop is. The others are alone.
func (c *Kernel) circles() (of []int32, alone []bool) {
	into := make([][]int32, c.Registers) // register → those that it is computed from
	self := make([]bool, c.Registers)
	for k := range c.Insts {
		in := &c.Insts[k]
		if !in.Op.Does(Computes) {
			continue
		}
		operands, _ := in.OperandsOf()
		registers, _ := in.Results()
		for _, d := range registers {
			into[d] = append(into[d], operands...)
			for _, o := range operands {
				self[d] = self[d] || o == d
			}
		}
	}
	of, size := components(into)
	alone = make([]bool, c.Registers)
	for r := range alone {
		alone[r] = size[of[r]] == 1 && !self[r]
	}
	return of, alone
}

// components are the strongly connected ones of a graph, after Tarjan, "Depth-First Search and Linear Graph Algorithms": of each node its
// number, and of each number how many nodes have it.
func components(edges [][]int32) (of, size []int32) {
	type visit struct {
		node int32
		next int
	}
	n := len(edges)
	of = make([]int32, n)
	index, low, waits := make([]int32, n), make([]int32, n), make([]bool, n)
	var stack []int32
	count := int32(0)
	for root := range edges {
		if index[root] != 0 {
			continue
		}
		path := []visit{{node: int32(root)}}
		for len(path) > 0 {
			v := &path[len(path)-1]
			if v.next == 0 {
				count++
				index[v.node], low[v.node], waits[v.node] = count, count, true
				stack = append(stack, v.node)
			}
			if v.next < len(edges[v.node]) {
				to := edges[v.node][v.next]
				v.next++
				if index[to] == 0 {
					path = append(path, visit{node: to})
				} else if waits[to] {
					low[v.node] = min(low[v.node], index[to])
				}
				continue
			}
			if low[v.node] == index[v.node] {
				for members := int32(0); ; {
					m := stack[len(stack)-1]
					stack = stack[:len(stack)-1]
					waits[m], of[m] = false, int32(len(size))
					members++
					if m == v.node {
						size = append(size, members)
						break
					}
				}
			}
			done := v.node
			if path = path[:len(path)-1]; len(path) > 0 {
				above := path[len(path)-1].node
				low[above] = min(low[above], low[done])
			}
		}
	}
	return of, size
}
