package inspect

import (
	"math/rand/v2"
	"testing"

	"github.com/perigee-ecs/perigee/scripting/kit"
)

// TestHandsAreTheSumOfAll: what the game holds down is what one of its viewers holds, by a model that looks through all of them, whatever they do and
// whenever they leave.
func TestHandsAreTheSumOfAll(t *testing.T) {
	const keys, viewers = 5, 4
	type model struct {
		down           [keys]bool
		pointer, stick bool
	}
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 7))
		var is model // of the game, as kit takes signals
		h := hands{play: func(s kit.Signal) bool {
			switch s.Kind {
			case kit.KeyMoved:
				is.down[s.Key] = s.Down
			case kit.PointerMoved:
				is.pointer = s.Down || s.Second
			case kit.StickMoved:
				is.stick = s.X != 0 || s.Y != 0
			case kit.Released:
				is = model{}
			}
			return true
		}}
		var all [viewers]hand
		var held [viewers]model
		for step := range 300 {
			n := r.IntN(viewers)
			one, on := &held[n], r.IntN(2) == 0
			s := kit.Signal{Kind: kit.SignalKind(r.IntN(5)), Key: kit.KeyCode(r.IntN(keys))}
			switch s.Kind {
			case kit.KeyMoved:
				s.Down, one.down[s.Key] = on, on
			case kit.PointerMoved:
				s.X, one.pointer = 1, on
				if r.IntN(2) == 0 {
					s.Down = on
				} else {
					s.Second = on
				}
			case kit.StickMoved:
				if one.stick = on; on {
					s.Y = -1
				}
			case kit.Released:
				*one = model{}
			}
			h.signal(&all[n], s)
			var want model
			for _, m := range held {
				for k := range keys {
					want.down[k] = want.down[k] || m.down[k]
				}
				want.pointer, want.stick = want.pointer || m.pointer, want.stick || m.stick
			}
			if is != want {
				t.Fatalf("seed %d, step %d: after %+v of viewer %d the game has %+v, want %+v", seed, step, s, n, is, want)
			}
		}
	}
}
