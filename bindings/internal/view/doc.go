// Package view turns a query into views of rows ([rows.View]).
//
// There are two nouns.
//
//   - A [Viewer] cuts the chunks of a query into views, in the query's order: a long chunk
//     as it lies in memory, in parts; short chunks gathered.
//   - An [Aside] is a view of copies: rows of entities to which the running call has done
//     something are shown as they are by now, and what is written into the copies is
//     recorded as one more change.
//
// # Invariants
//
// The views of a query have each of its rows once, in the order of the query. A part of a
// chunk has at most [Viewer].Most rows. Gathered rows may differ in the optional components
// that they have, unless [Viewer].Alike is set, as it is for batches: then a view ends where
// a chunk with others begins. A copy of an Aside is recorded only in the fields that were
// written.
//
// # Lifetimes
//
// A view and its columns are good inside of the function that got it. The viewer uses the
// memory again for the next one; nothing may change the structure of the world meanwhile.
//
// # Writing
//
// Whoever writes into a column opens it first: the old bytes are kept for the undo of the
// call, and the rows are stamped as changed. That is the transaction's: see package tx,
// [tx.Runner.Open].
package view
