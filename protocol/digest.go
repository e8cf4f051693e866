package protocol

import (
	"crypto/sha256"
	"encoding/binary"
)

// Digest tells protocols apart: those with the same one have the same executions, described in the same words. The
// kernel's name, the values that led to the protocol and what other values lead to are no part of it.
func (p *Protocol) Digest() [sha256.Size]byte {
	var d digest
	d.protocol(p)
	return sha256.Sum256(d.b)
}

// digest is a protocol written out: every list after its length, so that no two protocols read the same.
type digest struct {
	b    []byte
	bare bool // without the words for people
}

func (d *digest) ints(list ...int) {
	for _, n := range list {
		d.b = binary.AppendVarint(d.b, int64(n))
	}
}

func (d *digest) list(list []int) {
	d.ints(len(list))
	d.ints(list...)
}

func (d *digest) text(s string) {
	d.ints(len(s))
	d.b = append(d.b, s...)
}

func (d *digest) flag(yes bool) {
	if yes {
		d.b = append(d.b, 1)
		return
	}
	d.b = append(d.b, 0)
}

func (d *digest) protocol(p *Protocol) {
	d.ints(p.CTAs, p.GPUs, len(p.Mbars), len(p.Named), len(p.Flags), len(p.Buffers), len(p.Classes), len(p.Sites))
	d.flag(p.Cluster)
	d.flag(p.Fenced)
	d.flag(p.Beyond)
	d.flag(p.Wide)
	for _, m := range p.Mbars {
		d.name(m.Name)
		d.ints(m.CTA, m.Count)
		d.flag(m.Armed)
	}
	for _, n := range p.Named {
		d.ints(n.ID, n.CTA, n.Threads)
	}
	for _, f := range p.Flags {
		d.name(f.Name)
		d.ints(f.Initial)
	}
	for _, b := range p.Buffers {
		d.name(b.Name)
		d.ints(b.CTA, b.Elements)
		d.flag(b.Freed)
	}
	for i := range p.Classes {
		d.class(&p.Classes[i])
	}
	d.sites(p.Sites)
	d.ints(len(p.Across))
	for _, x := range p.Across {
		d.ints(x.Less, x.More)
	}
	d.flag(p.Premise != nil)
	if p.Premise != nil {
		d.protocol(p.Premise)
	}
}

func (d *digest) class(c *Class) {
	d.name(c.Name)
	d.ints(c.CTA, c.Count)
	d.list(c.Threads)
	d.ints(len(c.Ops), len(c.Blocks))
	for l := range c.Ops {
		o := &c.Ops[l]
		d.ints(int(o.Kind), o.Object, o.Count, o.Value, o.Bytes, o.Parity, o.Site, len(o.Effects))
		d.text(o.Compare)
		d.text(o.Order)
		d.text(o.Scope)
		for _, e := range o.Effects {
			d.ints(e.Mbar, e.Bytes, e.Arrivals)
		}
		d.accesses(o.Access)
		d.list(o.Behind)
		d.list(o.Drains)
	}
	for _, b := range c.Blocks {
		d.accesses(b)
	}
}

func (d *digest) accesses(list []Access) {
	d.ints(len(list))
	for _, a := range list {
		d.ints(a.Buffer, a.Site, int(a.Parts), a.Share, a.Deal, a.Stored, a.Lock, len(a.Elements))
		d.flag(a.Write)
		d.flag(a.Async)
		d.flag(a.Pending)
		d.flag(a.Maybe)
		for _, r := range a.Elements {
			d.ints(r.Lo, r.Hi)
		}
	}
}
