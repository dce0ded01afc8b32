package ecs

import (
	"math/rand/v2"
	"testing"
	"unsafe"
)

// TestNewSetsOfRandomCommands: the count of new sets of components is what the world gets,
// or more where sets come and go within the commands, also after parts of the commands
// were taken back; and it is that of a fresh buffer with the same commands.
func TestNewSetsOfRandomCommands(t *testing.T) {
	var zero float64
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 16))
		w := NewWorld()
		var ids []ComponentID
		for _, name := range []string{"a", "b", "c", "d", "e"} {
			id, err := w.define(Schema{Name: name, Fields: []Field{{Name: "v", Kind: F64}}}, false)
			if err != nil {
				t.Fatal(err)
			}
			ids = append(ids, id)
		}
		var entities []Entity
		for range 6 {
			e := w.Spawn()
			entities = append(entities, e)
			for _, id := range ids {
				if r.IntN(3) == 0 {
					if err := w.Add(e, w.valueAt(id, unsafe.Pointer(&zero))); err != nil {
						t.Fatal(err)
					}
				}
			}
		}
		type command struct {
			e     Entity
			id    ComponentID
			takes bool
		}
		record := func(c *Commands, do command) {
			if do.takes {
				c.Remove(do.e, do.id)
			} else {
				c.Add(do.e, w.valueAt(do.id, unsafe.Pointer(&zero)))
			}
		}
		c, plain := w.NewCommands(), w.NewCommands()
		var kept []command
		for range 1 + r.IntN(6) {
			mark := c.Mark()
			var some []command
			for range r.IntN(8) {
				do := command{entities[r.IntN(len(entities))], ids[r.IntN(len(ids))], r.IntN(3) == 0}
				record(c, do)
				some = append(some, do)
				if r.IntN(3) == 0 {
					c.NewSets(0)
				}
			}
			if r.IntN(2) == 0 {
				c.Rewind(mark)
			} else {
				kept = append(kept, some...)
			}
		}
		for _, do := range kept {
			record(plain, do)
		}
		got, want := c.NewSets(0), plain.NewSets(0)
		if got != want {
			t.Errorf("seed %d: %d new sets after rewinds, %d without", seed, got, want)
		}
		before := w.setCount()
		if err := c.Apply(); err != nil {
			t.Fatal(err)
		}
		if made := w.setCount() - before; got < made {
			t.Errorf("seed %d: %d new sets were counted, and %d were made", seed, got, made)
		}
		if n := c.NewSets(0); n != 0 {
			t.Errorf("seed %d: %d new sets come of no commands", seed, n)
		}
		must(t, w.Close()) // 300 worlds have more addresses than 32 bits have
	}
}
