package check

import "testing"

func TestPythonKernel(t *testing.T) {
	for text, want := range map[string]bool{
		"@cute.kernel\ndef k(): pass\n": true,
		"import x\n\t @x.y.kernel(a)\n": true,
		"a @kernel\n":                   false,
		"@kernels\n":                    false,
		"@cute.jit\n@cute.kernel":       true,
		"# @kernel\n @ kernel\n@":       false,
		"s = '''\r\n@my_kernel\r\n'''":  true,
		"":                              false,
		"x = a\n  @ kernel, @@kernel\n@@cute.kernel": false,
	} {
		if got := pythonKernel([]byte(text)); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}
