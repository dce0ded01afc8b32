package exec

import (
	"testing"

	"github.com/perigee-ecs/perigee/bindings/lua"
)

// TestWhoMayHaveAListBesidesTheFunction: a table that a function gets as its first parameter
// stays in its registers, or may be held by somebody else.
func TestWhoMayHaveAListBesidesTheFunction(t *testing.T) {
	for body, escapes := range map[string]bool{
		``:                              false,
		`return row.items[3]`:           false,
		`return #row.items`:             false,
		`f(row.items[1], row.items[2])`: false,
		`local items = row.items kept = items[1] + #items`:                                      false,
		`local items = row.items for i = 1, 4 do local x = items[i] if x > 2 then f(x) end end`: false,
		`local items = row.items items[2] = items[1]`:                                           false,
		`row.items = nil`:  false,
		`f(row.other)`:     false,
		`kept = row.other`: false,
		`return row.other`: false,
		`local a, b = row.items, row.items if a == b or not a then return a and 1 end`:     false,
		`while row.items[1] do f() local items = row.items if items[2] then break end end`: false,
		`local items = row.items items = nil f(items)`:                                     false,
		`f(row.items)`:                    true,
		`f(1, row.items)`:                 true,
		`f(row)`:                          true,
		`return row.items`:                true,
		`return 1, row.items`:             true,
		`return f(row.items)`:             true,
		`kept = row.items`:                true,
		`up = row.items`:                  true,
		`t.items = row.items`:             true,
		`t[row.items] = 1`:                true,
		`local x = t[row.items]`:          true,
		`local x = t[row]`:                true,
		`local t = { row.items }`:         true,
		`local t = { items = row.items }`: true,
		`local items = row.items local function g() return items end`:                  true,
		`local items = row.items return function() return items[1] end`:                true,
		`local items do local function g() return items end items = row.items g() end`: true,
		`for i, v in ipairs(row.items) do f(v) end`:                                    true,
		`for i, v in next, row.items do f(v) end`:                                      true,
		`local x = row.items + 1`:                                                      true,
		`local x = row.items .. "a"`:                                                   true,
		`local x = t < row.items`:                                                      true,
		`row.items:method()`:                                                           true,
		`row.other = row.items`:                                                        true,
		`local x if f() then x = row.items else x = 1 end f(x)`:                        true,
		`local x for i = 1, 2 do f(x) x = row.items end`:                               true,
		`local x repeat f(x) x = row.items until g`:                                    true,
		`local x = row.items and row.items or 1 f(x)`:                                  true,
		`local a, b, c = 1, row.items, 3 local x, y, z = a, b, c f(x, y)`:              true,
		`local a, b, c = 1, row.items, 3 local x, y, z = a, b, c f(x, z)`:              false,
		`local name = "items" f(row[name])`:                                            true,
		`local name = "items" f(row[name][1])`:                                         false,
		`goto done ::again:: f(x) ::done:: x = row.items if g then goto again end`:     true,
	} {
		L := lua.NewState()
		if err := L.DoString(`local up, t = 1, {} each = function(row, x) ` + body + ` end`); err != nil {
			t.Fatalf("%s: %v", body, err)
		}
		p := lua.Proto(L.GetGlobal("each").(*lua.LFunction))
		if got := Escapes(p, 0, 0, func(field string) bool { return field == "items" }); got != escapes {
			t.Errorf("%s: escapes %v, want %v\n%s", body, got, escapes, p.String())
		}
	}
}

// TestALongFunctionHasNoAnswer: what would take too long to follow counts as escaping.
func TestALongFunctionHasNoAnswer(t *testing.T) {
	text := "each = function(row) local items = row.items "
	for range mostEscapeSteps {
		text += "f() "
	}
	L := lua.NewState()
	if err := L.DoString(text + "end"); err != nil {
		t.Fatal(err)
	}
	if !Escapes(lua.Proto(L.GetGlobal("each").(*lua.LFunction)), 0, 0, func(string) bool { return true }) {
		t.Error("the list of a function that is too long does not escape")
	}
}
