// Command mutants measures how well the tests of a part of the runtime judge it: it makes
// thousands of small mistakes in its packages, one at a time, and counts those that no
// test notices. The part is the kernel compiler (lower, passes, vector and wasm), or what
// -of says: syntax (and analysis), bindings (the packages below bindings/internal), or
// hotreload.
//
//	go run ./tests/mutants -results /tmp/mutants.jsonl -sample 600
//	go run ./tests/mutants -results /tmp/mutants.jsonl -survivors
//	go run ./tests/mutants -of syntax -results /tmp/syntax.jsonl -sample 200 -quick
//
// There are three nouns.
//
//   - A Mutant is one mistake at one place: another operator, a condition denied or
//     dropped, a case or statement left out, operands or arguments exchanged, a
//     constant more or less.
//   - A Judge is a test binary with a choice of its tests. All judges are built
//     once, with all mutants in them: each place asks a variable, which the
//     environment sets, whether its mistake is to be made. (One build for each
//     mutant would take days.)
//   - A Verdict says which judge has noticed a mutant, and how; or none has.
//
// The judges come in the order of what they cost, and the first that fails ends it.
// A judge that needs five times as long as without a mutant, or three gigabytes, has
// noticed it, too: mistakes often lead to loops without end.
//
// Verdicts go to a file, a line each, and a mutant that is in it is not run again,
// so a run may be stopped and goes on where it was. A mutant is known by its file,
// the text of its line, its column and its kind, so verdicts outlive changes of
// other lines; so does a sample, which is drawn by what mutants are known by. Two
// processes may share the work: -shard 0/2 and -shard 1/2. What costs is survivors:
// with -quick the slowest judges are left out, and -again gives those that survived
// to all.
//
// A place where no mutant compiles has none: what the Go compiler refuses is left
// out. Mutants that cannot be told apart by any test are explained in survivors.txt,
// beside this file: by rule or one by one. They count as survivors and are not run.
// -survivors prints all others.
//
// # Where code lives
//
//	the command, the verdicts                 main
//	mistakes that are made                    mutate, switches
//	builds with all of them                   build
//	judges, and the processes that run them   judges, process
//	survivors that are explained              reasons
package main
