package main

import (
	"bytes"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/save"
	"github.com/perigee-ecs/perigee/ecs/snapshot"
)

// spot is a struct in arrays, with an array.
type spot struct {
	X float32  `parquet:"x"`
	N [2]int32 `parquet:"n,list"`
}

// thing is a component with fields of all kinds.
type thing struct {
	On     bool
	A      int8
	B      int16
	C      int32
	D      int64
	E      uint8
	F      uint16
	G      uint32
	H      uint64
	X      float32
	Y      float64
	Who    ecs.Entity
	Mood   uint8 `ecs:",enum=calm|angry"`
	Entity uint16
	Marks  [3]uint16
	Spots  [2]spot
	Sub    struct{ Deep struct{ Z float64 } }
	None   struct{}
	hidden int32
}

// readSpot and readThing are what a reader of Parquet sees, which knows nothing of Perigee.
type readSpot struct {
	X float32 `parquet:"x"`
	N []int32 `parquet:"n,list"`
}

type readThing struct {
	Handle uint64     `parquet:"entity"`
	On     bool       `parquet:"on"`
	A      int8       `parquet:"a"`
	B      int16      `parquet:"b"`
	C      int32      `parquet:"c"`
	D      int64      `parquet:"d"`
	E      uint8      `parquet:"e"`
	F      uint16     `parquet:"f"`
	G      uint32     `parquet:"g"`
	H      uint64     `parquet:"h"`
	X      float32    `parquet:"x"`
	Y      float64    `parquet:"y"`
	Who    uint64     `parquet:"who"`
	Mood   string     `parquet:"mood"`
	Entity uint16     `parquet:"entity_"`
	Marks  []uint16   `parquet:"marks,list"`
	Spots  []readSpot `parquet:"spots,list"`
	Sub    struct {
		Deep struct {
			Z float64 `parquet:"z"`
		} `parquet:"deep"`
	} `parquet:"sub"`
}

