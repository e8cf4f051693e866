// Command hook measures the pre-commit hook: changes of one line, drawn at random in public trees, each checked as a whole process
// as pre-commit starts it.
//
//	go run ./bench/hook -changes 200 -seed 1 CLONES/NVIDIA+cutlass:examples/python/CuTeDSL CLONES/quack
//
// A tree is a folder, and after a colon the part of it that lines are drawn from: it is copied, committed in a repository of its own,
// changed and staged there. Every line of the files that the hook is given is as likely as another. Every other change
// is of what the code says: an integer one larger, or the variable that the line assigns called otherwise there. The others say
// nothing: a comment or a blank line before the line, a comment behind it; a comment, or a line of a docstring, written anew. Cold has an empty cache, again the one which
// the cold run left, warm the one that `fencepost warm` filled before the change, where there is that command.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

func main() {
	b := bench{}
	flag.IntVar(&b.changes, "changes", 40, "how many changes, all trees together")
	flag.Uint64Var(&b.seed, "seed", 1, "what they are drawn with")
	flag.StringVar(&b.program, "fencepost", "", "the program (default: built from this checkout)")
	flag.StringVar(&b.hook, "hook", "check --engine explore --touched", "how the hook calls it")
	flag.DurationVar(&b.limit, "limit", 2*time.Minute, "the longest that is waited for a run")
	flag.StringVar(&b.files, "files", `\.(cu|cuh|h|hh|hpp|hxx|inl|inc|ptx|py)(\.in)?$`, "the names of files that lines are drawn from")
	flag.BoolVar(&b.warm, "warm", false, "run `fencepost warm` on every tree first, and measure with what it leaves")
	flag.Parse()
	if err := b.run(flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "hook:", err)
		os.Exit(1)
	}
}

type bench struct {
	changes       int
	seed          uint64
	program, hook string
	files         string
	limit         time.Duration
	warm          bool
	temp          string
}

// change is what was done to one line, and what the hook took for it.
type change struct {
	tree, file, kind  string
	line              int
	cold, again, warm time.Duration
	outcome           string // the last line that it printed, or why it was not awaited
}

func (b *bench) run(trees []string) error {
	if len(trees) == 0 {
		return errors.New("name the trees: go run ./bench/hook FOLDER[:PART] …")
	}
	var err error
	if b.temp, err = os.MkdirTemp("", "fencepost-hook"); err != nil {
		return err
	}
	defer os.RemoveAll(b.temp)
	if b.program == "" {
		b.program = filepath.Join(b.temp, "fencepost")
		if out, err := exec.Command("go", "build", "-o", b.program, "./cmd/fencepost").CombinedOutput(); err != nil {
			return fmt.Errorf("build: %w: %s", err, out)
		}
	}
	if b.program, err = filepath.Abs(b.program); err != nil {
		return err
	}
	var all []*change
	for i, spec := range trees {
		count := b.changes / len(trees)
		if i < b.changes%len(trees) {
			count++
		}
		list, err := b.tree(spec, count, rand.New(rand.NewPCG(b.seed, uint64(i))))
		if err != nil {
			return fmt.Errorf("%s: %w", spec, err)
		}
		report(spec, list)
		all = append(all, list...)
	}
	if len(trees) > 1 {
		report("all", all)
	}
	return nil
}

// report prints medians and the worst.
func report(name string, list []*change) {
	for _, of := range []struct {
		how  string
		time func(*change) time.Duration
	}{{"cold", func(c *change) time.Duration { return c.cold }}, {"again", func(c *change) time.Duration { return c.again }}, {"warm", func(c *change) time.Duration { return c.warm }}} {
		sorted := slices.SortedFunc(slices.Values(list), func(x, y *change) int { return int(of.time(x) - of.time(y)) })
		if len(sorted) == 0 || of.time(sorted[len(sorted)-1]) == 0 {
			continue
		}
		worst := sorted[len(sorted)-1]
		fmt.Printf("%s, %s: %d changes, median %v, 90%% within %v, worst %v (%s:%d, %s)\n", name, of.how, len(list), short(of.time(sorted[len(sorted)/2])),
			short(of.time(sorted[len(sorted)*9/10])), short(of.time(worst)), worst.file, worst.line, worst.kind)
	}
}

