package arena

import (
	"errors"
	"testing"
	"unsafe"

	"pgregory.net/rapid"
)

func open(t testing.TB, size int64) *Arena {
	t.Helper()
	a := New(size)
	if err := a.Reserve(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	return a
}

func TestSizesAreBroughtIntoRange(t *testing.T) {
	for _, c := range []struct{ ask, want int64 }{
		{0, defaultBytes}, {-1, defaultBytes}, {1, MinBytes}, {MinBytes + Page + 1, MinBytes + Page},
	} {
		if got := open(t, c.ask).Size(); int64(got) != c.want {
			t.Errorf("New(%d) has %d bytes, want %d", c.ask, got, c.want)
		}
	}
}

// TestNothingIsReservedBeforeItIsNeeded, and what is refused leaves no trace.
// TestTheLargestHasARecordForEachSlot that 24 bits can name.
func TestTheLargestHasARecordForEachSlot(t *testing.T) {
	if n := New(MaxBytes).Slots(); n != 1<<24 {
		t.Errorf("%d slots", n)
	}
	if n := New(MaxBytes - Page).Slots(); n >= 1<<24 {
		t.Errorf("%d slots in less than that", n)
	}
}

func TestNothingIsReservedBeforeItIsNeeded(t *testing.T) {
	a := New(MinBytes)
	if a.Base() != nil || a.Size() != MinBytes || a.Check(nil) != nil || a.Used() != 0 {
		t.Errorf("a new arena has its base at %v and %d bytes in use", a.Base(), a.Used())
	}
	if _, err := a.Alloc(1); err != nil || a.Base() == nil {
		t.Errorf("the first span: %v", err)
	}
	base := a.Base()
	if err := a.Reserve(); err != nil || a.Base() != base {
		t.Errorf("reserving again moved the arena, or failed: %v", err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Alloc(1); !errors.Is(err, ErrFull) {
		t.Errorf("a closed arena answered %v", err)
	}
	if err := New(MinBytes).Close(); err != nil {
		t.Errorf("closing what was never reserved: %v", err)
	}
}

func TestRunsDoNotOverlap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := New(4 << 20)
		defer a.Close()
		live := map[uint32]int{}
		owner := map[uint32]uint32{}
		for range rapid.IntRange(1, 200).Draw(t, "steps") {
			if units := rapid.IntRange(0, 3).Draw(t, "units"); units > 0 {
				span, err := a.Alloc(units)
				if err != nil {
					continue
				}
				live[span] = units
				for u := span; u < span+uint32(units); u++ {
					if by, taken := owner[u]; taken {
						t.Fatalf("unit %d of span %d belongs to span %d", u, span, by)
					}
					owner[u] = span
				}
				continue
			}
			for span, units := range live {
				a.Free(span, units)
				delete(live, span)
				for u := span; u < span+uint32(units); u++ {
					delete(owner, u)
				}
				break
			}
			if err := a.Check(live); err != nil {
				t.Fatal(err)
			}
			if a.Used() != len(owner)*Unit {
				t.Fatalf("Used() = %d, model says %d", a.Used(), len(owner)*Unit)
			}
		}
	})
}

func TestFullIsAnErrorAndTakesNothing(t *testing.T) {
	a := open(t, MinBytes)
	for {
		if _, err := a.Alloc(1); err != nil {
			if !errors.Is(err, ErrFull) {
				t.Fatal(err)
			}
			break
		}
	}
	used := a.Used()
	if _, err := a.Alloc(1); !errors.Is(err, ErrFull) || a.Used() != used {
		t.Fatalf("a full arena answered %v and went from %d to %d bytes", err, used, a.Used())
	}
	if _, err := a.Alloc(0); !errors.Is(err, ErrFull) {
		t.Fatal("a span of no units must be refused")
	}
}

func TestFreedPagesReadAsZero(t *testing.T) {
	a := open(t, 128<<20)
	var spans []uint32
	for range keepUnits + 8 {
		span, err := a.Alloc(1)
		if err != nil {
			t.Fatal(err)
		}
		unsafe.Slice((*byte)(a.At(span*Unit)), Unit)[7] = 9
		spans = append(spans, span)
	}
	for _, span := range spans {
		a.Free(span, 1)
	}
	a.Trim()
	for _, span := range spans {
		if b := unsafe.Slice((*byte)(a.At(span*Unit)), Unit)[7]; b != 0 {
			t.Fatalf("span %d still holds %d after Trim", span, b)
		}
	}
}

func TestSmallTablesAreZeroAndAligned(t *testing.T) {
	a := open(t, MinBytes)
	span, err := a.Alloc(1)
	if err != nil {
		t.Fatal(err)
	}
	dirty := unsafe.Slice((*byte)(a.At(span*Unit)), Unit)
	for i := range dirty {
		dirty[i] = 0xFF
	}
	a.Free(span, 1)
	for range 100 {
		at, err := a.Small(100)
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range unsafe.Slice((*byte)(a.At(at)), 100) {
			if b != 0 || at%64 != 0 {
				t.Fatalf("table at %d is dirty or not aligned", at)
			}
		}
	}
}

