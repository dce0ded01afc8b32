package bindings

import (
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/bindings/internal/value"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/bindings/proxy"
	"github.com/perigee-ecs/perigee/ecs"
)

// TestPairsKeepsOrder: scripts may spawn while they go through a table that was
// copied for them.
func TestPairsKeepsOrder(t *testing.T) {
	L := lua.NewState(lua.Options{SkipOpenLibs: true})
	defer L.Close()
	a := &args{core: &core{}, L: L, name: "test"}
	for range 20 {
		from, want := L.NewTable(), ""
		for i, name := range []string{"x", "a", "q", "b", "z", "m"} {
			from.RawSetString(name, lua.LNumber(i))
			want += name
		}
		got := ""
		proxy.Pairs(value.CopyPlain(a.L, from, a.fail).(*lua.LTable), func(k, _ lua.LValue) { got += k.String() })
		if got != want {
			t.Fatalf("%s, want %s", got, want)
		}
	}
}

// TestEveryFunctionHasAForm: none of ecs is without the most arguments that it takes,
// and nothing is listed that is not there.
func TestEveryFunctionHasAForm(t *testing.T) {
	L := lua.NewState()
	defer L.Close()
	m := New(ecs.NewWorld(), L, Options{})
	known := map[string]bool{}
	for _, group := range append(m.groups(), drawFunctions()) {
		for name := range group {
			known[name] = true
		}
	}
	for _, name := range []string{"read", "write", "col", "has"} {
		known[batchPrefix+name] = true
	}
	for name := range known {
		if f := forms[name]; f == nil || f.most == 0 || f.most < anyNumber && f.shown == "" {
			t.Errorf("%s: %+v", name, f)
		}
	}
	for name := range forms {
		if !known[name] {
			t.Errorf("there is no %s", name)
		}
	}
}

func TestLacksKnowsTheKindsOfOtherLanguages(t *testing.T) {
	L := lua.NewState()
	defer L.Close()
	m := New(ecs.NewWorld(), L, Options{})
	for name, want := range map[string]string{
		"string": "an enum takes one of a few words", "float": `"f32"`, "int": `"i32"`, "Boolean": `"bool"`, "double": `"f64"`,
		"sytem": `(did you mean "system"?)`, "quaternion": `ecs has no "quaternion"`,
	} {
		if got := m.Lacks(name).Message; !strings.Contains(got, want) {
			t.Errorf("%s: %s", name, got)
		}
	}
}
