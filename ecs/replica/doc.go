// Package replica keeps copies of a world in other processes up to date, by messages of what has
// changed: for servers with clients that watch, for a second server that can take over, for viewers.
//
//	primary, err := replica.NewPrimary(w, replica.PrimaryOptions{}) // where the world is
//	message, err := primary.Next()                                  // after each step
//
//	copy, err := replica.New(w2, replica.Options{})                 // elsewhere
//	err = copy.Apply(message)
//
// The example 16-replicas is a server with viewers over TCP.
//
// There are three nouns.
//
//   - A [Primary] makes the messages of a world. The same messages go to any number of replicas.
//   - A message is a slice of bytes, and has a number. It is full, or a delta from the state of the number before.
//   - A [Replica] makes another world what the messages say.
//
// # What a replica is
//
// Without an [Interest], the replica's world is what the world of the primary is, as if it had been
// captured there and restored here by package snapshot: the same handles, order of rows, values, hierarchy, events,
// resources, random numbers, clock. Its checksum is the same, and if it is stepped with the same inputs
// from then on, it goes on as the other does. What scripts keep beside the world (ecs.state, timers, tasks) is in no message: where a
// replica of a game with scripts is to take over, send scripting.Snapshot.Scripts too, encoded, and have scripting.Host.RestoreScripts
// take it. Both worlds need the same components, relations and events,
// registered in the same order, and the same tag: see [Tag].
//
// With an [Interest], the replica has some entities with some of their components, under the same
// handles, and the links between those that it has. Its components are found by name; it may have others. It has no
// events, resources or random numbers of the primary. What is left out is not in the messages: not in bytes between
// fields either.
//
// An apply replaces the world. What the replica's own code has written since is gone; its hooks and observers
// get nothing, as after a restore. See package snapshot for what queries with Changed find.
//
// # Lost, doubled, reordered
//
// A delta fits one state. A replica that has another one refuses it and stays what it is: with
// [ErrOld] what it has already, such as a message that comes twice; with [ErrGap] what comes too early, because one before it is
// missing. Then it asks for a full message ([Primary.Full]), which fits any state. Bytes that were changed on the way, or
// are of somebody who only pretends, are refused with an error, too: before the world is touched everything is checked,
// and the result has to have the sum that the primary has found. Nothing here says who sent a
// message: that is for the connection to know.
//
// # What a message has
//
// A state is cut into parts: a column of a chunk is one, the clock another. A delta has the parts that have
// changed, and of each only the words that have: rows of a column that stay the same take no bytes, whether the component
// is tracked or not. A column that was not written since the message before is not even looked at. A row that
// moves, because another one in front of it has gone, is sent. With PrimaryOptions.Compress the whole is compressed by zstd.
//
// # Cost
//
//	Primary.Next      the capture of a snapshot (O(bytes changed since)), then O(bytes changed, columns, slots)
//	Primary.Full      O(bytes)
//	Replica.Apply     O(bytes of the world): 0.3 ms for 10,000 entities, 40 ms for a million
//
// With an interest, Next is O(entities × components of the interest) instead.
//
// # Where code lives
//
//	messages of a world                    primary
//	some entities and components of it     interest
//	what messages make of a world          replica
//	messages: numbers, sums, compression   message
//	states in fragments, and back          fragments, read
//	what differs between two fragments     diff
//	what a world has declared              declaration
package replica
