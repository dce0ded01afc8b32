// Command 08-host-functions hands a Go function and a Go struct to the scripts.
package main

import (
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"os"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

//go:embed *.lua
var scripts embed.FS

// Speaker is a part of the host that scripts may use.
type Speaker struct {
	Volume float64
	out    io.Writer // not exported, so scripts do not see it
}

// Play plays a sound.
func (s *Speaker) Play(sound string) {
	fmt.Fprintf(s.out, "♪ %s at volume %g\n", sound, s.Volume)
}

// Echo is left behind by a sound.
type Echo struct{ Loudness float64 }

func main() {
	if err := run(os.Stdout, scripts); err != nil {
		log.Fatal(err)
	}
}

func run(out io.Writer, scripts fs.FS) error {
	world := ecs.NewWorld()
	defer world.Close()
	host, err := scripting.New(world, scripting.Options{})
	if err != nil {
		return err
	}
	defer host.Close()

	// Before Load. Scripts see what is exposed by name, and nothing else.
	speaker := &Speaker{Volume: 0.5, out: out}
	echoes := ecs.Register[Echo](world)
	if err := errors.Join(
		host.Expose("speaker", speaker),
		host.Expose("fade", func(from, to, part float64) float64 { return from + (to-from)*part }),
		// Scripts do not see the first parameter. While one runs the world is locked:
		// world.Spawn would panic here with ecs.ErrIterating. What Go code wants to change
		// it records in the commands of the script's call; it comes true with the call, and
		// is undone with it.
		host.Expose("echo", func(call *scripting.Call, loudness float64) {
			call.Commands().Spawn(echoes.With(Echo{Loudness: loudness}))
			fmt.Fprintf(out, "  %s leaves an echo in tick %d\n", call.System(), call.Tick())
		}),
	); err != nil {
		return err
	}
	if err := host.Load(scripts); err != nil {
		return err
	}
	for range 3 {
		if err := host.Step(1); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(out, "the volume is %g now, and there are %d echoes\n", speaker.Volume, world.Len())
	return err
}
