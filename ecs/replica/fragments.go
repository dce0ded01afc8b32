package replica

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"math"
	"reflect"
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs/codec"
	"github.com/perigee-ecs/perigee/ecs/internal/capture"
)

// partKey names a part of a state: what it is, and of which set or pool, chunk and column. Parts
// are in the order of their keys.
type partKey uint64

// What a part is.
const (
	headPart       = iota + 1 // numbers of the world: see head
	runsPart                  // JSON: how often functions of World.Run have run
	livesPart                 // of the slots
	deathsPart                //
	freePart                  //
	reservedPart              //
	setPart                   // of a set: layouts, spare chunks, components
	setTablePart              // of a set, its chunks: class, rows, versions
	setColumnPart             // of a set, a column of a chunk
	poolPart                  // the same for pools
	poolTablePart             //
	poolColumnPart            //
	heapPart                  // of values with Go pointers: version, handles
	heapValuePart             // of a block of them: encoded
	relationsPart             // component and policy
	groupsPart                // of components: group, rows in it
	lookPart                  // JSON: what a query has seen
	streamPart                // JSON: how far the readers of an event have come
	eventsPart                // the events that wait
	systemPart                // times and counts of a system
	healthPart                // JSON: its health
	watcherPart               // JSON: the health of an observer
	noticesPart               // JSON: changes that wait for their report
	deferredPart              // handles that are to die
	resourcePart              // a resource, encoded
	lastPart
)

const (
	setBits, chunkBits, columnBits = 20, 20, 16
)

// keyOf makes a key.
func keyOf(what, set, chunk, column int) partKey {
	return partKey(what)<<(setBits+chunkBits+columnBits) | partKey(set)<<(chunkBits+columnBits) | partKey(chunk)<<columnBits | partKey(column)
}

// fragment is a part of a state, as bytes. It is never written.
type fragment struct {
	key   partKey
	bytes []byte
	sum   uint64 // 0: not known yet
}

// castagnoli is a polynomial for which processors have an instruction.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// summed returns the sum of a part. The sum of a state is that of all parts, so a part that stays need
// not be read.
func (p *fragment) summed() uint64 {
	if p.sum == 0 {
		x := uint64(p.key)*0x9e3779b97f4a7c15 + uint64(crc32.Checksum(p.bytes, castagnoli))<<32 + uint64(len(p.bytes))
		x = (x ^ x>>31) * 0xbf58476d1ce4e5b9
		p.sum = (x ^ x>>29) | 1
	}
	return p.sum
}

// same reports whether two parts have the same bytes.
func same(a, b []byte) bool {
	return len(a) == len(b) && (len(a) == 0 || unsafe.SliceData(a) == unsafe.SliceData(b) || string(a) == string(b))
}

// head is the first part of a state: its numbers, and how many of each other part there are.
type head struct {
	Tag, Seed, Random, Tick, Time, Owed, Before, Moves, AllMoves     uint64
	Sets, Pools, Heaps, Looks, Streams, Systems, Watchers, Resources uint64
	Slots                                                            uint64 // with an interest; else the lives say it
}

// cutting makes parts of a state.
type cutting struct {
	state  *capture.Content
	codecs *codec.Set
	parts  []fragment
}

// add adds a part: its key is above those of all before.
func (c *cutting) add(k partKey, bytes []byte) {
	c.parts = append(c.parts, fragment{key: k, bytes: bytes})
}

// json adds a part that is JSON.
func (c *cutting) json(k partKey, v any) error {
	text, err := json.Marshal(v)
	c.add(k, text)
	return err
}

// cut returns the parts of a state. Columns are those of the state, and not copied.
func cut(st *capture.Content, codecs *codec.Set, room []fragment) ([]fragment, error) {
	c := &cutting{state: st, codecs: codecs, parts: room[:0]}
	if len(st.Sets) >= 1<<setBits || len(st.Resources) >= 1<<setBits || len(st.Systems) >= 1<<setBits {
		return nil, fmt.Errorf("%w: a world of %d sets of components", ErrTooLarge, len(st.Sets))
	}
	c.begin()
	for _, step := range []func() error{c.slots, c.sets, c.pools, c.heaps, c.relations, c.watchers, c.notices, c.resources} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return c.parts, nil
}

