// Command 14-replay records a game, runs it again, and finds what was not the same.
package main

import (
	"bytes"
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"os"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
	"github.com/perigee-ecs/perigee/scripting/record"
)

//go:embed *.lua
var scripts embed.FS

// Boat is shared with the scripts.
type Boat struct{ At, Speed float64 }

// Row is what a player orders: a stroke of the oars.
type Row struct{ Strength float64 }

func main() {
	if err := run(os.Stdout, scripts); err != nil {
		log.Fatal(err)
	}
}

// game is the host of one game, with its inputs.
type game struct {
	world   *ecs.World
	host    *scripting.Host
	session *record.Session
	row     *record.CommandInput[Row]
}

// open makes a game without scripts, the same each time but for the weather of each tick, which is what scripts
// get from outside and no recording has.
func open(weather func(tick uint64) float64) (*game, error) {
	world, err := ecs.Open(ecs.Options{Seed: 1, Tag: 1})
	if err != nil {
		return nil, err
	}
	g := &game{world: world}
	boats := ecs.Register[Boat](world)
	boat := world.Spawn(boats.With(Boat{}))
	if g.host, err = scripting.New(world, scripting.Options{}); err != nil {
		return nil, errors.Join(err, world.Close())
	}
	if g.session, err = record.New(g.host); err != nil {
		return nil, errors.Join(err, g.close())
	}
	g.row, err = record.Command(g.session, "row", func(t *ecs.Tick, player uint64, r Row) error {
		if b := boats.Edit(boat); b != nil {
			b.Speed += r.Strength
		}
		return nil
	})
	today := func() float64 { _, tick := world.Time(); return weather(tick) }
	if err = errors.Join(err, g.host.Expose("weather", today)); err != nil {
		return nil, errors.Join(err, g.close())
	}
	return g, nil
}

func (g *game) close() error {
	return errors.Join(g.session.Close(), g.host.Close(), g.world.Close())
}

// play plays a game of two seconds, and returns its recording.
func play(files fs.FS) ([]byte, error) {
	g, err := open(func(uint64) float64 { return 1 })
	if err != nil {
		return nil, err
	}
	defer g.close()
	if err := g.host.Load(files); err != nil {
		return nil, err
	}
	var file bytes.Buffer // an *os.File in a game
	recorder, err := g.session.Record(&file, record.Options{})
	if err != nil {
		return nil, err
	}
	for tick := range 120 {
		if tick%20 == 0 {
			if err := g.row.Post(7, Row{Strength: 2}); err != nil {
				return nil, err
			}
		}
		if err := g.session.Step(1.0 / 60); err != nil {
			return nil, err
		}
	}
	return file.Bytes(), recorder.Close()
}

// again runs a recording in another game, and prints what differs.
func again(out io.Writer, data []byte, weather func(tick uint64) float64) error {
	recording, err := record.Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return err
	}
	g, err := open(weather)
	if err != nil {
		return err
	}
	defer g.close()
	player, err := recording.Play(g.session, record.PlayOptions{})
	if err != nil {
		return err
	}
	difference, err := player.Bisect(context.Background(), 0)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "replayed %d ticks: %v\n", player.Tick(), difference)
	return err
}

func run(out io.Writer, files fs.FS) error {
	data, err := play(files)
	if err != nil {
		return err
	}
	if err := again(out, data, func(uint64) float64 { return 1 }); err != nil {
		return err
	}
	// The weather of another day: the recording does not have it, and says what comes of that.
	return again(out, data, func(tick uint64) float64 {
		if tick > 90 {
			return 0.5
		}
		return 1
	})
}
