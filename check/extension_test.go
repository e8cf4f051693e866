package check

import "testing"

func TestExtension(t *testing.T) {
	for name, want := range map[string]string{"a/k.cu": ".cu", "k.CUH.in": ".cuh", "kernels.hpp.inc": ".inc", "settings.in": "", "k.py": ".py"} {
		if got := extension(name); got != want {
			t.Errorf("extension(%q) = %q, want %q", name, got, want)
		}
		if got := HasKernelExtension(name); got != (want != "") {
			t.Errorf("HasKernelExtension(%q) = %v", name, got)
		}
	}
}
