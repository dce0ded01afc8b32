package scripting

import (
	"sync"
	"time"

	"github.com/perigee-ecs/perigee/bindings/lua"
)

// Limits bound what scripts may use. There are two sets: [DevelopmentLimits], which the zero
// Limits stand for, let a script work for half a second and end it then; [ReleaseLimits] let no
// script hold a frame longer than a few milliseconds. Take the first where scripts are written,
// where all rows of a new formula may well run once on the VM, and the second where players
// are, or where scripts come from people whom you do not know.
//
// To reach a limit is an error of the call, like any other. The error names the script, the
// line and the system, and says what was used and what is allowed. The call leaves no trace,
// and the breaker counts it. Zero means the default that each field names; a negative number
// means no limit.
//
// A call is one call from the host into a script: a system's tick, an observer,
// a timer, an on_start function, the top level of a file with all that it
// requires.
//
// Most limits count, and cut the same script at the same place on every machine. Time,
// InstructionTime, TickInstructionTime, Held and HeldTotal measure: the clock, or what
// scripts hold at that moment. A call that makes tables, functions or long texts until it holds
// too much is ended by Held at the same instruction all the same. Time is for faults of the host,
// such as an exposed function that takes long; scripts reach Instructions first. If the clock, Held
// or HeldTotal ends a call, the message says so, and [Host.Unrepeatable] counts the call. What the
// host allocates, beside a script or in a function that a script
// calls, counts against no limit.
//
// Kernels count loops and not instructions. So Instructions, TickInstructions and TickRows
// may cut a function over rows at another place when it is compiled. Fields and commands are
// undone as a whole in both cases; variables of the file are not.
//
// A script can catch the errors of String, Depth, Callbacks, Nesting, Coroutines, and of library
// functions that fill a Table, because nothing is used up by these. All other limits end the
// call, whatever the script does.
type Limits struct {
	// Instructions of the VM in one call. An instruction that takes longer than a plain
	// one counts as several, by the size of what it works on, and so does a library
	// function. Default: 50 million, about half a second.
	Instructions int64
	// TickInstructions of all calls of one tick together. When they are used up,
	// each script may still use a fiftieth of Instructions in that tick, so that one
	// script cannot stop the others; all of them no more than half as many again. Each call
	// counts as two hundred more, and one that fails as a thousand besides, as does a row that fails
	// alone; a run over rows as a hundred, each chunk with some of them as ten, and each entity that rests since
	// the system has failed for it as a hundred.
	// Systems and observers of a script for which nothing is left are not called in that tick: one
	// fault says so for all, see Error.Others, and they stay as healthy as they were.
	// Default: 200 million.
	TickInstructions int64
	// InstructionTime is how long the instructions of one call may take by the clock, and
	// TickInstructionTime those of all calls of one tick together: they are for instructions
	// that take longer than they count. When the second is used up, each script may still use
	// a fiftieth of it in that tick, all of them together no more than a half. The clock is
	// read every thousand instructions, and none of them counts as more than 100 ns: neither
	// a function of the host nor what other programs do on the machine ends a call that
	// takes few. What a load and a dry run execute is not timed, nor are the on_start functions
	// of a load. Default: no limit.
	InstructionTime     time.Duration
	TickInstructionTime time.Duration
	// Load is how many instructions the top level of a file may use in [Host.Load], with all
	// that it requires, where that is more than Instructions: no frame waits for it. It may
	// make ten bytes with each, then, and all files together may use four times as many.
	// The top level has Instructions in a reload, which takes place in a step. One that asks for what only
	// the running game knows (what is in ecs.state, a function of the host, a resource) cannot be tried to its end
	// before: all that are reloaded with it have 500,000 together then and may make 4 MiB, or twice what their last versions did.
	// on_unload and
	// on_reload functions have Load there, too, and the step waits for them: what does not
	// come over is lost. Default: as Instructions.
	Load int64
	// TickRows is how many nanoseconds compiled functions over rows may need in one tick
	// of all scripts. They are not measured while they run: each row counts as what it
	// needs at most by the compiler's reckoning, which is several times what most rows
	// need. A function of math that is asked for a value for which the kernel has no formula, such
	// as the sine of 1e300, counts 150 more. Where a row may fail, or queries ask for changes, the
	// components that it may write are copied: each of more than 64 bytes counts one for 4 bytes.
	// Each item of a list of the script that it reads counts 20 in a run, where there are rows. A run of a system counts 1,000, and
	// each chunk with rows 200. A combination of components that a script brings about counts 2,000, and 100 for each system,
	// whose queries have to look at it; those of on_start in a load count nothing. When it is used up, each script still has a fiftieth in that tick, all
	// of them together no more than a half. Default: 2,000 million.
	TickRows int64
	// Checks is how many nanoseconds the end of a step may take to check invariants, those of scripts and
	// of the program together, by a count of the values. What is more is checked in the next steps:
	// nothing is left out, but violations come later, see [ecs.Schedule.LimitChecks]. The world has
	// this limit from the host's first step on, until the host is closed. Default: no limit.
	Checks int64
	// Migrate is how many instructions a migrate function may use for one value,
	// and MigrateTotal all of them in one reload: values are converted in the step,
	// which waits for it. The reload is refused when they use more.
	// Default: 1 million, and 30 million, about a quarter of a second.
	Migrate      int64
	MigrateTotal int64
	// Converted is how many bytes of values one reload may convert, move to another component and take
	// away: a step waits for it. What entities have is counted before and after, with all of a row that has to be copied, and 64 bytes
	// for each value, and 5,000 for each combination of components that entities have. An entity whose value goes to another component (the option was, where both exist) counts
	// 1,000 more, one that loses a component by ecs.drop 300, and each of the observers of that 8. A
	// reload of more is refused before anything is converted: the error says how many entities have the
	// component. A million entities take up to 0.1 s for one more number, half a second
	// with a list of 1,000 numbers for 100,000 of them, and a second for was. [Host.Load] of the first files has no limit:
	// no frame waits for it. Default: no limit.
	Converted int64
	// Time is the longest a call may take by the clock, for what is not counted. The
	// clock is read every thousand instructions, more often where they are slow. Where more than a
	// quarter of it passes between two looks, that counts as a quarter: the program may have been
	// stopped, or the machine busy with others.
	// Default: 20 s.
	Time time.Duration
	// Bytes that one call may make, whether it keeps them or not: texts, tables and
	// their entries, functions, coroutines, and what library functions need to work.
	// Default: 512 MiB.
	Bytes int64
	// Held is how many bytes the variables of one script may hold between ticks:
	// tables, texts, functions and coroutines that its globals, its functions, its
	// state tables and the data of its timers lead to, by a count of their own that
	// is about what the Go runtime needs for them. What several scripts can reach
	// belongs to the one that others require, or to the first in alphabetical
	// order. It is counted when the program's heap has grown and scripts have made a part of that, or when they
	// have made half as many bytes as they may hold: some thousand values in each tick, more where
	// scripts make much, and all at once, between two calls or within one, when it grows fast.
	// So a script may be above it for a while, but not without end. No count makes Go's collector run.
	// Within a call it is counted, too, when the call has made half as many bytes, and after each
	// eighth more: that depends on the count alone. From then on calls
	// of the script fail, until its file is saved anew or others have let go of what it
	// holds. Its systems are not called then, and no breaker parks them: one fault in each tick says
	// so for all. The message says which of its systems, states or timers leads to the most.
	// Default: 256 MiB.
	Held int64
	// HeldTotal is the same for all scripts together, and for all files of a load. Above
	// it, calls of those that hold the most fail, until the others have room again. A
	// quarter above it, each call may add no more than a small share to the heap, so that
	// all scripts never hold more than about twice as much, however many there are and
	// whatever they do within one tick. Default: 512 MiB.
	HeldTotal int64
	// String is how many bytes one text may have that a script makes. The most
	// is 1 GiB. Default: 16 MiB.
	String int
	// Table is how many entries one table may have, one of ecs.state too: items of its list, holes
	// included, and keys. Library functions look before they add; what plain
	// assignments add is seen within some thousand instructions. Default:
	// 250,000. Above 262,143 the VM no longer counts the items of lists.
	Table int
	// Depth is how many calls may be inside of each other on one thread: the main one, or
	// a coroutine. Metamethods and protected calls count. The calls of one thread may hold
	// 524,288 values together, or 26 for each call where Depth is above the default.
	// Default: 20,000, as in Lua 5.1.
	Depth int
	// Callbacks is how many functions of scripts may be inside of each other that functions
	// of the library or of the host have called, on all threads together: that of gsub, the
	// metamethod __tostring, a file that require runs, a function that the host has got.
	// Each takes some of the stack of Go. Default: 200.
	Callbacks int
	// Nesting is how many protected calls and running coroutines may be inside of
	// each other, on all threads together. Default: 150.
	Nesting int
	// Coroutines of one script's functions that may be alive at the same time;
	// those that cannot be reached any more do not count. Default: 10,000.
	Coroutines int
	// Commands that one system's tick may record, with one for each entity that dies with those that
	// are despawned. Default: 1,000,000.
	Commands int
	// TickCommands of all scripts in one tick together. When they are used up,
	// a script that has recorded less than a fiftieth of Commands in that tick may
	// still go on to that, as long as all of them together do not add a half more.
	// Default: 4,000,000.
	TickCommands int
	// Spawned is how many entities one system's tick may spawn. Default: 200,000.
	Spawned int
	// TickSpawned is how many entities all scripts may spawn in one tick
	// together, with the same exception. Default: 800,000.
	TickSpawned int
	// CommandBytes is how many bytes the changes may take that one system's tick
	// records, with the values that entities get, those of large components twice: the
	// system itself sees them before anybody else does. What a call keeps to take back
	// what it writes into rows and resources counts, too, and so does what the changes will move and
	// keep: all values of an entity that ends, or gets or loses a component, where they are more than 512 bytes with 32 for each component, and
	// the values that observers of removals get. Default: 256 MiB.
	CommandBytes int64
	// TickCommandBytes is the same for all scripts in one tick together. When they
	// are used up, a script that has recorded less than a fiftieth of CommandBytes in
	// that tick may still go on to that. Default: 512 MiB.
	TickCommandBytes int64
	// FieldText is how many bytes a text may have that a script puts into a field of the host: of a component
	// or a resource of a Go type, such as the Label of package kit. Default: 4,096.
	FieldText int
	// FieldTexts is how many bytes all texts in components of the host may have together for scripts to put
	// more there. Those that Go has put there count as well. What is replaced or ends within a step counts until
	// it is over, beside what comes. A text that several entities share counts for each. In the first text of
	// each step the values are counted of which some were written since: a million of them in some milliseconds.
	// Default: 64 MiB.
	FieldTexts int64
	// EventBytes is how many bytes of events may wait for those who read them, of all types together. When so
	// many wait, ecs.emit refuses events of the types of which most wait: those that take a fiftieth of it
	// or more. The error names the reader that is behind. The world itself keeps no more than 256 MiB,
	// and drops the oldest beyond that. Default: 128 MiB.
	EventBytes int64
	// Archetypes is how many combinations of components one script may bring about
	// that no entity has had before, in all. Each stays for as long as the world, with
	// memory of its own, 16 KiB at least where it has entities. Default: 4,096.
	Archetypes int
	// ArchetypesTotal is how many combinations there may be in the world. When there
	// are as many, a script that has brought about less than a fiftieth of Archetypes
	// may still go on to that. Default: 16,384.
	ArchetypesTotal int
	// Declarations is how many systems, components, events, prefabs, observers,
	// handlers, kernels, state tables and functions for the host the top level of
	// one file may declare. ecs.events opens no more readers of events than that, for the systems, observers
	// and handlers of all scripts together: one for each event that one of them reads. When there are as many, a script
	// that has opened less than a fiftieth may still go on to that. Default: 10,000.
	Declarations int
	// Declared is how many bytes they may take by a count of their own: names,
	// fields, default values, and prefabs as they are when they are spawned, those
	// that they list or have as children included. Default: 64 MiB.
	Declared int64
	// DeclaredTotal is the same for all files together. Default: 256 MiB.
	DeclaredTotal int64
	// Systems is how many systems and observers all files may have together. A system takes half a microsecond of each
	// step, whether it is called or not. Default: 2,000.
	Systems int
	// Timers for the handlers of one script that may wait at the same time.
	// Default: 10,000.
	Timers int
	// Files is how many scripts the folder may have, and FileBytes how many bytes
	// each of them: more are refused before they are read. A reload of all of them
	// holds one step, for about a third of a millisecond each. Default: 1,000
	// files, of 256 KiB, which is as much as can be compiled: a larger number has
	// no effect.
	Files     int
	FileBytes int64
	// FolderBytes of all scripts of the folder and the data files that they ask for together, with one name, number or sign
	// for each eight bytes, where a function counts as forty more: a dense text needs more
	// memory than others when it is read. Default: 16 MiB, that is about 150,000 lines.
	FolderBytes int64
	// DataBytes is how many bytes a data file may have, and DataValues how many values: numbers,
	// texts, truths, lists and records. More are refused before they are made. Data files
	// count in FolderBytes with their bytes. Default: 1 MiB, and 200,000.
	DataBytes  int64
	DataValues int
	// Saved is how many bytes of what scripts keep a [Snapshot] takes: state tables, the data of
	// timers and what on_save returns, by a count of its own, which is about what they take in
	// memory. A capture of more is refused before anything is copied. Default: 64 MiB.
	Saved int64
	// LogLines that one script may write per second of simulation time. More are counted
	// and not written; a line of the log says how many, in the next second or when the host
	// is closed. Lines above 8 KiB are cut. Default: 100.
	LogLines int
}

