package ecs

import (
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs/internal/arena"
	"github.com/perigee-ecs/perigee/ecs/internal/slots"
)

// memory is Raw.Memory.
func (w *World) memory() []byte {
	if w.reserveArena() != nil {
		return nil
	}
	return unsafe.Slice((*byte)(w.arena.Base()), w.arena.Size())
}

// memoryMap is Raw.MemoryMap.
func (w *World) memoryMap() MemoryMap {
	return MemoryMap{
		Records: arena.RecordsAt, Slots: uint32(min(w.arena.Slots(), slots.MaxSlots)), Directory: arena.DirectoryAt,
		Unit: arena.Unit, Scratch: arena.ScratchAt, ScratchEnd: arena.Page, Marks: w.arena.MarksAt(),
	}
}
