package scripting

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"math"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/perigee-ecs/perigee/bindings"
	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/bindings/running"
	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/internal/goroutine"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel"
)

// Options configure a host. The zero value is the documented default.
type Options struct {
	// Logger gets what scripts log, with the attributes script and line. Nil
	// means slog.Default().
	Logger *slog.Logger
	// OnError gets each fault of a running system, of scripts as of Go, when it first
	// happens and when it parks the system. When a fault comes again and again, OnError
	// gets it once more after 10 seconds of simulation time, then after 20, up to 160,
	// with Times and Entities; Host.Faults counts all of them. Nil means that it is logged.
	OnError func(*Error)
	// OnReload gets the verdict over each reload. Nil means that it is logged.
	OnReload func(Reload)
	// OnKernel gets the status of each loaded system whose each function is not
	// compiled, or not all of it, once for each reason. Nil means that it is logged.
	OnKernel func(KernelStatus)
	// NoKernels leaves all functions to the VM: for comparing, and for
	// finding faults. Systems with kernel = "require" are loaded all the same.
	NoKernels bool
	// Slots lets scripts ask for saves and loads, with ecs.save and ecs.load: see [Host.Asked].
	Slots bool
	// Limits bound what scripts may use: DevelopmentLimits, unless you say otherwise. A host
	// for players takes ReleaseLimits.
	Limits Limits
}

// Host joins a world, a Lua state and a folder of scripts. One that [New] has not made, and a nil
// one, is as one that is closed, and has no world.
type Host struct {
	*interpreter
	opts      Options
	world     *ecs.World
	kernels   kernels
	logLimits map[string]*logLimit // of the log, by script
	linesLost bool                 // some lines were not written, and nobody was told

	scenes       sceneSet
	starting     []string            // scripts that may have on_start functions to be run
	started      map[string]int      // by script: on_start functions that have run
	departed     map[string]departed // scripts that went after their on_start
	looking      bool                // the world is that of an earlier tick, see Ring.Look
	left         []string            // the scripts of started that are not live, the one that went first first
	faults       faultLog
	swapErrors   []error  // that a swap has brought about
	newFaults    []*Error // in this step, and scripts do not know yet
	panicked     []error  // of Options' functions, until a step returns them
	onReload     []*reloadHook
	record       faultRecord
	lastReload   Reload
	reloads      uint64                    // verdicts so far
	violations   []*Error                  // of the tick at hand
	unwatch      func()                    // ends the watch for them; nil before the first step
	noted        interface{ note(*Error) } // for tests: gets every fault; may be nil
	doing        atomic.Uint32             // an activity: two goroutines may ask for one
	readings     readings
	closed       atomic.Bool
	declarations []*bindings.Declarations // see declared
	entered      *Program                 // whose folder Stage reads from; nil for none
	rejected     map[string]*source       // see published
	loaded       bool                     // scripts of a folder are in force, or have been
	fresh        bool                     // no step was made since they were loaded

	staging   goroutine.Lock // held by the Stage that is under way
	mu        sync.Mutex     // guards what follows
	folder    fs.FS
	published *published // nil before Load and after Close
	pending   *pending   // nil: nothing was staged since the last step
	taking    bool       // a step has taken a set, and not published what came of it

	stagedInVain []error // stagings that came to no end, until a step returns them
}

// New makes a host for a world. It registers the component ScriptError. The error wraps [ecs.ErrClosed] for a closed world, [ecs.ErrConflict] for
// a nil one, and what ecs.Register panics
// with where the world has no room for one more component, or another one of that name.
func New(w *ecs.World, options Options) (*Host, error) {
	if w == nil {
		return nil, fmt.Errorf("scripting: New: %w: a host needs a world", ecs.ErrConflict)
	}
	if options.Logger == nil {
		options.Logger = slog.Default()
	}
	if err := w.Raw().Ready(); errors.Is(err, ecs.ErrClosed) {
		return nil, fmt.Errorf("scripting: New: %w", err)
	}
	options.Limits.fill()
	h := &Host{
		interpreter: newInterpreter(&options.Limits), opts: options, world: w, logLimits: map[string]*logLimit{}, started: map[string]int{}, departed: map[string]departed{},
	}
	h.console = &Console{host: h} // now: figures of what scripts hold may be asked for on any goroutine
	h.memory = func() kernel.Memory { return kernel.Memory{MemoryMap: w.Raw().MemoryMap()} }
	h.scenes = sceneSet{h: h, files: map[string]*source{}}
	module := h.interpreter.options()
	module.Scenes = &h.scenes
	module.Asset = h.findAsset
	h.interpreter.log = h.log
	module.Slots = options.Slots
	if !options.NoKernels {
		module.Compile = h.compileKernel
	}
	binding, err := bind(w, h.state, module)
	if err != nil {
		h.state.Close()
		return nil, fmt.Errorf("scripting: New: the component %q of the host cannot be registered: %w", "ScriptError", err)
	}
	h.furnish(binding, func() float64 { now, _ := w.Time(); return now })
	h.limiter.ticks = func() uint64 { _, n := w.Time(); return n }
	return h, nil
}

