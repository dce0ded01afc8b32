package record_test

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting/record"
)

// small is a short recording with something of everything.
func small(t testing.TB, ticks uint64) []byte {
	g := newGame(t, setting{workers: 1, noKernels: true, seed: 5})
	g.load(`local ecs = require "ecs" local P = ecs.native("Place") local S = ecs.state("s", {})
ecs.on_start(function() ecs.spawn(P) end) ecs.system "a" { query = { P }, each = function(e, p) p.x = p.x + 1 end }`)
	var file bytes.Buffer
	rec, err := g.s.Record(&file, record.Options{Meta: map[string]string{"a": "b"}})
	must(t, err)
	for tick := range ticks {
		if tick == 2 {
			g.save("b.lua", "-- nothing")
		}
		must(t, g.move.Post(1, Move{DX: 1}))
		must(t, g.hit.Emit(2, Hit{3}))
		must(t, g.s.Step(0.02))
	}
	must(t, rec.Close())
	return file.Bytes()
}

// readAll opens what may be damaged, and reads all of it. It returns how many ticks are good.
func readAll(t testing.TB, data []byte) (ticks uint64, err error) {
	t.Helper()
	r, err := record.Open(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		if !errors.Is(err, record.ErrDamaged) {
			t.Fatalf("an error without a name: %v", err)
		}
		return 0, err
	}
	start, last := r.Range()
	if d := r.Damage(); d != nil {
		if !errors.Is(d, record.ErrDamaged) || d.Last != last || d.At > int64(len(data)) {
			t.Fatalf("%v of %d bytes", d, len(data))
		}
		return last - start, d
	}
	return last - start, nil
}

// TestEachDamageIsSaid: each truncation, and each flipped bit, of a recording gives an error, or fewer
// ticks with the reason.
func TestEachDamageIsSaid(t *testing.T) {
	data := small(t, 5)
	if n, err := readAll(t, data); n != 5 || err != nil {
		t.Fatal(n, err)
	}
	most := uint64(0)
	for i := range data {
		n, err := readAll(t, data[:i])
		if err == nil {
			t.Fatalf("the first %d of %d bytes are whole", i, len(data))
		}
		if most = max(most, n); n < most || n > 5 {
			t.Fatalf("the first %d bytes have %d ticks, fewer than before", i, n)
		}
	}
	if most != 5 {
		t.Errorf("cut off, it has %d ticks at most", most)
	}
	for i := range data {
		for bit := range 8 {
			damaged := bytes.Clone(data)
			damaged[i] ^= 1 << bit
			if n, err := readAll(t, damaged); err == nil || n > 5 {
				t.Fatalf("bit %d of byte %d: %d ticks, %v", bit, i, n, err)
			}
		}
	}
}

// TestRandomDamages: pieces of recordings that are lost, doubled, moved, exchanged with others, or overwritten.
func TestRandomDamages(t *testing.T) {
	a, b := small(t, 30), small(t, 12)
	seed := seeds(t)
	r := rand.New(rand.NewPCG(seed, 6))
	for range 20_000 {
		damaged := bytes.Clone(a)
		i, n := r.IntN(len(a)), 1+r.IntN(40)
		end := min(i+n, len(a))
		switch r.IntN(5) {
		case 0: // lost
			damaged = append(damaged[:i], a[end:]...)
		case 1: // doubled
			damaged = append(append(damaged[:end:end], a[i:end]...), a[end:]...)
		case 2: // another recording's
			copy(damaged[i:end], b[r.IntN(len(b)):])
		case 3:
			for k := range damaged[i:end] {
				damaged[i+k] = byte(r.Uint32())
			}
		case 4: // frames of one after those of the other
			damaged = append(damaged[:i:i], b[r.IntN(len(b)):]...)
		}
		if bytes.Equal(damaged, a) || bytes.Equal(damaged, b) {
			continue
		}
		if ticks, err := readAll(t, damaged); err == nil || ticks > 30 {
			t.Fatalf("%d ticks, %v", ticks, err)
		}
	}
}

// TestDamagedRecordingsArePlayedAsFarAsTheyGo.
func TestDamagedRecordingsArePlayedAsFarAsTheyGo(t *testing.T) {
	data := small(t, 30)
	data = data[:len(data)*2/3]
	r, err := record.Open(bytes.NewReader(data), int64(len(data)))
	must(t, err)
	_, last := r.Range()
	if last < 5 || last > 28 || r.Damage() == nil || !strings.Contains(r.Damage().Error(), "cut off") {
		t.Fatal(last, r.Damage())
	}
	g := newGame(t, setting{workers: 1, seed: 5})
	p, err := r.Play(g.s, record.PlayOptions{})
	must(t, err)
	if d, err := p.Bisect(t.Context(), 0); d != nil || err != nil || p.Tick() != last {
		t.Fatal(d, err, p.Tick())
	}
}

// TestOtherGamesAreRefused: each says what is not the same.
func TestOtherGamesAreRefused(t *testing.T) {
	data := small(t, 3)
	for want, other := range map[string]func(*game) error{
		"the seed is 6, recorded was 5": nil,
		"the declared inputs are": func(g *game) error {
			_, err := record.Command(g.s, "more", func(*ecs.Tick, uint64, bool) error { return nil })
			return err
		},
		"before the first tick": func(g *game) error {
			g.world.Spawn(ecs.Register[place](g.world, ecs.Named("Place")).With(place{1, 2}))
			return nil
		},
	} {
		o := setting{workers: 1, seed: 5}
		if other == nil {
			o.seed = 6
		}
		g := newGame(t, o)
		if other != nil {
			must(t, other(g))
		}
		_, err := open(t, data).Play(g.s, record.PlayOptions{})
		if !errors.Is(err, record.ErrDiffers) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// FuzzOpen reads what anybody may have written, and plays it as far as it goes.
func FuzzOpen(f *testing.F) {
	data := small(f, 4)
	f.Add(data)
	f.Add(data[:len(data)/2])
	f.Fuzz(func(t *testing.T, data []byte) {
		repaired := record.Repair(data)
		r, err := record.Open(bytes.NewReader(repaired), int64(len(repaired)))
		if err != nil {
			return
		}
		start, last := r.Range()
		g := newGame(t, setting{workers: 1, noKernels: true, seed: r.Header().Seed})
		p, err := r.Play(g.s, record.PlayOptions{})
		for n := start; err == nil && n < min(last, start+20); n++ {
			if g.world.Len() > 10_000 {
				return
			}
			_, err = p.Step()
		}
	})
}
