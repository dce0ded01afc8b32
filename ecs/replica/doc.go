// Package replica keeps copies of a world in other processes up to date, by messages of what has
// changed: for servers with clients that watch, for a second server that can take over, for viewers.
//
//	source, err := replica.NewSource(w, replica.Options{}) // where the world is
//	message, err := source.Next()                          // after each step
//
//	copy, err := replica.New(w2, replica.Limits{})         // elsewhere
//	err = copy.Apply(message)
//
// There are three nouns.
//
//   - A [Source] makes the messages of a world. The same messages go to any number of replicas.
//   - A message is a slice of bytes, and has a number. It is full, or a delta from the state of the number before.
//   - A [Replica] makes another world what the messages say.
//
// # What a replica is
//
// Without a filter, the replica's world is what the world of the source is, as if it had been
// captured there and restored here by package snapshot: the same handles, order of rows, values, hierarchy, events,
// resources, random numbers, clock. Its checksum is the same, and if it is stepped with the same inputs
// from then on, it goes on as the other does. Both worlds need the same components, relations and events,
// registered in the same order, and the same tag: see [Tag].
//
// With a [Filter], the replica has some entities with some of their components, under the same
// handles, and the links between those that it has. Its components are found by name; it may have others. It has no
// events, resources or random numbers of the source. What is filtered is not in the messages: not in bytes between
// fields either.
//
// An apply replaces the world. What the replica's own code has written since is gone; its hooks and observers
// get nothing, as after a restore. See package snapshot for what queries with Changed find.
//
// # Lost, doubled, reordered
//
// A delta fits one state. A replica that has another one refuses it and stays what it is: with
// [ErrOld] what it has already, such as a message that comes twice; with [ErrGap] what comes too early, because one before it is
// missing. Then it asks for a full message ([Source.Full]), which fits any state. Bytes that were changed on the way, or
// are of somebody who only pretends, are refused with an error, too: before the world is touched everything is checked,
// and the result has to have the sum that the source has found. Nothing here says who sent a
// message: that is for the connection to know.
//
// # What a message has
//
// A state is cut into parts: a column of a chunk is one, the clock another. A delta has the parts that have
// changed, and of each only the words that have: rows of a column that stay the same take no bytes, whether the component
// is tracked or not. A column that was not written since the message before is not even looked at. A row that
// moves, because another one in front of it has gone, is sent. With Options.Compress the whole is compressed by zstd.
//
// # Cost
//
//	Source.Next       the capture of a snapshot (O(bytes changed since)), then O(bytes changed, columns, slots)
//	Source.Full       O(bytes)
//	Replica.Apply     O(bytes of the world): 0.3 ms for 10,000 entities, 40 ms for a million
//
// With a filter, Next is O(entities × components of the filter) instead.
//
// # Where code lives
//
//	messages of a world                    source
//	some entities and components of it     filter
//	what messages make of a world          replica
//	frames: numbers, sums, compression     message
//	states in parts, and back              parts, read
//	what differs between two parts         diff
//	what a world has declared              declaration
package replica
