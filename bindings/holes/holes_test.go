package holes

import (
	"slices"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/bindings/lua"
)

// run runs a text in which noted puts a note around a table, and look calls a Go function.
func run(t *testing.T, text string, look lua.LGFunction) {
	t.Helper()
	L := lua.NewState()
	defer L.Close()
	L.SetGlobal("noted", L.NewFunction(Note))
	L.SetGlobal("look", L.NewFunction(look))
	L.SetGlobal("count", L.NewFunction(func(L *lua.LState) int { // the keys that a script sees
		n := 0
		L.CheckTable(1).ForEach(func(lua.LValue, lua.LValue) { n++ })
		L.Push(lua.LNumber(n))
		return 1
	}))
	L.SetGlobal("setmetatable", L.NewFunction(func(L *lua.LState) int {
		lua.SetMetatable(L.CheckTable(1), L.CheckTable(2))
		L.SetTop(1)
		return 1
	}))
	if err := L.DoString(text); err != nil {
		t.Fatal(err)
	}
}

// TestFirst: the first item that is nil, in the middle and at the end.
func TestFirst(t *testing.T) {
	for list, want := range map[string]int{
		"{}": 0, "{ 1, 2 }": 0, "{ nil, 2 }": 1, "{ 1, nil, 3 }": 2, "{ 1, nil }": 2, "{ x = 1 }": 0,
	} {
		run(t, "look("+list+")", func(L *lua.LState) int {
			if got := First(L, L.CheckTable(1)); got != want {
				t.Errorf("%s: %d, want %d", list, got, want)
			}
			return 0
		})
	}
}

// TestKeys: keys that were written and are nil are known, no script sees the note, and
// one that is set later is no hole any more.
func TestKeys(t *testing.T) {
	run(t, `
		local C = {}
		local t = noted({ 7, with = C.Boss, without = 3, any = C.Boss }, "with", "without", "any")
		if count(t) ~= 2 or count(noted({}, "a")) ~= 0 then error("a note is seen") end
		look(t)
		t.with = 1
		look(t)
		look({ with = nil })
	`, func() lua.LGFunction {
		want := [][]string{{"any", "with"}, {"any"}, nil}
		return func(L *lua.LState) int {
			if got := Keys(L.CheckTable(1)); !slices.Equal(got, want[0]) {
				t.Errorf("%q, want %q", got, want[0])
			}
			want = want[1:]
			return 0
		}
	}())
}

// TestCause: the field that was read and not found is named, with what may be meant.
func TestCause(t *testing.T) {
	for text, want := range map[string]string{
		`local C = { Boss = 1 }; look({ 1, C.Bos })`:                            `: C.Bos is nil (did you mean "Boss"?)`,
		`Kinds = { Boss = 1 }; look({ 1, Kinds.Boxx })`:                         `: Kinds.Boxx is nil`,
		`local C = { Boss = 1 }; local function f() look({ 1, C.Bos }) end f()`: `: C.Bos is nil (did you mean "Boss"?)`,
		`local C = {}; look({ other = C.Bos, key = C.Boz })`:                    `: C.Boz is nil`,
		`local C = {}; look({ other = C.Bos, key = f })`:                        "",
		`look({ 1, nil })`: "",
		`local C = setmetatable({}, { __index = function() end }); look({ 1, C.Any })`: "",
	} {
		run(t, text, func(L *lua.LState) int {
			if got := Cause(L, "key"); !strings.HasPrefix(got, want) || want == "" && got != "" {
				t.Errorf("%s: %q, want %q", text, got, want)
			}
			return 0
		})
	}
}
