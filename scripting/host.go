package scripting

import (
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"slices"
	"sync"

	"github.com/perigee-ecs/perigee/bindings"
	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting/internal/lualib"
	lua "github.com/yuin/gopher-lua"
)

// Options configure a host. The zero value is the documented default.
type Options struct {
	// Logger gets what scripts log, with the attributes script and line. Nil
	// means slog.Default().
	Logger *slog.Logger
	// OnError is told of each fault of a running system as it happens. Nil means
	// that it is logged.
	OnError func(*Error)
	// OnReload is told of the verdict over each reload. Nil means that it is
	// logged.
	OnReload func(Reload)
	// Limits bound what scripts may use.
	Limits Limits
}

// Host joins a world, a Lua state and a folder of scripts.
type Host struct {
	opts    Options
	world   *ecs.World
	state   *lua.LState
	library *lualib.Library
	module  *bindings.Module
	guard   *guard
	taps    map[string]*tap // of the log, by script
	exposed map[string]lua.LValue

	folder   fs.FS
	live     map[string]*module
	starting []*bindings.Script // on_start functions still to be run
	started  map[string]bool    // scripts whose on_start has run
	loader   *loader            // of the load that is going on
	refused  map[string]*source // texts that wait for a set that is accepted

	mu      sync.Mutex // guards pending
	pending map[string]*source
}

// New makes a host for a world.
func New(w *ecs.World, options Options) (*Host, error) {
	if w == nil {
		return nil, errors.New("scripting: a host needs a world")
	}
	if options.Logger == nil {
		options.Logger = slog.Default()
	}
	options.Limits.fill()
	limitLists()
	h := &Host{
		opts: options, world: w, exposed: map[string]lua.LValue{}, guard: newGuard(options.Limits), taps: map[string]*tap{},
		live: map[string]*module{}, started: map[string]bool{},
		refused: map[string]*source{}, pending: map[string]*source{},
	}
	// The stack sizes are those at which a runaway script fails soon and cleanly.
	h.state = lua.NewState(lua.Options{
		SkipOpenLibs: true, CallStackSize: 200, RegistrySize: 1024, RegistryMaxSize: 1 << 14, RegistryGrowStep: 4096,
	})
	h.module = bindings.New(w, h.state, bindings.Options{
		Log: h.log, Begin: h.guard.begin, End: h.guard.end,
		Commands: options.Limits.Commands, Spawned: options.Limits.Spawned,
	})
	h.library = lualib.New(h.state, lualib.Options{
		Print:  func(L *lua.LState, text string) { h.module.Log(L, slog.LevelInfo, text) },
		Random: h.module,
	})
	return h, nil
}

// World returns the world.
func (h *Host) World() *ecs.World { return h.world }

// Modules returns the paths of the loaded scripts in alphabetical order.
func (h *Host) Modules() []string { return slices.Sorted(maps.Keys(h.live)) }

// Systems returns how many systems the loaded scripts have.
func (h *Host) Systems() int {
	n := 0
	for _, m := range h.live {
		n += len(m.script.Systems)
	}
	return n
}

// Expose gives scripts a Go value under a name: local host = require "host";
// host.name. Functions, structs and pointers to structs are possible; a struct
// shows its exported fields and methods, so expose only what any script may do.
// Call it before Load.
func (h *Host) Expose(name string, value any) error {
	v, err := bindings.HostValue(h.state, value)
	if err != nil {
		return fmt.Errorf("scripting: exposing %q: %w", name, err)
	}
	h.exposed[name] = v
	return nil
}

// Load runs every script of a folder and adds its systems to the world's
// schedule. On any problem nothing is added, and the error is a *LoadError with
// all of them. Paths with an element that begins with a dot are left out. The
// folder is read through fs.ReadFile; it is kept for reloads.
func (h *Host) Load(folder fs.FS) error {
	h.folder = folder
	names, err := scriptsIn(folder)
	if err != nil {
		return fmt.Errorf("scripting: %w", err)
	}
	texts := map[string]*source{}
	for _, name := range names {
		texts[name] = h.read(name)
	}
	for name := range h.live {
		if texts[name] == nil {
			texts[name] = &source{name: name, removed: true}
		}
	}
	return h.swap(texts).Err
}

// scriptsIn lists the scripts of a folder.
func scriptsIn(folder fs.FS) ([]string, error) {
	var names []string
	err := fs.WalkDir(folder, ".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && path == ".":
			return err
		case err != nil:
			return nil // told when the file is read
		case path != "." && d.Name()[0] == '.':
			if d.IsDir() {
				return fs.SkipDir
			}
		case isScript(path) && !d.IsDir():
			names = append(names, path)
		}
		return nil
	})
	slices.Sort(names)
	return names, err
}

// Step advances the world by dt seconds: it takes over staged files, starts new
// scripts, calls timers that are due and runs one tick. What failed comes back
// joined, each an *Error, after OnError was told of it.
func (h *Host) Step(dt float64) error {
	h.takeOver()
	var failed []error
	report := func(err error) {
		for _, e := range collect(err) {
			h.tell(e)
			failed = append(failed, e)
		}
	}
	for len(h.starting) > 0 {
		s := h.starting[0]
		h.starting = h.starting[1:]
		report(h.module.Start(s))
	}
	now, _ := h.world.Time()
	h.module.RunTimers(now+max(dt, 0), report)
	report(h.world.Step(dt))
	return errors.Join(failed...)
}

// locate puts a script's name and line to an error that comes from the world:
// a command that could not be applied, after the script had returned.
func (h *Host) locate(e *Error) {
	for _, m := range h.live {
		for _, sys := range m.script.Systems {
			if sys.Name == e.System {
				e.Script, e.Line = sys.Script, sys.Line
				return
			}
		}
	}
}

// tell hands an error to the host program.
func (h *Host) tell(e *Error) {
	if e.Script == goCode {
		h.locate(e)
	}
	if m := h.live[e.Script]; m != nil {
		quote(e, m.text)
	}
	if h.opts.OnError != nil {
		h.opts.OnError(e)
		return
	}
	h.opts.Logger.Error(e.Error())
}

// Close ends the Lua state and takes the scripts' systems out of the world.
func (h *Host) Close() error {
	texts := map[string]*source{}
	for name := range h.live {
		texts[name] = &source{name: name, removed: true}
	}
	err := h.swap(texts).Err
	h.state.Close()
	return err
}
