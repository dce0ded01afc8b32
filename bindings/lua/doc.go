// Package lua is where bindings and scripting meet the machine that runs scripts.
//
// The nouns are those of gopher-lua's API: an [LState] is a thread of scripts, an [LValue]
// any value of theirs, an [LTable], an [LFunction] or an [LUserData] one that has an identity.
// A [FunctionProto] is what the compiler makes of a function. What the machine keeps in
// fields is asked for with functions here, so that other packages depend on no machine's
// structs: [Metatable], [Proto], [Captured] and their like.
//
// Why a package of names, and not the module itself? The packages above say what they do with
// values, and not whose values they are. A build with the tag machine runs them on package
// machine; without it, each name here stands for gopher-lua's own type, at no cost.
//
// # Where code lives
//
//	values with an identity, in either machine  gopher, machine
//	values without one, errors on their way     values, raised
//	values that cost nothing to pass on         machine_values
//	what gopher-lua keeps in fields             fields
//	calls on a thread                           frames, machine_frames
//	calls, functions, tables of the machine     machine_calls, machine_functions, machine_tables
//	notes about tables                          notes
package lua
