package source

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const (
	maxGitOutput = 256 << 20
	gitTimeout   = 2 * time.Minute
)

// ErrNoRevision is wrapped when the revision to compare with is not in the repository.
var ErrNoRevision = errors.New("no such revision here")

var objectName = regexp.MustCompile(`^[0-9a-f]{40}([0-9a-f]{24})?$`)

// ChangedLines returns, for every file under root that differs from the revision, the lines that changed. The
// comparison is with the commit where the working tree's history left the revision; files not yet known to git
// count as changed throughout. Names are relative to root.
func ChangedLines(ctx context.Context, root, rev string) (map[string][]Range, error) {
	base, err := resolve(ctx, root, rev)
	if err != nil {
		return nil, err
	}
	// Without a merge base (a shallow clone) the revision itself is compared with: more lines count as changed, never fewer.
	if out, err := git(ctx, root, "merge-base", base, "HEAD"); err == nil && objectName.MatchString(strings.TrimSpace(out)) {
		base = strings.TrimSpace(out)
	}
	changed, err := diff(ctx, root, base)
	if err != nil {
		return nil, err
	}
	out, err := git(ctx, root, "ls-files", "-z", "--others", "--exclude-standard")
	if err != nil {
		return nil, err
	}
	for _, name := range strings.Split(out, "\x00") {
		if name != "" {
			changed[name] = []Range{WholeFile}
		}
	}
	return changed, nil
}

// resolve is the commit that a revision names.
func resolve(ctx context.Context, root, rev string) (string, error) {
	if rev == "" || strings.HasPrefix(rev, "-") || strings.ContainsAny(rev, "\x00\n") {
		return "", fmt.Errorf("compare with %q: not a revision (give a branch, tag or commit)", rev)
	}
	out, err := git(ctx, root, "rev-parse", "--verify", "--quiet", "--end-of-options", rev+"^{commit}")
	base := strings.TrimSpace(out)
	if err != nil || !objectName.MatchString(base) {
		if _, e := git(ctx, root, "rev-parse", "--git-dir"); e != nil {
			return "", e
		}
		return "", fmt.Errorf("compare with %q: %w (fetch it: in a workflow, give actions/checkout `fetch-depth: 2` for a pull request's base, "+
			"or `fetch-depth: 0`; locally, `git fetch origin`)", rev, ErrNoRevision)
	}
	return base, nil
}

// At reads a file of a revision, raw. It is (nil, nil) where the revision has no such file; a link is none.
func At(ctx context.Context, root, rev, name string) (*File, error) {
	base, err := resolve(ctx, root, rev)
	if err != nil {
		return nil, err
	}
	name = filepath.ToSlash(filepath.Clean(name))
	if !filepath.IsLocal(name) || strings.ContainsAny(name, "\x00\n") {
		return nil, fmt.Errorf("%q: outside of %s, and no revision has it", name, root)
	}
	out, err := git(ctx, root, "ls-tree", "-z", base, "--", ":(literal)"+name)
	if err != nil {
		return nil, err
	}
	kind, _, _ := strings.Cut(out, "\t")
	entry := strings.Fields(kind) // mode, type, object
	if len(entry) != 3 || entry[1] != "blob" || !strings.HasPrefix(entry[0], "100") {
		return nil, nil
	}
	text, err := git(ctx, root, "cat-file", "blob", entry[2])
	if err != nil {
		return nil, err
	}
	return Decode(name, []byte(text)), nil
}

// Committed returns the texts of files as HEAD has them; those that it does not have are left out. One git process reads objects and
// nothing else: no filter, no text conversion, no file of the working tree.
func Committed(ctx context.Context, root string, names []string) (map[string][]byte, error) {
	var asked strings.Builder
	var known []string
	for _, name := range names {
		if filepath.IsLocal(filepath.FromSlash(name)) && !strings.ContainsAny(name, "\x00\n") {
			known = append(known, name)
			asked.WriteString("HEAD:./" + name + "\n")
		}
	}
	out, err := gitReading(ctx, nil, asked.String(), root, "cat-file", "--batch")
	if err != nil {
		return nil, err
	}
	texts := map[string][]byte{}
	for _, name := range known {
		var line string
		line, out, _ = strings.Cut(out, "\n")
		fields := strings.Fields(line) // object, type, size; or what was asked for, and "missing"
		if strings.HasSuffix(line, " missing") {
			continue
		}
		if len(fields) != 3 || !objectName.MatchString(fields[0]) {
			return nil, fmt.Errorf("git cat-file: %.200q is no answer to HEAD:./%s", line, name)
		}
		size, err := strconv.Atoi(fields[2])
		if err != nil || size < 0 || size >= len(out) || out[size] != '\n' {
			return nil, fmt.Errorf("git cat-file: the answer to HEAD:./%s is cut short", name)
		}
		if fields[1] == "blob" {
			texts[name] = []byte(out[:size])
		}
		out = out[size+1:]
	}
	return texts, nil
}

// StagedLines returns the lines that the index changes against HEAD.
func StagedLines(ctx context.Context, root string) (map[string][]Range, error) {
	return diff(ctx, root, "--cached")
}