type (
	mark  struct{}
	label struct{ Text string }
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// draw makes a value at random.
func draw(random *rand.Rand, who ecs.Entity) (v thing) {
	v = thing{
		On: random.IntN(2) == 0, A: int8(random.Uint32()), B: int16(random.Uint32()), C: int32(random.Uint32()), D: int64(random.Uint64()),
		E: uint8(random.Uint32()), F: uint16(random.Uint32()), G: random.Uint32(), H: random.Uint64(),
		X: float32(random.NormFloat64()), Y: []float64{random.NormFloat64(), math.Inf(1), math.MaxFloat64}[random.IntN(3)],
		Who: who, Mood: uint8(random.IntN(2)), Entity: uint16(random.Uint32()), hidden: 7,
	}
	for i := range v.Marks {
		v.Marks[i] = uint16(random.Uint32())
	}
	for i := range v.Spots {
		v.Spots[i] = spot{random.Float32(), [2]int32{random.Int32(), -random.Int32()}}
	}
	v.Sub.Deep.Z = random.Float64()
	return v
}

// seen is a value as a reader is to see it.
func seen(e ecs.Entity, v *thing) readThing {
	r := readThing{
		Handle: uint64(e), On: v.On, A: v.A, B: v.B, C: v.C, D: v.D, E: v.E, F: v.F, G: v.G, H: v.H, X: v.X, Y: v.Y,
		Who: uint64(v.Who), Mood: []string{"calm", "angry"}[v.Mood], Entity: v.Entity, Marks: v.Marks[:],
	}
	for i := range v.Spots {
		r.Spots = append(r.Spots, readSpot{v.Spots[i].X, v.Spots[i].N[:]})
	}
	r.Sub.Deep.Z = v.Sub.Deep.Z
	return r
}

// saveOf writes a world to a file, and opens it.
func saveOf(t testing.TB, w *ecs.World) (*save.File, string) {
	t.Helper()
	s, err := snapshot.Capture(w)
	must(t, err)
	path := filepath.Join(t.TempDir(), "one.save")
	must(t, save.ToFile(path, s, save.Options{}))
	f, err := save.OpenFile(path)
	must(t, err)
	t.Cleanup(func() { f.Close() })
	return f, path
}

// TestReadersSeeTheValues: all kinds of fields, lists and groups are read back as what is in the world.
func TestReadersSeeTheValues(t *testing.T) {
	const seed, n = 14, 3000
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	w := ecs.NewWorld()
	defer w.Close()
	things, marks, labels := ecs.Register[thing](w), ecs.Register[mark](w), ecs.Register[label](w)
	want := map[uint64]readThing{}
	last := ecs.Entity(0)
	for range n {
		v := draw(random, last)
		last = w.Spawn(things.With(v))
		want[uint64(last)] = seen(last, &v)
	}
	must(t, marks.Set(last, mark{}))
	must(t, labels.Set(last, label{"a text\xff"}))
	f, path := saveOf(t, w)

	var b bytes.Buffer
	rows, err := export(f, "thing", &b)
	must(t, err)
	got, err := parquet.Read[readThing](bytes.NewReader(b.Bytes()), int64(b.Len()))
	must(t, err)
	if rows != n || len(got) != n {
		t.Errorf("%d rows are written, and %d read", rows, len(got))
	}
	for _, r := range got {
		if !reflect.DeepEqual(r, want[r.Handle]) {
			t.Fatalf("read\n%+v\nof\n%+v", r, want[r.Handle])
		}
		delete(want, r.Handle)
	}
	if len(want) > 0 {
		t.Errorf("%d rows are missing", len(want))
	}

	var out bytes.Buffer
	dir := filepath.Join(t.TempDir(), "tables")
	must(t, run([]string{path, dir}, &out))
	if text := out.String(); !strings.Contains(text, "thing.parquet: 3000 rows\n") || !strings.Contains(text, "mark.parquet: 1 rows\n") {
		t.Error(text)
	}
	marked, err := parquet.ReadFile[struct {
		Handle uint64 `parquet:"entity"`
	}](filepath.Join(dir, "mark.parquet"))
	if must(t, err); len(marked) != 1 || marked[0].Handle != uint64(last) {
		t.Errorf("%v", marked)
	}
	texts, err := parquet.ReadFile[struct {
		Handle uint64 `parquet:"entity"`
		Value  []byte `parquet:"value"`
	}](filepath.Join(dir, "label.parquet"))
	if must(t, err); len(texts) != 1 || !bytes.Contains(texts[0].Value, []byte("Text")) {
		t.Errorf("%v", texts)
	}
}

// TestEmptyTables: a component that no entity has is a file with columns and without rows.
func TestEmptyTables(t *testing.T) {
	w := ecs.NewWorld()
	defer w.Close()
	ecs.Register[thing](w)
	_, path := saveOf(t, w)
	file := filepath.Join(t.TempDir(), "x.parquet")
	must(t, run([]string{path, file, "thing"}, io.Discard))
	got, err := parquet.ReadFile[readThing](file)
	if must(t, err); len(got) != 0 {
		t.Errorf("%v", got)
	}
}

// TestWhatCannotBeExported is an error, and leaves no file.
func TestWhatCannotBeExported(t *testing.T) {
	w := ecs.NewWorld()
	defer w.Close()
	_, path := saveOf(t, w)
	dir := t.TempDir()
	file := filepath.Join(dir, "x.parquet")
	if err := run([]string{path, file, "none"}, io.Discard); !errors.Is(err, ecs.ErrUnknown) {
		t.Error(err)
	}
	text, err := os.ReadFile(path)
	must(t, err)
	broken := filepath.Join(dir, "broken.save")
	must(t, os.WriteFile(broken, text[:len(text)/2], 0o666))
	if err := run([]string{broken, file, "thing"}, io.Discard); !errors.Is(err, save.ErrFormat) {
		t.Error(err)
	}
	if err := run([]string{path}, io.Discard); err == nil {
		t.Error("a command line without a place was taken")
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*.parquet")); len(left) > 0 {
		t.Errorf("%v", left)
	}
}

// TestFileNames: components get files of their own, also where a file system does not tell letters apart.
func TestFileNames(t *testing.T) {
	taken := map[string]bool{}
	for _, c := range [][2]string{{"Health", "Health.parquet"}, {"health", "health_.parquet"}, {"../a b", "___a_b.parquet"}} {
		if got := fileName(c[0], taken); got != c[1] {
			t.Errorf("%q: %q", c[0], got)
		}
	}
}