// bind makes the binding of a world, which registers a component: there may be no room for
// it, or another one of its name.
func bind(w *ecs.World, L *lua.LState, options bindings.Options) (b *bindings.Binding, err error) {
	defer func() {
		cause := recover()
		refused, isError := cause.(error)
		if _, broken := cause.(runtime.Error); cause != nil && (broken || !isError) {
			panic(cause)
		}
		err = refused
	}()
	return bindings.New(w, L, options), nil
}

// made reports whether New has made the host.
func (h *Host) made() bool { return h != nil && h.interpreter != nil }

// gone reports whether the host is closed, or was never open.
func (h *Host) gone() bool { return !h.made() || h.closed.Load() }

// World returns the world.
func (h *Host) World() *ecs.World {
	if !h.made() {
		return nil
	}
	return h.world
}

// Modules returns the paths of the loaded scripts in alphabetical order.
func (h *Host) Modules() []string { return slices.Sorted(maps.Keys(h.modules())) }

// Source returns the text of a loaded script, as it runs: one that was saved and refused since is
// not in it. The error wraps [ErrClosed], or [ecs.ErrUnknown] where no such script is loaded.
func (h *Host) Source(script string) (string, error) {
	if h.gone() {
		return "", fmt.Errorf("scripting: Source: %w", ErrClosed)
	}
	m := h.live[script]
	if m == nil {
		return "", unknownf("scripting: Source: no script %q is loaded%s", script, strings.TrimSuffix(diag.DidYouMean(script, h.Modules()), "\n"))
	}
	return string(m.text), nil
}

