package ecs_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
)

// TestNamesAreText: what is saved and sent has its names as texts. Anything else is refused when it is declared, not lost
// when it is loaded.
func TestNamesAreText(t *testing.T) {
	const wrong = "Gr\xf6\xdfe"
	w := ecs.NewWorld()
	defer w.Close()
	type settings struct{ N int }
	field := func(f ecs.Field) ecs.Schema { return ecs.Schema{Name: "x", Fields: []ecs.Field{f}} }
	run := func(*ecs.Tick) error { return nil }
	for what, declare := range map[string]func() error{
		"component": func() error { _, err := w.Raw().Define(ecs.Schema{Name: wrong}, false); return err },
		"a field": func() error {
			_, err := w.Raw().Define(field(ecs.Field{Name: wrong, Kind: ecs.F32}), true)
			return err
		},
		"a word": func() error {
			_, err := w.Raw().Define(field(ecs.Field{Name: "f", Kind: ecs.Enum, Names: []string{"a", wrong}}), false)
			return err
		},
		"event":          func() error { _, err := w.Raw().DefineEvent(ecs.Schema{Name: wrong}); return err },
		"field of event": func() error { _, err := w.Raw().DefineEvent(field(ecs.Field{Name: wrong, Kind: ecs.F32})); return err },
		"relation":       func() error { _, err := w.Relation(wrong, ecs.RelationOptions{}); return err },
		"resource":       func() error { return w.Raw().ProvideNamed(wrong, &settings{}) },
		"system":         func() error { return w.Schedule().Add(ecs.System{Name: wrong, Run: run}) },
		"observer": func() error {
			return w.Observe(ecs.Observer{Name: wrong, On: ecs.OnSpawn, Run: func(*ecs.Tick, ecs.Notice) error { return nil }})
		},
	} {
		if err := declare(); !errors.Is(err, ecs.ErrConflict) || !strings.Contains(err.Error(), "UTF-8") {
			t.Errorf("%s: %v", what, err)
		}
	}
}
