package compiled

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const (
	tools    = "../../.tools"
	nvcc     = tools + "/nvcc-13.0.88/nvidia/cu13/bin/nvcc"
	testdata = "../../testdata"
)

// compiler asks for nvcc: `make tools` installs it. Where nobody asked for the tools the test is left out; in CI it fails.
func compiler(t *testing.T) {
	t.Helper()
	if _, err := os.Stat(nvcc); err == nil {
		return
	}
	_, err := os.Stat(tools)
	if os.Getenv("CI") != "" || err == nil {
		t.Fatalf("%s is missing; ci/nvcc.sh installs it", nvcc)
	}
	t.Skip("NVIDIA's compiler is not installed; `make tools` installs it")
}

// architecture is the one to compile a file for: instructions of tcgen05 and the kinds that came with it need their own.
func architecture(text []byte) string {
	if strings.Contains(string(text), "tcgen05.") || strings.Contains(string(text), "clusterlaunchcontrol.") {
		return "sm_100a"
	}
	return "sm_90a"
}

// granted are the headers that a file of testdata takes for granted: those of libraries that it names, and what this folder
// declares for it alone.
func granted(file string, text []byte) []string {
	out := []string{"cstdint"}
	for _, g := range []struct{ name, header string }{{"cuda::", "cuda/barrier"}, {"cooperative_groups", "cooperative_groups.h"},
		{"cutlass::arch::", "testdata/cutlass.h"}, {"cutlass::canonical", "testdata/cutlass.h"}, {"__half2float", "cuda_fp16.h"},
		{"cute::", "testdata/cutlass.h"}, {"cuda::ptx::mapa", "testdata/mapa.h"}, {"Kokkos::atomic", "testdata/kokkos.h"}} {
		if strings.Contains(string(text), g.name) && !slices.Contains(out, g.header) {
			out = append(out, g.header)
		}
	}
	own := fmt.Sprintf("testdata/%s_%s.h", filepath.Base(filepath.Dir(file)), strings.TrimSuffix(filepath.Base(file), ".cu"))
	if _, err := os.Stat(own); err == nil {
		out = append(out, own)
	}
	return out
}

// compileFile makes PTX of a CUDA file. It is kept in .tools under what it depends on: the text of the file and of the headers
// beside it, and the call.
func compileFile(file string) (ptx []byte, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	args := []string{"-ptx", "-lineinfo", "-std=c++17", "--expt-relaxed-constexpr", "--expt-extended-lambda", "-arch=" + architecture(text),
		"-I", filepath.Dir(nvcc) + "/../include/cccl", "-I", "testdata"}
	headers, _ := filepath.Glob(filepath.Dir(file) + "/*.*h")
	included, _ := filepath.Glob("testdata/*.h")
	for _, h := range included { // those that no file has by its name are asked for by #include
		if strings.Contains(string(text), `"`+filepath.Base(h)+`"`) {
			headers = append(headers, h)
		}
	}
	for _, h := range granted(file, text) {
		if args = append(args, "-include", h); strings.HasPrefix(h, "testdata/") {
			headers = append(headers, h)
		}
	}
	key := sha256.New()
	fmt.Fprintln(key, nvcc, args, filepath.Base(file))
	key.Write(text)
	for _, h := range headers {
		data, err := os.ReadFile(h)
		if err != nil {
			return nil, err
		}
		fmt.Fprintln(key, h)
		key.Write(data)
	}
	kept := fmt.Sprintf("%s/ptx/%x.ptx", tools, key.Sum(nil))
	if ptx, err = os.ReadFile(kept); err == nil {
		return ptx, nil
	}
	if err := os.MkdirAll(filepath.Dir(kept), 0o755); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "nvcc")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	out := dir + "/out.ptx"
	if said, err := exec.Command(nvcc, append(args, "-o", out, file)...).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%v\n%s", err, said)
	}
	if ptx, err = os.ReadFile(out); err != nil {
		return nil, err
	}
	return ptx, os.WriteFile(kept, ptx, 0o644)
}

// demangled are names as C++ spells them.
func demangled(names []string) (map[string]string, error) {
	c := exec.Command("c++filt")
	c.Stdin = strings.NewReader(strings.Join(names, "\n"))
	said, err := c.Output()
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for i, line := range strings.Split(strings.TrimRight(string(said), "\n"), "\n") {
		if i < len(names) {
			out[names[i]] = line
		}
	}
	return out, nil
}

func lastName(qualified string) string {
	return qualified[strings.LastIndex(qualified, ":")+1:]
}

// parts are a function's own name and its template arguments: "void a::f<4, true>(int)" is f, with 4 and true.
func parts(spelled string) (name string, given []string) {
	spelled = strings.ReplaceAll(spelled, "(anonymous namespace)::", "")
	depth, start := 0, 0
	for i, r := range spelled {
		switch {
		case r == '<':
			if depth++; depth == 1 {
				name = lastWord(spelled[start:i])
				start = i + 1
			}
		case r == '>':
			if depth--; depth == 0 {
				given = append(given, strings.TrimSpace(spelled[start:i]))
				start = i + 1
			}
		case r == ',' && depth == 1:
			given = append(given, strings.TrimSpace(spelled[start:i]))
			start = i + 1
		case r == '(' && depth == 0:
			if name == "" {
				name = lastWord(spelled[:i])
			}
			return lastName(name), given
		}
	}
	if name == "" {
		name = lastWord(spelled)
	}
	return lastName(name), given
}

func lastWord(text string) string {
	if i := strings.LastIndexAny(text, " *&"); i >= 0 {
		return text[i+1:]
	}
	return text
}

// variableName is the name that the source gives a variable: the last part of what c++filt says.
func variableName(spelled string) string {
	return spelled[strings.LastIndex(spelled, ":")+1:]
}
