// Package twin judges a world of package ecs by comparing it with one that is too simple
// to be wrong.
//
// There are three nouns.
//
//   - A [Model] is a world made of maps and slices, with no regard to speed.
//   - An [Op] is one operation in five bytes, so that a fuzzer can write it.
//   - A [Twin] is a world and a model; it applies each Op to both and compares
//     their results, and on request everything that they hold.
//
// A failure names the operation and the difference. Operations are drawn by a
// property test or a fuzzer, which print what is needed to replay them.
//
// What is compared: every public operation that changes a world or reads it,
// with its error; every value, through Get and through queries; the hierarchy;
// the notices that observers get, in order, with removed values; events; the changes
// of tracked components, of which a copy is kept by deltas alone. What is
// not: the order in which queries yield, which package ecs tests by itself.
//
// # Where code lives
//
//	operations, drawn and done              op, do, kinds, blocks
//	the slow model                          model, order, relations, mailbox, notes
//	the world and the model, side by side   twin, compare, look, step, record
//	what deltas say has changed             tracked
//	what reports say has changed            reported
//	operations, by subject                  batch, instance, migrate, refused, reuse, rewind, rules, snapshot, transfer
//	fields of types defined at run time     layouts
//	which operations met which states       reach
package twin

// T is what a comparison needs of a test: *testing.T, *testing.B, *testing.F and
// *rapid.T have it.
type T interface {
	Helper()
	Fatalf(format string, args ...any)
}
