package soak

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

var plantFaults = flag.Bool("faults", false, "build package ecs with one fault after the other and demand that a soak finds it")

// fault is a mistake that package ecs might have: a piece of a file, which is
// there once, and what stands there instead.
type fault struct{ says, file, old, new string }

// faults concern what shows only in a large or an old world. Each is a mistake
// that a hand could make.
var faults = []fault{
	{"a pool counts a place less in its pages", "pool.go", "uintptr(e.Index()%perPage)*placeSize", "uintptr(e.Index()%(perPage-1))*placeSize"},
	{"a pool looks for the second page in the first", "pool.go", "base := p.store.arena.At(p.sparse[page] * arena.Unit)", "base := p.store.arena.At(p.sparse[page&^1] * arena.Unit)"},
	{"a row that fills a hole in another chunk of a pool keeps its chunk", "pool.go", "*p.at(moved) = *at", "p.at(moved).row = at.row"},
	{"a pool has only its first two chunks in order", "pool.go", "return p.rows.chunks[i/per], i % per", "return p.rows.chunks[min(i/per, 1)], i % per"},
	{"a pool gives pages back that only their first half is empty of", "pool.go", "if !slices.ContainsFunc(places, func", "if !slices.ContainsFunc(places[:perPage/2], func"},
	{"a chunk that grows leaves its last row behind", "chunk.go", "uintptr(c.n)*col.size)", "uintptr(c.n-1)*col.size)"},
	{"a chunk that grows leaves its last handle behind", "chunk.go", "uintptr(c.n)*unsafe.Sizeof(Entity(0)))", "uintptr(c.n-1)*unsafe.Sizeof(Entity(0)))"},
	{"a chunk that grows forgets when it was written", "chunk.go", "copy(to.versions, c.versions)", "clear(to.versions)"},
	{"records of a chunk that moved are a row off past 255", "chunk.go", "r.Table, r.Chunk, r.Row = to.layout.table, to.unit, uint32(row)", "r.Table, r.Chunk, r.Row = to.layout.table, to.unit, uint32(row&255)"},
	{"compaction chooses a chunk that is a row too short", "archetype.go", "return l.capacity >= old.n }", "return l.capacity >= old.n-1 }"},
	{"a chunk that is moved is not given back", "archetype.go", "a.chunks[last] = short\n\ta.free(s, old)", "a.chunks[last] = short"},
	{"the row that fills a hole in another chunk keeps its record", "archetype.go", "r.Table, r.Chunk, r.Row = c.layout.table, c.unit, uint32(row)\n\t\tc.versions[0]", "if r.Row = uint32(row); c == last {\n\t\t\tr.Table, r.Chunk = c.layout.table, c.unit\n\t\t}\n\t\tc.versions[0]"},
	{"a hole is filled as if all chunks had one layout", "archetype.go", "there, here := to.layout.columns, from.layout.columns[:len(to.layout.columns)]", "there, here := to.layout.columns, to.layout.columns[:len(to.layout.columns)]"},
	{"a run of new handles goes on a row too far", "internal/slots/slots.go", "row += uint32(n) - 1", "row += uint32(n)"},
	{"a run of rows is moved with its records off by one", "internal/slots/slots.go", "r.Table, r.Chunk, r.Row = table, chunk, row+uint32(i)", "r.Table, r.Chunk, r.Row = table, chunk, row+uint32(i&1023)"},
	{"a slot is issued again with the generation it had", "internal/slots/slots.go", "stamp := r.Row + 1<<TagBits", "stamp := max(r.Row, 1<<TagBits|s.tag)"},
	{"slots are used again too soon", "internal/slots/slots.go", "if s.free > s.threshold || (s.free > 0 && int(s.used) == len(s.records)) {", "if s.free > s.threshold/2 || (s.free > 0 && int(s.used) == len(s.records)) {"},
	{"slots are used again in the wrong order", "internal/slots/slots.go", "\ts.tail = index\n\ts.free++", "\tif s.free++; s.free%512 != 0 || s.free == 1 {\n\t\ts.tail = index\n\t} else {\n\t\ts.records[index].Chunk, s.head, s.records[s.tail].Chunk = s.head, index, 0\n\t}"},
	{"slots do not retire", "internal/slots/slots.go", "if last>>TagBits == LastGeneration {", "if last>>TagBits > LastGeneration {"},
	{"a run of rows leaves the last behind", "batch.go", "copyBytes(c.cell(j, row), from.cell(i, at), column.size*uintptr(n))", "copyBytes(c.cell(j, row), from.cell(i, at), column.size*uintptr(max(n-1, 1)))"},
	{"chunks change hands with the records of before", "batch.go", "w.slots.Move(c.handles(0, c.n), c.layout.table, c.unit, 0)", "w.slots.Move(c.handles(0, c.n-1), c.layout.table, c.unit, 0)"},
	{"chunks that change hands are appended after one that is not full", "batch.go", "at--", "at += 0"},
	{"a full archetype that is wiped keeps its count", "batch.go", "a.chunks, a.count = a.chunks[:0], 0", "a.chunks = a.chunks[:0]"},
	{"a wiped entity stays in pools when its chunk is not the first", "batch.go", "if p.len() == 0 {\n\t\t\t\tcontinue\n\t\t\t}", "if p.len() == 0 || c != a.chunks[0] {\n\t\t\t\tcontinue\n\t\t\t}"},
	{"a heap pool forgets whom it has moved", "pool_heap.go", "p.sparse[moved.Index()] = int32(row + 1)", "p.sparse[moved.Index()] = int32(row&4095 + 1)"},
	{"a copy of a value ends after two kilobytes", "batch.go", "for done := 1; done < n; {", "for done := 1; done < min(n, 3000); {"},
	{"room for many is one row short", "archetype.go", "n -= a.chunks[end].layout.capacity - a.chunks[end].n\n", "n -= a.chunks[end].layout.capacity - a.chunks[end].n + 1\n"},
}

