package scripting_test

import (
	"testing"

	"github.com/perigee-ecs/perigee/scripting"
)

// BenchmarkHostCalls measures uses of what a host exposes, in nanoseconds each; "empty" is the
// loop around them.
func BenchmarkHostCalls(b *testing.B) {
	for name, use := range map[string]string{
		"empty": "", "numbers": "x = add(x, 1)", "text": "say(\"a\")", "reflected": "x = mixed(x, 1, true)",
		"field": "x = cell.X", "assigned": "cell.X = 1", "method": "x = cell:Sum()", "item": "x = list[1]",
	} {
		b.Run(name, func(b *testing.B) {
			r := newGame(b, scripting.Limits{Instructions: -1, TickInstructions: -1})
			for name, v := range map[string]any{
				"add": func(x, y float64) float64 { return x + y }, "say": func(string) {}, "cell": &Cell{1, 2}, "list": []int{1},
				"mixed": func(x float64, n int, yes bool) float64 { return x },
			} {
				if err := r.host.Expose(name, v); err != nil {
					b.Fatal(err)
				}
			}
			r.write("a.lua", `local h = require "host" local add, say, cell, list, mixed = h.add, h.say, h.cell, h.list, h.mixed
ecs.system "s" { run = function() local x = 0 for i = 1, 1000 do `+use+` end end }`)
			if err := r.host.Load(r.folder); err != nil {
				b.Fatal(err)
			}
			r.run(1)
			for b.Loop() {
				if err := r.host.Step(1); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/use")
		})
	}
}
