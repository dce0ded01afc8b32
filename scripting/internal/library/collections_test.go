package library_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/perigee-ecs/perigee/scripting/internal/library"
)

// TestCoroutinesAreCollectedBesideTheGame: a script that lets go of many coroutines has the collector run
// beside its calls, and none of them waits for it at the limit.
func TestCoroutinesAreCollectedBesideTheGame(t *testing.T) {
	const rounds = 20
	m := newHost(library.Options{MaxCoroutines: 4000})
	env := m.lib.Env()
	forced := func() uint32 {
		var s runtime.MemStats
		runtime.ReadMemStats(&s)
		return s.NumForcedGC
	}
	before := forced()
	for round := range uint32(rounds) {
		for n := 1100; forced() == before+round; n = 20 { // the last collection may not have come to its end
			out := make(chan string)
			go func() { // calls may come from any goroutine
				said, _ := m.runIn(env, fmt.Sprintf(`for i = 1, %d do coroutine.wrap(function() coroutine.yield() end)() end`, n), enough, 0)
				out <- said
			}()
			if said := <-out; said != "" {
				t.Fatal(said)
			}
			time.Sleep(time.Millisecond)
		}
	}
	if runs := forced() - before; runs > rounds+rounds/4 { // on a busy machine one may begin before the next has been asked for
		t.Errorf("the collector ran %d times for %d times 1,100 coroutines: a call has waited for it", runs, rounds)
	}
}
