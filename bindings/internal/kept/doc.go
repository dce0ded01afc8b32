// Package kept keeps tables of scripts as they were at one moment: for a snapshot in memory, and
// for a saved game.
//
// There are two nouns.
//
//   - A [Survey] goes from some roots to all tables that these lead to, and finds what cannot be
//     kept. It copies nothing, so that what may fail is over before anything is copied.
//   - [Copies] are the copies of what a walk has found: which table leads to which, cycles and
//     tables that are found in two places included. They can be put back, laid into new tables,
//     also of another machine, and written as JSON.
//
// Plain data is kept: numbers with their bits, texts of any bytes, booleans and tables of them, with
// keys that are no tables. A function, a coroutine, a value of the host and a table with a metatable
// of the script's belong to the code that runs, and are refused with the path that leads to them.
//
// What a table is beyond its entries (the place of a removed key, the room of a list) is kept as
// well: see [machine.Contents].
package kept
