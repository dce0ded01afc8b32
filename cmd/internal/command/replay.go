package command

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/cmd/internal/game"
	"github.com/perigee-ecs/perigee/cmd/internal/status"
	"github.com/perigee-ecs/perigee/hotreload"
	"github.com/perigee-ecs/perigee/scripting"
	"github.com/perigee-ecs/perigee/scripting/record"
)

// The subcommand replay: a recording of perigee run, run again.

// replayFlags are the flags of perigee replay.
type replayFlags struct {
	to             uint64
	verify, bisect bool
	workers        int
	noKernels      bool
	detail         bool
	scripts        string // the folder of other scripts; "": those that were recorded

	from uint64 // the tick that the replay begins after
}

// newReplay makes the subcommand that runs a recording again.
func newReplay() *cobra.Command {
	var f replayFlags
	cmd := &cobra.Command{
		Use:   "replay FILE",
		Short: "Run a recording of a game again, and say where it differs",
		Long:  replayHelp,
		Example: `  perigee run mygame --record bug.rec
  perigee replay bug.rec --verify
  perigee replay bug.rec --to 1200     up to tick 1,200
  perigee replay bug.rec --bisect      what differs first, and where
  perigee replay bug.rec --bisect --scripts mygame`,
		Args: oneFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			screen := status.NewScreen(cmd.OutOrStdout())
			defer screen.Close()
			return f.run(cmd.Context(), args[0], screen)
		},
	}
	flags := cmd.Flags()
	countVar(cmd, &f.to, "to", "end after this tick; 0 runs to the end of the recording")
	flags.BoolVar(&f.verify, "verify", false, "compare each tick with the recording, and end at the first that differs")
	flags.BoolVar(&f.bisect, "bisect", false, "find the first tick that differs, and the system, the entity and the field")
	workersVar(cmd, &f.workers, "workers", 1, "goroutines that run systems at the same time; the result is the same, bit for bit")
	flags.BoolVar(&f.noKernels, "no-kernels", false, "compile no each functions; the result is the same, bit for bit")
	flags.StringVar(&f.scripts, "scripts", "", "run the scripts of this folder in place of those that were recorded")
	flags.BoolVar(&f.detail, "detail", false, "show each error with its source line and traceback")
	return cmd
}

const replayHelp = `Replay runs again what perigee run --record has written: the same scripts with
the same ticks, reloads included, as fast as it can. It comes to the same
world, with the same checksum, on every machine. It prints what scripts say,
their errors, and the checksum at the end.

With --verify, each tick is compared with the recording. With --bisect, the
tick that differs first is run once more, and replay names the system that has
written the first wrong value, its entity and its field, with what it was when
it was recorded. Such a difference comes from what a script gets and no
recording has (the clock, a file that the host reads), or is a fault of
Perigee. Limits on time are off: a call that such a limit has ended is named.

A recording that is cut off or damaged is run as far as it is good, and replay
says how far that is.

With --to, replay begins with the last game before that tick that is kept in
the recording (perigee run --keyframes), and compares the tick at which it
ends. With --verify or --bisect, it begins at the beginning.

With --scripts, the scripts of a folder run in place of those of the recording:
with the same inputs, and without its reloads. With --bisect, replay then says
from which tick on, and in what, they make another game.

The exit code is 1 when a tick differs, or when the file is no recording.`

// oneFile is the check of arguments of a command that takes one file.
func oneFile(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return fmt.Errorf("%s needs a file", cmd.Name())
	case len(args) > 1:
		return fmt.Errorf("%s takes one file, not also %q", cmd.Name(), args[1])
	}
	return nil
}

