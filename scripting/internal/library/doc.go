// Package library is the standard library that scripts get, on the values of package
// machine.
//
// There is one noun, the [Library]: what the scripts of one machine share. It lives as long
// as the machine and, like it, belongs to one goroutine at a time. Env makes an environment,
// the table of globals of one script; each environment has its own copies of the string,
// table, math, coroutine and os tables, so what one script does to them no other script
// sees.
//
// # How a script is limited
//
// The machine counts instructions, and bytes where tables grow. A function that works longer
// than an instruction charges for that before it does the work; a text is measured before it
// is made. So a call is stopped at the same place in each run, whatever it does. Coroutines
// are counted by the environment of their function.
//
// # Where code lives
//
//	the library of a machine, environments     library
//	what the machine asks it                   mistakes
//	what the functions cost                    cost
//	its instructions counted: the budget       budget
//	arguments; tables of the host              args, tables
//	print, pairs, tostring, metatables         base
//	string: the functions                      strings, format, search
//	table                                      table, sort
//	math                                       math
//	coroutine, os                              coroutine, times
//
// What needs no values of Lua is in packages below: patterns, conversions of format, the
// sort, and notes of errors and of values.
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
//   - A coroutine may yield across pcall, metamethods and iterators.
//   - table.sort is stable, and copes with a comparison that is true for equal
//     items. Not every comparison that is no order is noticed. Where it meets
//     values that cannot be compared, the error begins with the line of the call.
//   - goto and empty statements, see package syntax.
//
// Different:
//
//   - Errors that Lua itself raises are worded differently. Their positions are
//     the same, but for expressions over several lines.
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
//   - tostring of a table, function, coroutine or userdata shows a number that
//     counts up, the same in each run, and no address.
//   - Where the manual leaves an order of evaluation open, see package syntax.
package library
