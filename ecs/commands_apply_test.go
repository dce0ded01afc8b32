package ecs

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"unsafe"
)

// TestCommandsThatRecordThemselvesAreCutOff, and what they had reserved dies.
func TestCommandsThatRecordThemselvesAreCutOff(t *testing.T) {
	w := open(t, Options{})
	c := w.NewCommands()
	ran := 0
	var again func(*World) error
	again = func(*World) error {
		ran++
		c.Do(again)
		c.Do(again)
		return nil
	}
	c.Do(again)
	c.Spawn()
	err := c.Apply()
	if !errors.Is(err, ErrCycle) || !strings.Contains(err.Error(), "functions in commands have recorded") || ran > maxNested+1 {
		t.Errorf("after %d calls: %v", ran, err)
	}
	if c.Len() != 0 || c.Apply() != nil || w.Len() != 1 {
		t.Errorf("%d commands and %d entities are left", c.Len(), w.Len())
	}
	must(t, w.Check())
}

// TestManyFailuresAreToldAsANumber: a thousand commands that fail do not fill a
// thousand lines.
func TestManyFailuresAreToldAsANumber(t *testing.T) {
	w := open(t, Options{MaxEntities: 1})
	c := w.NewCommands()
	for range 1000 {
		c.Spawn()
	}
	err := c.Apply()
	if !errors.Is(err, ErrEntityLimit) || strings.Count(err.Error(), "\n") != maxErrors || !strings.Contains(err.Error(), "935 more commands failed") {
		t.Errorf("%v", err)
	}
}

func TestExchangeCopyAndLaterByCommands(t *testing.T) {
	w := open(t, Options{})
	position, velocity, label := Register[Position](w), Register[Velocity](w), Register[Label](w)
	e := w.Spawn(position.With(Position{1, 2}), label.With(Label{"a"}))
	child := w.Spawn()
	must(t, w.SetParent(child, e))
	c, last := w.NewCommands(), w.NewCommands()
	last.Spawn(position.With(Position{9, 9})) // so that what is taken over begins elsewhere
	c.Exchange(e, []ComponentID{position.ID(), position.ID()}, velocity.With(Velocity{3, 4}))
	copied := c.Copy(e, label.With(Label{"b"}))
	orphan := c.Copy(child)
	c.Despawn(child)
	c.DespawnLater(e)
	last.take(c)
	if !w.Alive(copied) || velocity.Has(copied) {
		t.Error("a copy is alive at once and nowhere")
	}
	must(t, last.Apply())
	if v, ok := velocity.Get(copied); !ok || v != (Velocity{3, 4}) || position.Has(copied) || position.Has(e) {
		t.Errorf("the copy has velocity %v, %v", v, ok)
	}
	if l, _ := label.Get(copied); l.Text != "b" || w.Parent(orphan) != 0 || w.Alive(child) || !w.Alive(e) {
		t.Errorf("label %q, parent %v", l.Text, w.Parent(orphan))
	}
	if n, err := w.FlushDespawns(); n != 1 || err != nil || w.Alive(e) {
		t.Errorf("%d died later, %v", n, err)
	}
	unborn := c.Copy(e) // which is dead
	must(t, c.Apply())
	if w.Alive(unborn) {
		t.Error("a copy of the dead lives")
	}
	c.Copy(copied)
	c.Drop()
	must(t, w.Check())
}

// TestPatchOfWhatIsNotThere: neither offsets past 4 GiB nor numbers that nobody
// has come round to something.
func TestPatchOfWhatIsNotThere(t *testing.T) {
	w := open(t, Options{})
	position := Register[Position](w)
	e := w.Spawn(position.With(Position{1, 1}))
	c := w.NewCommands()
	past := uint64(math.MaxUint32 + 1) // 0 where an address has 32 bits
	c.Patch(e, position.ID(), max(uintptr(past), math.MaxUint32), make([]byte, 8))
	if err := c.Apply(); !errors.Is(err, ErrRange) {
		t.Errorf("past 4 GiB: %v", err)
	}
	c.Patch(e, 99, 0, []byte{1})
	if err := c.Apply(); !errors.Is(err, ErrUnknown) {
		t.Errorf("component 99: %v", err)
	}
	if p, _ := position.Get(e); p != (Position{1, 1}) {
		t.Errorf("the value is %v", p)
	}
}

