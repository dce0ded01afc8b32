// Package codec says how values of Go types become bytes, and values again: for saves and for
// replicas, which get values from files and from other processes.
//
// A value of a component without Go pointers is bytes already and needs none of this. For all others, and
// for resources, there are four ways, of which the first one that there is counts:
//
//   - a [Codec] that the program gives;
//   - the methods MarshalBinary and UnmarshalBinary of the type;
//   - its methods MarshalText and UnmarshalText;
//   - if it is made of bools, numbers, strings, and lists, maps and structs of these, and all fields are
//     exported: JSON that keeps every bit, see [Codec.Plain].
//
// Where the fields of such a type have changed, a save that is older is read by their names: new ones are what the zero
// value has, and what would be lost is refused by a load that may lose nothing. For fields with other names, and other kinds of values, the type gets
// MarshalText and UnmarshalText, which reads the old form with [FromPlain].
//
// A type with pointers, such as a map, needs a method Clone() T besides, for snapshots: see package snapshot.
//
// For any other type a save is refused ([ErrNone]), and the error names the part that stands in the way.
//
// What is decoded may come from anybody: a value of JSON takes at most 64 bytes of memory for each byte of its
// text, and an error is all that wrong data does. A codec of the program has to see to that
// itself; if it panics, that is an error, too.
//
// # Where code lives
//
//	codecs, and which one a type has   codec
//	values as JSON                     plain
package codec
