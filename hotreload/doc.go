// Package hotreload watches a folder of scripts and says which of them really
// changed, once an editor has finished saving.
//
// Most hosts need one call: [Follow] watches a folder, loads it into a host, and stages
// every save there. The rest of the package is for programs that read files themselves.
//
// There are six nouns. A [Watcher] looks after one folder, from [Watch] until
// [Watcher.Close]. [Options] tell it how long to wait and which files count. A
// [Sink] receives each [Change]: one settled set of changed and removed files,
// with a [Problem] for each one that cannot be read. The baseline is what the
// folder held when Watch returned; every Change is relative to it.
//
// # Where code lives
//
//	a folder that a host follows              follow
//	a folder that is read once                plain
//	the Watcher, options                      watcher, options
//	changes, problems, the sink               change
//	names and texts of files                  folder, open_unix, open_other
//	events of the operating system, polling   events, poll, inbox
//	the goroutine that settles a save         loop, look, pending
//	hashes: what the host has of each file    ledger
//	folders that are watched                  tree
//
// # Lifetimes
//
// A Change and its slices belong to the sink; the Watcher keeps no reference.
// All calls of a sink come from one goroutine, one after another, and none
// comes after Close has returned. Close waits for a call that is still running,
// so a sink that calls Close itself gets ErrBusy.
//
// # Loading without losing a save
//
// Start watching first and load afterwards, through the Watcher:
//
//	w, err := hotreload.Watch("scripts", sink, hotreload.Options{})
//	for _, name := range w.Files() {
//		text, err := w.ReadFile(name)
//		…
//	}
//
// A save before Watch is in the baseline, and a save after it leads to a Change.
// ReadFile remembers the bytes it returned: if the disk turns out to differ from
// them, that is a Change as well, even if a save was undone meanwhile. During a call of
// the sink it returns the very content that led to the Change: a file is read and hashed
// once for each save. Loading
// first and watching afterwards would take a save between the two into the
// baseline, and it would never run.
//
// The sink may be called before Watch has returned, so a sink hands its Change
// to the goroutine that holds the Watcher (a game does so anyway: it swaps
// scripts between two ticks). Each set is handed over once; a host that refuses
// one keeps the names and tries them again together with the next.
//
// # Invariants
//
//   - Content decides, never events: touch, chmod and a save without an edit are
//     silent.
//   - If nothing is due, the SHA-256 of each file on the disk equals both what was
//     handed over last and what ReadFile returned since. A host may get content once
//     more that it has read on its own; it is never left with other content.
//   - Nothing is called gone or unreadable at first sight: a second look, one
//     settle later, must agree, because many editors save by renaming.
//   - A folder is watched before it is listed, so no file falls in between.
//
// # Decisions
//
// Why folders and never files? Most editors replace the file, and a watch on
// the old one dies with it.
//
// Why SHA-256 and not a faster hash? A collision would be a save that is never
// seen, and the cost does not matter: scripts are kilobytes, and reading them
// takes longer. A seeded 64-bit hash would save microseconds per save.
//
// Why is one set settled as a whole and not each file alone? A branch switch or
// a rename touches files that depend on each other; a host that saw half of it
// would refuse a state that never was meant to run.
//
// Why are linked folders not followed? Two names of one folder share one watch
// in the operating system, so events would arrive under either name, and a loop
// of links would have no end. They are reported as a Problem. Linked files are
// read through, and are looked at whenever anything else is; a target outside
// of the folder raises no event by itself, so use Options.Poll for those.
package hotreload
