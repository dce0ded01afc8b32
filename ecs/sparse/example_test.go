package sparse_test

import (
	"fmt"

	"github.com/perigee-ecs/perigee/ecs/sparse"
)

// A timer for some of many entities: to come and to go costs the same for each.
func Example() {
	var burning sparse.Set[uint32, float64]
	burning.Put(7, 2.5)
	burning.Put(4_000_000, 0.5)
	for key, left := range burning.All() {
		if *left -= 1; *left <= 0 {
			burning.Remove(key)
		}
	}
	fmt.Println(burning.Keys(), burning.Values())
	// Output: [7] [1.5]
}
