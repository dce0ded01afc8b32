package save

import (
	"fmt"
	"slices"
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs/internal/capture"
)

// fits checks that a table has room for so many rows of at least so many bytes, before anything is multiplied that may
// be too large.
func (a *arrowReader) fits(rows int, each int64) error {
	if a.err == nil && (rows < 0 || rows > mostRows || int64(rows)*each > a.left) {
		a.err = wrong("%s has fewer rows than %d", a.name, rows)
	}
	return a.err
}

// least is how many bytes a value takes in a table, at least.
func (h *columnar) least() (bytes int64) {
	for i := range h.leaves {
		bytes += int64(h.leaves[i].size) / 8 // bools are bits
	}
	return bytes
}

// rowBytes is how many bytes a row of shapes takes, at least: it has a handle.
func rowBytes(shapes []*columnar) int64 {
	bytes := int64(8)
	for _, h := range shapes {
		bytes += h.least()
	}
	return bytes
}

// mostRows is more than any world has of anything.
const mostRows = 1 << 24

// slots reads which handles were issued.
func (l *saveLoader) slots() error {
	s, e := &l.state.Slots, &l.entry
	if e.SlotCount < 0 || e.SlotCount > mostRows || e.FreeCount < 0 || e.FreeCount > e.SlotCount {
		return wrong("there are %d slots, and %d wait", e.SlotCount, e.FreeCount)
	}
	columns, err := l.words(entitiesPart, slotFields, e.SlotCount)
	if err != nil {
		return err
	}
	s.Lives, s.Deaths = columns[0], columns[1]
	columns, err = l.words(freePart, freeFields, e.FreeCount)
	if err != nil {
		return err
	}
	s.Free = columns[0]
	return nil
}

// words reads columns of numbers of 32 bits.
func (l *saveLoader) words(name string, fields []arrowField, n int) ([][]uint32, error) {
	a, err := l.arrow(name, fields)
	if err != nil {
		return nil, err
	}
	columns := make([][]uint32, len(fields))
	for at := 0; at < n && a.err == nil; at += slotRows {
		rows := min(slotRows, n-at)
		buffers, err := a.batch(wordsBatch(rows, len(fields)))
		if err != nil {
			break
		}
		for i := range columns {
			columns[i] = append(slices.Grow(columns[i], n-at), wordsIn(buffers[2*i+1])...)
		}
	}
	return columns, a.finish()
}

// wordsIn returns bytes as numbers.
func wordsIn(b []byte) []uint32 {
	if len(b) == 0 {
		return nil
	}
	return unsafe.Slice((*uint32)(unsafe.Pointer(&b[0])), len(b)/4)
}

// sets reads the rows of the archetypes. Those that have become the same, as components are lost, are
// put together.
func (l *saveLoader) sets() error {
	st := l.state
	byKey := map[string]int{}
	for i := range l.entry.Sets {
		rows, err := l.rows(setPart(i), &l.entry.Sets[i])
		if err != nil {
			return err
		}
		if i == 0 && len(l.entry.Sets[0].Components) > 0 {
			return wrong("the first set is not the empty one")
		}
		key := fmt.Sprint(rows.Components)
		at, known := byKey[key]
		if !known {
			byKey[key] = len(st.Sets)
			st.Sets = append(st.Sets, *rows)
			continue
		}
		st.Sets[at].Chunks = append(st.Sets[at].Chunks, rows.Chunks...)
		st.Sets[at].Loose = true
	}
	return nil
}

// pools reads the rows of the pools in the arena.
func (l *saveLoader) pools() error {
	found := map[int]*capture.Rows{}
	for i := range l.entry.Pools {
		from := &l.entry.Pools[i]
		if len(from.Components) != 1 {
			return wrong("a pool has %d components", len(from.Components))
		}
		rows, err := l.rows(poolPart(i), from)
		if err != nil {
			return err
		}
		if len(rows.Components) == 0 {
			continue // it is lost
		}
		if id := int(rows.Components[0]); found[id] != nil {
			return wrong("there are two pools of component %q", l.of[from.Components[0]].entry.Name)
		} else {
			found[id] = rows
		}
	}
	for i := range l.state.Components {
		if l.state.Components[i].Kept != capture.InArenaPool {
			continue
		}
		rows := found[i]
		if rows == nil {
			rows = &capture.Rows{Components: []uint32{uint32(i)}, Layouts: 1}
		}
		l.state.Pools = append(l.state.Pools, *rows)
	}
	return nil
}

