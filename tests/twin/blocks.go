package twin

import "github.com/perigee-ecs/perigee/ecs"

// Blocks is a storage whose values never move: in blocks of eight, with a list of
// holes. It is an example of a storage of the program's own.
type Blocks[C any] struct {
	places map[ecs.Entity]int
	rows   map[ecs.Entity]int // in order
	order  []ecs.Entity
	blocks []*[8]C
	holes  []int
}

// NewBlocks returns an empty one.
func NewBlocks[C any]() *Blocks[C] {
	return &Blocks[C]{places: map[ecs.Entity]int{}, rows: map[ecs.Entity]int{}}
}

func (b *Blocks[C]) Len() int            { return len(b.order) }
func (b *Blocks[C]) At(i int) ecs.Entity { return b.order[i] }
func (b *Blocks[C]) place(i int) *C      { return &b.blocks[i/8][i%8] }
func (b *Blocks[C]) Find(e ecs.Entity) *C {
	if i, ok := b.places[e]; ok {
		return b.place(i)
	}
	return nil
}

func (b *Blocks[C]) Reserve(ecs.Entity) error {
	if len(b.holes) == 0 {
		for i := range 8 {
			b.holes = append(b.holes, len(b.blocks)*8+7-i)
		}
		b.blocks = append(b.blocks, new([8]C))
	}
	return nil
}

func (b *Blocks[C]) Put(e ecs.Entity, v C) {
	i, ok := b.places[e]
	if !ok {
		i = b.holes[len(b.holes)-1]
		b.holes = b.holes[:len(b.holes)-1]
		b.places[e] = i
		b.rows[e] = len(b.order)
		b.order = append(b.order, e)
	}
	*b.place(i) = v
}

func (b *Blocks[C]) Remove(e ecs.Entity) {
	i, ok := b.places[e]
	if !ok {
		return
	}
	*b.place(i) = *new(C)
	delete(b.places, e)
	b.holes = append(b.holes, i)
	row, end := b.rows[e], len(b.order)-1
	b.order[row] = b.order[end]
	b.rows[b.order[row]] = row
	b.order = b.order[:end]
	delete(b.rows, e)
}
