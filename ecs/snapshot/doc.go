// Package snapshot keeps in memory what a world was between two ticks, and makes it that again:
// for rollback, for undo, and as the first half of a saved game.
//
//	s, err := snapshot.Capture(w)
//	… // ticks, spawns, deaths
//	err = snapshot.Restore(w, s)
//
// There are three nouns.
//
//   - A [Snapshot] is the state of a world at one moment.
//   - A [Ring] keeps the snapshots of the last ticks. What has not changed between two of them
//     is kept once.
//   - A [Cloner] says how values of a type with Go pointers are copied.
//
// # What a restore brings back
//
// Exactly what the world was: entities under their old handles, values, the order of rows,
// hierarchy and relations, prefabs, events that were not read and how far each reader has come,
// resources, the clock, random numbers, the health of systems. A world that was restored and gets the same
// inputs goes on as one that never stopped: the same [ecs.World.Checksum] after each tick, the same
// handles, the same events, with any number of workers.
//
// Handles that were issued after the capture are dead, until the world issues them again: it goes on
// where it was, and so the next entity gets the handle that the next one got before. Forget
// handles, borrowed slices and deltas of the future that did not happen. Commands that were recorded
// before a restore are void: Apply says so.
//
// A restore is no change: hooks and observers get nothing. Whoever looks for changes finds them,
// because all columns have versions above all that the world gave before: queries with Changed that
// were made after the capture, indexes and code that compares [ecs.Chunk.Version]. The next delta of
// a tracked component has all of its rows. Invariants are checked in all rows at the end of the next step, and
// states that they follow begin with those that were restored. A query that there was at the capture has seen what it had seen then.
//
// # What a program declares
//
// Systems, observers, subscribers, readers, components, relations, events and rules are of the
// program: a restore leaves them as they are, and gives them their past by name or number. What
// was declared after the capture stays and is empty: a component has no values, a relation no links, an
// event type no events, a system has never run. Sets of components that came after the capture are
// gone. A system that was removed has no past to get, and is not brought back. A group of
// pools that was made after the capture is put in order anew.
//
// # Another world
//
// A snapshot outlives its world, and can be restored into another one of the same program: one in which the
// same components, relations and events were registered in the same order. It needs the same
// Options.MaxBytes, and the tag of the snapshot in Options.Tag, since handles carry it: see
// [Snapshot.Tag]. Seed becomes that of the snapshot; all other options are those of the world. Queries
// with Changed or Added, and readers, are found by the order in which they were made. A component or
// an event that has other fields since a migration is refused, in the same world, too.
//
// # Values with Go pointers
//
// To copy a slice, a map or a pointer by assignment would share what it leads to, and a restore would bring
// back what the game has written since. So a component or a resource of a type that holds some must have
// a Clone method ([Cloner]), or the program says how it is copied ([Clone]). Without that, Capture
// refuses and names the type and the field. Strings are fine. A resource that is no state can be left
// out ([Leave]).
//
// # Cost
//
//	Capture                O(bytes), and new memory for all of it
//	Snapshot.Update        O(bytes changed since, columns), into the memory that it has
//	Ring.Capture           as Update; it allocates nothing once the ring is full
//	Restore                O(bytes changed since, columns, entities' pages); O(bytes) in another world
//	Ring.Restore, Look     as Restore
//
// Changed means stamped: see [ecs.Chunk.Version]. The unit is the column of a chunk; records of
// entities have units of 1,024 slots. What is written without a stamp, which is a mistake
// (see [ecs.Raw.Touch]), is not noticed by Update and a Ring; Capture copies everything.
//
// # What becomes of each part of a world
//
// Copied parts are in the snapshot. Rebuilt parts follow from those. Left parts are not touched. A test
// holds this table against the fields of the types.
//
//	World.store                                    copied   see store
//	World.options                                  copied   Seed; the others are the program's
//	Options.Seed                                   copied
//	Options.MaxBytes, Tag                          left     they must be the same
//	Options.MaxEntities, ReuseAfter, FixedStep     left     the program's
//	Options.MaxFixedSteps, MaxUnread, Breaker      left     the program's
//	Options.Workers, ProfileLabels                 left     the program's
//	Options.MaxViolations, StrictInvariants        left     the program's
//	World.types, names                             left     what is declared
//	World.locks, frozen                            left     zero between ticks: else Capture and Restore refuse
//	World.countsRows, workers, worth, tagged       left     no state of the game
//	World.moves                                    copied
//	World.lastSpawn                                rebuilt  see lastSpawn
//	lastSpawn.of, to                               rebuilt  forgotten
//	World.ranks, cascade, walks, list, values      left     scratch, empty between calls
//	World.batchMoves, goals, reservedIn, dueHooks  left     scratch
//	World.strings                                  left     scratch
//	World.hasRemoveHooks                           left     what is declared
//	store.trackers                                 rebuilt  see tracker
//	tracker.comp                                   left     what is declared
//	tracker.shadow, compared                       rebuilt  begun anew: whoever keeps a copy gets all of it once
//	Shadow.size, pieces                            left     what is declared
//	Shadow.pages, count, removals, floor           rebuilt  see tracker.shadow
//	page.newest, used, lives, dates, values        rebuilt  see tracker.shadow
//	removal.handle, date                           rebuilt  see tracker.shadow
//	tracker.matched, seen                          rebuilt
//	World.invariants                               left     what is declared; all rows are looked at anew
//	World.relations                                copied   see Relation
//	World.lookers                                  copied   see Query; the list is the program's
//	World.lookersMade                              left     a number for each query
//	World.restores                                 rebuilt  one more
//	World.migrations                               left     zero, or Capture and Restore refuse
//	World.deferred                                 copied   see deferredDespawns
//	World.resources                                copied   see resources
//	World.events                                   copied   see events
//	World.notices                                  copied   see notices
//	World.reports                                  left     for tools: who asks for changes
//	World.reported                                 copied   see reportedChanges
//	reportedChanges.made                           left     no number comes twice
//	reportedChanges.last, unknown                  copied   of the same world; of another one, nobody knows
//	World.schedule                                 copied   see Schedule
//	World.clock                                    copied   see clock
//	World.random                                   copied
//	store.arena                                    copied   see Arena
//	store.slots                                    copied   see Slots
//	store.slotLimits                               left     options
//	store.components                               copied   see component
//	store.archetypes                               copied   see archetype; those that came later go
//	store.tables                                   copied   which archetype and size each is of, and where it lies
//	store.byMask, templates                        rebuilt
//	store.chunks                                   rebuilt  see Chunk
//	store.pools                                    copied   see arenaPool, heapPool, storedPool
//	store.dataPools, mark                          left     what is declared
//	store.version                                  rebuilt  rises
//	store.chunkSerial, shapeEra                    rebuilt  rise, where chunks and archetypes are others
//	store.widest                                   left     a bound on all rows so far
//	store.removals, removalEra                     left     the program's observers
//	store.debug                                    rebuilt  forgotten
//	store.cleanup                                  left
//	Arena.base, size, records, reserve             left     the address range
//	Arena.heap                                     copied   see heap
//	Arena.small, smallEnd, tables                  copied
//	Arena.huge, over, allowed                      left     how the range is used, not what is in it
//	heap.first, end                                left     they follow from the size, which must be the same
//	heap.next, units, lists, filled, freed         copied
//	heap.held, resident                            rebuilt  which free units hold pages now
//	unit.length, older, newer                      copied
//	Slots.records, deaths                          copied   in pages
//	Slots.used, live, free, retired, head, tail    copied
//	Slots.threshold, base, mask, last, step        left     options, and the tag
//	Slots.Now                                      rebuilt  from the clock
//	Slots.Stamp, stamps                            rebuilt  rise
//	Record.Life, Table, Chunk, Row                 copied
//	component.schema, typ, pool                    left     what is declared; it must be what it was
//	component.world, store, id, era, traits, heap  left     what is declared
//	component.size, watch, rules, fallback         left     what is declared
//	component.pointers, observed, changesAsked     left     what is declared
//	component.audiences                            left     the program's
//	component.tracker, reserved                    left     what is declared
//	component.texts                                rebuilt  counted anew after a restore
//	textCount.of, version, restores, bytes         rebuilt  see component.texts
//	component.where                                rebuilt  for the tables that there are
//	component.records, base                        left     addresses
//	component.added                                copied   see additions; the list is the program's
//	component.group                                copied   see group
//	group.pools                                    left     what is declared
//	group.n                                        copied
//	archetype.id, mask, ids, columns, pooled, bytes  rebuilt  from the mask, which is copied
//	archetype.layouts, prefab                      rebuilt
//	archetype.noticed                              rebuilt  when it is asked for, see removable
//	archetype.chunks, spare                        copied   in order
//	archetype.count, units                         rebuilt
//	archetype.due                                  left     zero between batches
//	archetype.edges                                rebuilt  those to archetypes that are gone are forgotten
//	removable.observed, era                        rebuilt
//	columnSpec.id, size                            rebuilt
//	graphEdge.with, without                        rebuilt
//	layout.arch, table, class, units, capacity     rebuilt
//	layout.offsets, columns, columnSlots           rebuilt
//	columnSlot.offset, version                     rebuilt
//	Chunk.layout, n, unit                          copied
//	Chunk.base, store, first, lease                rebuilt
//	Chunk.span                                     left     nil, but in what a loop yields
//	Chunk.versions                                 rebuilt  new numbers, in the order that queries with Changed tell apart
//	Chunk.serial                                   rebuilt  a new number, unless it is the same chunk
//	arenaPool.store, comp                          left     what is declared
//	arenaPool.rows                                 copied   see archetype
//	arenaPool.sparse                               copied   in pages
//	arenaPool.stamps                               rebuilt  rise
//	heapPool.comp                                  left     what is declared
//	heapPool.handles, data                         copied   by assignment, or as the type is cloned
//	heapPool.index, view                           rebuilt
//	Index.pages                                    rebuilt
//	storedPool.store, comp, layout                 left     what is declared
//	storedPool.storage                             copied   its values, which are put into it in the order in which it lists them
//	storedPool.written, pages                      rebuilt
//	storedRow.entity, view                         rebuilt
//	Relation.world, id, info, links, index, name   left     what is declared; links are in an arenaPool
//	Relation.count                                 copied
//	Relation.options                               copied   OnDespawn, which SetPolicy changes
//	RelationOptions.OnDespawn                      copied
//	RelationOptions.Acyclic                        left     what is declared
//	deferredDespawns.list                          copied
//	deferredDespawns.known                         rebuilt
//	resources.types, names                         copied   what the pointers point to; they stay where they are
//	resources.list                                 rebuilt
//	provided.typ, name                             left     the program's
//	events.limit, types, names                     left     what is declared
//	events.losses                                  left     a report to the host
//	events.streams                                 copied   see stream
//	events.depth, calls                            left     zero between ticks
//	events.waiting, held                           rebuilt  see stream
//	stream.of                                      left     the world's own
//	stream.schema, typ, era, limit                 left     what is declared; it must be what it was
//	stream.most                                    rebuilt
//	stream.data, first, sent, keep, ends           copied   data in one piece
//	eventPages.n, pages                            copied
//	eventPages.words, shift, skip, last, end       rebuilt
//	eventPages.spare, room                         left     room for events to come
//	stream.readers                                 copied   see Reader; the list is the program's
//	stream.opened, closed                          left     a number for each reader, and how many are closed
//	stream.dropped                                 left     counts for the host
//	stream.subscribers                             copied   see subscriber; the list is the program's
//	Reader.stream, closed, number, name            left     the program's
//	Reader.next, lost, behind                      copied   by number and name
//	Retention.Events, Ticks                        copied
//	subscriber.name, call, gone                    left     the program's
//	subscriber.health                              copied   see health, by name
//	health.state, failures, wait, retryAt, since   copied
//	health.burst, recent                           copied
//	health.total                                   left     counts for the host
//	health.own                                     left     the program's
//	Failure.Tick, Time, Err                        copied
//	notices.any, watched, watch, filtered          left     what is declared
//	notices.named, whole                           left     the program's
//	notices.everyone                               copied   their health, by name
//	notices.turn                                   left     a number for each step: who has passed is asked in the next
//	notices.since                                  left     set anew in each step
//	notices.queue, data, passed                    copied
//	notices.causes, cause, unseen                  left     empty between ticks
//	notices.held                                   rebuilt  empty: a world whose last step was cut short is not captured
//	heldNotice.queued, old, era                    left     likewise
//	notices.lost                                   left     of a step
//	notices.made, deliveries                       left     numbers that only grow
//	watcher.rests, waits                           left     of one step
//	watcher.before, delivery                       left     of one delivery
//	audience.list, gone, awake, turn               left     the program's
//	watcher.Observer, component, number, gone      left     the program's
//	watcher.health                                 copied   see health
//	queued.Notice, at, from, to, cause             copied
//	queued.only                                    left     of what waits after a step that was cut short
//	queued.kept                                    copied   as the type is cloned
//	Notice.Trigger, Component, Entity, Old         copied
//	Query.since, number                            copied   by number
//	Query.added                                    copied   see additions
//	Query.matched, fit, seen, era                  rebuilt  if archetypes have gone
//	Query.world, terms, with, without, any         left     the program's
//	Query.changed, where, exact, prefabs, target   left     the program's
//	Query.noted, loop, byRow, joins, excluded      left     how it is iterated
//	Query.pools, pure, running, cursors, found     left     how it is iterated
//	Query.declared                                 left     how it is iterated
//	Query.tested, yielded                          left     counts for the host
//	additions.ids                                  left     the program's
//	additions.entries                              copied
//	additions.places                               rebuilt
//	additions.taken                                left     scratch
//	addition.entity, which                         copied
//	Schedule.world                                 left
//	Schedule.blueprint                             copied   see blueprint
//	Schedule.tick, report, lap, running, queue     left     of a step, which begins anew
//	Schedule.lull                                  left     of a step, which begins anew
//	Schedule.ctx, cut, broken, making, only        left     of a step
//	Schedule.inboxes                               left     inputs of the host, which may come from other goroutines
//	Schedule.late, spent                           left     reports to the host
//	Schedule.telemetry, scopes, looks              left     reports to the host
//	Schedule.begins                                left     the program's
//	blueprint.order                                copied   see scheduled; the list is the program's
//	blueprint.stages, byName, longest              left     the program's
//	blueprint.requirements                         rebuilt  who is blocked
//	requirement.of, on                             left     the program's
//	scheduled.System                               copied   see System
//	System.Disabled                                copied
//	System.Name, Phase, Priority, Before, After    left     the program's
//	System.Requires, Every, Fixed, Unchanged        left     the program's
//	System.Queries, Parallel, Serial, Breaker      left     the program's
//	System.Event, reader, Init, Shutdown, When     left     the program's
//	System.Run                                     left     the program's
//	scheduled.health                               copied   see health
//	scheduled.blocked                              rebuilt
//	scheduled.asked, seed, access                  left     the program's
//	scheduled.elapsed, phase, runs, skipped        copied
//	scheduled.last, total, busy, began, figures    left     times for the host
//	scheduled.missed                               rebuilt  false: a world whose last step was cut short is not captured
//	scheduled.own, err, stack                      left     of a step
//	clock.tick, time, owed, runs, before, moves    copied
//	clock.running                                  left     false, or Capture and Restore refuse
//	Random.state                                   copied
//
// # Where code lives
//
//	snapshots of a world                     snapshot
//	the last ticks                           ring
//	how values with Go pointers are copied   clone
//
// What is copied, and how, is in package ecs: in its file snapshot.go and in the files of the parts. The
// memory of snapshots is in ecs/internal/capture.
package snapshot
