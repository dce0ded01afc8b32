package replica

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs/codec"
	"github.com/perigee-ecs/perigee/ecs/internal/capture"
	"github.com/perigee-ecs/perigee/ecs/internal/slots"
	"github.com/perigee-ecs/perigee/ecs/schema"
)

// joining makes a state of parts that may come from anybody. What a world takes for granted is checked by
// ecs.Raw.Compose; here it is about what values of Go and of scripts take for granted, and about memory.
type joining struct {
	parts  []fragment
	at     int
	state  *capture.Content
	head   head
	said   *declaration // of the primary
	codecs *codec.Set
	budget int // bytes that decoded values may still take
}

// damaged is the error for parts that make no state.
func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrDamaged, fmt.Sprintf(format, args...))
}

// part returns the bytes of a part, and goes on to the next one.
func (j *joining) part(k partKey) ([]byte, bool) {
	if j.at == len(j.parts) || j.parts[j.at].key != k {
		return nil, false
	}
	j.at++
	return j.parts[j.at-1].bytes, true
}

// words returns a part that is numbers. One that is not there has none.
func words[T uint32 | uint64](j *joining, k partKey) ([]T, error) {
	bytes, _ := j.part(k)
	if len(bytes)%int(unsafe.Sizeof(T(0))) != 0 {
		return nil, damaged("part %#x has %d bytes", uint64(k), len(bytes))
	}
	if len(bytes) == 0 {
		return nil, nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(&bytes[0])), len(bytes)/int(unsafe.Sizeof(T(0)))), nil
}

// jsonRoom is how many bytes of memory a byte of JSON may become.
const jsonRoom = 64

// json reads a part that is JSON, if it is there.
func (j *joining) json(k partKey, to any) error {
	text, ok := j.part(k)
	if !ok {
		return nil
	}
	if j.budget -= jsonRoom * len(text); j.budget < 0 {
		return fmt.Errorf("%w: part %#x has %d bytes of JSON", ErrTooLarge, uint64(k), len(text))
	}
	if err := json.Unmarshal(text, to); err != nil {
		return damaged("part %#x: %v", uint64(k), err)
	}
	return nil
}

// readHead reads the first part.
func readHead(parts []fragment) (h head, err error) {
	if len(parts) == 0 || parts[0].key != keyOf(headPart, 0, 0, 0) || len(parts[0].bytes) != int(unsafe.Sizeof(h)) {
		return h, damaged("it does not begin with the numbers of a world")
	}
	copy(wordsOf(&h), parts[0].bytes)
	n := uint64(len(parts))
	for _, count := range h.counts() {
		if count > n {
			return h, damaged("%d parts of one kind, of %d in all", count, n)
		}
	}
	if h.Tag > math.MaxUint16 {
		return h, damaged("the tag %d", h.Tag)
	}
	return h, nil
}

// counts returns how many parts there are of each kind that is counted.
func (h *head) counts() []uint64 {
	return []uint64{h.Sets, h.Pools, h.Heaps, h.Looks, h.Streams, h.Systems, h.Watchers, h.Resources}
}

// What takes memory beside the bytes of parts, at most: a set, query or system, a chunk, a word of the shape of a set.
const (
	countedRoom = 256
	chunkRoom   = int(unsafe.Sizeof(capture.Chunk{}))
	columnRoom  = 64 // with the version
	shapeRoom   = 32
)

// charge takes bytes from the budget.
func (j *joining) charge(n int) error {
	if j.budget -= n; j.budget < 0 {
		return fmt.Errorf("%w: what is decoded takes more memory than the limit", ErrTooLarge)
	}
	return nil
}

