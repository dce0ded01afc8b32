package ecs

import (
	"slices"
	"testing"
)

// TestDatesLeaveNoTrace: what a call has stamped and looked at is as before once its
// dates are taken back, in each kind of storage; what others have stamped since stays.
func TestDatesLeaveNoTrace(t *testing.T) {
	z := newZoo(t)
	e := z.byMix["pfbl"]
	watchers := map[string]*Query{
		"column": z.Query(Read(z.position)).Changed(z.position), "pool": z.Query(Read(z.burning)).Changed(z.burning),
		"heap": z.Query(Read(z.label)).Changed(z.label), "column of a pool": z.Query(Read(z.burning)).Changed(z.position),
	}
	look := func() (seen []string) {
		for name, q := range watchers {
			if len(z.mixes(q)) > 0 {
				seen = append(seen, name)
			}
		}
		slices.Sort(seen)
		return seen
	}
	all := z.Query(Read(z.position), Read(z.burning), Read(z.label))
	var d Dates
	stamp := map[string]func(){
		"touch": func() {
			for _, h := range []ComponentRef{z.position, z.burning, z.label} {
				d.Touch(z.World, e, h.ID())
			}
		},
		"columns": func() {
			for c := range all.Chunks() {
				for _, h := range []ComponentRef{z.position, z.burning, z.label, z.frozen} {
					d.Column(c, h.ID())
				}
			}
		},
	}
	for name, write := range stamp {
		look()
		write()
		d.Rewind()
		if got := look(); len(got) > 0 {
			t.Errorf("%s: taken back, and yet %q is changed", name, got)
		}
		write()
		d.Forget()
		if got := look(); len(got) != len(watchers) {
			t.Errorf("%s: only %q is changed", name, got)
		}
	}
	// What the host writes in between.
	for _, sealed := range []bool{false, true} {
		look()
		d.Touch(z.World, e, z.position.ID())
		if sealed {
			d.Seal(z.World)
			z.touch(e, z.position.ID())
		}
		d.Rewind()
		if got := look(); (len(got) > 0) != sealed {
			t.Errorf("the host has written: %v; changed is %q", sealed, got)
		}
	}
}

// TestDatesRewindLooks: a look that is taken back shows the same to the next one.
func TestDatesRewindLooks(t *testing.T) {
	z := newZoo(t)
	a, b := z.Query(Read(z.position)).Changed(z.position), z.Query(Read(z.label)).Changed(z.label)
	var d Dates
	seen := func(q *Query) int {
		d.Look(q)
		return len(z.mixes(q))
	}
	whole := seen(a)
	mark := d.Mark()
	if seen(b) == 0 || seen(a) != 0 || seen(a) != 0 {
		t.Fatal("looks do not show what is new")
	}
	z.position.Edit(z.byMix["p"])
	if seen(a) == 0 || seen(a) != 0 {
		t.Fatal("a write is not seen once")
	}
	d.RewindLooks(mark)
	if seen(a) == 0 || seen(b) == 0 {
		t.Error("what looks since the mark have seen is not there for the next")
	}
	d.Rewind()
	if seen(a) != whole {
		t.Error("what the first look has seen is not there for the next")
	}
	d.Forget()
	if d.Rewind(); seen(a) != 0 {
		t.Error("a look that is forgotten was taken back")
	}
}
