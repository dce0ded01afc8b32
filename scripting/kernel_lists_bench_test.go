package scripting_test

import (
	"testing"

	"github.com/perigee-ecs/perigee/scripting"
)

// BenchmarkKernelLists measures a tick of 5,000 rows that look at 24 tables of a list: the list
// is in the text, is filled in the first tick, or grows and shrinks.
func BenchmarkKernelLists(b *testing.B) {
	const n = 5_000
	open := "local ecs = require 'ecs'\nlocal P, V = ecs.native('P'), ecs.native('V')\n" +
		"local function gate(i) return { x = i * 40, y = i * 20, pull = i % 3 } end\nlocal gates, tick = {}, 0\n"
	body := "ecs.system 's' { query = { P, V }, each = function(e, p, v)\n" +
		"for _, g in ipairs(gates) do local dx, dy = g.x - p.x, g.y - p.y\n" +
		"if dx * dx + dy * dy < 900 then v.x, v.y = v.x + dx * g.pull, v.y + dy * g.pull end end end }"
	change := func(text string) string {
		return "ecs.system 'change' { phase = 'input', run = function() tick = tick + 1 " + text + " end }\n"
	}
	fill := "for i = 1, 24 do gates[i] = gate(i) end "
	for _, c := range []struct{ name, text string }{
		{"in the text", fill},
		{"filled in the first tick", change("if tick == 1 then " + fill + "end")},
		{"of another length each tick", fill + change("if tick % 2 == 0 then gates[#gates] = nil else gates[#gates + 1] = gate(tick % 24) end")},
	} {
		b.Run(c.name, func(b *testing.B) {
			step := benchHost[point](b, n, open+c.text+body, func(*scripting.Host) {})
			for range 20 {
				step()
			}
			for b.Loop() {
				step()
			}
		})
	}
}
