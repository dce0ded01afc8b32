package ecs

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/perigee-ecs/perigee/internal/testmain"
)

// previewWorld is a world in which everything is that a command can meet: components in
// chunks, in pools and with strings, rules among them, and relations of each policy.
type previewWorld struct {
	w         *World
	c         *Commands
	ids       []ComponentID
	relations []*Relation
	all       []Entity // ever known
	log       []string
	r         *rand.Rand
}

type (
	previewPlace struct{ X, Y float64 }
	previewFlag  struct{}
	previewPool  struct{ N uint32 }
	previewText  struct {
		Name string
		N    int64
	}
	previewNeedy struct{ V float32 }
	previewShy   struct{ V int16 }
	previewWide  struct{ V [2000]uint64 }
)

func newPreviewWorld(seed uint64) *previewWorld {
	w := NewWorld()
	g := &previewWorld{w: w, r: rand.New(rand.NewPCG(seed, 1))}
	place := Register[previewPlace](w, Default(previewPlace{1, 2}))
	flag, pool, text := Register[previewFlag](w), Register[previewPool](w, Sparse), Register[previewText](w)
	needy := Register[previewNeedy](w, Requires(place, pool))
	shy := Register[previewShy](w, Excludes(flag))
	wide := Register[previewWide](w)
	g.ids = []ComponentID{place.ID(), flag.ID(), pool.ID(), text.ID(), needy.ID(), shy.ID(), wide.ID()}
	g.relations = []*Relation{w.ChildOf()}
	for name, o := range map[string]RelationOptions{"orphan": {}, "refuse": {OnDespawn: Refuse}} {
		r, _ := w.Relation(name, o)
		g.relations = append(g.relations, r)
	}
	slices.SortFunc(g.relations, func(a, b *Relation) int { return int(a.id) - int(b.id) })
	g.c = w.NewCommands()
	return g
}

func (g *previewWorld) entity() Entity {
	if len(g.all) == 0 || g.r.IntN(20) == 0 {
		return 0
	}
	return g.all[g.r.IntN(len(g.all))]
}

func (g *previewWorld) value() Value {
	n := g.r.IntN(100)
	switch id := g.ids[g.r.IntN(len(g.ids))]; id {
	case g.ids[0]:
		return g.w.valueAt(id, unsafe.Pointer(&previewPlace{float64(n), 3}))
	case g.ids[2]:
		return g.w.valueAt(id, unsafe.Pointer(&previewPool{uint32(n)}))
	case g.ids[3]:
		return g.w.valueAt(id, unsafe.Pointer(&previewText{fmt.Sprint("t", n), int64(n)}))
	case g.ids[4]:
		return g.w.valueAt(id, unsafe.Pointer(&previewNeedy{float32(n)}))
	case g.ids[5]:
		return g.w.valueAt(id, unsafe.Pointer(&previewShy{int16(n)}))
	case g.ids[6]:
		return g.w.valueAt(id, unsafe.Pointer(&previewWide{[2000]uint64{uint64(n)}}))
	default:
		return g.w.valueAt(id, nil)
	}
}

func (g *previewWorld) valueList() (list []Value) {
	for range g.r.IntN(4) {
		list = append(list, g.value())
	}
	return list
}

// record records one command.
func (g *previewWorld) record() {
	e, id := g.entity(), g.ids[g.r.IntN(len(g.ids))]
	what := ""
	switch k := g.r.IntN(12); k {
	case 0, 1:
		made := g.c.Spawn(g.valueList()...)
		g.all = append(g.all, made)
		what = fmt.Sprint("spawn ", made)
	case 2:
		g.c.Despawn(e)
		what = fmt.Sprint("despawn ", e)
	case 3, 4:
		g.c.Add(e, g.valueList()...)
		what = fmt.Sprint("add ", e)
	case 5:
		g.c.Remove(e, id)
		what = fmt.Sprint("remove ", e, id)
	case 6:
		g.c.Exchange(e, []ComponentID{id, g.ids[g.r.IntN(len(g.ids))]}, g.valueList()...)
		what = fmt.Sprint("exchange ", e, id)
	case 7:
		made := g.c.Copy(e, g.valueList()...)
		g.all = append(g.all, made)
		what = fmt.Sprint("copy ", e, made)
	case 8:
		g.c.Patch(e, g.ids[0], 8*uintptr(g.r.IntN(3)), []byte{1, 2, 3, 4, 5, 6, 7, byte(g.r.IntN(200))})
		what = fmt.Sprint("patch ", e)
	case 9:
		v := g.value()
		g.c.Merge(e, v, []Piece{})
		g.c.Assign(e, v, []Piece{})
		g.c.Merge(e, g.w.valueAt(g.ids[3], unsafe.Pointer(&previewText{"merged", 7})), []Piece{{Size: 16, Text: true}}[:g.r.IntN(2)])
		what = fmt.Sprint("merge ", e)
	case 10:
		g.c.Blend(e, g.ids[2], []byte{9, 9, 9, 9}, []byte{0, 1, 0, byte(g.r.IntN(2))})
		what = fmt.Sprint("blend ", e)
	default:
		r, to := g.relations[g.r.IntN(len(g.relations))], g.entity()
		g.c.Relate(r, e, to)
		what = fmt.Sprint("relate ", r.name, e, to)
	}
	g.log = append(g.log, what)
}

