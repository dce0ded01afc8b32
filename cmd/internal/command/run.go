package command

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"

	"github.com/perigee-ecs/perigee/cmd/internal/game"
	"github.com/perigee-ecs/perigee/cmd/internal/project"
	"github.com/perigee-ecs/perigee/cmd/internal/status"
	"github.com/perigee-ecs/perigee/ecs/save"
	"github.com/perigee-ecs/perigee/scripting"
	"github.com/perigee-ecs/perigee/scripting/record"
	"github.com/perigee-ecs/perigee/scripts"
)

// The subcommand run: its flags, the folder that it runs, and what it reports. The loop
// of ticks is in package game, the figures on the screen are in display.go.

// demoDir is the folder that the demo is copied to, below the current one.
const demoDir = "perigee-demo"

// runFlags are the flags of perigee run.
type runFlags struct {
	pace                         game.Pace
	seed                         uint64
	workers                      int
	headless, json, poll, detail bool
	strict                       bool
	noKernels                    bool
	patient                      bool // a folder with faults begins as a game without scripts
	limits                       limitSet
	view                         string // the address of the page; "": there is none
	edit                         bool
	rewind                       time.Duration // of simulation, kept from the first tick on; 0: when the page asks for it
	rewindMiB                    uint64        // of memory for that
	profiles                     profiles
	record                       string // a file
	keyframes                    time.Duration
	saves                        saveFlags

	warnings   *game.Warnings           // of the folder
	uncompiled []scripting.KernelStatus // of the load that is going on
	recorder   *record.Recorder         // nil: nothing is recorded
	told       bool                     // that the recording has failed
	missed     bool                     // a keyframe, and it was said
	end        *ending
}

// limitSet is the value of --limits. The zero value is development.
type limitSet struct{ release bool }

// The names of the sets.
const development, release = "development", "release"

// at returns the limits for so many ticks in a second.
func (s limitSet) at(hz float64) scripting.Limits {
	if s.release {
		return scripting.ReleaseLimits(hz)
	}
	return scripting.DevelopmentLimits()
}

// Set implements pflag.Value.
func (s *limitSet) Set(name string) error {
	if name != development && name != release {
		return fmt.Errorf("expected %s or %s", development, release)
	}
	s.release = name == release
	return nil
}

// String implements pflag.Value.
func (s *limitSet) String() string {
	if s.release {
		return release
	}
	return development
}

// Type implements pflag.Value: it is what the help shows for the value.
func (s *limitSet) Type() string { return "set" }

// newRun makes the subcommand that runs a game.
func newRun(end *ending) *cobra.Command {
	f := runFlags{end: end}
	cmd := &cobra.Command{
		Use:   "run [DIR]",
		Short: "Run the scripts of a folder, and reload them as you save",
		Long:  runHelp,
		Example: `  perigee run
  perigee run mygame --hz 30
  perigee run mygame --headless --ticks 600 --json > summary.json`,
		Args: folders(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args) },
	}
	flags := cmd.Flags()
	countVar(cmd, &f.pace.Ticks, "ticks", "end after so many ticks; 0 runs until Ctrl-C")
	rateVar(cmd, &f.pace.Hz, "hz", 60, "ticks per second")
	countVar(cmd, &f.seed, "seed", "seed of the random numbers")
	workersVar(cmd, &f.workers, "workers", 1, "goroutines that run systems at the same time; the result is the same, bit for bit")
	flags.BoolVar(&f.headless, "headless", false, "show no status; with --ticks, run as fast as possible")
	flags.BoolVar(&f.json, "json", false, "print the summary as one JSON object")
	flags.BoolVar(&f.poll, "poll", false, "look at the folder twice a second, for network disks, which report no changes")
	flags.BoolVar(&f.strict, "strict", false, "exit code 1 when a script failed or reached a limit, or a reload was refused")
	flags.BoolVar(&f.detail, "detail", false, "show each error with its source line and traceback")
	flags.Var(&f.limits, "limits", "of what scripts may use: development stops a script that never ends after half a second, release after a quarter of a tick")
	flags.BoolVar(&f.noKernels, "no-kernels", false, "compile no each functions; unless a limit ends a call, the result is the same, bit for bit")
	flags.StringVar(&f.view, "view", "", "serve a page at this address on which the game is seen, played and looked into; without one, at a free port of this machine")
	flags.Lookup("view").NoOptDefVal = anyPort
	flags.BoolVar(&f.edit, "edit", false, "let the page of --view change entities, switch systems off, and run Lua that is typed")
	flags.DurationVar(&f.rewind, "rewind", 0, "keep so much of the game from the first tick on, to go back to on the page of --view: 30s; 0 keeps it when the page asks for it")
	f.rewindMiB = 256
	countVar(cmd, &f.rewindMiB, "rewind-mib", "MiB of memory that this may take; when it is full, older ticks get gaps")
	f.profiles.flags(cmd)
	flags.StringVar(&f.record, "record", "", "write a recording to a `file`, which perigee replay runs again")
	flags.DurationVar(&f.keyframes, "keyframes", time.Minute, "keep the whole game in --record whenever so much time of the simulation has passed; 0 keeps it not")
	f.saves.flags(cmd)
	return cmd
}