// join makes the state of a world of parts. own is what the replica's world has declared, ids which
// component of it each of those that the primary has said is.
func join(parts []fragment, said *declaration, own *capture.Content, ids []int, codecs *codec.Set, budget int) (*capture.Content, error) {
	h, err := readHead(parts)
	if err != nil {
		return nil, err
	}
	j := &joining{parts: parts, at: 1, head: h, said: said, codecs: codecs, budget: budget}
	j.state = &capture.Content{
		Tag: uint16(h.Tag), Seed: h.Seed, Random: h.Random,
		Clock: capture.Clock{
			Tick: h.Tick, Time: capture.Float(math.Float64frombits(h.Time)), Owed: capture.Float(math.Float64frombits(h.Owed)),
			Before: h.Before, Moves: h.Moves, AllMoves: h.AllMoves,
		},
	}
	for _, id := range ids {
		if id == len(own.Components) { // see declaration.fits
			j.state.Components = append(j.state.Components, capture.Component{Schema: &schema.Schema{}, Kept: capture.InChunks, Mark: true})
		} else {
			j.state.Components = append(j.state.Components, own.Components[id])
		}
	}
	for _, n := range h.counts() {
		if err := j.charge(countedRoom * int(n)); err != nil {
			return nil, err
		}
	}
	steps := []func(*capture.Content) error{j.slots, j.sets, j.pools, j.heaps, j.relations, j.streams, j.systems, j.notices, j.resources}
	if said.Filtered {
		steps = []func(*capture.Content) error{j.sets, j.pools, j.heaps}
	}
	for _, step := range steps {
		if err := step(own); err != nil {
			return nil, err
		}
	}
	if j.at != len(parts) {
		return nil, damaged("part %#x is at the wrong place", uint64(parts[j.at].key))
	}
	if said.Filtered {
		return j.state, j.place(own, ids)
	}
	return j.state, nil
}

// slots reads what is known of handles.
func (j *joining) slots(*capture.Content) (err error) {
	if err = j.json(keyOf(runsPart, 0, 0, 0), &j.state.Clock.Runs); err != nil {
		return err
	}
	s := &j.state.Slots
	for what, list := range []*[]uint32{&s.Lives, &s.Deaths, &s.Free} {
		if *list, err = words[uint32](j, keyOf(livesPart+what, 0, 0, 0)); err != nil {
			return err
		}
	}
	s.Reserved, err = words[uint64](j, keyOf(reservedPart, 0, 0, 0))
	return err
}

// sets reads the rows of sets of components.
func (j *joining) sets(*capture.Content) (err error) {
	j.state.Sets, err = j.rows(setPart, int(j.head.Sets))
	return err
}

// pools reads the rows of pools.
func (j *joining) pools(*capture.Content) (err error) {
	j.state.Pools, err = j.rows(poolPart, int(j.head.Pools))
	return err
}

// mostRows bounds the rows of a chunk that a message may name; a world bounds them more.
const mostRows = 1 << 24

// rows reads the rows of sets or pools.
func (j *joining) rows(what, n int) (list []capture.Rows, err error) {
	list = make([]capture.Rows, n)
	shapes := make([]dimensions, n)
	for i := range list {
		if shapes[i], err = j.shape(keyOf(what, i, 0, 0), &list[i]); err != nil {
			return nil, err
		}
	}
	for i := range list {
		if err := j.table(keyOf(what+1, i, 0, 0), &list[i], shapes[i]); err != nil {
			return nil, err
		}
	}
	for i := range list {
		for c := range list[i].Chunks {
			if err := j.chunk(what+2, i, c, &list[i]); err != nil {
				return nil, err
			}
		}
	}
	return list, nil
}

// dimensions is how many chunks a set has, and how many columns these.
type dimensions struct{ chunks, columns int }

// shape reads which components a set has, and its dimensions.
func (j *joining) shape(k partKey, r *capture.Rows) (s dimensions, err error) {
	w, err := words[uint32](j, k)
	if err != nil {
		return s, err
	}
	if len(w) < 4 || uint64(w[3]) > uint64(len(w)-4) || w[0] > math.MaxUint16 || w[1] >= 1<<chunkBits || w[2] >= 1<<columnBits {
		return s, damaged("part %#x is no set of components", uint64(k))
	}
	if err := j.charge(shapeRoom * len(w)); err != nil {
		return s, err
	}
	r.Layouts = int(w[0])
	for _, class := range w[4 : 4+w[3]] {
		r.Spare = append(r.Spare, int(min(class, math.MaxInt32)))
	}
	for _, id := range w[4+w[3]:] {
		if int64(id) >= int64(len(j.state.Components)) {
			return s, damaged("a set has component %d of %d", id, len(j.state.Components))
		}
		r.Components = append(r.Components, id)
	}
	return dimensions{int(w[1]), int(w[2])}, nil
}

