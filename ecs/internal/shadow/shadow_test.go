package shadow

import (
	"fmt"
	"slices"
	"testing"
	"unsafe"

	"pgregory.net/rapid"
)

// handle makes the handle of a slot with a life.
func handle(slot, life int) uint64 { return uint64(life)<<SlotBits | uint64(slot) }

// row is what the model knows of a handle.
type row struct {
	value [3]byte
	date  uint64
}

// rig is a shadow and a model made of maps. A value has three bytes, the second of which is
// padding.
type rig struct {
	shadow  *Shadow
	now     map[uint64][3]byte // what values are now
	rows    map[uint64]row     // at the last comparison
	removed []removal
	date    uint64
}

func newRig() *rig {
	return &rig{New(3, []Piece{{0, 1}, {2, 3}}, 0), map[uint64][3]byte{}, map[uint64]row{}, nil, 0}
}

// compare shows all values, and sweeps when there are too many rows.
func (r *rig) compare() {
	r.date++
	var list []uint64
	for h := range r.now {
		list = append(list, h)
	}
	slices.Sort(list)
	var values []byte
	for _, h := range list {
		v := r.now[h]
		values = append(values, v[:]...)
	}
	r.shadow.Rows(list, unsafe.Pointer(unsafe.SliceData(values)), r.date)
	if r.shadow.Len() != len(list) {
		r.shadow.Prune(r.date, func(h uint64) bool { _, has := r.now[h]; return has })
	}
	for h := range r.rows {
		if _, has := r.now[h]; !has {
			delete(r.rows, h)
			r.removed = append(r.removed, removal{h, r.date})
		}
	}
	for h, v := range r.now {
		if old, had := r.rows[h]; !had || old.value[0] != v[0] || old.value[2] != v[2] {
			r.rows[h] = row{v, r.date}
		}
	}
}

// judge compares what is known since a date.
func (r *rig) judge(since uint64) error {
	var got, want []string
	r.shadow.Changed(since, func(h uint64, p unsafe.Pointer) bool {
		v := *(*[3]byte)(p)
		got = append(got, fmt.Sprint(h, v[0], v[2]))
		return true
	})
	for h, o := range r.rows {
		if o.date > since {
			want = append(want, fmt.Sprint(h, o.value[0], o.value[2]))
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		return fmt.Errorf("since %d: changed are %v, the model says %v", since, got, want)
	}
	if !r.shadow.Reaches(since) {
		return nil
	}
	gone := map[uint64]bool{}
	for _, o := range r.removed {
		if _, has := r.rows[o.handle]; !has && o.date > since {
			gone[o.handle] = true
		}
	}
	removed := r.shadow.Removed(since)
	for _, h := range removed {
		if !gone[h] {
			return fmt.Errorf("since %d: %d is removed, the model knows nothing of it", since, h)
		}
	}
	if len(removed) != len(gone) {
		return fmt.Errorf("since %d: %d are removed, the model says %d", since, len(removed), len(gone))
	}
	return r.shadow.Check(r.date)
}

// TestShadowAgainstModel: values that come, change and go in any order, on several pages, in
// slots that are used again.
func TestShadowAgainstModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := newRig()
		slot := rapid.SampledFrom([]int{1, 2, 3, 700, perPage - 1, perPage, 5 * perPage})
		lives := map[int]int{}
		t.Repeat(map[string]func(*rapid.T){
			"set": func(t *rapid.T) {
				s := slot.Draw(t, "slot")
				b := rapid.SliceOfN(rapid.ByteRange(0, 2), 3, 3).Draw(t, "value")
				r.now[handle(s, 256+lives[s])] = [3]byte(b)
			},
			"remove": func(t *rapid.T) { s := slot.Draw(t, "slot"); delete(r.now, handle(s, 256+lives[s])) },
			"die": func(t *rapid.T) {
				s := slot.Draw(t, "slot")
				delete(r.now, handle(s, 256+lives[s]))
				lives[s]++
			},
			"compare": func(t *rapid.T) { r.compare() },
			"": func(t *rapid.T) {
				for since := range r.date + 1 {
					if err := r.judge(since); err != nil {
						t.Fatal(err)
					}
				}
			},
		})
	})
}

