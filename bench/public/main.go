package main

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// folder is where the lists and the stubs are.
const folder = "bench/public"

func main() {
	choosing := flag.Bool("choose", false, "draw the kernels, and write kernels.txt")
	only := flag.String("tree", "", "only trees with this in their names; the page is printed, not written")
	trees := flag.String("trees", os.Getenv("TREES"), "the folder of the clones (default: TREES)")
	cache := flag.String("cache", ".tools/public", "where sources and PTX are put")
	flag.Parse()
	p := &public{clones: *trees, cache: *cache, only: *only}
	err := p.read()
	if err == nil && *choosing {
		err = p.choose()
	} else if err == nil {
		err = p.measure(flag.Arg(0))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "public:", err)
		os.Exit(1)
	}
}

// public is the whole measurement.
type public struct {
	clones, cache, only string
	trees               []tree
	nvcc                string
}

// tree is a public repository.
type tree struct {
	name, commit string
	flags        []string // for nvcc, with paths of the tree
	within       string   // what paths of its files have in them
	kernels      []kernel
	failed       []kernel // files that do not compile, with the reason for a name
}

// kernel is one kernel of a file.
type kernel struct{ file, name string }

// read reads the lists.
func (p *public) read() error {
	err := lines("trees.txt", func(f []string) {
		t := tree{name: f[0], commit: f[1]}
		for _, flag := range f[2:] {
			if within, is := strings.CutPrefix(flag, "within:"); is {
				t.within = within
			} else {
				t.flags = append(t.flags, flag)
			}
		}
		p.trees = append(p.trees, t)
	})
	if err != nil {
		return err
	}
	err = lines("kernels.txt", func(f []string) {
		for k := range p.trees {
			if t := &p.trees[k]; t.name == f[0] && f[2] == "-" {
				t.failed = append(t.failed, kernel{f[1], strings.Join(f[3:], " ")})
			} else if t.name == f[0] {
				t.kernels = append(t.kernels, kernel{f[1], f[2]})
			}
		}
	})
	if os.IsNotExist(err) {
		err = nil
	}
	if p.only != "" {
		kept := p.trees[:0]
		for _, t := range p.trees {
			if strings.Contains(t.name, p.only) {
				kept = append(kept, t)
			}
		}
		p.trees = kept
	}
	return err
}

// lines hands the fields of each line of a list on.
func lines(name string, each func(fields []string)) error {
	f, err := os.Open(filepath.Join(folder, name))
	if err != nil {
		return err
	}
	defer f.Close()
	s := bufio.NewScanner(f)
	for s.Scan() {
		if fields := strings.Fields(s.Text()); len(fields) > 0 && fields[0] != "#" {
			each(fields)
		}
	}
	return s.Err()
}