// table reads how many rows the chunks of a set have, and their versions.
func (j *joining) table(k partKey, r *capture.Rows, s dimensions) error {
	w, err := words[uint64](j, k)
	if err != nil {
		return err
	}
	each := 2 + s.columns
	if len(w) != each*s.chunks {
		return damaged("part %#x has %d words for %d chunks", uint64(k), len(w), s.chunks)
	}
	if err := j.charge((chunkRoom + columnRoom*s.columns) * s.chunks); err != nil {
		return err
	}
	r.Chunks = make([]capture.Chunk, s.chunks)
	for i := range r.Chunks {
		row := w[i*each:][:each]
		if row[0] > math.MaxInt32 || row[1] > mostRows {
			return damaged("a chunk of size %d has %d rows", row[0], row[1])
		}
		r.Chunks[i] = capture.Chunk{Class: int(row[0]), N: int(row[1]), Versions: slices.Clone(row[2:])}
	}
	return nil
}

// chunk reads the columns of a chunk.
func (j *joining) chunk(what, set, i int, r *capture.Rows) error {
	k := &r.Chunks[i]
	if k.N == 0 {
		return nil
	}
	if len(k.Versions) == 0 {
		return damaged("a chunk without columns")
	}
	for column := range k.Versions {
		bytes, ok := j.part(keyOf(what, set, i, column))
		if !ok || len(bytes)%k.N != 0 {
			return damaged("column %d of a chunk of %d rows has %d bytes", column, k.N, len(bytes))
		}
		k.Columns = append(k.Columns, bytes)
	}
	if len(k.Columns[0]) != k.N*8 {
		return damaged("a chunk of %d rows has %d bytes of handles", k.N, len(k.Columns[0]))
	}
	return j.values(r.Components, k)
}

// values checks the size of the values of a chunk: those of components with bytes are its columns.
func (j *joining) values(components []uint32, k *capture.Chunk) error {
	column := 1
	for _, id := range components {
		s := j.state.Components[id].Schema
		if s.Size == 0 {
			continue
		}
		if column >= len(k.Columns) || len(k.Columns[column]) != k.N*int(s.Size) {
			return damaged("component %q: a column of %d rows has another size", s.Name, k.N)
		}
		column++
	}
	if column != len(k.Columns) {
		return damaged("a chunk of %d columns has %d", column, len(k.Columns))
	}
	return nil
}

// decode makes a value of what a codec has written, and charges what it takes.
func (j *joining) decode(c *codec.Codec, to unsafe.Pointer, data []byte) error {
	if err := c.DecodeWithin(to, data, &j.budget, nil); errors.Is(err, codec.ErrMemory) {
		return fmt.Errorf("%w: %w", ErrTooLarge, err)
	} else if err != nil {
		return damaged("%v", err)
	}
	return nil
}

// heaps reads values with Go pointers.
func (j *joining) heaps(*capture.Content) error {
	var kept []int
	for i := range j.state.Components {
		if j.state.Components[i].Kept >= capture.InHeapPool {
			kept = append(kept, i)
		}
	}
	if uint64(len(kept)) != j.head.Heaps {
		return damaged("values of %d types with Go pointers, this world has %d", j.head.Heaps, len(kept))
	}
	for i := range kept {
		w, err := words[uint64](j, keyOf(heapPart, i, 0, 0))
		if err != nil || len(w) < 2 || w[0] != uint64(kept[i]) {
			return damaged("the handles of component %q", j.state.Components[kept[i]].Schema.Name)
		}
		j.state.Heaps = append(j.state.Heaps, capture.Typed{Component: kept[i], Version: w[1], Handles: w[2:]})
	}
	for i := range kept {
		if err := j.heap(i, &j.state.Heaps[i]); err != nil {
			return err
		}
	}
	return nil
}

