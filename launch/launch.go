// Package launch has the launches of kernels as they are stated, on the command line or in .fencepost.yaml.
package launch

import (
	"errors"
	"fmt"
	"path"
	"strconv"
	"strings"
	"sync/atomic"
)

// Stated is the launch of the kernels whose names match a pattern, as path.Match has it. Extents of zero are not said.
type Stated struct {
	Pattern              string
	Grid, Block, Cluster [3]int
	used                 atomic.Bool
}

// List are stated launches; the first one whose pattern matches counts. It is a flag that may be given several times.
type List []*Stated

func (l *List) String() string { return "" }

var errLaunch = errors.New("want a pattern of kernel names and extents, for example '*=grid:[1,1],block:[8,8]'")

// Set reads one, as the flag has it: '*gemm*=grid:[4,1],block:64'.
func (l *List) Set(text string) error {
	pattern, shape, ok := strings.Cut(text, "=")
	if !ok || shape == "" || CheckPattern(pattern) != nil {
		return errLaunch
	}
	s := &Stated{Pattern: pattern}
	for shape != "" {
		name, rest, ok := strings.Cut(shape, ":")
		list, closed := "", true
		if inside, is := strings.CutPrefix(rest, "["); is {
			list, rest, closed = strings.Cut(inside, "]")
		} else { // one number
			end := strings.IndexByte(rest+",", ',')
			list, rest = rest[:end], rest[end:]
		}
		to := map[string]*[3]int{"grid": &s.Grid, "block": &s.Block, "cluster": &s.Cluster}[name]
		if !ok || !closed || to == nil || to[0] != 0 {
			return errLaunch
		}
		var e Extent
		if err := e.Set(list); err != nil {
			return err
		}
		for _, n := range e {
			if n < 1 {
				return errors.New("extents are 1 or more, not " + strconv.Itoa(n))
			}
		}
		*to = e
		if shape = strings.TrimPrefix(rest, ","); rest != "" && (shape == rest || shape == "") {
			return errLaunch
		}
	}
	*l = append(*l, s)
	return nil
}

// CheckPattern says what is wrong with a pattern of kernel names.
func CheckPattern(pattern string) error {
	if _, err := path.Match(pattern, ""); err != nil || pattern == "" {
		return fmt.Errorf("%q is no pattern of kernel names (* stands for any part of one)", pattern)
	}
	return nil
}

// Apply puts what is stated for a kernel over what stands in the extents of its launch.
func (l List) Apply(kernel string, grid, block, cluster *[3]int) {
	for _, s := range l {
		if ok, _ := path.Match(s.Pattern, kernel); ok {
			s.used.Store(true)
			Over(grid, s.Grid)
			Over(block, s.Block)
			Over(cluster, s.Cluster)
			return
		}
	}
}

// Over puts an extent over another one, if it is said.
func Over(to *[3]int, said [3]int) {
	if said[0] != 0 {
		*to = said
	}
}

// Unused is the first pattern that no kernel matched; "" if there is none.
func (l List) Unused() string {
	for _, s := range l {
		if !s.used.Load() {
			return s.Pattern
		}
	}
	return ""
}

// Extent is a flag like 128 or 32,4 or 16x16x2.
type Extent [3]int

func (e *Extent) String() string { return fmt.Sprint([3]int(*e)) }

var errExtent = errors.New("want one to three numbers, for example 128 or 32,4")

// Set reads up to three numbers; those that are not given are 1.
func (e *Extent) Set(text string) error {
	parts := strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == 'x' })
	if len(parts) == 0 || len(parts) > 3 {
		return errExtent
	}
	*e = Extent{1, 1, 1}
	for k, part := range parts {
		n, err := strconv.Atoi(part)
		if err != nil || n < 0 || n > 1<<31-1 {
			return errExtent
		}
		e[k] = n
	}
	return nil
}
