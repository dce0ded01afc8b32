package save_test

import (
	"errors"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/save"
)

// TestManifestOfAnotherWorld: what the manifest says of the world is what the state says.
func TestManifestOfAnotherWorld(t *testing.T) {
	good := declare(t, 3).fill(t, 6).text(t, save.Options{})
	for key, value := range map[string]any{"tick": 99, "seconds": 0.5, "seed": 8, "tag": 4} {
		text := forge(t, good, jsonWith(t, "manifest.json", func(m map[string]any) { m[key] = value }))
		if _, err := load(declare(t, 3).World, text, save.LoadOptions{}); !errors.Is(err, save.ErrDamaged) {
			t.Errorf("%s: %v", key, err)
		}
	}
}

// TestCountsOfTheManifest: what is lost is found out by the rows of a save, so a manifest that counts others is refused.
func TestCountsOfTheManifest(t *testing.T) {
	good := declare(t, 3).fill(t, 6).text(t, save.Options{})
	for what, change := range map[string]func(m map[string]any){
		"entities":        func(m map[string]any) { m["entities"] = 1_000_000 },
		"rows of a table": func(m map[string]any) { m["tables"].([]any)[1].(map[string]any)["rows"] = 0 },
		"no tables":       func(m map[string]any) { m["tables"] = nil },
		"entities with a component": func(m map[string]any) {
			for _, c := range m["components"].([]any) {
				c.(map[string]any)["entities"] = 0
			}
		},
	} {
		text := forge(t, good, jsonWith(t, "manifest.json", change))
		if _, err := load(bare(t), text, save.LoadOptions{Lose: true}); !errors.Is(err, save.ErrDamaged) {
			t.Errorf("%s: %v", what, err)
		}
		if _, _, err := reopened(t, text).World(ecs.Options{}); !errors.Is(err, save.ErrDamaged) {
			t.Errorf("%s, as a world: %v", what, err)
		}
	}
}
