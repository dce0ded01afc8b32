package scripting_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/scripting"
)

// stateful is a file whose top level reads what only the running game knows.
const stateful = `local s = ecs.state("a", { l = {} })
local items = {}
for k, v in pairs(s.l) do items[k] = v end
ecs.on_start(function() s.l.x = 4 end)
`

// rounds is a loop of so many rounds, of three instructions or so.
func rounds(n int) string {
	return fmt.Sprintf("local n = 0 for i = 1, %d do n = n + i %% 7 end\n", n)
}

// openUntried opens a game with the limits that scripts are written under.
func openUntried(t *testing.T, files ...string) *game {
	t.Helper()
	r := newGame(t, scripting.Limits{})
	r.write(files...)
	if err := r.host.Load(r.folder); err != nil {
		t.Fatal(err)
	}
	r.run(2)
	return r
}

// TestEndlessTopLevelsHoldNoTick: a dry run cannot know what is in a state table, so a file that reads it, or requires one that
// does, is tried in the game. It has not more there than what a tick can bear, and so have all files of the set together.
func TestEndlessTopLevelsHoldNoTick(t *testing.T) {
	const loop = "while true do end"
	r := openUntried(t, "a.lua", stateful+"return { items = items }", "b.lua", `local a = require "a"`)
	r.save("b.lua", `local a = require "a" `+loop)
	r.refused("b.lua:2", "script ran too long", "of 500,000 instructions", "asks for what only the running game knows")
	r.save("c.lua", `local a = require "a" `+loop, "d.lua", stateful+loop)
	r.refused("b.lua:2", "of 500,000 instructions")
	if text := r.reloads[1].Err.Error(); strings.Contains(text, "c.lua") || strings.Contains(text, "d.lua") {
		t.Error(text)
	}
	r.save("b.lua", `local a = require "a" `+once("b", "ecs.log(a.items.x)"), "c.lua", "", "d.lua", "")
	r.accepted()
	r.wantLog("nil") // a.lua has read its state before its on_start
	r.save("a.lua", stateful+"return { items = items }")
	r.accepted()
	r.wantLog("4")
	r.save("b.lua", `local a = require "a" while true do local t = { 1, 2 } end`)
	r.refused("of 4,194,304 bytes", "asks for what only the running game knows")
	r.save("b.lua", `local a = require "a"`)
	r.accepted()
	r.save("e.lua", loop) // nothing that only the game knows: it is refused before the game sees it
	r.refused("of 50,000,000 instructions")
}

// TestLongTopLevelsStayPossible: a file that has used many instructions may use them in a reload, too, whichever of the files
// that it requires, or that require it, were reloaded alone before.
func TestLongTopLevelsStayPossible(t *testing.T) {
	lib := func(n int) string { return stateful + rounds(n) + "return { n = n }" }
	r := openUntried(t, "a.lua", `local lib = require "lib"`, "lib.lua", lib(600_000))
	r.save("a.lua", `local lib = require "lib" -- anew`)
	r.accepted()
	r.save("lib.lua", lib(700_000))
	r.accepted()
	r.save("lib.lua", lib(800_000))
	r.accepted()
	r.save("lib.lua", lib(8_000_000))
	r.refused("lib.lua:", "script ran too long")
	r.save("lib.lua", lib(10))
	r.accepted()
	r.save("lib.lua", lib(100_000)) // fits in what all may use
	r.accepted()
}
