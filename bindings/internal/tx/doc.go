// Package tx runs calls into scripts, each as a transaction.
//
// There are four nouns.
//
//   - A [Runner] runs the calls of one Lua state, one after the other, on one thread.
//   - A [Call] is one of them, from begin to end: what it has saved, read, noted and
//     recorded, and how to take it back.
//   - A [Mark] is how far the records of a call had come, so that a part of it can be
//     taken back alone.
//   - A [Loan] is what a script has for one call. The end of the call recalls it.
//
// # Why a failed call leaves nothing
//
// Memory is written in place after its old bytes are kept (Call.Undo); what a key of a
// state table held is noted before it is written ([Written]); structural changes,
// events and timers are recorded and committed by those who apply them. A call that
// fails puts back, newest first, bytes, keys, what readers of events have read and what
// queries with changed have seen; its records are dropped, those of one row alone by
// [Call.Rewind]. What it has used is counted when it succeeds, so a failed call is in no sum.
//
// # What a call sees
//
// Its own changes: who asks the world for a script asks the runner, which asks the
// preview of the call's commands as soon as there is one.
//
// # Limits
//
// What a call keeps for its undo counts before it is copied ([Runner.MakeRoom]). The
// rest is up to the host's [Budget], which is entered with each call and is the context of its
// thread.
//
// # Where code lives
//
//	a call, from begin to end              call
//	writes into state tables, taken back   writes
//	the undo log, a part taken back alone  undo
//	what a row has spawned, taken back     undo
//	columns: kept, stamped, put back       columns
//	changes, counted against limits        usage
//	texts in components of Go types        texts
//	sets of components, against limits     sets
//	what a call sees of its own changes    seen
//	timers, their data, when they are due  timers
//	calls that are part of no tick         alone
//	timers, captured and restored          kept
package tx