// TestCommandsOfBeforeAMigration hold values of another size: Apply must not read
// past their end.
func TestCommandsOfBeforeAMigration(t *testing.T) {
	w := open(t, Options{})
	narrow, wide := []Field{{Name: "n", Kind: U8}}, []Field{{Name: "n", Kind: F64, Len: 200}}
	id, err := w.define(Schema{Name: "c", Fields: narrow}, false)
	must(t, err)
	event, err := w.defineEvent(Schema{Name: "e", Fields: narrow})
	must(t, err)
	reader, c, n := w.newReader(event), w.NewCommands(), uint8(1)
	c.Spawn(w.valueAt(id, unsafe.Pointer(&n)))
	c.Send(event, unsafe.Pointer(&n))
	m := w.migrate()
	must(t, errors.Join(m.Component(Schema{Name: "c", Fields: wide}, nil), m.Event(Schema{Name: "e", Fields: wide}, nil), m.Prepare()))
	m.Commit()
	err = c.Apply()
	if !errors.Is(err, ErrConflict) || strings.Count(err.Error(), "before a migration") != 2 || w.Len() != 0 || reader.Len() != 0 {
		t.Errorf("%v; %d entities, %d events", err, w.Len(), reader.Len())
	}
	must(t, m.Event(Schema{Name: "e", Fields: narrow}, nil)) // a migration that is over begins anew
	m.Drop()
	must(t, w.Check())
}

// TestLargeEventsWaitInBoundedMemory: what MaxUnread allows of small ones would
// be gigabytes of these.
func TestLargeEventsWaitInBoundedMemory(t *testing.T) {
	w := open(t, Options{})
	event, err := w.defineEvent(Schema{Name: "large", Fields: []Field{{Name: "n", Kind: F64, Len: 4096}}})
	must(t, err)
	reader, value := w.newReader(event), make([]float64, 4096)
	c := w.NewCommands()
	const total = 5000
	for i := range total {
		value[0] = float64(i)
		c.Send(event, unsafe.Pointer(&value[0]))
		must(t, c.Apply())
	}
	s := w.events.streams[event]
	if s.data.n*s.data.words > unreadWords || uint64(reader.Len())+s.dropped != total {
		t.Errorf("%d words are kept; %d wait, %d were dropped", s.data.n*s.data.words, reader.Len(), s.dropped)
	}
	last := 0.0
	for p := range reader.Events() {
		last = *(*float64)(p)
	}
	if last != total-1 {
		t.Errorf("the last one read is %v", last)
	}
	must(t, w.Check())
}

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

type pair struct{ A, B float64 }

type labelled struct {
	N     int64
	Names [2]string
}

