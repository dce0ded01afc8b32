//go:build !machine

package stdlib

import (
	"math"
	"math/rand/v2"
	"unsafe"

	"github.com/perigee-ecs/perigee/bindings/vmstate"
	"github.com/perigee-ecs/perigee/scripting/internal/library/notes"
	lua "github.com/yuin/gopher-lua"
)

// The library of a state: how it is made, what environments get of it, and what the
// host may ask of it. The functions themselves are in the files that the package doc
// lists.

// Options say what the library takes from the host. The zero value works.
type Options struct {
	// Print receives each line that a script prints, without the line end.
	// Nil drops them.
	Print func(L *lua.LState, text string)

	// Random feeds math.random. If it has a method Seed(uint64), scripts may
	// call math.randomseed; otherwise that is an error. Nil means a generator
	// of the library's own that starts from the same seed every time.
	Random interface{ Uint64() uint64 }

	// Clock returns the simulation's time in seconds for os.clock and os.time.
	// Nil means there is no os table.
	Clock func() float64

	// MaxCoroutines limits the coroutines of one environment's functions that
	// are alive at the same time. Zero means 10,000.
	MaxCoroutines int

	// CollectSteps is how many steps a run of the collector counts as, which looks for
	// coroutines that nobody can reach any more. Zero means 5,000,000.
	CollectSteps int

	// MaxNesting limits protected calls and resumed coroutines around each
	// other. Each takes Go stack and a Lua thread. Zero means 150.
	MaxNesting int

	// MaxTable limits the entries of one table; see Inspect. Zero or less means
	// no limit.
	MaxTable int
}

// A Library is the standard library of one Lua state.
//
// Invariant: between calls from the host, depth is 0 and current is nil.
type Library struct {
	caught   notes.Caught
	opts     Options
	threads  lua.Options          // options of the state; threads of protected calls have the same
	needs    int                  // bytes that such a thread takes
	globals  []builtin            // copied into each environment
	tables   map[string][]builtin // by name of the table: string, table, …; copied too
	concat   *lua.LFunction
	pop      *lua.LFunction
	patterns map[patternText]*boxedPattern // recently compiled

	thread  *lua.LState   // on which a script runs, between Enter and Leave; else nil
	idle    []*lua.LState // threads that wait for the next protected call, at most maxIdle
	callers []*lua.LState // threads that wait for a protected call or a resume, outermost first
	depth   int           // how many protected calls and resumes stand around each other
	current *coroutine    // the one that runs; nil while the main program runs
	ids     *notes.Identities
	alive   map[*lua.LTable]*coroutineSet // by environment: coroutines that may still be resumed
}

// A builtin is one function of the library under its name.
type builtin struct {
	name string
	fn   *lua.LFunction
}

// unbound is a builtin before it is bound to its name.
type unbound struct {
	name string
	fn   func(args) int
}

// New makes the library of a state and installs the metatable of its strings.
// Open no other library in that state.
// The metatables that it installs belong to all values of their types in the state,
// so they stay the same for all scripts.
func New(L *lua.LState, opts Options) *Library {
	if opts.Random == nil {
		opts.Random = rand.NewPCG(1, 1)
	}
	if opts.MaxCoroutines == 0 {
		opts.MaxCoroutines = 10_000
	}
	if opts.CollectSteps == 0 {
		opts.CollectSteps = 5_000_000
	}
	if opts.MaxNesting == 0 {
		opts.MaxNesting = 150
	}
	lib := &Library{opts: opts, threads: L.Options, patterns: map[patternText]*boxedPattern{}, ids: notes.NewIdentities(), alive: map[*lua.LTable]*coroutineSet{}}
	lib.needs = lib.threads.CallStackSize*int(unsafe.Sizeof(vmstate.Frame{})) + lib.threads.RegistrySize*int(unsafe.Sizeof(lua.LNil))
	lib.globals = bind(lib.base())
	lib.tables = map[string][]builtin{
		"string":    bind(lib.strings()),
		"table":     bind(lib.listFunctions()),
		"math":      bind(lib.maths()),
		"coroutine": append(bind(lib.coroutines()), builtin{"yield", lib.yieldFunction()}),
	}
	if opts.Clock != nil {
		lib.tables["os"] = bind(lib.times())
	}
	lib.concat = bind([]unbound{{"..", concat}})[0].fn
	lib.pop = bind([]unbound{{"#", pop}})[0].fn
	L.SetMetatable(lua.LString(""), lib.stringMetatable())
	explainMistakes(L)
	return lib
}

// bind turns entries into Lua functions that know their names. One function stands for an
// entry in all environments: it keeps nothing of its own, so scripts cannot reach each
// other through it.
func bind(entries []unbound) []builtin {
	out := make([]builtin, 0, len(entries))
	for _, e := range entries {
		call := func(L *lua.LState) int { return e.fn(args{L, e.name}) }
		out = append(out, builtin{e.name, &lua.LFunction{IsG: true, GFunction: call}})
	}
	return out
}

// Env returns a new environment for one script: a table of globals, with copies of the
// library's tables. A script may change its copies; the functions in them are shared.
func (lib *Library) Env() *lua.LTable {
	env := newTable(lib.globals)
	for name, functions := range lib.tables {
		env.RawSetString(name, newTable(functions))
	}
	constants := env.RawGetString("math").(*lua.LTable)
	constants.RawSetString("pi", lua.LNumber(math.Pi))
	constants.RawSetString("huge", lua.LNumber(math.Inf(1)))
	env.RawSetString("_G", env)
	env.RawSetString("_VERSION", lua.LString("Lua 5.1"))
	return env
}

// newTable makes a table without a metatable that holds functions by name.
func newTable(functions []builtin) *lua.LTable {
	t := &lua.LTable{Metatable: lua.LNil}
	for _, f := range functions {
		t.RawSetString(f.name, f.fn)
	}
	return t
}

// Math returns the function math.name, or nil. The functions of math call no script, and
// their time is bounded by the number of their arguments: so whoever runs a function
// beside the VM may call them at any point.
func (lib *Library) Math(name string) *lua.LFunction {
	for _, f := range lib.tables["math"] {
		if f.name == name {
			return f.fn
		}
	}
	return nil
}

// Concat is the function for the operator .. that package syntax puts into prototypes. It
// depends on nothing of the library, so a prototype that holds it may run in any state.
func (lib *Library) Concat() *lua.LFunction { return lib.concat }

// Pop is the function for t[#t] = nil, see Concat.
func (lib *Library) Pop() *lua.LFunction { return lib.pop }

// NameOf returns the name of a function of the library, such as "math.floor" or "ipairs",
// and "" for any other function. It goes through the whole library.
func (lib *Library) NameOf(fn *lua.LFunction) string {
	for _, f := range lib.globals {
		if f.fn == fn {
			return f.name
		}
	}
	for table, functions := range lib.tables {
		for _, f := range functions {
			if f.fn == fn {
				return table + "." + f.name
			}
		}
	}
	return ""
}
