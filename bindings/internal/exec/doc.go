// Package exec runs functions of scripts over rows: each functions, batch functions and
// handlers of events, on the VM, beside it, or as kernels.
//
// There are five nouns.
//
//   - A [Executor] is what all runs of one Lua state share: the calls, the metatables, the
//     entities that rest because a function has failed for them.
//   - A runner is a system's function, ready to be run once a tick.
//   - A row is the table that stands for one component of the entity at hand; an array is
//     one field of a batch. Both are loans.
//   - An [Evaluator] runs a function beside the VM with the same results.
//   - A [Kernel] is an each function that was compiled. Where it stops at a row, the VM
//     runs that row.
//
// # One row after the other
//
// The call of an each function for one row is a transaction inside of the call of its
// system: a row that fails is undone alone, and its entity rests. Rows are undone by the
// columns that were kept for the whole view.
//
// # Where code lives
//
//	what all runs share; systems               executor, system
//	each functions, row by row                 each, row
//	each functions, beside the VM              evaluate
//	what rows and batches write, stored        store
//	batches and their arrays                   batch
//	kernels, and the rows that they leave      kernel, kernel_parallel
//	entities that rest after an error          park
//	ecs.update                                 row
//	ctx; tables that scripts have for a call   loan
package exec
