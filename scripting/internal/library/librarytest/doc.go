// Package librarytest has what both standard libraries are judged by, the one on gopher-lua's
// values and the one on the machine's: scripts beside what they print, and random programs.
//
// There are two nouns. A [Case] is a script with its output. A [Program] of a seed ends soon,
// prints what it computes, and touches nothing whose result Lua leaves open.
package librarytest