// Refused returns the text of a file that the last reload has refused. One that was saved or staged waits, and is tried again with the next one; of a
// [Program] nothing waits. ok is false where no text of this path was refused. It may be called from any goroutine.
func (h *Host) Refused(file string) (text string, ok bool) {
	if h.gone() {
		return "", false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.published == nil {
		return "", false
	}
	s := cmp.Or(h.published.refused[file], h.published.rejected[file])
	if s == nil || s.removed || s.folder || s.from != nil {
		return "", false
	}
	return string(s.text), true
}

// modules are the live modules, none of a host that is closed.
func (h *Host) modules() map[string]*module {
	if h.gone() {
		return nil
	}
	return h.live
}

// Systems returns how many systems the loaded scripts have.
func (h *Host) Systems() int {
	n := 0
	for _, m := range h.modules() {
		n += len(m.script.Systems)
	}
	return n
}

// Expose gives scripts a Go value under a name: local host = require "host";
// host.name. Functions, structs and pointers to structs, numbers, strings, booleans,
// slices and maps are possible; a struct shows its exported fields and methods, so
// expose only what any script may do. Call it before the first Load, also when that is
// refused, with a name for each value: later, and for a name that is taken or that scripts
// cannot write after a dot, it returns an error, which wraps
// [ecs.ErrConflict], as for what scripts cannot be given.
//
// What scripts give to functions, methods and fields is converted to their Go types. A
// number that the type cannot hold as it is (300 for an int8, 1.5 for an int) is an
// error in the script, and so are too many or too few arguments. A float32 rounds a number; one
// beyond its largest is an error. When the last result of a function is of type error, scripts do
// not see it: if it is not nil, the call fails with its text, and errors.Is finds it in the [Error]
// that OnError gets, also when a script has caught that and raised it again. A nil pointer in an
// error is not nil in Go, so the call fails, with the name of its type. A panic is an error with the function's name
// and a GoStack, which Detail shows. runtime.Goexit ends the goroutine that steps, as in all
// Go code; the script's call is undone, and another goroutine can go on with the next step.
//
// A function whose work grows with what a script asks for, such as a search, charges it to the
// script by [Call.Charge] before it is done; otherwise no limit stops a script that asks again
// and again. A list of [Entities] that it returns becomes a table of the script.
//
// A [Question] is a function of numbers that compiled each functions call as well; any other
// function of the host keeps the function that calls it on the VM.
//
// What was written for gopher-lua can be exposed as well: a function that takes its
// arguments from an *lua.LState, or from gopher-luar's, an *lua.LFunction, a table. Scripts do
// not run in a state of gopher-lua; such a function gets one that has no globals, and tables
// of scripts as tables of gopher-lua, which both sides see and change from then on. Coroutines
// do not pass, and neither side yields through the other.
//
// A function of a script that is an argument becomes a function of Go, which is good until the
// call of the script ends. What it raises is a panic there. A host that recovers that may go on; once a
// limit is used up, each further call panics at once. Nothing that would outlast the call takes one: scripts cannot store
// functions in exposed maps, slices or fields.
//
// What scripts store in an exposed map, slice or field is the host's: no limit counts it,
// and nobody but the host takes it away. So a map that scripts may write grows for as long
// as they write new keys: expose a function that bounds it instead.
//
// A function, a method or a field that is a function may have a *[Call] as its first
// parameter, which scripts do not see: it learns from it which script, system, tick and entity
// call it, and gets the commands of that call. The top level of a script and migrate functions
// run in no tick, and cannot call such a function.
//
// What Go code that a script calls may do with the world:
//
//   - It reads the world at any time.
//   - It changes the structure, that is it spawns, despawns, adds, removes, relates, and sends
//     events, by the Commands of its Call only. They are made when the system ends, in one
//     order with the script's own, and are undone with the call when that fails.
//   - It may write fields of components that are there, through columns and [ecs.Component],
//     where its documentation says so to those who write scripts: such writes are made at once,
//     and stay when the script's call fails. Fields that the script has in hand by then are not
//     read again: what it assigns to a field of its row, and the lists of b:write, are stored
//     when its function returns, over what the host has written. So let such a function have
//     fields of its own.
//
// Anything else is refused. In whatever form a script runs, it holds the world's iteration
// lock: a direct change of the structure returns [ecs.ErrIterating], and World.Spawn and others
// that return no error panic with it, which is an error of the script's call. Nothing that the
// script works on moves.
func (h *Host) Expose(name string, value any) error {
	refuse := func(err error) error { return fmt.Errorf("scripting: exposing %q: %w", name, err) }
	switch {
	case h.gone():
		return refuse(ErrClosed)
	case h.begun():
		return refuse(fmt.Errorf("%w: Load was called before; expose what scripts need first", ecs.ErrConflict))
	case h.exposed[name] != nil:
		return refuse(fmt.Errorf("%w: the name is taken", ecs.ErrConflict))
	case slices.Contains(reserved, name):
		return refuse(fmt.Errorf("%w: scripts cannot write this name: it is a word of Lua", ecs.ErrConflict))
	case !isName.MatchString(name):
		return refuse(fmt.Errorf("%w: scripts cannot write this name: it is made of letters, digits and _, and begins with no digit", ecs.ErrConflict))
	}
	v, err := h.binding.HostValue("host."+name, value)
	if err != nil {
		return refuse(fmt.Errorf("%w: %w", ecs.ErrConflict, err))
	}
	h.exposed[name] = v
	return nil
}

// isName matches what scripts can write after a dot.
var isName = regexp.MustCompile(`^[A-Za-z_][A-Za-z_0-9]*$`)

// reserved are the words of Lua, which cannot be names.
var reserved = strings.Fields("and break do else elseif end false for function goto if in local nil not or repeat return then true until while")

// begun reports whether Load was called.
func (h *Host) begun() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.folder != nil
}

