package replica_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/replica"
	"github.com/perigee-ecs/perigee/ecs/save"
	"github.com/perigee-ecs/perigee/ecs/snapshot"
)

// listeners is a world with events, of which few wait, and with readers that get what others do not.
type listeners struct {
	*ecs.World
	small  ecs.Event[blip]
	large  ecs.Event[wide]
	reader *ecs.Reader // nil for none
	sent   float64
	got    bytes.Buffer
}

type blip struct{ N float64 }
type wide struct{ N, M, O float64 }

// newListeners makes one: what it has follows from the seed.
func newListeners(t testing.TB, seed uint64) *listeners {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 1))
	w, err := ecs.Open(ecs.Options{Tag: 5, MaxBytes: 16 << 20, MaxUnread: 1 + r.IntN(40)})
	must(t, err)
	t.Cleanup(func() { w.Close() })
	l := &listeners{World: w, small: ecs.RegisterEvent[blip](w), large: ecs.RegisterEvent[wide](w)}
	if r.IntN(3) == 0 {
		must(t, l.large.Retain(ecs.Retention{Events: r.IntN(20), Ticks: r.IntN(4)}))
	}
	if r.IntN(3) > 0 {
		l.reader = l.small.Reader("host")
	}
	every, sends := 1+r.IntN(5), r.IntN(60)
	if r.IntN(3) > 0 {
		slow := l.large.Reader("slow")
		must(t, w.Schedule().Add(ecs.System{Name: "slow", Run: func(tick *ecs.Tick) error {
			if int(tick.N)%every == 0 {
				for v := range l.large.Read(slow) {
					fmt.Fprint(&l.got, " slow ", v.N)
				}
			}
			return nil
		}}))
	}
	if r.IntN(3) > 0 {
		must(t, w.Schedule().Add(l.small.Each(ecs.System{Name: "each"}, func(_ *ecs.Tick, v blip) error {
			fmt.Fprint(&l.got, " each ", v.N)
			return nil
		})))
	}
	must(t, w.Schedule().Add(ecs.System{Name: "sends", Run: func(tick *ecs.Tick) error {
		if int(tick.N)%every == 1 {
			for n := range sends {
				l.small.Send(tick.Commands, blip{float64(tick.N)*1000 + float64(n)})
				l.large.Send(tick.Commands, wide{N: -float64(tick.N)*1000 - float64(n)})
			}
		}
		return nil
	}}))
	return l
}

// do does one thing at random.
func (l *listeners) do(t testing.TB, r *rand.Rand) {
	t.Helper()
	switch n := r.IntN(10); {
	case n < 4:
		for range r.IntN(1 + r.IntN(100)) {
			l.sent++
			must(t, l.small.Emit(blip{l.sent}))
			must(t, l.large.Emit(wide{N: -l.sent}))
		}
	case n < 7:
		must(t, l.Step(0.1))
	case n == 7:
		if r.IntN(2) == 0 {
			_, err := l.large.Clear()
			must(t, err)
		}
	case l.reader != nil:
		if n == 8 {
			l.reader.RewindTick()
		}
		for v := range l.small.Read(l.reader) {
			if fmt.Fprint(&l.got, " host ", v.N); r.IntN(20) == 0 {
				break
			}
		}
	}
}

// look says what can be seen of it.
func (l *listeners) look() string {
	l.got.WriteString("\n")
	for _, s := range l.Stats().Events {
		fmt.Fprint(&l.got, s.Event, s.Waiting, s.Limit, s.Slowest, s.Ticks)
	}
	if l.reader != nil {
		fmt.Fprint(&l.got, "; host", l.reader.Len(), l.reader.Lost(), l.reader.Position())
	}
	text := l.got.String()
	l.got.Reset()
	return text
}

// TestEventsThatWaitComeAlong: whatever was sent, read and dropped before a capture, a restore, a file and a message take it,
// and the readers of the copies get what those of the original get.
func TestEventsThatWaitComeAlong(t *testing.T) {
	dropped := uint64(0)
	for seed := range uint64(150) {
		of := newListeners(t, seed)
		r := rand.New(rand.NewPCG(seed, 2))
		for range r.IntN(30) {
			of.do(t, r)
		}
		must(t, of.Check())
		of.look()
		kept, err := snapshot.Capture(of.World)
		must(t, err)
		worlds := []*listeners{of}
		for way, restore := range []func(w *ecs.World) error{
			func(w *ecs.World) error { return snapshot.Restore(w, kept) },
			func(w *ecs.World) error {
				var text bytes.Buffer
				must(t, save.Write(&text, kept, save.Options{}))
				f, err := save.Open(bytes.NewReader(text.Bytes()), int64(text.Len()))
				must(t, err)
				_, err = f.Load(w, save.LoadOptions{})
				return err
			},
			func(w *ecs.World) error {
				p, err := replica.NewPrimary(of.World, replica.PrimaryOptions{})
				must(t, err)
				to, err := replica.New(w, replica.Options{})
				must(t, err)
				m, err := p.Next()
				must(t, err)
				return to.Apply(m)
			},
		} {
			l := newListeners(t, seed)
			for range 5 { // what it was is gone
				l.do(t, r)
			}
			if err := restore(l.World); err != nil {
				t.Fatalf("seed %d, way %d: %v", seed, way, err)
			}
			must(t, l.Check())
			l.got.Reset()
			l.sent = of.sent
			worlds = append(worlds, l)
		}
		for tick := range 40 {
			want := ""
			for i, l := range worlds {
				l.do(t, rand.New(rand.NewPCG(seed, uint64(100+tick))))
				if got := l.look(); i == 0 {
					want = got
				} else if got != want {
					t.Fatalf("seed %d, way %d, turn %d:\n%s, want\n%s", seed, i-1, tick, got, want)
				}
				must(t, l.Check())
			}
		}
		for _, s := range of.Stats().Events {
			dropped += s.Dropped
		}
		for _, l := range worlds {
			must(t, l.World.Close())
		}
	}
	if dropped < 1000 {
		t.Errorf("%d events were dropped", dropped)
	}
}
