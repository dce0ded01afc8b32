package scripting_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs"
)

// numbers that break things: not-a-numbers of both signs and with contents, the
// smallest and the largest, and what lies around the ranges of integers.
var numbers = []float64{
	0, math.Copysign(0, -1), 1, -1, 0.5, 3, 100, 1e300, -1e300, 5e-324, -5e-324, 2.2250738585072014e-308,
	math.MaxFloat64, math.Inf(1), math.Inf(-1), math.NaN(), math.Float64frombits(0xFFF8000000000000),
	math.Float64frombits(0x7FF8000000001234), math.Float64frombits(0xFFF800000000ABCD), math.Float64frombits(0x7FF0000000000001),
	127, 128, 255, 256, 65535, 2147483648, 4294967296, 9007199254740992, 9007199254740994, 1e-10, math.Pi,
}

// quiet is the bit of a float32 that tells a quiet not-a-number from a signalling
// one.
const quiet = 1 << 22

// signals reports whether the world of a seed has signalling not-a-numbers in its
// f32 fields. They may become quiet ones on either path (see internal/kernel), and
// that bit is all in which these worlds may differ.
func signals(seed uint64) bool { return seed%8 == 5 }

// source gives numbers: of some worlds any, of others only these few, so that they
// are often equal, or both zero.
type source struct {
	*rand.Rand
	few     []float64
	signals bool
}

func newSource(seed uint64) source {
	s := source{Rand: rand.New(rand.NewPCG(seed, 7)), signals: signals(seed)}
	if s.IntN(3) == 0 {
		for range 2 + s.IntN(3) {
			s.few = append(s.few, s.number())
		}
		s.few = append(s.few, 0, math.Copysign(0, -1))
	}
	return s
}

func (r source) number() float64 {
	switch {
	case r.few != nil:
		return r.few[r.IntN(len(r.few))]
	case r.IntN(2) == 0:
		return numbers[r.IntN(len(numbers))]
	}
	return r.NormFloat64() * 200
}

// bits are those of an integer of so many bytes, at an end of its range or any.
func (r source) bits(size uintptr) uint64 {
	least := uint64(1) << (8*size - 1)
	if r.IntN(3) == 0 {
		return []uint64{0, 1, least, least - 1, ^uint64(0), ^uint64(0) - 1, least + 1}[r.IntN(7)]
	}
	return r.Uint64() >> (r.IntN(9) * 8)
}

// random fills a struct with numbers that its fields can hold.
func random(r source, s *ecs.Schema, p unsafe.Pointer) {
	for i := range s.Fields {
		f := &s.Fields[i]
		at := unsafe.Add(p, f.Offset)
		switch f.Kind {
		case ecs.F32:
			*(*uint32)(at) = math.Float32bits(float32(r.number()))
			switch {
			case r.IntN(20) == 0: // a quiet not-a-number with any contents
				*(*uint32)(at) = 0x7FC00000 | r.Uint32()
			case r.signals && r.IntN(4) == 0:
				*(*uint32)(at) = 0x7F800001 | r.Uint32()&^quiet
			}
		case ecs.F64:
			*(*uint64)(at) = math.Float64bits(r.number())
		case ecs.Bool:
			*(*bool)(at) = r.IntN(2) == 0
		default:
			bits := r.bits(f.Kind.Size()) // any bits are a number of every kind
			copy(unsafe.Slice((*byte)(at), f.Kind.Size()), (*[8]byte)(unsafe.Pointer(&bits))[:])
		}
	}
}

// natives lists the components that every row has.
func natives(w *ecs.World) []ecs.ComponentID {
	return []ecs.ComponentID{
		ecs.Register[Alpha](w).ID(), ecs.Register[Beta](w).ID(), ecs.Register[Gamma](w).ID(), ecs.Register[Delta](w).ID(),
	}
}

// arrange opens a world with rows that depend on the seed alone: whole chunks,
// and archetypes of a few rows.
func arrange(t testing.TB, seed uint64, rows int) *ecs.World {
	t.Helper()
	return arrangeWith(t, seed, rows, 1)
}

