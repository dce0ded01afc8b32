package data

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

const luaName = "data/x.lua"

func TestLua(t *testing.T) {
	for text, want := range map[string]string{
		`return {}`:      `{}`,
		"return { 1, }":  `[1]`,
		"\ufeffreturn{}": `{}`,
		"#!/usr/bin/lua\n-- units\nreturn { --[[ b ]] b = 1; a = { 'x', \"y\", [[z\n]] } }":                                                                                              `{b=1 a=["x" "y" "z\n"]}`,
		`return { ["a b"] = true, c = false, d = nil, e = -2.5e2, f = 0x10, g = -0x10 }`:                                                                                                 `{a b=true c=false e=-250 f=16 g=-16}`,
		"local hp = 20\nlocal orc = { hp = hp * 2 + 1, drops = { 'axe' } }\nreturn { orc = orc, king = { hp = orc.hp ^ 2 % 7, first = orc.drops[1] .. '-' .. 3, of = orc[\"drops\"] } }": `{orc={hp=41 drops=["axe"]} king={hp=1 first="axe-3" of=["axe"]}}`,
		"local a, b = 1\nreturn { a, b = 1 }":            `data/x.lua:2:17: a table has keys or is a list, and not both: give each of its values a key, or none`,
		"local a, b = 1\nlocal a = 2 return {a}":         `[2]`,
		"local k = 'x' return { [k] = 1, [k .. 2] = 2 }": `{x=1 x2=2}`,
		"return { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 }":       `data/x.lua:1:37: the file has more than 10 values (Limits.DataValues)`,
		"local l = {1, 2}\nreturn { l, l, l }":           `[[1 2] [1 2] [1 2]]`,
		"local l = {1, 2}\nreturn { l, l, l, l }":        `data/x.lua:2:19: the file has more than 10 values (Limits.DataValues)`,
		"return { a = -0 }":                              `{a=-0}`,

		"":                                     `data/x.lua:1:1: expected return { … } at the end: that is what the file holds`,
		"return 5":                             `data/x.lua:1:8: a data file returns a table: return { … }; this is a number`,
		"return":                               `data/x.lua:1:1: a data file returns one table: return { … }`,
		"return {}, {}":                        `data/x.lua:1:1: a data file returns one table: return { … }`,
		"return {\n a = function() end }":      `data/x.lua:2:6: a data file holds no functions: write the function in a script, and its name here as a text`,
		"return { ecs.spawn() }":               `data/x.lua:1:10: a data file calls nothing: it has tables, numbers, texts, true and false, and arithmetic with them`,
		"return { s = ('x'):rep(9) }":          `data/x.lua:1:15: a data file calls nothing: it has tables, numbers, texts, true and false, and arithmetic with them`,
		"return { math.pi }":                   `data/x.lua:1:10: this file has no local "math": names of scripts, and ecs, are unknown in a data file`,
		"local health = 1\nreturn { heath }":   `data/x.lua:2:10: this file has no local "heath" (did you mean "health"?): names of scripts, and ecs, are unknown in a data file`,
		"return { ... }":                       `data/x.lua:1:10: a data file has no arguments`,
		"return { 1 < 2 }":                     `data/x.lua:1:10: a data file decides nothing: it has tables, numbers, texts, true and false, and arithmetic with them`,
		"return { #'x' }":                      `data/x.lua:1:10: a data file decides nothing: it has tables, numbers, texts, true and false, and arithmetic with them`,
		"for i = 1, 9 do end return {}":        `data/x.lua:1:1: a data file in Lua has locals and ends with return { … }: nothing in it runs`,
		"x = 1 return {}":                      `data/x.lua:1:1: a data file in Lua has locals and ends with return { … }: nothing in it runs`,
		"local a = 1, 2 return {}":             `data/x.lua:1:14: there are more values than names`,
		"return { 1/0 }":                       `data/x.lua:1:10: this is no number that a game can compute with: it is inf`,
		"return { 1, nil, 2 }":                 `data/x.lua:1:13: nil stands in a list, which has no gaps: leave it out, or write false`,
		"return { [1] = 2 }":                   `data/x.lua:1:11: a key is a text: write ["1"], or a list without keys`,
		"return {\n a = 1,\n b = 2,\n a = 3 }": `data/x.lua:4:2: key "a" stands twice: first in line 2`,
		"return { 'a' + 1 }":                   `data/x.lua:1:10: expected a number`,
		"local t = {} return { t + 1 }":        `data/x.lua:1:23: expected a number, got a record`,
		"local t = {hp=1} return { t.hq }":     `data/x.lua:1:29: the table has no key "hq" (did you mean "hp"?)`,
		"local t = {1} return { t[2] }":        `data/x.lua:1:26: the list has the items 1 to 1, and none 2`,
		"local n = 1 return { n.x }":           `data/x.lua:1:22: expected a table, got a number`,
		"return { a = 1":                       `data/x.lua:1:15: expected "}" to close "{", found the end of the file`,
		"return { '\\200' }":                   `data/x.lua:1:10: the text is no UTF-8: escapes such as \200 stand for single bytes; write the characters themselves`,
		"return { '\xe9' }":                    `data/x.lua:1:11: the byte 0xe9 is no UTF-8: save the file in the encoding UTF-8`,
		"return {}\nlocal x = 1":               `data/x.lua:2:1: expected "return" to be the last statement of its block, found "local"`,
		"a\r\nb":                               `data/x.lua:1:2: expected "=" or a call after the name, found the name "b"`,
	} {
		if got := outcome(luaName, text, Limits{Values: 10}); got != want {
			t.Errorf("%q:\n got %s\nwant %s", text, got, want)
		}
	}
}

