package ecs

import (
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs/internal/arena"
	"github.com/perigee-ecs/perigee/ecs/internal/slots"
)

// Memory returns the arena: every byte that chunks, pools of pointer-free types
// and entity records lie in, for code that works in place on columns, such as
// compiled scripts. Its length is a multiple of 64 KiB, at most 65,535 times
// that; an address inside it minus that of its first byte fits in 32 bits. It
// neither moves nor grows, and it dies with the world: nil after Close, and when
// the system refuses the addresses, which are taken no later than here.
//
// What is written through it must be what the owner of those bytes would accept:
// the fields of components, within their kinds. Stamp columns with Chunk.Column.
func (w *World) Memory() []byte {
	if w.reserveArena() != nil {
		return nil
	}
	return unsafe.Slice((*byte)(w.arena.Base()), w.arena.Size())
}

// MemoryMap returns the map of Memory. O(1).
func (w *World) MemoryMap() MemoryMap {
	return MemoryMap{
		Records: arena.RecordsAt, Slots: uint32(min(w.arena.Slots(), slots.MaxSlots)), Directory: arena.DirectoryAt,
		Unit: arena.Unit, Scratch: arena.ScratchAt, ScratchEnd: arena.Page, Marks: w.arena.MarksAt(),
	}
}
