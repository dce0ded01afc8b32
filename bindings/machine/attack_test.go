package machine

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"
)

// distance returns how far the entries of a dictionary lie from where their hashes want
// them, on average and at most.
func (d *dict) distance() (average float64, most int) {
	mask, sum, n := uint32(len(d.index)-1), 0, 0
	for at, x := range d.index {
		if x == 0 {
			continue
		}
		home := hash(&d.entries[x&mask-1].key) & mask
		far := int((uint32(at) - home) & mask)
		sum, n, most = sum+far, n+1, max(most, far)
	}
	return float64(sum) / float64(max(n, 1)), most
}

// TestKeysThatCollide: whatever keys a script chooses, they lie where others would.
func TestKeysThatCollide(t *testing.T) {
	h := NewHeap()
	for name, key := range map[string]func(i int) Value{
		"far apart":       func(i int) Value { return Number(float64(i) * (1 << 30)) },
		"high bits only":  func(i int) Value { return Number(float64(i) * 0x1p500) },
		"low bits only":   func(i int) Value { return Value{n: Number(1.5).n + uint64(i)} },
		"negative":        func(i int) Value { return Number(-float64(i)) },
		"halves":          func(i int) Value { return Number(float64(i) + 0.5) },
		"exponents":       func(i int) Value { return Value{n: uint64(i%2000+1)<<52 | uint64(i/2000)<<40} },
		"a multiple":      func(i int) Value { return Number(float64(i) * 0x9E3779B97F4A7C15) },
		"tables":          func(int) Value { return OfTable(h.NewTable(0, 0)) },
		"counted texts":   func(i int) Value { return String(fmt.Sprint("key", i)) },
		"sums of letters": func(i int) Value { return String(anagram(i)) },
		"a common tail": func(i int) Value {
			return String(fmt.Sprint(i, "-------------------------------------------------------------------"))
		},
		"letters in zeros": func(i int) Value { return String(string(append(make([]byte, 5+i%64), byte(i>>6), byte(i>>14)))) },
	} {
		o := h.NewTable(0, 0)
		for i := range 30000 {
			o.Set(key(i), True)
		}
		if err := o.Check(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if average, most := o.dict.distance(); average > 1.2 || most > 90 {
			t.Errorf("%s: entries lie %.2f places from home, at most %d", name, average, most)
		}
	}
}

// anagram returns the i-th order of some letters: the same letters, and the same sum.
func anagram(i int) string {
	b := []byte("abcdefghijkl")
	for n := len(b); n > 1; n-- {
		j := i % n
		i /= n
		b[j], b[n-1] = b[n-1], b[j]
	}
	return string(b)
}

// TestOrderKnowsNoSeed: the order of pairs is the same whatever hashes and addresses are.
func TestOrderKnowsNoSeed(t *testing.T) {
	a, b := seedA, seedB
	defer func() { seedA, seedB = a, b }()
	order := func() (keys []string) {
		h, r := NewHeap(), rand.New(rand.NewPCG(1, 2))
		o := h.NewTable(0, 0)
		for range 2000 {
			v := True
			if r.IntN(3) == 0 {
				v = Nil
			}
			switch n := float64(r.IntN(300)); r.IntN(3) {
			case 0:
				o.SetString(fmt.Sprint("k", n), v)
			case 1:
				o.Set(Number(n+0.5), v)
			default:
				o.Set(Number(n), v)
			}
		}
		for k, _, _ := o.Next(Nil); !k.IsNil(); k, _, _ = o.Next(k) {
			keys = append(keys, show(k))
		}
		return keys
	}
	first := order()
	for i := range 3 {
		seedA, seedB = rand.Uint64(), rand.Uint64()|1
		if got := order(); !slices.Equal(got, first) {
			t.Fatalf("with other seeds (%d) the order is %v, and not %v", i, got, first)
		}
	}
}

// TestShapesWithoutEnd: a script that gives each table other keys gets no more shapes than
// there may be, and what it has let go is gone.
func TestShapesWithoutEnd(t *testing.T) {
	h, r := NewHeap(), rand.New(rand.NewPCG(3, 4))
	var names []*Str
	for i := range 40 {
		names = append(names, NewStr(fmt.Sprint("n", i)))
	}
	var kept []*Table
	round := func(n int) {
		for i := range n {
			o := h.NewTable(0, 0)
			r.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
			for j, k := range names[:20] {
				o.SetStr(k, Number(float64(j)))
			}
			if i%100 == 0 {
				kept = append(kept, o)
			}
		}
	}
	round(4000)
	first := alive()
	kept = nil
	for range 4 {
		round(4000)
		for _, o := range kept {
			if err := o.Check(); err != nil {
				t.Fatal(err)
			}
		}
		kept = nil
		if h.shapes > maxShapes {
			t.Fatalf("%d shapes", h.shapes)
		}
	}
	if now := alive(); now > first+2<<20 {
		t.Errorf("the heap has grown from %d to %d bytes", first, now)
	}
	runtime.KeepAlive(h)
}

// TestRetiredShapesAreReplaced: tables of an old tree of shapes get the same keys in the
// new one, with their values where they were.
func TestRetiredShapesAreReplaced(t *testing.T) {
	h := NewHeap()
	make := func() *Table {
		o := h.NewTable(0, 0)
		o.SetString("x", Number(1))
		o.SetString("y", Number(2))
		return o
	}
	old := make()
	h.newTree()
	fresh := make()
	if old.shape == fresh.shape || old.shape.current() != fresh.shape {
		t.Fatal("the same keys have no common shape in the new tree")
	}
	old.SetString("z", Number(3))
	fresh.SetString("z", Number(3))
	if old.shape != fresh.shape || old.GetString("y").Float() != 2 || old.GetString("z").Float() != 3 {
		t.Error("a table with a retired shape does not go on in the new tree")
	}
	if err := old.Check(); err != nil {
		t.Error(err)
	}
}

// TestLongDay: what comes and goes for long takes no more memory in the evening.
func TestLongDay(t *testing.T) {
	for name, play := range map[string]func(h *Heap, keep *Table, i int){
		"reloads with other names": func(h *Heap, _ *Table, i int) {
			if i%20 == 0 {
				o := h.NewTable(0, 0)
				for j := range 20 {
					o.SetStr(NewStr(fmt.Sprint("field", i, "_", j)), True)
				}
			}
		},
		"a queue": func(_ *Heap, keep *Table, i int) {
			keep.SetInt(i, True)
			keep.SetInt(i-100, Nil)
		},
		"a queue of texts": func(_ *Heap, keep *Table, i int) {
			keep.SetInt(i, String("x"))
			keep.SetInt(i-100, Nil)
		},
		"a stack": func(_ *Heap, keep *Table, i int) {
			if i/1000%2 == 0 {
				keep.SetInt(keep.Len()+1, OfTable(keep))
			} else {
				keep.SetInt(keep.Len(), Nil)
			}
		},
		"entities by number": func(h *Heap, keep *Table, i int) {
			keep.Set(Number(float64(i)*1e6), OfTable(h.NewTable(0, 2)))
			keep.Set(Number(float64(i-50)*1e6), Nil)
		},
		"names": func(_ *Heap, keep *Table, i int) {
			keep.Set(String(fmt.Sprint("n", i)), True)
			keep.Set(String(fmt.Sprint("n", i-20)), Nil)
		},
		"objects as keys": func(h *Heap, keep *Table, _ int) {
			k := OfTable(h.NewTable(0, 0))
			keep.Set(k, True)
			keep.Set(k, Nil)
		},
		"numbers where pointers were": func(h *Heap, keep *Table, i int) {
			v := OfTable(h.NewTable(100, 0))
			keep.SetInt(i%500+1, v)
			v.n = Number(1).n // as a register would keep it
			keep.SetInt(i%500+1, v)
			keep.SetStr(eventNames[0], v)
		},
	} {
		h := NewHeap()
		keep := h.NewTable(0, 0)
		for i := range 20000 {
			play(h, keep, i)
		}
		noon, size := alive(), keep.Bytes()
		for i := 20000; i < 120000; i++ {
			play(h, keep, i)
		}
		if now := alive(); now > noon+1<<20 || keep.Bytes() > 2*size+1024 {
			t.Errorf("%s: the heap has grown from %d to %d bytes, the table from %d to %d", name, noon, now, size, keep.Bytes())
		}
		if err := keep.Check(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestNoWorkOutOfProportion: orders of assignment that fill a list in odd ways, or go back
// and forth over a bound, take no longer per assignment in a large table.
func TestNoWorkOutOfProportion(t *testing.T) {
	for name, play := range map[string]func(o *Table, n int){
		"from the end": func(o *Table, n int) {
			for i := n; i >= 1; i-- {
				o.SetInt(i, True)
			}
		},
		"every other one": func(o *Table, n int) {
			for i := 2; i <= n; i += 2 {
				o.SetInt(i, True)
			}
			for i := 1; i <= n; i += 2 {
				o.SetInt(i, True)
			}
		},
		"in any order": func(o *Table, n int) {
			for i := range n {
				o.SetInt(i*7919%n+1, True)
			}
		},
		"at the edge of the room": func(o *Table, n int) {
			for i := range n/2 + 1 {
				o.SetInt(i+1, True)
			}
			for range n / 2 {
				o.SetInt(n/2+2, True)
				o.SetInt(n/2+2, Nil)
			}
		},
		"far in the room": func(o *Table, n int) {
			for i := range n / 2 {
				o.SetInt(i+1, True)
			}
			for i := n / 2; i > 0; i-- {
				o.SetInt(i, Nil)
			}
			for i := range n / 2 {
				o.SetInt(n/2-i%2, True)
				o.SetInt(n/2-i%2, Nil)
			}
		},
		"holes and growth": func(o *Table, n int) {
			for i := range n {
				o.SetInt(o.Len()+1, True)
				o.SetInt(i/2+1, Nil)
			}
		},
		"removed and set": func(o *Table, n int) {
			for i := range n {
				o.Set(Number(float64(i)+0.5), True)
				if i >= 128 {
					o.Set(Number(float64(i-128)+0.5), Nil)
				}
			}
		},
		"the first one again and again": func(o *Table, n int) {
			for i := range n / 2 {
				o.Set(Number(float64(i)+0.5), True)
			}
			for range n / 2 {
				k, _, _ := o.Next(Nil)
				o.Set(k, Nil)
			}
		},
		"sparse after dense": func(o *Table, n int) {
			for i := range n / 2 {
				o.SetInt(i+1, True)
			}
			for i := range n / 2 {
				o.SetInt(n+i*i, True)
			}
		},
	} {
		took := func(n int) time.Duration {
			o := NewHeap().NewTable(0, 0)
			began := time.Now()
			play(o, n)
			time := time.Since(began)
			if err := o.Check(); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			return time
		}
		// What is quadratic takes 4,096 times as long; a busy computer is asked again.
		small, large := time.Duration(1<<62), time.Duration(1<<62)
		for range 5 {
			small, large = min(small, took(2000)), min(large, took(128000))
			if large < 64*8*small+50*time.Millisecond {
				break
			}
		}
		if large > 64*8*small+50*time.Millisecond {
			t.Errorf("%s: %v for 2,000 assignments, %v for 128,000", name, small, large)
		}
	}
}

// TestEntriesHaveALimit: a table gets exactly as many as it may, and is whole after it was
// refused one.
func TestEntriesHaveALimit(t *testing.T) {
	type tooLarge int
	h := NewHeap()
	h.MaxEntries = 100
	h.TooLarge = func(n int) { panic(tooLarge(n)) }
	for name, add := range map[string]func(o *Table, i int){
		"items":      func(o *Table, i int) { o.SetInt(i, True) },
		"any items":  func(o *Table, i int) { o.SetInt(i, String("x")) },
		"from above": func(o *Table, i int) { o.SetInt(1000-i, True) },
		"texts":      func(o *Table, i int) { o.Set(String(fmt.Sprint(i)), True) },
		"halves":     func(o *Table, i int) { o.Set(Number(float64(i)+0.5), True) },
		"all at once": func(o *Table, i int) {
			if i == 101 {
				o.setList(1, make([]Value, 101))
			}
		},
	} {
		o := h.NewTable(0, 0)
		func() {
			defer func() {
				if n, ok := recover().(tooLarge); !ok || n != 101 {
					t.Errorf("%s: refused at %d entries", name, n)
				}
			}()
			for i := 1; i <= 1000; i++ {
				add(o, i)
			}
		}()
		if err := o.Check(); err != nil || o.Entries() > 100 {
			t.Errorf("%s: %d entries, %v", name, o.Entries(), err)
		}
	}
}
