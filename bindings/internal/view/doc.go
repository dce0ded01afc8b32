// Package view turns a query into runs of rows.
//
// There are three nouns.
//
//   - A [View] is a run of rows for one call into Lua or into a kernel: a part of a chunk
//     as it lies in memory, or rows gathered from short chunks. A [Column] of it finds the
//     values of one term.
//   - A [Viewer] cuts the chunks of a query into views, in the query's order.
//   - An [Aside] is a view of copies: rows of entities to which the running call has done
//     something are shown as they are by now, and what is written into the copies is
//     recorded as one more change.
//
// A view is the one shape that rows have from the query to the kernel.
//
// # Lifetimes
//
// A view and its columns are good inside of the function that got it. The viewer uses the
// memory again for the next one.
//
// # Writing
//
// Whoever writes into a column opens it first: the old bytes are kept for the undo of the
// call, and the rows are stamped as changed ([View.Open]).
package view
