// Command parse measures what fencepost check --engine none costs beside tree-sitter alone, over folders of sources:
//
//	go run ./bench/parse /path/to/cutlass /path/to/flashinfer
//
// Both are processes of their own, which read the files by themselves, one after the other and again: the least of each counts,
// in time of the processor, as others may have the machine, too. Tree-sitter alone parses the files with a word that
// synchronizes or with __global__, and the CUDA files that one of these includes, directly or through others; of Python
// those that name the DSL. Its trees are freed, and nothing is made of them.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

func main() {
	runs := flag.Int("runs", 3, "how often each is run")
	binary := flag.String("binary", "", "the fencepost that is measured (default: what is built of the working tree)")
	role := flag.String("role", "", "for the process that is measured: what it parses, see roles")
	flag.Parse()
	err := error(nil)
	switch {
	case flag.NArg() == 0:
		err = fmt.Errorf("name the folders to read: go run ./bench/parse /path/to/cutlass /path/to/flashinfer")
	case *role != "":
		err = raw(*role, flag.Args())
	default:
		err = compare(*binary, *runs, flag.Args())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "parse:", err)
		os.Exit(1)
	}
}

// cost is what a process took.
type cost struct {
	cpu, wall time.Duration
	memory    int64 // the most that was resident, in KiB
}

// less keeps the least of each.
func (c *cost) less(o cost) {
	if c.cpu == 0 || o.cpu < c.cpu {
		c.cpu = o.cpu
	}
	if c.wall == 0 || o.wall < c.wall {
		c.wall = o.wall
	}
	c.memory = max(c.memory, o.memory)
}

func compare(binary string, runs int, folders []string) error {
	if binary == "" {
		dir, err := os.MkdirTemp("", "parse")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		binary = filepath.Join(dir, "fencepost")
		build := exec.Command("go", "build", "-trimpath", "-o", binary, "./cmd/fencepost")
		build.Stderr = os.Stderr
		if err := build.Run(); err != nil {
			return fmt.Errorf("build cmd/fencepost: %w; run this at the root of the repository", err)
		}
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	for _, folder := range folders {
		var check cost
		parses := map[string]*cost{}
		texts := map[string]parsed{}
		for range runs {
			c, _, err := measured(binary, "check", "--engine", "none", "--no-cache", "--no-config", "--jobs", "1", "-q", "--format", "json", "--fail-on", "never", folder)
			if err != nil {
				return err
			}
			check.less(c)
			for _, role := range roles {
				c, out, err := measured(self, "-role", role.name, folder)
				if err != nil {
					return err
				}
				var p parsed
				if err := json.Unmarshal(out, &p); err != nil {
					return fmt.Errorf("what %s says: %w", role.name, err)
				}
				if parses[role.name] == nil {
					parses[role.name] = &cost{}
				}
				parses[role.name].less(c)
				texts[role.name] = p
			}
		}
		fmt.Printf("%s\n  check --engine none: %s\n", folder, check)
		for _, role := range roles {
			c := parses[role.name]
			fmt.Printf("  %s: %s, %d files, %.1f MB: ratio %.2f\n", role.about, *c, texts[role.name].Files, float64(texts[role.name].Bytes)/1e6, check.cpu.Seconds()/c.cpu.Seconds())
		}
	}
	return nil
}

func (c cost) String() string {
	return fmt.Sprintf("%.2f s of the processor, %.2f s, %d MiB", c.cpu.Seconds(), c.wall.Seconds(), c.memory>>10)
}

// measured runs a process to its end.
func measured(name string, args ...string) (cost, []byte, error) {
	c := exec.Command(name, args...)
	c.Stderr = os.Stderr
	start := time.Now()
	out, err := c.Output()
	if err != nil {
		return cost{}, nil, fmt.Errorf("%s %s: %w", name, strings.Join(args, " "), err)
	}
	s := c.ProcessState
	return cost{s.UserTime() + s.SystemTime(), time.Since(start), resident(s)}, out, nil
}