func TestAClosedArenaHasNothingToCheck(t *testing.T) {
	a := open(t, MinBytes)
	a.Alloc(1)
	a.Close()
	if err := a.Check(nil); err != nil {
		t.Fatal(err)
	}
}

func TestCloseTwice(t *testing.T) {
	a := open(t, MinBytes)
	for range 2 {
		if err := a.Close(); err != nil {
			t.Fatal("closing twice must be harmless:", err)
		}
	}
}

// TestTheFixedPartsDoNotOverlap: nothing is handed out from the page that means
// nowhere, the directory or the records.
func TestTheFixedPartsDoNotOverlap(t *testing.T) {
	for _, size := range []int64{MinBytes, 4 << 20, 64 << 20} {
		a := open(t, size)
		records, n := a.Records()
		directory := a.Directory()
		from := uintptr(unsafe.Pointer(unsafe.SliceData(directory))) - uintptr(a.Base())
		to := from + uintptr(len(directory))*4
		first, last := uintptr(records)-uintptr(a.Base()), uintptr(records)-uintptr(a.Base())+uintptr(n)*16
		span, err := a.Alloc(1)
		if err != nil {
			t.Fatal(err)
		}
		if from < Page || first < to || uintptr(span)*Unit < last || int64(n) > size/16 {
			t.Errorf("%d bytes: directory %d to %d, records %d to %d, the first span at %d", size, from, to, first, last, span*Unit)
		}
	}
}

func TestSmallTablesUntilTheArenaIsFull(t *testing.T) {
	a := open(t, MinBytes)
	seen := map[uint32]bool{}
	for {
		at, err := a.Small(4096)
		if errors.Is(err, ErrFull) {
			break
		}
		if err != nil || seen[at] || at == 0 {
			t.Fatalf("a table at %d, %v", at, err)
		}
		seen[at] = true
	}
	if err := a.Check(nil); err != nil {
		t.Error(err)
	}
	if len(seen) < 100 {
		t.Errorf("only %d tables of 4 KiB fit in %d bytes", len(seen), MinBytes)
	}
}

func TestAllowCountsRuns(t *testing.T) {
	a := open(t, MinBytes)
	a.Allow(2)
	for i := range 4 {
		if _, err := a.Alloc(1); (err == nil) != (i < 2) {
			t.Errorf("span %d: %v", i, err)
		}
	}
	a.Allow(-1)
	if _, err := a.Small(8); err != nil {
		t.Error(err)
	}
}

// TestHugePagesComeWithGrowth: they are asked for once the heap is large, not any
// more once something went back to the system, and again with the next growth.
// What lies in the range is the same throughout.
func TestHugePagesComeWithGrowth(t *testing.T) {
	a := open(t, 64<<20)
	take := func(units int) uint32 {
		t.Helper()
		span, err := a.Alloc(units)
		if err != nil {
			t.Fatal(err)
		}
		unsafe.Slice((*uint32)(a.At(span*Unit)), 1)[0] = span
		return span
	}
	first, second := take(1), take(hugeFrom-2)
	if a.huge {
		t.Error("a small heap asks for huge pages")
	}
	third := take(1)
	if !a.huge {
		t.Error("a large heap does not ask for huge pages")
	}
	a.Free(second, hugeFrom-2)
	a.Trim()
	if a.huge {
		t.Error("what was given back may be filled in again")
	}
	if take(8); a.huge {
		t.Error("a span that was free already is no growth")
	}
	fourth := take(hugeFrom)
	if !a.huge {
		t.Error("growth after a Trim does not ask for huge pages")
	}
	for _, span := range []uint32{first, third, fourth} {
		if got := unsafe.Slice((*uint32)(a.At(span*Unit)), 1)[0]; got != span {
			t.Errorf("span %d holds %d", span, got)
		}
	}
}

// TestARefusedSpanLeavesNothing: the system has no pages for it.
func TestARefusedSpanLeavesNothing(t *testing.T) {
	a := open(t, MinBytes)
	kept, err := a.Alloc(2)
	if err != nil {
		t.Fatal(err)
	}
	freed, _ := a.Alloc(3)
	last, _ := a.Alloc(1)
	a.Free(freed, 3)
	used, spare := a.Used(), a.Spare()
	for _, units := range []int{1, 5} { // from a free span, and from the end
		span, ok := a.heap.take(units)
		if !ok {
			t.Fatalf("no span of %d", units)
		}
		a.refuse(span, units)
		if spare -= map[int]int{1: Unit}[units]; a.Used() != used || a.Spare() != spare {
			t.Errorf("%d units: %d bytes in use and %d to spare, want %d and %d", units, a.Used(), a.Spare(), used, spare)
		}
		if err := a.Check(map[uint32]int{kept: 2, last: 1}); err != nil {
			t.Error(err)
		}
	}
}
