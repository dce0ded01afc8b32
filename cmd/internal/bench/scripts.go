package bench

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"time"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// Each folder is a workload, each folder in it a way to write it. Embedding needs a
// variable; nothing writes to it.
//
//go:embed lua
var scripts embed.FS

// errNotWritten says that a workload has no script of a kind.
var errNotWritten = errors.New("not written in this way")

// contender is one way to write a workload.
type contender struct {
	who   string
	limit int // most entities it is measured with; 0: any number
	// open makes the entities; the error is errNotWritten where the workload is
	// not written in this way.
	open func(w workload, n int) (*competitor, error)
}

// competitor is a contender with the entities of a workload.
type competitor struct {
	contender
	tick  func() error
	spent func() time.Duration // in the systems, by all ticks so far
	state func() []float64
	close func() error

	ticks  int // per slot
	best   time.Duration
	allocs uint64
}

// slicesOnly is "go slices": what the system costs without any ECS.
func slicesOnly(w workload, n int) (*competitor, error) {
	m := w.plain(n)
	var spent time.Duration
	return &competitor{
		tick: func() error {
			began := time.Now()
			m.loop()
			spent += time.Since(began)
			m.finish()
			return nil
		},
		spent: func() time.Duration { return spent },
		state: m.state, close: func() error { return nil },
	}, nil
}

// finish does what follows a tick.
func (m *model) finish() {
	if m.after != nil {
		m.after()
	}
}

// query is "go query": systems in a world.
func query(w workload, n int) (*competitor, error) {
	world := ecs.NewWorld()
	m := w.stock(world, n)
	for _, s := range m.systems {
		s.Phase = ecs.Logic
		if err := world.Schedule().Add(s); err != nil {
			return nil, errors.Join(err, world.Close())
		}
	}
	return inWorld(world, m, world.Step, world.Close), nil
}

// script returns how to open a contender whose systems are a script over the
// world's components, the first of the ways in which the workload is written. With
// require all of them must be compiled, otherwise all run on the VM.
func script(require bool, ways ...string) func(workload, int) (*competitor, error) {
	return func(w workload, n int) (*competitor, error) {
		files, err := w.files(ways...)
		if err != nil {
			return nil, err
		}
		world := ecs.NewWorld()
		m := w.stock(world, n)
		h, err := host(world, files, !require, nil)
		if err == nil && require {
			err = compiled(h)
		}
		if err != nil {
			return nil, errors.Join(err, world.Close())
		}
		return inWorld(world, m, strictly(h), func() error { return closeBoth(h, world) }), nil
	}
}

// luar is "luar", which only bounce has: the components are Go structs that the
// script gets as they are, and the world has nothing to do but to run the system.
func luar(w workload, n int) (*competitor, error) {
	files, err := w.files("luar")
	if err != nil {
		return nil, err
	}
	positions, velocities := make([]*Position, n), make([]*Velocity, n)
	r := newRandom()
	for i := range positions {
		p, v := body(r)
		positions[i], velocities[i] = &p, &v
	}
	world := ecs.NewWorld()
	h, err := host(world, files, false, map[string]any{
		"count": n, "positions": positions, "velocities": velocities,
	})
	if err != nil {
		return nil, errors.Join(err, world.Close())
	}
	m := &model{state: func() (all []float64) {
		for _, p := range positions {
			all = append(all, p.X, p.Y)
		}
		for _, v := range velocities {
			all = append(all, v.X, v.Y)
		}
		return all
	}}
	return inWorld(world, m, strictly(h), func() error { return closeBoth(h, world) }), nil
}

// inWorld wraps a world whose schedule holds the systems of one workload.
func inWorld(w *ecs.World, m *model, step func(dt float64) error, close func() error) *competitor {
	var stats []ecs.SystemStats
	return &competitor{
		tick: func() error {
			err := step(dt)
			m.finish()
			return err
		},
		spent: func() (all time.Duration) {
			stats = w.Schedule().Stats(stats[:0])
			for i := range stats {
				all += stats[i].Total
			}
			return all
		},
		state: m.state, close: close,
	}
}

// files returns the scripts of the first of the ways that there is; the error is
// errNotWritten where there is none.
func (w workload) files(ways ...string) (fs.FS, error) {
	for _, way := range ways {
		folder := "lua/" + w.name + "/" + way
		if _, err := fs.Stat(scripts, folder); err == nil {
			return fs.Sub(scripts, folder)
		}
	}
	return nil, errNotWritten
}

// host loads scripts into the world.
func host(w *ecs.World, files fs.FS, noKernels bool, exposed map[string]any) (*scripting.Host, error) {
	h, err := scripting.New(w, scripting.Options{
		Logger: slog.New(slog.DiscardHandler), // see strictly
		// A million entities in one call are no endless loop. The host counts
		// and watches all the same, so that it costs what it costs in a game.
		Limits:    scripting.Limits{Instructions: -1, Time: -1},
		NoKernels: noKernels,
	})
	if err != nil {
		return nil, err
	}
	for name, value := range exposed {
		err = errors.Join(err, h.Expose(name, value))
	}
	if err == nil {
		err = h.Load(files)
	}
	if err != nil {
		return nil, errors.Join(err, h.Close())
	}
	return h, nil
}

// strictly returns the step of a host that fails with its scripts: the figure of one that
// has failed would be a lie.
func strictly(h *scripting.Host) func(dt float64) error {
	return func(dt float64) error {
		err := h.Step(dt)
		if f := h.Faults(); err == nil && f.Total > 0 {
			err = f.Recent[0]
		}
		return err
	}
}

// compiled demands that all systems are: a figure of the VM under the
// name of the kernels would be a lie.
func compiled(h *scripting.Host) error {
	for _, k := range h.Kernels() {
		if !k.Compiled {
			return errors.Join(fmt.Errorf("not compiled: %s", k), h.Close())
		}
	}
	return nil
}

// closeBoth ends a host, and then the world under it.
func closeBoth(h *scripting.Host, w *ecs.World) error {
	return errors.Join(h.Close(), w.Close())
}
