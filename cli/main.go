// Package cli is the command line: commands, flags, exit codes, the progress line. It is the only room that prints.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sort"
	"strings"

	"github.com/fencepost-dev/fencepost/report"
)

// Exit codes.
const (
	ExitClean    = 0 // nothing at or above --fail-on
	ExitFindings = 1 // findings at or above --fail-on
	ExitUsage    = 2 // wrong usage or configuration
	ExitInternal = 3 // internal error, or a run that did not finish
)

// app is one invocation: its streams and its environment.
type app struct {
	stdin          io.Reader
	stdout, stderr io.Writer
	getenv         func(string) string
	flags          *flags // of the command that runs, for what is made of them
}

// usageError is a mistake of the caller's: exit code 2.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

func usagef(format string, args ...any) error { return &usageError{fmt.Sprintf(format, args...)} }

// command is one verb of the command line.
type command struct {
	name, brief string
	run         func(*app, context.Context, []string) (int, error)
}

// commands lists the verbs in the order help shows them.
func commands() []command {
	return []command{
		{"check", "check kernels (the default)", (*app).checkCommand},
		{"model", "show how a kernel is modelled", (*app).modelCommand},
		{"coverage", "list every kernel with how far its proof got", (*app).coverageCommand},
		{"warm", "fill the cache that the hook looks into", (*app).warmCommand},
		{"mutants", "put faults into proved kernels and count which are found", (*app).mutantsCommand},
		{"barriers", "check the barriers of kernels in PTX by happens-before", (*app).barriersCommand},
		{"progress", "say what waiting threads need of the scheduler", (*app).progressCommand},
		{"litmus", "decide litmus tests under a memory model of PTX", (*app).litmusCommand},
		{"memory", "print a memory model", (*app).memoryCommand},
		{"lsp", "serve an editor: a language server on standard input and output", (*app).lspCommand},
		{"explain", "print the page of a rule, of a reason of inconclusive, or of a property", (*app).explainCommand},
		{"rules", "list the rules", (*app).rulesCommand},
		{"merge", "join the JSON reports of several runs", (*app).mergeCommand},
		{"config", "check the configuration file", (*app).configCommand},
		{"init", "set up a repository: configuration, pre-commit hook, workflow", (*app).initCommand},
		{"completion", "print completions for a shell", (*app).completionCommand},
		{"man", "print the manual page", (*app).manCommand},
		{"version", "print the version", (*app).versionCommand},
		{"help", "print this text", (*app).helpCommand},
	}
}

// Main runs one invocation and returns its exit code.
func Main(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, getenv func(string) string) int {
	a := &app{stdin: stdin, stdout: stdout, stderr: stderr, getenv: getenv}
	code, err := a.dispatch(ctx, args)
	if err == nil {
		return code
	}
	a.complain(err)
	var usage *usageError
	if errors.As(err, &usage) {
		return ExitUsage
	}
	return max(code, ExitInternal)
}

// complain prints an error, one line for each of those it joins.
func (a *app) complain(err error) {
	const most = 20
	lines := strings.Split(err.Error(), "\n")
	for i, line := range lines {
		if i == most {
			fmt.Fprintf(a.stderr, "fencepost: and %d more\n", len(lines)-most)
			return
		}
		fmt.Fprintln(a.stderr, "fencepost: "+report.Clean(line))
	}
}

func (a *app) dispatch(ctx context.Context, args []string) (int, error) {
	verb, rest := "check", args
	if len(args) > 0 {
		for _, c := range commands() {
			if args[0] == c.name {
				verb, rest = c.name, args[1:]
			}
		}
		switch first := args[0]; {
		case first == "-h" || first == "--help" || first == "-help":
			verb, rest = "help", nil
		case first == "--version" || first == "-version":
			verb, rest = "version", nil
		case verb == "check" && len(rest) == len(args) && misspelt(first):
			return 0, usagef("no command or path %q; did you mean %q? (a path with no dot or slash is written ./%s)",
				first, nearest(first, commandNames()), first)
		}
	}
	for _, c := range commands() {
		if c.name == verb {
			return c.run(a, ctx, rest)
		}
	}
	return 0, usagef("no command %q", verb)
}

// misspelt reports whether a first argument looks like a command that has a typing error rather than like a path.
func misspelt(word string) bool {
	if word == "" || strings.ContainsAny(word, "./\\-") || exists(word) {
		return false
	}
	return nearest(word, commandNames()) != ""
}

func commandNames() []string {
	var names []string
	for _, c := range commands() {
		names = append(names, c.name)
	}
	return names
}

// nearest returns the candidate at most two (or a third of the word's length) edits away, or "".
func nearest(word string, candidates []string) string {
	sort.Strings(candidates)
	best, least := "", max(2, len(word)/3)+1
	for _, c := range candidates {
		if d := distance(word, c); d < least {
			best, least = c, d
		}
	}
	return best
}

// distance is the Levenshtein distance. Words longer than 64 bytes are never near anything.
func distance(a, b string) int {
	if len(a) > 64 || len(b) > 64 {
		return 64
	}
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		above := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := above
			if a[i] != b[j] {
				cost++
			}
			above = row[j+1]
			row[j+1] = min(cost, above+1, row[j]+1)
		}
	}
	return row[len(b)]
}
