package rules

import (
	"slices"
	"strings"

	"github.com/fencepost-dev/fencepost/dialect"
	"github.com/fencepost-dev/fencepost/program"
)

// mnemonic reads a call whose callee is named after a PTX instruction with its order and scope: ld_acquire_sys_global,
// stg_release_gpu_u32, red_release_gpu. Such wrappers stand in headers that this file does not show, and the name is
// all there is. Only pattern rules use it; the model counts such a call as opaque.
func mnemonic(c *program.Call) (dialect.Op, bool) {
	name := lastWord(path(c.Fun))
	words := strings.Split(strings.ToLower(strings.Trim(name, "_")), "_")
	if len(words) < 2 || len(c.Args) == 0 {
		return dialect.Op{}, false
	}
	args := map[string]dialect.Arg{"ptr": {Expr: c.Args[0]}}
	for _, w := range [...]string{"relaxed", "acquire", "release", "volatile"} {
		if slices.Contains(words, w) {
			args["sem"] = dialect.Arg{Text: w}
		}
	}
	for _, w := range [...]string{"cta", "cluster", "gpu", "sys"} {
		if slices.Contains(words, w) {
			args["scope"] = dialect.Arg{Text: w}
		}
	}
	if args["sem"].Text == "" || args["scope"].Text == "" {
		return dialect.Op{}, false
	}
	op := dialect.Op{Name: name, Args: args, Span: c.Span, Call: c}
	switch {
	case (words[0] == "ld" || words[0] == "ldg") && len(c.Args) == 1:
		op.Kind = dialect.Load
	case (words[0] == "st" || words[0] == "stg") && len(c.Args) == 2:
		op.Kind = dialect.Store
	case (words[0] == "red" || words[0] == "atom" || words[0] == "atomic") && slices.Contains(words, "add") && len(c.Args) == 2:
		op.Kind = dialect.AtomicAdd
	default:
		return dialect.Op{}, false
	}
	if len(c.Args) == 2 {
		args["value"] = dialect.Arg{Expr: c.Args[1]}
	}
	return op, true
}
