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
package machine