// heap reads the values of one component.
func (j *joining) heap(i int, h *capture.Typed) error {
	of := &j.state.Components[h.Component]
	codec, err := j.codecs.For(of.Type)
	if err != nil {
		return fmt.Errorf("component %q: %w", of.Schema.Name, err)
	}
	size := int(of.Type.Size())
	if n := len(h.Handles); size > 0 && n > j.budget/size {
		return fmt.Errorf("%w: %d values of component %q", ErrTooLarge, n, of.Schema.Name)
	}
	j.budget -= size * len(h.Handles)
	values := reflect.MakeSlice(reflect.SliceOf(of.Type), len(h.Handles), len(h.Handles))
	if h.Data = values.UnsafePointer(); len(h.Handles) == 0 {
		return nil
	}
	for at := 0; at < len(h.Handles); at += heapBlock {
		bytes, _ := j.part(keyOf(heapValuePart, i, at/heapBlock, 0))
		for k := at; k < min(at+heapBlock, len(h.Handles)); k++ {
			n, m := binary.Uvarint(bytes)
			if m <= 0 || n > uint64(len(bytes)-m) {
				return damaged("the values of component %q", of.Schema.Name)
			}
			if err := j.decode(codec, unsafe.Add(h.Data, k*size), bytes[m:m+int(n)]); err != nil {
				return fmt.Errorf("component %q: %w", of.Schema.Name, err)
			}
			bytes = bytes[m+int(n):]
		}
		if len(bytes) > 0 {
			return damaged("the values of component %q have more after them", of.Schema.Name)
		}
	}
	return nil
}

// relations reads the policies of relations, and the groups of pools.
func (j *joining) relations(own *capture.Content) error {
	w, err := words[uint32](j, keyOf(relationsPart, 0, 0, 0))
	if err != nil || len(w) != 2*len(own.Relations) {
		return damaged("%d words of relations", len(w))
	}
	for i := range own.Relations {
		if w[2*i+1] > math.MaxUint8 {
			return damaged("the policy %d", w[2*i+1])
		}
		j.state.Relations = append(j.state.Relations, capture.Relation{Component: int(min(w[2*i], math.MaxInt32)), Policy: uint8(w[2*i+1])})
	}
	w, err = words[uint32](j, keyOf(groupsPart, 0, 0, 0))
	if n := len(w) / 2; err != nil || n < len(j.state.Components) || n > len(j.state.Components)+1 {
		return damaged("%d words of groups", len(w))
	}
	for i := range j.state.Components {
		j.state.Components[i].Group = int(min(w[2*i], math.MaxInt32))
		j.state.Components[i].InAll = int(min(w[2*i+1], math.MaxInt32))
	}
	return nil
}

// streams reads what queries have seen, and events.
func (j *joining) streams(own *capture.Content) error {
	st := j.state
	st.Looks = make([]capture.Look, j.head.Looks)
	for i := range st.Looks {
		if err := j.json(keyOf(lookPart, i, 0, 0), &st.Looks[i]); err != nil {
			return err
		}
	}
	if int(j.head.Streams) != len(own.Streams) {
		return damaged("%d event types, this world has %d", j.head.Streams, len(own.Streams))
	}
	for i := range own.Streams {
		s := capture.Stream{}
		if err := j.json(keyOf(streamPart, i, 0, 0), &s); err != nil {
			return err
		}
		s.Schema, s.Type = own.Streams[i].Schema, own.Streams[i].Type
		st.Streams = append(st.Streams, s)
	}
	for i := range st.Streams {
		s := &st.Streams[i]
		data, err := words[uint64](j, keyOf(eventsPart, i, 0, 0))
		if err != nil {
			return err
		}
		s.Data = slices.Clone(data) // the world goes on with it
		each := 8 * capture.EventLen(int(s.Schema.Size))
		if bytes := capture.Bytes(data); len(bytes)%each != 0 {
			return damaged("%d bytes of event %q", len(bytes), s.Schema.Name)
		}
	}
	return nil
}