// TestLuaPlaces: a line may end as Lua lets it end, and places are those of the value itself.
func TestLuaPlaces(t *testing.T) {
	for _, end := range []string{"\n", "\r\n"} {
		text := strings.ReplaceAll("\ufefflocal base = { hp = 1 }\n\nreturn {\n  orc = base, elf = { hp = base.hp + 2 },\n}\n", "\n", end)
		f, err := Read(luaName, []byte(text), Limits{})
		if err != nil {
			t.Fatal(err)
		}
		orc, _ := f.Root.Get("orc")
		elf, _ := f.Root.Get("elf")
		hp, _ := elf.Get("hp")
		own, _ := orc.Get("hp")
		for v, want := range map[*Datum]string{orc: "4:9", elf: "4:21", hp: "4:28", own: "1:24"} {
			if p := f.Place(v.Offset); fmt.Sprintf("%d:%d", p.Line, p.Column) != want {
				t.Errorf("%q: %s stands at %d:%d, want %s", end, shown(v), p.Line, p.Column, want)
			}
		}
	}
}

// TestLuaBombs: a short text cannot stand for much, nor make the reader work for long.
func TestLuaBombs(t *testing.T) {
	doubling := func(begin, again string) string {
		var b strings.Builder
		b.WriteString(begin)
		for range 60 {
			b.WriteString(again)
		}
		return b.String() + "return { a }"
	}
	for text, want := range map[string]string{
		doubling("local a = {1}\n", "local a = {a, a}\n"):                               "the file stands for more than 1,048,576 values",
		doubling("local a = {k = 1}\n", "local a = {x = a, y = a}\n"):                   "the file stands for more than 1,048,576 values",
		doubling("local a = 'x'\n", "local a = a .. a\n"):                               "one may have 65,536 bytes",
		doubling("local a = '"+strings.Repeat("x", 60_000)+"'\n", "local b = a .. 1\n"): "all together 1,048,576",
		"return " + strings.Repeat("{", 65) + strings.Repeat("}", 65):                   "more than 64 times",
		doubling("local a = {}\n", "local a = {{a}}\n"):                                 "more than 64 times",
		"return { " + strings.Repeat("-", 1) + strings.Repeat("(", 100_000) + "1":       "",
		"return { " + strings.Repeat("- ", 100_000) + "1 }":                             "",
		"return { " + strings.Repeat("1 + ", 100_000) + "1 }":                           "",
		"return { " + strings.Repeat("1 ^ ", 100_000) + "1 }":                           "",
		"return { " + strings.Repeat("'x' .. ", 100_000) + "1 }":                        "more than 190 texts joined by ..",
	} {
		got := outcome(luaName, text, Limits{})
		if want != "" && !strings.Contains(got, want) || !strings.HasPrefix(got, luaName+":") {
			t.Errorf("%.60q: %.200s\nwant %q", text, got, want)
		}
	}
	wide := "return {" + strings.Repeat("1,", 200_000) + "}"
	if f, err := Read(luaName, []byte(wide), Limits{}); err != nil || f.Values != 200_001 {
		t.Errorf("%v", err)
	}
}

