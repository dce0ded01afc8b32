package value

import (
	"testing"

	"github.com/perigee-ecs/perigee/bindings/lua"
)

// TestListing: a number is left out as a key only where it counts the items. In which order
// keys stand is the machine's choice.
func TestListing(t *testing.T) {
	L := lua.NewState(lua.Options{SkipOpenLibs: true})
	defer L.Close()
	for text, want := range map[string][2]string{
		`t = { 1, "x", { 2 } }`:          {`{ 1, "x", {…} }`},
		`t = { code = 7, [2] = true }`:   {`{ [2] = true, code = 7 }`, `{ code = 7, [2] = true }`},
		`t = { code = 7, "a" }`:          {`{ "a", code = 7 }`, `{ code = 7, "a" }`},
		`t = {}`:                         {`{}`},
		`t = { 1, 2, 3, 4, 5, 6, 7, 8 }`: {`{ 1, 2, 3, 4, … }`},
	} {
		if err := L.DoString(text); err != nil {
			t.Fatal(err)
		}
		if got := Listing(L.GetGlobal("t").(*lua.LTable)); got != want[0] && got != want[1] {
			t.Errorf("%s: %s", text, got)
		}
	}
}
