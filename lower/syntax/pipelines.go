package syntax

import (
	"strings"

	"github.com/fencepost-dev/fencepost/lower/value"
	"github.com/fencepost-dev/fencepost/program"
)

// pipelineMethods are what the producers and consumers of every pipeline class call (notes/cutedsl.md, 1.4).
var pipelineMethods = map[string]bool{
	"producer_acquire": true, "producer_commit": true, "producer_tail": true, "producer_try_acquire": true,
	"consumer_wait": true, "consumer_release": true, "consumer_try_wait": true,
	"acquire_and_advance": true, "wait_and_advance": true, "make_participants": true, "make_producer": true, "make_consumer": true,
}

// CreatesPipeline tells PipelineTmaAsync.create(…) and the methods of what it makes.
func CreatesPipeline(c *program.Call) bool {
	fun, ok := c.Fun.(*program.Attr)
	if !ok {
		return false
	}
	if pipelineMethods[fun.Name] {
		return true
	}
	class := ""
	switch x := fun.X.(type) {
	case *program.Name:
		class = value.LastWord(x.Ident)
	case *program.Attr:
		class = x.Name
	}
	return fun.Name == "create" && strings.Contains(class, "Pipeline")
}
