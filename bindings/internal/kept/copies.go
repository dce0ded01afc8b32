package kept

import "github.com/perigee-ecs/perigee/bindings/machine"

// Copies are copies of tables, and the roots that lead to them. The zero Copies are empty.
//
// Invariant: index has the place of each table among copies; values of copies and of roots that are
// tables are in index.
type Copies struct {
	roots  []machine.Value
	copies []copied
	index  map[*machine.Table]int32
	bytes  int64
	first  int // the number of the first one, where they are written
}

// copied is a table as it was. One that was read from a save has an outline and no content, and its table stands
// for it and is empty; the others have a content.
type copied struct {
	found
	from *machine.Contents
	laid *machine.Outline
	n    uint64 // in the text of the table; 0: nobody has asked for it
}

// Take copies what a walk has found. It needs new memory only for what the copies of before had no
// room for. numbered visits the tables that have a number in their text; nil:
// none has. O(what was found, and numbered).
func (x *Copies) Take(w *Survey, numbered func(visit func(t *machine.Table, n uint64))) {
	if x.index == nil {
		x.index = map[*machine.Table]int32{}
	}
	clear(x.index)
	clear(x.roots)
	x.roots, x.bytes = append(x.roots[:0], w.roots...), w.bytes
	for i := range w.nodes {
		if i == len(x.copies) {
			x.copies = append(x.copies, copied{})
		}
		c := &x.copies[i]
		c.found, c.laid, c.n = w.nodes[i], nil, 0
		if c.from == nil {
			c.from = &machine.Contents{}
		}
		c.from.Take(c.content)
		x.index[c.table] = int32(i)
	}
	clear(x.copies[len(w.nodes):])
	x.copies = x.copies[:len(w.nodes)]
	if numbered != nil && len(x.copies) > 0 {
		numbered(func(t *machine.Table, n uint64) {
			if i, known := x.index[t]; known && n <= MostNumber {
				x.copies[i].n = n
			}
		})
	}
}

// Bytes returns how much is kept, by the count of [Survey.Bytes].
func (x *Copies) Bytes() int64 { return x.bytes }

// Root returns a root by its number. It is good for what made the tables: see Put and Laid.Value.
func (x *Copies) Root(i int) machine.Value { return x.roots[i] }

// NumberFrom says what number the first table has where they are written: after those of others.
func (x *Copies) NumberFrom(first int) { x.first = first }

// Len returns how many tables there are.
func (x *Copies) Len() int { return len(x.copies) }

// Put makes all tables have what they had, where they are. They were taken in place. O(tables).
func (x *Copies) Put() {
	for i := range x.copies {
		x.copies[i].from.Put(x.copies[i].content)
	}
}

// Number gives tables that were put back the numbers that their texts had.
func (x *Copies) Number(give func(t *machine.Table, n uint64)) {
	for i := range x.copies {
		if c := &x.copies[i]; c.n != 0 {
			give(c.table, c.n)
		}
	}
}

// Number gives the tables the numbers that the texts of those had that they stand for.
func (l Laid) Number(give func(t *machine.Table, n uint64)) {
	for i := range l.of.copies {
		if c := &l.of.copies[i]; c.n != 0 {
			give(l.tables[i], c.n)
		}
	}
}

// Laid are tables that have got what Copies have.
type Laid struct {
	of     *Copies
	tables []*machine.Table
}

// Lay gives other tables what these had. place returns the table for one of them, and the one that
// is to have its entries, which may be the same: of the root with that number, or of what lies
// under a key of the table that was placed for the parent. O(tables).
func (x *Copies) Lay(place func(root int, parent *machine.Table, key machine.Value) (table, content *machine.Table)) Laid {
	made := Laid{x, make([]*machine.Table, len(x.copies))}
	contents := make([]*machine.Table, len(x.copies))
	for i := range x.copies {
		c := &x.copies[i]
		var parent *machine.Table
		if c.parent >= 0 {
			parent = made.tables[c.parent]
		}
		made.tables[i], contents[i] = place(int(c.root), parent, made.Value(c.key))
	}
	for i := range x.copies {
		l := x.copies[i].layout()
		moved := machine.Outline{List: make([]machine.Value, len(l.List)), ListCapacity: l.ListCapacity, Keys: make([]machine.LaidKey, len(l.Keys)), Dict: l.Dict}
		for j, v := range l.List {
			moved.List[j] = made.Value(v)
		}
		for j, e := range l.Keys {
			moved.Keys[j] = machine.LaidKey{Key: made.Value(e.Key), Value: made.Value(e.Value)}
		}
		contents[i].Lay(&moved) // which has no key twice: it was a table before
	}
	return made
}

// layout returns what the table was.
func (c *copied) layout() machine.Outline {
	if c.laid != nil {
		return *c.laid
	}
	return c.from.Outline()
}

// Value returns what stands for a value of the Copies.
func (l Laid) Value(v machine.Value) machine.Value {
	if t := v.Table(); t != nil {
		return machine.OfTable(l.tables[l.of.index[t]])
	}
	if s := v.Str(); s != nil {
		return machine.String(s.String()) // of its own: a text belongs to one machine
	}
	return v
}
