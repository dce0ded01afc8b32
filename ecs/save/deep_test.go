package save_test

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/save"
	"github.com/perigee-ecs/perigee/ecs/snapshot"
)

// TestDeepTreesComeBack: a tree that has become deeper than ecs.MaxDepth, since its top got a parent again and
// again, is saved and loaded, and goes on as the one that was saved.
func TestDeepTreesComeBack(t *testing.T) {
	const n = 3000
	s := declare(t, 3)
	bottom := s.Spawn()
	top := bottom
	for range n {
		e := s.Spawn()
		must(t, s.SetParent(top, e))
		top = e
	}
	text := s.text(t, save.Options{})
	w := declare(t, 3)
	_, err := load(w.World, text, save.LoadOptions{})
	must(t, err)
	must(t, w.Check())
	if got := w.ChildOf().Depth(bottom); got != n || w.Checksum() != s.Checksum() {
		t.Errorf("%d ancestors, want %d; or another checksum", got, n)
	}
	f, err := save.Open(bytes.NewReader(text), int64(len(text)))
	must(t, err)
	alone, _, err := f.World(ecs.Options{MaxBytes: 16 << 20})
	must(t, err)
	defer alone.Close()
	if got := alone.ChildOf().Depth(bottom); got != n {
		t.Errorf("without the program: %d ancestors, want %d", got, n)
	}
	must(t, alone.Check())
	kept, err := snapshot.Capture(w.World)
	must(t, err)
	must(t, w.Despawn(top))
	if w.Len() != 0 {
		t.Errorf("%d entities outlived their ancestor", w.Len())
	}
	must(t, snapshot.Restore(w.World, kept))
	for _, o := range []*sample{s, w} {
		if err := o.SetParent(o.Spawn(), bottom); !errors.Is(err, ecs.ErrRange) {
			t.Errorf("a child of the deepest: %v", err)
		}
		must(t, o.SetParent(top, o.Spawn()))
	}
	if w.Checksum() != s.Checksum() {
		t.Error("it goes on otherwise")
	}
	must(t, w.Check())
}

// TestForgedCircles: random links, of which some are forests and others go round, are loaded as those of the
// hierarchy. Those that go round are refused by name, the others are loaded.
func TestForgedCircles(t *testing.T) {
	w, loaded, refused := declare(t, 3), 0, 0
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 9))
		s := declare(t, 3)
		follows := s.Raw().RelationNamed("Follows")
		all := make([]ecs.Entity, 2+r.IntN(30))
		for i := range all {
			if all[i] = s.Spawn(); i > 0 && r.IntN(8) > 0 {
				must(t, follows.Set(all[i], all[r.IntN(i)]))
			}
		}
		for range r.IntN(5) {
			must(t, follows.Set(all[r.IntN(len(all))], all[r.IntN(len(all))]))
		}
		circle := false
		for _, e := range all {
			steps := 0
			for ; e != 0 && steps <= len(all); steps++ {
				e = follows.Target(e)
			}
			circle = circle || e != 0
		}
		text := forge(t, s.text(t, save.Options{}), func(_ string, data []byte) []byte {
			for _, swap := range [][2]string{{"Follows", "-------"}, {"ChildOf", "Follows"}, {"-------", "ChildOf"}} {
				data = bytes.ReplaceAll(data, []byte(swap[0]), []byte(swap[1]))
			}
			return data
		})
		_, err := load(w.World, text, save.LoadOptions{})
		switch {
		case circle && errors.Is(err, ecs.ErrConflict) && strings.Contains(err.Error(), `relation "ChildOf"`) && strings.Contains(err.Error(), "go round"):
			refused++
		case !circle && err == nil:
			loaded++
			for _, e := range all {
				if w.Parent(e) != follows.Target(e) {
					t.Fatalf("seed %d: %v has the parent %v, want %v", seed, e, w.Parent(e), follows.Target(e))
				}
			}
		default:
			t.Fatalf("seed %d: a circle: %v; %v", seed, circle, fmt.Sprint(err))
		}
		must(t, w.Check())
		must(t, s.Close())
	}
	if loaded < 30 || refused < 30 {
		t.Errorf("%d loaded, %d refused", loaded, refused)
	}
}