// Call is the call into a script that is running, for functions that the host exposes: see
// [Host.Expose]. It has the methods Script, System, Tick, DT, Time, Entity, World, Commands,
// Charge, Context and Err.
type Call = running.Call

// Entities is a list of entities that a script gets as a table of its own, when a function that
// the host exposes returns it: the script pays for it, may change it, and may go through it with
// ipairs. Any other slice stays the host's.
type Entities = running.Entities

// Question is a function for [Host.Expose] that compiled functions call, too. Its fields are
// documented in bindings/running: go doc bindings/running.Question.
type Question = running.Question

// ErrSpent is what the error of [Call.Charge] wraps when the script has used up its limits.
var ErrSpent = running.ErrSpent

// ErrOver is what the use of a [Call] wraps after the script's call has ended: the next Step
// returns it.
var ErrOver = running.ErrOver

// Running returns the tick of the call into a script that is running, nil when there
// is none. It is for Go code that scripts call, see [Host.Expose], and good until
// that returns: what is recorded in its Commands is made when the script's system (or
// handler, timer and so on) has ended, and is undone with the call. The top level of a
// script and migrate functions run in no tick; what they call changes nothing. A function with
// a *[Call] has all but the generator of random numbers from that.
func (h *Host) Running() *ecs.Tick {
	if h.gone() {
		return nil
	}
	return h.binding.Running()
}

// Load runs every script of a folder and adds its systems to the world's
// schedule. On any problem nothing is added, and the error is a *LoadError with
// all of them; files that are staged later are then tried together with these, and
// Load may be called again. Once scripts are in force, a further Load wraps
// [ecs.ErrConflict] and changes nothing: a host has one folder, whose changes Stage announces.
// Paths with an element that begins with a dot are left out. The folder is read
// through fs.ReadFile; it is kept for reloads. A [Program] is a folder that was read before: many
// hosts load it without reading or compiling anything.
func (h *Host) Load(folder fs.FS) error { return h.loadFolder(noContext, folder) }

// LoadContext is Load that a context ends early: between two files, or while the top level of
// one runs. The load is refused then, and the error wraps that of the context and its cause.
func (h *Host) LoadContext(ctx context.Context, folder fs.FS) error {
	if err := begun(ctx, "LoadContext"); err != nil {
		return err
	}
	return h.loadFolder(ctx, folder)
}

// loadFolder is Load under a context, nil for none.
func (h *Host) loadFolder(ctx context.Context, folder fs.FS) error {
	if err := h.enter(loading); err != nil {
		return err
	}
	defer h.leave()
	h.limiter.ctx = ctx
	defer func() { h.limiter.ctx = nil }()
	program, compiled := folder.(*Program)
	switch {
	case folder == nil || compiled && !program.compiled():
		return fmt.Errorf("scripting: Load of no folder: %w", ecs.ErrConflict)
	case h.loaded:
		return fmt.Errorf("scripting: Load: %w: a folder is loaded already; Stage announces what changes in it, and another folder needs another host", ecs.ErrConflict)
	}
	if program != nil {
		folder = program.folder
	}
	h.mu.Lock()
	h.folder = folder
	h.pending.release()
	h.pending = nil
	var refused map[string]*source
	if h.published != nil {
		refused = h.published.refused
	}
	h.mu.Unlock()
	h.dataFolder = dataFolder{reader: h.reader(), fs: folder, program: program}
	h.publish(refused) // a Stage from now on reads from this folder
	texts, over, err := h.readFolder(folder, program)
	if err != nil {
		return fmt.Errorf("scripting: the folder of scripts cannot be read: %w", err)
	}
	var r Reload
	if over != nil {
		r.Err = &LoadError{[]*Error{over}}
	} else {
		h.limiter.loading = true
		h.swap(&r, texts, nil)
		h.limiter.loading = false
	}
	if r.Err == nil {
		h.scenes.readAll()
	}
	h.dataFolder.program = nil
	if r.Err != nil {
		h.publish(texts)
	} else {
		h.loaded, h.fresh = true, true
		h.publish(nil)
		h.rest()
	}
	for _, doubt := range r.doubts {
		h.opts.Logger.Warn(doubt)
	}
	return r.Err
}