// begin adds the head.
func (c *cutting) begin() {
	st, k := c.state, &c.state.Clock
	c.add(keyOf(headPart, 0, 0, 0), wordsOf(&head{
		uint64(st.Tag), st.Seed, st.Random, k.Tick, math.Float64bits(float64(k.Time)), math.Float64bits(float64(k.Owed)), k.Before, k.Moves, k.AllMoves,
		uint64(len(st.Sets)), uint64(len(st.Pools)), uint64(len(st.Heaps)), uint64(len(st.Looks)), uint64(len(st.Streams)),
		uint64(len(st.Systems)), uint64(len(st.Watchers)), uint64(len(st.Resources)), 0,
	}))
}

// wordsOf returns the bytes of a struct of words.
func wordsOf[T any](v *T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(v)), unsafe.Sizeof(*v))
}

// slots adds what is known of handles.
func (c *cutting) slots() error {
	if runs := c.state.Clock.Runs; len(runs) > 0 {
		if err := c.json(keyOf(runsPart, 0, 0, 0), runs); err != nil {
			return err
		}
	}
	s := &c.state.Slots
	c.add(keyOf(livesPart, 0, 0, 0), capture.Bytes(s.Lives))
	c.add(keyOf(deathsPart, 0, 0, 0), capture.Bytes(s.Deaths))
	c.add(keyOf(freePart, 0, 0, 0), capture.Bytes(s.Free))
	if len(s.Reserved) > 0 {
		c.add(keyOf(reservedPart, 0, 0, 0), capture.Bytes(s.Reserved))
	}
	return nil
}

