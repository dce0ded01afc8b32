// Package value turns fields of Go structs into Lua values and back.
//
// There are four nouns.
//
//   - A field is one [ecs.Field] of a struct in memory. [Load] reads it as a Lua value;
//     [CannotHold] says why it cannot hold one; [Store] writes one that it can.
//   - A piece names the bytes of a field that a Lua value sets ([Pieces]) or in which two
//     structs differ ([Differing]).
//   - A conversion makes values of one schema into values of another ([Conversion]).
//   - A proxy is an empty table that a script holds in place of the table that has the
//     content. Package bindings/proxy has what unwraps it; whoever bypasses metatables
//     must ask that. A table that is over is one that the script must not use any more.
//
// # Who may write a field
//
// A field is written in three ways, and there are no others: [Store] for a Lua value, after
// [Differs] or [CannotHold]; a number in a field of floats, which holds every number, in place
// by whoever runs functions over rows; [PutFields] for what a kernel has noted.
// Store and Load are inverse: what Load returns, Store puts back bit by bit, and
// Differs says so without writing, so that a value which is not exact in Lua stays
// as it is when a script leaves it alone. Where a script names a field to be set, nobody asks
// Differs: that it is set counts, whatever it was.
//
// # What it costs a script
//
// Work that the VM does not see is charged to the running call before it is done
// ([Charge], [Alloc] and so on). The budget of the call is the context of its thread; a
// thread without one is free of charge.
//
// # Lifetimes
//
// Nothing here keeps a pointer that it is given.
//
// # Where code lives
//
//	a field read, a field stored          load, store
//	why a field cannot hold a value       check
//	what has changed between two values   pieces
//	values of one schema in another       convert
//	tables of scripts, proxies            tables
//	plain data: copied, handed over       plain
//	what it costs a script                charge
//	errors raised and caught              error
package value
