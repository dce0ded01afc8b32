package kerneltest

import (
	"encoding/binary"
	"math"
	"math/rand/v2"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting/internal/kernel/ir"
)

// This file holds a world in 40 KB, laid out as ecs.MemoryMap says, by hand and without
// package ecs: what a kernel finds in memory must follow from that description alone.

// Where a World lies in memory: below Size, in pieces that do not overlap.
const (
	Size        = 0x0A000
	scratch     = 0x04000
	records     = 0x06000
	directory   = 0x06400
	marks       = 0x06500
	tables      = 0x06600
	components  = 0x07000
	handles     = 0x09000 // of the rows
	rowColumns  = 0x09200
	extraColumn = 0x09A00
	slots       = 32
	living      = 8 // entities in slots from 1 on; some more have died
	tag         = 3
	unit        = 64
)

// World is a small world in a memory: some entities that live, some that are dead, and
// two components of which each entity has none, one or both.
type World struct {
	has [slots][2]uint32 // by slot: the address of each component, 0: none
}

// Map says where the world lies.
func (w *World) Map() ir.Memory {
	return ir.Memory{MemoryMap: ecs.MemoryMap{
		Records: records, Slots: slots, Directory: directory, Unit: unit, Scratch: scratch, ScratchEnd: records, Marks: marks,
	}}
}

// Components are the numbers of the two components in the world.
func (w *World) Components() []uint32 { return []uint32{4, 7} }

// Handle returns the handle of the entity that a slot has, or last had.
func Handle(slot int) uint64 { return uint64(slot%5+1)<<32 | tag<<24 | uint64(slot) }

// Fill writes the world, and rows at random, into a memory. A table has a place for each
// component that its entities have; there is one table for each set of components.
func (w *World) Fill(r *rand.Rand, memory []byte) {
	clear(memory[:Size])
	put := func(at int, v uint32) { binary.LittleEndian.PutUint32(memory[at:], v) }
	numbers := w.Components()
	for set := range 4 {
		at := tables + set*64
		put(directory+4*(set+1), uint32(at))
		put(at, 9) // how many components it knows
		for i, number := range numbers {
			if set>>i&1 != 0 {
				put(at+4+4*int(number), uint32(16+i*512))
			}
		}
	}
	put(records+8, 0xFF) // which bits of a life are the tag
	put(records+12, tag)
	for slot := 1; slot < slots/2; slot++ {
		at := records + 16*slot
		life := uint32(Handle(slot) >> 24)
		if slot > living {
			put(at+12, life)
			continue
		}
		set, chunk, row := r.IntN(4), components/unit+slot%2*32, slot
		put(at, life)
		put(at+4, uint32(set+1))
		put(at+8, uint32(chunk))
		put(at+12, uint32(row))
		for i := range numbers {
			w.has[slot][i] = 0
			if set>>i&1 != 0 {
				w.has[slot][i] = uint32(chunk*unit + 16 + i*512 + row*componentSizes[i])
			}
		}
	}
	for i := components; i < components+0x2000; i += 8 {
		binary.LittleEndian.PutUint64(memory[i:], math.Float64bits(someNumber(r)))
	}
	for slot := range slots {
		memory[marks+slot] = []byte{0, 0, 0, mark, 0x80}[r.IntN(5)]
	}
}

// mark is what marks entities to which a run has done something.
const mark = 5

var componentSizes = [2]int{16, 24}

// slot returns the slot of a handle, that of nobody for one that does not exist.
func (w *World) slot(h uint64) int {
	if at := int(h & (1<<24 - 1)); at < slots {
		return at
	}
	return 0
}

// mark is where an entity has its mark.
func (w *World) mark(h uint64) int { return marks + w.slot(h) }

// alive reports whether a handle is that of a living entity: by the slots that Fill has filled,
// and not by what is in memory.
func (w *World) alive(h uint64) bool {
	at := w.slot(h)
	return at >= 1 && at <= living && h == Handle(at)
}

// record returns the place of an entity's record, that of slot 0 for those who are dead
// and for 0, and Unclear for what was never the handle of an entity of this world.
func (w *World) record(h uint64) float64 {
	switch {
	case w.alive(h):
		return float64(records + 16*w.slot(h))
	case h == 0, h>>24&0xFF == tag && h >= 1<<32 && h < 1<<52:
		return records
	}
	return ir.Unclear
}

// find returns the place of a component of the entity with a record.
func (w *World) find(record uint32, component int) float64 {
	if at := w.has[(record-records)/16][component]; at != 0 {
		return float64(at)
	}
	return ir.Nowhere
}

// Fetch is what the host says of a component of an entity: some place, or one of the two
// where nothing is.
func (w *World) Fetch(call int, entity float64) float64 {
	switch {
	case entity != math.Trunc(entity):
		return ir.Unclear
	case int64(entity)%3 == 0:
		return ir.Nowhere
	}
	return float64(components + 8*(call%4))
}

// Ask is what the host says of an entity, not-a-number where it will not say.
func (w *World) Ask(call int, entity float64) float64 {
	if entity != math.Trunc(entity) {
		return math.NaN()
	}
	return math.Mod(entity, 7) + float64(call)
}

// Invoke is what a function of the host's own returns.
func (w *World) Invoke(call int, args []float64) float64 {
	sum := float64(call)
	for i, v := range args {
		sum += float64(v * float64(i+1))
	}
	if math.Mod(sum, 11) == 3 {
		return math.NaN()
	}
	return sum
}

// someNumber draws a number: a small one mostly, and now and then one at the end of
// things.
func someNumber(r *rand.Rand) float64 {
	switch r.IntN(12) {
	case 0:
		return []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), 1 << 53, 1e300, 5e-324, 255, 256, -129, 65535}[r.IntN(12)]
	case 1, 2:
		return float64(r.IntN(10)) + 0.5
	case 3:
		return r.NormFloat64() * 1000
	case 4:
		return float64(Handle(r.IntN(slots)))
	}
	return float64(r.IntN(12) - 3)
}
