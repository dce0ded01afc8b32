package ecs

import "testing"

// TestNothingChangedYieldsNothing, however often one looks, and reading is no
// change.
func TestNothingChangedYieldsNothing(t *testing.T) {
	z := newZoo(t)
	for name, q := range map[string]*Query{
		"a column":             z.Query(Read(z.position)).Changed(z.position),
		"an arena pool":        z.Query(Read(z.burning)).Changed(z.burning),
		"a heap pool":          z.Query(Read(z.label)).Changed(z.label),
		"a pool from a column": z.Query(Read(z.position)).Changed(z.burning),
		"a column from a pool": z.Query(Read(z.burning)).Changed(z.position),
		"a tag":                z.Query(Read(z.position)).Changed(z.frozen),
		"several":              z.Query(Read(z.position), Read(z.label)).Changed(z.position, z.label),
	} {
		if len(z.mixes(q)) == 0 {
			t.Errorf("%s: the first look shows nothing", name)
		}
		for range 3 {
			for c := range z.Query(Read(z.position)).Chunks() {
				z.position.Of(c)
			}
			z.position.Get(z.byMix["p"])
			must(t, z.Step(1))
			if got := z.mixes(q); len(got) != 0 {
				t.Errorf("%s: nothing was written, yet it shows %q", name, got)
			}
		}
	}
}

// TestEveryWayToWriteIsAChange, in each kind of storage, seen by each filter.
func TestEveryWayToWriteIsAChange(t *testing.T) {
	z := newZoo(t)
	e := z.byMix["pfbl"]
	byColumn, byPool, byHeap := z.Query(Read(z.position)).Changed(z.position), z.Query(Read(z.burning)).Changed(z.burning), z.Query(Read(z.label)).Changed(z.label)
	columnOfPool, poolOfColumn := z.Query(Read(z.burning)).Changed(z.position), z.Query(Read(z.position)).Changed(z.burning, z.label)
	all := []*Query{byColumn, byPool, byHeap, columnOfPool, poolOfColumn}
	for name, c := range map[string]struct {
		write func()
		seen  []*Query
	}{
		"set a column":  {func() { must(t, z.position.Set(e, Position{})) }, []*Query{byColumn, columnOfPool}},
		"set a pool":    {func() { must(t, z.burning.Set(e, Burning{})) }, []*Query{byPool, poolOfColumn}},
		"set the heap":  {func() { must(t, z.label.Set(e, Label{})) }, []*Query{byHeap, poolOfColumn}},
		"edit a column": {func() { z.position.Edit(e) }, []*Query{byColumn, columnOfPool}},
		"edit a pool":   {func() { z.burning.Edit(e) }, []*Query{byPool, poolOfColumn}},
		"edit the heap": {func() { z.label.Edit(e) }, []*Query{byHeap, poolOfColumn}},
		"a patch": {func() {
			c := z.NewCommands()
			c.Patch(e, z.position.ID(), 0, []byte{1})
			must(t, c.Apply())
		}, []*Query{byColumn, columnOfPool}},
		"a column in a loop": {func() {
			for c := range z.Query(Write(z.position)).Chunks() {
				z.position.Mut(c)
			}
		}, []*Query{byColumn, columnOfPool}},
		"a pool in a loop": {func() {
			for c := range z.Query(Write(z.burning)).Chunks() {
				z.burning.Mut(c)
			}
		}, []*Query{byPool, poolOfColumn}},
		"the heap in a loop": {func() {
			for c := range z.Query(Write(z.label)).Chunks() {
				z.label.Mut(c)
			}
		}, []*Query{byHeap, poolOfColumn}},
		"single rows in a loop": {func() {
			for c := range z.Query(Write(z.position), Write(z.burning), Write(z.label)).Chunks() {
				z.position.Mut(c)
				z.burning.Mut(c)
				z.label.Mut(c)
			}
		}, all},
		"raw memory": {func() {
			for c := range z.Query().Chunks() {
				c.Column(z.position.ID(), true)
			}
		}, []*Query{byColumn, columnOfPool}},
		"touching what somebody wrote": {func() { z.touch(e, z.position.ID()) }, []*Query{byColumn, columnOfPool}},
		"a component that came": {func() {
			must(t, z.burning.Remove(e))
			must(t, z.burning.Set(e, Burning{}))
		}, []*Query{byPool, poolOfColumn}},
	} {
		for _, q := range all {
			z.mixes(q) // look, so that only what follows is new
		}
		c.write()
		for i, q := range all {
			want := false
			for _, s := range c.seen {
				want = want || s == q
			}
			if seen := contains(z.mixes(q), "pfbl"); seen != want {
				t.Errorf("%s: filter %d shows it: %v, want %v", name, i, seen, want)
			}
		}
	}
}

func contains(all []string, s string) bool {
	for _, one := range all {
		if one == s {
			return true
		}
	}
	return false
}

// TestWritingWhileLookingIsSeenNextTime: a loop that writes what it filters by
// meets its own writes once more, and so never misses one of somebody else.
func TestWritingWhileLookingIsSeenNextTime(t *testing.T) {
	z := newZoo(t)
	q := z.Query(Write(z.position)).Changed(z.position)
	for c := range q.Chunks() {
		z.position.Mut(c)
	}
	if len(z.mixes(q)) == 0 {
		t.Error("writes made during the look are lost to the next one")
	}
	if len(z.mixes(q)) != 0 {
		t.Error("writes are shown twice")
	}
}

// TestCountAndFirstAreNoLooks: they leave the filter as it is.
func TestCountAndFirstAreNoLooks(t *testing.T) {
	z := newZoo(t)
	for _, q := range []*Query{z.Query(Read(z.position)).Changed(z.position), z.Query(Read(z.position), Read(z.burning)).Changed(z.burning)} {
		if q.Count() == 0 || q.First() == 0 || len(z.mixes(q)) == 0 {
			t.Error("counting has used up the changes")
		}
		if q.Count() == 0 || q.First() == 0 || q.Empty() {
			t.Error("counting and finding leave change filters aside")
		}
	}
}
