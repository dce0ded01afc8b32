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
// the functions of Inputs, Lists and Same, and in the Refs of Components and HostCalls. Kernels
// of equal keys have equal modules. O(size of the kernel).
func (f *Func) Key() []byte {
	k := make(keyWriter, 0, 1024)
	k.text(f.Name)
	list(&k, f.Columns, (*keyWriter).column)
	list(&k, f.Fields, (*keyWriter).field)
	list(&k, f.Inputs, func(k *keyWriter, in *InputLocal) {
		k.ints(in.Local)
		k.bools(in.Store, in.Read != nil, in.Write != nil)
	})
	list(&k, f.HostCalls, (*keyWriter).hostCall)
	list(&k, f.Components, func(k *keyWriter, c *Component) { k.text(c.Name); k.ints(int(c.Size)) })
	list(&k, f.Lists, func(k *keyWriter, l *List) { k.text(l.Name); k.ints(l.Len) })
	k.memory(&f.Memory)
	list(&k, f.Same, func(k *keyWriter, c *Condition) { k.text(c.Else) })
	list(&k, f.Locals, func(k *keyWriter, l *Local) { k.text(l.Name); k.ints(int(l.Type)); k.bools(l.Brief) })
	k.ints(len(f.Spans))
	for _, local := range slices.Sorted(maps.Keys(f.Spans)) {
		k.ints(local)
		k.floats(f.Spans[local].Low, f.Spans[local].High)
	}
	k.stmts(f.Once)
	k.stmts(f.Body)
	k.bools(f.Single)
	list(&k, f.Fallbacks, (*keyWriter).fallback)
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

// keyWriter is a key that is being written. Every part says by itself where it ends.
type keyWriter []byte

func (k *keyWriter) ints(list ...int) {
	for _, n := range list {
		*k = binary.AppendVarint(*k, int64(n))
	}
}

func (k *keyWriter) floats(list ...float64) {
	for _, x := range list {
		*k = binary.LittleEndian.AppendUint64(*k, math.Float64bits(x))
	}
}

func (k *keyWriter) bools(list ...bool) {
	for _, yes := range list {
		b := byte(0)
		if yes {
			b = 1
		}
		*k = append(*k, b)
	}
}

func (k *keyWriter) text(s string) { *k = append(binary.AppendUvarint(*k, uint64(len(s))), s...) }

// list writes how many there are, and then each of them.
func list[T any](k *keyWriter, all []T, write func(*keyWriter, *T)) {
	k.ints(len(all))
	for i := range all {
		write(k, &all[i])
	}
}

func (k *keyWriter) column(c *Column) {
	k.text(c.Name)
	k.ints(c.Term, int(c.Stride))
	k.bools(c.Optional)
}

func (k *keyWriter) field(f *Field) {
	k.ints(f.Local, f.Column, int(f.Kind), int(f.Offset))
	k.bools(f.Store, f.Proven, f.Single, f.AsHandle)
}

func (k *keyWriter) hostCall(c *HostCall) {
	k.text(c.Op)
	k.ints(c.Line)
	list(k, c.Parts, func(k *keyWriter, p *Part) { list(k, p.Fields, (*keyWriter).schemaField) })
}

func (k *keyWriter) schemaField(f *schema.Field) {
	k.text(f.Name)
	k.ints(int(f.Kind), int(f.Offset), f.Len, int(f.Stride))
	list(k, f.Names, func(k *keyWriter, name *string) { k.text(*name) })
	list(k, f.Fields, (*keyWriter).schemaField)
}

func (k *keyWriter) memory(m *Memory) {
	k.ints(int(m.Records), int(m.Slots), int(m.Directory), int(m.Unit), int(m.Scratch), int(m.ScratchEnd), int(m.Marks))
}

func (k *keyWriter) fallback(f *Fallback) {
	k.ints(f.Line, f.Column)
	k.text(f.Why)
	k.text(f.What)
	k.text(f.In.File)
	k.ints(f.In.Line, f.In.Column)
	k.bools(f.Rare, f.Passing)
}

func (k *keyWriter) stmts(all []*Stmt) {
	list(k, all, func(k *keyWriter, s **Stmt) { k.stmt(*s) })
}

func (k *keyWriter) stmt(s *Stmt) {
	k.ints(int(s.Kind), s.Local, s.Label, s.Cost, s.Turns, s.Line)
	k.text(s.Why)
	if k.bools(s.Value != nil); s.Value != nil {
		k.expr(s.Value)
	}
	k.stmts(s.Body)
	k.stmts(s.Else)
}

func (k *keyWriter) expr(e *Expr) {
	k.ints(int(e.Op), int(e.Type), e.Local, e.Cosine, e.HostCall, e.Component, e.List, int(e.Kind), int(e.Offset), e.Column)
	k.floats(e.Value)
	k.text(e.Name)
	k.bools(e.Sure, e.Lazy)
	list(k, e.Args, func(k *keyWriter, a **Expr) { k.expr(*a) })
}
