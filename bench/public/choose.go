package main

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// The rule; see the package's documentation.
const (
	seed     = "fencepost 17"
	perTree  = 10
	perFile  = 3
	mostTree = 40 // files
)

var (
	launches = regexp.MustCompile(`__global__|<<<`)
	entry    = regexp.MustCompile(`(?s)\.entry (\S+?)\(.*?\n\}`)
	meets    = regexp.MustCompile(`\.shared|\bbar\.|\bbarrier\.|\bshfl\.|\bmbarrier\.`)
)

// drawn puts things into the order in which they are drawn.
func drawn(t *tree, all []string) {
	key := func(s string) string {
		sum := sha256.Sum256([]byte(seed + " " + t.name + " " + s))
		return string(sum[:])
	}
	slices.SortFunc(all, func(a, b string) int { return cmp.Compare(key(a), key(b)) })
}

// choose draws the kernels, and writes them to kernels.txt.
func (p *public) choose() error {
	var b strings.Builder
	fmt.Fprintf(&b, "# TREE FILE KERNEL, or TREE FILE - REASON of a file that does not compile. Written by `go run ./bench/public -choose`.\n")
	for k := range p.trees {
		t := &p.trees[k]
		if err := p.draw(t); err != nil {
			return err
		}
		for _, n := range t.kernels {
			fmt.Fprintln(&b, t.name, n.file, n.name)
		}
		for _, f := range t.failed {
			fmt.Fprintln(&b, t.name, f.file, "-", f.name)
		}
		fmt.Fprintf(os.Stderr, "%s: %d kernels, %d files do not compile\n", t.name, len(t.kernels), len(t.failed))
	}
	if p.only != "" {
		_, err := os.Stdout.WriteString(b.String())
		return err
	}
	return os.WriteFile(filepath.Join(folder, "kernels.txt"), []byte(b.String()), 0o644)
}

// draw chooses the kernels of one tree.
func (p *public) draw(t *tree) error {
	t.kernels, t.failed = nil, nil
	files, err := p.candidates(t)
	if err != nil {
		return err
	}
	drawn(t, files)
	var spare []kernel
	known := map[string]bool{}
	for _, f := range files[:min(len(files), mostTree)] {
		if len(t.kernels) >= perTree {
			break
		}
		ptx, why, err := p.compile(t, f)
		if err != nil {
			return err
		}
		if why != "" {
			fmt.Fprintf(os.Stderr, "%s: %s: %s\n", t.name, f, why)
			t.failed = append(t.failed, kernel{f, why})
			continue
		}
		names, err := entries(t, ptx)
		if err != nil {
			return err
		}
		taken := 0
		for _, name := range names {
			if known[name] { // of a header
				continue
			}
			known[name] = true
			if taken++; taken <= perFile && len(t.kernels) < perTree {
				t.kernels = append(t.kernels, kernel{f, name})
			} else {
				spare = append(spare, kernel{f, name})
			}
		}
	}
	t.kernels = append(t.kernels, spare[:max(0, min(len(spare), perTree-len(t.kernels)))]...)
	return nil
}

// candidates are the files of a tree that have kernels or launch them.
func (p *public) candidates(t *tree) (files []string, err error) {
	if err := p.checkout(t); err != nil {
		return nil, err
	}
	root := filepath.Join(p.at(t), "src-"+t.commit[:12])
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || filepath.Ext(path) != ".cu" || !strings.Contains(path, t.within) {
			return err
		}
		data, err := os.ReadFile(path)
		if launches.Match(data) {
			rel, bad := filepath.Rel(root, path)
			err = errors.Join(err, bad)
			files = append(files, rel)
		}
		return err
	})
	return files, err
}

// entries are the kernels of a file of PTX that share memory or meet, in the order in which they are drawn; one of each template.
func entries(t *tree, path string) ([]string, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, m := range entry.FindAllStringSubmatch(string(data), -1) {
		if meets.MatchString(m[0]) {
			names = append(names, m[1])
		}
	}
	drawn(t, names)
	of := map[string]bool{}
	kept := names[:0]
	for _, name := range names {
		out, err := exec.Command("c++filt", "-p", name).Output()
		if err != nil {
			return nil, err
		}
		function, _, _ := strings.Cut(strings.TrimSpace(string(out)), "<")
		if function = function[strings.LastIndex(function, " ")+1:]; !of[function] {
			of[function] = true
			kept = append(kept, name)
		}
	}
	return kept, nil
}
