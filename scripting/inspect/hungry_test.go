package inspect

import "testing"

// TestHungryIsExact: whatever order a viewer's last messages come in, nobody is hungry when all have left.
func TestHungryIsExact(t *testing.T) {
	for sent := range credit + 1 {
		for acknowledged := range 4 {
			for after := range 4 {
				var v views
				v.begin()
				one := &viewer{wake: make(chan struct{}, 1)}
				v.join(one)
				for range sent {
					v.offer([]byte{1})
					v.take(one)
				}
				for range acknowledged {
					v.acknowledged(one)
				}
				v.leave(one)
				for range after {
					v.acknowledged(one)
					v.take(one)
				}
				if n := v.hungry.Load(); n != 0 {
					t.Errorf("%d pictures, %d acknowledged, %d after it left: %d are hungry", sent, acknowledged, after, n)
				}
			}
		}
	}
}
