// Package game runs a folder of scripts in a world with the stock kit: what the
// perigee command does, without the command line.
//
// What --json prints is a [Summary], in summary.go.
//
// There is one noun, the [Game]. It owns a world, the script host in it, the
// meter and, when it follows a folder, the watcher. All methods belong to one
// goroutine; the callbacks in [Options] come from it too, but for what the
// watcher has to say, which reaches the log from another.
package game

import (
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"math"
	"time"

	"github.com/perigee-ecs/perigee/cmd/internal/meter"
	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/hotreload"
	"github.com/perigee-ecs/perigee/scripting"
	"github.com/perigee-ecs/perigee/scripting/kit"
	"github.com/perigee-ecs/perigee/scripting/loop"
	"github.com/perigee-ecs/perigee/scripting/record"
	"github.com/perigee-ecs/perigee/scripting/saves"
)

// Options of a game. The zero value is a game that logs to slog's default.
type Options struct {
	Seed     uint64
	Tag      uint16                 // of the handles; 0: the next in this process
	Log      *slog.Logger           // what scripts say; nil: slog.Default
	OnError  func(*scripting.Error) // each fault when it is new, of Go systems too, and sums of those that come again; nil: only counted
	OnReload func(scripting.Reload) // each reload; nil: only counted
	// Limits bound what scripts may use; zero: the defaults.
	Limits scripting.Limits
	// Slots lets scripts ask for saves and loads; see Keep.
	Slots bool
	// NoKernels leaves all of the scripts to the VM, to compare.
	NoKernels bool
	// Workers is how many goroutines work at the same time, see ecs.Options.
	Workers int
	// ProfileLabels names systems in CPU profiles, see ecs.Options.
	ProfileLabels bool
	// OnKernel gets the systems that are not compiled; nil: they are logged.
	OnKernel func(scripting.KernelStatus)
	// Patient has Follow begin a game without scripts where the folder has faults: its files are a reload
	// that is refused, until they are mended.
	Patient bool
}

// Counts are what happened since the game began.
type Counts struct {
	Reloads int // that took effect
	Refused int // that did not
	Errors  int // faults of scripts and errors of Go systems, each as often as it came
}

// Game is a world with scripts. Use New.
type Game struct {
	world   *ecs.World
	host    *scripting.Host
	view    *kit.Screen
	signals *record.CommandInput[kit.Signal] // what players do
	loop    *loop.Loop                       // nil before it is asked for
	session *record.Session                  // of the host: steps go through it
	meter   *meter.Meter
	watcher *hotreload.Watcher // nil: nothing is followed
	slots   *saves.Folder      // nil: nothing is saved while it runs
	options Options
	counts  Counts  // but for the errors, which the host counts
	hz      float64 // of Run
	cut     bool    // the last tick was cut short: the world is within it

	lookedAt time.Time // when the files of assets were looked at
	closed   bool
}

// maxBytes is what the entities of a game may take. Why less than a world can have?
// Scripts fill what there is, by mistake, and a player's machine has other things to
// do; a host of one's own opens its world as it likes.
const maxBytes = 1 << 30

// New makes a world with the stock kit and a host without scripts.
func New(o Options) (*Game, error) {
	if o.Log == nil {
		o.Log = slog.Default()
	}
	w, err := ecs.Open(ecs.Options{Seed: o.Seed, Tag: o.Tag, Workers: o.Workers, MaxBytes: maxBytes, ProfileLabels: o.ProfileLabels})
	if err != nil {
		return nil, err
	}
	g := &Game{world: w, meter: meter.New(w), options: o}
	if err := g.furnish(); err != nil {
		return nil, errors.Join(err, g.Close())
	}
	return g, nil
}

// furnish puts the kit and the host into the world.
func (g *Game) furnish() error {
	stock, err := kit.Install(g.world, kit.Options{Warn: func(text string) { g.options.Log.Warn(text) }})
	if err != nil {
		return err
	}
	if g.view, err = kit.InstallView(g.world); err != nil {
		return err
	}
	g.host, err = scripting.New(g.world, scripting.Options{
		Logger:   g.options.Log,
		OnError:  g.onError,
		OnReload: g.reloaded,
		OnKernel: g.options.OnKernel,

		Limits:    g.options.Limits,
		NoKernels: g.options.NoKernels,
		Slots:     g.options.Slots,
	})
	if err != nil {
		return err
	}
	if g.session, err = record.New(g.host); err != nil {
		return err
	}
	g.signals, err = record.Command(g.session, "signal", func(_ *ecs.Tick, _ uint64, s kit.Signal) error {
		g.view.Feed(s) // for kit.input, in the same tick
		return nil
	})
	if err != nil {
		return err
	}
	return stock.Expose(g.host.Expose)
}

// Load loads a folder's scripts. When there are problems, the error is a
// *scripting.LoadError that holds all of them.
func (g *Game) Load(files fs.FS) error {
	if err := g.openAssets(mediaOf(files), g.warn); err != nil {
		return err
	}
	return g.host.Load(files)
}

