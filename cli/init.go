package cli

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/fencepost-dev/fencepost/wholefile"
)

const initUsage = `usage: fencepost init [--dry-run] [FOLDER]

Sets a repository up: .fencepost.yaml, a hook for pre-commit and a workflow for pull requests. What is there already stays as it
is, and is told.

flags:
  --dry-run   print what would be written, and write nothing

exit codes: 0 done, 2 no such folder
`

//go:embed init
var templates embed.FS

// initFiles are the files that init writes, by their templates.
var initFiles = []struct{ template, name string }{
	{"init/fencepost.yaml", ".fencepost.yaml"},
	{"init/pre-commit-config.yaml", ".pre-commit-config.yaml"},
	{"init/workflow.yml", ".github/workflows/fencepost.yml"},
}

// fallbackRelease is what is pinned by a program that is no release.
const fallbackRelease = "v0.1.0"

var releaseTag = regexp.MustCompile(`^v[0-9]+\.[0-9]+\.[0-9]+$`)

func (a *app) initCommand(ctx context.Context, args []string) (int, error) {
	f := a.newFlags("init")
	dry := f.Bool("dry-run", false, "")
	rest, err := f.parse(args)
	switch {
	case errors.Is(err, errHelp):
		return ExitClean, a.print(initUsage)
	case err != nil:
		return 0, err
	case len(rest) > 1:
		return 0, usagef("init takes one folder; for example: fencepost init .")
	}
	dir := "."
	if len(rest) == 1 {
		dir = rest[0]
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return 0, usagef("%v", err)
	}
	defer root.Close()
	tag := version()
	if !releaseTag.MatchString(tag) {
		tag = fallbackRelease
	}
	for _, file := range initFiles {
		raw, err := templates.ReadFile(file.template)
		if err != nil {
			return ExitInternal, err
		}
		text := strings.ReplaceAll(string(raw), "@TAG@", tag)
		said := "written"
		switch _, err := root.Lstat(file.name); {
		case err == nil:
			said = "left as it is: it is there already"
			if file.name == ".pre-commit-config.yaml" {
				said += "; put into its repos:\n" + text[strings.Index(text, "  - repo:"):]
			}
		case *dry:
			said = "would be:\n" + text
		default:
			if err := folders(root, filepath.Dir(file.name)); err != nil {
				return ExitInternal, fmt.Errorf("write %s: %w", file.name, err)
			}
			if _, err := noLinks(root.Name(), filepath.Join(root.Name(), file.name)); err != nil {
				return ExitInternal, fmt.Errorf("write %s: %w", file.name, err)
			}
			if err := wholefile.Write(filepath.Join(root.Name(), file.name), []byte(text), 0o644); err != nil {
				return ExitInternal, err
			}
		}
		if err := a.print(strings.TrimRight(file.name+": "+said, "\n") + "\n"); err != nil {
			return ExitInternal, err
		}
	}
	return ExitClean, nil
}

// folders makes a folder below a root, with those above it.
func folders(root *os.Root, dir string) error {
	if dir == "." {
		return nil
	}
	if err := folders(root, filepath.Dir(dir)); err != nil {
		return err
	}
	if err := root.Mkdir(dir, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}
