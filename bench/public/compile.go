package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// compileTime is what the compiler may take for a file.
const compileTime = 200 * time.Second

// sources are the endings of files that a compilation may need.
var sources = []string{".cu", ".cuh", ".h", ".hh", ".hpp", ".hxx", ".inl", ".inc", ".c", ".cpp", ".ipp", ".tpp"}

// at is where a tree lies.
func (p *public) at(t *tree) string {
	return filepath.Join(p.cache, strings.ReplaceAll(t.name, "/", "+"))
}

// checkout puts the sources of a tree into the cache, once. Clones need not have all objects: files that cannot be read are left out.
func (p *public) checkout(t *tree) error {
	to := filepath.Join(p.at(t), "src-"+t.commit[:12])
	if _, err := os.Stat(to); err == nil {
		return nil
	}
	clone := filepath.Join(p.clones, strings.ReplaceAll(t.name, "/", "+"), "repo")
	list, err := exec.Command("git", "-C", clone, "ls-tree", "-r", "-z", "--name-only", t.commit).Output()
	if err != nil {
		return fmt.Errorf("%s: list files at %s in %s: %w", t.name, t.commit, clone, err)
	}
	var paths []string
	for _, path := range strings.Split(string(list), "\x00") {
		if slices.Contains(sources, filepath.Ext(path)) {
			paths = append(paths, path)
		}
	}
	part := to + ".part"
	if err := errors.Join(os.RemoveAll(part), os.MkdirAll(part, 0o755)); err != nil {
		return err
	}
	for some := range slices.Chunk(paths, 400) {
		archive := exec.Command("git", append([]string{"-C", clone, "archive", t.commit, "--"}, some...)...)
		unpack := exec.Command("tar", "x", "-C", part)
		if unpack.Stdin, err = archive.StdoutPipe(); err != nil {
			return err
		}
		if err := errors.Join(unpack.Start(), archive.Run(), unpack.Wait()); err != nil {
			return fmt.Errorf("%s: copy files: %w", t.name, err)
		}
	}
	return os.Rename(part, to)
}

// compile gives the PTX of a file, from the cache where it is there; why says why there is none.
func (p *public) compile(t *tree, path string) (ptx, why string, err error) {
	if err := p.checkout(t); err != nil {
		return "", "", err
	}
	src, err := filepath.Abs(filepath.Join(p.at(t), "src-"+t.commit[:12]))
	if err != nil {
		return "", "", err
	}
	out := filepath.Join(p.at(t), strings.ReplaceAll(path, "/", "+")+".ptx")
	if _, err := os.Stat(out); err == nil {
		return out, "", nil
	}
	if p.nvcc == "" {
		if p.nvcc = os.Getenv("NVCC"); p.nvcc == "" {
			found, err := exec.Command("ci/nvcc.sh").Output()
			if err != nil {
				return "", "", fmt.Errorf("find nvcc: %w", err)
			}
			p.nvcc = strings.TrimSpace(string(found))
		}
	}
	stubs, err := filepath.Abs(filepath.Join(folder, "stubs"))
	if err != nil {
		return "", "", err
	}
	args := []string{"-ptx", "-lineinfo", "-w", "-std=c++17", "-arch=sm_80", "--expt-relaxed-constexpr", "--expt-extended-lambda", "-DCCCL_DISABLE_NVTX", "-I" + stubs, "-I" + src}
	for _, f := range t.flags {
		args = append(args, strings.Replace(f, "-I", "-I"+src+"/", 1))
	}
	part := out + ".part"
	ctx, cancel := context.WithTimeout(context.Background(), compileTime)
	defer cancel()
	c := exec.CommandContext(ctx, p.nvcc, append(args, "-o", part, filepath.Join(src, path))...)
	var said bytes.Buffer
	c.Stderr = &said
	if c.Run() != nil {
		if ctx.Err() != nil {
			return "", fmt.Sprintf("it takes more than %v", compileTime), nil
		}
		return "", strings.ReplaceAll(firstError(said.String()), src+"/", ""), nil
	}
	return out, "", os.Rename(part, out)
}

// firstError is the line of a compiler's output that says what is wrong.
func firstError(said string) string {
	for _, line := range strings.Split(said, "\n") {
		if _, what, is := strings.Cut(line, "error: "); is {
			return what
		}
	}
	line, _, _ := strings.Cut(said, "\n")
	return line
}
