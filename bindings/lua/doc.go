// Package lua is where bindings and scripting meet the machine that runs scripts.
//
// The nouns are those of gopher-lua's API: an [LState] is a thread of scripts, an [LValue]
// any value of theirs, an [LTable], an [LFunction] or an [LUserData] one that has an identity.
// A [FunctionProto] is what the compiler makes of a function. What the machine keeps in
// fields is asked for with functions here, so that other packages depend on no machine's
// structs: [Metatable], [Proto], [Captured] and their like.
//
// Why a package of names, and not the module itself? The packages above say what they do with
// values, and not how the machine keeps them. A pointer becomes one of the machine's at no cost.
//
// # Where code lives
//
//	states, values with an identity             state
//	values without one, numbers made many       values, numbers
//	values that cost nothing to pass on         plain
//	calls on a thread, what runs there          calls, frames
//	functions, tables                           functions, tables
package lua