// runHelp is the long text of perigee run --help.
const runHelp = `Run starts a game with all scripts of the folder DIR. When you save a script
while the game runs, the script is checked, and the new version takes over at
the next tick. If it has a mistake, the old version goes on, and the reason is
printed.

Without DIR, run copies the demo game to ./` + demoDir + `, where you can edit it
at once. A copy that is there already is used as it is.

On a terminal, run shows ticks per second, entities and the slowest systems.
Elsewhere it prints a line every second. Ctrl-C ends the run with a summary;
so do SIGTERM and closing the terminal. A tick that takes long then is cut
short: the summary leaves it out, and has no checksum. If the run does not end
within two seconds all the same, as when nobody reads what it prints, it is
given up, and the exit code is 1.

With --view, a page shows the game, and what is going on inside of it: entities
and their values, how long systems take, scripts and what is wrong in them. It
plays the game, pauses it, makes single steps and changes the speed; with
--edit, it changes entities, too, and has a console: Lua that is typed runs in
the game between two ticks, and can be taken back. Open the URL that is
printed: it has a token, without which nobody gets anything. Other machines
reach the page only if the address is not of this one alone, as in
--view=:8080; what they send and get is not encrypted. The token is another one
each time, or that of the variable PERIGEE_TOKEN of the environment, of 16
letters and digits at least: it is for programs that ask again and again, such
as Prometheus, which finds /metrics.

The page goes back in time, too: it shows the last ticks as they were, in the
game and in its entities, and says what two of them have different. To look
changes nothing, and the game goes on where it stood. With --edit, an earlier
tick becomes the present, with what scripts keep, and the game runs on from
there; with the new text of a script, if it has changed since. To keep ticks
has its price: memory, up to --rewind-mib, and time: a tick in which 10,000
entities move takes half as long again, or up to twice as long. So they are
kept once the page asks for it, the last 30 seconds, or from the beginning with
--rewind.

With --headless, run prints only what scripts say, the verdicts of reloads,
and the summary. With --headless and --ticks, ticks follow each other as fast
as they can; the time of the simulation is the same.

With --json, the summary is one JSON object on standard output, and everything
else goes to standard error. Its times are in microseconds, and "seconds" is
the real time of the run. "tick_processor_max_us" is the most processor time
that a tick took in all threads; a busy machine does not make it longer.
"checksum" is the same for the same scripts, seed, hz and ticks, and "" when the
last tick was cut short or given up. "unrepeatable" counts calls of scripts
that were ended by the clock or by the memory (Limits.Time, Held, HeldTotal),
and saves and loads of scripts that had to wait for the disk: if it is not 0,
the checksum may differ. "ran" says what ran where, of each system and in all:
"kernel" is compiled code, "vm" the VM, "foreign" functions of the host. "rows"
are entities or events; "calls" are calls of the compiled code, of the script's
function, or of functions of the host; "us" is their time, that of its "when"
included: of short runs and calls, some are measured for all. What an ecs.kernel
does for a system that calls it is in there. A system with "gone" is one of Lua
that a reload has removed, or given another name.

With --cpuprofile, each sample of the profile has the name of the system that
ran, machine code of kernels included: go tool pprof -tags FILE shows how much
each took, and -tagfocus system=NAME shows one of them.

With --record, a new file gets all that makes the run what it is: the scripts,
also those that you save meanwhile, the length of each tick, and a checksum of
it. perigee replay runs it again. A run that is killed leaves a recording that
is good up to its last tick. A recording has its price: the checksum is of all
values that were written in the tick, so a tick in which 10,000 entities move
takes two to three times as long, and 4 KB of the file. Every minute of the
simulation (--keyframes) the whole game is kept, too, so that perigee replay
--to begins close to a tick; that tick takes as long as a save. With --load, a
recording begins with the game that was loaded.

With --save, the game is written to a file at the end, and --load begins with
one: the game goes on as if it had never stopped, with the same checksums.
Scripts may have changed in between; what would be lost is refused. With
--slots and --autosave, the game is saved as auto.save while it runs, beside
the ticks; with --slots, scripts may save and load with ecs.save and ecs.load.
With --headless, these are done after the tick in which they are asked for, and
wait for the disk, so that each run comes to the same checksum. A game that is
shown waits for no disk: they come after a later tick where a save is still
being written. A save that fails leaves the old one.

A script that fails while it runs does not end the run. The exit code is 0
then, or 1 with --strict.`

