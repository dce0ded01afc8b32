package record

import (
	"cmp"
	"encoding/binary"
	"math"
	"math/bits"
	"reflect"
	"slices"
	"strconv"
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// A digest says what a host is after a tick in so few bytes that each tick can have one, and in such a
// way that two of them say where they differ.
//
// The world is a set of cells: an element of a field of an entity, with its value. Each cell has a
// place, a number made of the entity and the field, and a weight, which is its value and its place,
// mixed by a function that can be undone. A digest keeps for each component two sums, over all cells
// c: of weight(c), and of place(c)·weight(c), both modulo 2⁶⁴. Two worlds that are the same have the same sums, whatever
// the order of their rows. Where a single cell differs, the difference of the second sum, divided by
// that of the first, is its place, and the difference of the first gives the value that the other world has.
//
// Where many cells differ, the sums of some of them are needed. So each component has several pairs of
// sums: its cells are divided over levels by a hash of their places, half of them into level 0, a
// quarter into level 1, and so on; and each level in two by the number of the element, so that two
// fields of one entity do not hide each other, or by the hash, where there is one. However many cells differ, there is most
// likely a level in which exactly one does. This is the sampling of distinct elements of a stream. In one
// case of ten there is none, and only the component is named.
//
// Why not keep a hash, and compare keyframes? A keyframe comes once in a minute: by then a wrong
// value has changed a thousand others.
//
// The sums of a column are kept, and computed anew only when its version says that it was written.

// levels is enough for 2^levels cells.
const levels = 20

// pair are the two sums of a level.
type pair struct{ weights, places uint64 }

// sums are those of a component.
type sums [2 * levels]pair

// add adds the cells of another column.
func (s *sums) add(o *sums) {
	for i := range s {
		s[i].weights += o[i].weights
		s[i].places += o[i].places
	}
}

// remove takes away the cells of a column that is gone, or was written.
func (s *sums) remove(o *sums) {
	for i := range s {
		s[i].weights -= o[i].weights
		s[i].places -= o[i].places
	}
}

// total is the sum over all levels.
func (s *sums) total() (n uint64) {
	for i := range s {
		n += s[i].weights
	}
	return n
}

// mix changes all bits of a word, so that none of the result says anything alone; unmix undoes it. It
// multiplies twice, with the bytes turned round in between: a product spreads bits upwards only.
func mix(n uint64) uint64 {
	return bits.ReverseBytes64(n*0xd6e8feb86659fd93) * 0xa0761d6478bd642f
}

// unmix undoes mix.
func unmix(n uint64) uint64 {
	return bits.ReverseBytes64(n*inverse(0xa0761d6478bd642f)) * inverse(0xd6e8feb86659fd93)
}

// inverse returns the number that, multiplied by an odd one, is 1.
func inverse(odd uint64) uint64 {
	x := odd
	for range 5 { // each doubles the bits that are right
		x *= 2 - odd*x
	}
	return x
}

// A place is the index of an entity, below 2³², and the number of an element among all those of its
// component.
const elementBits = 14

// placeOf returns the place of an element of an entity. The index is that of its slot, so a place
// outlives the entity.
func placeOf(index uint32, element int) uint64 {
	return uint64(index)<<elementBits | uint64(element)&(1<<elementBits-1)
}

// rowHash is of the entity, elementHash of the element: together they are the hash of a place.
func rowHash(index uint32) uint64 { return mix(uint64(index) + 0x9e3779b97f4a7c15) }

// elementHash is of the number of an element.
func elementHash(element int) uint64 { return mix(uint64(element)<<32 + 0x2545f4914f6cdd1d) }

// bucketOf returns where in the sums of a component a place is, by its hash. mask is 1 for a component of one
// element, else 0.
func bucketOf(hash uint64, element int, mask uint64) int {
	level := bits.TrailingZeros64(hash>>20 | 1<<(levels-1))
	return level<<1 | int(hash>>63&mask) | element&1
}

// mask is that of bucketOf.
func (c *componentDigest) mask() uint64 {
	if len(c.elements) > 1 {
		return 0
	}
	return 1
}

// keyOf is what the value of a cell is mixed with. The generation is that of the entity: a new entity in an old
// slot is another one.
func keyOf(hash uint64, generation uint32) uint64 {
	return hash + uint64(generation)*0x9e3779b97f4a7c15
}

// hash returns the hash of a place.
func hashOf(place uint64) uint64 {
	return rowHash(uint32(place>>elementBits)) + elementHash(int(place&(1<<elementBits-1)))
}

// weight is what a cell with a value, given as bits, adds.
func weight(place, value uint64, generation uint32) uint64 {
	return mix(value + keyOf(hashOf(place), generation))
}

// valueOf returns the bits of the value that has a weight.
func valueOf(place, weight uint64, generation uint32) uint64 {
	return unmix(weight) - keyOf(hashOf(place), generation)
}

// kindTag is the kind of the one cell that a component without fields has.
const kindTag = ecs.Kind(0)

// element is one number of a component's values.
type element struct {
	offset uintptr
	kind   ecs.Kind
	name   string
}

// elementsOf lists the numbers of a schema, with their names as scripts write them.
func elementsOf(list []element, fields []ecs.Field, at uintptr, prefix string) []element {
	for i := range fields {
		f := &fields[i]
		for j := range max(f.Len, 1) {
			name := prefix + f.Name
			if f.Len > 0 {
				name += "[" + strconv.Itoa(j+1) + "]"
			}
			where := at + f.Offset + uintptr(j)*f.Stride
			if f.Kind == ecs.Struct {
				list = elementsOf(list, f.Fields, where, name+".")
				continue
			}
			list = append(list, element{where, f.Kind, name})
		}
	}
	return list
}

// bitsOf reads a number as bits that are the same on every machine: handles without their tag, one
// NaN.
func bitsOf(kind ecs.Kind, p unsafe.Pointer) uint64 {
	switch kind {
	case ecs.F64:
		return floatBits(*(*float64)(p))
	case ecs.F32:
		return floatBits(float64(*(*float32)(p)))
	case ecs.Ref:
		return untagged(*(*ecs.Entity)(p))
	}
	switch kind.Size() {
	case 1:
		return uint64(*(*uint8)(p))
	case 2:
		return uint64(*(*uint16)(p))
	case 4:
		return uint64(*(*uint32)(p))
	}
	return *(*uint64)(p)
}

// floatBits returns the bits of a number. NaN is one value: which of its bits a processor sets differs.
func floatBits(f float64) uint64 {
	if f != f {
		return 0x7ff8000000000001
	}
	return math.Float64bits(f)
}

// untagged is a handle without the tag of its world.
func untagged(e ecs.Entity) uint64 { return uint64(e.Generation())<<32 | uint64(e.Index()) }

// columnSums are the sums of a column, and of which version it was.
type columnSums struct {
	version uint64
	rows    int
	pass    uint64
	sums    sums
}

// componentDigest is what is known of a component.
type componentDigest struct {
	id       ecs.ComponentID
	schema   *ecs.Schema // what all this was made of: a reload gives a component another one
	name     string
	hash     uint64    // of the name
	elements []element // nil: its values hold Go pointers, or more elements than a place can tell apart
	query    *ecs.Query
	columns  map[unsafe.Pointer]*columnSums
	sums     sums
}

// digests computes the digest of a host after each tick.
type digests struct {
	components []*componentDigest
	byName     []*componentDigest // in the order of names
	old        []string           // names of those that a reload has changed, until the next look
	detailed   bool
	pass       uint64
	scripts    scripting.Scripts
	batch      preparedRows
	unkept     bool // scripts cannot be captured
	last       map[string]sums
	whole      bool // the next one has all components, also those that are as they were in the last
	out        digest
}

// digest is that of a tick. The components are those whose sums have changed since the one before.
type digest struct {
	random  uint64
	scripts uint64
	world   uint64
	changed []componentSums
}

type componentSums struct {
	name string
	sums sums
}

// begin prepares digests of a host. Without details they have no sums of components.
func (d *digests) begin(h *scripting.Host, detailed bool) {
	d.detailed, d.last = detailed, map[string]sums{}
	d.find(h.World())
}

// find makes notes of the components that have come since, and anew of those that a reload has changed: they
// have other fields at other places, or another name. Whoever begins with a keyframe sees only the new ones.
func (d *digests) find(w *ecs.World) {
	raw, again := w.Raw(), false
	d.old = d.old[:0]
	for i := range raw.ComponentCount() {
		id := ecs.ComponentID(i)
		if i == len(d.components) {
			d.components = append(d.components, &componentDigest{id: id, query: w.Query(ecs.Read(id)).Prefabs()})
		}
		if c := d.components[i]; c.schema != raw.Schema(id) {
			d.old = append(d.old, c.name)
			c.describe(w)
			again = true
		}
	}
	if again {
		d.byName = slices.Clone(d.components)
		slices.SortFunc(d.byName, func(a, b *componentDigest) int { return cmp.Compare(a.name, b.name) })
	}
}

// describe notes what a component is now. Its sums are those of no value.
func (c *componentDigest) describe(w *ecs.World) {
	c.schema = w.Raw().Schema(c.id)
	c.name, c.hash = c.schema.Name, sum64([]byte(c.schema.Name))
	c.columns, c.sums, c.elements = map[unsafe.Pointer]*columnSums{}, sums{}, nil
	if w.Raw().OnHeap(c.id) {
		return
	}
	c.elements = elementsOf([]element{}, c.schema.Fields, 0, "")
	if len(c.elements) == 0 { // a tag: that it is there
		c.elements = append(c.elements, element{kind: kindTag})
	}
	if len(c.elements) > 1<<elementBits {
		c.elements = nil
	}
}

// of returns the digest of the host as it is now, good until the next call.
func (d *digests) of(h *scripting.Host) *digest {
	w := h.World()
	d.find(w)
	d.pass++
	out := &d.out
	out.changed, out.world = out.changed[:0], 0
	for _, c := range d.byName {
		c.update(w, d.pass, &d.batch)
		if c.sums != (sums{}) { // components that nobody has may differ
			out.world += mix(c.hash + c.sums.total())
		}
		if before, known := d.last[c.name]; !known && c.sums != (sums{}) || known && (d.whole || before != c.sums) {
			d.last[c.name] = c.sums
			out.changed = append(out.changed, componentSums{c.name, c.sums})
		}
	}
	for _, name := range d.old { // that it has another name by now
		if _, known := d.last[name]; known && !slices.ContainsFunc(d.byName, func(c *componentDigest) bool { return c.name == name }) {
			delete(d.last, name)
			out.changed = append(out.changed, componentSums{name: name})
		}
	}
	if d.whole = false; !d.detailed {
		out.changed = out.changed[:0]
	}
	out.random = w.Random().State()
	out.scripts = d.ofScripts(h)
	return out
}

// ofScripts returns a checksum of what scripts keep; 0 if that cannot be captured, which is so until the end.
func (d *digests) ofScripts(h *scripting.Host) uint64 {
	if d.unkept {
		return 0
	}
	if err := h.UpdateScripts(&d.scripts); err != nil {
		d.unkept = true
		return 0
	}
	return sum64(d.scripts.Encode())
}

// update brings the sums of a component up to date.
func (c *componentDigest) update(w *ecs.World, pass uint64, b *preparedRows) {
	now := w.Raw().Version()
	for chunk := range c.query.Chunks() {
		p := chunk.Column(c.id, false)
		k := c.columns[p]
		version := chunk.Version(c.id)
		if k == nil {
			k = &columnSums{}
			c.columns[p] = k
		}
		// What is written before the next system runs may have the version that there is now.
		if k.pass == 0 || k.version != version || k.rows != chunk.Len() || version >= now {
			c.sums.remove(&k.sums)
			k.sums, k.version, k.rows = sums{}, version, chunk.Len()
			c.sum(w, chunk, p, b, &k.sums)
			c.sums.add(&k.sums)
		}
		k.pass = pass
	}
	for p, k := range c.columns {
		if k.pass != pass {
			c.sums.remove(&k.sums)
			delete(c.columns, p)
		}
	}
}

// preparedRows are the rows of a column, prepared for all elements.
type preparedRows struct {
	places []uint64 // of the first element
	hashes []uint64 // rowHash
	keys   []uint64 // keyOf with that
	values []uint64 // of the element at hand
}

// begin prepares the rows of some entities.
func (b *preparedRows) begin(entities []ecs.Entity) {
	n := len(entities)
	b.places, b.hashes = slices.Grow(b.places[:0], n)[:n], slices.Grow(b.hashes[:0], n)[:n]
	b.keys, b.values = slices.Grow(b.keys[:0], n)[:n], slices.Grow(b.values[:0], n)[:n]
	for i, e := range entities {
		b.places[i], b.hashes[i] = placeOf(e.Index(), 0), rowHash(e.Index())
		b.keys[i] = keyOf(b.hashes[i], e.Generation())
	}
}

// read reads an element of all rows.
func (b *preparedRows) read(kind ecs.Kind, p unsafe.Pointer, stride uintptr) {
	values := b.values
	switch {
	case kind == kindTag:
		clear(values)
	case kind == ecs.F64:
		for i := range values {
			values[i] = floatBits(*(*float64)(unsafe.Add(p, uintptr(i)*stride)))
		}
	case kind == ecs.F32:
		for i := range values {
			values[i] = floatBits(float64(*(*float32)(unsafe.Add(p, uintptr(i)*stride))))
		}
	default:
		for i := range values {
			values[i] = bitsOf(kind, unsafe.Add(p, uintptr(i)*stride))
		}
	}
}

// add adds the cells of an element.
func (b *preparedRows) add(element int, mask uint64, to *sums) {
	hash, n := elementHash(element), uint64(element)
	places, hashes, keys, values := b.places, b.hashes, b.keys, b.values
	places, hashes, keys = places[:len(values)], hashes[:len(values)], keys[:len(values)]
	for i, v := range values {
		u := mix(v + keys[i] + hash)
		p := &to[bucketOf(hashes[i]+hash, element, mask)]
		p.weights += u
		p.places += (places[i] + n) * u
	}
}

// sum adds up the cells of a column.
func (c *componentDigest) sum(w *ecs.World, chunk *ecs.Chunk, column unsafe.Pointer, b *preparedRows, to *sums) {
	size := w.Raw().Schema(c.id).Size
	b.begin(chunk.Entities())
	if c.elements == nil {
		typ := w.Raw().GoType(c.id)
		for i := range b.values {
			b.values[i] = valueHash(typ, unsafe.Add(column, uintptr(i)*size))
		}
		b.add(0, 1, to)
		return
	}
	for n := range c.elements {
		x := &c.elements[n]
		b.read(x.kind, unsafe.Add(column, x.offset), size)
		b.add(n, c.mask(), to)
	}
}

// valueHash hashes a value that may hold pointers.
func valueHash(typ reflect.Type, p unsafe.Pointer) uint64 {
	if typ == nil {
		return 0
	}
	return hashValue(14695981039346656037, reflect.NewAt(typ, p).Elem(), 0)
}

// deepest is how far pointers are followed.
const deepest = 100

// hashWord adds a word to a hash.
func hashWord(h, n uint64) uint64 { return mix(h^n) + h>>32 }

// hashValue adds a value to a hash, with all that its pointers lead to. What is deeper than deepest, as in a
// ring, does not count; nor do functions and channels.
func hashValue(h uint64, v reflect.Value, depth int) uint64 {
	if depth > deepest {
		return h
	}
	switch v.Kind() {
	case reflect.Bool:
		if v.Bool() {
			return hashWord(h, 1)
		}
		return hashWord(h, 2)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return hashWord(h, uint64(v.Int()))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		if v.Type() == reflect.TypeFor[ecs.Entity]() {
			return hashWord(h, untagged(ecs.Entity(v.Uint())))
		}
		return hashWord(h, v.Uint())
	case reflect.Float32, reflect.Float64:
		return hashWord(h, floatBits(v.Float()))
	case reflect.Complex64, reflect.Complex128:
		return hashWord(hashWord(h, floatBits(real(v.Complex()))), floatBits(imag(v.Complex())))
	case reflect.String:
		return hashWord(h, sum64([]byte(v.String())))
	case reflect.Slice, reflect.Array:
		h = hashWord(h, uint64(v.Len()))
		for i := range v.Len() {
			h = hashValue(h, v.Index(i), depth+1)
		}
		return h
	case reflect.Struct:
		for i := range v.NumField() {
			h = hashValue(h, v.Field(i), depth+1)
		}
		return h
	case reflect.Map: // in any order
		all := uint64(v.Len())
		for it := v.MapRange(); it.Next(); {
			all += hashValue(hashValue(1, it.Key(), depth+1), it.Value(), depth+1)
		}
		return hashWord(h, all)
	case reflect.Pointer, reflect.Interface:
		if v.IsNil() {
			return hashWord(h, 3)
		}
		return hashValue(hashWord(h, 4), v.Elem(), depth+1)
	}
	return hashWord(h, 5) // functions and channels are no state
}

// sum64 hashes bytes: the same on every machine.
func sum64(b []byte) uint64 {
	h := uint64(len(b)) + 0x9e3779b97f4a7c15
	for ; len(b) >= 8; b = b[8:] {
		h = hashWord(h, binary.LittleEndian.Uint64(b))
	}
	last := uint64(0)
	for i, x := range b {
		last |= uint64(x) << (8 * i)
	}
	return hashWord(h, last)
}

// append writes the digest: of the levels of a component those that there are.
func (d *digest) append(to []byte) []byte {
	to = appendWord(appendWord(appendWord(to, d.random), d.scripts), d.world)
	to = binary.AppendUvarint(to, uint64(len(d.changed)))
	for i := range d.changed {
		c := &d.changed[i]
		to = appendText(to, c.name)
		used := uint64(0)
		for i, p := range c.sums {
			if p != (pair{}) {
				used |= 1 << i
			}
		}
		to = binary.AppendUvarint(to, used)
		for _, p := range c.sums {
			if p != (pair{}) {
				to = appendWord(appendWord(to, p.weights), p.places)
			}
		}
	}
	return to
}

// mostSums is how many components a digest has at most: all of a world, and the names that as many had before a reload.
const mostSums = 2 * ecs.MaxComponents

// digest reads a digest, or reads over the sums of its components.
func (c *payload) digest(keep bool) (d digest) {
	d.random, d.scripts, d.world = c.word(), c.word(), c.word()
	n := c.count(2)
	if n > mostSums {
		c.fail()
	}
	for range min(n, mostSums) {
		name, used := c.bytes(), c.whole()
		if used>>len(sums{}) > 0 {
			c.fail()
		}
		words := c.take(16 * bits.OnesCount64(used))
		if keep && !c.failed {
			d.changed = append(d.changed, componentSums{string(name), sumsOf(used, words)})
		}
	}
	return d
}

// sumsOf makes sums of the words of the levels that are used.
func sumsOf(used uint64, words []byte) (s sums) {
	for i := range s {
		if used>>i&1 == 1 {
			s[i] = pair{binary.LittleEndian.Uint64(words), binary.LittleEndian.Uint64(words[8:])}
			words = words[16:]
		}
	}
	return s
}
