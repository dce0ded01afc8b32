package inspect

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/perigee-ecs/perigee/scripting/kit"
)

// TestHandsAreTheSumOfAll: what the game holds down is what one of its viewers holds, by a model that looks through all of them, whatever they do and
// whenever they leave. Who holds a button or the stick says where it is.
func TestHandsAreTheSumOfAll(t *testing.T) {
	const keys, viewers = 5, 4
	type place struct{ x, y float64 }
	type model struct {
		down            [keys]bool
		button, second  bool
		pointer, pushed place
	}
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 7))
		var is model // of the game, as kit takes signals
		h := hands{play: func(s kit.Signal) bool {
			switch s.Kind {
			case kit.KeyMoved:
				is.down[s.Key] = s.Down
			case kit.PointerMoved:
				is.button, is.second, is.pointer = s.Down, s.Second, place{s.X, s.Y}
			case kit.StickMoved:
				is.pushed = place{s.X, s.Y}
			case kit.Released:
				is = model{pointer: is.pointer}
			}
			return true
		}}
		var all [viewers]hand
		var held [viewers]model
		for step := range 300 {
			n := r.IntN(viewers)
			one, on := &held[n], r.IntN(2) == 0
			s := kit.Signal{Kind: kit.SignalKind(r.IntN(5)), Key: kit.KeyCode(r.IntN(keys))}
			broken := r.IntN(20) == 0
			switch {
			case broken && s.Kind != kit.Released:
				s.X, s.Down = []float64{math.NaN(), math.Inf(1), 1e12}[r.IntN(3)], true
			case s.Kind == kit.KeyMoved:
				s.Down, one.down[s.Key] = on, on
			case s.Kind == kit.PointerMoved:
				s.X, s.Y, s.Down, s.Second = float64(n), float64(step), on, r.IntN(2) == 0
				one.button, one.second, one.pointer = s.Down, s.Second, place{s.X, s.Y}
			case s.Kind == kit.StickMoved:
				if on {
					s.X, s.Y = float64(r.IntN(3)-1), float64(n+1)
				}
				one.pushed = place{s.X, s.Y}
			case s.Kind == kit.Released:
				*one = model{pointer: one.pointer}
			}
			h.signal(&all[n], s)
			var want model
			pressed, pushed := false, false // one who does it says where
			for _, m := range held {
				for k := range keys {
					want.down[k] = want.down[k] || m.down[k]
				}
				want.button, want.second = want.button || m.button, want.second || m.second
				pressed = pressed || (m.button || m.second) && m.pointer == is.pointer
				pushed = pushed || m.pushed != (place{}) && m.pushed == is.pushed
				if m.pushed != (place{}) {
					want.pushed = is.pushed
				}
			}
			if want.pointer = is.pointer; is != want || (want.button || want.second) && !pressed || want.pushed != (place{}) && !pushed {
				t.Fatalf("seed %d, step %d: after %+v of viewer %d the game has %+v, want %+v; they hold %+v", seed, step, s, n, is, want, held)
			}
		}
	}
}