// run runs a game. Messages for people go to standard output; if that is for the JSON
// object, they go to standard error.
// The game is closed on every way out; play has closed it already after a run that
// ended, and a second call does nothing.
func (f *runFlags) run(cmd *cobra.Command, args []string) (err error) {
	f.pace.Free, f.pace.Patience = f.headless && f.pace.Ticks > 0, patience
	out := cmd.OutOrStdout()
	if f.json {
		out = cmd.ErrOrStderr()
	}
	screen := status.NewScreen(out)
	defer screen.Close()
	if err := errors.Join(f.saves.check(f.record), f.keyframesFit()); err != nil {
		return err
	}
	if f.edit && f.record != "" { // before there is a file
		return fmt.Errorf("--edit changes what no recording has: leave out --edit or --record")
	}
	file, err := f.saves.open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	dir, err := runDir(args, screen)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.profiles.end()) }()
	if err := f.profiles.begin(); err != nil {
		return err
	}
	g, err := f.open(dir, file, screen)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, g.Close()) }()
	if f.record != "" {
		file, err := f.begin(g)
		if err != nil {
			return err
		}
		defer file.Close()
	}
	page, err := f.serve(g, dir, screen)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, page.Close()) }()
	return f.play(cmd, g, dir, screen)
}

// begin begins to record a game that is loaded. Why a new file, always? A recording is evidence, and is
// lost when it is written over.
func (f *runFlags) begin(g *game.Game) (*os.File, error) {
	file, err := os.OpenFile(f.record, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return nil, usageError{fmt.Errorf("--record: %q is there already: name a new file", f.record)}
	}
	if err != nil {
		return nil, fmt.Errorf("--record: %w", err)
	}
	meta := map[string]string{metaLimits: f.limits.String(), metaHz: strconv.FormatFloat(f.pace.Hz, 'g', -1, 64)}
	every := 0
	if f.keyframes > 0 {
		every = int(min(max(f.keyframes.Seconds()*f.pace.Hz, 1), math.MaxInt32))
	}
	f.recorder, err = g.Record(file, meta, every)
	if err != nil { // what is in the file is no recording, and would stand in the way of the next one
		return nil, errors.Join(fmt.Errorf("--record: %w", err), file.Close(), os.Remove(f.record))
	}
	return file, nil
}

// keyframesFit refuses a negative time between keyframes.
func (f *runFlags) keyframesFit() error {
	if f.keyframes < 0 {
		return usageError{errors.New("--keyframes takes a time such as 60s")}
	}
	return nil
}

// metaLimits and metaHz are what a recording has of the flags of its run.
const metaLimits, metaHz = "limits", "hz"

// recorded says at once when the recording has failed, or has a keyframe less; the game goes on.
func (f *runFlags) recorded(screen *status.Screen) {
	if err := f.recorder.Err(); err != nil && !f.told {
		f.told = true
		screen.Alert(err.Error())
	}
	if err := f.recorder.Missed(); err != nil && !f.missed {
		f.missed = true
		screen.Alert(err.Error())
	}
}

// runDir returns the folder to run: the given one, or a copy of the demo. If another
// process is making that copy at this moment, runDir waits up to two seconds for it.
func runDir(args []string, screen *status.Screen) (string, error) {
	if len(args) > 0 {
		return args[0], folder(args[0])
	}
	_, err := project.Write(demoDir, scripts.Demo())
	for beats := 0; errors.Is(err, project.ErrBusy) && beats < 200; beats++ {
		time.Sleep(10 * time.Millisecond)
		_, err = project.Write(demoDir, scripts.Demo())
	}
	switch {
	case err == nil:
		screen.Print("copied the demo to " + demoDir + ": edit its scripts while it runs")
	case errors.Is(err, project.ErrNotEmpty):
		screen.Print("using the demo in " + demoDir + ", which was there already; remove it to get a new one")
		err = nil
	}
	return demoDir, err
}

