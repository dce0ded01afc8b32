package stdlib

import (
	"math"
	"math/rand/v2"
	"unsafe"

	"github.com/perigee-ecs/perigee/bindings/vmstate"
	lua "github.com/yuin/gopher-lua"
)

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
	caught   caughtErrors
	opts     Options
	threads  lua.Options          // of the state, for threads of protected calls
	needs    int                  // bytes of each of them
	globals  []builtin            // of each environment
	tables   map[string][]builtin // the library tables of each environment
	concat   *lua.LFunction
	pop      *lua.LFunction
	patterns map[source]*pattern // recently compiled

	thread  *lua.LState   // on which a script is running, as far as the library was told
	idle    []*lua.LState // threads for protected calls
	callers []*lua.LState // of the protected calls and resumes that are going on, outermost first
	depth   int           // of protected calls and resumes around each other
	current *coroutine    // the running one; nil in the main program
	ids     *identities
	alive   map[*lua.LTable]*crew // by environment: coroutines that may still be resumed
}

// A builtin is one function of the library under its name.
type builtin struct {
	name string
	fn   *lua.LFunction
}

// entry is a builtin before it is bound to its name.
type entry struct {
	name string
	fn   func(args) int
}

// New makes the library of a state and installs the metatable of its strings.
// Open no other library in that state.
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
	lib := &Library{opts: opts, threads: L.Options, patterns: map[source]*pattern{}, ids: newIdentities(), alive: map[*lua.LTable]*crew{}}
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
	lib.concat = bind([]entry{{"..", concat}})[0].fn
	lib.pop = bind([]entry{{"#", pop}})[0].fn
	L.SetMetatable(lua.LString(""), lib.stringMetatable())
	explainMistakes(L)
	return lib
}

// bind turns entries into Lua functions that know their names.
func bind(entries []entry) []builtin {
	out := make([]builtin, 0, len(entries))
	for _, e := range entries {
		call := func(L *lua.LState) int { return e.fn(args{L, e.name}) }
		out = append(out, builtin{e.name, &lua.LFunction{IsG: true, GFunction: call}})
	}
	return out
}

// Env returns a new environment for one script.
func (lib *Library) Env() *lua.LTable {
	env := newTable(lib.globals)
	for name, functions := range lib.tables {
		env.RawSetString(name, newTable(functions))
	}
	constants := env.RawGetString("math").(*lua.LTable)
	constants.RawSetString("pi", lua.LNumber(pi))
	constants.RawSetString("huge", lua.LNumber(math.Inf(1)))
	env.RawSetString("_G", env)
	env.RawSetString("_VERSION", lua.LString("Lua 5.1"))
	return env
}

func newTable(functions []builtin) *lua.LTable {
	t := &lua.LTable{Metatable: lua.LNil}
	for _, f := range functions {
		t.RawSetString(f.name, f.fn)
	}
	return t
}

// Math returns the function math.name, or nil. It does not call scripts, and
// takes no longer than its arguments are many.
func (lib *Library) Math(name string) *lua.LFunction {
	for _, f := range lib.tables["math"] {
		if f.name == name {
			return f.fn
		}
	}
	return nil
}

// Concat is the function for the operator .. that package syntax puts into
// prototypes. It depends on nothing of the library: a prototype that holds it
// may run in any state.
func (lib *Library) Concat() *lua.LFunction { return lib.concat }

// Pop is the function for t[#t] = nil, see Concat.
func (lib *Library) Pop() *lua.LFunction { return lib.pop }

// NameOf returns the name of a function of the library, as in "math.floor" or
// "ipairs", or nothing for others.
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
