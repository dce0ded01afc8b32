// Package scripting is the front door of Perigee for a Go program: a Host loads
// a folder of Lua scripts, runs their systems in a world's schedule beside the
// Go ones, and swaps them for new versions while the world runs.
//
//	w := ecs.NewWorld()
//	host, err := scripting.New(w, scripting.Options{})
//	err = host.Load(os.DirFS("scripts"))
//	for { err = host.Step(1.0 / 60) } // never the fault of a script
//
// There are four nouns.
//
//   - A [Host] joins a world, one Lua state and a folder.
//   - A module is what require gives. Here it is a script of the folder that has run: once,
//     in an environment of its own, to declare. Others see only what it returns.
//   - A [Reload] is the verdict over a set of changed files: taken as a whole
//     between two ticks, or refused as a whole while the old versions run on.
//   - [Limits] bound every call from the host into a script.
//
// A program that follows a folder on disk gives the Host to hotreload.Follow. Package
// kit has stock components for movement and collision, package loop makes steps at the speed
// of a clock. The handbook for hosts, README.md in this folder, goes by what you want to do.
//
// # The front page
//
// These names are enough for a host, as the examples 1 to 12 show:
//
//	hosts          New, Options, Host, Call, Reload
//	rooms          Compile, Program
//	limits         Limits, ReleaseLimits
//	errors         Error, LoadError, ErrLimit
//
// # What may fail
//
// Nothing that a script does ends the host. A fault, whether in a text, in what it declares
// or in a run, is an [*Error]. Load returns those of all files at once, in a [*LoadError];
// those of running systems go to Options.OnError, and [Host.Faults] says what has failed so
// far. [Host.Step] returns what the host did wrong: a step that it cannot make, and errors of
// Go systems, which OnError gets, too. So a loop may end at the first error of Step. What a
// function of the host returns as its error, or panics with, is a fault of the script that has
// called it. A method of a host that is closed returns [ErrClosed]. An error that says
// that a limit was reached is [ErrLimit], too, and names the limit. A system that fails
// leaves no trace of the tick in which it failed; after some failures in a row it is
// parked, and a reload of its file frees it. An each function that fails for an entity
// leaves no trace of that entity's turn, and only that entity is parked: see
// [bindings.ScriptError]. A nil [*Host] is as one that is closed. A method of any other nil pointer, and an index that is
// out of range, panic as they do in Go, but where the documentation of the method says what it does for nil.
//
// # Snapshots
//
// [Host.Capture] keeps a world with what its scripts keep, and [Host.Restore] brings it back: for
// rollback and for saves. What belongs to the code (variables of files, coroutines) is in none, by the
// rule of a reload. [Scripts.Encode] and [ReadScripts] are for files. A [Ring] keeps the last ticks.
//
// # Limits
//
// An error costs one system one tick. What a tick may cost before it is an error, Options.Limits
// say, and there are two sets. Without any, a host has [DevelopmentLimits]: a script that never
// ends holds a tick for half a second, which is long enough for whatever somebody tries while
// they write it, and short enough to go on. Where players are, or where scripts come from
// people whom you do not know, a host takes [ReleaseLimits] for its rate:
//
//	scripting.New(w, scripting.Options{Limits: scripting.ReleaseLimits(60)})
//
// No script holds a frame longer than a few milliseconds then, and all of them
// together no longer than three quarters of it ([Limits].TickInstructionTime). [ReleaseLimits] says what else may, once. One that never
// ends is parked after three such frames. Run the game under these limits before it is
// released: what needs more is ended in each tick, and says so.
//
// Limits count what scripts do. What the host allocates or does beside them counts for nobody,
// but for Time.
//
// # What runs where
//
// An each function that only computes is compiled to a kernel and works in place on
// the world's memory. All else runs on the VM, and leaves the same bytes where both are
// possible. Functions over rows and batches that are not compiled are interpreted with
// their numbers in plain registers as far as they go, and by the VM from there on; no
// script can see which of the two it was. [Host.Kernels] says which systems are
// compiled, and for the others which line stands in the way. [Host.Ran] says of all how many
// rows kernels and the VM have run, and how long that and functions of the host took. A function that a script
// has given to ecs.kernel runs when another of its functions calls it, or the host by
// [Host.RunKernel].
//
// # Rooms
//
// A server that runs the same scripts in many worlds compiles them once:
//
//	program, err := scripting.Compile(os.DirFS("scripts"), scripting.Limits{})
//	err = host.Load(program) // for each room, on any goroutine
//
// Rooms share what no script can change, see [Program]; a Stage changes one room, and
// [Host.StageProgram] swaps another Program into one that runs. What
// connections want done goes through an [ecs.Inbox] of the room's world. Host.StepContext ends with the
// server; Host.Usage, SetLimits and Unload are for quotas.
//
// # Lifetimes
//
// A Host belongs to the goroutine that owns the world. Others may call what stages and checks
// ([Host.Stage], StageContext, StageProgram, StageTexts, CheckTexts), [Host.Texts], and what
// figures are made of: [Host.Usage], Ran and Kernels. Which step takes a set over depends on when Stage is done: a program
// that must have the same run twice calls Stage on the goroutine of its steps.
//
// A module lives from the swap that brings it in to the swap that replaces or removes
// it; Load and Close swap, too. A dry run lives from Stage to the step that takes its
// set over or refuses it. What Stage knows of the live modules is published after each
// swap and never changed. [Host.Close] ends the Lua state; the world stays. A Stage that
// is under way then comes to its end and is forgotten.
//
// # Where code lives
//
//	the host: options, a step, Close, the log  host
//	limits and their defaults                  limits
//	instructions, fuel and rows, counted       budget
//	memory that scripts hold, when and whose   memory
//	file names and texts, read; their sizes    source
//	a text once it was read and analysed       program
//	a folder compiled for many hosts           compile
//	data files, and the tables made of them    data
//	files of the program that scripts name     assets
//	scenes: loaded, saved, written             scenes
//	what a save keeps of scenes                snapshot_scenes
//	what a save keeps of what is gone          snapshot_unseen
//	scripts that run at a load, and require    load
//	names that do not exist                    checknames
//	what fails whatever values there are       checkslips
//	calls that would fail                      checkcalls
//	the Lua state, globals, what runs functions  interpreter
//	the library and the budget of a machine    library
//	staging: sets that wait, published state   stage, stage_texts, stage_program
//	a set that is tried beside the game        dryrun
//	the swap, and the verdict                  reload
//	tables of a file that begin anew           begun
//	renamed scripts                            renames
//	on_start, on_unload, on_reload             lifecycle
//	a world and its scripts, captured, restored  snapshot
//	what scripts keep, as JSON                 snapshot_json, faults_json
//	the last ticks of a host                   snapshot_ring
//	errors, their order and their text         errors, messages
//	errors that repeat, and OnError            faults
//	what has failed so far                     fault_record
//	values that break invariants               invariants
//	kernels: compiled, called, their limits    kernels
//	those that are compiled beside the ticks   compilation
//	what a kernel captures from its script     resolve
//	what a host sees of kernels                explain
//	which line has changed something           changed
//	what ran where                             ran
//	figures for other goroutines               readings
//	what scripts use; other limits; unloading  usage
//	scripts without a world (perigee lua)      plain
//	Lua that is typed while the game runs      console
//	what such a text finds, and may hold       console_globals
//	the values that it answers                 console_show
//	names that may stand in it                 console_complete, console_scan
//	texts that are taken back                  console_undo
//
// # Which limit is held where
//
// [Limits] are given out when an interpreter is made; whoever counts says that one is
// reached.
//
//	Instructions, TickInstructions, Load, Bytes  budget.go, by what internal/library counts
//	Time                                       budget.go
//	InstructionTime, TickInstructionTime       internal/library, given out by budget.go
//	TickRows, the fuel of kernels              budget.go, asked by bindings/internal/exec
//	Migrate, MigrateTotal                      budget.go
//	Converted                                  bindings/converted.go
//	Held, HeldTotal                            memory.go, by what internal/heapsize counts
//	String, Table, Nesting, Coroutines         internal/library
//	Depth                                      the VM, by newState in limits.go; messages.go words it
//	Callbacks                                  the VM, given out by library.go
//	commands, spawned entities, archetypes     bindings/internal/tx, usage.go
//	Timers                                     bindings, callbacks.go
//	Declarations, Declared, DeclaredTotal      bindings, args.go, values.go and check.go
//	Systems                                    bindings, check.go
//	Files, FileBytes, FolderBytes              source.go
//	Saved                                      bindings/internal/kept, for Host.Capture
//	DataBytes, DataValues                      source.go, by what internal/data counts
//	LogLines                                   host.go
//	the length of a script, how deep it nests  internal/syntax
//
// # The walk of a save
//
// From the file event to the swapped world. The file is read and hashed once, by the
// watcher; the text is read into a tree once; its top level runs twice, in the dry run
// and in the step. All down to Prepare happens on the watcher's goroutine, beside the
// ticks; Step takes the result over on the goroutine of the world.
//
//	hotreload                    loop.look               waits until the folder is quiet
//	hotreload                    loop.findings           compares the files with what is known of them
//	hotreload                    loop.read               reads a file and hashes it
//	hotreload                    loop.deliver            hands over what has really changed
//	hotreload                    follower.FilesChanged   gives it to the host
//	scripting                    Host.Stage              has it staged
//	scripting                    Host.stage              says which folder the texts are read from
//	scripting                    Host.announce           lets one set after the other be staged
//	scripting                    Host.dryRunWith         tries it until no step has come between
//	scripting                    Host.gather             joins it with what waits or was refused
//	scripting                    folderReader.fill              holds the folder against its limits
//	scripting                    folderReader.tryRead           asks the folder for the text
//	hotreload                    watchedFolder.ReadFile  passes the question on
//	hotreload                    Watcher.ReadFile        has the text already
//	scripting                    compiled                keeps the text with its prototypes, or its fault
//	scripting                    compile                 makes prototypes of it
//	scripting                    learn                   has it read, and finds out what it says
//	scripting/internal/syntax    Parse                   reads it
//	scripting                    Host.dryRun             tries the set, and more files where fields change
//	scripting                    Host.dryRunSet          makes an interpreter for it
//	scripting                    dryRun.run              runs what the set requires, and the set
//	scripting                    loader.ensure           runs a file once, what it requires first
//	bindings                     Binding.Declare         records what the top level declares
//	scripting                    dryRun.judge            says whether the set is to be refused
//	bindings                     Binding.Rehearse        holds the declarations against each other
//	scripting                    dryRun.prepare          compiles kernels before the game needs them
//	scripting                    interpreter.lowerFor    says for whom it is lowered
//	scripting/internal/kernel    Translations.Lower      lowers a function, if nothing did before
//	scripting/internal/kernel    Lowered.Prepare         does what needs no values of scripts
//	scripting/internal/kernel    Lowered.Translate       makes a program of it
//	scripting                    Host.Step               later, begins with what was staged
//	scripting                    Host.step               does it
//	scripting                    Host.applyStaged        takes the set that waits
//	scripting                    Host.verdict            judges it, and publishes what is in force then
//	scripting                    Host.decide             refuses what has failed in the dry run
//	scripting                    Host.swap               runs the set in the game, and makes it live
//	scripting                    interpreter.load        runs the files and their dependents
//	scripting                    interpreter.loadSet     in alphabetical order
//	scripting                    loader.ensure           once each
//	bindings                     Binding.Declare         records what the top level declares
//	bindings                     Binding.Commit          swaps components, systems and handlers in one step
//
// # The walk of a reload
//
// What a step does with a set that was staged.
//
//	scripting  Host.applyStaged   takes the set that waits, and reports the verdict
//	scripting  Host.verdict       judges it, and publishes what is in force then
//	scripting  Host.decide        refuses what has failed in the dry run
//	scripting  Host.swap          runs the set, keeps what others hold in case that it fails
//	scripting  interpreter.load   runs the files and their dependents
//	scripting  interpreter.loadSet  in alphabetical order
//	scripting  loader.ensure      runs a file once, what it requires first
//	bindings   Binding.Declare    records what the top level declares
//	scripting  loader.problems    checks the scripts together
//	bindings   Binding.Check      holds names, fields and orders against the world
//	scripting  Host.runUnload     lets the old versions hand over, or refuses the set
//	bindings   Binding.Commit     swaps components, systems and handlers in one step
//	scripting  Host.exchange      puts the new modules in the place of the old ones
//	scripting  Host.adopt         makes the new modules live
//	scripting  Host.runReload      gives the new versions what was handed over
//
// # Glossary
//
// The words of the scripting side. They mean the same in the docs of all packages; a package
// in which one means something else says so in its own doc. Those of the world are in
// package ecs.
//
//	bytecode         the instructions of a prototype
//	call             one entry from the host into a script: a run of a system, a timer, a top level
//	callback         a function of a script that the host calls when something happens: a change, a time, a new version
//	console          what runs texts that are typed while the game runs, as calls of a script in no file
//	data file        JSON or CSV beside the scripts, which scripts get as tables that do not change
//	dependents       the scripts that require a file, directly or not
//	dry run          a set of files, run and compiled beside the game before the step that takes it over
//	each function    a function of a script that runs for one entity at a time
//	environment      the globals of one script
//	fallback         a branch of a kernel at which the VM takes the row over
//	fault            what is wrong with a script: in its text, in what it declares, or while it runs
//	fuel             the instructions that a kernel may still use
//	handover         the value that on_unload of an old version gives to on_reload of the new one
//	holdings         what the values of modules hold at one moment, to be compared and put back
//	host             the Go program's side: what loads, runs and bounds the scripts of a world
//	host value       a Go value that scripts get from require "host"
//	interpreter      a Lua state with its library, its limits and the modules that live in it
//	kernel           an each function that is compiled to WebAssembly; ecs.kernel makes one outside of systems
//	limit            a bound on what scripts use; reaching it is an error of the call
//	module           what require gives: what a script has returned that has run, or the table ecs or host
//	parked           not run for a while after failures: a system (ecs), or an entity in one, which rests (exec)
//	portion          the fuel that a kernel gets at a time
//	program          the text of a script, read and compiled, with the facts about it
//	prototype        a function as the VM's compiler leaves it, without its captured locals
//	proxy            an empty table that stands for another one, which has the content
//	published state  what goroutines that stage may know of the host
//	reload           the exchange of a set of files between two ticks
//	script           a file of Lua
//	signature        what a kernel is compiled for: fields, captured values, filters
//	snapshot         a world and what its scripts keep, between two ticks; a save is one on disk
//	staged           announced to the host as changed, and not yet taken over by a step
//	stop reason      why a kernel may stop at a row
//	stub             a stand-in, in a dry run, for what only the running game has
//	swap             to put new modules in the place of the old ones
//	top level        the code of a script outside of functions; it declares
//	transaction      the changes of one call: kept as a whole, or undone as a whole
//	undo log         what a transaction needs to take its changes back
//	verdict          what became of a reload: taken or refused, and why
//	VM               the loop that runs the bytecode of what is not compiled
package scripting
