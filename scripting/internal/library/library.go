package library

import (
	"math"
	"math/rand/v2"

	"github.com/perigee-ecs/perigee/bindings/machine"
	"github.com/perigee-ecs/perigee/scripting/internal/library/notes"
)

// The library of a machine: how it is made, what environments get of it, and what the host
// may ask of it. The functions themselves are in the files that the package doc lists.

// Options say what the library takes from the host. The zero value works.
type Options struct {
	// Print receives each line that a script prints, without the line end, and how many bytes it has: more than
	// the text where MaxPrint has cut it. Nil drops them.
	Print func(th *machine.Thread, text string, bytes int)
	// MaxPrint is how many bytes of a line are put together; 0 is as many as one text may have. The rest
	// counts all the same.
	MaxPrint int

	// Random feeds math.random. If it has a method Seed(uint64), scripts may call
	// math.randomseed; otherwise that is an error. Nil means a generator of the library's
	// own that starts from the same seed every time.
	Random interface{ Uint64() uint64 }

	// Clock returns the simulation's time in seconds for os.clock and os.time. Nil means
	// there is no os table.
	Clock func() float64

	// MaxCoroutines limits the coroutines of one environment's functions that are alive at
	// the same time. Zero means 10,000.
	MaxCoroutines int

	// MaxTable limits the entries of one table. Zero or less means no limit.
	MaxTable int

	// CollectSteps is how many steps a run of the collector counts as, which looks for
	// coroutines that nobody can reach any more. Zero means 5,000,000.
	CollectSteps int
}

// A Library is the standard library of one machine.
type Library struct {
	vm        *machine.VM
	opts      Options
	keys      keys
	caught    notes.Caught
	ids       *notes.Identities
	globals   []builtin                // copied into each environment
	tables    map[string][]builtin     // by name of the table: string, table, …; copied too
	layouts   map[string]*machine.Keys // by name of the table, and by "" for environments
	pop       *machine.Function
	patterns  map[patternText]*boxedPattern // recently compiled
	recent    recently
	letters   *[256]machine.Value // texts of one byte, each made once; nil: none was needed
	scratch   []byte              // for a text that is put together; nil while it is in use
	replacing *replacing          // a gsub with a function, to be used again; nil while it is in use
	groups    map[*machine.Table]*coroutineSet
	beside    collections
	group     struct { // the one of groups that was asked for last in this call; only it has fresh coroutines
		env *machine.Table
		set *coroutineSet
	}
}

// letter returns the text of one byte.
func (lib *Library) letter(b byte) machine.Value {
	if lib.letters == nil {
		lib.letters = new([256]machine.Value)
		for i := range lib.letters {
			lib.letters[i] = machine.String(string([]byte{byte(i)}))
		}
	}
	return lib.letters[b]
}

// A builtin is one function of the library under its name.
type builtin struct {
	name string
	fn   *machine.Function
}

// SetLimits changes the options of these names, from the next call on.
func (lib *Library) SetLimits(maxCoroutines, collectSteps, maxTable int) {
	lib.opts.MaxCoroutines, lib.opts.CollectSteps, lib.opts.MaxTable = maxCoroutines, collectSteps, maxTable
	lib.beside.every = max(maxCoroutines/4, fewestKept)
}

// New makes the library of a machine, and installs the metatable of its texts. A machine
// has one library.
func New(vm *machine.VM, opts Options) *Library {
	if opts.Random == nil {
		opts.Random = rand.NewPCG(1, 1)
	}
	if opts.MaxCoroutines == 0 {
		opts.MaxCoroutines = 10_000
	}
	if opts.CollectSteps == 0 {
		opts.CollectSteps = 5_000_000
	}
	lib := &Library{
		vm: vm, opts: opts, beside: collections{every: max(opts.MaxCoroutines/4, fewestKept)}, keys: newKeys(), ids: notes.NewIdentities(),
		patterns: map[patternText]*boxedPattern{}, groups: map[*machine.Table]*coroutineSet{}, layouts: map[string]*machine.Keys{},
	}
	lib.globals = lib.base()
	lib.tables = map[string][]builtin{
		"string": lib.strings(), "table": lib.lists(), "math": lib.maths(), "coroutine": lib.coroutines(),
	}
	if opts.Clock != nil {
		lib.tables["os"] = lib.times()
	}
	lib.pop = machine.NewNative("#", lib.popLast)
	vm.SetMeta(machine.KindString, lib.textMetatable())
	lib.serve()
	return lib
}

// native makes an entry of the library.
func native(name string, f machine.Native) builtin {
	return builtin{name, machine.NewNative(name, f)}
}

// Env returns a new environment for one script: a table of globals, with copies of the
// library's tables. A script may change its copies; the functions in them are shared, and
// keep nothing of their own, so scripts cannot reach each other through them.
func (lib *Library) Env() *machine.Table {
	var tables []namedValue
	for _, name := range tableNames {
		if functions, ok := lib.tables[name]; ok {
			tables = append(tables, namedValue{name, machine.OfTable(lib.newTable(name, functions, 0, constants[name]...))})
		}
	}
	beside := append(tables, namedValue{"_G", machine.Nil}, namedValue{"_VERSION", machine.String("Lua 5.1")})
	env := lib.newTable("", lib.globals, globalsBeside, beside...)
	env.SetString("_G", machine.OfTable(env))
	return env
}

// tableNames are the names of the library's tables, in the order in which pairs finds them.
var tableNames = [...]string{"string", "table", "math", "coroutine", "os"}

// constants are what tables of the library hold beside functions.
var constants = map[string][]namedValue{"math": {{"pi", machine.Number(math.Pi)}, {"huge", machine.Number(math.Inf(1))}}}

// namedValue is a key of a table with its value.
type namedValue struct {
	name  string
	value machine.Value
}

// globalsBeside is for how many names there is room in an environment beside those of the
// library: require, and some of a script's own.
const globalsBeside = 4

// newTable makes a table without a metatable that holds functions by name, and values after
// them, with room for so many names beside. All tables of a name have the same names.
func (lib *Library) newTable(name string, functions []builtin, beside int, values ...namedValue) *machine.Table {
	keys := lib.layouts[name]
	if keys == nil {
		var names []string
		for _, f := range functions {
			names = append(names, f.name)
		}
		for _, v := range values {
			names = append(names, v.name)
		}
		keys = lib.vm.Heap.NewKeysFor(beside, names...)
		lib.layouts[name] = keys
	}
	t := keys.New()
	for i, f := range functions {
		keys.Set(t, i, machine.OfFunction(f.fn))
	}
	for i, v := range values {
		keys.Set(t, len(functions)+i, v.value)
	}
	return t
}

// Pop is the function for the statement t[#t] = nil, which package syntax puts into
// prototypes.
func (lib *Library) Pop() *machine.Function { return lib.pop }

// NameOf returns the name of a function of the library, such as "math.floor" or "ipairs",
// and "" for any other function. It goes through the whole library.
func (lib *Library) NameOf(fn *machine.Function) string {
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

// Forget drops what was kept for a call from the host, at its end: the errors that scripts have
// caught, which must not reach another script, and the coroutines that they have made.
func (lib *Library) Forget() {
	lib.caught.Forget()
	lib.weaken()
}
