package replica_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/replica"
)

// refused demands that a message is refused with an error, and that the replica stays what it is.
func (p *pair) refused(t *testing.T, what string, message []byte, want error) {
	t.Helper()
	before, number, tick := p.copy.look(t), p.replica.Number(), p.replica.Tick()
	if err := p.replica.Apply(message); !errors.Is(err, want) {
		t.Errorf("%s: %v, want %v", what, err, want)
	}
	if after := p.copy.look(t); after != before || p.replica.Number() != number || p.replica.Tick() != tick {
		t.Errorf("%s: number %d and tick %d, want %d and %d:\n%s, was\n%s", what, p.replica.Number(), p.replica.Tick(), number, tick, after, before)
	}
}

// TestMessagesThatDoNotFit: each is refused with its error, and the next one that fits is applied.
func TestMessagesThatDoNotFit(t *testing.T) {
	p := newPair(t, replica.PrimaryOptions{}, 5)
	must(t, p.of.MarkPrefab(p.of.Spawn())) // what is registered later makes a full message
	var full, deltas [][]byte              // by number, from 1
	for range 5 {
		p.of.step(5)
		deltas = append(deltas, p.next(t))
		m, err := p.primary.Full()
		must(t, err)
		full = append(full, m)
	}
	err := p.replica.Apply(deltas[1])
	if !errors.Is(err, replica.ErrGap) || !strings.Contains(err.Error(), "no full one yet") {
		t.Errorf("a delta without a full message: %v", err)
	}
	apply := func(m []byte, number, tick uint64) {
		t.Helper()
		must(t, p.replica.Apply(m))
		if p.replica.Number() != number || p.replica.Tick() != tick {
			t.Fatalf("number %d, tick %d", p.replica.Number(), p.replica.Tick())
		}
	}
	apply(full[1], 2, 2)
	p.refused(t, "a full one twice", full[1], replica.ErrOld)
	p.refused(t, "an older full one", full[0], replica.ErrOld)
	p.refused(t, "the delta to what is there", deltas[1], replica.ErrOld)
	p.refused(t, "the one after the next", deltas[3], replica.ErrGap)
	apply(deltas[2], 3, 3)
	p.refused(t, "a delta twice", deltas[2], replica.ErrOld)
	p.refused(t, "an older delta", deltas[1], replica.ErrOld)
	p.refused(t, "an older full one than a delta", full[1], replica.ErrOld)
	apply(deltas[3], 4, 4)
	apply(full[4], 5, 5)
	if got, want := p.copy.look(t), p.of.look(t); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestHeadsThatLie: the sum, the tick and the tag of a message have to be those of its state.
func TestHeadsThatLie(t *testing.T) {
	p := newPair(t, replica.PrimaryOptions{}, 6)
	p.of.step(6)
	full := p.next(t)
	p.of.step(6)
	for _, m := range [][]byte{full, p.next(t)} {
		for what, lie := range map[string]func(*replica.Head){
			"another sum":    func(h *replica.Head) { h.Sum++ },
			"another tick":   func(h *replica.Head) { h.Tick++ },
			"another tag":    func(h *replica.Head) { h.Tag++ },
			"no number":      func(h *replica.Head) { h.Number = 0 },
			"more bytes":     func(h *replica.Head) { h.Length++ },
			"fewer bytes":    func(h *replica.Head) { h.Length-- },
			"a strange flag": func(h *replica.Head) { h.Flags |= 1 << 7 },
		} {
			p.refused(t, what, replica.Reframe(m, func(h *replica.Head, payload []byte) []byte { lie(h); return payload }), replica.ErrDamaged)
		}
		p.refused(t, "another version", replica.Version(m, 2), replica.ErrVersion)
		must(t, p.replica.Apply(m))
	}
}

// TestRefusedStatesLeaveNothing: a state with the right sum that no world can have is refused, and the next delta still fits.
func TestRefusedStatesLeaveNothing(t *testing.T) {
	p := newPair(t, replica.PrimaryOptions{}, 6)
	must(t, p.of.MarkPrefab(p.of.Spawn()))
	p.of.step(6)
	must(t, p.replica.Apply(p.next(t)))
	p.of.step(6)
	delta := p.next(t)
	parts, _ := replica.Held(p.replica)
	head, numbers := replica.Part(p.replica, 0)
	last, _ := replica.Part(p.replica, parts-1)
	refuse := func(what string, changes ...replica.Change) {
		p.refused(t, what, replica.Sign(replica.Changes(changes...), false, p.replica), replica.ErrDamaged)
	}
	refuse("a part is missing", replica.Change{Up: last, Op: replica.Dropped})
	refuse("a part of nothing", replica.Change{Up: last + 1, Op: replica.Replaced, Bytes: []byte("more")})
	refuse("a part that is not there goes", replica.Change{Up: last + 1, Op: replica.Dropped})
	_, bytes := replica.Part(p.replica, parts-1)
	strange := binary.AppendUvarint(replica.Changes(replica.Change{Up: last, Op: 3}), uint64(len(bytes)))
	p.refused(t, "something else becomes of a part", replica.Sign(append(strange, 0), false, p.replica), replica.ErrDamaged)
	for i := range 8 {
		refuse("a number of parts", replica.Change{Up: head, Op: replica.Replaced, Bytes: replica.Counts(numbers, func(n []*uint64) { *n[i] = 1 << 60 })})
	}
	must(t, p.replica.Apply(delta))
	if got, want := p.copy.look(t), p.of.look(t); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestBytesThatAreNoValues: bools and enums that are sent can only be what they may be, in structs and arrays, too.
func TestBytesThatAreNoValues(t *testing.T) {
	type one struct {
		On bool
		N  uint32
	}
	type nested struct {
		N    uint32
		Each [2]one
	}
	open := func() (w *ecs.World, a ecs.Component[one], b ecs.Component[nested], c ecs.ComponentID) {
		w, err := ecs.Open(ecs.Options{Tag: 3, MaxBytes: 1 << 20})
		must(t, err)
		t.Cleanup(func() { w.Close() })
		a, b = ecs.Register[one](w), ecs.Register[nested](w)
		c, err = w.Raw().Define(ecs.Schema{Name: "State", Fields: []ecs.Field{{Name: "now", Kind: ecs.Enum, Names: []string{"idle", "run", "hide"}}, {Name: "n", Kind: ecs.U32}}}, false)
		must(t, err)
		return w, a, b, c
	}
	const first, second, third = 0x11111101, 0x22222202, 0x33333303 // each follows four bytes after what is changed
	w, a, b, c := open()
	e := w.Spawn(a.With(one{N: first}), b.With(nested{Each: [2]one{1: {N: second}}}), w.Raw().ValueAt(c, nil))
	*(*uint32)(unsafe.Add(w.Raw().Edit(e, c), 4)) = third
	s, err := replica.NewPrimary(w, replica.PrimaryOptions{})
	must(t, err)
	m, err := s.Next()
	must(t, err)
	w2, _, _, _ := open()
	r, err := replica.New(w2, replica.Options{})
	must(t, err)
	must(t, r.Apply(m))
	for _, k := range []struct {
		number uint32
		most   byte
	}{{first, 1}, {second, 1}, {third, 2}} {
		parts, _ := replica.Held(r)
		found := 0
		for i := range parts {
			key, part := replica.Part(r, i)
			at := bytes.Index(part, binary.LittleEndian.AppendUint32(nil, k.number)) - 4
			if at < 0 {
				continue
			}
			found++
			part = bytes.Clone(part)
			for _, v := range []byte{k.most + 1, 255, k.most} {
				part[at] = v
				err := r.Apply(replica.Sign(replica.Changes(replica.Change{Up: key, Op: replica.Replaced, Bytes: part}), false, r))
				if v == k.most {
					must(t, err)
				} else if !errors.Is(err, replica.ErrDamaged) {
					t.Errorf("number %#x: the byte %d: %v", k.number, v, err)
				}
			}
		}
		if found != 1 {
			t.Errorf("number %#x is in %d parts", k.number, found)
		}
	}
}

// TestSumsAreOfAllParts: bytes of any part, and bytes that are at the place of others, make another state.
func TestSumsAreOfAllParts(t *testing.T) {
	type first struct{ V [4]uint64 }
	type second struct{ V [4]uint64 }
	open := func() (*ecs.World, ecs.Component[first], ecs.Component[second]) {
		w, err := ecs.Open(ecs.Options{Tag: 3, MaxBytes: 1 << 20})
		must(t, err)
		t.Cleanup(func() { w.Close() })
		return w, ecs.Register[first](w), ecs.Register[second](w)
	}
	w, a, b := open()
	one, two := [4]uint64{11, 12, 13, 14}, [4]uint64{21, 22, 23, 24}
	e := w.Spawn(a.With(first{one}), b.With(second{two}))
	s, err := replica.NewPrimary(w, replica.PrimaryOptions{})
	must(t, err)
	m, err := s.Next()
	must(t, err)
	w2, a2, _ := open()
	r, err := replica.New(w2, replica.Options{})
	must(t, err)
	at := func(payload []byte, v [4]uint64) []byte {
		var text []byte
		for _, n := range v {
			text = binary.LittleEndian.AppendUint64(text, n)
		}
		i := bytes.Index(payload, text)
		if i < 0 {
			t.Fatal("the values are not in the message")
		}
		return payload[i:][:len(text)]
	}
	for what, change := range map[string]func(x, y []byte){
		"another value":  func(x, _ []byte) { x[0]++ },
		"another last":   func(_, y []byte) { y[0]++ },
		"changed places": func(x, y []byte) { z := bytes.Clone(x); copy(x, y); copy(y, z) },
	} {
		bad := replica.Reframe(m, func(_ *replica.Head, payload []byte) []byte {
			change(at(payload, one), at(payload, two))
			return payload
		})
		if err := r.Apply(bad); !errors.Is(err, replica.ErrDamaged) || w2.Len() > 0 {
			t.Errorf("%s: %v", what, err)
		}
	}
	must(t, r.Apply(m))
	if v, _ := a2.Get(e); v.V != one {
		t.Error(v)
	}
}

// TestPartsAreInOrder: a part that is dropped and comes again, or parts that go back, are refused, even if the state would be the right one.
func TestPartsAreInOrder(t *testing.T) {
	p := newPair(t, replica.PrimaryOptions{}, 7)
	p.of.step(7)
	must(t, p.replica.Apply(p.next(t)))
	first, bytes1 := replica.Part(p.replica, 0)
	second, bytes2 := replica.Part(p.replica, 1)
	last := func(list ...replica.Change) []byte {
		return replica.Reframe(replica.Sign(replica.Changes(), false, p.replica), func(h *replica.Head, _ []byte) []byte {
			bad := replica.Changes(list...)
			h.Length = uint64(len(bad))
			return bad
		})
	}
	drop, put := uint64(replica.Dropped), uint64(replica.Replaced)
	p.refused(t, "twice", last(replica.Change{first, drop, nil}, replica.Change{0, put, bytes1}), replica.ErrDamaged)
	p.refused(t, "back", last(
		replica.Change{first, drop, nil}, replica.Change{second - first, drop, nil},
		replica.Change{first - second, put, bytes1}, replica.Change{second - first, put, bytes2},
	), replica.ErrDamaged)
	must(t, p.replica.Apply(last(replica.Change{first, put, bytes1}, replica.Change{second - first, put, bytes2})))
}

// allocated returns how many bytes of memory a call takes.
func allocated(call func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	call()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// TestCompressedBytesAreBounded: what a message becomes is known before it is decompressed, and has to come out.
func TestCompressedBytesAreBounded(t *testing.T) {
	p := newPair(t, replica.PrimaryOptions{}, 8)
	p.of.step(8)
	m := p.next(t)
	var err error
	p.replica, err = replica.New(p.copy.World, replica.Options{Bytes: 1 << 20})
	must(t, err)
	small := replica.Compressed(make([]byte, 64<<20))
	took := allocated(func() {
		p.refused(t, "64 megabytes", replica.Reframe(m, func(h *replica.Head, _ []byte) []byte {
			h.Length, h.Flags = 64<<20, h.Flags|replica.CompressedFlag
			return small
		}), replica.ErrTooLarge)
	})
	if took > 32<<20 {
		t.Errorf("%d bytes of memory were taken", took)
	}
	packed := func(more int) []byte {
		return replica.Reframe(m, func(h *replica.Head, payload []byte) []byte {
			h.Length, h.Flags = uint64(len(payload)+more), h.Flags|replica.CompressedFlag
			return replica.Compressed(payload)
		})
	}
	p.refused(t, "more than it says", packed(-1), replica.ErrDamaged)
	p.refused(t, "fewer than it says", packed(1), replica.ErrDamaged)
	must(t, p.replica.Apply(packed(0)))
}

// TestStatesAreBounded: a state that grows delta by delta stays within Options.Bytes, and so does a part that is patched.
// What stays in front of what grows counts, and what stays behind it.
func TestStatesAreBounded(t *testing.T) {
	t.Run("in front", func(t *testing.T) { growing(t, 0) })
	t.Run("behind", func(t *testing.T) { growing(t, 12_000) })
}

func growing(t *testing.T, behind int) {
	const most = 1 << 20
	open := func() (*ecs.World, ecs.Component[mood], ecs.Component[burning]) {
		w, err := ecs.Open(ecs.Options{Tag: 3, MaxBytes: 32 << 20})
		must(t, err)
		t.Cleanup(func() { w.Close() })
		return w, ecs.Register[mood](w), ecs.Register[burning](w, ecs.Sparse) // pools are behind chunks
	}
	w, c, pooled := open()
	for range behind {
		w.Spawn(pooled.With(burning{}))
	}
	s, err := replica.NewPrimary(w, replica.PrimaryOptions{})
	must(t, err)
	w2, _, _ := open()
	r, err := replica.New(w2, replica.Options{Bytes: most})
	must(t, err)
	for rows := 0; ; rows += 500 {
		m, err := s.Next()
		must(t, err)
		if len(m) > most/2 {
			t.Fatalf("a message of %d bytes", len(m))
		}
		err = r.Apply(m)
		_, held := replica.Held(r)
		if held > most {
			t.Fatalf("the replica holds %d bytes", held)
		}
		if state := s.Stats().State; state > most {
			if !errors.Is(err, replica.ErrTooLarge) {
				t.Fatalf("a state of %d bytes: %v", state, err)
			}
			break
		}
		must(t, err)
		if w2.Len() != rows+behind {
			t.Fatalf("%d entities, want %d", w2.Len(), rows+behind)
		}
		for range 500 {
			w.Spawn(c.With(mood{}))
		}
	}
	key, _ := replica.Part(r, 0)
	const patched = 2
	huge := binary.AppendUvarint(binary.AppendUvarint(nil, key), patched)
	huge = append(binary.AppendUvarint(huge, most+1), 0)
	if err := r.Apply(replica.Sign(huge, false, r)); !errors.Is(err, replica.ErrTooLarge) {
		t.Errorf("a part of more than the limit: %v", err)
	}
}

// TestDeclarationsAreBounded: what a declaration may become in memory counts.
func TestDeclarationsAreBounded(t *testing.T) {
	p := newPair(t, replica.PrimaryOptions{}, 9)
	m := p.next(t)
	var err error
	p.replica, err = replica.New(p.copy.World, replica.Options{Bytes: 4 << 20})
	must(t, err)
	said := func(n int) []byte {
		return replica.Reframe(m, func(h *replica.Head, payload []byte) []byte {
			size, at := binary.Uvarint(payload)
			text := append(bytes.Repeat([]byte(" "), n), payload[at:][:size]...)
			payload = slices.Concat(binary.AppendUvarint(nil, uint64(len(text))), text, payload[at+int(size):])
			h.Length = uint64(len(payload))
			return payload
		})
	}
	p.refused(t, "a declaration of 64 kilobytes", said(64<<10), replica.ErrTooLarge)
	must(t, p.replica.Apply(said(1<<10)))
}

// TestWhatIsDecodedIsBounded: what sets, chunks and systems take in memory counts, and is refused before it is taken.
func TestWhatIsDecodedIsBounded(t *testing.T) {
	p := newPair(t, replica.PrimaryOptions{}, 9)
	var err error
	p.replica, err = replica.New(p.copy.World, replica.Options{Bytes: 4 << 20})
	must(t, err)
	must(t, p.replica.Apply(p.next(t)))
	words := func(n ...uint32) (b []byte) {
		for _, w := range n {
			b = binary.LittleEndian.AppendUint32(b, w)
		}
		return b
	}
	put, chunks := uint64(replica.Replaced), uint32(100_000)
	parts, _ := replica.Held(p.replica)
	last, _ := replica.Part(p.replica, parts-1)
	head, numbers := replica.Part(p.replica, 0)
	many := []replica.Change{{Up: head, Op: put, Bytes: replica.Counts(numbers, func(n []*uint64) { *n[3] = 50_000 })}}
	many = append(many, replica.Change{Up: last + 1 - head, Op: put})
	for range 50_000 {
		many = append(many, replica.Change{Up: 1, Op: put})
	}
	for what, changes := range map[string][]replica.Change{
		"chunks":  {{Up: replica.FirstSet, Op: put, Bytes: words(1, chunks, 0, 0)}, {Up: replica.FirstTable - replica.FirstSet, Op: put, Bytes: make([]byte, chunks*16)}},
		"spare":   {{Up: replica.FirstSet, Op: put, Bytes: append(words(1, 0, 0, 4*chunks), make([]byte, 16*chunks)...)}},
		"queries": many,
	} {
		forged := replica.Sign(replica.Changes(changes...), false, p.replica)
		took := allocated(func() {
			if err := p.replica.Apply(forged); !errors.Is(err, replica.ErrTooLarge) {
				t.Errorf("%s: %v", what, err)
			}
		})
		if took > 12<<20 { // the state, as it was sent and as it is read, and the list of its parts
			t.Errorf("%s: %d bytes of memory were taken", what, took)
		}
	}
}

// TestPartsWithoutBytesAreBounded: what a part takes beside its bytes counts, too.
func TestPartsWithoutBytesAreBounded(t *testing.T) {
	p := newPair(t, replica.PrimaryOptions{}, 9)
	must(t, p.replica.Apply(p.next(t)))
	var err error
	full, err := p.primary.Full()
	must(t, err)
	p.replica, err = replica.New(p.copy.World, replica.Options{Bytes: 1 << 20})
	must(t, err)
	many := make([]replica.Change, 300_000)
	for i := range many {
		many[i] = replica.Change{Up: 1, Op: replica.Replaced}
	}
	forged := replica.Reframe(full, func(h *replica.Head, payload []byte) []byte {
		said, n := binary.Uvarint(payload)
		payload = append(payload[:n+int(said)], replica.Changes(many...)...)
		h.Length = uint64(len(payload))
		return payload
	})
	took := allocated(func() {
		if err := p.replica.Apply(forged); !errors.Is(err, replica.ErrTooLarge) {
			t.Errorf("%d parts: %v", len(many), err)
		}
	})
	if took > 8<<20 {
		t.Errorf("%d bytes of memory were taken", took)
	}
}
