// Package journal remembers who has changed what in a world: it is how a tool says which system, and which
// line of a script, gave an entity a component, wrote a field, or ended it.
//
//	j, err := journal.Open(w, journal.Options{})
//	defer j.Close()
//	j.Watch(player)                        // its values, too
//	…
//	for _, e := range j.Of(player, 20) {   // the newest first
//		fmt.Println(e)                     // tick 1204: hp of Health 12 → 0, by "poison"
//	}
//
// There are two nouns.
//
//   - A [Journal] is a ring of the last changes of one world. It lives from Open to Close, and belongs to the
//     goroutine of the world.
//   - An [Entry] is one change: what it was, in which tick, the system that was at work, and the [ecs.Caller] at which
//     its command was recorded, which the host of the scripts knows the place of, with the prefab of which an entity was made.
//
// # What is remembered
//
// Of all entities: that they came and went, with whom they died, which components they got and lost, by which
// command components were written, and whose source in a relation they became. Of those that are watched, also
// each field that has another value after a system than before, whoever wrote it.
//
// A loop over columns is one system's work, so the entry names the system and no command. Of several commands each has
// the fields that it has written. Two systems that ran at the same time are not told apart: an entry names the one that
// ended first. What an observer writes in place counts as written by the system before it. What a component keeps outside of the fields of its schema is not compared, and fields of more than 64
// elements are compared as a whole, without values.
//
// Entries are in the order of the changes. What a host of scripts does before the systems of a step, as timers, has the
// tick of the step. A world that goes back to an earlier tick shows no entry of a later one; with the next change or step those
// are given up, and what is watched is known anew, so that nobody has written what a restore has brought.
//
// # Cost
//
//	not open         nothing
//	each change      some ten nanoseconds, and no allocation
//	an entity watched    30 ns for each of its components after each system, and more for what has another value
//	memory           152 bytes for each entry, taken by Open; for each field that was written up to 500 bytes
//	                 more, and the last values of what is watched
//	Of, Last         O(entries)
package journal
