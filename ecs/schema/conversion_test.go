package schema

import (
	"slices"
	"testing"
	"unsafe"
)

// TestWiderHoldsEveryNumber: a kind is wider than another if it has the sign, if there is
// one, and as many bits for the digits; nothing else is.
func TestWiderHoldsEveryNumber(t *testing.T) {
	digits := map[Kind]int{
		I8: 7, I16: 15, I32: 31, I64: 63, F32: 24, F64: 53,
		U8: 8, U16: 16, U32: 32, U64: 64,
	}
	unsigned, floats := []Kind{U8, U16, U32, U64}, []Kind{F32, F64}
	for from, need := range digits {
		for to, has := range digits {
			want := from != to && has >= need && (slices.Contains(unsigned, from) || !slices.Contains(unsigned, to)) &&
				(slices.Contains(floats, to) || !slices.Contains(floats, from))
			if got := slices.Contains(wider(from), to); got != want {
				t.Errorf("%v to %v: %v, want %v", from, to, got, want)
			}
		}
	}
}

// TestConversionOfStructs: a nested struct of the same fields is kept, and one of others is lost.
func TestConversionOfStructs(t *testing.T) {
	at := func(kind Kind) Schema {
		s := Schema{Name: "S", Fields: []Field{{Name: "at", Kind: Struct, Len: 2, Fields: []Field{{Name: "x", Kind: kind}}}, {Name: "n", Kind: U8}}}
		if err := s.Layout(); err != nil {
			t.Fatal(err)
		}
		return s
	}
	old, same, other := at(F32), at(F32), at(F64)
	from, to := [3]float32{1, 2, 0}, [3]float32{}
	if c := NewConversion(&old, &same); len(c.Lost) > 0 {
		t.Error(c.Lost)
	} else if c.Apply(unsafe.Pointer(&from), unsafe.Pointer(&to)); to != from {
		t.Error(to)
	}
	if c := NewConversion(&old, &other); !slices.Equal(c.Lost, []string{"at"}) {
		t.Error(c.Lost)
	}
}
