package schema

import (
	"errors"
	"math"
	"testing"
	"unsafe"

	"pgregory.net/rapid"
)

// integerKinds lists the kinds that take whole numbers, with their extremes.
func integerKinds() map[Kind][2]float64 {
	return map[Kind][2]float64{
		Bool: {0, 1}, Enum: {0, 255}, Ref: {0, 1<<52 - 1},
		I8: {-128, 127}, I16: {-32768, 32767}, I32: {math.MinInt32, math.MaxInt32}, I64: {-1 << 53, 1 << 53},
		U8: {0, 255}, U16: {0, 65535}, U32: {0, math.MaxUint32}, U64: {0, 1 << 53},
	}
}

// TestFitAtTheExtremes: the extremes fit and survive Store and Load; a step
// beyond them does not fit.
func TestFitAtTheExtremes(t *testing.T) {
	for k, r := range integerKinds() {
		for _, v := range []float64{r[0], r[1], 0, math.Copysign(0, -1), 1} {
			if err := k.Fit(v); err != nil {
				t.Errorf("%s refuses %v: %v", k, v, err)
			}
			var word uint64
			if k.Store(unsafe.Pointer(&word), v); k.Load(unsafe.Pointer(&word)) != v {
				t.Errorf("%s stores %v and loads %v", k, v, k.Load(unsafe.Pointer(&word)))
			}
		}
		for _, v := range []float64{
			math.Nextafter(r[0], math.Inf(-1)), r[0] - 2, math.Nextafter(r[1], math.Inf(1)), r[1] + 2, 0.5,
			math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64, -math.MaxFloat64, math.SmallestNonzeroFloat64,
		} {
			if err := k.Fit(v); !errors.Is(err, ErrRange) {
				t.Errorf("%s accepts %v", k, v)
			}
		}
	}
}

func TestFloatsTakeAnything(t *testing.T) {
	for _, v := range []float64{0, math.Copysign(0, -1), 0.1, 1e300, math.MaxFloat64, math.Inf(1), math.Inf(-1), math.NaN()} {
		var word uint64
		p := unsafe.Pointer(&word)
		if F64.Fit(v) != nil || F32.Fit(v) != nil {
			t.Errorf("a float field refuses %v", v)
		}
		if F64.Store(p, v); math.Float64bits(F64.Load(p)) != math.Float64bits(v) {
			t.Errorf("f64 stores %v and loads %v", v, F64.Load(p))
		}
		want := float64(float32(v))
		if F32.Store(p, v); F32.Load(p) != want && !math.IsNaN(want) || math.Signbit(F32.Load(p)) != math.Signbit(want) {
			t.Errorf("f32 stores %v and loads %v, want %v", v, F32.Load(p), want)
		}
	}
}

// TestStoreWritesOnlyItsBytes: neighbours of a field are left alone.
func TestStoreWritesOnlyItsBytes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := Kind(rapid.IntRange(int(Bool), int(Enum)).Draw(t, "kind"))
		v := float64(rapid.IntRange(0, 1).Draw(t, "value"))
		words := [3]uint64{^uint64(0), ^uint64(0), ^uint64(0)}
		k.Store(unsafe.Pointer(&words[1]), v)
		raw := unsafe.Slice((*byte)(unsafe.Pointer(&words)), 24)
		for i, b := range raw {
			inside := i >= 8 && i < 8+int(k.Size())
			if !inside && b != 0xFF {
				t.Fatalf("%s wrote byte %d", k, i-8)
			}
		}
	})
}

func TestKindsWithoutNumbers(t *testing.T) {
	for _, k := range []Kind{0, Struct, String, Opaque, 200} {
		word := uint64(7)
		k.Store(unsafe.Pointer(&word), 1)
		if word != 7 || k.Load(unsafe.Pointer(&word)) != 0 || k.Size() != 0 || k.Integer() {
			t.Errorf("%s is taken for a number", k)
		}
	}
}

func TestKindNames(t *testing.T) {
	for k, want := range map[Kind]string{
		Bool: "bool", U64: "u64", F32: "f32", Ref: "entity", Enum: "enum", Struct: "struct", Opaque: "opaque", 0: "kind 0", 99: "kind 99",
	} {
		if k.String() != want {
			t.Errorf("kind %d is called %q, want %q", uint8(k), k.String(), want)
		}
	}
}