// run opens a recording and runs it.
func (f *replayFlags) run(ctx context.Context, name string, screen *status.Screen) (err error) {
	info, err := os.Stat(name) // to open a pipe would wait for its writer
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return usageError{fmt.Errorf("%q is no file", name)}
	}
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	r, err := record.Open(file, info.Size())
	if err != nil {
		return notSave(name, fmt.Errorf("%q: %w", name, err))
	}
	start, last := r.Range()
	screen.Print(fmt.Sprintf("%s, seed %d", diag.Plural(int(last-start), "tick"), r.Header().Seed))
	if d := r.Damage(); d != nil {
		screen.Alert(d.Error())
	}
	switch {
	case f.to > 0 && f.to < start:
		return usageError{fmt.Errorf("--to %d: the recording begins after tick %d", f.to, start)}
	case f.to > last:
		screen.Alert(fmt.Sprintf("the recording ends with tick %d, before --to %d", last, f.to))
	}
	g, err := f.open(r, screen)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, g.Close()) }()
	var scripts fs.FS
	if f.scripts != "" {
		if err := folder(f.scripts); err != nil {
			return fmt.Errorf("--scripts: %w", err)
		}
		scripts = hotreload.Folder(f.scripts, hotreload.Options{})
	}
	at := start
	if !f.verify && !f.bisect { // what lies before the keyframe is not looked at
		at = f.to
	}
	p, err := g.Replay(r, at, scripts)
	if err != nil {
		return report(err, f.detail, screen)
	}
	if f.from = p.Tick(); f.from > start {
		screen.Print(fmt.Sprintf("begins with the game that was kept after tick %d", f.from))
	}
	return f.play(ctx, p, g, r, screen)
}

// errNotOfRun says that only another program has what the recorded game consists of.
var errNotOfRun = errors.New("the recording is of no perigee run: replay it with the program that has made it, by record.Open and Recording.Play")

// open makes the game that was recorded, without its scripts.
func (f *replayFlags) open(r *record.Recording, screen *status.Screen) (*game.Game, error) {
	h := r.Header()
	var set limitSet
	if err := set.Set(h.Meta[metaLimits]); err != nil {
		return nil, errNotOfRun
	}
	var hz float64
	if _, err := fmt.Sscanf(h.Meta[metaHz], "%g", &hz); err != nil || !(hz >= fewestTicks && hz <= mostTicks) {
		return nil, errNotOfRun
	}
	limits := set.at(hz)
	limits.Time, limits.InstructionTime, limits.TickInstructionTime = -1, -1, -1
	tuneCollector(gcPercent)
	return game.New(game.Options{
		Seed: h.Seed, Tag: h.Tag, Workers: f.workers, Log: status.NewLogger(screen), NoKernels: f.noKernels, Limits: limits,
		OnError: func(e *scripting.Error) {
			text := e.Error()
			if f.detail {
				text = e.DetailIn(screen.Width())
			}
			screen.Alert("error: " + text)
		},
		OnReload: func(r scripting.Reload) { screen.Print(r.String()) },
		OnKernel: func(scripting.KernelStatus) {},
	})
}

// play runs the recording, and says what came of it.
func (f *replayFlags) play(ctx context.Context, p *record.Player, g *game.Game, r *record.Recording, screen *status.Screen) error {
	start, to := r.Range()
	if f.to > 0 {
		to = min(to, f.to)
	}
	began := time.Now()
	d, err := f.advance(ctx, p, to, f.from > start)
	if err != nil {
		return err
	}
	if d != nil {
		screen.Alert(d.String())
		return exitFailure{}
	}
	screen.Print(fmt.Sprintf("%s in %.1f s, %s, checksum %016x", diag.Plural(int(p.Tick()-f.from), "tick"), time.Since(began).Seconds(), diag.Plural(g.World().Len(), "entity"), g.World().Checksum()))
	if n := g.Host().Unrepeatable(); n > 0 && !f.verify && !f.bisect {
		screen.Alert(fmt.Sprintf("%s of scripts ended by the memory in this replay (Limits.Held, HeldTotal): it may be another one than the recorded run, which --verify finds out", diag.Plural(n, "call")))
	}
	if f.verify || f.bisect {
		screen.Print("each tick is what was recorded")
	}
	return nil
}

// advance makes the ticks. Where it has not begun at the beginning, the last one is compared, too: then it is
// known whether what was kept of the game was all of it.
func (f *replayFlags) advance(ctx context.Context, p *record.Player, to uint64, kept bool) (*record.Divergence, error) {
	if f.bisect {
		return p.Bisect(ctx, to)
	}
	for p.Tick() < to {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if last := kept && p.Tick()+1 == to; !f.verify && !last {
			if err := p.Skip(); err != nil {
				return nil, err
			}
			continue
		}
		if d, err := p.Step(); d != nil || err != nil {
			return d, err
		}
	}
	return nil, nil
}