// readFolder returns the compiled texts of a folder, or of a program, and the limit that they are
// beyond.
func (h *Host) readFolder(folder fs.FS, p *Program) (texts map[string]*source, over *Error, err error) {
	if p != nil {
		h.entered, h.kernels.program, h.translations = p, p, &p.translations
		texts = p.texts()
		return texts, h.reader().within(texts), nil
	}
	h.entered, h.kernels.program, h.translations = nil, nil, nil // of a program whose load was refused
	r := h.reader()
	r.ctx = h.limiter.ctx
	if texts, err = r.readAll(folder); err != nil {
		return nil, nil, err
	}
	return texts, r.fill(texts, h.sources()), nil
}

// reader returns what reads for the host.
func (h *Host) reader() folderReader {
	return folderReader{limits: &h.opts.Limits, logger: h.opts.Logger}
}

// activity is what a host does, one thing at a time.
type activity uint32

// The activities.
const (
	idle activity = iota
	loading
	stepping
	checking
	closing
	staging
	limiting
	unloading
	capturing
	restoring
	changingScene
	writingScene
	typing
)

// String returns the name of the method.
func (a activity) String() string {
	return [...]string{"nothing", "Load", "Step", "Check", "Close", "Stage", "SetLimits", "Unload", "Capture", "Restore", "LoadScene", "WriteScene", "Console.Run"}[a]
}

// enter notes that the host is at work. Scripts and systems may reach the host through
// functions that the program exposes, and must not start it again from there; nor must
// another goroutine, which is no fault that can always be noticed.
func (h *Host) enter(what activity) error {
	if h.gone() {
		return fmt.Errorf("scripting: %v: %w", what, ErrClosed)
	}
	if !h.doing.CompareAndSwap(uint32(idle), uint32(what)) {
		now := activity(h.doing.Load())
		return &busyError{fmt.Sprintf("scripting: %v while %v runs: it was called inside of it, by a function or a system of the host, or from another goroutine; a host belongs to one goroutine, and does one thing after the other", what, now)}
	}
	h.readings.begin()
	if what == stepping {
		if err := h.claim(); err != nil {
			h.readings.end(h)
			h.doing.Store(uint32(idle))
			return err
		}
	}
	if err := h.possible(what); err != nil {
		h.leave()
		return err
	}
	return nil
}

// claim keeps others from stepping the world while the host works with it: see Step.
func (h *Host) claim() error {
	switch err := h.world.Raw().Claim(); {
	case errors.Is(err, ecs.ErrIterating):
		return worldBusy()
	case err != nil:
		return fmt.Errorf("scripting: %v: %w", stepping, err)
	}
	return nil
}

func worldBusy() error {
	return &busyError{"scripting: Step while the world is at work: inside of World.Step or World.Run, or of a loop over a query"}
}

// possible asks whether the world allows an activity: it may be closed, and it may be stepped
// without its host.
func (h *Host) possible(what activity) error {
	if err := h.world.Raw().Ready(); what == stepping && errors.Is(err, ecs.ErrIterating) { // perhaps on another goroutine
		return worldBusy()
	}
	if h.binding.Running() != nil {
		return &busyError{fmt.Sprintf("scripting: %v inside of a script's call", what)}
	}
	if err := h.world.Raw().Ready(); what == typing && errors.Is(err, ecs.ErrIterating) {
		return &busyError{fmt.Sprintf("scripting: %v inside of World.Step or World.Run, or of a loop over a query: call it after that", what)}
	}
	switch err := h.world.Raw().Ready(); {
	case (what == closing || what == unloading) && errors.Is(err, ecs.ErrIterating): // no on_unload can run
		return &busyError{fmt.Sprintf("scripting: %v inside of World.Step or World.Run, or of a loop over a query: nothing has changed, call it after that", what)}
	case what == closing: // the world may be gone
		return nil
	case errors.Is(err, ecs.ErrClosed):
		return fmt.Errorf("scripting: %v: %w", what, err)
	}
	return nil
}

// leave notes that the host has finished.
func (h *Host) leave() {
	h.readings.end(h)
	if activity(h.doing.Load()) == stepping {
		h.world.Raw().Release()
	}
	h.doing.Store(uint32(idle))
}

