// Package capture is what packages ecs and ecs/snapshot share: the memory that copies of a
// world lie in, and how ecs hands a copy to those who keep it.
//
// There are two nouns. A [Block] is some bytes that were copied from a world; several images may
// share it, and it is never written while one does. [Blocks] hand blocks out and take them back,
// so that whoever copies a world again and again allocates nothing. An [Image] is a copy of a world
// as ecs has made it; only ecs knows what is in it. A [Content] is what an image says, for files;
// a look in it is what a query has seen.
//
// Why not one buffer for each image? Of what a world holds most is often the same in the next tick.
// Images share the blocks of columns that have not changed.
package capture

import (
	"math/bits"
	"reflect"
	"unsafe"
)

// Block is a piece of memory. Its holders count: the last one who drops it gives it back.
type Block struct {
	Bytes []byte
	holds int
	class int
}

// Blocks hands out blocks. The zero value works. It belongs to one goroutine; bytes of a block
// may be read by others as long as it is held.
//
// Invariants: a block is in use or in the list of its class; used and spare are the sums of
// their capacities.
type Blocks struct {
	free  [classes][]*Block
	used  int64
	spare int64
}

// Blocks have the sizes of 4 to 7 times a power of two from 16 on: at most a fifth of one is unused,
// but for the smallest.
const (
	smallest = 6 // the logarithm of the smallest size
	classes  = 4 * (34 - smallest)
)

// classOf returns the class of the smallest block of so many bytes.
func classOf(n int) int {
	n = max(n, 1<<smallest) - 1
	top := bits.Len(uint(n)) - 1 // of the size before
	if top < smallest {
		return 0
	}
	return 4*(top-smallest) + n>>(top-2)&3 + 1
}

// sizeOf returns the size of the blocks of a class.
func sizeOf(class int) int { return (4 + class%4) << (class/4 + smallest - 2) }

// Take returns a block of so many bytes, at least one, with one hold. What it holds is not cleared.
func (b *Blocks) Take(n int) *Block {
	class := classOf(n)
	size := int64(sizeOf(class))
	b.used += size
	if list := b.free[class]; len(list) > 0 {
		k := list[len(list)-1]
		b.free[class] = list[:len(list)-1]
		b.spare -= size
		k.Bytes, k.holds = k.Bytes[:n], 1
		return k
	}
	return &Block{Bytes: make([]byte, n, size), holds: 1, class: class}
}

// Hold adds a holder.
func (k *Block) Hold() *Block {
	k.holds++
	return k
}

// Own returns a block of bytes that no Blocks have handed out.
func Own(bytes []byte) *Block { return &Block{Bytes: bytes, holds: 1, class: -1} }

// Drop ends one hold of a block that these blocks have handed out.
func (b *Blocks) Drop(k *Block) {
	if k.holds--; k.holds > 0 || k.class < 0 {
		return
	}
	size := int64(sizeOf(k.class))
	b.used -= size
	b.spare += size
	b.free[k.class] = append(b.free[k.class], k)
}

// Used returns how many bytes the blocks in use have, each counted once.
func (b *Blocks) Used() int64 { return b.used }

// Spare returns how many bytes wait to be used again.
func (b *Blocks) Spare() int64 { return b.spare }

// Release lets the collector have blocks that wait, the largest first, until at most so many bytes
// do.
func (b *Blocks) Release(most int64) {
	for class := classes - 1; class >= 0 && b.spare > most; class-- {
		for list := b.free[class]; len(list) > 0 && b.spare > most; list = b.free[class] {
			list[len(list)-1] = nil
			b.free[class] = list[:len(list)-1]
			b.spare -= int64(sizeOf(class))
		}
	}
}

// Image is a copy of a world.
type Image interface {
	// Drop gives back what the image holds. It may be given to Capture, to be filled again.
	Drop()
	// Tick returns the number of the tick after which the image was made, and the simulation time.
	Tick() (number uint64, seconds float64)
	// Entities returns how many are alive in it.
	Entities() int
	// Tag returns the tag of its handles.
	Tag() uint16
	// Heap returns roughly how many bytes it holds beside its blocks.
	Heap() int64
	// Content returns what the image says. It shares memory with the image, and is good until that is
	// filled again; others may read it until then.
	Content() *Content
}

// Cloning says how values of a type with Go pointers are copied.
type Cloning struct {
	// Clone copies the value at from to a zero value at to; nil assigns.
	Clone func(to, from unsafe.Pointer)
	// Left says that the value is not the world's, and is left alone.
	Left bool
}

// Clonings finds how values of a type are cloned, or says why there is none.
type Clonings func(t reflect.Type) (Cloning, error)