// answers writes down what somebody says about every entity.
func (g *previewWorld) answers(alive func(Entity) bool, at func(Entity, ComponentID) unsafe.Pointer, target func(*Relation, Entity) Entity, sources func(*Relation, Entity) []Entity) (list []string) {
	for _, e := range g.all {
		s := fmt.Sprint(e, " ", alive(e))
		for i, id := range g.ids {
			p := at(e, id)
			switch {
			case p == nil:
				s += " -"
			case i == 3:
				s += fmt.Sprint(" ", *(*previewText)(p))
			case i == 6:
				s += fmt.Sprint(" ", (*previewWide)(p).V[0])
			default:
				s += fmt.Sprintf(" %x", unsafe.Slice((*byte)(p), g.w.components[id].size))
			}
		}
		for _, r := range g.relations {
			s += fmt.Sprint(" ", target(r, e), sources(r, e))
		}
		list = append(list, s)
	}
	return list
}

func (g *previewWorld) previewed() []string {
	p := g.c.Preview()
	return g.answers(p.Alive, p.Pointer, p.Target, func(r *Relation, e Entity) []Entity { return slices.Collect(p.Sources(r, e)) })
}

func (g *previewWorld) real() []string {
	return g.answers(g.w.Alive, g.w.pointer, (*Relation).Target, func(r *Relation, e Entity) []Entity { return slices.Collect(r.Sources(e)) })
}

// TestPreviewIsWhatApplyMakes: random commands, and at random places a look, a rewind,
// and the end.
func TestPreviewIsWhatApplyMakes(t *testing.T) {
	testmain.OneGoroutine(t)
	for seed := range uint64(300) {
		g := newPreviewWorld(seed)
		for range 6 {
			g.round(t, seed)
		}
		if err := g.w.Check(); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if err := g.w.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

func (g *previewWorld) round(t *testing.T, seed uint64) {
	t.Helper()
	g.log = append(g.log, "-- round")
	before, mark, length, bytes := g.previewed(), g.c.Mark(), len(g.all), g.c.Bytes()
	for range g.r.IntN(12) {
		g.record()
		if g.r.IntN(4) == 0 {
			g.previewed()
			g.counted(t, seed)
		}
	}
	if g.r.IntN(4) == 0 {
		g.c.Rewind(mark)
		g.log = append(g.log, "rewind")
		g.all = g.all[:length]
		if now := g.previewed(); !slices.Equal(now, before) {
			t.Fatalf("seed %d, after rewind:\n%q\nwas\n%q\n%q", seed, now, before, g.log)
		}
		if now := g.c.Bytes(); now != bytes {
			t.Fatalf("seed %d, after rewind: %d bytes, were %d\n%q", seed, now, bytes, g.log)
		}
		for range g.r.IntN(8) {
			g.record()
		}
	}
	g.counted(t, seed)
	want := g.previewed()
	_ = g.c.Apply() // commands may be refused
	if got := g.real(); !slices.Equal(got, want) {
		for i := range got {
			if got[i] != want[i] {
				t.Fatalf("seed %d: the world is\n%s\nthe preview was\n%s\n%q", seed, got[i], want[i], g.log)
			}
		}
	}
}

// counted demands that the bytes of the commands have in them what the preview keeps.
func (g *previewWorld) counted(t *testing.T, seed uint64) {
	t.Helper()
	p, keeps := g.c.Preview(), 0
	for _, at := range p.parts {
		if info := g.w.components[at.id]; at.value != nil && info.size > smallValue {
			keeps += int(info.size)
		}
	}
	if got := g.c.large.bytes; got < keeps {
		t.Fatalf("seed %d: %d bytes count for the preview, which keeps %d\n%q", seed, got, keeps, g.log)
	}
}

// TestLargeValuesCountOnce: however often the fields of a large component are set, its
// value is copied once; and that counts though the preview was not asked for.
func TestLargeValuesCountOnce(t *testing.T) {
	w := open(t, Options{})
	wide := Register[previewWide](w)
	e := w.Spawn(wide.With(previewWide{}))
	c := w.NewCommands()
	before := 0
	for i := range 4 {
		c.Patch(e, wide.ID(), 8, make([]byte, 8))
		grown := c.Bytes() - before
		if large := grown >= 16000; large != (i == 0) {
			t.Errorf("the %d. patch of 8 bytes counts as %d bytes", i+1, grown)
		}
		before = c.Bytes()
	}
	c.Drop()
	if n := c.Bytes(); n != 0 || len(c.large.known) != 0 {
		t.Errorf("%d bytes after Drop", n)
	}
}

// TestPreviewLetsGo: values of a preview do not stay in memory when the commands
// are dropped, whether they have a page of their own or share one.
func TestPreviewLetsGo(t *testing.T) {
	w := open(t, Options{})
	small, err := w.define(Schema{Name: "Small", Fields: []Field{{Name: "list", Kind: F64, Len: 64}}}, false)
	must(t, err)
	large, err := w.define(Schema{Name: "Large", Fields: []Field{{Name: "list", Kind: F64, Len: 4096}}}, false)
	must(t, err)
	c := w.NewCommands()
	for range 2 * keptPages * pageWords / 64 {
		c.Spawn(w.valueAt(small, nil))
	}
	c.Spawn(w.valueAt(large, nil))
	p := c.Preview()
	if len(p.values.list) <= keptPages {
		t.Fatalf("%d pages", len(p.values.list))
	}
	c.Rewind(Mark{})
	if n := cap(p.values.list); n > keptPages {
		t.Errorf("%d pages stay", n)
	}
	for _, at := range p.parts[:cap(p.parts)] {
		if at.value != nil {
			t.Fatal("a value stays")
		}
	}
}