// systems reads the past of systems and observers.
func (j *joining) systems(*capture.Content) error {
	st := j.state
	st.Systems, st.Watchers = make([]capture.System, j.head.Systems), make([]capture.Breaker, j.head.Watchers)
	for i := range st.Systems {
		w, err := words[uint64](j, keyOf(systemPart, i, 0, 0))
		if err != nil || len(w) != 5 {
			return damaged("the times of system %d", i)
		}
		s := &st.Systems[i]
		s.Elapsed, s.Phase = capture.Float(math.Float64frombits(w[0])), capture.Float(math.Float64frombits(w[1]))
		s.Runs, s.Skipped, s.Disabled = w[2], w[3], w[4] != 0
	}
	for i := range st.Systems {
		if err := j.json(keyOf(healthPart, i, 0, 0), &st.Systems[i].Breaker); err != nil {
			return err
		}
	}
	for i := range st.Watchers {
		if err := j.json(keyOf(watcherPart, i, 0, 0), &st.Watchers[i]); err != nil {
			return err
		}
	}
	return nil
}

// notices reads the changes that wait, and what is to die.
func (j *joining) notices(*capture.Content) (err error) {
	var list []waitingNotice
	if err := j.json(keyOf(noticesPart, 0, 0, 0), &list); err != nil {
		return err
	}
	for i := range list {
		if err := j.notice(&list[i]); err != nil {
			return err
		}
		j.state.Notices = append(j.state.Notices, list[i].Notice)
	}
	j.state.Deferred, err = words[uint64](j, keyOf(deferredPart, 0, 0, 0))
	return err
}

// notice gives a change the value that was removed.
func (j *joining) notice(n *waitingNotice) error {
	if !n.There {
		return nil
	}
	if int64(n.Component) >= int64(len(j.state.Components)) {
		return damaged("a change of component %d", n.Component)
	}
	of := &j.state.Components[n.Component]
	if of.Kept < capture.InHeapPool {
		if len(n.Data) != int(of.Schema.Size) {
			return damaged("a removed value of component %q", of.Schema.Name)
		}
		if n.Value = n.Data; n.Value == nil {
			n.Value = []byte{}
		}
		return nil
	}
	codec, err := j.codecs.For(of.Type)
	if err != nil {
		return err
	}
	v := reflect.New(of.Type)
	if err := j.decode(codec, v.UnsafePointer(), n.Data); err != nil {
		return fmt.Errorf("a removed value of component %q: %w", of.Schema.Name, err)
	}
	n.Kept = v.Interface()
	return nil
}

// resources reads the resources, each of the type that the replica's world has for it.
func (j *joining) resources(own *capture.Content) error {
	if int(j.head.Resources) != len(j.said.Resources) {
		return damaged("%d resources, %d are declared", j.head.Resources, len(j.said.Resources))
	}
	for i, said := range j.said.Resources {
		data, ok := j.part(keyOf(resourcePart, i, 0, 0))
		at := said.in(own)
		if !ok || at < 0 {
			return damaged("the resource %s", said.Type)
		}
		codec, err := j.codecs.For(own.Resources[at].Type)
		if err != nil {
			return err
		}
		v := reflect.New(own.Resources[at].Type)
		if err := j.decode(codec, v.UnsafePointer(), data); err != nil {
			return fmt.Errorf("the resource %s: %w", said.Type, err)
		}
		j.state.Resources = append(j.state.Resources, capture.Resource{Type: own.Resources[at].Type, Name: said.Name, Saved: v.Interface()})
	}
	return nil
}

