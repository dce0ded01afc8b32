// Package fuzz holds fuzzers of what a host lets scripts do: programs that are
// written out of bytes by a grammar, so that nearly all of them load and act.
// Bytes that a fuzzer changes change a choice: a name, a number, a text of a
// megabyte, a table that holds itself.
//
// Each fuzzer prefers another part of what there is: the top level of files and
// reloads, prefabs, timers, events, logs. All have one judge, see play; a
// process that they run in has a ceiling of addresses, so that what would take
// all memory ends the process, and the input that did it is kept.
package fuzz