// Check returns what calls in functions of the scripts would raise, as far as their texts
// say it, and what is wrong with scenes and data files.
func (g *Game) Check() ([]*scripting.Error, error) { return g.host.Check() }

// SceneSchema returns the JSON Schema of scenes.
func (g *Game) SceneSchema() ([]byte, error) { return g.host.SceneSchema() }

// Follow loads the scripts of a folder on disk and reloads them as they change,
// until Close. With poll, it looks at the files again and again instead of
// asking the system for events, which network disks do not send.
func (g *Game) Follow(dir string, poll bool) (err error) {
	if err := g.openAssets(mediaFolder(dir), g.warn); err != nil {
		return err
	}
	var host hotreload.Stager = g.host
	if g.options.Patient {
		host = faultyFolder{g.host}
	}
	g.watcher, err = hotreload.Follow(dir, host, hotreload.Options{
		Poll: poll, OnProblem: func(p hotreload.Problem) { g.options.Log.Warn(p.Error()) },
	})
	return err
}

// Record begins to record the game, which has loaded its scripts. Meta is what a replay has to know to open the same
// game again. Every is how many ticks lie between two keyframes; 0: there is only the one that a game begins with
// which was loaded.
func (g *Game) Record(w io.Writer, meta map[string]string, every int) (*record.Recorder, error) {
	if every == 0 {
		every = math.MaxInt
	}
	return g.session.Record(w, record.Options{Meta: meta, Keyframes: saves.Keyframes{}, Every: every})
}

// Replay loads the scripts of a recording, to run it again from a tick on, or from the keyframe before it. The game was
// opened with the seed and the tag of the recording. Scripts are those to run in place of the recorded ones, nil for none.
func (g *Game) Replay(r *record.Recording, at uint64, scripts fs.FS) (*record.Player, error) {
	if err := g.openAssets(anyFile{}, nil); err != nil {
		return nil, err
	}
	return r.Play(g.session, record.PlayOptions{Keyframes: saves.Keyframes{}, At: at, Scripts: scripts})
}

// Size returns how many files are loaded and how many systems they brought.
func (g *Game) Size() (files, systems int) {
	return len(g.host.Modules()), g.host.Systems()
}

// Kernels returns how the each functions of the scripts run.
func (g *Game) Kernels() []scripting.KernelStatus { return g.host.Kernels() }

// Ran returns what has run where, of the systems of scripts and of kernels of ecs.kernel.
func (g *Game) Ran() []scripting.SystemRan { return g.host.Ran() }

// Explain reports on the systems and kernels of a script, or on one of them.
func (g *Game) Explain(script, system string) ([]scripting.KernelReport, error) {
	return g.host.Explain(script, system)
}

// World returns the world.
func (g *Game) World() *ecs.World { return g.world }

// Host returns the host of the scripts.
func (g *Game) Host() *scripting.Host { return g.host }

// Session returns the host with its inputs, whose steps Run makes.
func (g *Game) Session() *record.Session { return g.session }

// Play leaves what a player does for the next tick, and for the recording. It reports whether it was
// taken. Any goroutine may call it.
func (g *Game) Play(s kit.Signal) bool { return g.signals.Post(0, s) == nil }

// View returns what players see and do.
func (g *Game) View() *kit.Screen { return g.view }

// Meter returns what was measured so far.
func (g *Game) Meter() *meter.Meter { return g.meter }

// Counts returns what happened so far.
func (g *Game) Counts() Counts {
	c := g.counts
	c.Errors = int(g.host.Faults().Total)
	return c
}

// Close ends the watch, the host and the world. Faults that were not reported yet are
// reported now. A second call does nothing.
func (g *Game) Close() error {
	if g.closed {
		return nil
	}
	g.closed = true
	var errs []error
	if g.watcher != nil {
		errs = append(errs, g.watcher.Close())
	}
	if g.slots != nil {
		errs = append(errs, g.slots.Wait())
	}
	if g.session != nil {
		errs = append(errs, g.session.Close())
	}
	if g.host != nil {
		errs = append(errs, g.host.Close())
	}
	return errors.Join(append(errs, g.world.Close())...)
}

// onError is what the host reports faults to.
func (g *Game) onError(e *scripting.Error) {
	if g.options.OnError != nil {
		g.options.OnError(e)
	}
}

// reloaded is what the host reports verdicts to; it counts them.
func (g *Game) reloaded(r scripting.Reload) {
	if r.Err != nil {
		g.counts.Refused++
	} else {
		g.counts.Reloads++
	}
	if g.options.OnReload != nil {
		g.options.OnReload(r)
	}
}

// Problems returns what is wrong with scripts that were not taken, sorted by
// place; nil for an error of another kind.
func Problems(err error) []*scripting.Error {
	if load, ok := errors.AsType[*scripting.LoadError](err); ok {
		return load.Problems
	}
	return nil
}
