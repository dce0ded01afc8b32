package save_test

import (
	"bytes"
	textcsv "encoding/csv"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/save"
)

// opened opens the save of a world.
func (s *sample) opened(t testing.TB, options save.Options) *save.File {
	t.Helper()
	return reopened(t, s.text(t, options))
}

// reopened opens a text.
func reopened(t testing.TB, text []byte) *save.File {
	t.Helper()
	f, err := save.Open(bytes.NewReader(text), int64(len(text)))
	must(t, err)
	return f
}

// line shows a difference.
func line(x save.Difference) string {
	text := x.Topic.String()
	if x.Entity != 0 {
		text += " " + x.Entity.String()
	}
	if x.Topic == save.OfEvent {
		text += fmt.Sprintf(" #%d", x.Number)
	}
	for _, part := range []string{x.Name, x.Field} {
		if part != "" {
			text += " " + part
		}
	}
	switch {
	case x.Gone:
		text += " gone"
	case x.New:
		text += " new"
	}
	if x.Was != "" || x.Is != "" {
		text += ": " + x.Was + " -> " + x.Is
	}
	return text
}

// differences lists what is different, but for what is so after each tick.
func differences(t testing.TB, a, b *save.File) (list []string) {
	t.Helper()
	must(t, save.Diff(a, b, func(x save.Difference) error {
		list = append(list, line(x))
		return nil
	}))
	return list
}

