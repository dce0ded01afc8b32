package machine

import (
	"math"
	"testing"
)

// TestNoArithmeticMakesATag: whatever bits a NaN comes with, it is a number, and stays one
// when it is computed with.
func TestNoArithmeticMakesATag(t *testing.T) {
	h := newHost(Options{})
	text := `local x, y = ... local z = -x return x + y, y - x, x * y, x / y, x % y, x ^ y, -x, z + 1, -z * 2, y + x, 0 - x`
	fn := OfFunction(h.vm.Load(compiled(t, text), h.env))
	for high := uint64(0x7FF0); high <= 0xFFFF; high++ {
		if high == 0x8000 {
			high = 0xFFF0
		}
		for _, low := range []uint64{1, 5, 0xFFFF_FFFF_FF00, 0xFFFF_FFFF_FF03, 0xFFFF_FFFF_FFFF} {
			x := Number(math.Float64frombits(high<<48 | low))
			if !x.IsNumber() {
				t.Fatalf("%x%012x is no number", high, low)
			}
			for _, y := range []Value{Number(2), Number(math.NaN()), x} {
				results, r := h.vm.Main().Run(fn, x, y)
				if r != nil {
					t.Fatal(r)
				}
				for i, v := range results {
					if !v.IsNumber() || v.Float() == v.Float() {
						t.Fatalf("result %d of %x%012x is %x", i+1, high, low, v.n)
					}
				}
			}
		}
	}
}
