package main

import (
	"bytes"
	"fmt"
	"html"
	"math"
	"slices"
	"time"
)

// plot is points over named places on logarithmic height, one line or set of marks a series.
type plot struct {
	title, unit string
	places      []string
	series      []series
}

// series has one value a place, 0 where there is none.
type series struct {
	name, colour string
	values       []float64
	joined       bool // by a line
}

const (
	width, height            = 960, 420
	left, right, top, bottom = 80, 20, 60, 130
)

// times is the plot of all rows that SPIN was given.
func times(results []result) plot {
	p := plot{title: "Time to a verdict on all properties", unit: "ms",
		series: []series{{name: "fencepost", colour: "#1a7f64"}, {name: "SPIN, best of its flags", colour: "#c2410c"}}}
	for _, r := range results {
		if r.spin.time == 0 || r.spin.failed != "" {
			continue
		}
		p.places = append(p.places, r.name())
		p.series[0].values = append(p.series[0].values, milliseconds(r.own.time))
		p.series[1].values = append(p.series[1].values, milliseconds(r.spin.time))
	}
	return p
}

// growth is the plot of the embedded engine's work against threads a CTA.
func growth(results []result) plot {
	p := plot{title: "The smoother at 30 iterations, and the ring of 4 stages, against threads a CTA (of the ring: that read)", unit: ""}
	colours := map[string][2]string{"smoother": {"#1d4ed8", "#1a7f64"}, "ring": {"#7c3aed", "#c2410c"}}
	var threads []int
	for _, r := range results {
		if r.curve != "" && !slices.Contains(threads, r.threads) {
			threads = append(threads, r.threads)
		}
	}
	slices.Sort(threads)
	for _, n := range threads {
		p.places = append(p.places, fmt.Sprint(n))
	}
	for _, c := range curves(results) {
		states := series{name: c.name + ": states", colour: colours[c.name][0], joined: true}
		times := series{name: c.name + ": ms, file to verdict", colour: colours[c.name][1], joined: true}
		for _, r := range c.rows {
			at := slices.Index(threads, r.threads)
			states.put(at, float64(r.own.states))
			times.put(at, milliseconds(r.own.time))
		}
		p.series = append(p.series, states, times)
	}
	return p
}

// put sets the value at a place.
func (s *series) put(at int, v float64) {
	for len(s.values) <= at {
		s.values = append(s.values, 0)
	}
	s.values[at] = v
}

func milliseconds(d time.Duration) float64 { return float64(d) / 1e6 }

func (p plot) svg() []byte {
	low, high := p.decades()
	var b bytes.Buffer
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">`+"\n", width, height)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="white"/><text x="%d" y="24" font-size="16">%s</text>`+"\n", width, height, left, html.EscapeString(p.title))
	y := func(v float64) float64 {
		return height - bottom - (math.Log10(v)-low)/(high-low)*(height-top-bottom)
	}
	for d := low; d <= high; d++ {
		v := math.Pow(10, d)
		fmt.Fprintf(&b, `<line x1="%d" x2="%d" y1="%.1f" y2="%.1f" stroke="#ddd"/><text x="%d" y="%.1f" text-anchor="end">%g %s</text>`+"\n",
			left, width-right, y(v), y(v), left-8, y(v)+4, v, p.unit)
	}
	x := func(i int) float64 {
		return left + (float64(i)+0.5)*float64(width-left-right)/float64(max(len(p.places), 1))
	}
	for i, name := range p.places {
		fmt.Fprintf(&b, `<text transform="translate(%.1f,%d) rotate(-40)" text-anchor="end">%s</text>`+"\n", x(i)+4, height-bottom+16, html.EscapeString(name))
	}
	for n, s := range p.series {
		fmt.Fprintf(&b, `<circle cx="%d" cy="44" r="4" fill="%s"/><text x="%d" y="48">%s</text>`+"\n", left+5+220*n, s.colour, left+15+220*n, html.EscapeString(s.name))
		before := -1
		for i, v := range s.values {
			if v <= 0 {
				continue
			}
			if s.joined && before >= 0 {
				fmt.Fprintf(&b, `<line x1="%.1f" y1="%.1f" x2="%.1f" y2="%.1f" stroke="%s"/>`+"\n", x(before), y(s.values[before]), x(i), y(v), s.colour)
			}
			fmt.Fprintf(&b, `<circle cx="%.1f" cy="%.1f" r="4" fill="%s"><title>%s: %.3g %s</title></circle>`+"\n", x(i), y(v), s.colour, html.EscapeString(p.places[i]), v, p.unit)
			before = i
		}
	}
	b.WriteString("</svg>\n")
	return b.Bytes()
}

// decades are the powers of ten that the values lie between.
func (p plot) decades() (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, s := range p.series {
		for _, v := range s.values {
			if v > 0 {
				low, high = min(low, math.Floor(math.Log10(v))), max(high, math.Ceil(math.Log10(v)))
			}
		}
	}
	if low >= high {
		return 0, 1
	}
	return low, high
}
