package replica_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/replica"
)

// pair is a game, and a replica of it.
type pair struct {
	of, copy *game
	primary  *replica.Primary
	replica  *replica.Replica
}

func newPair(t testing.TB, options replica.PrimaryOptions, seed uint64) *pair {
	t.Helper()
	p := &pair{of: newGame(t, ecs.Options{Seed: seed, Tag: 7}), copy: newGame(t, ecs.Options{Seed: 99, Tag: 7})}
	var err error
	p.primary, err = replica.NewPrimary(p.of.World, options)
	must(t, err)
	p.replica, err = replica.New(p.copy.World, replica.Options{Codecs: options.Codecs})
	must(t, err)
	return p
}

// next makes a message of what the game is.
func (p *pair) next(t testing.TB) []byte {
	t.Helper()
	m, err := p.primary.Next()
	must(t, err)
	return m
}

// TestReplicaIsTheWorld: after each message the replica's world is that of the primary in all that
// can be seen of it, and if it is stepped it goes on as that does.
func TestReplicaIsTheWorld(t *testing.T) {
	for seed := range uint64(6) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			p := newPair(t, replica.PrimaryOptions{Compress: seed%2 == 0}, seed)
			p.copy.step(5) // what the replica was is gone
			full := 0
			for tick := range 60 {
				p.of.step(seed)
				if tick%3 == 1 { // what the host has changed waits for its report
					p.of.input(seed)
				}
				m := p.next(t)
				must(t, p.replica.Apply(m))
				if got, want := p.copy.look(t), p.of.look(t); got != want {
					t.Fatalf("tick %d:\n%s, want\n%s", tick, got, want)
				}
				s := p.primary.Stats()
				if _, held := replica.Held(p.replica); s.State != held || s.Bytes != len(m) || s.Number != p.replica.Number() || s.Full != replica.Full(m) {
					t.Fatalf("tick %d: %+v, number %d", tick, s, p.replica.Number())
				}
				if s.Full {
					full++
				}
				if tick%6 == 4 {
					p.goOn(t, seed, 3)
				}
			}
			if full > 2 { // the first, and when the world makes the mark of its first prefab
				t.Errorf("%d full messages", full)
			}
			p.goOn(t, seed, 20)
		})
	}
}

// goOn steps both worlds with the same inputs: they stay the same.
func (p *pair) goOn(t testing.TB, seed uint64, ticks int) {
	t.Helper()
	for tick := range ticks {
		p.of.step(seed)
		p.copy.step(seed)
		if got, want := p.copy.look(t), p.of.look(t); got != want {
			t.Fatalf("stepped %d times:\n%s, want\n%s", tick+1, got, want)
		}
	}
}

// TestLostDoubledReordered: messages come over a line that loses, doubles and reorders them. A replica applies
// those that fit, asks for a full one when it misses one, and is always what the primary was.
func TestLostDoubledReordered(t *testing.T) {
	for seed := range uint64(5) {
		p := newPair(t, replica.PrimaryOptions{}, seed)
		r := rand.New(rand.NewPCG(seed, 1))
		var line [][]byte
		looks := map[uint64]string{0: p.copy.look(t)}
		gaps, olds, applied := 0, 0, 0
		for range 120 {
			p.of.step(seed)
			line = append(line, p.next(t))
			looks[p.primary.Stats().Number] = p.of.look(t)
			for len(line) > 0 && r.IntN(3) > 0 {
				i := r.IntN(min(len(line), 2))
				m := line[i]
				if r.IntN(4) > 0 {
					line = append(line[:i], line[i+1:]...)
				}
				if r.IntN(8) == 0 {
					continue // lost, or sent again later
				}
				switch err := p.replica.Apply(m); {
				case err == nil:
					applied++
				case errors.Is(err, replica.ErrOld):
					olds++
				case errors.Is(err, replica.ErrGap):
					if gaps++; r.IntN(3) == 0 {
						full, err := p.primary.Full()
						must(t, err)
						line = append(line, full)
					}
				default:
					t.Fatal(err)
				}
				if got, want := p.copy.look(t), looks[p.replica.Number()]; got != want {
					t.Fatalf("seed %d, number %d:\n%s, want\n%s", seed, p.replica.Number(), got, want)
				}
			}
		}
		if gaps == 0 || olds == 0 || applied < 10 {
			t.Errorf("seed %d: %d gaps, %d old ones, %d applied", seed, gaps, olds, applied)
		}
	}
}