// Step advances the world by dt seconds: it takes over staged files, starts new
// scripts, calls timers that are due and runs one tick.
//
// It returns what the host did wrong or must know of, and no faults of scripts: those
// go to Options.OnError, and Faults counts them. So a loop may end at an error of Step,
// and no script ends it. There are two kinds of errors.
//
//   - A step that is refused does nothing: the host is closed ([ErrClosed]) or its world is
//     ([ecs.ErrClosed]); the host or the world is at work already ([ecs.ErrIterating]); dt is
//     negative or not finite ([ecs.ErrRange]).
//   - A Go system or observer that fails, or panics, is the host's own, as in
//     [ecs.World.Step]: all such errors come back joined, each an *[ecs.SystemError], after
//     OnError got them. The others have run, and the next step may follow. When what such
//     a system returns is nothing but faults of scripts, as [Host.RunKernel] gives them, it
//     is a fault of scripts.
//
// What functions of the host have done with a [Call] after its end comes back, too, as errors
// that wrap [ErrOver]; and that a Stage has come to no end, because the folder has ended its
// goroutine, or has panicked; and that a function of Options has panicked, as an
// *[ecs.SystemError] with its name, such as "OnError".
//
// A command that a script has recorded and that cannot be done is a fault of that script.
//
// [ecs.World.Step] of the same world is a step without the host. The systems of scripts run in
// it under the limits of a tick, and their faults are what it returns: OnError and Faults get none
// of them. No timer is due in it, nothing that was staged is taken over, and no script is
// started. The two may follow each other in any order, also on several goroutines. From the beginning
// of one of them to its end, the other does nothing and returns [ecs.ErrIterating], on whatever
// goroutine, and so does ecs.World.Run, as in OnError and OnReload.
func (h *Host) Step(dt float64) error { return h.step(noContext, dt, nil) }

// StepContext is Step that a context ends early. Systems that have not begun when it ends do not run
// in this tick; a script or a kernel that runs is cut short where it would be for a limit, and
// its call is undone. That is no fault of the script: no breaker counts it, and OnError does
// not get it. The call is made again in the next step, with the events, the change or the time that
// it had, see [ecs.Schedule.StepContext]. All else that has run stays, and the next step may follow. Staged files that the
// step has begun with are taken over or refused in any case.
//
// The error wraps that of the context and its cause. When the context has ended before, nothing is
// done. [Call.Context] is a context under this one.
func (h *Host) StepContext(ctx context.Context, dt float64) error {
	if err := begun(ctx, "StepContext"); err != nil {
		return err
	}
	return h.step(ctx, dt, nil)
}

// StepWith is StepContext with a function that is called once nothing refuses the step any more, before all else that the
// step does: for inputs of the tick, such as events. If it is not called, nothing was done.
func (h *Host) StepWith(ctx context.Context, dt float64, first func()) error {
	if err := begun(ctx, "StepWith"); err != nil {
		return err
	}
	return h.step(ctx, dt, first)
}

// begun says why nothing may begin under a context: there is none, or it has ended.
func begun(ctx context.Context, method string) error {
	switch {
	case ctx == nil:
		return fmt.Errorf("scripting: %s: %w: the context is nil", method, ecs.ErrConflict)
	case ctx.Err() != nil:
		return fmt.Errorf("scripting: %s did not begin: %w", method, ecs.ContextError(ctx))
	}
	return nil
}

// step is Step under a context, nil for none, with a function that is called first, nil for none.
func (h *Host) step(ctx context.Context, dt float64, first func()) error {
	if err := h.enter(stepping); err != nil {
		return err
	}
	defer h.leave()
	h.limiter.step = ctx
	defer func() { h.limiter.step = nil }()
	now, _ := h.world.Time()
	if !(dt >= 0 && now+dt <= ecs.MaxTime) {
		return h.world.Raw().StepClaimed(noContext, dt)
	}
	h.looking = false // it goes on from there
	if first != nil {
		first()
	}
	h.limiter.newTick(len(h.live))
	_, n := h.world.Time()
	h.limiter.tickNumber = n + 1
	h.binding.Keeper.SetTime(now)
	h.binding.NewTick()
	h.world.Raw().BeginClaimed()
	h.applyStaged()
	h.enforce()
	var own []error
	failed := func(err error) { own = append(own, h.failed(err)...) }
	failed(errors.Join(h.swapErrors...))
	h.swapErrors = nil
	own = append(own, h.unfinished()...)
	h.start(failed)
	h.binding.RunTimers(now+dt, failed)
	own = append(own, h.scenes.serve()...)
	own = append(own, h.tick(ctx, dt)...)
	own = append(own, h.scenes.serve()...)
	h.note(h.losses()...)
	h.binding.Settle()
	own = append(own, h.react()...)
	h.limiter.refused = nil // an on_unload may clear up
	h.weigh()
	h.sayLostLines(false)
	for _, e := range h.faults.due(now, "", false) {
		h.report(e)
	}
	return errors.Join(append(own, h.takePanics()...)...)
}

