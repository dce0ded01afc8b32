package kernels_test

import (
	"fmt"
	"io"
	"log/slog"
	"math"
	"testing/fstest"
	"unsafe"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// The host's components: every kind of field that a Go struct can have.
type (
	Body struct {
		X, Y   float64
		VX, VY float32
		Mass   float64
	}
	Tally struct {
		Byte  uint8
		Small int8
		Word  uint16
		Short int16
		Many  uint32
		Int   int32
		Huge  uint64
		Long  int64
	}
	Mind struct {
		Target, Home ecs.Entity
		Awake, Angry bool
		Left         float32
	}
	Pack struct {
		Slots  [4]float64
		Counts [3]uint8
		Ids    [2]ecs.Entity
		Flags  [5]bool
		Halves [3]float32
		Steps  [70]int16
	}
	Point struct {
		X, Y float64
		N    int16
	}
	Deep struct {
		At    Point
		Level uint8
		Open  bool
	}
	Label struct {
		Text string
		Rank int32
		Who  ecs.Entity
	}
	Spark struct {
		Heat  float32
		Since int16
	}
	Frozen struct{}
	Loud   struct{}
	Ping   struct {
		Who    ecs.Entity
		Amount float64
		Level  uint8
	}
	Arena struct {
		Width, Height float64
		Waves         int32
		Open          bool
	}
)

// declarations are the script's own, one statement each.
var declarations = []string{
	`local Stats = ecs.component("Stats", { hp = ecs.f32(100), max = ecs.f32(100), level = ecs.u8(1), team = ecs.enum("red", "blue", "green"),
  target = ecs.entity(), marks = ecs.array(ecs.f32(), 4), poisoned = ecs.bool(false), speed = 2.5 })`,
	`local Burn = ecs.component("Burn", { left = ecs.f32(3), by = ecs.entity(), times = ecs.i16(0) }, { sparse = true })`,
	`local Path = ecs.component("Path", { xs = ecs.array(ecs.f64(), 5), at = ecs.u8(1), links = ecs.array(ecs.entity(), 3), mode = ecs.enum("walk", "run"),
  turns = ecs.array(ecs.i32(), 3), done = ecs.bool(true) })`,
	`local Boss = ecs.tag("Boss")`,
	`local Marked = ecs.tag("Marked")`,
	`local Scored = ecs.event("Scored", { points = ecs.u32(1), by = ecs.entity(), far = ecs.f64(0) })`,
	`local Shot = ecs.prefab("Shot", { Stats { hp = 5, team = "green" }, Boss })`,
}

// components are all that entities may have; those of the host come first.
var components = []string{"Body", "Tally", "Mind", "Pack", "Deep", "Label", "Spark", "Frozen", "Loud", "Stats", "Burn", "Path", "Boss", "Marked"}

const hosts = 9

// newWorld opens a world with all of the host's components.
func newWorld(seed uint64) (*ecs.World, error) {
	w, err := ecs.Open(ecs.Options{Seed: seed, Tag: 9, ReuseAfter: -1})
	if err != nil {
		return nil, err
	}
	ecs.Register[Body](w)
	ecs.Register[Tally](w)
	ecs.Register[Mind](w)
	ecs.Register[Pack](w)
	ecs.Register[Deep](w)
	ecs.Register[Label](w)
	ecs.Register[Spark](w, ecs.Sparse)
	ecs.Register[Frozen](w)
	ecs.Register[Loud](w)
	ecs.RegisterEvent[Ping](w)
	ecs.Provide(w, &Arena{Width: 1000, Height: 400, Waves: 3})
	return w, nil
}

// shape is a component as scripts see it.
type shape struct {
	name   string
	fields []ecs.Field
	pooled bool
}

// shapes reads what the components look like from a world that knows them all.
func shapes() (map[string]*shape, error) {
	w, err := newWorld(1)
	if err != nil {
		return nil, err
	}
	defer w.Close()
	host, err := scripting.New(w, scripting.Options{Logger: slog.New(slog.NewTextHandler(io.Discard, nil))})
	if err != nil {
		return nil, err
	}
	defer host.Close()
	text := "local ecs = require \"ecs\"\n"
	for _, d := range declarations {
		text += d + "\n"
	}
	if err := host.Load(fstest.MapFS{"game.lua": {Data: []byte(text)}}); err != nil {
		return nil, err
	}
	all := map[string]*shape{}
	for _, name := range components {
		id, ok := w.Raw().ComponentNamed(name)
		if !ok {
			return nil, fmt.Errorf("no component %s", name)
		}
		all[name] = &shape{name, w.Raw().Schema(id).Fields, w.Raw().Pooled(id)}
	}
	return all, nil
}

// crowd is what a world begins with.
type crowd struct {
	seed     uint64
	entities int
	kinds    int // how many sets of components there are at most
}

// fill spawns the crowd: first the handles, some of which die, then what they have.
// Components that a script has not declared are left out.
func (c crowd) fill(w *ecs.World) error {
	r := newChance(c.seed)
	handles := []ecs.Entity{0}
	for range c.entities + c.entities/8 + 1 {
		handles = append(handles, w.Spawn())
	}
	living := handles[1 : c.entities+1]
	for i, e := range handles[c.entities+1:] {
		if err := w.Despawn(e); err != nil {
			return err
		}
		if i%2 == 0 {
			living = append(living[:len(living):len(living)], w.Spawn()) // in a slot that had another
		}
	}
	kinds := make([]uint64, max(c.kinds, 1))
	for i := range kinds {
		kinds[i] = r.Uint64() | r.Uint64()
	}
	for _, e := range living {
		if err := fillOne(w, r, e, handles, one(r, kinds...)); err != nil {
			return err
		}
	}
	for range c.entities / 4 {
		if err := w.SetParent(one(r, living...), one(r, living...)); err != nil {
			continue // a circle
		}
	}
	return nil
}

// fillOne gives an entity the components whose bits are set.
func fillOne(w *ecs.World, r chance, e ecs.Entity, handles []ecs.Entity, bits uint64) error {
	for i, name := range components {
		id, ok := w.Raw().ComponentNamed(name)
		if has := bits>>i&1 == 1; !ok || !has {
			continue
		}
		if name == "Label" {
			l := Label{Text: one(r, "", "ant", "bee", "a longer name"), Rank: int32(r.IntN(9)) - 4, Who: one(r, handles...)}
			if err := w.Add(e, w.Raw().ValueAt(id, unsafe.Pointer(&l))); err != nil {
				return err
			}
			continue
		}
		s := w.Raw().Schema(id)
		room := make([]uint64, s.Size/8+1)
		p := unsafe.Pointer(&room[0])
		for _, f := range s.Fields {
			fillField(r, p, f, handles)
		}
		if err := w.Add(e, w.Raw().ValueAt(id, p)); err != nil {
			return err
		}
	}
	return nil
}

func fillField(r chance, p unsafe.Pointer, f ecs.Field, handles []ecs.Entity) {
	for i := range max(f.Len, 1) {
		at := unsafe.Add(p, f.Offset+uintptr(i)*f.Stride)
		switch f.Kind {
		case ecs.Struct:
			for _, inner := range f.Fields {
				fillField(r, at, inner, handles)
			}
		case ecs.Ref:
			*(*ecs.Entity)(at) = one(r, handles...)
		case ecs.Enum:
			*(*uint8)(at) = uint8(r.IntN(len(f.Names)))
		case ecs.Bool:
			*(*bool)(at) = r.in(50)
		case ecs.F32, ecs.F64:
			f.Kind.Store(at, float64(float32(startNumber(r))))
		default:
			low, high := f.Kind.Range()
			f.Kind.Store(at, max(low, min(high, startWhole(r, low, high))))
		}
	}
}

// startNumber is what a field of numbers begins with: mostly something ordinary.
func startNumber(r chance) float64 {
	if r.in(12) {
		return one(r, math.Inf(1), math.Inf(-1), math.NaN(), math.Copysign(0, -1), 1e30, -1e30, 1e-40, 16777217, 0.1)
	}
	return one(r, 0, 1, -1, 2, 5, 7, 10, 0.5, -2.25, 100, float64(r.IntN(200)-100), r.Float64()*20-10)
}

func startWhole(r chance, low, high float64) float64 {
	if r.in(15) {
		return one(r, low, high, low+1, high-1)
	}
	return float64(r.IntN(12)) - 2
}
