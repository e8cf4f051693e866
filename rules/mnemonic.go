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
	if !instructions[strings.ToLower(firstWord(name))] { // most calls
		return dialect.Op{}, false
	}
	words := strings.Split(strings.ToLower(strings.Trim(name, "_")), "_")
	if op, ok := bulkMnemonic(name, words, c); ok {
		return op, true
	}
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

// instructions are the first words of such names, those of bulkMnemonic among them.
var instructions = map[string]bool{
	"ld": true, "ldg": true, "st": true, "stg": true, "red": true, "atom": true, "atomic": true, "cp": true, "fence": true,
}

func firstWord(name string) string {
	first, _, _ := strings.Cut(strings.TrimLeft(name, "_"), "_")
	return first
}

// bulkMnemonic reads a call that is named after an instruction of bulk copies or after the proxy fence:
// cp_async_bulk_tensor_2d_shared_to_global, cp_async_bulk_wait_group_read<1>, fence_proxy_async_shared_cta. Which argument
// of a copy is its source differs from header to header, so all of them are.
func bulkMnemonic(name string, words []string, c *program.Call) (dialect.Op, bool) {
	op := dialect.Op{Name: name, Args: map[string]dialect.Arg{}, Span: c.Span, Call: c}
	text := strings.Join(words, "_")
	has := func(w string) bool { return slices.Contains(words, w) }
	switch {
	case strings.HasPrefix(text, "fence_proxy_async") && len(c.Args) == 0:
		op.Kind, op.Args["kind"] = dialect.FenceProxy, dialect.Arg{Text: "async"}
		for _, space := range [...]string{"cta", "cluster", "global"} {
			if has(space) {
				op.Args["space"] = dialect.Arg{Text: space}
			}
		}
	case text == "cp_async_bulk_commit_group" && len(c.Args) == 0:
		op.Kind = dialect.BulkCommit
	case strings.HasPrefix(text, "cp_async_bulk_wait_group") && len(c.Args)+len(c.Template) <= 1:
		op.Kind, op.Args["count"] = dialect.BulkWait, dialect.Arg{Expr: &program.Int{Place: program.Place{Span: c.Span}}}
		if all := append(c.Args[:len(c.Args):len(c.Args)], c.Template...); len(all) == 1 {
			op.Args["count"] = dialect.Arg{Expr: all[0]}
		}
		if has("read") {
			op.Args["read"] = dialect.Arg{Text: "true"}
		}
	case strings.HasPrefix(text, "cp_async_bulk_") && strings.HasSuffix(text, "_shared_to_global") && len(c.Args) > 1:
		op.Kind, op.Args["src"] = dialect.TmaStore, dialect.Arg{Expr: &program.Tuple{Place: program.Place{Span: c.Span}, Elems: c.Args}}
	default:
		return dialect.Op{}, false
	}
	return op, true
}