// callHost calls a function of Options. A panic ends it alone: what else is to be reported is, and
// the next step returns the panic as an [ecs.SystemError] of the function's name.
func (h *Host) callHost(name string, call func()) {
	defer func() {
		cause := recover()
		if cause == nil || len(h.panicked) == mostPanics {
			return
		}
		err, ok := cause.(error)
		if !ok {
			err = fmt.Errorf("%v", cause)
		}
		_, n := h.world.Time()
		h.panicked = append(h.panicked, &ecs.SystemError{System: name, Tick: n, Err: fmt.Errorf("panic: %w", err), Stack: debug.Stack()})
	}()
	call()
}

// mostPanics is how many panics of functions of Options are kept for one step.
const mostPanics = 16

// takePanics returns the panics of functions of Options.
func (h *Host) takePanics() []error {
	list := h.panicked
	h.panicked = nil
	return list
}

// tick steps the world, and notes what has failed in it in the order of the systems.
func (h *Host) tick(ctx context.Context, dt float64) (own []error) {
	if err := h.watchInvariants(); err != nil {
		return []error{err}
	}
	cut, failed := h.worldStep(ctx, dt)
	strict, failed := violationsIn(failed)
	ended, own := h.divideErrors(failed)
	own = append(append(own, cut...), strict...)
	var alone map[*Error]bool
	if faults := h.binding.Faults(); len(faults) > 0 {
		alone = make(map[*Error]bool, len(faults))
		for _, e := range faults {
			alone[e] = true
		}
		ended = inSystemOrder(h.world.Schedule().Names(), ended, faults)
	}
	h.noteRows(ended, alone)
	h.note(h.takeViolations()...)
	return append(own, h.binding.LateUses()...)
}

// noContext is that of the forms without one: nothing ends them.
var noContext context.Context

// worldStep steps the world. cut are the errors that are so because the context has ended.
func (h *Host) worldStep(ctx context.Context, dt float64) (cut []error, failed error) {
	if ctx == nil {
		return nil, h.world.Raw().StepClaimed(noContext, dt)
	}
	h.limiter.ctx = ctx
	defer func() { h.limiter.ctx = nil }()
	var others []error
	for _, err := range apart(h.world.Raw().StepClaimed(ctx, dt)) {
		if ctx.Err() != nil && (errors.Is(err, ctx.Err()) || errors.Is(err, context.Cause(ctx))) {
			cut = append(cut, err)
		} else {
			others = append(others, err)
		}
	}
	return cut, errors.Join(others...)
}

// RunKernel runs what a script has declared as ecs.kernel(name, …), as part of a
// system of the host's that is not parallel, or of an [ecs.World.Run] between two
// steps: its changes are commands of that tick, and its ctx is the tick's. It is
// one call of the script, undone when it fails as a whole. An entity for which
// it fails alone is undone alone, and reported with the errors of the next Step,
// as with a system. O(entities of the query).
//
// A kernel without a name is called after its place, as in "relax.lua:7". The
// error is an *Error; or it wraps ecs.ErrUnknown when no script that is in force
// has declared that name, ecs.ErrIterating inside of a call of a script, ecs.ErrConflict for a tick
// that is over or of another world, or ErrClosed.
func (h *Host) RunKernel(t *ecs.Tick, name string) error {
	if h.gone() {
		return fmt.Errorf("scripting: RunKernel: %w", ErrClosed)
	}
	if t == nil || t.World != h.world {
		return fmt.Errorf("scripting: RunKernel without the tick of a system of the host's world: %w", ecs.ErrConflict)
	}
	if err := t.Err(); err != nil {
		return fmt.Errorf("scripting: RunKernel: %w", err)
	}
	return h.binding.RunKernel(t, name)
}

