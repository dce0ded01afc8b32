package scripting_test

import (
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/scripting"
)

// patients is the part of a script that spawns 10,000 entities with the component Health.
const patients = `ecs.on_start(function() for i = 1, 10 do ecs.spawn_many(1000, Health) end end)
`

// TestConversionsAreBounded: what a reload may do to values that exist is counted before anything is
// done. A refused set is not converted with the next one either, and the first files are free.
func TestConversionsAreBounded(t *testing.T) {
	const (
		health = `local Health = ecs.component("Health", { hp = ecs.f64(7) }%s)
`
		life = `local Life = ecs.component("Life", { hp = ecs.f64(7) }%s)
`
	)
	text := func(declared, options string) string { return strings.Replace(declared, "%s", options, 1) }
	for name, c := range map[string]struct {
		before, after string
		what          string
		least, most   int64 // that it counts
	}{
		"field": {text(health, "") + patients, `ecs.component("Health", { hp = ecs.f64(7), list = ecs.array(ecs.f64(0), 100) })`,
			`changes the fields of "Health" of 10,000 entities`, 10_000 * (64 + 16 + 816), 10_000 * (64 + 32 + 816)},
		"pool": {text(health, ", { sparse = true }") + patients, `ecs.component("Health", { hp = ecs.f64(7), x = ecs.f64(0) }, { sparse = true })`,
			`changes the fields of "Health" of 10,000 entities`, 10_000 * (64 + 24), 10_000 * (64 + 40)},
		"was": {text(health, "") + text(life, "") + patients, text(life, `, { was = "Health" }`),
			`moves values of "Health" to "Life" of 10,000 entities`, 10_000 * 1016, 10_000 * 1032},
		"observed was": {text(health, "") + text(life, "") + patients, text(life, `, { was = "Health" }`) + `for i = 1, 3 do ecs.on_add(Life, function() end) end`,
			`moves values of "Health" to "Life" of 10,000 entities`, 10_000 * (1016 + 3*8), 10_000 * (1032 + 3*8)},
		"drop": {text(health, "") + patients, `ecs.drop "Health"`,
			`takes away values of "Health" of 10,000 entities`, 10_000 * 316, 10_000 * 332},
		"event": {`local E = ecs.event("E", { x = 1 })
			ecs.on_start(function() for i = 1, 1000 do ecs.emit(E) end end)
			ecs.system "s" { on = E, every = 1000, each = function() end }`, `local E = ecs.event("E", { x = 1, y = 2 })
			ecs.system "s" { on = E, every = 1000, each = function() end }`,
			`changes the fields of "E" of 1,000 events that wait`, 1000 * (64 + 24), 1000 * (64 + 24)},
	} {
		t.Run(name, func(t *testing.T) {
			for _, fits := range []bool{false, true} {
				r := newGame(t, scripting.Limits{Converted: c.least - 1})
				if fits {
					if err := r.host.SetLimits(scripting.Limits{Converted: c.most}); err != nil {
						t.Fatal(err)
					}
				}
				r.write("a.lua", c.before)
				if err := r.host.Load(r.folder); err != nil {
					t.Fatal(err)
				}
				r.step(1)
				r.save("a.lua", c.after)
				if fits {
					r.accepted()
					continue
				}
				r.refused(c.what + " holds a step for too long")
				r.save("b.lua", "local n = 1")
				r.refused("(Limits.Converted)")
			}
		})
	}
}

// TestConversionsOfReleaseAreAFewThousandRows, and those for the time of development have no limit.
func TestConversionsOfReleaseAreAFewThousandRows(t *testing.T) {
	if l := scripting.ReleaseLimits(60); l.Converted < 1<<20 || l.Converted > 8<<20 {
		t.Errorf("a release converts %d bytes", l.Converted)
	}
	if l := scripting.DevelopmentLimits(); l.Converted >= 0 {
		t.Errorf("development has a limit of %d", l.Converted)
	}
}