func diff(ctx context.Context, root, against string) (map[string][]Range, error) {
	filters, err := unfiltered(ctx, root)
	if err != nil {
		return nil, err
	}
	// --text: a .gitattributes in the pull request must not hide a kernel as binary.
	out, err := gitWith(ctx, filters, root, "diff", "--relative", "--no-ext-diff", "--no-textconv", "--no-color", "--text", "-U0", "-M", "--diff-filter=ACMRT",
		"--src-prefix=a/", "--dst-prefix=b/", "--ignore-submodules", "-O/dev/null", against, "--")
	if err != nil {
		return nil, err
	}
	return parseDiff(out)
}

// unfiltered is an environment under which git runs none of the filter drivers that its configuration names: comparing with
// the working tree would start one for every file that .gitattributes gives to it. A driver with an empty process command
// and no need of it leaves contents as they are (git's convert.c, apply_filter).
func unfiltered(ctx context.Context, root string) ([]string, error) {
	out, err := git(ctx, root, "config", "--null", "--name-only", "--list")
	if err != nil {
		return nil, err
	}
	var env []string
	n := 0
	set := func(key, value string) {
		env = append(env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", n, key), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", n, value))
		n++
	}
	seen := map[string]bool{}
	for _, key := range strings.Split(out, "\x00") {
		last := strings.LastIndexByte(key, '.')
		if !strings.HasPrefix(key, "filter.") || last <= len("filter.") || seen[key[:last]] {
			continue
		}
		driver := key[:last]
		seen[driver] = true
		set(driver+".process", "")
		set(driver+".required", "false")
	}
	return append(env, fmt.Sprintf("GIT_CONFIG_COUNT=%d", n)), nil
}

// git runs one git command that reads. Nothing of the user's or the system's configuration is used, and the repository's own
// cannot make it run a hook, a monitor, a pager, an external diff or a text conversion (notes/anchors.md C1 row 15).
func git(ctx context.Context, root string, args ...string) (string, error) {
	return gitWith(ctx, nil, root, args...)
}

func gitWith(ctx context.Context, env []string, root string, args ...string) (string, error) {
	return gitReading(ctx, env, "", root, args...)
}

func gitReading(ctx context.Context, env []string, stdin, root string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, gitTimeout)
	defer cancel()
	top := TopLevel(root)
	cmd := exec.CommandContext(ctx, "git", append([]string{"--no-pager", "-c", "safe.directory=" + top, "-c", "core.fsmonitor=false",
		"-c", "core.hooksPath=/dev/null", "-c", "core.quotePath=off", "-c", "core.pager=cat"}, args...)...)
	cmd.Dir = root
	cmd.Env = append(gitEnv(), env...)
	if stdin != "" {
		cmd.Stdin = strings.NewReader(stdin)
	}
	cmd.WaitDelay = 5 * time.Second
	stdout, stderr := &capped{limit: maxGitOutput}, &capped{limit: 4096}
	cmd.Stdout, cmd.Stderr = stdout, stderr
	err := cmd.Run()
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return "", errors.New("git is not installed, and it is needed to know which lines changed (install it, or check whole files)")
	case ctx.Err() != nil:
		return "", fmt.Errorf("git %s: %w", args[0], ctx.Err())
	case err != nil:
		return "", fmt.Errorf("git %s in %s: %w: %q (is it a git working tree?)", args[0], root, err, firstLine(stderr.String()))
	case stdout.over:
		return "", fmt.Errorf("git %s: more than %d bytes of output (compare with a nearer revision)", args[0], maxGitOutput)
	}
	return stdout.String(), nil
}

// gitEnv passes on what a hook is told about its repository, and nothing that could carry a secret or a program.
func gitEnv() []string {
	env := []string{"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0",
		"GIT_NO_LAZY_FETCH=1", "GIT_ATTR_NOSYSTEM=1", "LC_ALL=C", "LANG=C"}
	for _, key := range []string{"PATH", "TMPDIR", "SystemRoot"} {
		if value, ok := os.LookupEnv(key); ok {
			env = append(env, key+"="+value)
		}
	}
	for _, key := range []string{"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_COMMON_DIR"} {
		if value := os.Getenv(key); value != "" {
			if abs, err := filepath.Abs(value); err == nil { // git is run in root, which may be another directory
				env = append(env, key+"="+abs)
			}
		}
	}
	return env
}

// TopLevel finds the working tree that holds dir, without asking git: containers often own it by another user, and
// then git answers nothing until it is named safe.
func TopLevel(dir string) string {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return dir
	}
	for at := abs; ; at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			return at
		}
		if at == filepath.Dir(at) {
			return abs
		}
	}
}

// capped keeps the first bytes written to it and lets the writer go on.
type capped struct {
	bytes.Buffer
	limit int
	over  bool
}

func (c *capped) Write(p []byte) (int, error) {
	if room := c.limit - c.Len(); len(p) > room {
		c.over = true
		c.Buffer.Write(p[:max(room, 0)])
		return len(p), nil
	}
	return c.Buffer.Write(p)
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line
}