// TestDiff: each kind of change is told, and nothing else.
func TestDiff(t *testing.T) {
	e := func(s *sample, i int) ecs.Entity { // the i-th of fill
		return slices.Sorted(s.Entities())[i]
	}
	for _, c := range []struct {
		what   string
		change func(s *sample)
		want   []string
	}{
		{"nothing", func(*sample) {}, nil},
		{"a field", func(s *sample) { s.position.Edit(e(s, 1)).X = 2.5 }, []string{"field 2v1 position x: 1 -> 2.5"}},
		{"the sign of nought", func(s *sample) { s.position.Edit(e(s, 0)).X = float32(math.Copysign(0, -1)) }, []string{"field 1v1 position x: 0 -> -0"}},
		{"not a number, with other bits", func(s *sample) {
			s.fuse.Edit(e(s, 0)).Left = math.Float64frombits(0x7ff8000000000001)
		}, []string{"field 1v1 fuse left: 0 -> NaN"}},
		{"an element, a struct in it, an enum, a handle, a bool", func(s *sample) {
			v := s.soul.Edit(e(s, 2))
			v.Marks[2], v.At[1].Row, v.Mood, v.Owner, v.Alive = true, 9, 1, e(s, 1), true
		}, []string{
			"field 3v1 soul alive: false -> true", "field 3v1 soul marks[3]: false -> true", "field 3v1 soul owner: 0 -> 2v1",
			"field 3v1 soul mood: calm -> angry", "field 3v1 soul at[2].row: -4 -> 9",
		}},
		{"what no script sees", func(s *sample) { s.soul.Edit(e(s, 0)).secret = 0x01020304 }, []string{"field 1v1 soul _hidden: 4d000000REST -> 04030201REST"}},
		{"a value with pointers", func(s *sample) { s.name.Edit(e(s, 0)).Text = "other" }, []string{`field 1v1 name: {"Text":{"bytes":"bjD/"}} -> {"Text":"other"}`}},
		{"a component less, a tag more", func(s *sample) {
			must(t, s.fuse.Remove(e(s, 3)))
			must(t, s.tag.Set(e(s, 3), tag{}))
		}, []string{"component 4v1 tag new", "component 4v1 fuse gone"}},
		{"a relation", func(s *sample) { must(t, s.Raw().RelationNamed("Follows").Set(e(s, 1), e(s, 0))) }, []string{"field 2v1 Follows target: 3v1 -> 1v1"}},
		{"an entity less, another one", func(s *sample) {
			must(t, s.Despawn(e(s, 4)))
			s.Spawn(s.position.With(position{1, 1}))
		}, []string{"entity 5v1 gone", "entity 6v2 new"}},
		{"an event", func(s *sample) { must(t, s.shots.Emit(shot{0, 1.5})) }, []string{"event #1 shot new:  -> by 0, power 1.5"}},
		{"a resource", func(s *sample) { s.score.By["y"], s.score.Names[1] = 3, "new" }, []string{
			`resource save_test.score By.y: -2 -> 3`, `resource save_test.score Names[2]: "" -> "new"`,
		}},
	} {
		t.Run(c.what, func(t *testing.T) {
			s := declare(t, 3).fill(t, 6)
			before := s.opened(t, save.Options{})
			c.change(s)
			got := differences(t, before, s.opened(t, save.Options{}))
			slices.Sort(got)
			want := slices.Clone(c.want)
			for i := range want {
				want[i] = strings.ReplaceAll(want[i], "REST", "000000000000f03f0000000000000040000000000000f07f0000000000000000")
			}
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("told:\n%s\nwanted:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		})
	}
}

// TestDiffOfWorlds: the clock, the seed, sections by what is in them, and other fields in a component of the
// same name.
func TestDiffOfWorlds(t *testing.T) {
	first := declare(t, 3).fill(t, 3)
	a := first.opened(t, save.Options{Sections: map[string][]byte{
		"s.json": []byte(`{"states":[{"name":"one","n":1},{"name":"two","n":2}],"list":[1,2,3],"keys":[["a",1],["b",2]],"same":{"x":[null]}}`),
		"raw":    {1, 2}, "old": {1},
	}})
	must(t, first.Step(0.5))
	b := first.opened(t, save.Options{Sections: map[string][]byte{
		"s.json": []byte(`{"states":[{"name":"two","n":3}],"list":[1,2],"keys":[["b",2],["a",{}]],"same":{"x":[null]}}`),
		"raw":    {1, 3}, "new.json": []byte(`{`),
	}})
	got := differences(t, a, b)
	want := []string{
		"world tick: 1 -> 2", "world seconds: 0.25 -> 0.75", "event #0 shot gone: by 1v1, power 4 -> ",
		"section new.json new:  -> 1 bytes, crc32c SUM", "section old gone: 1 bytes, crc32c SUM -> ",
		"section raw: 2 bytes, crc32c SUM -> 2 bytes, crc32c SUM",
		"section s.json keys.a: 1 -> {}", "section s.json list[3] gone: 3 -> ",
		`section s.json states.one gone: {"n":1,"name":"one"} -> `, "section s.json states.two.n: 2 -> 3",
	}
	for i := range got {
		for _, x := range strings.Fields(got[i]) {
			if x = strings.Trim(x, `"`); len(x) == 8 && strings.Trim(x, "0123456789abcdef") == "" {
				got[i] = strings.ReplaceAll(strings.ReplaceAll(got[i], `"`, ""), x, "SUM")
			}
		}
		got[i] = strings.ReplaceAll(got[i], "SUM\"", "SUM")
	}
	if !slices.Equal(got, want) {
		t.Errorf("told:\n%s\nwanted:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	open := func(define func(w *ecs.World) ecs.Value) *save.File {
		w, err := ecs.Open(ecs.Options{MaxBytes: 1 << 20, Tag: 3})
		must(t, err)
		t.Cleanup(func() { w.Close() })
		v := define(w)
		w.Spawn(v)
		return (&sample{World: w}).opened(t, save.Options{})
	}
	old := open(func(w *ecs.World) ecs.Value {
		type body struct {
			X, Gone float32
			List    [2]int32
			Wide    int16
			At      [2]uint8
		}
		return ecs.Register[body](w).With(body{1, 2, [2]int32{3, 4}, 5, [2]uint8{6, 7}})
	})
	now := open(func(w *ecs.World) ecs.Value {
		type body struct {
			List [3]int32
			X    float32
			Wide int64
			At   uint8
			New  bool
		}
		return ecs.Register[body](w).With(body{[3]int32{3, 5, 6}, 1, 5, 6, true})
	})
	want = []string{
		"field 1v1 body gone gone: 2 -> ", "field 1v1 body list[2]: 4 -> 5", "field 1v1 body list[3] new:  -> 6", "field 1v1 body at: {6, 7} -> 6",
		"field 1v1 body new new:  -> true",
	}
	if got := differences(t, old, now); !slices.Equal(got, want) {
		t.Errorf("told:\n%s\nwanted:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestDiffEnds: the first error of the program ends it, and is returned.
func TestDiffEnds(t *testing.T) {
	a, b := declare(t, 3).fill(t, 3).opened(t, save.Options{}), declare(t, 3).fill(t, 6).opened(t, save.Options{})
	told := 0
	err := save.Diff(a, b, func(save.Difference) error {
		told++
		return io.ErrShortWrite
	})
	if err != io.ErrShortWrite || told != 1 {
		t.Errorf("%d told, %v", told, err)
	}
}

// TestRandomDiffs: of random changes, a comparison tells what the tables of both saves say as text,
// and the same with the saves exchanged.
func TestRandomDiffs(t *testing.T) {
	for seed := range uint64(30) {
		random := rand.New(rand.NewPCG(seed, 1))
		s := declare(t, 3).fill(t, 40)
		a := s.opened(t, save.Options{})
		for range random.IntN(60) {
			s.changeOne(t, random)
		}
		b := s.opened(t, save.Options{})
		there, back := map[string]bool{}, map[string]bool{}
		must(t, save.Diff(a, b, func(x save.Difference) error {
			there[line(x)] = true
			return nil
		}))
		must(t, save.Diff(b, a, func(x save.Difference) error {
			x.Was, x.Is, x.Gone, x.New = x.Is, x.Was, x.New, x.Gone
			back[line(x)] = true
			return nil
		}))
		if !maps.Equal(there, back) {
			t.Fatalf("seed %d: %v there, %v back", seed, there, back)
		}
		want := map[string]bool{}
		for _, c := range []string{"position", "soul", "fuse", "name", "tag"} {
			old, now := rowsOfCSV(t, a, c), rowsOfCSV(t, b, c)
			for e, fields := range old {
				switch {
				case !s.Alive(e):
				case now[e] == nil:
					want["component "+e.String()+" "+c+" gone"] = true
				default:
					for field, was := range fields {
						if is := now[e][field]; was != is {
							if field == "owner" {
								was, is = entityText(t, was), entityText(t, is)
							}
							want[strings.ReplaceAll(fmt.Sprintf("field %v %s %s: %s -> %s", e, c, field, was, is), " value:", ":")] = true
						}
					}
				}
			}
			for e := range now {
				if old[e] == nil && a.Entities() > 0 && entityOf(there, e) {
					want["component "+e.String()+" "+c+" new"] = true
				}
			}
		}
		for told := range there {
			of := strings.Fields(told) // relations and what no script sees are not in the tables
			if (of[0] == "field" || of[0] == "component") && of[2] != "ChildOf" && of[2] != "Follows" && of[3] != "_hidden:" && !want[told] {
				t.Errorf("seed %d: %q was told, and the tables do not say so", seed, told)
			}
		}
		for say := range want {
			if !there[say] {
				t.Errorf("seed %d: %q was not told", seed, say)
			}
		}
	}
}

// entityText shows a handle as a comparison does.
func entityText(t testing.TB, text string) string {
	var e uint64
	_, err := fmt.Sscan(text, &e)
	must(t, err)
	if e == 0 {
		return text
	}
	return ecs.Entity(e).String()
}

// entityOf reports whether an entity is not told to be new.
func entityOf(told map[string]bool, e ecs.Entity) bool { return !told["entity "+e.String()+" new"] }

// changeOne changes something at random.
func (s *sample) changeOne(t testing.TB, random *rand.Rand) {
	t.Helper()
	all := slices.Sorted(s.Entities())
	e := all[random.IntN(len(all))]
	switch random.IntN(7) {
	case 0:
		if len(all) > 2 {
			must(t, s.Despawn(e))
		}
	case 1:
		s.Spawn(s.position.With(position{random.Float32(), 0}), s.fuse.With(fuse{random.Float64()}))
	case 2:
		must(t, s.soul.Set(e, soul{Mood: uint8(random.IntN(2)), Marks: [3]bool{random.IntN(2) == 0}}))
	case 3:
		if p := s.position.Edit(e); p != nil {
			p.Y = float32(random.IntN(3))
		}
	case 4:
		if s.tag.Has(e) {
			must(t, s.tag.Remove(e))
		} else {
			must(t, s.tag.Set(e, tag{}))
		}
	case 5:
		must(t, s.name.Set(e, name{fmt.Sprint(random.IntN(3))}))
	case 6:
		if s.fuse.Has(e) {
			must(t, s.fuse.Remove(e))
		}
	}
}

// rowsOfCSV reads a component as CSV.
func rowsOfCSV(t testing.TB, f *save.File, component string) map[ecs.Entity]map[string]string {
	t.Helper()
	var b bytes.Buffer
	must(t, f.CSV(&b, component))
	lines, err := textcsv.NewReader(&b).ReadAll()
	must(t, err)
	rows := map[ecs.Entity]map[string]string{}
	for _, l := range lines[1:] {
		var handle uint64
		_, err := fmt.Sscan(l[0], &handle)
		must(t, err)
		row := map[string]string{}
		for i, field := range lines[0] {
			if i > 0 {
				row[field] = l[i]
			}
		}
		rows[ecs.Entity(handle)] = row
	}
	return rows
}
