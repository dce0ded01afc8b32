// Package machine is a virtual machine for Lua: it executes the functions that
// gopher-lua's compiler makes, on values, tables and threads of its own. It knows no host
// and no world.
//
//   - A [Value] is what a variable of Lua holds, in two words.
//   - A [Str] is a text, a [Table] a table, a [Function] a function of Lua or of Go, a
//     [Thread] a coroutine, a [Userdata] a value of Go in the hands of a script.
//   - A [Shape] says which text keys a table has. Tables with the same keys share one.
//   - A [Heap] counts the memory that a machine takes.
//   - A [VM] is here what the threads of one Lua state share: it executes.
//   - A [Call] is here one call of a function of Go by a script, with its arguments and
//     results.
//
// # How a function runs
//
// A prototype is translated once by each VM: every instruction keeps its index and is taken
// apart, so lines, names of locals and counts are those of gopher-lua's. The loop executes
// what is frequent; the rest of each instruction stands beside it. Calls are frames, those of
// metamethods, pcall, iterators and coroutines, too: Go's stack grows only where a native
// calls back. What is raised goes down the frames to the mark of a protected call.
//
// Prototypes are trusted: a prototype whose operands lie outside of its registers or constants
// would reach memory that is not its own. They come from the compiler alone. No script can
// make or change one, since there is no string.dump, no load, and the parser takes text only;
// so nothing verifies them. Odd programs are what the compiler is tried with, see package
// library.
//
// # What is counted
//
// One step for each instruction of the bytecode that is executed, where a test with the
// jump after it is one or two, and MOVEN is one with the moves after it. Besides, what
// instructions do with long texts and many values, what a chain of __index beyond the
// second table takes, what an error costs that is caught, and what natives charge. A script
// stops before the instruction that would be one too many. The error is raised again at each
// instruction that it tries to execute after that.
//
// # Which NaN it is
//
// Of two NaNs an operator gives the left one, as processors and kernels do; a value keeps
// the bits of nearly all of them, see [Number]. The sign of a NaN that is made, of 0/0, is
// the processor's. No text and no comparison of a script shows any of that, and no checksum
// of a world does: it decides only whether a row counts as changed where one NaN takes the
// place of another.
//
// # Where code lives
//
//	values, texts, userdata            value, value_64, value_32, str, userdata
//	tables: keys, lists, dictionaries  table, slots, keys, list, dict, shape, event
//	lists that a host fills at once    packed
//	tables that do not change          fixed
//	tables as they were, put back      contents
//	tables that others have as well    foreign
//	lists that are filled when needed  deferred
//	invariants of tables               check
//	memory, counted and walked         heap, walk
//	prototypes and their translation   proto, code
//	the loop, and whole instructions   loop, slow
//	many turns at once, in blocks      blocks, blocks_vectors, blocks_known
//	what can be executed in blocks     blocks_plan, blocks_tidy
//	functions that compute with rows   rows
//	fields by name, remembered         cache
//	metamethods, the operator ..       meta, concat
//	frames, calls and returns          calls
//	protected calls, calls from Go     protect
//	calls that the host repeats        repeat
//	coroutines                         coroutine, thread
//	functions, natives                 function, call
//	the machine, its options           vm
//	steps and bytes of a call          budget
//	errors, places, their words        raised, places, mistakes, missing, messages
package machine
