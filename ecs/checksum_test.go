package ecs

import "testing"

// hull is a component with Go pointers, and an entity that must be hashed
// without the tag of its world.
type hull struct {
	Name   string
	Crew   []string
	Owner  Entity
	Armour [2]int32
	Angle  float32
	Notes  map[string]int // has no order to hash in: left out
}

// aim is a component whose bytes are not all fields.
type aim struct {
	On     bool
	Target Entity
	Small  uint8
	Path   [2]struct {
		A uint8
		B float64
	}
	Grid [2][2]int16
}

// history makes the same world each time, but for the last change.
func history(t *testing.T, tag uint8, change func(*fleet)) uint64 {
	t.Helper()
	w := open(t, Options{Tag: tag, ReuseAfter: -1})
	f := &fleet{
		World: w, position: Register[Position](w), frozen: Register[Frozen](w), burning: Register[Burning](w, Sparse),
		hull: Register[hull](w), aim: Register[aim](w),
	}
	for i := range 50 {
		e := w.Spawn(f.position.With(Position{X: float64(i)}))
		f.es = append(f.es, e)
		must(t, f.aim.Set(e, aim{Target: f.es[i/2]}))
		if i%3 == 0 {
			must(t, f.burning.Set(e, Burning{float32(i)}))
			must(t, f.hull.Set(e, hull{Name: "ship", Crew: []string{"a", "b"}, Owner: f.es[0]}))
		}
		if i%7 == 0 {
			must(t, w.SetParent(e, f.es[i/7]*Entity(min(i, 1))))
		}
	}
	must(t, w.Despawn(f.es[5]))
	if change != nil {
		change(f)
	}
	must(t, w.Check())
	return w.Checksum()
}

type fleet struct {
	*World
	position Component[Position]
	frozen   Component[Frozen]
	burning  Component[Burning]
	hull     Component[hull]
	aim      Component[aim]
	es       []Entity
}

func TestEqualHistoriesHaveEqualChecksums(t *testing.T) {
	first := history(t, 1, nil)
	if again := history(t, 1, nil); again != first {
		t.Error("the same history twice has two checksums")
	}
	if other := history(t, 200, nil); other != first {
		t.Error("the tag of the world is part of its checksum")
	}
	if read := history(t, 7, func(f *fleet) {
		f.Step(1)
		f.Query(Read(f.position)).Count()
		f.NewCommands().Spawn()
	}); read != first {
		t.Error("a checksum tells of something else than entities and values")
	}
	if padding := history(t, 7, func(f *fleet) {
		p := (*[24]byte)(f.edit(f.es[1], f.aim.ID()))
		p[1], p[7], p[17] = 0xFF, 0xFF, 0xFF // between the fields
	}); padding != first {
		t.Error("bytes between the fields are part of the checksum")
	}
}

// TestAnySingleChangeChangesTheChecksum.
func TestAnySingleChangeChangesTheChecksum(t *testing.T) {
	seen := map[uint64]string{history(t, 1, nil): "no change"}
	for name, change := range map[string]func(*fleet){
		"a column":           func(f *fleet) { f.position.Edit(f.es[9]).Y = 1e-300 },
		"a sign":             func(f *fleet) { p := f.position.Edit(f.es[9]); p.Y = -p.Y },
		"a pool":             func(f *fleet) { f.burning.Edit(f.es[9]).Left++ },
		"a bool":             func(f *fleet) { f.aim.Edit(f.es[9]).On = true },
		"the last byte":      func(f *fleet) { f.aim.Edit(f.es[9]).Small = 1 },
		"a reference":        func(f *fleet) { f.aim.Edit(f.es[9]).Target = f.es[1] },
		"a nested field":     func(f *fleet) { f.aim.Edit(f.es[9]).Path[1].B = 1 },
		"an array of arrays": func(f *fleet) { f.aim.Edit(f.es[9]).Grid[1][1] = 1 },
		"a string":           func(f *fleet) { f.hull.Edit(f.es[9]).Name = "shiq" },
		"an empty string":    func(f *fleet) { f.hull.Edit(f.es[9]).Name = "" },
		"where strings end":  func(f *fleet) { f.hull.Edit(f.es[9]).Crew = []string{"ab"} },
		"a longer slice":     func(f *fleet) { f.hull.Edit(f.es[9]).Crew = []string{"a", "b", ""} },
		"a heap reference":   func(f *fleet) { f.hull.Edit(f.es[9]).Owner = f.es[1] },
		"a heap array":       func(f *fleet) { f.hull.Edit(f.es[9]).Armour[1] = 1 },
		"a heap float":       func(f *fleet) { f.hull.Edit(f.es[9]).Angle = 1 },
		"a tag":              func(f *fleet) { f.frozen.Set(f.es[9], Frozen{}) },
		"a component less":   func(f *fleet) { f.burning.Remove(f.es[9]) },
		"an entity more":     func(f *fleet) { f.Spawn() },
		"an entity less":     func(f *fleet) { f.Despawn(f.es[9]) },
		"another generation": func(f *fleet) { f.Despawn(f.es[49]); f.Spawn(f.position.With(Position{X: 49})) },
		"a parent":           func(f *fleet) { f.SetParent(f.es[9], f.es[10]) },
		"an order":           func(f *fleet) { f.SetParent(f.es[7], f.es[1]); f.SetParent(f.es[9], f.es[1]) },
		"the other order":    func(f *fleet) { f.SetParent(f.es[9], f.es[1]); f.SetParent(f.es[7], f.es[1]) },
	} {
		sum := history(t, 1, change)
		if other, taken := seen[sum]; taken {
			t.Errorf("%s has the checksum of %s", name, other)
		}
		seen[sum] = name
	}
}
