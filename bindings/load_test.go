package bindings

import (
	"testing"

	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/ecs"
)

// loadOf runs texts as one load in the place of older scripts, and returns what it has
// declared, or why it was refused.
func loadOf(t *testing.T, m *Binding, gone []*Declarations, texts ...string) ([]*Declarations, error) {
	t.Helper()
	m.Begin()
	var fresh []*Declarations
	for _, text := range texts {
		s, problems := declareOn(m, text)
		if len(problems) > 0 {
			t.Fatalf("%s\n%q", text, problems)
		}
		fresh = append(fresh, s)
	}
	if problems := m.Check(nil, gone, fresh, false); len(problems) > 0 {
		t.Fatalf("%q\n%v", texts, problems)
	}
	return fresh, m.Commit(gone, fresh)
}

// TestTwoFilesChangeOneComponent: files that declare a component with the same new fields
// may both use the values that they make of it.
func TestTwoFilesChangeOneComponent(t *testing.T) {
	w := ecs.NewWorld()
	defer w.Close()
	L := lua.NewState()
	defer L.Close()
	m := New(w, L, Options{})
	old, err := loadOf(t, m, nil, `ecs.component("Armor", { plate = 1 })`)
	if err != nil {
		t.Fatal(err)
	}
	const file = `local Armor = ecs.component("Armor", { plate = 1, worn = 2 })
		local orc = Armor{ plate = 5 }
		ecs.on_start(function() ecs.spawn(orc) end)`
	fresh, err := loadOf(t, m, old, file, file)
	if err != nil {
		t.Fatal(err)
	}
	for i, s := range fresh {
		if _, _, err := m.Start(s, 0); err != nil {
			t.Errorf("file %d: %v", i, err)
		}
	}
}
