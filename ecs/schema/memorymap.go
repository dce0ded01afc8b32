package schema

// MemoryMap says where in Memory the tables lie that lead from a handle to a
// value. With them, code over the same bytes does what Component.Peek does, and
// what World.Alive does. All are offsets from the first byte, in bytes, and stay
// what they are as long as the world lives.
//
// A handle is a slot's number in its low 24 bits and a life above. Some bits of
// the life are the tag of the world that issued it: those of the chunk of slot 0, and what they
// are is its row. The slot's record is four uint32: the life of
// the handle that is alive there, 0 for none; the number of a table; a chunk; a
// row. Of a slot without a living handle, row is the last life issued. The
// directory has a uint32 for each table: where it is. A table begins with how
// many components it knows and has a uint32 for each of them, by ComponentID: 0
// says that the entity lacks it or keeps it in a pool. Else the value is at
//
//	chunk * Unit + table[component] + row * size
//
// Tables, like chunks, change with the structure of the world and not while it
// is iterated. Table 0 and slot 0 belong to no entity and have no component.
type MemoryMap struct {
	Records   uint32 // of slot 0; 16 bytes each
	Slots     uint32 // how many records there are; a handle's slot may be beyond
	Directory uint32 // of table 0; 4 bytes each
	Unit      uint32 // bytes that chunks are counted in, a power of two

	// Between Scratch and ScratchEnd are bytes that the world uses for nothing.
	// They are for code over its memory to leave something in, for as long as one
	// call takes: the next call may write there, too. They are part of no
	// checksum.
	Scratch, ScratchEnd uint32

	// Marks is a byte for each slot, which the world uses for nothing either and does
	// not change. It is 0 at first.
	Marks uint32
}
