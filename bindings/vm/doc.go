// Package vm is the seam between the bindings and whatever runs the functions of scripts.
//
// Today two things run them: gopher-lua's own loop, which keeps each number behind an
// interface, and an [Evaluator] over plain registers, which the script host makes. An
// Evaluator covers functions over rows and batches, and what these call. Top levels, the
// run of a system, handlers of events, observers and timers are run by gopher-lua's loop.
//
// Where is an Evaluator plugged in? bindings.Options.Evaluator is a function that prepares a
// function of a script. Package scripting gives its own (interpreter.evaluator, in
// interpreter.go), which makes those of scripting/internal/unboxed; where it returns nil,
// gopher-lua's loop runs the function. bindings/internal/exec asks it, once for each system.
//
// There are four nouns.
//
//   - A [Register] is a place for a value. A number in it needs no box.
//   - An [Evaluator] is one function, ready to be called again and again. A [GoFunc] is a
//     function of Go that it calls without the stack of the Lua state; it sees its caller
//     as a [Caller].
//   - A [LazyTable] is data that becomes a table only when a script does more with it than
//     to read and to assign its fields.
//   - A [Meter] counts what runs, and says how much of the call's budget is left.
//
// # What a VM has to implement
//
// Values. A register holds a number in Number while Value is nil, and any other value of
// Lua in Value; a number is never in Value. [Register.Put] and [Register.Box] translate to
// and from the form that tables, captured variables and functions of Go have.
//
// Calls. The bindings set the registers of [Evaluator.Args] and call [Evaluator.Call] for
// each row, between Begin and End. The outcome is that of gopher-lua's loop, bit for bit:
// results, errors with their places, effects and their order. The second result of Call
// reports that nothing but the function's own instructions has run; then nothing was
// recorded, and the row is cheaper. Where an instruction would raise an error, asks a
// metatable, or calls a function for which there is no GoFunc, gopher-lua's loop runs it.
//
// Tables. A table of a script is a *lua.LTable, whoever runs the function; its entries are
// boxed values. A LazyTable stands for one in registers only, where all of its uses can be
// seen. What it cannot do itself, its table does: where [LazyTable.Get], [LazyTable.Element] or
// [LazyTable.SetField] returns false, or [LazyTable.Place] or [LazyTable.OpenPlace] nil, the
// VM goes on with [LazyTable.Table].
//
// Budget. Each instruction counts one, as in gopher-lua's loop, and a call that has none
// left stops at the same instruction as there. The meter of a call is the context of its
// thread. A VM may count by itself for a while and report to the meter later, as long as it
// stops no later than the meter would.
//
// # Why a package of its own
//
// The methods of registers are called for every instruction, so the compiler must be able
// to inline them where functions run. It cannot do so through an alias in another package.
//
// # Lifetimes
//
// A LazyTable that a GoFunc gets from [Caller.Spare] is used again as soon as no register
// of its caller holds it. One that stands for a row or a column is used again for the next
// one. The registers of the results are good until the next call.
package vm
