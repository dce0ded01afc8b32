package ecs

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"testing"
	"unsafe"
)

// blended defines a component of 21 bytes, whose default is 1 to 21.
func blended(t *testing.T, w *World, name string, sparse bool) (id ComponentID, initial []byte) {
	t.Helper()
	schema := Schema{Name: name}
	for i := range 21 {
		schema.Fields = append(schema.Fields, Field{Name: string(rune('a' + i)), Kind: U8})
		schema.Default = append(schema.Default, byte(i+1))
	}
	id, err := w.define(schema, sparse)
	must(t, err)
	return id, schema.Default
}

// TestBlend changes random bytes of entities with the component and without it, in
// buffers that are applied as they are and in those that another one takes over.
func TestBlend(t *testing.T) {
	const seed = 7
	r := rand.New(rand.NewPCG(seed, seed))
	for _, sparse := range []bool{false, true} {
		w := open(t, Options{})
		id, initial := blended(t, w, "Bytes", sparse)
		all, want := []Entity{}, map[Entity][]byte{}
		for range 20 {
			all = append(all, w.Spawn())
		}
		for range 200 {
			c := w.NewCommands()
			for _, e := range all {
				value, mask := make([]byte, r.IntN(22)), []byte(nil)
				for i := range value {
					value[i], mask = byte(r.IntN(256)), append(mask, byte(max(r.IntN(6)-3, 0)))
				}
				c.Blend(e, id, value, mask)
				old := want[e]
				if old == nil {
					old = bytes.Clone(initial)
				}
				for i := range value {
					if mask[i] != 0 {
						old[i] = value[i]
					}
				}
				want[e] = old
				clear(value) // the buffer has copies
				clear(mask)
			}
			if r.IntN(2) == 0 {
				other := w.NewCommands()
				other.Patch(0, id, 0, []byte{1, 2, 3}) // so that all lies somewhere else
				other.take(c)
				c = other
			}
			must(t, c.Apply())
			for e, b := range want {
				if got := unsafe.Slice((*byte)(w.pointer(e, id)), len(b)); !bytes.Equal(got, b) {
					t.Fatalf("seed %d: %v, want %v", seed, got, b)
				}
			}
		}
		must(t, w.Check())
	}
}

// TestBlendIsRefused: what does not fit changes nothing.
func TestBlendIsRefused(t *testing.T) {
	w := open(t, Options{})
	id, _ := blended(t, w, "Bytes", false)
	e := w.Spawn(w.valueAt(id, nil))
	for _, c := range []struct {
		id          ComponentID
		value, mask int
		want        error
	}{
		{id, 4, 5, ErrRange}, {id, 5, 4, ErrRange}, {id, 1000, 1000, ErrRange}, {99, 4, 4, ErrUnknown}, {w.ChildOf().id, 1, 1, ErrConflict},
	} {
		commands := w.NewCommands()
		commands.Blend(e, c.id, bytes.Repeat([]byte{9}, c.value), bytes.Repeat([]byte{1}, c.mask))
		if err := commands.Apply(); !errors.Is(err, c.want) {
			t.Errorf("%+v: %v", c, err)
		}
	}
	if got := unsafe.Slice((*byte)(w.pointer(e, id)), 21); bytes.Contains(got, []byte{9, 9}) {
		t.Errorf("%v", got)
	}
}

// TestBlendIsOneChange: a hook is called once, with all that has changed in place.
func TestBlendIsOneChange(t *testing.T) {
	w := open(t, Options{})
	var seen []Position
	position := Register[Position](w, Hooks[Position]{Set: func(_ Entity, p *Position) { seen = append(seen, *p) }})
	e := w.Spawn(position.With(Position{1, 2}))
	to := Position{3, 4}
	c := w.NewCommands()
	c.Blend(e, position.ID(), unsafe.Slice((*byte)(unsafe.Pointer(&to)), unsafe.Sizeof(to)), bytes.Repeat([]byte{1}, int(unsafe.Sizeof(to))))
	must(t, c.Apply())
	if len(seen) != 1 || seen[0] != to {
		t.Errorf("the hook has seen %v, want %v once", seen, to)
	}
}
