package ecs

import (
	"slices"
	"testing"
)

// TestHandlesOfOthersAreDead: no handle but one's own, issued and not despawned,
// is ever alive, whatever is done with it.
func TestHandlesOfOthersAreDead(t *testing.T) {
	w, other := open(t, Options{Tag: 1, ReuseAfter: -1}), open(t, Options{Tag: 2})
	position := Register[Position](w)
	alive := w.Spawn(position.With(Position{1, 2}))
	foreign := other.Spawn()
	gone := w.Spawn()
	must(t, w.Despawn(gone))
	for name, e := range map[string]Entity{
		"zero": 0, "foreign": foreign, "despawned": gone, "slot number only": Entity(alive.Index()),
		"next generation": alive + 1<<32, "generation before": alive - 1<<32, "never issued": alive + 5,
		"bits above": alive | 1<<52, "sign bit": alive | 1<<63, "all bits": ^Entity(0),
		"no generation": Entity(alive.Index()) | Entity(alive.Tag())<<24,
	} {
		if w.Alive(e) || w.pointer(e, position.ID()) != nil || position.Has(e) || position.Edit(e) != nil || w.Parent(e) != 0 {
			t.Errorf("%s: %v is taken for alive", name, e)
		}
		if v, ok := position.Get(e); ok || v != (Position{}) {
			t.Errorf("%s: Get gives %v", name, v)
		}
		for what, err := range map[string]error{
			"add": position.Set(e, Position{}), "remove": position.Remove(e), "despawn": w.Despawn(e),
			"child": w.SetParent(e, alive), "parent of": w.SetParent(alive, w.orDead(e)),
		} {
			if err == nil {
				t.Errorf("%s: %s of %v succeeded", name, what, e)
			}
		}
	}
	if p, _ := position.Get(alive); p != (Position{1, 2}) || w.Len() != 1 {
		t.Error("the living entity was touched")
	}
	must(t, w.Check())
}

// orDead replaces the zero Entity, which SetParent takes for "no parent".
func (w *World) orDead(e Entity) Entity {
	if e == 0 {
		return 1
	}
	return e
}

func TestHandlesOutliveNoReset(t *testing.T) {
	w := open(t, Options{Tag: 1, ReuseAfter: -1})
	label := Register[Label](w)
	var old []Entity
	for range 3 {
		for range 100 {
			old = append(old, w.Spawn(label.With(Label{"x"})))
		}
		must(t, w.Reset())
		for _, e := range old {
			if w.Alive(e) || label.Has(e) {
				t.Fatalf("%v survived the reset", e)
			}
		}
	}
	if e := w.Spawn(); e.Index() != 1 || e.Generation() != 4 {
		t.Errorf("after three resets slot 1 is issued as %v", e)
	}
	must(t, w.Check())
}

func TestHandleParts(t *testing.T) {
	w := open(t, Options{Tag: 200, ReuseAfter: -1})
	first := w.Spawn()
	must(t, w.Despawn(first))
	e := w.Spawn()
	if e.Index() != 1 || e.Generation() != 2 || e.Tag() != 200 || e.String() != "1v2" {
		t.Errorf("got slot %d, generation %d, tag %d, %q", e.Index(), e.Generation(), e.Tag(), e)
	}
	if w.tag() != e.Tag() {
		t.Errorf("the world has the tag %d, its entity %d", w.tag(), e.Tag())
	}
	if e >= 1<<52 || Entity(float64(e)) != e {
		t.Errorf("%d is not exact as a float64", uint64(e))
	}
}

// TestTagsTellWorldsApart: worlds opened one after another never share handles.
func TestTagsTellWorldsApart(t *testing.T) {
	seen := map[Entity]bool{}
	for range 100 {
		w := open(t, Options{MaxBytes: 1})
		e := w.Spawn()
		if seen[e] || e.Tag() == 0 {
			t.Fatalf("handle %v was issued by a world before", uint64(e))
		}
		seen[e] = true
	}
}

func TestEntitiesInSlotOrder(t *testing.T) {
	w := open(t, Options{})
	es := spawnMany(w, 10)
	must(t, w.Despawn(es[4]))
	var got []Entity
	for e := range w.Entities() {
		if got = append(got, e); e == es[1] {
			must(t, w.Despawn(es[2])) // not met yet: it will not be
		}
	}
	if want := slices.Concat(es[:2], es[3:4], es[5:]); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	for range w.Entities() {
		break
	}
	if w.at(es[0].Index()) != es[0] {
		t.Error("At does not find a living entity")
	}
	for _, index := range []uint32{0, es[4].Index(), 999, 1 << 24, 1<<24 + es[0].Index(), ^uint32(0)} {
		if e := w.at(index); e != 0 {
			t.Errorf("slot %d is empty, At gives %v", index, e)
		}
	}
}