// TestBlocks: a row that has changed, come or died is found wherever it is among rows that lie
// side by side, at the ends of pages too.
func TestBlocks(t *testing.T) {
	const rows = 3*perPage + 40
	for _, size := range []uintptr{1, 8, 24, 100} {
		s := New(size, nil, 0)
		handles, values := make([]uint64, rows), make([]byte, rows*int(size))
		for i := range handles {
			handles[i] = handle(5+i, 256)
		}
		at := unsafe.Pointer(unsafe.SliceData(values))
		s.Rows(handles, at, 1)
		date := uint64(1)
		for i := 0; i < rows; i += 7 {
			date++
			want := handles[i]
			if i%3 == 0 {
				handles[i] += 1 << SlotBits // another one in its slot
				want = handles[i]
			} else {
				values[i*int(size)+int(size)-1]++
			}
			s.Rows(handles, at, date)
			var got []uint64
			s.Changed(date-1, func(h uint64, p unsafe.Pointer) bool { got = append(got, h); return true })
			if !slices.Equal(got, []uint64{want}) {
				t.Fatalf("%d bytes, row %d: %d rows have changed", size, i, len(got))
			}
			if i%3 == 0 && !slices.Equal(s.Removed(date-1), []uint64{want - 1<<SlotBits}) {
				t.Fatalf("%d bytes, row %d: the one before is not removed", size, i)
			}
		}
		slices.Reverse(handles) // the same slots in another order: with other values each
		if s.Rows(handles, at, date+1); s.Len() != rows {
			t.Errorf("%d rows of %d", s.Len(), rows)
		}
		for i, h := range handles {
			if err := s.CheckRow(h, unsafe.Add(at, uintptr(i)*size)); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Check(date + 1); err != nil {
			t.Error(err)
		}
	}
}

// TestRemovalsAreBounded: by the number of rows, and those that are remembered are right.
func TestRemovalsAreBounded(t *testing.T) {
	for _, rows := range []int{0, 5000} {
		r := newRig()
		for i := range rows {
			r.now[handle(10+i, 256)] = [3]byte{}
		}
		r.compare()
		for life := range 4 * leastRemovals {
			r.now[handle(1, 256+life)] = [3]byte{}
			list := []uint64{handle(1, 256+life)}
			r.date++
			r.shadow.Rows(list, unsafe.Pointer(&[3]byte{}), r.date)
			if n := len(r.shadow.removals); n > max(leastRemovals, rows+1) {
				t.Fatalf("%d removals are kept for %d rows", n, rows)
			}
		}
		newest := r.shadow.Removed(r.date - 100)
		if r.shadow.Reaches(0) != (rows > 0) || !r.shadow.Reaches(r.date-400) || len(newest) != 100 {
			t.Errorf("%d rows: what is remembered begins at %d of %d; %d of the last 100", rows, r.shadow.floor, r.date, len(newest))
		}
		if err := r.shadow.Check(r.date); err != nil {
			t.Error(err)
		}
	}
}

// TestCheckFindsEachCorruption breaks every invariant on purpose.
func TestCheckFindsEachCorruption(t *testing.T) {
	value := [3]byte{1, 2, 3}
	for name, c := range map[string]func(s *Shadow){
		"a row too many":              func(s *Shadow) { s.pages[0].lives[9] = 1 },
		"a row too few":               func(s *Shadow) { s.pages[0].lives[3] = 0 },
		"a page counts wrong":         func(s *Shadow) { s.pages[0].used++ },
		"the shadow counts wrong":     func(s *Shadow) { s.count++ },
		"a date of later":             func(s *Shadow) { s.pages[0].dates[3] = 99; s.pages[0].newest = 99 },
		"a date above the page's":     func(s *Shadow) { s.pages[0].newest = 0 },
		"a row without a date":        func(s *Shadow) { s.pages[0].dates[3] = 0 },
		"removals out of order":       func(s *Shadow) { s.removals = []removal{{5, 2}, {5, 1}} },
		"a removal of later":          func(s *Shadow) { s.removals = []removal{{5, 99}} },
		"a removal that is forgotten": func(s *Shadow) { s.floor, s.removals = 2, []removal{{5, 1}} },
		"a value":                     func(s *Shadow) { *(*byte)(unsafe.Add(s.pages[0].values, 3*3+2))++ },
		"a life":                      func(s *Shadow) { s.pages[0].lives[3]++ },
	} {
		s := New(3, []Piece{{0, 1}, {2, 3}}, 0)
		s.Rows([]uint64{handle(3, 256)}, unsafe.Pointer(&value), 2)
		whole := func() error {
			if err := s.Check(2); err != nil {
				return err
			}
			return s.CheckRow(handle(3, 256), unsafe.Pointer(&value))
		}
		if err := whole(); err != nil {
			t.Fatal(err)
		}
		if c(s); whole() == nil {
			t.Errorf("%s: nothing is found", name)
		}
	}
}

// TestEqual compares every length, with a difference in each byte.
func TestEqual(t *testing.T) {
	a, b := make([]byte, 100), make([]byte, 100)
	p, q := unsafe.Pointer(&a[0]), unsafe.Pointer(&b[0])
	for n := range uintptr(len(a)) {
		for i := range a {
			b[i] = 1
			if equal(p, q, n) == (uintptr(i) < n) {
				t.Errorf("%d bytes that differ at %d: wrong", n, i)
			}
			b[i] = 0
		}
	}
}
