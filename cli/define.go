package cli

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"strings"
)

// definition is a command as completions and the manual page tell of it: what it defines when it runs, nothing written twice.
type definition struct {
	name, brief, usage string
	flags              []flagDefinition
}

type flagDefinition struct {
	name   string
	value  bool // it takes one
	values []string
}

// definitions asks every command for its flags and its usage text.
func definitions(ctx context.Context) []definition {
	var out []definition
	for _, c := range commands() {
		d := definition{name: c.name, brief: c.brief}
		var text bytes.Buffer
		asked := &app{stdout: &text, stderr: &text, stdin: strings.NewReader(""), getenv: func(string) string { return "" }}
		if c.name != "help" && c.name != "version" { // they have no flags, and do what they do
			c.run(asked, ctx, []string{"--help"})
			d.usage = text.String()
		}
		if asked.flags != nil {
			asked.flags.VisitAll(func(f *flag.Flag) {
				one := flagDefinition{name: f.Name, value: true}
				if b, ok := f.Value.(interface{ IsBoolFlag() bool }); ok && b.IsBoolFlag() {
					one.value = false
				}
				if c, ok := f.Value.(choice); ok {
					one.values = c.allowed
				}
				d.flags = append(d.flags, one)
			})
		}
		out = append(out, d)
	}
	return out
}

// dashed is a flag as it is written.
func (f *flagDefinition) dashed() string {
	if len(f.name) == 1 {
		return "-" + f.name
	}
	return "--" + f.name
}

func (a *app) completionCommand(ctx context.Context, args []string) (int, error) {
	const usage = `usage: fencepost completion bash|zsh|fish

Prints completions for a shell.

examples:
  source <(fencepost completion bash)                                       in ~/.bashrc
  source <(fencepost completion zsh)                                        in ~/.zshrc, after compinit
  fencepost completion fish > ~/.config/fish/completions/fencepost.fish
`
	rest, err := a.newFlags("completion").parse(args)
	switch {
	case errors.Is(err, errHelp):
		return ExitClean, a.print(usage)
	case err != nil:
		return 0, err
	case len(rest) != 1:
		return 0, usagef("completion takes one shell; for example: fencepost completion bash")
	}
	switch rest[0] {
	case "bash":
		return ExitClean, a.print(bashCompletion(definitions(ctx)))
	case "zsh":
		return ExitClean, a.print("autoload -U +X bashcompinit && bashcompinit\n" + bashCompletion(definitions(ctx)))
	case "fish":
		return ExitClean, a.print(fishCompletion(definitions(ctx)))
	}
	return 0, usagef("there are completions for bash, zsh and fish, not for %q", rest[0])
}

// bashCompletion completes commands, flags, their fixed values, and files. Without a command it is check's.
func bashCompletion(all []definition) string {
	var names []string
	var values, flags strings.Builder
	for _, d := range all {
		names = append(names, d.name)
		var dashed []string
		for _, f := range d.flags {
			dashed = append(dashed, f.dashed())
			if len(f.values) > 0 {
				fmt.Fprintf(&values, "\t%s,%s) COMPREPLY=($(compgen -W '%s' -- \"$cur\")); return ;;\n", d.name, f.dashed(), strings.Join(f.values, " "))
			}
		}
		fmt.Fprintf(&flags, "\t\t%s) COMPREPLY=($(compgen -W '%s' -- \"$cur\")) ;;\n", d.name, strings.Join(append(dashed, "--help"), " "))
	}
	return `_fencepost() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} verb=check
	[ "$COMP_CWORD" -gt 1 ] && case ${COMP_WORDS[1]} in
	` + strings.Join(names, "|") + `) verb=${COMP_WORDS[1]} ;;
	esac
	case $verb,$prev in
` + values.String() + `	esac
	case $cur in
	-*)
		case $verb in
` + flags.String() + `		esac
		return
		;;
	esac
	COMPREPLY=($(compgen -f -- "$cur"))
	[ "$COMP_CWORD" -eq 1 ] && COMPREPLY+=($(compgen -W '` + strings.Join(names, " ") + `' -- "$cur"))
}
complete -o filenames -F _fencepost fencepost
`
}

func fishCompletion(all []definition) string {
	var b strings.Builder
	var names []string
	for _, d := range all {
		names = append(names, d.name)
	}
	quoted := func(s string) string { return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(s) + "'" }
	for _, d := range all {
		fmt.Fprintf(&b, "complete -c fencepost -n __fish_use_subcommand -a %s -d %s\n", d.name, quoted(d.brief))
	}
	for _, d := range all {
		when := "__fish_seen_subcommand_from " + d.name
		if d.name == "check" { // the default
			when = "not __fish_seen_subcommand_from " + strings.Join(names[1:], " ")
		}
		for _, f := range d.flags {
			kind := "-l"
			if len(f.name) == 1 {
				kind = "-s"
			}
			fmt.Fprintf(&b, "complete -c fencepost -n %s %s %s", quoted(when), kind, f.name)
			switch {
			case len(f.values) > 0:
				fmt.Fprintf(&b, " -x -a %s", quoted(strings.Join(f.values, " ")))
			case f.value:
				b.WriteString(" -r")
			}
			b.WriteByte('\n')
		}
	}
	return b.String()
}

func (a *app) manCommand(ctx context.Context, args []string) (int, error) {
	rest, err := a.newFlags("man").parse(args)
	switch {
	case errors.Is(err, errHelp):
		return ExitClean, a.print("usage: fencepost man\n\nPrints the manual page.\n\nexample:\n  fencepost man | man -l -\n")
	case err != nil:
		return 0, err
	case len(rest) > 0:
		return 0, usagef("man takes no argument; fencepost help COMMAND tells of one command")
	}
	return ExitClean, a.print(manual(definitions(ctx)))
}

// manual is the page in the man macros: what every command prints as its help, as it stands.
func manual(all []definition) string {
	var b strings.Builder
	verbatim := func(text string) {
		b.WriteString(".nf\n")
		for _, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
			line = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(line)
			if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
				line = `\&` + line
			}
			for _, r := range line {
				if r < 0x80 {
					b.WriteRune(r)
				} else {
					fmt.Fprintf(&b, `\[u%04X]`, r)
				}
			}
			b.WriteByte('\n')
		}
		b.WriteString(".fi\n")
	}
	fmt.Fprintf(&b, ".TH FENCEPOST 1 \"\" \"fencepost %s\" \"User Commands\"\n.SH NAME\nfencepost \\- finds synchronization bugs in GPU kernels\n.SH SYNOPSIS\n", version())
	verbatim(usage)
	for _, d := range all {
		if d.usage != "" {
			fmt.Fprintf(&b, ".SH FENCEPOST %s\n", strings.ToUpper(d.name))
			verbatim(d.usage)
		}
	}
	return b.String()
}