// open makes the game and loads the folder. Problems of the scripts go to the screen.
func (f *runFlags) open(dir string, file *save.File, screen *status.Screen) (*game.Game, error) {
	tuneCollector(gcPercent)
	f.warnings = game.NewWarnings(dir, screen.Print)
	tag := uint16(0)
	if file != nil {
		tag = file.Tag()
	}
	g, err := game.New(game.Options{
		Seed: f.seed, Tag: tag, Workers: f.workers, Log: status.NewLogger(screen),
		OnError:  func(e *scripting.Error) { screen.Alert("error: " + f.describe(e, screen)) },
		OnReload: func(r scripting.Reload) { f.tell(r, screen) },
		OnKernel: func(s scripting.KernelStatus) { f.uncompiled = append(f.uncompiled, s) },

		NoKernels:     f.noKernels,
		Patient:       f.patient,
		Slots:         f.saves.slots != "",
		Limits:        f.limits.at(f.pace.Hz),
		ProfileLabels: f.profiles.cpu != "",
	})
	if err != nil {
		return nil, err
	}
	if err := g.Follow(dir, f.poll); err != nil {
		err = errors.Join(report(err, f.detail, screen), g.Close())
		return nil, err
	}
	if files, _ := g.Size(); files == 0 && !f.patient {
		screen.Alert(noScripts(dir))
	}
	f.look()
	f.warnings.Wait() // at the begin, before anything moves
	if err := f.saves.begin(g, file, f.headless, screen); err != nil {
		return nil, errors.Join(err, g.Close())
	}
	return g, nil
}

// look says what is to be said of the texts that were loaded, in a while.
func (f *runFlags) look() {
	f.warnings.Look(f.uncompiled)
	f.uncompiled = nil
}

// report prints the summary.
func (f *runFlags) report(cmd *cobra.Command, s game.Summary, screen *status.Screen) error {
	if f.json {
		return printJSON(cmd.OutOrStdout(), s)
	}
	screen.Print(s.String())
	return nil
}

// describe returns an error in one line, or with --detail with its source line and
// traceback.
func (f *runFlags) describe(e *scripting.Error, screen *status.Screen) string {
	if f.detail {
		return e.DetailIn(screen.Width())
	}
	return e.Error()
}

// tell prints the verdict of a reload: in red if it was refused.
func (f *runFlags) tell(r scripting.Reload, screen *status.Screen) {
	if r.Err == nil {
		screen.Print(r.String())
		f.look()
		return
	}
	text := r.String()
	for _, p := range game.Problems(r.Err) {
		if f.detail {
			text += "\n" + p.DetailIn(screen.Width())
		}
	}
	screen.Alert(text)
}

// play runs the game and prints the summary. While it runs, it keeps the figures of the
// last half second: if a tick does not end, the summary is made of them.
// The order at the end matters: the checksum is taken before the host is closed,
// whose hooks may change the world, and the summary is printed after it.
func (f *runFlags) play(cmd *cobra.Command, g *game.Game, dir string, screen *status.Screen) error {
	show := func() {}
	if !f.headless {
		show = newDisplay(g, dir, f.pace.Hz, screen).tick
	}
	began := time.Now()
	var known atomic.Pointer[game.Summary] // read by another goroutine if a tick does not end
	var noted time.Time
	after := func() {
		show()
		f.recorded(screen)
		if now := time.Now(); now.Sub(noted) > time.Second/2 {
			noted = now
			s := g.Figures(now.Sub(began))
			known.Store(&s)
		}
	}
	after()
	f.end.say(func() {
		screen.Close()
		_ = f.report(cmd, *known.Load(), screen) // the program ends with or without it
		fmt.Fprintln(cmd.ErrOrStderr(), "perigee: the run did not end within two seconds and was given up")
		_ = f.profiles.end() // as far as there is time for it
	})
	g.Run(cmd.Context(), f.pace, after)
	f.warnings.Wait()
	s := g.Summary(time.Since(began)) // first: the checksum is of the world as the last tick left it
	saved := f.saves.end(g, screen)
	_ = f.recorder.Close() // what it returns is said next
	f.recorded(screen)
	screen.Close()
	if err := g.Close(); err != nil { // it reports what is left to be reported, before the summary
		return err
	}
	s.Errors = g.Counts().Errors // those of the end, too
	f.end.say(func() {})
	if err := errors.Join(f.report(cmd, s, screen), saved); err != nil {
		return err
	}
	if c := g.Counts(); f.strict && c.Errors+c.Refused > 0 || f.recorder.Err() != nil && !s.Cut {
		return exitFailure{}
	}
	return nil
}