// bytesPerToken is how many bytes of FolderBytes stand for one token, and fewestTokens how
// many tokens a folder may have in any case.
const bytesPerToken, fewestTokens = 8, 100_000

// folderTokens is how many tokens the scripts of a folder may have together. What is kept of
// them is 170 MB by the default, and the collector lets that grow to three times as much.
func (l *Limits) folderTokens() int64 { return max(l.FolderBytes/bytesPerToken, fewestTokens) }

// DevelopmentLimits returns the limits that the zero Limits stand for: each is the default
// that its field names, -1 for none. They are for the time in which scripts are written. A script that
// never ends holds a tick for about half a second, three times until it is parked.
func DevelopmentLimits() Limits {
	var l Limits
	l.fill()
	return l
}

// ReleaseLimits returns limits under which no script holds a frame longer than a few
// milliseconds, for a host that makes so many ticks in a second, from 1 to 1,000: a rate
// outside counts as the nearest of these, and NaN as 60. They are DevelopmentLimits but for
// the following, with a frame as the time between two ticks:
//
//	Instructions, TickInstructions   a quarter and a third of a frame, at 10 ns for each
//	InstructionTime                  a third of a frame, TickInstructionTime a half
//	TickRows                         half a frame, by the compiler's reckoning
//	Checks                           a sixteenth of a frame, by a count of the values
//	Migrate, MigrateTotal            an eighth and a third of a frame
//	Converted                        a quarter of a frame, at 1 ns for each byte
//	Bytes, Saved, String             a quarter, a quarter and a sixteenth of a frame, at 1 ns for each
//	Commands, TickCommands           a quarter and a third of a frame, at 200 ns for each
//	Spawned, TickSpawned             the same, at 400 ns for each
//	CommandBytes, TickCommandBytes   the same, at 1 ns for 4 bytes
//	Time                             2 s: it is for faults of the host
//
// With 60 ticks in a second one call has 416,666 instructions, about 4 ms. All scripts have
// 555,555 in one tick, and together no more than a half of that beyond. Instructions that make
// tables, texts and functions take two to five times as long: a call ends after 5.6 ms of them,
// and all scripts have 8.3 ms in one tick, and together no more than a half of that beyond. A
// call that takes less than an eighth of its instructions is never ended by the clock.
//
// A system that never ends holds three ticks for a quarter of a frame each. The world's breaker
// parks it then ([ecs.Breaker].Failures), and tries it again for one tick after 1, 2, 4 and up
// to 60 seconds: so all of its first minute costs less than three frames. A handler of a timer
// rests after its first failure, for the same times.
//
// The top level of a file has Load in [Host.Load], for no frame waits there, and Instructions
// in a reload, which a step takes over, where those of all files have TickInstructionTime together. on_unload and on_reload have Load in a reload: a frame waits
// for them, and what they cannot hand over is lost.
//
// Some work that scripts cause is counted elsewhere. A crowd of colliders holds kit.collide for some 8
// ms at most: Collisions.work of a script lowers that, and only Work of kit.Options raises it. A kernel is
// compiled beside the steps, by Stage. Where the game has other values for it than the text, the step that takes it over
// compiles up to two small ones, and the VM runs the rows of the others until these come in later ticks: also in the rooms of a [Program], and
// of kernel = "require". With precision = "f32" no other code has the same results: these are compiled in the
// step, however many. Kernels whose captured values have become others are made anew, two in a tick: small
// ones at once, in some milliseconds, large ones beside the steps, see KernelStatus.Comes; the step that
// begins one reads its function, which takes 20 ms for four hundred lines, and functions of more than some five
// hundred are not made anew: the VM runs them. A step that takes a reload over reads all functions of its kernels once
// more, for the values that the game has: 1 ms for twenty small ones or one of 50 lines. It also puts all systems of the
// game in order, in 3 µs for each, and takes over what the files declare that run again, in up to 10 µs for each system, 4 µs for
// each handler, 2 µs for each component and 1 µs for each event: 15 ms for a file with 1,500 systems. Systems and Declarations lower that. It brings
// the scenes that were saved to what their files say, in up to 4 µs for each entity, also of those that have not
// changed: 40 ms for a scene of 10,000. Spawned says how many entities a scene may have. A system that has nothing to do takes half a microsecond of each tick. Where a kernel computes with
// numbers next to zero (below 2.2e-308), it takes up to twenty times as long as it is reckoned; what is beyond six
// times counts as TickInstructionTime and ends the runs after the first one. A walk over what
// scripts hold is finished at once where the heap grows fast: it takes 0.1 µs for each value,
// which Held and HeldTotal bound.
func ReleaseLimits(ticksPerSecond float64) Limits {
	if ticksPerSecond != ticksPerSecond {
		ticksPerSecond = 60
	}
	frame := 1e9 / min(max(ticksPerSecond, 1), 1000) // in nanoseconds
	quarter, third := int64(frame/4), int64(frame/3)
	l := DevelopmentLimits()
	lower := func(limit *int64, to int64) { *limit = min(*limit, to) }
	lower(&l.Instructions, quarter/perInstruction)
	lower(&l.TickInstructions, third/perInstruction)
	lower(&l.TickRows, int64(frame/2))
	l.Checks = int64(frame / 16)
	l.InstructionTime, l.TickInstructionTime = time.Duration(frame/3), time.Duration(frame/2)
	lower(&l.Migrate, quarter/2/perInstruction)
	lower(&l.MigrateTotal, third/perInstruction)
	l.Converted = quarter
	lower(&l.Bytes, quarter)
	lower(&l.Saved, quarter)
	lower(&l.CommandBytes, quarter*bytesOfChanges)
	lower(&l.TickCommandBytes, third*bytesOfChanges)
	l.String = min(l.String, int(quarter/4))
	l.Commands, l.TickCommands = min(l.Commands, int(quarter/perCommand)), min(l.TickCommands, int(third/perCommand))
	l.Spawned, l.TickSpawned = min(l.Spawned, int(quarter/perSpawn)), min(l.TickSpawned, int(third/perSpawn))
	l.Time = 2 * time.Second
	return l
}