// TestSoaksFindFaults builds package ecs with each of the faults in turn, in an
// overlay that leaves the tree as it is: one of the soaks must fail.
//
//	go test -count=1 ./tests/soak -run SoaksFindFaults -faults -timeout 0 -v
func TestSoaksFindFaults(t *testing.T) {
	if !*plantFaults {
		t.Skip("runs with -faults only: it builds the core once for each fault")
	}
	dir := t.TempDir()
	for i, f := range faults {
		t.Run(f.says, func(t *testing.T) {
			overlay := f.plant(t, filepath.Join(dir, fmt.Sprint(i)))
			out, err := exec.Command("go", "test", "-count=1", "-overlay", overlay, "-run", "Soak(OfCrowds|OfOldWorlds|OfFullWorlds)?$", ".").CombinedOutput()
			if err == nil {
				t.Fatal("no soak has found it")
			}
			if strings.Contains(string(out), "[build failed]") || strings.Contains(string(out), "not reached") {
				t.Fatalf("it was not judged:\n%s", out)
			}
			t.Log(firstOf(string(out), ": after ", "panic: ", ".go:"))
		})
	}
}

// firstOf returns the first line that contains one of the texts.
func firstOf(out string, texts ...string) string {
	for _, text := range texts {
		for line := range strings.Lines(out) {
			if strings.Contains(line, text) && !strings.Contains(line, "PERIGEE_SEED") {
				return line[:min(len(line), 200)]
			}
		}
	}
	return ""
}

// read returns the path and the text of the fault's file, in which the piece that the
// fault replaces stands once.
func (f *fault) read(t *testing.T) (path, text string) {
	path, err := filepath.Abs(filepath.Join("..", "..", "ecs", filepath.FromSlash(f.file)))
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(content), f.old); n != 1 {
		t.Fatalf("%s has %q %d times", f.file, f.old, n)
	}
	return path, string(content)
}

// TestFaultsCanBePlanted: the file of each fault exists and has the piece that is replaced.
func TestFaultsCanBePlanted(t *testing.T) {
	for _, f := range faults {
		t.Run(f.says, func(t *testing.T) { f.read(t) })
	}
}

// plant writes the file with the fault and an overlay that puts it in its place.
func (f *fault) plant(t *testing.T, at string) (overlay string) {
	path, text := f.read(t)
	places, err := json.Marshal(map[string]any{"Replace": map[string]string{path: at + ".go"}})
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		at + ".go": strings.Replace(text, f.old, f.new, 1), at + ".json": string(places),
	} {
		if err := os.WriteFile(name, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return at + ".json"
}
