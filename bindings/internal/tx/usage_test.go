package tx

import (
	"fmt"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"pgregory.net/rapid"
)

// TestAmpleIsNeverWrong: where a command more is ample, none of the limits is reached by it;
// and without limits it always is.
func TestAmpleIsNeverWrong(t *testing.T) {
	w := ecs.NewWorld()
	defer w.Close()
	rapid.Check(t, func(t *rapid.T) {
		n := func(name string, most int) int { return rapid.IntRange(0, most).Draw(t, name) }
		limits := &Limits{Commands: n("commands", 300), TickCommands: n("of the tick", 300), CommandBytes: int64(n("bytes", 9000)), TickCommandBytes: int64(n("bytes of the tick", 9000))}
		var s usage
		s.All, s.mine, s.of = recorded{n("all", 300), 0, n("all bytes", 9000)}, recorded{n("mine", 300), 0, n("my bytes", 9000)}, n("scripts", 3)
		before, now, more := n("before", 20), n("now", 100), n("more", 3)
		// All is drawn by here: a draw that fails ends the check with a panic, which the world
		// would take for a fault of the system, and the printed seed would replay another run.
		err := w.Run("test", func(tick *ecs.Tick) error {
			c := &Call{Tick: tick}
			for range before {
				tick.Commands.Spawn()
			}
			c.before = recordedBy(c)
			for range now {
				tick.Commands.Spawn()
				of, all := s.CommandsOfTick(c, limits, more-1)
				bytes, allBytes := s.BytesOfTick(c, limits, more-1)
				reached := Reached(tick.Commands.Len()+more-1, limits.Commands) || Reached(c.Bytes()+more-1, int(limits.CommandBytes)) || Reached(of, all) || Reached(bytes, allBytes)
				ample := s.Ample(c, limits, more)
				if ample && reached || !ample && *limits == (Limits{}) {
					return fmt.Errorf("ample: %v, reached: %v", ample, reached)
				}
			}
			tick.Commands.Drop()
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}