// TestPiecesStayInTheirComponent: of a piece that is not one of the component Apply
// reports ErrRange, and nothing changes, also not beside the component.
func TestPiecesStayInTheirComponent(t *testing.T) {
	w := NewWorld()
	pairs, names := Register[pair](w), Register[labelled](w)
	e := w.Spawn(pairs.With(pair{1, 2}), names.With(labelled{1, [2]string{"x", "y"}}))
	f := w.Spawn(pairs.With(pair{3, 4}), names.With(labelled{2, [2]string{"z", "w"}}))
	two, said := pair{7, 8}, labelled{9, [2]string{"p", "q"}}
	for _, p := range []Piece{
		{Offset: ^uintptr(0) - 7, Size: 8},
		{Offset: 8, Size: ^uintptr(0) - 3},
		{Offset: 17, Size: 0},
		{Offset: 8, Size: 16},
		{Offset: 8, Size: 8, Text: true},
		{Offset: 0, Size: 16, Text: true},
	} {
		c := w.NewCommands()
		c.Merge(e, w.valueAt(pairs.ID(), unsafe.Pointer(&two)), []Piece{p})
		if err := c.Apply(); !errors.Is(err, ErrRange) {
			t.Errorf("%+v of a pair: %v", p, err)
		}
	}
	text, first := unsafe.Sizeof(""), unsafe.Offsetof(said.Names)
	for _, p := range []Piece{{Offset: 0, Size: text, Text: true}, {Offset: first + text/2, Size: text, Text: true}, {Offset: first + 2*text, Size: 0, Text: true}} {
		c := w.NewCommands()
		c.Merge(e, w.valueAt(names.ID(), unsafe.Pointer(&said)), []Piece{p})
		if err := c.Apply(); !errors.Is(err, ErrRange) {
			t.Errorf("%+v of a labelled: %v", p, err)
		}
	}
	c := w.NewCommands()
	c.Merge(e, w.valueAt(names.ID(), unsafe.Pointer(&said)), []Piece{{Offset: first + text, Size: text, Text: true}, {Offset: 0, Size: 8}})
	c.Merge(f, w.valueAt(pairs.ID(), unsafe.Pointer(&two)), []Piece{{Offset: 8, Size: 8}})
	if err := c.Apply(); err != nil {
		t.Error(err)
	}
	var got string
	for _, e := range []Entity{e, f} {
		two, _ := pairs.Get(e)
		said, _ := names.Get(e)
		got += fmt.Sprint(two, said, " ")
	}
	if want := "{1 2} {9 [x q]} {3 8} {2 [z w]} "; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// several is an error that cannot be compared with another one.
type several []string

func (s several) Error() string        { return fmt.Sprint([]string(s)) }
func (s several) Is(target error) bool { return target == ErrArenaFull }

// TestErrorsOfCommandsNeedNotCompare: the error of a function may be of any type.
func TestErrorsOfCommandsNeedNotCompare(t *testing.T) {
	w := NewWorld()
	c := w.NewCommands()
	ran := 0
	for range 3 {
		c.Do(func(*World) error { ran++; return several{"one", "two"} })
	}
	if err := c.Apply(); !errors.Is(err, ErrArenaFull) || ran != 3 {
		t.Errorf("%d ran: %v", ran, err)
	}
}

// TestAssignTellsNobodyAndCounts: what Assign records is stored and counts as changed,
// in a column and in a pool, and of it observers are not told; of a Merge they
// are. An entity without the component gets it, and that they are told.
func TestAssignTellsNobodyAndCounts(t *testing.T) {
	w := newWatched(t)
	watch(t, w, w.position, OnAdd|OnSet)
	watch(t, w, w.burning, OnAdd|OnSet)
	e := w.Spawn(w.position.With(Position{}), w.burning.With(Burning{}))
	bare := w.Spawn()
	must(t, w.Step(0))
	w.told()
	merge := func(record func(*Commands, Entity, Value, []Piece), e Entity, id ComponentID, with []byte) []string {
		t.Helper()
		c := w.NewCommands()
		whole := make([]uint64, 16)
		copy(unsafe.Slice((*byte)(unsafe.Pointer(&whole[0])), 8), with)
		record(c, e, w.valueAt(id, unsafe.Pointer(&whole[0])), []Piece{{Size: 1}})
		other := w.NewCommands()
		other.take(c) // as at the end of a run beside others
		must(t, other.Apply())
		must(t, w.Step(0))
		return w.told()
	}
	for id, h := range map[ComponentID]ComponentRef{w.position.ID(): w.position, w.burning.ID(): w.burning} {
		q := w.Query(Read(h)).Changed(h)
		changed := func() (n int) {
			for c := range q.Chunks() {
				n += c.Len()
			}
			return n
		}
		changed()
		if told := merge((*Commands).Assign, e, id, []byte{3}); len(told) > 0 || *(*byte)(w.pointer(e, id)) != 3 {
			t.Errorf("component %d: told %v, holds %d", id, told, *(*byte)(w.pointer(e, id)))
		}
		if n := changed(); n != 1 {
			t.Errorf("component %d: %d changed", id, n)
		}
		if told := merge((*Commands).Merge, e, id, []byte{4}); len(told) != 1 || changed() != 1 {
			t.Errorf("component %d, Merge: told %v, or not changed", id, told)
		}
		if told := merge((*Commands).Assign, bare, id, []byte{5}); len(told) != 1 || !w.has(bare, id) {
			t.Errorf("component %d, of an entity without it: told %v", id, told)
		}
	}
}
