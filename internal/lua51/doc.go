// Package lua51 runs chunks of Lua in the programs that tests compare with: lua5.1,
// which defines the language, and luajit, which has goto and yields across pcall besides.
//
// There are two nouns. A [Program] is such a program, installed on this machine; it lives
// as long as the test and holds nothing. A [Result] is what one chunk printed and the
// error that ended it. Many chunks run in one process, each with globals of its own and a
// bound of instructions, so a thousand chunks take a fraction of a second.
package lua51
