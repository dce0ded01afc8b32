package scripting_test

import (
	"log/slog"
	"strings"
	"testing/fstest"

	"pgregory.net/rapid"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// Mixed has every kind of number, so that random systems meet each.
type Mixed struct {
	I8  int8
	I16 int16
	I32 int32
	I64 int64
	U8  uint8
	U16 uint16
	U32 uint32
	U64 uint64
	F32 float32
	F64 float64
}

// Extra lives in a sparse pool.
type Extra struct{ A, B float32 }

// Label has a Go pointer; Rules is a resource.
type (
	Label struct {
		Name string
		N    int32
	}
	Rules struct {
		Points int32
		Title  string
	}
)

type (
	TagA struct{}
	TagB struct{}
)

// randomWorld is what a random world is made from: it can be made twice.
type randomWorld struct {
	rows []randomRow
}

type randomRow struct {
	mixed    Mixed
	extra    Extra
	velocity Velocity
	tagA     bool
	tagB     bool
	hasExtra bool
}

func drawWorld(t *rapid.T) randomWorld {
	float := rapid.OneOf(rapid.Float64Range(-1e6, 1e6), rapid.SampledFrom([]float64{0, 1, -1, 0.5}))
	row := rapid.Custom(func(t *rapid.T) randomRow {
		return randomRow{
			mixed: Mixed{
				rapid.Int8().Draw(t, "i8"), rapid.Int16().Draw(t, "i16"), rapid.Int32().Draw(t, "i32"), rapid.Int64().Draw(t, "i64"),
				rapid.Uint8().Draw(t, "u8"), rapid.Uint16().Draw(t, "u16"), rapid.Uint32().Draw(t, "u32"), rapid.Uint64().Draw(t, "u64"),
				float32(float.Draw(t, "f32")), float.Draw(t, "f64"),
			},
			extra:    Extra{float32(float.Draw(t, "a")), float32(float.Draw(t, "b"))},
			velocity: Velocity{float.Draw(t, "vx"), float.Draw(t, "vy")},
			tagA:     rapid.Bool().Draw(t, "A"), tagB: rapid.Bool().Draw(t, "B"), hasExtra: rapid.Bool().Draw(t, "has"),
		}
	})
	// Some worlds are long enough for whole chunks, each of several archetypes.
	rows := rapid.SliceOfN(row, 1, 12).Draw(t, "rows")
	repeat := rapid.SampledFrom([]int{1, 3, 40}).Draw(t, "repeat")
	var w randomWorld
	for range repeat {
		w.rows = append(w.rows, rows...)
	}
	return w
}

// open makes the world and a host with one script.
func (rw randomWorld) open(t *rapid.T, text string) (*ecs.World, *scripting.Host, *[]*scripting.Error) {
	w, h, _, faults := rw.openFolder(t, text)
	return w, h, faults
}

func rules(w *ecs.World) *Rules { return w.Raw().ResourceNamed("Rules").(*Rules) }

// openFolder returns the folder of the script, too.
func (rw randomWorld) openFolder(t *rapid.T, text string) (*ecs.World, *scripting.Host, fstest.MapFS, *[]*scripting.Error) {
	w, err := ecs.Open(ecs.Options{Tag: 7, Breaker: ecs.Breaker{Failures: -1}})
	if err != nil {
		t.Fatal(err)
	}
	mixed, extra, velocity := ecs.Register[Mixed](w), ecs.Register[Extra](w, ecs.Sparse), ecs.Register[Velocity](w)
	tagA, tagB := ecs.Register[TagA](w), ecs.Register[TagB](w)
	label := ecs.Register[Label](w)
	ecs.Provide(w, &Rules{Points: 3, Title: "before"})
	for i, row := range rw.rows {
		values := []ecs.Value{mixed.With(row.mixed), velocity.With(row.velocity)}
		if row.tagA {
			values = append(values, tagA.With(TagA{}))
		}
		if row.tagB {
			values = append(values, tagB.With(TagB{}))
		}
		if row.hasExtra {
			values = append(values, extra.With(row.extra))
		}
		if i%3 == 0 {
			values = append(values, label.With(Label{"a label", int32(i)}))
		}
		w.Spawn(values...)
	}
	faults := &[]*scripting.Error{}
	h := newHost(t, w, scripting.Options{
		Logger:  slog.New(slog.DiscardHandler),
		OnError: func(e *scripting.Error) { *faults = append(*faults, e) },
		Limits:  scripting.Limits{Instructions: 5_000_000},
	})
	folder := fstest.MapFS{"a.lua": &fstest.MapFile{Data: []byte(prelude + text)}}
	if err := h.Load(folder); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return w, h, folder, faults
}

const prelude = `local ecs = require "ecs"
local M, X, V = ecs.native("Mixed"), ecs.native("Extra"), ecs.native("Velocity")
local A, B = ecs.native("TagA"), ecs.native("TagB")
`

// field is one that random bodies read and write: m.i8 in an each function.
type field struct{ param, component, name string }

func (f field) String() string { return f.param + "." + f.name }

func (f field) float() bool { return f.param != "m" || strings.HasPrefix(f.name, "f") }

func fieldsOf(withExtra bool) []field {
	list := []field{{"v", "V", "x"}, {"v", "V", "y"}}
	for _, name := range strings.Fields("i8 i16 i32 i64 u8 u16 u32 u64 f32 f64") {
		list = append(list, field{"m", "M", name})
	}
	if withExtra {
		list = append(list, field{"x", "X", "a"}, field{"x", "X", "b"})
	}
	return list
}