// sets adds the rows of sets of components.
func (c *cutting) sets() error {
	for _, what := range []int{setPart, setTablePart, setColumnPart} {
		for i := range c.state.Sets {
			if err := c.rows(what-setPart, what, i, &c.state.Sets[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// pools adds the rows of pools.
func (c *cutting) pools() error {
	for _, what := range []int{poolPart, poolTablePart, poolColumnPart} {
		for i := range c.state.Pools {
			if err := c.rows(what-poolPart, what, i, &c.state.Pools[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// rows adds one of three parts of the rows of a set or a pool.
func (c *cutting) rows(which, what, i int, r *capture.Rows) error {
	if len(r.Chunks) >= 1<<chunkBits || len(r.Components) >= 1<<columnBits-1 {
		return fmt.Errorf("%w: a set of %d components with %d chunks", ErrTooLarge, len(r.Components), len(r.Chunks))
	}
	switch which {
	case 0:
		columns := 0
		if len(r.Chunks) > 0 {
			columns = len(r.Chunks[0].Versions)
		}
		words := []uint32{uint32(r.Layouts), uint32(len(r.Chunks)), uint32(columns), uint32(len(r.Spare))}
		for _, class := range r.Spare {
			words = append(words, uint32(class))
		}
		c.add(keyOf(what, i, 0, 0), capture.Bytes(append(words, r.Components...)))
	case 1:
		var words []uint64
		for j := range r.Chunks {
			k := &r.Chunks[j]
			words = append(append(words, uint64(k.Class), uint64(k.N)), k.Versions...)
		}
		if len(words) > 0 {
			c.add(keyOf(what, i, 0, 0), capture.Bytes(words))
		}
	default:
		for j := range r.Chunks {
			for column, bytes := range r.Chunks[j].Columns {
				c.add(keyOf(what, i, j, column), bytes)
			}
		}
	}
	return nil
}

// heapBlock is how many values are in one part. When one changes, its part is compared.
const heapBlock = 256

// heaps adds the values with Go pointers, each with its length.
func (c *cutting) heaps() error {
	for i := range c.state.Heaps {
		h := &c.state.Heaps[i]
		c.add(keyOf(heapPart, i, 0, 0), append(capture.Bytes([]uint64{uint64(h.Component), h.Version}), capture.Bytes(h.Handles)...))
	}
	for i := range c.state.Heaps {
		if err := c.heap(i, &c.state.Heaps[i]); err != nil {
			return err
		}
	}
	return nil
}

// heap adds the values of one component.
func (c *cutting) heap(i int, h *capture.Typed) error {
	of := &c.state.Components[h.Component]
	codec, err := c.codecs.For(of.Type)
	if err != nil {
		return fmt.Errorf("component %q: %w", of.Schema.Name, err)
	}
	blocks, err := encodeBlocks(len(h.Handles), func(row int) ([]byte, error) {
		return codec.Encode(unsafe.Add(h.Data, uintptr(row)*of.Type.Size()))
	})
	if err != nil {
		return fmt.Errorf("component %q: %w", of.Schema.Name, err)
	}
	for j, bytes := range blocks {
		c.add(keyOf(heapValuePart, i, j, 0), bytes)
	}
	return nil
}

// encodeBlocks encodes values, each after its length, in blocks.
func encodeBlocks(n int, encode func(row int) ([]byte, error)) (blocks [][]byte, err error) {
	if n >= heapBlock<<chunkBits {
		return nil, fmt.Errorf("%w: %d values", ErrTooLarge, n)
	}
	for at := 0; at < n; at += heapBlock {
		var bytes []byte
		for row := at; row < min(at+heapBlock, n); row++ {
			v, err := encode(row)
			if err != nil {
				return nil, err
			}
			bytes = append(binary.AppendUvarint(bytes, uint64(len(v))), v...)
		}
		blocks = append(blocks, bytes)
	}
	return blocks, nil
}

// relations adds the policies of relations, and the groups of pools.
func (c *cutting) relations() error {
	var words []uint32
	for _, r := range c.state.Relations {
		words = append(words, uint32(r.Component), uint32(r.Policy))
	}
	c.add(keyOf(relationsPart, 0, 0, 0), capture.Bytes(words))
	words = nil
	for i := range c.state.Components {
		words = append(words, uint32(c.state.Components[i].Group), uint32(c.state.Components[i].InAll))
	}
	c.add(keyOf(groupsPart, 0, 0, 0), capture.Bytes(words))
	return nil
}

// watchers adds queries, events, systems and observers.
func (c *cutting) watchers() error {
	st := c.state
	for i := range st.Looks {
		if err := c.json(keyOf(lookPart, i, 0, 0), &st.Looks[i]); err != nil {
			return err
		}
	}
	for i := range st.Streams {
		if err := c.json(keyOf(streamPart, i, 0, 0), &st.Streams[i]); err != nil {
			return err
		}
	}
	for i := range st.Streams {
		c.add(keyOf(eventsPart, i, 0, 0), capture.Bytes(st.Streams[i].Data))
	}
	for i := range st.Systems {
		s := &st.Systems[i]
		c.add(keyOf(systemPart, i, 0, 0), wordsOf(&systemNumbers{
			math.Float64bits(float64(s.Elapsed)), math.Float64bits(float64(s.Phase)), s.Runs, s.Skipped, map[bool]uint64{true: 1}[s.Disabled],
		}))
	}
	for i := range st.Systems {
		if err := c.json(keyOf(healthPart, i, 0, 0), &st.Systems[i].Breaker); err != nil {
			return err
		}
	}
	for i := range st.Watchers {
		if err := c.json(keyOf(watcherPart, i, 0, 0), &st.Watchers[i]); err != nil {
			return err
		}
	}
	return nil
}

// systemNumbers is what changes in each tick of a system.
type systemNumbers struct{ Elapsed, Phase, Runs, Skipped, Disabled uint64 }

// waitingNotice is a change that waits for its report.
type waitingNotice struct {
	capture.Notice
	There bool   `json:"there,omitempty"` // there is a removed value
	Data  []byte `json:"data,omitempty"`
}

// notices adds the changes that wait, and what is to die.
func (c *cutting) notices() error {
	var list []waitingNotice
	for i := range c.state.Notices {
		n := waitingNotice{Notice: c.state.Notices[i]}
		switch {
		case n.Kept != nil:
			v := reflect.ValueOf(n.Kept)
			codec, err := c.codecs.For(v.Type().Elem())
			if err != nil {
				return err
			}
			if n.Data, err = codec.Encode(v.UnsafePointer()); err != nil {
				return err
			}
			n.There = true
		case n.Value != nil:
			n.There, n.Data = true, n.Value
		}
		list = append(list, n)
	}
	if len(list) > 0 {
		if err := c.json(keyOf(noticesPart, 0, 0, 0), list); err != nil {
			return err
		}
	}
	if len(c.state.Deferred) > 0 {
		c.add(keyOf(deferredPart, 0, 0, 0), capture.Bytes(c.state.Deferred))
	}
	return nil
}

// resources adds the resources.
func (c *cutting) resources() error {
	for i := range c.state.Resources {
		r := &c.state.Resources[i]
		codec, err := c.codecs.For(r.Type)
		if err != nil {
			return fmt.Errorf("%w; a resource that is no state can be left out with snapshot.Leave", err)
		}
		data, err := codec.Encode(reflect.ValueOf(r.Saved).UnsafePointer())
		if err != nil {
			return fmt.Errorf("resource %s: %w", r.Type, err)
		}
		c.add(keyOf(resourcePart, i, 0, 0), data)
	}
	return nil
}