// Close takes the scripts' systems out of the world and ends the Lua state. It
// fails, and closes nothing, inside of a step, of an [ecs.World.Run] or of a loop over a query: the
// error wraps [ecs.ErrIterating] then, and says to call it after that. It fails as well while
// other systems demand an order with systems of scripts. A second call does nothing.
//
// A host that is closed has no scripts: Modules, Systems, Kernels and Ran return nothing,
// Running returns nil, Stage does nothing. Faults and Unrepeatable say what they have said
// before, and World is the world, which stays. All other methods return [ErrClosed].
// In a world that is closed already, no on_unload runs.
func (h *Host) Close() error {
	if h.gone() {
		return nil
	}
	if err := h.enter(closing); err != nil {
		return err
	}
	defer h.leave()
	texts := map[string]*source{}
	for name := range h.live {
		texts[name] = &source{name: name, removed: true}
	}
	var r Reload
	if h.swap(&r, texts, nil); errors.Is(r.Err, ecs.ErrClosed) {
		clear(h.live) // no script can do anything in a closed world, so none has an on_unload there
	} else if r.Err != nil {
		return r.Err
	}
	for _, e := range collect(errors.Join(h.swapErrors...)) {
		h.complete(e)
		h.record.add(e, false)
		h.report(e)
	}
	h.sayLostLines(true)
	h.world.Raw().CallersFrom(nil)
	if h.unwatch != nil {
		h.unwatch()
	}
	h.closed.Store(true)
	h.unpublish()
	h.state.Close()
	return errors.Join(append(h.takePanics(), h.kernels.close())...)
}

// logLimit lets a number of log lines of a script through in each second of simulation time.
// Why not of the clock? A run without a display makes a minute of the game in some
// milliseconds, and the same run must write the same lines each time.
type logLimit struct {
	second float64
	lines  int
	lost   int
}

// allow reports whether one more line may pass in a second.
func (t *logLimit) allow(second float64, limit int) bool {
	if second != t.second {
		t.second, t.lines = second, 0
	}
	t.lines++
	if limit < 0 || t.lines <= limit {
		return true
	}
	t.lost++
	return false
}

// log writes a line of a script, of so many bytes, to the host's log. It counts for the script whose
// system runs, even if the code that logs stands in another script.
func (h *Host) log(level slog.Level, payer string, at diag.Place, text string, bytes int) {
	t := h.logLimits[payer]
	if t == nil {
		t = &logLimit{}
		h.logLimits[payer] = t
	}
	now, _ := h.world.Time()
	if second := math.Floor(now); t.lost > 0 && second != t.second {
		from := diag.Place{Script: payer}
		if at.Script == payer {
			from = at
		}
		h.sayLost(t, from)
	}
	if t.allow(math.Floor(now), h.opts.Limits.LogLines) {
		h.say(level, at, diag.ShownLine(text, bytes))
	} else {
		h.linesLost = true
	}
}

// sayLost writes how many lines of a script were not written.
func (h *Host) sayLost(t *logLimit, from diag.Place) {
	h.say(slog.LevelWarn, from, fmt.Sprintf("%d more lines were not written (Limits.LogLines)", t.lost))
	t.lost = 0
}

// sayLostLines writes for each script how many lines were not written in a second that is
// over, or with all up to now, in the order of their names.
func (h *Host) sayLostLines(all bool) {
	if !h.linesLost {
		return
	}
	h.linesLost = false
	now, _ := h.world.Time()
	for _, name := range slices.Sorted(maps.Keys(h.logLimits)) {
		switch t := h.logLimits[name]; {
		case t.lost == 0:
		case all || t.second != math.Floor(now):
			h.sayLost(t, diag.Place{Script: name})
		default:
			h.linesLost = true
		}
	}
}

// say writes one line to the log of the program.
func (h *Host) say(level slog.Level, at diag.Place, text string) {
	h.opts.Logger.Log(context.Background(), level, diag.OneLine(text), "script", diag.OneLine(at.Script), "line", at.Line)
}
