package exec

// maxShared bounds the shared memory whose contents are followed: more than any GPU has.
const maxShared = 1 << 20

// contents are what a CTA's shared memory holds. Most kernels use little of it and forget all of it often, so it has pages where something was kept.
type contents [maxShared / pageSize]*page

type page [pageSize]cell

const pageSize = 4096

// keep puts a cell in; what it covers in part is forgotten.
func (c *contents) keep(at, size uint32, put cell) {
	if at+size > maxShared {
		return
	}
	for k := at - min(at, widest); k < at; k++ {
		if uint32(c.at(k).size) > at-k {
			c[k/pageSize][k%pageSize] = cell{}
		}
	}
	for k := at; k < at+size; k++ {
		if p := c[k/pageSize]; p != nil {
			p[k%pageSize] = cell{}
		}
	}
	if put.size == 0 || size == 0 {
		return
	}
	if c[at/pageSize] == nil {
		c[at/pageSize] = new(page)
	}
	c[at/pageSize][at%pageSize] = put
}

// at is what was kept at an address, of size 0 if nothing is known.
func (c *contents) at(at uint32) cell {
	if at < maxShared && c[at/pageSize] != nil {
		return c[at/pageSize][at%pageSize]
	}
	return cell{}
}

// forget makes all unknown.
func (c *contents) forget() {
	for _, p := range c {
		if p != nil {
			clear(p[:])
		}
	}
}
