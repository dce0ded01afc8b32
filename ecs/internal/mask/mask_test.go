package mask

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestAgainstAMap drives a mask and a map[uint32]bool with the same operations.
func TestAgainstAMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var m Mask
		model := map[uint32]bool{}
		for _, id := range rapid.SliceOf(rapid.Uint32Range(0, Max-1)).Draw(t, "ids") {
			if model[id] {
				m.Clear(id)
				delete(model, id)
			} else {
				m.Set(id)
				model[id] = true
			}
			if m.Has(id) != model[id] {
				t.Fatalf("Has(%d) = %v, model says %v", id, m.Has(id), model[id])
			}
		}
		var want []uint32
		for id := range model {
			want = append(want, id)
		}
		slices.Sort(want)
		if got := m.IDs(); !slices.Equal(got, want) {
			t.Fatalf("IDs() = %v, want %v", got, want)
		}
		if m.Empty() != (len(want) == 0) {
			t.Fatalf("Empty() = %v with %d members", m.Empty(), len(want))
		}
	})
}

func TestContainsAndMeetsAcrossWords(t *testing.T) {
	all, some, other := Of(0, 63, 64, 511), Of(63, 511), Of(1, 65)
	if !all.Contains(&some) || some.Contains(&all) {
		t.Error("Contains is wrong for masks that span words")
	}
	if !all.Meets(&some) || all.Meets(&other) {
		t.Error("Meets is wrong for masks that span words")
	}
	empty := Mask{}
	if !all.Contains(&empty) || all.Meets(&empty) {
		t.Error("every mask contains the empty one and meets it nowhere")
	}
}

// TestSetsAgainstMaps compares the relations of two random sets with those of
// two maps.
func TestSetsAgainstMaps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) (Mask, map[uint32]bool) {
			ids := rapid.SliceOfN(rapid.Uint32Range(0, Max-1), 0, 6).Draw(t, name)
			set := map[uint32]bool{}
			for _, id := range ids {
				set[id] = true
			}
			return Of(ids...), set
		}
		a, inA := draw("a")
		b, inB := draw("b")
		contains, meets := true, false
		for id := range inB {
			contains = contains && inA[id]
			meets = meets || inA[id]
		}
		if a.Contains(&b) != contains || a.Meets(&b) != meets || b.Meets(&a) != meets {
			t.Fatalf("contains %v, want %v; meets %v, want %v", a.Contains(&b), contains, a.Meets(&b), meets)
		}
		if (a == b) != (len(inA) == len(inB) && contains) {
			t.Fatal("equal masks must be equal sets, for they are map keys")
		}
	})
}

func TestTheLastNumberFits(t *testing.T) {
	m := Of(Max - 1)
	if !m.Has(Max-1) || m.Has(Max-2) || !slices.Equal(m.IDs(), []uint32{Max - 1}) {
		t.Error("the highest component number is lost")
	}
	if m.Clear(Max - 1); !m.Empty() {
		t.Error("clearing it leaves something behind")
	}
}