// rows reads a table of rows, and says what becomes of them in the world.
func (l *saveLoader) rows(name string, from *capture.Rows) (*capture.Rows, error) {
	targets, shapes, err := columnsOf(l.of, name, from.Components)
	if err != nil {
		return nil, err
	}
	to := &capture.Rows{Layouts: from.Layouts, Spare: from.Spare}
	order := make([]int, 0, len(targets)) // of the targets, by their numbers in the world
	for i, t := range targets {
		if t.to < 0 {
			to.Loose = true
			continue
		}
		order = append(order, i)
		to.Loose = to.Loose || int(l.state.Components[t.to].Schema.Size) != t.entry.Size
	}
	slices.SortFunc(order, func(a, b int) int { return targets[a].to - targets[b].to })
	for _, i := range order {
		to.Components = append(to.Components, uint32(targets[i].to))
	}
	a, err := l.arrow(name, tableOf(shapes).fields)
	if err != nil {
		return nil, err
	}
	for i := range from.Chunks {
		if err := l.chunk(a, to, &from.Chunks[i], targets, order, shapes); err != nil && a.err == nil {
			a.err = err
		}
	}
	return to, a.finish()
}

// columnsOf returns the components of a table, by their numbers in the save, and the shapes of those that have
// columns in it.
func columnsOf(all []destination, name string, ids []uint32) (list []*destination, shapes []*columnar, err error) {
	for i, id := range ids {
		if int64(id) >= int64(len(all)) || i > 0 && ids[i-1] >= id || all[id].entry.onHeap() {
			return nil, nil, wrong("%s has the components %v", name, ids)
		}
		list = append(list, &all[id])
		if all[id].from.size > 0 {
			shapes = append(shapes, all[id].from)
		}
	}
	return list, shapes, nil
}

// chunk reads one chunk.
func (l *saveLoader) chunk(a *arrowReader, to *capture.Rows, from *capture.Chunk, targets []*destination, order []int, shapes []*columnar) error {
	if len(from.Versions) != 1+len(shapes) {
		return wrong("%s has %d versions for %d columns", a.name, len(from.Versions), 1+len(shapes))
	}
	c := capture.Chunk{Class: from.Class, N: from.N, Versions: from.Versions[:1:1]}
	parts, versions := make([][][]byte, len(targets)), make([]uint64, len(targets))
	handles := []uint64(nil)
	if err := a.fits(from.N, rowBytes(shapes)); err != nil {
		return err
	}
	var buffers [][]byte
	if from.N > 0 {
		var err error
		if buffers, err = a.batch(tableOf(shapes).batch(from.N)); err != nil {
			return err
		}
		if err := l.spend(8 * int64(from.N)); err != nil {
			return err
		}
		handles = append(handles, unsafe.Slice((*uint64)(unsafe.Pointer(&buffers[1][0])), from.N)...)
		c.Columns = append(c.Columns, capture.Bytes(handles))
		buffers = buffers[2:]
	}
	at := 1
	for i, t := range targets {
		versions[i] = from.Versions[0]
		if t.entry.Size == 0 {
			continue
		}
		versions[i] = from.Versions[at]
		at++
		if from.N > 0 {
			parts[i] = buffers[:len(t.from.data)]
			buffers = buffers[len(t.from.data):]
		}
	}
	for _, i := range order {
		t := targets[i]
		if t.now == nil || t.now.size == 0 {
			continue
		}
		c.Versions = append(c.Versions, versions[i])
		if from.N == 0 {
			continue
		}
		if err := l.spend(int64(from.N) * int64(t.now.size)); err != nil {
			return err
		}
		if parts[i] == nil {
			parts[i] = make([][]byte, len(t.from.data)) // a tag that has got fields
		}
		column, err := t.values(parts[i], handles, from.N)
		if err != nil {
			return err
		}
		c.Columns = append(c.Columns, column)
	}
	to.Chunks = append(to.Chunks, c)
	return nil
}
