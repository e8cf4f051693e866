package cuda

import (
	"slices"
	"strings"
)

// waitsForGrids is how a kernel waits for those before it.
var waitsForGrids = []string{"griddepcontrol", "cudaGridDependencySynchronize"}

// leavesOut reports whether text that is not compiled here has one of some words.
func (c *compiler) leavesOut(words []string) bool {
	for _, f := range c.files {
		for _, l := range f.Left {
			text := f.Source.Text(l.Span)
			if slices.ContainsFunc(words, func(w string) bool { return strings.Contains(text, w) }) {
				return true
			}
		}
	}
	return false
}

// attributes are those of a launch; known reports whether these are all.
func (h *host) attributes(c *cell, p *path) (list []*cell, known bool) {
	if n := c.parts["numAttrs"]; n != nil && n.number != nil && n.number.N == 0 {
		return nil, true
	}
	attrs, any := c.parts["attrs"]
	if !any {
		return nil, true
	}
	attrs = h.resolved(attrs, p)
	if attrs == nil || attrs.parts == nil {
		return nil, false
	}
	if attrs.parts["id"] != nil {
		list = append(list, attrs)
	}
	for k := range maxMembers {
		a, there := attrs.parts[element(int64(k))]
		if !there {
			break
		}
		list = append(list, a)
	}
	if n := c.parts["numAttrs"]; n != nil && n.number != nil && n.number.N > 0 && n.number.N < int64(len(list)) {
		list = list[:n.number.N]
	}
	for k, a := range list {
		if a == nil || a.parts == nil || a.parts["id"] == nil || a.parts["id"].symbol == "" {
			return list[:k], false
		}
	}
	return list, len(list) > 0
}

// cluster is what the attributes of a launch say of clusters; said reports whether they may say something.
func (h *host) cluster(c *cell, p *path) (shape *cell, said bool) {
	list, known := h.attributes(c, p)
	for _, a := range list {
		if a.parts["id"].symbol == "cudaLaunchAttributeClusterDimension" {
			if val := a.parts["val"]; val != nil {
				return val.parts["clusterDim"], true
			}
			return nil, true
		}
	}
	return nil, !known
}

// dependent reports whether the attributes of a launch ask for programmatic dependent launch: the kernel may start before those that the stream had before it have ended (CUDA C++ Programming Guide,
// Programmatic Dependent Launch and Synchronization). A value that is not known counts as asked for.
func (h *host) dependent(c *cell, p *path) bool {
	list, _ := h.attributes(c, p)
	return slices.ContainsFunc(list, func(a *cell) bool {
		if a.parts["id"].symbol != "cudaLaunchAttributeProgrammaticStreamSerialization" {
			return false
		}
		val := a.parts["val"]
		if val == nil || val.parts == nil {
			return true
		}
		allowed := val.parts["programmaticStreamSerializationAllowed"]
		return allowed == nil || allowed.number == nil || allowed.number.N != 0
	})
}
