package value

import (
	"fmt"
	"testing"

	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/ecs"
)

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
