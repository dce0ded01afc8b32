package tests_test

import (
	"errors"
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/scripting"
)

const luaPage = "../scripts/LUA.md"

func readPage(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(luaPage)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestLuaPage runs every piece of Lua on the page "Which Lua is this", as
// perigee lua does: it must print what stands behind "-->", and fail where and as
// "---!" says.
func TestLuaPage(t *testing.T) {
	text := readPage(t)
	blocks := luaBlock.FindAllStringSubmatchIndex(text, -1)
	if len(blocks) < 10 {
		t.Fatalf("%d pieces of Lua", len(blocks))
	}
	for _, at := range blocks {
		s := snippet{line: strings.Count(text[:at[2]], "\n") + 1, name: "page.lua", text: text[at[2]:at[3]]}
		s.readExpectations(t)
		t.Run("line "+strconv.Itoa(s.line), func(t *testing.T) {
			var out strings.Builder
			err := scripting.Plain{Name: s.name, Text: []byte(s.text), Output: &out, Limits: scripting.Limits{Time: time.Minute}}.Run(t.Context())
			want := ""
			for _, line := range s.logs {
				want += line + "\n"
			}
			if out.String() != want {
				t.Errorf("printed %q, want %q", out.String(), want)
			}
			var fault *scripting.Error
			switch {
			case s.fault.line == 0 && err != nil:
				t.Error(err)
			case s.fault.line > 0 && (!errors.As(err, &fault) || fault.Line != s.fault.line || !strings.Contains(err.Error(), s.fault.text)):
				t.Errorf("error %v, want %q in line %d", err, s.fault.text, s.fault.line)
			}
		})
	}
}

// TestLuaPageNamesTheLibrary: what a script finds in its environment is on the
// page, and nothing else is said to be there.
func TestLuaPageNamesTheLibrary(t *testing.T) {
	var out strings.Builder
	err := scripting.Plain{Output: &out, Text: []byte(`
		for name, value in pairs(_G) do
			if type(value) == "table" and value ~= _G and name ~= "arg" then
				for field in pairs(value) do print(name, field) end
			elseif name ~= "arg" then
				print("globals", name)
			end
		end`)}.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string]string{}
	for line := range strings.Lines(readPage(t)) {
		if cells := strings.Split(line, "|"); len(cells) > 2 {
			rows[strings.Trim(cells[1], " `")] = cells[2]
		}
	}
	count := map[string]int{}
	for line := range strings.Lines(out.String()) {
		table, name, _ := strings.Cut(strings.TrimSpace(line), "\t")
		count[table]++
		if !strings.Contains(rows[table], "`"+name+"`") {
			t.Errorf("the page does not name %s of %s", name, table)
		}
	}
	count["globals"]++ // require, which a game has besides
	for table, n := range count {
		if named := strings.Count(rows[table], "`") / 2; named != n {
			t.Errorf("the page names %d of %s, there are %d", named, table, n)
		}
	}
}

// TestLuaPageNamesTheLimits: every limit is on the page, with its default.
func TestLuaPageNamesTheLimits(t *testing.T) {
	text := readPage(t)
	filled := reflect.ValueOf(scripting.DevelopmentLimits())
	for i := range filled.NumField() {
		name, value := filled.Type().Field(i).Name, filled.Field(i).Int()
		shown := diag.Grouped(value)
		switch name {
		case "Time":
			shown = "20 s"
		case "InstructionTime", "TickInstructionTime", "Checks", "Converted":
			shown = "none"
		}
		row := ""
		for line := range strings.Lines(text) {
			if strings.HasPrefix(line, "| `"+name+"` |") {
				row = line
			}
		}
		if !strings.HasSuffix(row, "| "+shown+" |\n") {
			t.Errorf("%s: row %q, want the default %s", name, row, shown)
		}
	}
}

// TestLuaPageNamesTheLimitsOfRelease: what the page says of them is what they are.
func TestLuaPageNamesTheLimitsOfRelease(t *testing.T) {
	_, text, _ := strings.Cut(readPage(t), "**Which limits hold where players are?**")
	text, _, _ = strings.Cut(text, "\n\n")
	at60 := reflect.ValueOf(scripting.ReleaseLimits(60))
	for _, name := range []string{"Instructions", "Bytes", "Commands", "Spawned", "TickInstructions", "TickRows"} {
		shown := diag.Grouped(at60.FieldByName(name).Int())
		if !strings.Contains(text, shown) || !strings.Contains(text, "`"+name+"`") {
			t.Errorf("the page does not say that %s is %s", name, shown)
		}
	}
}