func short(d time.Duration) time.Duration { return d.Round(time.Millisecond) }

// tree draws changes in one tree and measures them.
func (b *bench) tree(spec string, count int, draw *rand.Rand) ([]*change, error) {
	from, part, _ := strings.Cut(spec, ":")
	dir := filepath.Join(b.temp, "tree")
	if err := errors.Join(os.RemoveAll(dir), os.CopyFS(dir, plain{os.DirFS(from)})); err != nil {
		return nil, err
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"-c", "user.name=b", "-c", "user.email=b@example.org", "-c", "gc.auto=0", "commit", "-q", "-m", "base"}} {
		if out, err := b.git(dir, args...); err != nil {
			return nil, fmt.Errorf("git %s: %w: %s", args[0], err, out)
		}
	}
	names, total, err := b.lines(dir, part)
	if err != nil || total == 0 {
		return nil, errors.Join(err, fmt.Errorf("%d lines to draw from", total))
	}
	filled := ""
	if b.warm {
		filled = filepath.Join(b.temp, "filled")
		os.RemoveAll(filled)
		start := time.Now()
		if out, err := b.fencepost(dir, filled, time.Hour, "warm", part); err != nil {
			return nil, fmt.Errorf("warm: %w: %s", err, out)
		}
		fmt.Printf("%s: warm took %v\n", spec, time.Since(start).Round(time.Second))
	}
	var list []*change
	quiet := false
	for len(list) < count {
		at := draw.IntN(total)
		k := 0
		for ; at >= names[k].lines; k++ {
			at -= names[k].lines
		}
		c := &change{tree: spec, file: names[k].name, line: at + 1}
		text, err := os.ReadFile(filepath.Join(dir, c.file))
		if err != nil {
			return nil, err
		}
		changed := c.make(string(text), draw, quiet)
		if changed == "" {
			continue
		}
		quiet = !quiet
		if err := b.measure(c, dir, filled, changed); err != nil {
			return nil, err
		}
		if err := os.WriteFile(filepath.Join(dir, c.file), text, 0o644); err != nil {
			return nil, err
		}
		if out, err := b.git(dir, "add", c.file); err != nil {
			return nil, fmt.Errorf("git add: %w: %s", err, out)
		}
		fmt.Printf("  %8v %8v %8v  %s:%d (%s) %s\n", short(c.cold), short(c.again), short(c.warm), c.file, c.line, c.kind, c.outcome)
		list = append(list, c)
	}
	return list, nil
}

// measure runs the hook on a changed file.
func (b *bench) measure(c *change, dir, filled, text string) error {
	if err := os.WriteFile(filepath.Join(dir, c.file), []byte(text), 0o644); err != nil {
		return err
	}
	if out, err := b.git(dir, "add", c.file); err != nil {
		return fmt.Errorf("git add: %w: %s", err, out)
	}
	args := append(strings.Fields(b.hook), c.file)
	if filled != "" { // first, so that what is read is no more in memory than for others
		cache := filepath.Join(b.temp, "warm")
		if err := errors.Join(os.RemoveAll(cache), os.CopyFS(cache, os.DirFS(filled))); err != nil {
			return err
		}
		os.Chmod(filepath.Join(cache, "fencepost"), 0o700)
		start := time.Now()
		b.fencepost(dir, cache, b.limit, args...)
		c.warm = time.Since(start)
	}
	cache := filepath.Join(b.temp, "cold")
	os.RemoveAll(cache)
	start := time.Now()
	out, err := b.fencepost(dir, cache, b.limit, args...)
	c.cold = time.Since(start)
	c.outcome = out[strings.LastIndexByte(strings.TrimSuffix(out, "\n"), '\n')+1:]
	c.outcome = strings.TrimSpace(c.outcome)
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() != 1 {
		c.outcome = fmt.Sprintf("exit code %d: %s", exit.ExitCode(), c.outcome)
	}
	start = time.Now()
	b.fencepost(dir, cache, b.limit, args...)
	c.again = time.Since(start)
	return nil
}