// TestFullMessagesOfOthers: a full message of another primary makes the replica that one's; deltas of
// the first one do not fit any more.
func TestFullMessagesOfOthers(t *testing.T) {
	p := newPair(t, replica.PrimaryOptions{}, 1)
	must(t, p.replica.Apply(p.next(t)))
	p.of.step(1)
	delta := p.next(t)
	second, err := replica.NewPrimary(p.of.World, replica.PrimaryOptions{})
	must(t, err)
	if _, err := second.Full(); !errors.Is(err, ecs.ErrConflict) {
		t.Error(err)
	}
	if _, err := second.Encode(); !errors.Is(err, ecs.ErrConflict) {
		t.Error(err)
	}
	m, err := second.Next()
	must(t, err)
	must(t, p.replica.Apply(m))
	if err := p.replica.Apply(delta); !errors.Is(err, replica.ErrGap) {
		t.Error(err)
	}
	if got, want := p.copy.look(t), p.of.look(t); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestCapturesThatAreNotSent are forgotten, and the next delta is from the last message on.
func TestCapturesThatAreNotSent(t *testing.T) {
	p := newPair(t, replica.PrimaryOptions{}, 2)
	for range 20 {
		for range 3 {
			p.of.step(2)
			must(t, p.primary.Capture())
		}
		want := p.of.look(t)
		encoded := make(chan []byte)
		go func() {
			m, err := p.primary.Encode()
			if err != nil {
				t.Error(err)
			}
			encoded <- m
		}()
		p.of.step(2) // the game goes on
		must(t, p.replica.Apply(<-encoded))
		if got := p.copy.look(t); got != want {
			t.Fatalf("%s, want %s", got, want)
		}
	}
}

// TestOnlyWhatHasChanged: a delta has the words that changed and little else.
func TestOnlyWhatHasChanged(t *testing.T) {
	w := ecs.NewWorld()
	defer w.Close()
	c := ecs.Register[position](w)
	es := make([]ecs.Entity, 10_000)
	for i := range es {
		es[i] = w.Spawn(c.With(position{X: float32(i)}))
	}
	s, err := replica.NewPrimary(w, replica.PrimaryOptions{})
	must(t, err)
	_, err = s.Next()
	must(t, err)
	full := s.Stats().Bytes
	if full < 10_000*16 {
		t.Fatal(full)
	}
	for _, changes := range []int{0, 1, 100} {
		for i := range changes {
			c.Edit(es[i*97]).Y++
		}
		must(t, w.Step(1))
		m, err := s.Next()
		must(t, err)
		if most := 400 + 10*changes; len(m) > most {
			t.Errorf("%d rows changed: %d bytes, at most %d", changes, len(m), most)
		}
	}
}

// TestCompressedMessages are smaller, full ones and deltas, and make the same world.
func TestCompressedMessages(t *testing.T) {
	w := ecs.NewWorld()
	defer w.Close()
	c := ecs.Register[position](w)
	for range 1000 {
		w.Spawn(c.With(position{1, 2}))
	}
	var bytes [2][2]int
	for i, compress := range []bool{false, true} {
		s, err := replica.NewPrimary(w, replica.PrimaryOptions{Compress: compress})
		must(t, err)
		for j := range 2 {
			m, err := s.Next()
			must(t, err)
			bytes[i][j] = len(m)
			for e := range w.Entities() {
				c.Edit(e).Y += 3
			}
		}
	}
	if bytes[1][0] > bytes[0][0]/2 || bytes[1][1] > bytes[0][1]/2 {
		t.Errorf("compressed %v bytes, without %v", bytes[1], bytes[0])
	}
}

// TestWhatCannotBeMade: primaries and replicas of no world, of one that is closed, and with limits that are none.
func TestWhatCannotBeMade(t *testing.T) {
	w, closed := ecs.NewWorld(), ecs.NewWorld()
	defer w.Close()
	must(t, closed.Close())
	primary := func(w *ecs.World) error { _, err := replica.NewPrimary(w, replica.PrimaryOptions{}); return err }
	copy := func(w *ecs.World, bytes int64) error {
		_, err := replica.New(w, replica.Options{Bytes: bytes})
		return err
	}
	for i, c := range []struct{ got, want error }{
		{primary(nil), ecs.ErrConflict}, {primary(closed), ecs.ErrClosed}, {primary(w), nil},
		{copy(nil, 0), ecs.ErrConflict}, {copy(closed, 0), ecs.ErrClosed}, {copy(w, -1), ecs.ErrRange}, {copy(w, 1), nil},
	} {
		if !errors.Is(c.got, c.want) {
			t.Errorf("%d: %v, want %v", i, c.got, c.want)
		}
	}
}

// TestDeclarationsThatDiffer: a world that has declared something else refuses the message, and says what differs.
func TestDeclarationsThatDiffer(t *testing.T) {
	open := func(declare func(w *ecs.World)) *ecs.World {
		w, err := ecs.Open(ecs.Options{Tag: 3})
		must(t, err)
		t.Cleanup(func() { w.Close() })
		declare(w)
		return w
	}
	right := func(w *ecs.World) { ecs.Register[position](w); ecs.Register[velocity](w); ecs.RegisterEvent[hit](w) }
	s, err := replica.NewPrimary(open(right), replica.PrimaryOptions{})
	must(t, err)
	m, err := s.Next()
	must(t, err)
	for _, c := range []struct {
		says    string
		want    error
		declare func(w *ecs.World)
	}{
		{"", nil, right},
		{"same order", ecs.ErrConflict, func(w *ecs.World) { ecs.Register[velocity](w); ecs.Register[position](w); ecs.RegisterEvent[hit](w) }},
		{"and not in that of the primary", ecs.ErrConflict, func(w *ecs.World) { right(w); ecs.Register[perch](w) }},
		{"not registered in this one", ecs.ErrUnknown, func(w *ecs.World) { ecs.Register[position](w); ecs.RegisterEvent[hit](w) }},
		{"the events of this world", ecs.ErrConflict, func(w *ecs.World) { ecs.Register[position](w); ecs.Register[velocity](w) }},
		{"kept elsewhere", ecs.ErrConflict, func(w *ecs.World) {
			ecs.Register[position](w)
			ecs.Register[velocity](w, ecs.Sparse)
			ecs.RegisterEvent[hit](w)
		}},
	} {
		r, err := replica.New(open(c.declare), replica.Options{})
		must(t, err)
		if err := r.Apply(m); !errors.Is(err, c.want) || err != nil && !strings.Contains(err.Error(), c.says) {
			t.Errorf("%v, want %q", err, c.says)
		}
	}
}

// TestResourcesThatAreMissing: a world without a resource of the primary refuses the message, and takes it once it has the resource.
func TestResourcesThatAreMissing(t *testing.T) {
	w, err := ecs.Open(ecs.Options{Tag: 3})
	must(t, err)
	defer w.Close()
	w2, err := ecs.Open(ecs.Options{Tag: 3})
	must(t, err)
	defer w2.Close()
	ecs.Provide(w, &position{1, 2})
	s, err := replica.NewPrimary(w, replica.PrimaryOptions{})
	must(t, err)
	m, err := s.Next()
	must(t, err)
	r, err := replica.New(w2, replica.Options{})
	must(t, err)
	if err := r.Apply(m); !errors.Is(err, ecs.ErrUnknown) {
		t.Error(err)
	}
	here := ecs.Provide(w2, &position{})
	must(t, r.Apply(m))
	if *here != (position{1, 2}) {
		t.Error(*here)
	}
}

// TestDamage: no flipped bit and no cut leaves a world that is another one.
func TestDamage(t *testing.T) {
	p := newPair(t, replica.PrimaryOptions{}, 3)
	for range 10 {
		p.of.step(3)
	}
	full := p.next(t)
	p.of.step(3)
	delta := p.next(t)
	before := p.copy.look(t)
	for step, m := range [][]byte{full, delta} {
		for i := range m {
			bad := bytes.Clone(m)
			bad[i] ^= 1 << (i % 8)
			err := p.replica.Apply(bad)
			if !errors.Is(err, replica.ErrDamaged) && !errors.Is(err, replica.ErrVersion) {
				t.Fatalf("message %d, byte %d: %v", step, i, err)
			}
			if err := p.replica.Apply(m[:i]); !errors.Is(err, replica.ErrDamaged) {
				t.Fatalf("message %d, %d bytes: %v", step, i, err)
			}
		}
		if after := p.copy.look(t); after != before {
			t.Fatalf("message %d: %s, want %s", step, after, before)
		}
		must(t, p.replica.Apply(m))
		before = p.copy.look(t)
	}
}

var forgeries = flag.Int("forgeries", 500, "how many forged messages TestForgery makes")

// TestForgery: whoever knows the format and writes what he likes gets an error, or a world in order.
func TestForgery(t *testing.T) {
	rounds := *forgeries
	p := newPair(t, replica.PrimaryOptions{}, 4)
	for range 30 {
		p.of.step(4)
	}
	full := p.next(t)
	must(t, p.replica.Apply(full))
	p.of.step(4)
	delta := p.next(t)
	r := rand.New(rand.NewPCG(4, 4))
	accepted, why, before := 0, map[string]int{}, p.copy.look(t)
	for range rounds {
		m := full
		if r.IntN(2) == 0 {
			m = delta
		}
		bad := replica.Forge(m, r, p.replica)
		err := p.replica.Apply(bad)
		if err != nil {
			why[kindOf(err)]++
			if after := p.copy.look(t); after != before {
				t.Fatalf("refused with %v, and changed:\n%s, was\n%s", err, after, before)
			}
			continue
		}
		accepted++
		p.copy.step(4)
		must(t, p.copy.Check())
		replica.Forget(p.replica)
		must(t, p.replica.Apply(full))
		before = p.copy.look(t)
	}
	t.Log(accepted, why)
	if accepted == 0 || accepted == rounds {
		t.Errorf("%d of %d accepted", accepted, rounds)
	}
}

// kindOf returns which error of the package's documentation an error wraps.
func kindOf(err error) string {
	for _, k := range []error{replica.ErrDamaged, replica.ErrTooLarge, replica.ErrOld, replica.ErrGap, ecs.ErrConflict, ecs.ErrUnknown, ecs.ErrEntityLimit, ecs.ErrArenaFull} {
		if errors.Is(err, k) {
			return k.Error()
		}
	}
	return "another error: " + err.Error()
}

// TestGrownParts: a delta of a few bytes that makes half a gigabyte of a part is refused before the memory is taken.
func TestGrownParts(t *testing.T) {
	p := newPair(t, replica.PrimaryOptions{}, 1)
	must(t, p.replica.Apply(p.next(t)))
	const key, patched = 1 << 56, 2 // the first part
	forged := binary.AppendUvarint(binary.AppendUvarint(nil, key), patched)
	forged = append(binary.AppendUvarint(forged, 1<<29), 0)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	err := p.replica.Apply(replica.Sign(forged, false, p.replica))
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; !errors.Is(err, replica.ErrDamaged) || took > 1<<20 {
		t.Errorf("%v, after %d bytes of memory", err, took)
	}
}
