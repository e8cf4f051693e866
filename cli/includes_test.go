package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// missingBarrier is a kernel that is right only with the meet() of b/k.cuh.
const missingBarrier = "#include \"../b/k.cuh\"\n__global__ void k(float* out) { __shared__ float s[128]; s[threadIdx.x] = 1.f * threadIdx.x; meet(); out[threadIdx.x] = s[127 - threadIdx.x]; }\n" +
	"void run(float* out) { k<<<1, 128>>>(out); }\n"

// Nothing outside of the tree is read, whatever a file includes, and it is said.
func TestIncludesStayInside(t *testing.T) {
	dir := write(t, map[string]string{
		"top/a/k.cu":  missingBarrier,
		"top/b/k.cuh": "__device__ void meet() { __syncthreads(); }\n",
		"secret.cuh":  "__device__ void meet() { __syncthreads(); }\n",
		"top/c/k.cu":  strings.Replace(missingBarrier, "../b/k.cuh", "link.cuh", 1),
		"top/d/k.cu":  strings.Replace(missingBarrier, "../b/k.cuh", "/dev/zero", 1),
		"top/e/k.cu":  strings.Replace(missingBarrier, "../b/k.cuh", "../../secret.cuh", 1),
		"top/f/k.cu":  strings.Replace(missingBarrier, "../b/k.cuh", "k.cu", 1), // itself
		"top/g/k.cu":  strings.Replace(missingBarrier, "../b/k.cuh", "pipe.cuh", 1),
	})
	if err := os.Symlink(filepath.Join(dir, "secret.cuh"), filepath.Join(dir, "top/c/link.cuh")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/dev/zero", filepath.Join(dir, "top/g/pipe.cuh")); err != nil {
		t.Fatal(err)
	}
	const outside = "k.cu:1: the include is not read: \"../b/k.cuh\": outside of "
	for _, c := range []struct {
		from, args string
		read       bool
		told       string
	}{
		{"top", "barriers a/k.cu", true, ""},
		{"top", "barriers ./b/../a/k.cu", true, ""},
		{"top", "barriers " + filepath.Join(dir, "top/a/k.cu"), true, ""},
		{"top/a", "barriers k.cu", false, outside},
		{"top/b", "barriers ../a/k.cu", false, outside},
		{"top", "model --ir a/k.cu", true, ""},
		{"top/a", "model --ir k.cu", false, outside},
		{"top/b", "model --ir ../a/k.cu", false, outside},
		{"top", "barriers c/k.cu", false, "c/link.cuh: not read: it is a symbolic link"},
		{"top", "barriers d/k.cu", false, ""},
		{"top", "barriers e/k.cu", false, "e/k.cu:1: the include is not read: \"../secret.cuh\": outside of "},
		{"top", "barriers f/k.cu", false, ""},
		{"top", "barriers g/k.cu", false, "g/pipe.cuh: not read: it is a symbolic link"},
	} {
		r := invoke(t, filepath.Join(dir, c.from), nil, strings.Fields(c.args)...)
		held := r.code == ExitClean && (strings.Contains(r.stdout, "holds") || strings.Contains(r.stdout, "barrier.cta"))
		if held != c.read || !strings.Contains(r.stderr, c.told) || c.told == "" && strings.Contains(r.stderr, "include is not read") {
			t.Errorf("from %s: %s: exit %d, want it read: %v, and told %q\n%s%s", c.from, c.args, r.code, c.read, c.told, r.stdout, r.stderr)
		}
	}
}
