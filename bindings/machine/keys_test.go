package machine

import (
	"fmt"
	"testing"
)

// TestKeys: tables made with keys have them in their order, share one shape, and find it
// again after it was retired; one with more keys than a shape has works as well.
func TestKeys(t *testing.T) {
	for _, n := range []int{0, 1, 3, 8, maxKeys, maxKeys + 1} {
		h := NewHeap()
		var names []string
		for i := range n {
			names = append(names, fmt.Sprintf("key%d", i))
		}
		ks := h.NewKeys(names...)
		for range 3 {
			x := ks.New()
			for i := range names {
				ks.Set(x, i, Number(float64(i)))
			}
			k, v := Nil, Nil
			for i := range names {
				if k, v, _ = x.Next(k); k.Str().String() != names[i] || v.Float() != float64(i) {
					t.Fatalf("%d keys: key %d is %v", n, i, k.Str())
				}
			}
			if k, _, _ = x.Next(k); !k.IsNil() {
				t.Errorf("%d keys: there is one more, %v", n, k)
			}
			if err := x.Check(); err != nil {
				t.Error(err)
			}
			if y := ks.New(); n > 0 && n <= maxKeys && (x.shape != y.shape || x.shape.retired) {
				t.Errorf("%d keys: two shapes", n)
			}
			h.newTree()
		}
	}
}
