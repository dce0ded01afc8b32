// Command 05-events-and-timers sends an event from Go to Lua and lets Lua answer
// with timers.
package main

import (
	"embed"
	"io"
	"io/fs"
	"log"
	"log/slog"
	"os"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

//go:embed *.lua
var scripts embed.FS

// Knock is an event: somebody knocks at a door.
type Knock struct{ Door uint32 }

func main() {
	if err := run(os.Stdout, scripts); err != nil {
		log.Fatal(err)
	}
}

func run(out io.Writer, scripts fs.FS) error {
	world := ecs.NewWorld()
	defer world.Close()
	knock := ecs.RegisterEvent[Knock](world)
	logger := slog.New(slog.NewTextHandler(out, &slog.HandlerOptions{ReplaceAttr: withoutTime}))
	host, err := scripting.New(world, scripting.Options{Logger: logger})
	if err != nil {
		return err
	}
	defer host.Close()
	if err := host.Load(scripts); err != nil {
		return err
	}

	commands := world.NewCommands()
	for second := range 6 {
		if second == 1 {
			knock.Send(commands, Knock{Door: 7})
			if err := commands.Apply(); err != nil {
				return err
			}
		}
		if err := host.Step(1); err != nil {
			return err
		}
	}
	return nil
}

// withoutTime leaves the time of day out of the log, so that it is the same
// whenever it is written.
func withoutTime(_ []string, a slog.Attr) slog.Attr {
	if a.Key == slog.TimeKey {
		return slog.Attr{}
	}
	return a
}
