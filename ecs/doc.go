// Package ecs is the core of Perigee: a world of entities, their components and
// the systems that run over them, in memory that Go, Lua and compiled kernels
// share.
//
// A world, two components, and a system that runs once a tick:
//
//	w := ecs.NewWorld()
//	defer w.Close()
//	position, velocity := ecs.Register[Position](w), ecs.Register[Velocity](w)
//	w.Spawn(position.With(Position{}), velocity.With(Velocity{X: 1}))
//	moving := w.Query(ecs.Write(position), ecs.Read(velocity))
//	err := w.Schedule().Add(ecs.System{
//		Name: "move", Phase: ecs.Physics, Queries: []*ecs.Query{moving},
//		Run: func(t *ecs.Tick) error {
//			for c := range moving.Chunks() {
//				p, v := position.Mut(c), velocity.Of(c)
//				for i := range p {
//					p[i].X += v[i].X * t.DT
//				}
//			}
//			return nil
//		},
//	})
//	err = w.Step(1.0 / 60)
//
// There are six nouns.
//
//   - A [World] owns everything below and one address range, the arena.
//   - An [Entity] is a handle: a number that is alive in one world, or dead.
//   - A [Component] is a registered type of data; its [Schema] says which
//     fields it has, so that Go, Lua and tools agree on every byte.
//   - A [Query] names components and yields chunks ([Chunk]): up to some thousands of
//     entities with the same set of components, a column for each of these. A [View]
//     declares a query as a struct, and yields its rows.
//   - [Commands] record structural changes while a query is being iterated.
//   - A [System] is a named function in the world's [Schedule]; it gets a [Tick]: the
//     time, its commands, its random numbers.
//
// Around them stand the [Event] and its [Reader], the [Observer], the [Relation]
// between entities, the [Prefab], the [Storage] of one's own, resources
// ([Provide]), the [Migration], the set of [Worlds], and [Raw]: the same world by
// name, by number and as bytes, for tools and script hosts.
//
// # The front page
//
// These names are enough for a host: the examples 1 to 12, which are whole programs, use no others.
//
//	the world      NewWorld, Open, Options, World, Entity, Commands
//	components     Register, TryRegister, Component, Tracked, Provide
//	queries        Query, Read, Write, Chunk, Rows
//	systems        System, Tick, Input, Physics
//	events         RegisterEvent, Event, OnAdd, NewInbox, Inbox
//	errors         SystemError, ErrIterating, ErrRange
//
// # Lifetimes
//
// A column slice ([Component.Of], [Component.Mut]) and a pointer
// ([Component.Edit], [Raw.Pointer]) are borrowed: they die at the next
// structural change, which is any spawn, despawn, add or remove. A Chunk yielded
// by a query dies with the loop body. An Entity may be kept for ever: World.Alive
// says whether it is alive. [World.Close] ends all of it at once.
//
// Build with -tags ecsdebug to have that watched: slices and chunks kept too
// long are reported with what ended them, and Check runs after changes.
//
// # Iteration and change
//
// The range statement over [Query.Chunks], [View.Rows], [Rows], [Rows2], [Sorted] or
// [SortedBy] holds the iteration lock. While it runs, direct structural changes return
// [ErrIterating]; record them in [Commands] instead, which the schedule applies
// when the system returns. A panic that the host itself recovers from leaves a
// loop over Rows running: see [Raw.Guard]. Calls into scripts hold the lock from
// their beginning to their end ([Raw.Hold]), whatever they do.
//
// [Commands.Preview] shows what the world will be once the commands have been
// applied: code that records them sees what it has done, and no other code does.
//
// # Errors
//
// Methods that can fail for reasons outside the program (limits, unknown names)
// return errors that wrap the sentinels below. [NewWorld], [Register] and
// [World.Spawn] panic instead, as their documentation says; [Open],
// [TryRegister], [Raw.Define] and [World.TrySpawn] are the forms that return the error.
// A method of a nil pointer, and an index that is out of range ([Preview.At]), panic as they do in Go, but where
// the documentation of the method says what it does for nil.
//
// # Concurrency
//
// A world belongs to one goroutine at a time. Inside a step it may use several
// ([Options].Workers): for systems that promise to touch only what their queries
// declare ([System].Parallel), for the chunks of one query ([Tick.Parallel]) and for
// jobs of the caller's own making ([Tick.ParallelFor]). The world is frozen meanwhile,
// and the result is the same as with one goroutine.
// [Schedule.Plan] shows which systems run at the same time, [Schedule.Explain] why others
// do not.
//
// # Telemetry
//
// World.Stats is a picture for people. Schedule.OnTick reports each step to a function, without
// allocating: durations, runs, rows and failures of every system, for metrics and traces.
// Options.ProfileLabels has CPU profiles name the systems; an execution trace shows them anyway.
//
// # Cost
//
//	Alive, Get, Peek, Has, Set, Edit    O(1): one record, then the data
//	Memory, MemoryMap                   O(1)
//	Spawn, Despawn                      O(components)
//	Add, Remove, chunk component        O(components): the row moves
//	Add, Remove, pooled component       O(1)
//	Exchange                            as Add and Remove, in one move
//	SpawnMany, DespawnAll               O(entities), columns by spans of rows
//	AddAll, RemoveAll, ExchangeAll      O(bytes moved); O(entities) for tags only
//	Copy                                O(components + pools)
//	Reserve, DespawnLater               O(1)
//	FlushDespawns                       as Despawn, for each that was named
//	Len, Room                           O(1)
//	Entities                            O(slots ever issued)
//	Register, Define                    O(fields), once
//	Provide, Resource, by name too      O(1)
//	Worlds: Open, Named, Numbered       O(worlds)
//	Grow, Component.Reserve             O(chunks made)
//	Component.Since                     O(rows of tracked chunks that were written since the last)
//	Range, Constraint and other invariants  O(rows of the chunks that were written), at the end of a step
//	Schedule.Violations                    O(rows with invariants)
//	Requires, Excludes, Hooks           O(rules of what comes); 0 for types without
//	Requirement                         the same, and O(rules of what goes)
//	Chunks, Rows                        O(matching chunks), plus new archetypes once; Rows: and rows
//	  with pooled terms                 O(rows of the smallest pool, or of the archetypes if fewer)
//	  of one pool, or of a Group        O(pages)
//	  with Where, Exact                 O(rows that meet the other terms)
//	  with Changed                      O(chunks), those unchanged are passed over
//	  with Added                        O(additions since the last loop)
//	  with ChildrenOf, SourcesOf        O(sources of the target)
//	Sorted, Component.Sort              O(n log n)
//	Index: Range, Below, Above, Count   O(chunks); O(rows) of a chunk that has changed, O(log rows) of others
//	Group                               O(rows) once, then O(pools) for each entity that comes or goes
//	Matches, Find                       O(terms)
//	Count                               O(matching archetypes), or as Chunks where rows differ
//	First, Empty, Single                as Chunks, up to the second match
//	Commands                            O(values) to record, as above to apply
//	Mark; Rewind                        O(1); O(commands forgotten)
//	Preview                             O(commands recorded since the last one)
//	Guard, Hold                         O(1)
//	Event: Send, Emit, Read             O(1) for each event and reader, and what subscribers do
//	Step                                O(systems), and what they do
//	  a stage of parallel systems       a lock for each system, when several goroutines work
//	Tick.Parallel                       as Chunks, and a lock for each 512 rows
//	Tick.ParallelFor                    a lock for each job
//	Schedule.Change                     O(systems²) at worst, for which run at the same time
//	Plan, Explain, Health               O(systems)
//	OnTick                              O(systems) for each step, with some looks at the clock
//	Options.ProfileLabels               O(1) for each run
//	Observers                           O(observers) for each change that is watched
//	Relation: Set, Target, Count        O(1); O(depth) more where cycles are refused
//	Relation: Sources, walks            O(entities visited)
//	Relation: Depth, Ancestors          O(ancestors)
//	Despawn with relations              O(who dies and their links)
//	Instantiate                         O(copies × components), by columns
//	Transfer                            O(entities × component types)
//	Component with a Storage            what the storage says; loops go row by row
//	Compact, Stats                      O(everything)
//	Check, Checksum                     O(everything)
//	Migrate                             O(bytes of the archetypes concerned)
//
// # Where data lives
//
// Component types without Go pointers live in the arena, in chunks of 16 KiB
// and more. A set of components has one chunk until that is full at 256 KiB, or
// at 8,192 rows if these need more; its rows move to a longer chunk as it grows.
// From then on growth is another chunk, and no chunk moves. Types with pointers
// (strings, slices, maps) live in sparse-set pools on Go's heap; pointer-free
// types registered with [Sparse] live in pools inside the arena. Adding or removing
// a pooled component moves no chunk row.
//
// # The walk of a component that a system adds
//
// A system may not change the structure of the world while it iterates. It records:
//
//	ecs  Commands.Add      takes an entity and values
//	ecs  Commands.record   notes the command
//	ecs  Commands.store    copies each value, for the caller's may change
//	ecs  Commands.keep     puts the bytes of values without Go pointers side by side
//
// When the system has returned without an error, its commands are applied in order:
//
//	ecs  World.Step        later, begins a tick
//	ecs  World.step        runs its stages
//	ecs  Schedule.runStages  goes through the stages
//	ecs  Schedule.run      runs a system that is due
//	ecs  Schedule.guard    turns a panic into an error
//	ecs  Schedule.conclude  applies the commands of a run that succeeded, drops the others
//	ecs  Commands.applyAll  makes the recorded changes, whatever fails in between
//	ecs  Commands.apply    makes one of them
//	ecs  World.Add         looks up the record of the entity
//	ecs  World.shape       finds the archetype of the new set of components
//	ecs  World.change      takes the long way for pooled, observed and ruled components
//	ecs  World.shift       takes the short way for all others
//	ecs  archetype.reserve  makes room for a row before anything is changed
//	ecs  World.move        copies the row, and fills the hole that it leaves
//	ecs  Chunk.fill        writes the new values into the columns
//
// # Where code lives
//
// Each noun has a file. From the memory up; a file knows those above it:
//
//	handles                                   entity, internal/slots
//	the arena                                 internal/arena
//	a component type, its rules               component, register, rules
//	rows and columns of one archetype         chunk, archetype
//	pools: values outside of chunks           pool, pool_heap, pool_custom, sparse
//	the memory of a world, without the rest   store
//	copies of tracked values                  store, internal/shadow
//	invariants: declared, checked, reported   invariant, invariant_check, violation
//	debugging builds                          debug_on, debug_off
//	options, opening, closing, errors         world
//	tools: by name, as bytes; sizes, counts   raw, stats
//	tools: changes, as they are made          raw_change
//	reports on ticks                          stats, schedule
//	names in profiles and traces              internal/work
//	checks of the memory; the checksum        check
//	several worlds, moves between them        worlds, transfer
//	the value of one entity                   value
//	components that come and go               change
//	death, now or at the end of a tick        despawn
//	links between entities                    relation, relation_walk
//	many entities in one call                 batch
//	templates and copies of trees             prefab
//	fields that change at run time            migrate
//	room made in advance, or given back       memory
//	pools in one order                        pool
//	queries, and loops over them              query, iterate, rows
//	what has changed since the last look      detection
//	an index: entities by the key of a value  detection, internal/keys
//	versions (change ticks) of columns        chunk, detection
//	the iteration lock, and frozen worlds     lock
//	commands: recorded, applied, counted      commands, commands_apply, commands_sets, commands_costs
//	the world after the commands              preview, preview_apply
//	copies of a world, for package snapshot   snapshot, internal/capture
//	what such a copy says, for files, and back  snapshot_content, snapshot_compose
//	a system, its health: when it is parked   system
//	the order in which systems run            plan
//	why two systems do not run at the same time  conflict
//	the schedule: stages of a tick, fixed steps  schedule
//	what other goroutines want done           schedule
//	systems that run at the same time         parallel
//	random numbers of a system                system, internal/rng
//	events, observers                         event, event_pages, observer
//	resources                                 resource
//
// # Where it happens
//
// Each file with its functions.
//
//	the memory of a chunk is taken        archetype: archetype.chunk
//	an archetype is found or made         archetype: store.archetypeWith, store.archetypeOf
//	a row comes, goes, moves              archetype: archetype.push, archetype.drop, change: World.move
//	a pool is made                        pool: newArenaPool, pool_heap: newHeapPool, pool_custom: newStoredPool
//	a pool takes a value                  pool: arenaPool.put, pool_heap: heapPool.put, pool_custom: storedPool.put
//	a column is stamped as changed        chunk: Chunk.stamp, stampAt
//	a query is matched                    query: Query.fits, Query.passes
//	a loop takes its next chunk           iterate: Query.each, cursor.next
//	a change is refused inside of loops   lock: Query.lock, World.hold, World.freeze
//	an entity dies                        despawn: World.kill
//	the entities that die with it         despawn: cascadeSearch.add
//	links are made and cut                relation: Relation.chain, Relation.unchain
//	a change is noticed                   observer: World.notice
//	a change is reported to tools         raw_change: changeReports.send
//	an observer runs                      observer: World.deliver, World.notify
//	a hook runs                           rules: World.callHook
//	systems are put in order              plan: sortSystems
//	a system begins and ends              schedule: Schedule.init, Schedule.shutdown
//	a system runs                         schedule: Schedule.run, parallel: Schedule.runParallel
//	a tick is measured                    schedule: telemetry.ended, Schedule.tell
//	commands are applied                  schedule: Schedule.conclude, commands_apply: Commands.Apply
//	what a failed run spawned is dropped  schedule: Schedule.conclude, commands: Commands.Drop
//	an event is sent                      event: World.send, events.push
//	a subscriber gets an event            event: World.dispatch
//	events go that nobody reads           event: stream.overflow, stream.expire
//
// # Glossary
//
// The words of the world. They mean the same in the docs of all packages; a package in which
// one means something else says so in its own doc. Those of the scripting side are in
// package scripting.
//
//	archetype        a set of components, and the chunks of the entities that have it
//	arena            the one range of memory in which a world keeps chunks, records and pools
//	batch            a change of many entities in one call; for a batch of rows see package bindings
//	borrowed         good until the next structural change only
//	chunk            rows of one archetype in one piece of memory
//	column           the values of one component in the rows of a chunk, side by side
//	command          a structural change that is recorded now and made later
//	component        a registered type of data that an entity may have
//	delta            what has become of a tracked component since a version
//	driver           the pool whose rows a loop goes through
//	era              how many migrations a component or an event has been through
//	frozen           while several goroutines work: nothing but columns may change
//	group            pools whose common entities are their first rows, in one order
//	handle           an entity as a number: slot, world tag, generation
//	hook             a function that is called at once when a component comes, is set or goes
//	image            a copy of what a world is: see package snapshot
//	invariant        a rule that values must meet at the end of each tick
//	join             a pool in which a loop looks up the rows that it goes through
//	layout           where the columns of an archetype lie in chunks of one size
//	limbo            the archetype of entities that are reserved and have no row
//	look             a loop over a query with Changed or Added; the next one gets what came after it
//	observer         a function that gets changes after they were made
//	offset table     where the columns of a layout lie, by component, in the arena
//	pool             the storage of a component outside of chunks: a sparse set
//	prefab           a template of entities: a list of values, or a marked entity and its tree
//	preview          the world as it will be when the commands are applied
//	record           where an entity is: offset table, chunk and row, by slot
//	relation         links from entities, the sources, to one target each
//	reservation      room that is made before a change, so that the change cannot fail
//	row              the place of one entity in a chunk
//	run              one call of a system, in a tick
//	schema           the fields of a component or an event: names, kinds and places
//	slot             the number that a handle begins with; it is issued again after a death
//	span             rows, or units of the arena, that lie side by side
//	stage            systems of the schedule that run at the same time, or one alone
//	stamp            to note the version with which a column was written
//	store            the lower half of a world: memory, handles, archetypes, pools
//	structural       changing which entities and components there are
//	tag              a component of no bytes
//	tracked          of a component: the world keeps copies of its values, and knows which rows have another one
//	trait            what makes a change of a component more than a copy of bytes
//	version          the number of the system run that wrote a column last
//	violation        the values of an entity that break an invariant
//	world tag        the number of a world in its handles
package ecs
