package game

import (
	"io"
	"io/fs"
	"log/slog"
	"testing"
	"time"

	"github.com/perigee-ecs/perigee/scripting"
	"github.com/perigee-ecs/perigee/scripts"
)

// TestStockScriptsKeepTheReleaseLimits: the demo and what a new project begins with need no
// more than players' frames have.
func TestStockScriptsKeepTheReleaseLimits(t *testing.T) {
	for name, folder := range map[string]fs.FS{"demo": scripts.Demo(), "starter": scripts.Starter()} {
		t.Run(name, func(t *testing.T) {
			// What is counted is judged here. The clock would judge the race detector, too.
			limits := scripting.ReleaseLimits(60)
			limits.InstructionTime, limits.TickInstructionTime = -1, -1
			g, err := New(Options{
				Limits: limits, Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
				OnError:  func(e *scripting.Error) { t.Error(e) },
				OnKernel: func(scripting.KernelStatus) {},
			})
			if err != nil {
				t.Fatal(err)
			}
			defer g.Close()
			if err := g.Load(folder); err != nil {
				t.Fatal(err)
			}
			var longest time.Duration
			for range 600 {
				began := time.Now()
				if err := g.host.Step(1.0 / 60); err != nil {
					t.Fatal(err)
				}
				longest = max(longest, time.Since(began))
			}
			t.Logf("%d entities; the longest tick took %v", g.world.Len(), longest)
		})
	}
}
