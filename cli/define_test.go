package cli

import (
	"context"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
)

// TestFlagsAreDocumented: every flag stands in the help of its command, every flag in a command's help is one, and every command
// stands in the overview.
func TestFlagsAreDocumented(t *testing.T) {
	for _, d := range definitions(context.Background()) {
		if !strings.Contains(usage, "\n  "+d.name+" ") {
			t.Errorf("the overview does not have %s", d.name)
		}
		for _, f := range d.flags {
			if !strings.Contains(d.usage, f.dashed()) {
				t.Errorf("the help of %s does not have %s", d.name, f.dashed())
			}
			for _, v := range f.values {
				if d.name == "check" && !strings.Contains(d.usage, v) {
					t.Errorf("the help of %s does not have %s of %s", d.name, v, f.dashed())
				}
			}
		}
		for _, line := range strings.Split(d.usage, "\n") {
			name, ok := strings.CutPrefix(line, "  --")
			if !ok {
				continue
			}
			name = name[:strings.IndexAny(name+" ", " ,=")]
			if !slices.ContainsFunc(d.flags, func(f flagDefinition) bool { return f.name == name }) {
				t.Errorf("the help of %s has --%s, which is no flag of it", d.name, name)
			}
		}
	}
}

// TestBashCompletes: a shell completes with what is printed.
func TestBashCompletes(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip(err)
	}
	dir := write(t, map[string]string{"kernel.cu": right})
	script := invoke(t, dir, nil, "completion", "bash").stdout
	for _, c := range []struct{ words, want string }{
		{"fencepost che", "check"},
		{"fencepost kern", "kernel.cu"},
		{"fencepost check --form", "--format"},
		{"fencepost --requ", "--require-holds"},
		{"fencepost check --format sa", "sarif"},
		{"fencepost model --sli", "--slice"},
		{"fencepost check kernel.cu --engine expl", "explore"},
		{"fencepost merge --requ", ""},
	} {
		words := strings.Fields(c.words)
		cmd := exec.Command(bash, "--norc", "-c", script+"\nCOMP_WORDS=(\"$@\"); COMP_CWORD=$(($#-1)); _fencepost; echo \"${COMPREPLY[@]}\"", "bash")
		cmd.Args = append(cmd.Args, words...)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		if got := strings.TrimSpace(string(out)); err != nil || got != c.want {
			t.Errorf("%s: %v, %q, want %q", c.words, err, got, c.want)
		}
	}
	if r := invoke(t, dir, nil, "completion", "fish"); !strings.Contains(r.stdout, "'__fish_seen_subcommand_from model' -l slice\n") || !strings.Contains(r.stdout, "-l format -x -a 'text json") {
		t.Errorf("fish:\n%s", r.stdout)
	}
	if r := invoke(t, dir, nil, "completion", "zsh"); !strings.HasPrefix(r.stdout, "autoload") {
		t.Errorf("zsh:\n%.100s", r.stdout)
	}
	if r := invoke(t, dir, nil, "completion", "csh"); r.code != ExitUsage {
		t.Errorf("csh: exit code %d", r.code)
	}
}

// TestManual: the page has every command, and nothing in it begins a request of its own.
func TestManual(t *testing.T) {
	page := invoke(t, t.TempDir(), nil, "man").stdout
	for _, c := range commands() {
		if c.name != "help" && c.name != "version" && !strings.Contains(page, ".SH FENCEPOST "+strings.ToUpper(c.name)+"\n") {
			t.Errorf("nothing of %s", c.name)
		}
	}
	for _, line := range strings.Split(page, "\n") {
		if strings.HasPrefix(line, ".") && !slices.Contains([]string{".TH", ".SH", ".nf", ".fi"}, line[:3]) {
			t.Errorf("a request: %s", line)
		}
	}
	if roff, err := exec.LookPath("groff"); err == nil {
		cmd := exec.Command(roff, "-man", "-Tutf8", "-ww", "-z")
		cmd.Stdin = strings.NewReader(page)
		if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("groff: %v\n%s", err, out)
		}
	}
}

// TestVersion: a release has its tag, a module its version, and what is built from a checkout the revision.
func TestVersion(t *testing.T) {
	setting := func(pairs ...string) *debug.BuildInfo {
		info := &debug.BuildInfo{Main: debug.Module{Version: "(devel)"}}
		for k := 0; k < len(pairs); k += 2 {
			info.Settings = append(info.Settings, debug.BuildSetting{Key: pairs[k], Value: pairs[k+1]})
		}
		return info
	}
	for _, c := range []struct {
		info *debug.BuildInfo
		want string
	}{
		{&debug.BuildInfo{Main: debug.Module{Version: "v1.2.3"}}, "v1.2.3"},
		{setting(), "devel"},
		{setting("vcs.revision", "0123456789abcdef0123", "vcs.modified", "false"), "devel-0123456789ab"},
		{setting("vcs.revision", "0123456789abcdef0123", "vcs.modified", "true"), "devel-0123456789ab-edited"},
	} {
		if got := stamped(c.info); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	before := released
	defer func() { released = before }()
	released = "v0.1.0"
	if r := invoke(t, filepath.Dir(t.TempDir()), nil, "--version"); !strings.HasPrefix(r.stdout, "fencepost v0.1.0\n") {
		t.Errorf("%s", r.stdout)
	}
}
