package save_test

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/codec"
	"github.com/perigee-ecs/perigee/ecs/save"
)

// The same component in three versions of a program: as it was, with a field less and one more, and with a field that is
// called otherwise.
type (
	packOld struct {
		Items map[string]int32
		Names []string
	}
	packLess struct {
		Items map[string]int64
		Extra []int
	}
	packOther struct {
		Items  map[string]int32
		Labels []string
	}
)

func (p packOld) Clone() packOld     { return packOld{maps.Clone(p.Items), slices.Clone(p.Names)} }
func (p packLess) Clone() packLess   { return packLess{maps.Clone(p.Items), slices.Clone(p.Extra)} }
func (p packOther) Clone() packOther { return packOther{maps.Clone(p.Items), slices.Clone(p.Labels)} }

func (p packOther) MarshalText() ([]byte, error) { return []byte("as it is written now"), nil }

func (p *packOther) UnmarshalText(text []byte) error {
	var old packOld
	err := codec.FromPlain(text, &old)
	p.Items, p.Labels = old.Items, old.Names
	return err
}

// TestGoTypesThatHaveChanged: fields of a type that needs no codec are found by name. One that is gone is a loss, which is
// refused with its name, and not damage. A type with other names reads the old ones itself.
func TestGoTypesThatHaveChanged(t *testing.T) {
	open := func() *ecs.World {
		w, err := ecs.Open(ecs.Options{Tag: 3, MaxBytes: 16 << 20})
		must(t, err)
		t.Cleanup(func() { w.Close() })
		return w
	}
	from := open()
	old := ecs.Register[packOld](from, ecs.Named("Pack"))
	e := from.Spawn(old.With(packOld{map[string]int32{"wood": 5}, []string{"a", "b"}}))
	from.Spawn(old.With(packOld{}))
	f := opened(t, from)

	w := open()
	less := ecs.Register[packLess](w, ecs.Named("Pack"))
	if _, err := f.Load(w, save.LoadOptions{}); !errors.Is(err, save.ErrLoss) || errors.Is(err, save.ErrDamaged) || !strings.Contains(err.Error(), "packLess.Names is gone") {
		t.Error(err)
	}
	report, err := f.Load(w, save.LoadOptions{Lose: true})
	must(t, err)
	if lost := report.Changes; len(lost) != 1 || lost[0].Entities != 2 || !lost[0].Lost {
		t.Errorf("%+v", lost)
	}
	if p, _ := less.Get(e); p.Items["wood"] != 5 || p.Extra != nil {
		t.Error(p)
	}

	w = open()
	other := ecs.Register[packOther](w, ecs.Named("Pack"))
	_, err = f.Load(w, save.LoadOptions{})
	must(t, err)
	if p, _ := other.Get(e); p.Items["wood"] != 5 || !slices.Equal(p.Labels, []string{"a", "b"}) {
		t.Error(p)
	}

	w = open()
	ecs.Register[packOld](w, ecs.Named("Pack"))
	bytes := codec.Of(func(packOld) ([]byte, error) { return nil, nil }, func([]byte) (packOld, error) { return packOld{}, nil })
	if _, err = f.Load(w, save.LoadOptions{Codecs: []codec.Codec{bytes}}); !errors.Is(err, ecs.ErrConflict) || !strings.Contains(err.Error(), "as text, and its codec here reads bytes") {
		t.Error(err)
	}
}
