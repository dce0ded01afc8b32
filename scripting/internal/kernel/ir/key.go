package ir

import (
	"encoding/binary"
	"maps"
	"math"
	"slices"

	"github.com/perigee-ecs/perigee/ecs/schema"
)

// This file tells kernels apart: two of equal keys compute the same, with the values that each
// gets from outside.

// Key returns bytes that say all about the kernel but where its values come from: what stands in
// the functions of Inputs, Lists and Same, in the Refs of Components and HostCalls, and in From. Kernels
// of equal keys have equal modules. O(size of the kernel).
func (f *Func) Key() []byte {
	k := make(KeyWriter, 0, 1024)
	k.Text(f.Name)
	list(&k, f.Columns, (*KeyWriter).column)
	list(&k, f.Fields, (*KeyWriter).field)
	list(&k, f.Inputs, func(k *KeyWriter, in *InputLocal) {
		k.Ints(in.Local)
		k.Bools(in.Store, in.Read != nil, in.Write != nil)
	})
	list(&k, f.HostCalls, (*KeyWriter).hostCall)
	list(&k, f.Components, func(k *KeyWriter, c *Component) { k.Text(c.Name); k.Ints(int(c.Size)) })
	list(&k, f.Lists, func(k *KeyWriter, l *List) { k.Text(l.Name); k.Ints(l.Len) })
	k.memory(&f.Memory)
	list(&k, f.Same, func(k *KeyWriter, c *Condition) { k.Text(c.Else) })
	list(&k, f.Locals, func(k *KeyWriter, l *Local) { k.Text(l.Name); k.Ints(int(l.Type)); k.Bools(l.Brief) })
	k.Ints(len(f.Spans))
	for _, local := range slices.Sorted(maps.Keys(f.Spans)) {
		k.Ints(local)
		k.Floats(f.Spans[local].Low, f.Spans[local].High)
	}
	k.stmts(f.Once)
	k.stmts(f.Body)
	k.Bools(f.Single)
	list(&k, f.Fallbacks, (*KeyWriter).fallback)
	return k
}

// Detached returns the kernel without what its key leaves out, so that it can be kept for other
// worlds: it holds nothing of this one. The tree is the same.
func (f *Func) Detached() *Func {
	d := *f
	d.names = localNames{}
	d.Inputs, d.Lists, d.Same = slices.Clone(f.Inputs), slices.Clone(f.Lists), slices.Clone(f.Same)
	d.Components, d.HostCalls = slices.Clone(f.Components), slices.Clone(f.HostCalls)
	for i := range d.Inputs {
		d.Inputs[i].Read, d.Inputs[i].Write = nil, nil
	}
	for i := range d.Lists {
		d.Lists[i].Read = nil
	}
	for i := range d.Same {
		d.Same[i].Holds = nil
	}
	for i := range d.Components {
		d.Components[i].Ref = nil
	}
	for i := range d.HostCalls {
		parts := slices.Clone(d.HostCalls[i].Parts)
		for k := range parts {
			parts[k].Ref = nil
		}
		d.HostCalls[i].Parts = parts
	}
	return &d
}

// Attached returns the kernel with what another one of the same key has from outside.
func (f *Func) Attached(to *Func) *Func {
	a := *f
	a.Inputs, a.Lists, a.Same, a.Components, a.HostCalls = to.Inputs, to.Lists, to.Same, to.Components, to.HostCalls
	return &a
}

// KeyWriter is a key that is being written: bytes that are equal where all that was written is. Every
// part says by itself where it ends.
type KeyWriter []byte

// Ints writes whole numbers.
func (k *KeyWriter) Ints(list ...int) {
	for _, n := range list {
		*k = binary.AppendVarint(*k, int64(n))
	}
}

// Floats writes the bits of numbers.
func (k *KeyWriter) Floats(list ...float64) {
	for _, x := range list {
		*k = binary.LittleEndian.AppendUint64(*k, math.Float64bits(x))
	}
}

// Bools writes truths.
func (k *KeyWriter) Bools(list ...bool) {
	for _, yes := range list {
		b := byte(0)
		if yes {
			b = 1
		}
		*k = append(*k, b)
	}
}

// Text writes a text.
func (k *KeyWriter) Text(s string) { *k = append(binary.AppendUvarint(*k, uint64(len(s))), s...) }

// list writes how many there are, and then each of them.
func list[T any](k *KeyWriter, all []T, write func(*KeyWriter, *T)) {
	k.Ints(len(all))
	for i := range all {
		write(k, &all[i])
	}
}

func (k *KeyWriter) column(c *Column) {
	k.Text(c.Name)
	k.Ints(c.Term, int(c.Stride))
	k.Bools(c.Optional)
}

func (k *KeyWriter) field(f *Field) {
	k.Ints(f.Local, f.Column, int(f.Kind), int(f.Offset))
	k.Bools(f.Store, f.Proven, f.Single, f.AsHandle)
}

func (k *KeyWriter) hostCall(c *HostCall) {
	k.Text(c.Op)
	k.Text(c.At.File)
	k.Ints(c.At.Line, c.At.Column)
	list(k, c.Parts, func(k *KeyWriter, p *Part) {
		list(k, p.Fields, (*KeyWriter).schemaField)
		k.Ints(int(p.Bytes))
	})
}

// Fields writes how fields lie.
func (k *KeyWriter) Fields(all []schema.Field) { list(k, all, (*KeyWriter).schemaField) }

func (k *KeyWriter) schemaField(f *schema.Field) {
	k.Text(f.Name)
	k.Ints(int(f.Kind), int(f.Offset), f.Len, int(f.Stride))
	list(k, f.Names, func(k *KeyWriter, name *string) { k.Text(*name) })
	list(k, f.Fields, (*KeyWriter).schemaField)
}

func (k *KeyWriter) memory(m *Memory) {
	k.Ints(int(m.Records), int(m.Slots), int(m.Directory), int(m.Unit), int(m.Scratch), int(m.ScratchEnd), int(m.Marks))
}

func (k *KeyWriter) fallback(f *Fallback) {
	k.Ints(f.Line, f.Column)
	k.Text(f.Why)
	k.Text(f.What)
	k.Text(f.Instead)
	k.Text(f.In.File)
	k.Ints(f.In.Line, f.In.Column)
	k.Bools(f.Rare, f.Passing)
}

func (k *KeyWriter) stmts(all []*Stmt) {
	list(k, all, func(k *KeyWriter, s **Stmt) { k.stmt(*s) })
}

func (k *KeyWriter) stmt(s *Stmt) {
	k.Ints(int(s.Kind), s.Local, s.Label, s.Cost, s.Turns, s.Line)
	k.Text(s.Why)
	if k.Bools(s.Value != nil); s.Value != nil {
		k.expr(s.Value)
	}
	k.stmts(s.Body)
	k.stmts(s.Else)
}

func (k *KeyWriter) expr(e *Expr) {
	k.Ints(int(e.Op), int(e.Type), e.Local, e.Cosine, e.HostCall, e.Component, e.List, int(e.Kind), int(e.Offset), e.Column)
	k.Floats(e.Value)
	k.Text(e.Name)
	k.Bools(e.Sure, e.Lazy)
	list(k, e.Args, func(k *KeyWriter, a **Expr) { k.expr(*a) })
}