// writeLua writes what JSON holds as a table in Lua, with a part of it in locals.
func writeLua(t *rapid.T, b, locals *strings.Builder, v any, depth int) {
	if depth > 0 && rapid.IntRange(0, 5).Draw(t, "in a local") == 0 {
		name := fmt.Sprintf("l%d", locals.Len())
		var own strings.Builder
		writeLua(t, &own, locals, v, 0)
		fmt.Fprintf(locals, "local %s = %s\n", name, own.String())
		b.WriteString(name)
		return
	}
	switch v := v.(type) {
	case []any:
		b.WriteString("{ ")
		for _, item := range v {
			writeLua(t, b, locals, item, depth+1)
			b.WriteString(", ")
		}
		b.WriteString("}")
	case map[string]any:
		b.WriteString("{ ")
		for key, item := range v {
			fmt.Fprintf(b, "[%s] = ", luaText(key))
			writeLua(t, b, locals, item, depth+1)
			b.WriteString("; ")
		}
		b.WriteString("}")
	case string:
		b.WriteString(luaText(v))
	case float64:
		fmt.Fprintf(b, "%.17g", v)
	case bool:
		fmt.Fprint(b, v)
	}
}

// luaText writes a text with every byte that is not plain as an escape.
func luaText(s string) string {
	var b strings.Builder
	for _, c := range []byte(s) {
		if c >= ' ' && c < 0x7f && c != '"' && c != '\\' {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "\\%03d", c)
		}
	}
	return `"` + b.String() + `"`
}

// TestLuaAgrees: what JSON holds, written in Lua, is read as the same. Without keys a table may be
// either, so both are written alike.
func TestLuaAgrees(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := jsonValue(3).Draw(t, "value")
		var b, locals strings.Builder
		writeLua(t, &b, &locals, []any{v}, 0)
		text := locals.String() + "return " + b.String()
		if strings.Count(text, "local ") > 150 {
			t.Skip("too many locals")
		}
		f, fault := Read(luaName, []byte(text), Limits{})
		if fault != nil {
			t.Fatalf("%s\n%s", fault, text)
		}
		again, err := json.Marshal(plain(&f.Root))
		if err != nil {
			t.Fatal(err)
		}
		wrote, err := json.Marshal([]any{v})
		if err != nil {
			t.Fatal(err)
		}
		if got, want := strings.ReplaceAll(string(again), "{}", "[]"), strings.ReplaceAll(string(wrote), "{}", "[]"); got != want {
			t.Fatalf("got %s\nwant %s\nof %s", got, want, text)
		}
	})
}

func FuzzLua(f *testing.F) {
	f.Add([]byte("local a = { 1, 'x' }\nreturn { b = a[1] + 2 .. 'y', [a[2]] = -a[1] % 3, c = { a, a } }"))
	f.Add([]byte("return { [[\n]], [==[]]]==], 0x1p4, '\\065\\z' }"))
	f.Fuzz(func(t *testing.T, text []byte) {
		read, err := Read(luaName, text, Limits{Values: 1000})
		if err != nil {
			if err.Script != luaName || err.Line < 1 || err.Column < 1 {
				t.Fatalf("no place: %v", err)
			}
			return
		}
		if n := checkValue(t, &read.Root, 1); n > read.Values || read.Values > 1000 {
			t.Fatalf("%d values, counted %d", n, read.Values)
		}
	})
}
