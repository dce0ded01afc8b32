// Package bindings is what Lua sees of a world: the module that scripts get
// from require "ecs", the values it hands out, and the calls that run script
// functions over the world's data.
//
// There are five nouns.
//
//   - A [Binding] joins one world and one Lua state. It owns what outlives a
//     script: components by name, state tables, timers, event readers.
//   - [Declarations] are what one file declared: components, systems, observers,
//     handlers and so on. Declaring touches no world: the file runs under
//     [Binding.Declare], which records, and [Binding.Commit] makes it real.
//   - A batch is what a batch function gets: some hundreds of rows, their columns as Lua
//     arrays or for bulk work (internal/exec).
//   - A value is a component or event with data, on its way into a command
//     (internal/decl).
//   - An error is whatever a script did wrong, with its place ([diag.Error]).
//
// # Parts
//
// A binding has a part for each thing that outlives a call: types by name, state tables,
// resources, queries, readers of events, timers, callbacks, kernels. Each part owns its state,
// and no part knows the binding: what all of them share is the core, which knows none of
// them. Declarations stand on a ground, the live world or a catalogue of it, and get the
// same answers from both.
//
// # Calls are transactions
//
// A call into a script (a run of a system, an observer, a timer) writes columns in place,
// after saving the bytes it is about to change. What a key of a state table held is noted
// before it is written. Structural changes, events and timers are recorded. When the call
// fails, the bytes are put back and the records dropped, so that nothing of it remains: for
// queries with changed the call has neither written nor looked ([ecs.Dates]).
//
// Within it, the call of an each function for one row is a transaction of its own. When it
// fails, that row is undone, its entity gets a [ScriptError] and rests, and the other rows
// go on. Only what ends the call as a whole, a limit for example, undoes all rows.
//
// This costs a mark before each row, one copy of each column that the call writes, chunk by
// chunk, and a note for each write into a state table. Kernels that cannot fail pay nothing
// for it. Local variables of a script cannot be put back, nor tables in them.
//
// # What a call sees
//
// A call sees what it has recorded: functions that ask the world for a script ask the
// preview of its commands ([ecs.Preview]), as soon as there is one. All others see nothing
// before the commands are applied. The rows of an each function are those of the world when
// the run begins. A row whose entity has been changed since is shown aside: the script gets
// copies of the values as they are by now, and what it changes in them is recorded as one
// more command. All other rows, and batches, are stored in their columns when the function
// returns, without a command, and look-ups after that find the values. Kernels do not see
// what waits in commands. They mark the entities that they change and ask for the mark
// before they look; a row that finds one is run by the VM.
//
// # Rehearsals
//
// Scripts can be declared without a world, on any goroutine: [NewRehearsal] makes
// a binding for that out of a [Catalog], which says what there is in a world.
// [Binding.Review] then says what is wrong with them together with what is live.
//
// # Changed fields
//
// A load may change the fields of components and events that scripts declare.
// [Binding.Check] converts all values beside those in force ([ecs.Migration]), by
// name or with the script's migrate function, and [Binding.Commit] puts them in
// force; [Binding.Affected] says who else must be run again. Values and prefabs of
// an older form, which functions of an old version may have kept, are refused
// when they are used.
//
// # Lifetimes
//
// Everything here belongs to the goroutine that owns the world. A batch, its
// arrays and columns, and the row tables of each-systems are reused: they mean
// nothing after the call that they were made for.
//
// # Numbers
//
// Lua computes in float64. Values of a row are stored when the function
// returns, those of a batch when the system's function returns: an f32 field
// rounds once then, an integer field takes whole numbers in its range and
// refuses anything else ([schema.Kind.Fit] is the rule). Entities are numbers; 0
// stands for no entity, and nil may be written for it.
//
// # Where code lives
//
// From the top down: each file leans on those below it, with few exceptions.
//
//	wiring, the table ecs, what hosts call       binding
//	ecs.log, ecs.warn, ecs.random                binding
//	loads: declaring, committing                 load
//	what is wrong with a load                    check
//	fields that change, old names                migrate
//	how much of that one reload may do           converted
//	kernels' calls of the host, names resolved   kernel_host
//	ecs.kernel, kernels made                     kernel
//	observers, timers, on_start, on_error        callbacks
//	events sent; unread events a reload hands on   events
//	ecs.state                                    state
//	what scripts keep: captured, restored        kept
//	what scripts keep, as JSON                   kept_json
//	types that no file declares any more          unseen
//	resources of the host; ecs.data, ecs.asset   resource
//	spawn, add, set and other changes            change
//	b:read, b:write, b:col                       batch
//	get, has, children, parent; count, find      lookup
//	scenes loaded, unloaded, asked for           scene
//	ecs.draw: lines, circles, boxes, texts       draw
//	systems, their options, their functions      system
//	components, events, fields                   types
//	bounds, comparisons, transitions             invariants
//	values; prefabs, merged; lists of both       values
//	prefabs for scenes                           template
//	arguments of functions                       args
//	what each function of ecs takes              functions
//	what all parts share                         core
//	what one file has declared                   declarations
//	texts that are typed while the game runs     console
//	the live world, and a catalogue of it        ground
//	what x:add, x:madd, x:clamp compute          internal/column
//	values of the host                           internal/fence
//	nil in lists and options                     holes
package bindings
