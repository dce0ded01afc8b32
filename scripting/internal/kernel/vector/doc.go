// Package vector finds out how several rows of a kernel, or several fields of a
// row, can be worked on by one instruction each.
//
// There are three nouns.
//
//   - A [Graph] is what the body computes for one row, without branches: values
//     that depend on values, down to what fields hold before and to what is the
//     same for all rows. Each value is there once.
//   - A lane is one value of one row. A [Vector] has the lanes that one
//     instruction computes.
//   - A [Plan] is a choice of vectors that gives every field that the body
//     assigns its value, for some rows at once.
//
// # Without branches
//
// Lanes go the same way, so both arms of a branch are computed, and each variable
// becomes a choice between what the arms leave in it. That is right because
// nothing in such a kernel can fail, and nothing but fields is changed. It is done
// here and not for kernels that work row by row: there a jump that is foreseen
// costs less than a choice does.
//
// # What vectors cannot do
//
// An arm that vectors cannot do, because it changes the world, calls the host, goes
// around or may stop, is left out, and the condition for it becomes a guard: rows
// for which it holds go one by one. So does a field that may not hold its value.
// That pays where few rows come there, as at the end of a timer; where most do, the
// attempts get rare.
//
// # Which lanes go together
//
// A plan begins with what is stored. It takes the assigned fields of some rows
// either in the order in which they lie in memory (x and y of a point side by
// side, as they are) or field by field (x of two rows). Lanes with the same
// operation become one, and so do their operands, down to the fields; where
// operations differ, there is no such choice. Of the choices that are left the
// cheapest by a count of instructions is taken, if row by row costs more.
//
// # Two widths
//
// A vector has four float32 or two float64. Kernels with precision = "f32" compute
// in the first what is computed with f32 fields; in others, that is done where it is
// proven to give the same bytes: see rounder. Where a function needs both, four lanes
// of float64 are two vectors, halves of a group, and truths are as wide as what they
// are used with.
//
// # Equal to the bit
//
// A lane computes what the scalar instruction does, in the same order of
// operands: the same rounding, the same not-a-number. Choices are by masks, not by
// the minimum and maximum of the machine, but for those that are the same.
//
// Making a graph takes time in proportion to the body, where early returns count
// once for each way after them; [New] gives up on bodies that have too many.
//
// # Where code lives
//
//	the graph of a row                             graph, flatten
//	the plan: which lanes go together              plan, pack, groups, convert
//	what it costs                                  cost
//	branches that few rows take                    rare
//	computing in 32 bits, and when that is exact   round, roundzero
//	what perigee explain says of it                notes
package vector
