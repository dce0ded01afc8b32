package save_test

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/save"
	"github.com/perigee-ecs/perigee/ecs/snapshot"
)

type (
	position struct{ X, Y float32 }
	soul     struct {
		Alive  bool
		Marks  [3]bool
		Owner  ecs.Entity
		Mood   uint8 `ecs:"mood,enum=calm|angry"`
		At     [2]struct{ Col, Row int16 }
		secret int32
		Big    [2][2]float64
	}
	fuse struct{ Left float64 }
	name struct{ Text string }
	tag  struct{}
	shot struct {
		By    ecs.Entity
		Power float32
	}
	score struct {
		Best  float64
		Names []string
		By    map[string]int
	}
)

func (s score) Clone() score {
	return score{s.Best, slices.Clone(s.Names), cloneMap(s.By)}
}

func cloneMap(m map[string]int) map[string]int {
	if m == nil {
		return nil
	}
	c := map[string]int{}
	for k, v := range m {
		c[k] = v
	}
	return c
}

// sample is a world with one of everything.
type sample struct {
	*ecs.World
	position ecs.Component[position]
	soul     ecs.Component[soul]
	fuse     ecs.Component[fuse]
	name     ecs.Component[name]
	tag      ecs.Component[tag]
	shots    ecs.Event[shot]
	score    *score
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// declare opens a world that is empty.
func declare(t testing.TB, tag_ uint16) *sample {
	t.Helper()
	w, err := ecs.Open(ecs.Options{MaxBytes: 16 << 20, Tag: tag_, ReuseAfter: 1, Seed: 7})
	must(t, err)
	t.Cleanup(func() { w.Close() })
	s := &sample{World: w}
	s.position, s.soul, s.name, s.tag = ecs.Register[position](w), ecs.Register[soul](w), ecs.Register[name](w), ecs.Register[tag](w)
	s.fuse = ecs.Register[fuse](w, ecs.Sparse)
	s.shots = ecs.RegisterEvent[shot](w)
	s.score = ecs.Provide(w, &score{})
	_, err = w.Relation("Follows", ecs.RelationOptions{})
	must(t, err)
	return s
}

// fill puts something of everything into the world.
func (s *sample) fill(t testing.TB, n int) *sample {
	t.Helper()
	var all []ecs.Entity
	for i := range n {
		values := []ecs.Value{s.position.With(position{float32(i), -1})}
		if i%2 == 0 {
			values = append(values, s.soul.With(soul{
				Alive: i%4 == 0, Marks: [3]bool{true, i%3 == 0, false}, Mood: uint8(i % 2), secret: int32(i) + 77,
				At: [2]struct{ Col, Row int16 }{{int16(i), 2}, {3, -4}}, Big: [2][2]float64{{1, 2}, {math.Inf(1), float64(i)}},
			}))
		}
		if i%3 == 0 {
			values = append(values, s.fuse.With(fuse{float64(i)}), s.name.With(name{fmt.Sprintf("n%d\xff", i)}))
		}
		if i%5 == 0 {
			values = append(values, s.tag.With(tag{}))
		}
		all = append(all, s.Spawn(values...))
	}
	for i := 1; i < n; i++ {
		must(t, s.SetParent(all[i], all[i/2]))
	}
	must(t, s.Raw().RelationNamed("Follows").Set(all[1], all[2]))
	must(t, s.Despawn(all[n-1]))
	must(t, s.shots.Retain(ecs.Retention{Ticks: 9}))
	must(t, s.shots.Emit(shot{all[0], 4}))
	*s.score = score{math.Inf(-1), []string{"a", "", "\xfe"}, map[string]int{"x": 1, "y": -2}}
	must(t, s.Step(0.25))
	return s
}

// text writes the world.
func (s *sample) text(t testing.TB, options save.Options) []byte {
	t.Helper()
	kept, err := snapshot.Capture(s.World)
	must(t, err)
	var b bytes.Buffer
	must(t, save.Write(&b, kept, options))
	return b.Bytes()
}

// load opens a text and loads it.
func load(w *ecs.World, text []byte, options save.LoadOptions) (*save.Report, error) {
	f, err := save.Open(bytes.NewReader(text), int64(len(text)))
	if err != nil {
		return nil, err
	}
	return f.Load(w, options)
}

// TestEverythingComesBack: values of all kinds, what nobody sees of a struct, handles, hierarchy,
// events, resources, the clock.
func TestEverythingComesBack(t *testing.T) {
	s := declare(t, 3).fill(t, 40)
	text := s.text(t, save.Options{Sections: map[string][]byte{"scripts.json": []byte("{}"), "empty": nil}})
	f, err := save.Open(bytes.NewReader(text), int64(len(text)))
	must(t, err)
	if n, seconds := f.Tick(); n != 1 || seconds != 0.25 || f.Tag() != 3 || f.Seed() != 7 || f.Entities() != 39 {
		t.Error(n, seconds, f.Tag(), f.Seed(), f.Entities())
	}
	if one, err := f.Section("scripts.json"); string(one) != "{}" || err != nil || !slices.Equal(f.Sections(), []string{"empty", "scripts.json"}) {
		t.Errorf("%q %v %v", one, err, f.Sections())
	}
	if none, err := f.Section("none"); none != nil || err != nil {
		t.Error(none, err)
	}
	want := s.Checksum()
	must(t, s.Close())
	other := declare(t, 3)
	other.Spawn(other.name.With(name{"gone"}))
	report, err := f.Check(other.World, save.LoadOptions{})
	must(t, err)
	if other.Stats().Entities != 1 || report.Before != 1 || report.Entities != 39 || len(report.Changes) != 0 {
		t.Errorf("a check has changed the world, or says %s", report)
	}
	_, err = f.Load(other.World, save.LoadOptions{})
	must(t, err)
	must(t, other.Check())
	if other.Checksum() != want {
		t.Error("another checksum")
	}
	if sc := other.score; !math.IsInf(sc.Best, -1) || !slices.Equal(sc.Names, []string{"a", "", "\xfe"}) || sc.By["y"] != -2 {
		t.Errorf("%+v", sc)
	}
	n := 0
	for e, v := range ecs.Rows(other.Query(ecs.Read(other.soul)), other.soul) {
		if p, _ := other.position.Get(e); v.secret != int32(p.X)+77 || v.Big[1][1] != float64(p.X) || v.At[1].Row != -4 {
			t.Errorf("%v: %+v", e, v)
		}
		n++
	}
	if n != 20 {
		t.Errorf("%d souls", n)
	}
}

var damages = flag.Int("damages", 1, "bits of each byte of a small save that are flipped, up to 8, and thousands of bytes changed in a larger one")

// TestDamages: of each truncation, and of each flipped bit, a save says that it is damaged, or it is
// what it was. The world is never half of it.
func TestDamages(t *testing.T) {
	open := func() (*ecs.World, ecs.Component[position]) {
		w, err := ecs.Open(ecs.Options{MaxBytes: 1 << 20, Tag: 3})
		must(t, err)
		t.Cleanup(func() { w.Close() })
		return w, ecs.Register[position](w)
	}
	w, p := open()
	w.Spawn(p.With(position{1, 2}))
	j := &judge{good: (&sample{World: w}).text(t, save.Options{Sections: map[string][]byte{"a": {1, 2, 3}}}), want: w.Checksum()}
	must(t, w.Close())
	j.world, _ = open()
	step := 3 // in plain runs, one in three
	if *damages > 1 {
		step = 1
	}
	for n := 0; n < len(j.good); n += step {
		if j.try(t, fmt.Sprintf("the first %d bytes", n), j.good[:n]) {
			t.Fatalf("the first %d of %d bytes are a save", n, len(j.good))
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	passed := 0
	bad := slices.Clone(j.good)
	tried := 0
	for i := random.IntN(step); i < len(bad); i += step {
		first := random.IntN(8)
		for k := range *damages {
			bit := (first + k) % 8
			bad[i] ^= 1 << bit
			tried++
			if j.try(t, fmt.Sprintf("bit %d of byte %d", bit, i), bad) {
				passed++
			}
			bad[i] = j.good[i]
		}
	}
	if passed > tried/10 { // such as the times of the parts
		t.Errorf("%d of %d flipped bits are of no matter", passed, tried)
	}
	t.Logf("%d bytes; %d of %d flipped bits are of no matter", len(bad), passed, tried)
	if !j.try(t, "the save itself", j.good) {
		t.Error("it is not loaded")
	}
}

// TestRandomDamages: bytes of a save of everything are changed, parts of it are moved, doubled or
// taken away.
func TestRandomDamages(t *testing.T) {
	s := declare(t, 3).fill(t, 30)
	j := &judge{good: s.text(t, save.Options{}), want: s.Checksum()}
	must(t, s.Close())
	j.world = declare(t, 3).World
	random := rand.New(rand.NewPCG(3, 4))
	for round := range *damages * 1000 {
		bad := slices.Clone(j.good)
		for range 1 + random.IntN(3) {
			at, n := random.IntN(len(bad)), random.IntN(100)
			switch random.IntN(4) {
			case 0:
				bad = slices.Delete(bad, at, min(at+n, len(bad)))
			case 1:
				bad = slices.Insert(bad, at, bad[:min(n, len(bad))]...)
			default:
				bad[at] = byte(random.Uint32())
			}
		}
		j.try(t, fmt.Sprintf("round %d", round), bad)
	}
}

// judge loads damaged saves into one world.
type judge struct {
	good  []byte
	want  uint64
	world *ecs.World
	now   uint64
}

// try loads a text, and reports whether that went well. Then it must be the good one.
func (j *judge) try(t *testing.T, what string, text []byte) bool {
	t.Helper()
	if j.now == 0 {
		j.now = j.world.Checksum()
	}
	_, err := load(j.world, text, save.LoadOptions{})
	now := j.world.Checksum()
	switch {
	case err == nil && now != j.want:
		t.Fatalf("%s: it was loaded, and is another world", what)
	case err != nil && now != j.now:
		t.Fatalf("%s: %v, and the world has changed", what, err)
	case err == nil:
		j.now = now
	case !errors.Is(err, save.ErrDamaged) && !errors.Is(err, save.ErrFormat) && !errors.Is(err, save.ErrVersion):
		t.Fatalf("%s: %v", what, err)
	}
	return err == nil
}

// TestRefusals: what cannot be written, or loaded, is refused by name.
func TestRefusals(t *testing.T) {
	s := declare(t, 3).fill(t, 6)
	kept, err := snapshot.Capture(s.World)
	must(t, err)
	text := s.text(t, save.Options{})
	for name, options := range map[string]save.Options{
		"cannot be called \"a/b\"": {Sections: map[string][]byte{"a/b": nil}}, "cannot be called \"..\"": {Sections: map[string][]byte{"..": nil}},
	} {
		if err := save.Write(&bytes.Buffer{}, kept, options); !errors.Is(err, ecs.ErrConflict) || !strings.Contains(err.Error(), name) {
			t.Error(err)
		}
	}
	if err := save.Write(&bytes.Buffer{}, &snapshot.Snapshot{}, save.Options{}); !errors.Is(err, ecs.ErrConflict) {
		t.Error(err)
	}
	if _, err := load(declare(t, 4).World, text, save.LoadOptions{}); !errors.Is(err, ecs.ErrConflict) || !strings.Contains(err.Error(), "Options.Tag 3") {
		t.Error(err)
	}
	must(t, s.Close())
	small, err := ecs.Open(ecs.Options{MaxBytes: 1 << 20, MaxEntities: 3, Tag: 3})
	must(t, err)
	defer small.Close()
	if _, err := load(small, text, save.LoadOptions{Lose: true}); !errors.Is(err, ecs.ErrEntityLimit) {
		t.Error(err)
	}
	if _, err := load(nil, text, save.LoadOptions{}); !errors.Is(err, ecs.ErrConflict) {
		t.Error(err)
	}
	var none *save.File
	if _, err := none.Load(small, save.LoadOptions{}); !errors.Is(err, ecs.ErrConflict) || none.Close() != nil {
		t.Error(err)
	}
	must(t, small.Close())
	if _, err := load(small, text, save.LoadOptions{}); !errors.Is(err, ecs.ErrClosed) {
		t.Error(err)
	}
}
