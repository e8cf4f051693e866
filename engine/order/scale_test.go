package order

import (
	"testing"

	"github.com/fencepost-dev/fencepost/engine"
)

const every = ^uint32(0)

// wide is 32 warps that exchange rows through shared memory, between barriers of all threads: 13.7 million commands at 64 rounds.
func wide(rounds int) *Program {
	p := &Program{CTAs: 1, WholeWarps: true}
	for i := range 32 {
		w := p.AddWarp(0, 32*i, every)
		for range rounds {
			for row := i; row < 116; row += 32 {
				w.Write(1, every, Address{uint32(128 * row), 4, 4}, Value{}, 0)
			}
			w.Named(NamedSync, 2, every, 0, 0, Aligned)
			for n := range 204 {
				w.Read(3, every, Address{uint32(128 * ((n + i) % 116)), 4, 4}, 0)
			}
			w.Named(NamedSync, 4, every, 0, 0, Aligned)
		}
	}
	return p
}

// pairs is a copy engine of two warps that feeds eight, through a buffer each, as often as there are rounds: 8,192 dynamic
// barriers and 3.7 million commands at 2,048.
func pairs(rounds int) *Program {
	p := &Program{CTAs: 1, WholeWarps: true}
	for i := range 8 {
		w := p.AddWarp(0, 32*i, every)
		for range rounds {
			for b := range uint32(2) {
				w.Named(NamedArrive, 1, every, 1+b, 288, Aligned)
			}
			for b := range uint32(2) {
				w.Named(NamedSync, 2, every, 3+b, 288, Aligned)
				w.Read(3, every, Address{1024*b + uint32(128*i), 4, 4}, 0)
			}
		}
	}
	for b := range uint32(2) {
		w := p.AddWarp(0, 256+32*int(b), every)
		for range rounds {
			w.Named(NamedSync, 4, every, 1+b, 288, Aligned)
			for half := range uint32(2) {
				w.Write(5, every, Address{1024*b + 512*half, 16, 16}, Value{}, 0)
			}
			w.Named(NamedArrive, 6, every, 3+b, 288, Aligned)
		}
	}
	return p
}

// rates is twenty warps that hand results to each other in pairs and add up words that all of them read: 7.6 million commands and
// 84 thousand million pairs to test at 91 rounds.
func rates(rounds int) *Program {
	p := &Program{CTAs: 1, WholeWarps: true}
	for i := range 20 {
		w := p.AddWarp(0, 32*i, every)
		for r := range rounds {
			slot := Address{uint32(4096 + 1024*(i/2)), 4, 4}
			if i%2 == r%2 {
				for k := range uint32(8) {
					w.Write(1, every, Address{slot.Base + 128*k, 4, 4}, Value{}, 0)
				}
				w.Named(NamedArrive, 2, every, uint32(1+i/2), 64, Aligned)
			} else {
				w.Named(NamedSync, 3, every, uint32(1+i/2), 64, Aligned)
				for k := range uint32(8) {
					w.Read(4, every, Address{slot.Base + 128*k, 4, 4}, 0)
				}
			}
			for range 324 {
				w.Write(5, 1, Address{uint32(80*(r&1) + 4*i), 0, 4}, Value{}, 0)
			}
			for k := range uint32(100) {
				w.Read(6, every, Address{80*uint32(1-r&1) + 4*(k%20), 0, 4}, 0)
			}
			w.Named(NamedSync, 7, every, 0, 0, Aligned)
		}
	}
	return p
}

func benchmark(b *testing.B, p *Program) {
	b.ReportAllocs()
	for b.Loop() {
		r := Verify(p, Options{Counts: true})
		if r.Verdict != engine.Holds {
			b.Fatalf("%s %s %v", r.Verdict, r.Reason, r.Findings)
		}
		b.ReportMetric(float64(r.Commands)/1e6, "Mcommands")
		b.ReportMetric(float64(r.Tests)/1e9, "Gtests")
		b.ReportMetric(float64(r.Barriers), "barriers")
		b.ReportMetric(float64(r.Memory)/1e6, "MB")
	}
}

func BenchmarkWide(b *testing.B)  { benchmark(b, wide(64)) }
func BenchmarkPairs(b *testing.B) { benchmark(b, pairs(2048)) }
func BenchmarkRates(b *testing.B) { benchmark(b, rates(91)) }