// What the release limits reckon with. An instruction, a command and an entity take so many
// nanoseconds; in one nanosecond a byte is made and cleared, and four are copied.
const (
	perInstruction = 10
	perCommand     = 200
	perSpawn       = 400
	bytesOfChanges = 4
)

// none reports whether nothing limits what the VM does, so that it need
// not be watched.
func (l *Limits) none() bool {
	return l.Instructions < 0 && l.TickInstructions < 0 && l.Time < 0 && l.InstructionTime < 0 && l.TickInstructionTime < 0 && l.Bytes < 0 && l.String < 0 && l.Table < 0
}

// fill puts the defaults in the place of zeros, and what Go can bear in the place of
// limits on depth that are negative.
func (l *Limits) fill() {
	set := func(field *int64, value int64) {
		if *field == 0 {
			*field = value
		}
	}
	set(&l.Instructions, 50_000_000)
	set(&l.Load, l.Instructions)
	set(&l.TickInstructions, 200_000_000)
	set(&l.TickRows, 2_000_000_000)
	set(&l.Migrate, 1_000_000)
	set(&l.MigrateTotal, 30_000_000)
	set((*int64)(&l.Time), int64(20*time.Second))
	set((*int64)(&l.InstructionTime), -1)
	set((*int64)(&l.TickInstructionTime), -1)
	set(&l.Checks, -1)
	set(&l.Converted, -1)
	set(&l.Bytes, 512<<20)
	set(&l.Held, 256<<20)
	set(&l.HeldTotal, 512<<20)
	set(&l.CommandBytes, 256<<20)
	set(&l.TickCommandBytes, 512<<20)
	set(&l.EventBytes, 128<<20)
	set(&l.FieldTexts, 64<<20)
	set(&l.Declared, 64<<20)
	set(&l.DeclaredTotal, 256<<20)
	set(&l.FileBytes, 256<<10)
	set(&l.FolderBytes, 16<<20)
	set(&l.DataBytes, 1<<20)
	set(&l.Saved, 64<<20)
	for _, count := range []struct {
		field *int
		value int
	}{
		{&l.String, 16 << 20}, {&l.Table, 250_000}, {&l.Depth, usualDepth}, {&l.Callbacks, 200}, {&l.Nesting, 150}, {&l.Coroutines, 10_000},
		{&l.Commands, 1_000_000}, {&l.TickCommands, 4_000_000},
		{&l.Spawned, 200_000}, {&l.TickSpawned, 800_000}, {&l.Timers, 10_000}, {&l.LogLines, 100},
		{&l.Archetypes, 4096}, {&l.ArchetypesTotal, 16_384},
		{&l.Declarations, 10_000}, {&l.Systems, 2000}, {&l.Files, 1000}, {&l.DataValues, 200_000}, {&l.FieldText, 4096},
	} {
		if *count.field == 0 {
			*count.field = count.value
		}
	}
	if l.DataBytes < 0 || l.DataBytes > mostDataBytes {
		l.DataBytes = mostDataBytes
	}
	if l.Depth < 0 || l.Depth > mostDepth {
		l.Depth = mostDepth
	}
	if l.Callbacks < 0 || l.Callbacks > mostCallbacks {
		l.Callbacks = mostCallbacks
	}
	if l.Nesting < 0 || l.Nesting > mostNesting {
		l.Nesting = mostNesting
	}
	if l.Coroutines < 0 {
		l.Coroutines = 1 << 30
	}
}

