package lower

import "github.com/fencepost-dev/fencepost/program"

// cooperative is the host's call that launches a kernel all of whose CTAs are resident (CUDA Runtime API, Execution Control).
const cooperative = "cudaLaunchCooperativeKernel"

// cooperativeLaunch reads cudaLaunchCooperativeKernel(kernel, grid, block, args, …) as kernel<<<grid, block>>>(…), nil where
// it is not one. The arguments are behind pointers: args is an array that the host function declares as {&a, &b}.
func (m *machine) cooperativeLaunch(e *program.Call) *program.Call {
	if m.launch == nil || m.launch.driver.fn == nil || lastName(e.Fun) != cooperative || len(e.Args) < 4 {
		return nil
	}
	name, _ := uncast(e.Args[0]).(*program.Name)
	array, _ := uncast(e.Args[3]).(*program.Name)
	if name == nil || array == nil {
		return nil
	}
	var list *program.List
	program.WalkStmts(m.launch.driver.fn.Body, func(s program.Stmt) bool {
		if a, ok := s.(*program.Assign); ok && a.Decl && len(a.Targets) == 1 {
			if t, ok := a.Targets[0].(*program.Name); ok && t.Ident == array.Ident {
				list, _ = a.Value.(*program.List)
			}
		}
		return true
	})
	if list == nil {
		return nil
	}
	out := &program.Call{Place: e.Place, Fun: name, Template: name.Template, Launch: []program.Expr{e.Args[1], e.Args[2]}}
	for _, x := range list.Elems {
		u, ok := uncast(x).(*program.Unary)
		if !ok || u.Op != "&" {
			return nil
		}
		out.Args = append(out.Args, u.X)
	}
	return out
}

// uncast is an expression without the casts around it.
func uncast(x program.Expr) program.Expr {
	for {
		c, ok := x.(*program.Cast)
		if !ok {
			return x
		}
		x = c.X
	}
}
