// Package kerneltest has what the tests of the compiler's packages share.
//
// There are three nouns.
//
//   - A [Sample] is a text with the values that its names would have, without a VM:
//     what lower needs, and nothing that runs.
//   - A [Machine] evaluates the intermediate form, one row after the other and
//     as plainly as possible: the judge of the passes and of the instructions.
//   - A [Draw] makes kernels of that form at random.
//
// Only tests import it.
//
// # Where code lives
//
//	scripts with values for their names           sample
//	kernels from texts                            read
//	kernels at random, and calls of them          draw, draw_expr, draw_call
//	what was drawn                                coverage
//	evaluating a kernel, comparing what it left   machine, run
//	the world that kernels work on                world
package kerneltest
