package cli

import (
	"strings"
	"testing"
)

// The model that is shown is the one that is checked: helpers of other files are followed.
func TestModelFollowsImports(t *testing.T) {
	dir := write(t, map[string]string{
		"helper.py": "import cutlass.cute as cute\n\ndef meet():\n    cute.arch.barrier(barrier_id=5, number_of_threads=64)\n",
		"k.py":      "import cutlass.cute as cute\nfrom helper import meet\n\n@cute.kernel\ndef kernel():\n    meet()\n\n@cute.jit\ndef main():\n    kernel().launch(grid=(1, 1, 1), block=(64, 1, 1))\n",
	})
	r := invoke(t, dir, nil, "model", "k.py")
	if r.code != 0 || !strings.Contains(r.stdout, "barrier 5") {
		t.Errorf("exit %d, %s%s", r.code, r.stdout, r.stderr)
	}
}
