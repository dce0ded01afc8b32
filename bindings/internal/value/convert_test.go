package value

import (
	"fmt"
	"slices"
	"testing"

	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/ecs"
)

// TestWiderHoldsEveryNumber: a kind is wider than another if it has the sign, if there is
// one, and as many bits for the digits; nothing else is.
func TestWiderHoldsEveryNumber(t *testing.T) {
	digits := map[ecs.Kind]int{
		ecs.I8: 7, ecs.I16: 15, ecs.I32: 31, ecs.I64: 63, ecs.F32: 24, ecs.F64: 53,
		ecs.U8: 8, ecs.U16: 16, ecs.U32: 32, ecs.U64: 64,
	}
	unsigned, floats := []ecs.Kind{ecs.U8, ecs.U16, ecs.U32, ecs.U64}, []ecs.Kind{ecs.F32, ecs.F64}
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

// TestPiecesOfAnArray: of an array the elements that a list has are written, as one piece.
func TestPiecesOfAnArray(t *testing.T) {
	L := lua.NewState(lua.Options{SkipOpenLibs: true})
	defer L.Close()
	schema := ecs.Schema{Name: "S", Fields: []ecs.Field{{Name: "n", Kind: ecs.F64}, {Name: "list", Kind: ecs.I16, Len: 4}}}
	if err := schema.Layout(); err != nil {
		t.Fatal(err)
	}
	list := L.NewTable()
	for range 3 {
		list.Append(lua.LNumber(1))
	}
	if got := fmt.Sprint(Pieces(nil, &schema.Fields[1], 16, list)); got != "[{24 6 false}]" {
		t.Error(got)
	}
}
