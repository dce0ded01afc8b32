package ecs

import "testing"

// TestTestedCountsWithoutACursor: a loop that passes archetypes counts them, whether somebody counts
// its rows (OnTick) or not.
func TestTestedCountsWithoutACursor(t *testing.T) {
	type mark struct{ X float64 }
	w := NewWorld()
	defer w.Close()
	kept := Register[mark](w)
	var ids [6]ComponentID
	for bit := range ids {
		id, err := w.Raw().Define(Schema{Name: string(rune('A' + bit))}, false)
		if err != nil {
			t.Fatal(err)
		}
		ids[bit] = id
	}
	for i := range 64 {
		e := w.Spawn(kept.With(mark{}))
		for bit, id := range ids {
			if i>>bit&1 == 1 {
				if err := w.Add(e, w.Raw().ValueAt(id, nil)); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	q := w.Query(Read(kept))
	count := func() uint64 {
		before := q.Tested()
		for range q.Chunks() {
		}
		return q.Tested() - before
	}
	count() // which examines the archetypes
	plain := count()
	remove, err := w.Schedule().OnTick(func(*TickReport) {})
	if err != nil {
		t.Fatal(err)
	}
	defer remove()
	if counted := count(); plain != counted || plain != (64+64)/passedPerRow {
		t.Errorf("a loop over 64 archetypes has tested %d, and %d where rows are counted", plain, counted)
	}
}
