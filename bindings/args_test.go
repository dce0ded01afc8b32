package bindings

import (
	"testing"

	"github.com/perigee-ecs/perigee/bindings/internal/value"
	lua "github.com/yuin/gopher-lua"
)

// TestPairsKeepsOrder: scripts may spawn while they go through a table that was
// copied for them.
func TestPairsKeepsOrder(t *testing.T) {
	L := lua.NewState(lua.Options{SkipOpenLibs: true})
	defer L.Close()
	a := &args{&Module{}, L, "test"}
	for range 20 {
		from, want := L.NewTable(), ""
		for i, name := range []string{"x", "a", "q", "b", "z", "m"} {
			from.RawSetString(name, lua.LNumber(i))
			want += name
		}
		got := ""
		value.Pairs(a.plain(from).(*lua.LTable), func(k, _ lua.LValue) { got += k.String() })
		if got != want {
			t.Fatalf("%s, want %s", got, want)
		}
	}
}
