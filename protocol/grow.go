package protocol

import (
	"maps"
	"slices"
	"strconv"
)

// Grown is the instance with times more periods of rounds than p has, as one of its Repeats says: in each loop of the
// unknown, copies of the first rounds that repeat are put in behind them. The sites, objects and Premise are shared with p.
func (p *Protocol) Grown(r Repeat, times int) *Protocol {
	out := *p
	out.Values, out.Classes, out.Loops = maps.Clone(p.Values), slices.Clone(p.Classes), nil
	v, _ := strconv.Atoi(p.Values[r.Unknown])
	out.Values[r.Unknown] = strconv.Itoa(v + times*r.Period)
	for c := range out.Classes {
		var cuts []Range
		for _, l := range p.Loops {
			if l.Class == c && l.Unknown == r.Unknown {
				cuts = append(cuts, Range{l.Heads[l.Lead], l.Heads[l.Lead+r.Period]})
			}
		}
		slices.SortFunc(cuts, func(a, b Range) int { return a.Lo - b.Lo })
		g := growing{cuts: cuts, times: times}
		out.Classes[c].Ops, out.Classes[c].Blocks = g.program(&p.Classes[c])
		for _, l := range p.Loops {
			if l.Class == c {
				out.Loops = append(out.Loops, g.loop(l, r)...)
			}
		}
	}
	return &out
}

// growing puts copies of parts of a program in behind them.
type growing struct {
	cuts  []Range // locations, in order
	times int
}

// before is how many operations are put in before a location, that of a part's end counting as behind its copies.
func (g growing) before(l int) (n int) {
	for _, c := range g.cuts {
		if l >= c.Hi && c.Hi > c.Lo {
			n += g.times * (c.Hi - c.Lo)
		}
	}
	return n
}

func (g growing) program(c *Class) (ops []Op, blocks [][]Access) {
	from := 0
	for _, cut := range append(slices.Clone(g.cuts), Range{len(c.Ops), len(c.Ops)}) {
		ops = g.append(ops, c, Range{from, cut.Lo})
		blocks = append(blocks, c.Blocks[from:cut.Lo]...)
		for range g.times + 1 {
			ops = g.append(ops, c, cut)
			blocks = append(blocks, c.Blocks[cut.Lo:cut.Hi]...)
		}
		from = cut.Hi
	}
	return ops, append(blocks, c.Blocks[len(c.Ops)])
}

// append adds a part of the operations; what they drain is as far before them as it was.
func (g growing) append(ops []Op, c *Class, part Range) []Op {
	by := len(ops) - part.Lo
	for _, o := range c.Ops[part.Lo:part.Hi] {
		o.Drains = slices.Clone(o.Drains)
		for i := range o.Drains {
			o.Drains[i] += by
		}
		ops = append(ops, o)
	}
	return ops
}

// loop is a loop of the class in the longer program: one of the unknown has more rounds, one within the rounds that are
// copied is there as often as they.
func (g growing) loop(l Loop, r Repeat) []Loop {
	first, last := l.Heads[0], l.Heads[len(l.Heads)-1]
	if l.Unknown == r.Unknown {
		return []Loop{g.longer(l, r.Period)}
	}
	for _, c := range g.cuts {
		if first < c.Lo || last > c.Hi || c.Lo == c.Hi {
			continue
		}
		var out []Loop
		for j := range g.times + 1 {
			out = append(out, l.moved(g.before(c.Lo)+j*(c.Hi-c.Lo)))
		}
		return out
	}
	moved := l
	moved.Heads = slices.Clone(l.Heads)
	for i, h := range l.Heads {
		moved.Heads[i] = h + g.before(h)
	}
	return []Loop{moved}
}

func (l Loop) moved(by int) Loop {
	l.Heads = slices.Clone(l.Heads)
	for i := range l.Heads {
		l.Heads[i] += by
	}
	return l
}

// longer is a loop of the unknown with the rounds that are put into it.
func (g growing) longer(l Loop, period int) Loop {
	lo, hi := l.Heads[l.Lead], l.Heads[l.Lead+period]
	start := g.before(lo)
	var heads []int
	for _, h := range l.Heads[:l.Lead] {
		heads = append(heads, h+g.before(h))
	}
	for j := range g.times + 1 {
		for _, h := range l.Heads[l.Lead : l.Lead+period] {
			heads = append(heads, h+start+j*(hi-lo))
		}
	}
	for _, h := range l.Heads[l.Lead+period:] {
		heads = append(heads, h+g.before(h))
	}
	l.Heads = heads
	return l
}
