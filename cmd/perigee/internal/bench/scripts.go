package bench

import (
	"embed"
	"io/fs"
	"log/slog"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// Each folder is the scripts of one contender. Embedding needs a variable;
// nothing writes to it.
//
//go:embed lua
var scripts embed.FS

// script returns how to open a contender whose system is a script on the
// world's components.
func script(folder string) func(n int) (*entry, error) {
	return func(n int) (*entry, error) {
		g := populate(n)
		return g.host(folder, nil)
	}
}

// luar is "luar": the components are Go structs that the script gets as they
// are, and the world has nothing to do but to run the system.
func luar(n int) (*entry, error) {
	positions, velocities := make([]*Position, n), make([]*Velocity, n)
	r := newRandom()
	for i := range positions {
		p, v := start(r)
		positions[i], velocities[i] = &p, &v
	}
	e, err := populate(0).host("luar", map[string]any{
		"count": n, "positions": positions, "velocities": velocities,
	})
	if err != nil {
		return nil, err
	}
	e.positions = func() []Position {
		all := make([]Position, n)
		for i, p := range positions {
			all[i] = *p
		}
		return all
	}
	return e, nil
}

// host loads a contender's scripts into the world.
func (g *populated) host(folder string, exposed map[string]any) (*entry, error) {
	h, err := scripting.New(g.world, scripting.Options{
		Logger: slog.New(slog.DiscardHandler), // errors come from Step
		// A million entities in one call are no endless loop. The host counts
		// and watches all the same, so that it costs what it costs in a game.
		Limits: scripting.Limits{Instructions: -1, Time: -1},
	})
	if err != nil {
		return nil, err
	}
	for name, value := range exposed {
		if err := h.Expose(name, value); err != nil {
			return nil, err
		}
	}
	files, err := fs.Sub(scripts, "lua/"+folder)
	if err == nil {
		err = h.Load(files)
	}
	return g.entry(h.Step, func() error { return closeBoth(h, g.world) }), err
}

func closeBoth(h *scripting.Host, w *ecs.World) error {
	if err := h.Close(); err != nil {
		return err
	}
	return w.Close()
}
