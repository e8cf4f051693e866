package main

import (
	"fmt"
	"math"
	"strings"
)

// curve is the rows of one kernel at several numbers of threads.
type curve struct {
	name string
	rows []result
}

// curves are in the order of their first rows.
func curves(results []result) []curve {
	var out []curve
	for _, r := range results {
		if r.curve == "" {
			continue
		}
		if n := len(out); n == 0 || out[n-1].name != r.curve {
			out = append(out, curve{name: r.curve})
		}
		last := &out[len(out)-1]
		last.rows = append(last.rows, r)
	}
	return out
}

// exponent is the power of the number of threads that a quantity grows with: the slope of the line that fits its logarithm best.
func (c *curve) exponent(of func(result) float64) float64 {
	var n, sx, sy, sxx, sxy float64
	for _, r := range c.rows {
		x, y := math.Log(float64(r.threads)), math.Log(of(r))
		n, sx, sy, sxx, sxy = n+1, sx+x, sy+y, sxx+x*x, sxy+x*y
	}
	return (n*sxy - sx*sy) / (n*sxx - sx*sx)
}

// grows says how fast the curves grow.
func grows(results []result) string {
	var b strings.Builder
	for _, c := range curves(results) {
		first, last := c.rows[0], c.rows[len(c.rows)-1]
		fmt.Fprintf(&b, "From %d to %d threads the states of the %s grow like the number of threads (a CTA's; of the ring, those that read)\nto the power of %.2f, and the time like it to the power of %.2f.\n",
			first.threads, last.threads, c.name, c.exponent(func(r result) float64 { return float64(r.own.states) }),
			c.exponent(func(r result) float64 { return milliseconds(r.own.time) }))
	}
	return b.String()
}