// fencepost runs the program with a cache of its own.
func (b *bench) fencepost(dir, cache string, limit time.Duration, args ...string) (string, error) {
	if err := os.MkdirAll(cache, 0o700); err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, b.program, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // it ends its worker
	cmd.WaitDelay = 10 * time.Second
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "XDG_CACHE_HOME="+cache)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (b *bench) git(dir string, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// plain is a folder without links, which os.CopyFS takes for an error, and without the repository that it may be.
type plain struct{ fs.FS }

// ReadDir leaves them out.
func (p plain) ReadDir(name string) ([]fs.DirEntry, error) {
	list, err := fs.ReadDir(p.FS, name)
	return slices.DeleteFunc(list, func(e fs.DirEntry) bool {
		return e.Name() == ".git" || !e.IsDir() && !e.Type().IsRegular()
	}), err
}

type counted struct {
	name  string
	lines int
}

// lines counts the lines of the files that the hook is given.
func (b *bench) lines(dir, part string) (names []counted, total int, err error) {
	match, err := regexp.Compile(b.files)
	if err != nil {
		return nil, 0, err
	}
	out, err := b.git(dir, "ls-files", "-z", "--", "./"+part)
	if err != nil {
		return nil, 0, fmt.Errorf("git ls-files: %w: %s", err, out)
	}
	for _, name := range strings.Split(out, "\x00") {
		if !match.MatchString(name) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return nil, 0, err
		}
		if n := strings.Count(string(text), "\n"); n > 0 {
			names, total = append(names, counted{name, n}), total+n
		}
	}
	return names, total, nil
}

var (
	integer  = regexp.MustCompile(`\b[0-9]{1,6}\b`)
	assigned = regexp.MustCompile(`^[ \t]+([a-z_]\w*) = `)
)

// make changes a line, or says that it cannot.
func (c *change) make(text string, draw *rand.Rand, quiet bool) string {
	lines := strings.Split(text, "\n")
	line := lines[c.line-1]
	indent := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
	mark := "//"
	if strings.HasSuffix(c.file, ".py") {
		mark = "#"
	}
	said := strings.TrimSpace(line)
	docstring := mark == "#" && strings.Count(strings.Join(lines[:c.line-1], "\n"), `"""`)%2 == 1
	type way struct {
		kind string
		make func()
	}
	edit := way{"what says nothing", func() { lines[c.line-1] = line + " again" }}
	var ways []way
	switch {
	case said == "" && quiet:
		ways = append(ways, way{"a blank line more", func() { lines[c.line-1] = "\n" }})
	case quiet && (strings.HasPrefix(said, mark) || docstring && !strings.Contains(said, `"""`)):
		ways = append(ways, edit)
	case said == "" || strings.HasPrefix(said, mark) || strings.HasSuffix(said, "\\") || docstring:
		return ""
	case quiet:
		ways = append(ways, way{"a comment before", func() { lines[c.line-1] = indent + mark + " a remark\n" + line }},
			way{"a blank line before", func() { lines[c.line-1] = "\n" + line }},
			way{"a comment behind", func() { lines[c.line-1] = line + "  " + mark + " a remark" }})
	default:
		if at := integer.FindStringIndex(line); at != nil {
			n, _ := strconv.Atoi(line[at[0]:at[1]])
			ways = append(ways, way{"another number", func() { lines[c.line-1] = line[:at[0]] + strconv.Itoa(n+1) + line[at[1]:] }})
		}
		if at := assigned.FindStringSubmatchIndex(line); at != nil {
			ways = append(ways, way{"another name", func() { lines[c.line-1] = line[:at[3]] + "_" + line[at[3]:] }})
		}
	}
	if len(ways) == 0 {
		return ""
	}
	chosen := ways[draw.IntN(len(ways))]
	c.kind = chosen.kind
	chosen.make()
	return strings.Join(lines, "\n")
}