// place gives what an interest has let through its place in the replica's world: components have other numbers
// there, and there are more of them.
func (j *joining) place(own *capture.Content, ids []int) error {
	st := j.state
	sets, pools, heaps := st.Sets, st.Pools, st.Heaps
	if len(sets) == 0 || len(sets[0].Components) > 0 {
		return damaged("the first set has components")
	}
	st.Components, st.Relations, st.Streams, st.Seed, st.Random = slices.Clone(own.Components), own.Relations, own.Streams, own.Seed, own.Random
	for i := range st.Components {
		st.Components[i].Group = 0
	}
	for i := range sets {
		if err := renumber(&sets[i], own, ids); err != nil {
			return err
		}
		sets[i].Loose = true
	}
	rows, values := map[int]*capture.Rows{}, map[int]*capture.Typed{}
	for i := range pools {
		if len(pools[i].Components) != 1 {
			return damaged("a pool of %d components", len(pools[i].Components))
		}
		pools[i].Components[0] = uint32(ids[pools[i].Components[0]])
		pools[i].Loose = true
		rows[int(pools[i].Components[0])] = &pools[i]
	}
	for i := range heaps {
		heaps[i].Component = ids[heaps[i].Component]
		values[heaps[i].Component] = &heaps[i]
	}
	st.Pools, st.Heaps = nil, nil
	for id := range own.Components {
		switch kept := own.Components[id].Kept; {
		case kept == capture.InArenaPool && rows[id] != nil:
			st.Pools = append(st.Pools, *rows[id])
		case kept == capture.InArenaPool:
			st.Pools = append(st.Pools, capture.Rows{Components: []uint32{uint32(id)}, Layouts: 1})
		case kept > capture.InArenaPool && values[id] != nil:
			st.Heaps = append(st.Heaps, *values[id])
		case kept > capture.InArenaPool:
			st.Heaps = append(st.Heaps, capture.Typed{Component: id})
		}
	}
	return j.issue()
}

// renumber gives the components of a set the numbers of the replica's world, and its columns their order.
func renumber(r *capture.Rows, own *capture.Content, ids []int) error {
	type column struct {
		id uint32
		at int // of its bytes; 0 for none
	}
	var columns []column
	at := 1
	for _, i := range r.Components {
		c := column{id: uint32(ids[i])}
		if own.Components[c.id].Schema.Size > 0 {
			c.at = at
			at++
		}
		columns = append(columns, c)
	}
	slices.SortFunc(columns, func(a, b column) int { return cmp.Compare(a.id, b.id) })
	r.Components = r.Components[:0:0]
	for _, c := range columns {
		r.Components = append(r.Components, c.id)
	}
	for i := range r.Chunks {
		k := &r.Chunks[i]
		if k.N == 0 {
			continue
		}
		bytes, versions := [][]byte{k.Columns[0]}, []uint64{k.Versions[0]}
		for _, c := range columns {
			if c.at > 0 {
				bytes, versions = append(bytes, k.Columns[c.at]), append(versions, k.Versions[c.at])
			}
		}
		k.Columns, k.Versions = bytes, versions
	}
	return nil
}

// issue makes the slots in which the handles that were sent are alive. The others wait.
func (j *joining) issue() error {
	n := int64(j.head.Slots)
	if j.head.Slots == 0 || j.head.Slots > slots.MaxSlots {
		return damaged("%d slots", j.head.Slots)
	}
	if j.budget -= 12 * int(n); j.budget < 0 {
		return fmt.Errorf("%w: handles of %d slots", ErrTooLarge, n)
	}
	s := &j.state.Slots
	s.Lives, s.Deaths = make([]uint32, n), make([]uint32, n)
	first, _ := slots.Step(j.state.Tag)
	for i := range j.state.Sets {
		for _, k := range j.state.Sets[i].Chunks {
			if k.N == 0 {
				continue
			}
			for _, h := range unsafe.Slice((*uint64)(unsafe.Pointer(&k.Columns[0][0])), k.N) {
				slot, life := h&(slots.MaxSlots-1), h>>slots.IndexBits
				if slot == 0 || slot >= uint64(n) || life > math.MaxUint32 || s.Lives[slot] != 0 {
					return damaged("the handle %#x has no slot, or is there twice", h)
				}
				s.Lives[slot] = uint32(life)
			}
		}
	}
	for slot := 1; slot < len(s.Lives); slot++ {
		if s.Lives[slot] == 0 {
			s.Lives[slot] = first
			s.Free = append(s.Free, uint32(slot))
		}
	}
	return nil
}
