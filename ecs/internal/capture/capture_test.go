package capture

import (
	"testing"

	"pgregory.net/rapid"
)

// TestClasses: a block has room for what was asked, and no smaller class has.
func TestClasses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 1<<32).Draw(t, "n")
		class := classOf(n)
		if sizeOf(class) < n {
			t.Fatalf("%d bytes have class %d of %d", n, class, sizeOf(class))
		}
		if class > 0 && sizeOf(class-1) >= n {
			t.Fatalf("%d bytes have class %d, %d would do", n, class, sizeOf(class-1))
		}
	})
}

// TestBlocksAreUsedAgain once nobody holds them, and counted once however many do.
func TestBlocksAreUsedAgain(t *testing.T) {
	var b Blocks
	k := b.Take(100).Hold()
	if b.Used() != 112 || b.Spare() != 0 {
		t.Fatalf("%d used, %d spare", b.Used(), b.Spare())
	}
	if b.Drop(k); b.Used() != 112 {
		t.Fatal("a block that is held was taken back")
	}
	if b.Drop(k); b.Used() != 0 || b.Spare() != 112 {
		t.Fatalf("%d used, %d spare", b.Used(), b.Spare())
	}
	if other := b.Take(97); other != k || len(other.Bytes) != 97 || b.Spare() != 0 {
		t.Fatal("the block was not used again")
	}
	b.Drop(k)
	if b.Release(0); b.Spare() != 0 || b.Take(97) == k {
		t.Fatal("a block that was released is there")
	}
}

// TestNothingIsAllocated when blocks come and go.
func TestNothingIsAllocated(t *testing.T) {
	var b Blocks
	b.Drop(b.Take(5000))
	if n := testing.AllocsPerRun(100, func() { b.Drop(b.Take(5000)) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