// arrangeWith is arrange with so many workers.
func arrangeWith(t testing.TB, seed uint64, rows, workers int) *ecs.World {
	t.Helper()
	w, err := ecs.Open(ecs.Options{Tag: 1, MaxBytes: 16 << 20, Workers: workers})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	r := newSource(seed)
	alpha, beta := ecs.Register[Alpha](w), ecs.Register[Beta](w)
	gamma, delta := ecs.Register[Gamma](w), ecs.Register[Delta](w)
	ecs.Register[Frame](w)
	type Extra struct{ N int32 }
	extra, friend := ecs.Register[Extra](w), ecs.Register[Friend](w)
	var last ecs.Entity
	for i := range rows {
		e := w.Spawn(alpha.With(Alpha{}), beta.With(Beta{}), gamma.With(Gamma{}), delta.With(Delta{}), friend.With(Friend{}))
		*friend.Edit(e) = Friend{Mate: []ecs.Entity{e, last, 0}[i*7%3], Home: []ecs.Entity{last, e, 0, last}[i*5%4]}
		last = e
		if i%9 == 8 {
			w.Add(e, extra.With(Extra{}))
		}
		for _, id := range natives(w) {
			random(r, w.Raw().Schema(id), w.Raw().Edit(e, id))
		}
	}
	return w
}

// dump returns the bytes of all values, row by row, as text that can be compared.
func dump(w *ecs.World) string {
	if raceEnabled {
		hush(w)
	}
	var b strings.Builder
	for e := range w.Entities() {
		for _, id := range natives(w) {
			p, s := w.Raw().Pointer(e, id), w.Raw().Schema(id)
			for k := range s.Fields {
				if f := &s.Fields[k]; p != nil {
					fmt.Fprintf(&b, "%v %s.%s % x\n", e, s.Name, f.Name, unsafe.Slice((*byte)(unsafe.Add(p, f.Offset)), f.Kind.Size()))
				}
			}
		}
	}
	return b.String()
}

// checksum is that of a world, for comparisons.
func checksum(w *ecs.World) uint64 {
	if raceEnabled {
		hush(w)
	}
	return w.Checksum()
}

// hush makes all not-a-numbers in f32 fields quiet ones. In the race detector's
// build it makes all not-a-numbers the same: which of two an addition in Go gives is
// the compiler's choice, and that build chooses differently.
func hush(w *ecs.World) {
	for e := range w.Entities() {
		for _, id := range w.Raw().Components(e, nil) {
			s := w.Raw().Schema(id)
			for i := range s.Fields {
				hushField(&s.Fields[i], w.Raw().Edit(e, id))
			}
		}
	}
}

func hushField(f *ecs.Field, p unsafe.Pointer) {
	for i := range max(f.Len, 1) {
		at := unsafe.Add(p, f.Offset+uintptr(i)*f.Stride)
		for k := range f.Fields {
			hushField(&f.Fields[k], at)
		}
		switch {
		case f.Kind == ecs.F32 && *(*float32)(at) != *(*float32)(at):
			*(*uint32)(at) |= quiet
			if raceEnabled {
				*(*float32)(at) = float32(math.NaN())
			}
		case raceEnabled && f.Kind == ecs.F64 && *(*float64)(at) != *(*float64)(at):
			*(*float64)(at) = math.NaN()
		}
	}
}

// refresh has a system run after each of so many that give rows other numbers:
// what one of them leaves is soon not-a-number everywhere, and nothing new to the
// next. It notes what the world is like before.
func refresh(t testing.TB, w *ecs.World, seed uint64, systems int, note func(sum uint64)) {
	t.Helper()
	r := newSource(seed)
	var watched []*ecs.Query
	for _, h := range []ecs.ComponentRef{ecs.Register[Alpha](w), ecs.Register[Beta](w), ecs.Register[Gamma](w), ecs.Register[Delta](w)} {
		watched = append(watched, w.Query(ecs.Read(h)).Changed(h))
	}
	written := func() (rows uint64) { // that count as changed since the last look
		for _, q := range watched {
			rows *= 1 << 14
			for c := range q.Chunks() {
				rows += uint64(c.Len())
			}
		}
		return rows
	}
	for i := range systems {
		err := w.Schedule().Add(ecs.System{Name: fmt.Sprintf("s%02d~", i), Phase: ecs.Logic, Run: func(*ecs.Tick) error {
			if r.signals {
				hush(w)
			}
			note(checksum(w) + written()*0x9e3779b97f4a7c15)
			for e := range w.Entities() {
				for _, id := range natives(w) {
					if w.Raw().Has(e, id) && r.IntN(4) == 0 {
						random(r, w.Raw().Schema(id), w.Raw().Edit(e, id))
					}
				}
			}
			written()
			return nil
		}})
		if err != nil {
			t.Fatal(err)
		}
	}
	order := w.Schedule().Names()
	for i, name := range order {
		own, ours := strings.CutSuffix(name, "~")
		if ours && slices.Contains(order, own) && order[max(i-1, 0)] != own {
			t.Fatalf("%s does not run behind its system: %v", name, order)
		}
	}
}
