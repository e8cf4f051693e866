package cli

import (
	"errors"
	"flag"
	"io"
	"strings"
)

// flags is a flag set that takes flags anywhere among the arguments and suggests the nearest name for an unknown one.
type flags struct {
	*flag.FlagSet
}

func (a *app) newFlags(name string) *flags {
	f := &flags{flag.NewFlagSet(name, flag.ContinueOnError)}
	f.SetOutput(io.Discard)
	a.flags = f
	return f
}

// errHelp asks for the usage text of the command.
var errHelp = errors.New("help")

// parse sets the flags among args and returns the other arguments. After "--" everything is an argument.
func (f *flags) parse(args []string) ([]string, error) {
	var rest []string
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "--" {
			return append(rest, args[i+1:]...), nil
		}
		if len(arg) < 2 || arg[0] != '-' {
			rest = append(rest, arg)
			continue
		}
		name, value, given := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(arg, "-"), "-"), "=")
		if name == "h" || name == "help" {
			return nil, errHelp
		}
		known := f.Lookup(name)
		if known == nil {
			return nil, f.unknown(arg, name)
		}
		if b, ok := known.Value.(interface{ IsBoolFlag() bool }); ok && b.IsBoolFlag() && !given {
			value, given = "true", true
		}
		if !given {
			if i++; i == len(args) {
				return nil, usagef("flag %s needs a value", arg)
			}
			value = args[i]
		}
		if err := f.Set(name, value); err != nil {
			return nil, usagef("flag --%s: %q: %v", name, value, err)
		}
	}
	return rest, nil
}

func (f *flags) unknown(arg, name string) error {
	var names []string
	f.VisitAll(func(known *flag.Flag) { names = append(names, known.Name) })
	if near := nearest(name, names); near != "" {
		return usagef("no flag %q; did you mean --%s?", arg, near)
	}
	return usagef("no flag %q; `fencepost %s --help` lists the flags", arg, f.Name())
}

// list is a flag that may be given several times.
type list []string

func (l *list) String() string { return strings.Join(*l, ",") }

// Set adds a value.
func (l *list) Set(value string) error {
	*l = append(*l, value)
	return nil
}

// choice is a flag with fixed values.
type choice struct {
	value   *string
	allowed []string
}

func (c choice) String() string {
	if c.value == nil {
		return ""
	}
	return *c.value
}

// Set accepts one of the allowed values.
func (c choice) Set(value string) error {
	for _, a := range c.allowed {
		if a == value {
			*c.value = value
			return nil
		}
	}
	return errors.New("want one of " + strings.Join(c.allowed, ", "))
}

// given returns the names of the flags that were set.
func (f *flags) given() map[string]bool {
	set := map[string]bool{}
	f.Visit(func(known *flag.Flag) { set[known.Name] = true })
	return set
}
