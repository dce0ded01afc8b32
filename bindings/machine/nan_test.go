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

// TestTheLeftNaNStays: of two NaNs an operator gives the left one, as a kernel does,
// whichever operand the compiler has the processor overwrite.
func TestTheLeftNaNStays(t *testing.T) {
	h := newHost(Options{})
	fn := OfFunction(h.vm.Load(compiled(t, `local x, y = ... return x + y, x * y, x - y, x / y, x + 0/0, x * (0/0)`), h.env))
	bits := []uint64{0x7FF8_0000_0000_0001, 0xFFF8_0000_0000_0000, 0x7FF8_0000_0000_1234}
	for _, x := range bits {
		for _, y := range append(bits, math.Float64bits(2)) {
			results, r := h.vm.Main().Run(fn, Value{n: x}, Value{n: y})
			if r != nil {
				t.Fatal(r)
			}
			for i, v := range results {
				if v.n != x {
					t.Errorf("operator %d of %x and %x: %x", i+1, x, y, v.n)
				}
			}
		}
	}
}
