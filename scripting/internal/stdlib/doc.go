//go:build !machine

// Package stdlib is the standard library that scripts get, in place of
// gopher-lua's.
//
// There are four nouns. A [Library] holds what the scripts of one Lua state
// share: the built-in functions, the locked metatable of strings, the threads
// on which protected calls run. It lives as long as the state and, like the
// state, belongs to one goroutine at a time. Env makes an environment, the
// table of globals of one script; each environment has its own copies of the
// string, table, math, coroutine and os tables, so what one script does to them
// no other script sees. A [Meter] counts work that the VM does not
// count. A [Budget] is a meter and the context of a call: it ends the call
// after a number of instructions, the same number on every machine.
//
// # How a script is limited
//
// The VM asks the context before every instruction; [Budget] counts there.
// Functions that work long outside the VM (patterns, sorting, concatenation,
// formatting) charge the meter, which is the context of the calling thread if
// it implements [Meter]. Coroutines and protected calls inherit the context of
// their caller. A script may catch the error of a spent budget, but the next
// instruction raises it again.
//
// Texts are measured before they are made. Tables grow by instructions that ask
// nobody: the budget has the library look at those that the running function
// holds, at points that depend on the number of instructions alone, see Inspect.
// Coroutines are counted by the environment of their function.
//
// # Where code lives
//
//	the library of a state, environments       library
//	the budget of a call, its instructions     budget, loop
//	what an instruction costs                  cost, weigh
//	tables that grow                           tables
//	print, pairs, tostring, metatables         base
//	string: the functions                      strings, format, search
//	table                                      table, sort
//	math                                       math
//	coroutine, os                              coroutine, times
//	pcall, xpcall, errors that were caught     protect
//	operators on fields and texts, their errors  access, concat, mistakes
//	arguments of functions                     args
//
// # What Lua this is
//
// Lua 5.1, compared with PUC Lua by running random programs in both. These are
// the differences. Missing or closed:
//
//   - dofile, load, loadstring, loadfile, getfenv, setfenv, module, require,
//     newproxy, collectgarbage, debug, io, package, string.dump, string.gfind,
//     table.foreach, table.getn, math.mod, and all of os but clock and time,
//     which tell the simulation's time. A host adds its own require.
//   - setmetatable takes tables only; getmetatable of a string, and of a
//     userdata without __metatable, is false.
//   - Methods of strings are those of the library, whatever a script assigns
//     to its string table.
//   - math.randomseed is an error unless the host's generator can be seeded.
//   - Weak tables and __gc have no effect.
//
// Wider than PUC Lua:
//
//   - assert passes on a message of any type; string.format's %s takes any
//     value; #t of a table with __len calls it; all as in Lua 5.2.
//   - table.sort is stable, and copes with a comparison that is true for equal
//     items. Not every comparison that is no order is noticed. Where it meets
//     values that cannot be compared, the error begins with the line of the call.
//   - next and a traversal go on after a key that is not in the table.
//   - coroutine.yield is a Lua function; a coroutine may be made of it.
//   - goto and empty statements, see package syntax.
//
// Different:
//
//   - Errors that Lua itself raises are worded differently. Their positions are
//     the same, but for expressions over several lines and for levels above 1
//     that reach across a protected call.
//   - The limits of a numeric for must be numbers; strings are not converted.
//   - a % b is exact for large a, where PUC Lua rounds; 5 % math.huge is 5.
//   - Not-a-number prints as nan whatever its sign. Which of 0 and -0 a literal
//     is, PUC Lua confuses when a function has both; so does this, elsewhere.
//   - string.format's %d of a number out of range gives the nearest integer,
//     and %a is unknown. tonumber knows neither "inf", "nan" nor hexadecimal
//     fractions.
//   - A pattern is checked as a whole before it is matched, so a malformed one
//     fails even where PUC Lua would not have read that far.
//   - The length of a table with holes may be another border than in PUC Lua,
//     and pairs another order: items of the list first, then keys in the order
//     in which they were first set.
//   - A table whose list grows past lua.MaxArrayIndex keeps the items, but #t
//     does not count them. Keys that were removed still take memory.
//   - A coroutine that returns a single nil returns nothing.
//   - Protected calls and resumed coroutines nest at most 150 deep in each
//     other, unless Options say otherwise; Lua functions nest as deep as the
//     state allows.
//   - tostring of a table, function, coroutine or userdata shows a number that
//     counts up, the same in each run, and no address.
//   - Where the manual leaves an order of evaluation open, see package syntax.
package stdlib
