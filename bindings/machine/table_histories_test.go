package machine

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"
)

// TestTableHistories makes tables grow, shrink, get holes and lose them, with keys beside the
// list, in loops with pairs and under undo, beside a map.
func TestTableHistories(t *testing.T) {
	for seed := range 3000 {
		r := rand.New(rand.NewPCG(uint64(seed), 5))
		h := NewHeap()
		tab := h.NewTable(0, 0)
		model := map[Value]Value{}
		var log []string
		val := func() Value {
			switch r.IntN(6) {
			case 0:
				return String("s")
			case 1:
				return Bool(true)
			}
			return Number(float64(1 + r.IntN(100)))
		}
		strs := []Value{}
		for i := range 12 {
			strs = append(strs, String("k"+strconv.Itoa(i)))
		}
		key := func() Value {
			switch r.IntN(10) {
			case 0:
				return strs[r.IntN(len(strs))]
			case 1:
				return Number(float64(r.IntN(5)) + 0.5)
			case 2:
				return Number(float64(r.IntN(400)))
			}
			return Number(float64(r.IntN(90)))
		}
		set := func(k, v Value) {
			log = append(log, fmt.Sprint("set ", Written(k), " ", Written(v)))
			tab.Set(k, v)
			if v.IsNil() {
				delete(model, k)
			} else {
				model[k] = clean(v)
			}
		}
		check := func(what string) {
			if err := tab.Check(); err != nil {
				t.Fatalf("seed %d after %s: %v\n%v", seed, what, err, log)
			}
			n := tab.Len()
			if n > 0 && tab.GetInt(n).IsNil() || !tab.GetInt(n+1).IsNil() {
				t.Fatalf("seed %d after %s: %d is no border", seed, what, n)
			}
		}
		for range 60 {
			switch r.IntN(12) {
			case 0: // burst up
				from, n := r.IntN(80), r.IntN(90)
				for i := from; i < from+n; i++ {
					set(Number(float64(i)), val())
				}
			case 1: // burst down
				from, n := r.IntN(80), r.IntN(90)
				for i := from + n; i > from; i-- {
					set(Number(float64(i)), val())
				}
			case 2, 3: // remove range
				from, n := r.IntN(120), r.IntN(90)
				for i := from; i < from+n; i++ {
					set(Number(float64(i)), Nil)
				}
			case 4: // every third goes
				for i := range 150 {
					if r.IntN(3) > 0 {
						set(Number(float64(i)), Nil)
					}
				}
			case 5:
				n := tab.Len()
				if n > 0 && n < 300 {
					i := 1 + r.IntN(n+1)
					v := val()
					log = append(log, fmt.Sprint("insert ", i))
					tab.Insert(i, v)
					for j := n; j >= i; j-- {
						if x, ok := model[Number(float64(j))]; ok {
							model[Number(float64(j+1))] = x
						} else {
							delete(model, Number(float64(j+1)))
						}
					}
					model[Number(float64(i))] = v
				}
			case 6:
				n := tab.Len()
				if n > 0 {
					i := 1 + r.IntN(n)
					log = append(log, fmt.Sprint("remove ", i))
					tab.Remove(i)
					for j := i; j < n; j++ {
						if x, ok := model[Number(float64(j+1))]; ok {
							model[Number(float64(j))] = x
						} else {
							delete(model, Number(float64(j)))
						}
					}
					delete(model, Number(float64(n)))
				}
			case 7: // traversal with assignments to existing keys, and removals
				seen := map[Value]bool{}
				for k, v, p := tab.Next(Nil); !k.IsNil(); k, v, p = tab.Next(k) {
					if p < 0 {
						t.Fatalf("seed %d: invalid key", seed)
					}
					if seen[k] {
						t.Fatalf("seed %d: %v twice\n%v", seed, Written(k), log)
					}
					seen[k] = true
					if !model[k].Equal(v) {
						t.Fatalf("seed %d: %v has %v", seed, Written(k), Written(v))
					}
					switch r.IntN(4) {
					case 0:
						set(k, Nil)
					case 1:
						set(k, val())
					case 2:
						// another existing key
						for k2 := range model {
							if r.IntN(2) == 0 {
								set(k2, val())
							} else {
								set(k2, Nil)
								seen[k2] = true
							}
							break
						}
					}
				}
				for k := range model {
					if !seen[k] {
						t.Fatalf("seed %d: %v not seen\n%v", seed, Written(k), log)
					}
				}
			case 8: // undo: writes and RestoreLen
				type w struct {
					k, old Value
					n      int
				}
				var list []w
				before := fmt.Sprint(tab.Len(), len(model))
				for range 1 + r.IntN(60) {
					k := key()
					if r.IntN(2) == 0 {
						k = Number(float64(tab.Len() + 1 - r.IntN(2)))
					}
					list = append(list, w{k, tab.Get(k), tab.Len()})
					v := val()
					if r.IntN(3) == 0 {
						v = Nil
					}
					set(k, v)
					check("undo write")
				}
				for i := len(list) - 1; i >= 0; i-- {
					x := list[i]
					set(x.k, x.old)
					log = append(log, fmt.Sprint("restore ", x.n))
					tab.RestoreLen(x.n)
					check("restore")
				}
				if now := fmt.Sprint(tab.Len(), len(model)); now != before {
					t.Fatalf("seed %d: undo: %s, before %s\n%v", seed, now, before, log)
				}
			default:
				k := key()
				v := val()
				if r.IntN(3) == 0 {
					v = Nil
				}
				set(k, v)
			}
			check("step")
		}
		for k, v := range model {
			if !tab.Get(k).Equal(v) {
				t.Fatalf("seed %d: %v is %v, not %v\n%v", seed, Written(k), Written(tab.Get(k)), Written(v), log)
			}
		}
	}
}
