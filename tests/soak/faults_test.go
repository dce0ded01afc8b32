package soak

import (
	"flag"
	"testing"

	"github.com/perigee-ecs/perigee/internal/planted"
)

var plantFaults = flag.Bool("faults", false, "build package ecs with one fault after the other and demand that a soak finds it")

// inECS is a mistake that package ecs might have.
func inECS(says, file, old, new string) planted.Fault {
	return planted.Fault{Says: says, File: "ecs/" + file, Old: old, New: new}
}

// faults concern what shows only in a large or an old world.
var faults = []planted.Fault{
	inECS("a pool counts a place less in its pages", "pool.go", "uintptr(e.Index()%perPage)*placeSize", "uintptr(e.Index()%(perPage-1))*placeSize"),
	inECS("a pool looks for the second page in the first", "pool.go", "base := p.store.arena.At(p.sparse[page] * arena.Unit)", "base := p.store.arena.At(p.sparse[page&^1] * arena.Unit)"),
	inECS("a row that fills a hole in another chunk of a pool keeps its chunk", "pool.go", "p.place(moved, *at)", "p.at(moved).row = at.row"),
	inECS("a pool has only its first two chunks in order", "pool.go", "return p.rows.chunks[i/per], i % per", "return p.rows.chunks[min(i/per, 1)], i % per"),
	inECS("a pool gives pages back that only their first half is empty of", "pool.go", "if !slices.ContainsFunc(places, func", "if !slices.ContainsFunc(places[:perPage/2], func"),
	inECS("a chunk that grows leaves its last row behind", "chunk.go", "uintptr(c.n)*col.size)", "uintptr(c.n-1)*col.size)"),
	inECS("a chunk that grows leaves its last handle behind", "chunk.go", "uintptr(c.n)*unsafe.Sizeof(Entity(0)))", "uintptr(c.n-1)*unsafe.Sizeof(Entity(0)))"),
	inECS("a chunk that grows forgets when it was written", "chunk.go", "copy(to.versions, c.versions)", "clear(to.versions)"),
	inECS("records of a chunk that moved are a row off past 255", "chunk.go", "to.layout.table, to.unit, uint32(row))", "to.layout.table, to.unit, uint32(row&255))"),
	inECS("compaction chooses a chunk that is a row too short", "archetype.go", "return l.capacity >= old.n }", "return l.capacity >= old.n-1 }"),
	inECS("a chunk that is moved is not given back", "archetype.go", "a.chunks[last] = short\n\ta.free(s, old)", "a.chunks[last] = short"),
	inECS("the row that fills a hole in another chunk keeps its record", "archetype.go", "s.slots.Place(s.slots.At(uint64(moved)), uint64(moved), c.layout.table, c.unit, uint32(row))", "if r := s.slots.At(uint64(moved)); c == last {\n\t\t\ts.slots.Place(r, uint64(moved), c.layout.table, c.unit, uint32(row))\n\t\t} else {\n\t\t\tr.Row = uint32(row)\n\t\t}"),
	inECS("a hole is filled as if all chunks had one layout", "archetype.go", "there, here := to.layout.columns, from.layout.columns[:len(to.layout.columns)]", "there, here := to.layout.columns, to.layout.columns[:len(to.layout.columns)]"),
	inECS("a run of new handles goes on a row too far", "internal/slots/slots.go", "row += uint32(n) - 1", "row += uint32(n)"),
	inECS("a run of rows is moved with its records off by one", "internal/slots/slots.go", "r.Table, r.Chunk, r.Row = table, chunk, row+uint32(i)", "r.Table, r.Chunk, r.Row = table, chunk, row+uint32(i&1023)"),
	inECS("a slot is issued again with the generation it had", "internal/slots/slots.go", "life := r.Row + s.step", "life := max(r.Row, s.step|s.base)"),
	inECS("slots are used again too soon", "internal/slots/slots.go", "if s.free > s.threshold || (s.free > 0 && int(s.used) == len(s.records)) {", "if s.free > s.threshold/2 || (s.free > 0 && int(s.used) == len(s.records)) {"),
	inECS("slots are used again in the wrong order", "internal/slots/slots.go", "\ts.tail = index\n\ts.free++", "\tif s.free++; s.free%512 != 0 || s.free == 1 {\n\t\ts.tail = index\n\t} else {\n\t\ts.records[index].Chunk, s.head, s.records[s.tail].Chunk = s.head, index, 0\n\t}"),
	inECS("slots do not retire", "internal/slots/slots.go", "if last == s.last {", "if last > s.last {"),
	inECS("a run of rows leaves the last behind", "batch.go", "copyBytes(c.cell(j, row), from.cell(i, at), column.size*uintptr(n))", "copyBytes(c.cell(j, row), from.cell(i, at), column.size*uintptr(max(n-1, 1)))"),
	inECS("chunks change hands with the records of before", "batch.go", "w.slots.Move(c.handles(0, c.n), c.layout.table, c.unit, 0)", "w.slots.Move(c.handles(0, c.n-1), c.layout.table, c.unit, 0)"),
	inECS("chunks that change hands are appended after one that is not full", "batch.go", "at--", "at += 0"),
	inECS("a full archetype that is wiped keeps its count", "batch.go", "a.chunks, a.count = a.chunks[:0], 0", "a.chunks = a.chunks[:0]"),
	inECS("a wiped entity stays in pools when its chunk is not the first", "batch.go", "if p.len() == 0 {\n\t\t\t\tcontinue\n\t\t\t}", "if p.len() == 0 || c != a.chunks[0] {\n\t\t\t\tcontinue\n\t\t\t}"),
	inECS("a heap pool forgets whom it has moved", "pool_heap.go", "p.index.Put(moved.Index(), row)", "p.index.Put(moved.Index(), row&4095)"),
	inECS("a copy of a value ends after two kilobytes", "batch.go", "for done := 1; done < n; {", "for done := 1; done < min(n, 3000); {"),
	inECS("room for many is one row short", "archetype.go", "n -= a.chunks[end].layout.capacity - a.chunks[end].n\n", "n -= a.chunks[end].layout.capacity - a.chunks[end].n + 1\n"),
}

// TestFaultsCanBePlanted: the file of each fault exists and has the piece that is replaced.
func TestFaultsCanBePlanted(t *testing.T) { planted.Stand(t, faults) }

// TestSoaksFindFaults builds package ecs with each of the faults in turn: one of the soaks
// must fail.
//
//	go test -count=1 ./tests/soak -run SoaksFindFaults -faults -timeout 0 -v
func TestSoaksFindFaults(t *testing.T) {
	if !*plantFaults {
		t.Skip("runs with -faults only: it builds the core once for each fault")
	}
	planted.Find(t, faults, "-run", "^TestSoak($|Of)", ".")
}
