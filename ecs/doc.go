// Package ecs is the core of Perigee: a world of entities, their components and
// the systems that run over them, in memory that Go, Lua and compiled kernels
// share.
//
// There are eight nouns.
//
//   - A [World] owns everything below and one address range, the arena.
//   - An [Entity] is a handle: a number that is alive in one world, or dead.
//   - A [Component] is a registered type of data; its [Schema] says which
//     fields it has, so that Go, Lua and tools agree on every byte.
//   - A [Chunk] holds up to some hundreds of entities with the same set of
//     components: a column of handles and a column per component.
//   - A [Query] names components and yields the chunks that have them.
//   - [Commands] record structural changes while a query is being iterated.
//   - A [System] is a named function in the world's [Schedule].
//   - A [Tick] is what a system gets: the time, the commands, the random numbers.
//
// Around them stand the [Event] and its [Reader], the [Observer], the [Relation]
// between entities, the [Prefab], the [Storage] of one's own, resources
// ([Provide]), the [Migration] and the set of [Worlds].
//
// # Where data lives
//
// Component types without Go pointers live in the arena, in chunks of 16 KiB
// and more. A set of components has one chunk until that is full at 256 KiB, or
// at 8,192 rows if these need more; its rows move to a longer one as it grows.
// From then on growth is another chunk, and no chunk moves. Types with pointers (strings, slices, maps) live in
// sparse-set pools on Go's heap; pointer-free types registered with [Sparse]
// live in pools inside the arena. Adding or removing a pooled component moves no
// chunk row.
//
// # Lifetimes
//
// A column slice ([Component.Of], [Component.Mut]) and a pointer
// ([Component.Edit], [Raw.Pointer]) are borrowed: they die at the next
// structural change, which is any spawn, despawn, add or remove. A Chunk yielded
// by a query dies with the loop body. An Entity may be kept for ever: it tells
// you itself whether it is alive. [World.Close] ends all of it at once.
//
// Build with -tags ecsdebug to have that watched: slices and chunks kept too
// long are reported with what ended them, and Check runs after changes.
//
// # Iteration and change
//
// The range statement over [Query.Chunks], [Rows], [Rows2] or [Sorted] is the
// iteration lock. While it runs, direct structural changes answer
// [ErrIterating]; record them in [Commands] instead, which the schedule applies
// when the system returns. A panic that the host itself recovers from leaves a
// loop over Rows running: see [Raw.Guard]. Calls into scripts hold the lock from
// their beginning to their end ([Raw.Hold]), whatever they do.
//
// [Commands.Preview] answers what the world will be once the commands have been
// applied: who records them sees what it has done, and nobody else does.
//
// # Errors
//
// Methods that can fail for reasons outside the program (limits, unknown names)
// return errors that wrap the sentinels below. [NewWorld], [Register] and
// [World.Spawn] panic instead, as their documentation says; [Open],
// [Raw.Define] and [World.TrySpawn] are the forms that return the error.
//
// # Concurrency
//
// A world belongs to one goroutine at a time. Inside a step it may use several
// ([Options].Workers): for systems that promise to keep to themselves
// ([System].Parallel), for the chunks of one query ([Tick.Parallel]) and for jobs
// of the caller's own making ([Tick.ParallelFor]). The world stands still meanwhile, and
// what comes out is the same as with one.
// [Schedule.Plan] shows who runs beside whom, [Schedule.Explain] why not.
//
// # Cost
//
//	Alive, Get, Peek, Has, Set, Edit    O(1): one record, then the data
//	Memory, MemoryMap                   O(1)
//	Spawn, Despawn                      O(components)
//	Add, Remove, chunk component        O(components): the row moves
//	Add, Remove, pooled component       O(1)
//	Exchange                            as Add and Remove, in one move
//	SpawnMany, DespawnAll               O(entities), columns by runs of rows
//	AddAll, RemoveAll, ExchangeAll      O(bytes moved); O(entities) for tags only
//	Copy                                O(components + pools)
//	Reserve, DespawnLater               O(1)
//	FlushDespawns                       as Despawn, for each that was named
//	Len, Room                           O(1)
//	Entities                            O(slots ever issued)
//	Register, Define                    O(fields), once
//	Provide, Resource, by name too      O(1)
//	Worlds: Open, Named, Numbered       O(worlds)
//	Grow                                O(chunks made)
//	Requires, Excludes, Hooks           O(rules of what comes); 0 for types without
//	Chunks, Rows                        O(matching chunks), plus new archetypes once; Rows: and rows
//	  with pooled terms                 O(rows of the smallest pool, or of the archetypes if fewer)
//	  of one pool, or of a Group        O(pages)
//	  with Where, Exact                 O(rows that meet the other terms)
//	  with Changed                      O(chunks), those unchanged are passed over
//	  with Added                        O(additions since the last loop)
//	  with ChildrenOf, SourcesOf        O(sources of the target)
//	Sorted, Component.Sort              O(n log n)
//	Group                               O(rows) once, then O(pools) for each entity that comes or goes
//	Matches, Find                       O(terms)
//	Count                               O(matching archetypes), or as Chunks where rows differ
//	First, Empty, Single                as Chunks, up to the second match
//	Commands                            O(values) to record, as above to apply
//	Mark; Rewind                        O(1); O(commands forgotten)
//	Preview                             O(commands recorded since the last one)
//	Guard, Hold                         O(1)
//	Event: Send, Read                   O(1) for each event and reader
//	Step                                O(systems), and what they do
//	  a stage of parallel systems       a lock for each system, when several goroutines work
//	Tick.Parallel                       as Chunks, and a lock for each 512 rows
//	Tick.ParallelFor                    a lock for each job
//	Schedule.Change                     O(systems²) at worst, for who runs beside whom
//	Plan, Explain, Health               O(systems)
//	Observers                           O(observers) for each change that is watched
//	Relation: Set, Target, Count        O(1); O(depth) more where cycles are refused
//	Relation: Sources, walks            O(entities visited)
//	Despawn with relations              O(who dies and their links)
//	Instantiate                         O(copies × components), by columns
//	Transfer                            O(entities × component types)
//	Component with a Storage            what the storage says; loops go row by row
//	Compact, Stats                      O(everything)
//	Check, Checksum                     O(everything)
//	Migrate                             O(bytes of the archetypes concerned)
package ecs