const (
	// mostDataBytes is what no limit means for data files: places in them are 32 bits.
	mostDataBytes = 1 << 30
	// usualDepth is the default of Depth, and mostDepth what no limit means: so many calls take
	// 100 MB on each thread.
	usualDepth, mostDepth = 20_000, 200_000
	// mostCallbacks is what no limit means where Go's own stack is the limit, which ends the
	// process: so many calls of Go need some 10 MB of it, and as much again for each KB that a
	// function of the host needs.
	mostCallbacks = 5000
	mostNesting   = 500
)

// registers is how many values a thread of the VM may hold for the calls on it: enough for
// functions of mean size down to Depth.
func (l *Limits) registers() int { return max(1<<19, 26*l.Depth) }

// longestList is the highest index that a Lua table keeps as a list; above it,
// items count as keys like any other. The VM fills a list up to the index
// that is set, in one instruction: t[6e7] = 1 would take seconds and a gigabyte.
const longestList = 1 << 18

// limitLists sets the VM's own variable for it, once for the process.
var limitLists = sync.OnceFunc(func() { lua.BoundLists(longestList) })

// newState makes a Lua state without any library. The stacks have the sizes at
// which a runaway script fails soon and cleanly.
func newState(limits *Limits) *lua.LState {
	limitLists()
	return lua.NewState(lua.Options{
		SkipOpenLibs: true, CallStackSize: limits.Depth, RegistrySize: 1024, RegistryMaxSize: limits.registers(), RegistryGrowStep: 4096,
	})
}
