package game

import (
	"flag"
	"io"
	"io/fs"
	"log/slog"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/perigee-ecs/perigee/scripting"
	"github.com/perigee-ecs/perigee/scripts"
)

// The long run is a million ticks:
//
//	go test ./cmd/internal/game -run TestReloadSoak -soak.ticks 1000000 -timeout 1h
var (
	soakTicks = flag.Int("soak.ticks", 3000, "ticks of the soak of reloads")
	soakSeed  = flag.Uint64("soak.seed", 1, "where its saves start from")
)

// The soak plays with few entities, which keeps a tick at some tens of microseconds.
const (
	full = "population = 10000"
	few  = "population = 60"
)

// soaked is a demo game whose files are saved while it runs.
type soaked struct {
	*Game
	files          fstest.MapFS
	taken, refused int // verdicts; kept, they would look like a leak
	last           scripting.Reload
	faults         []string
}

func newSoaked(t testing.TB, texts map[string]string) *soaked {
	t.Helper()
	s := &soaked{files: fstest.MapFS{}}
	for name, text := range texts {
		s.files[name] = &fstest.MapFile{Data: []byte(text)}
	}
	g, err := New(Options{
		Seed: 1, Tag: 9, Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
		// What the clock or other programs decide would make the two differ.
		Limits: scripting.Limits{Time: -1},
		OnReload: func(r scripting.Reload) {
			s.last = r
			if r.Err == nil {
				s.taken++
			} else {
				s.refused++
			}
		},
		OnError: func(e *scripting.Error) { s.faults = append(s.faults, e.Detail()) },
	})
	if err != nil {
		t.Fatal(err)
	}
	s.Game = g
	t.Cleanup(func() { g.Close() })
	if err := g.Load(s.files); err != nil {
		t.Fatal(err)
	}
	return s
}

// save writes a file and announces it, as the watcher does.
func (s *soaked) save(name, text string) {
	s.files[name] = &fstest.MapFile{Data: []byte(text)}
	s.host.Stage([]string{name}, nil)
}

// spoil makes a text that must be refused, whatever the file.
func spoil(r *rand.Rand, text string) string {
	switch r.IntN(8) {
	case 0:
		return text[:len(text)/2] + "\nif"
	case 1:
		return text + "\n)"
	case 2:
		return "error('no')\n" + text
	case 3:
		return "local ecs = require 'ecs' ecs.system 'spoilt' { after = 'nowhere', run = function() end }\n" + text
	case 4:
		if r.IntN(500) > 0 { // a loop without end takes half a second each time
			return "local t = {}\nt.x.y = 1\n" + text
		}
		return "while true do end\n" + text
	case 5:
		return "require 'nowhere'\n" + text
	case 6:
		return "require('ecs').state('director').wave = 99 unknown_name()\n" + text
	default:
		return "local ecs = require 'ecs' ecs.component('Position', { x = ecs.u8() })\n" + text
	}
}

// TestReloadSoak plays the demo game twice, tick by tick: both get the same good
// saves, one of them bad ones besides. They must not differ in a byte.
func TestReloadSoak(t *testing.T) {
	texts, names := soakTexts(t)
	plain, spoilt := newSoaked(t, texts), newSoaked(t, texts)
	r := rand.New(rand.NewPCG(*soakSeed, 5))
	t.Logf("%d ticks, -soak.seed %d", *soakTicks, *soakSeed)
	mend, mendAt, good, bad := "", 0, 0, 0
	var memory []uint64
	goroutines := runtime.NumGoroutine()
	for tick := range *soakTicks {
		switch {
		case mend != "" && tick == mendAt:
			plain.save(mend, texts[mend])
			spoilt.save(mend, texts[mend])
			mend = ""
			good++
		case mend == "" && r.IntN(40) == 0:
			mend, mendAt = names[r.IntN(len(names))], tick+1+r.IntN(20)
			spoilt.save(mend, spoil(r, texts[mend]))
			bad++
		case mend == "" && r.IntN(40) == 0:
			name := names[r.IntN(len(names))]
			plain.save(name, texts[name]+"\n-- saved")
			spoilt.save(name, texts[name]+"\n-- saved")
			good++
		}
		plain.tick(t.Context(), 1.0/60)
		spoilt.tick(t.Context(), 1.0/60)
		if tick%1000 == 999 || tick+1 == *soakTicks {
			comparePlays(t, tick, plain, spoilt)
		}
		if tick%max(*soakTicks/10, 1) == 0 {
			memory = append(memory, settledHeap())
		}
	}
	checkVerdicts(t, plain, good, 0)
	checkVerdicts(t, spoilt, good, bad)
	// The first tenth fills buffers; after it, nothing may pile up.
	first, last := memory[1], settledHeap()
	t.Logf("%d good saves, %d bad ones; heap %d KiB, at the end %d KiB, of each tenth %v", good, bad, first>>10, last>>10, memory)
	if last > first+first/4+4<<20 {
		t.Errorf("the heap grew from %d to %d bytes", first, last)
	}
	if n := runtime.NumGoroutine(); n > goroutines {
		t.Errorf("%d goroutines, were %d", n, goroutines)
	}
}

// TestRefusedSavesBesideTicks saves spoilt files on a goroutine of its own, as a watcher does,
// while the game runs: what is tried beside a tick must not reach it. The race detector has
// the same question.
func TestRefusedSavesBesideTicks(t *testing.T) {
	const ticks = 400
	texts, names := soakTexts(t)
	plain, spoilt := newSoaked(t, texts), newSoaked(t, texts)
	r := rand.New(rand.NewPCG(*soakSeed, 6))
	t.Logf("-soak.seed %d", *soakSeed)
	// A set that is taken has what dry runs know of the game copied anew, now that it has run.
	for _, s := range []*soaked{plain, spoilt} {
		s.tick(t.Context(), 1.0/60)
		s.save("pilot.lua", texts["pilot.lua"]+"\n-- saved")
		s.tick(t.Context(), 1.0/60)
	}
	played, saved := make(chan struct{}), make(chan int)
	go func() {
		for n := 0; ; n++ {
			select {
			case <-played:
				saved <- n
				return
			default:
				name := names[r.IntN(len(names))]
				spoilt.save(name, spoil(r, texts[name]))
			}
		}
	}()
	for range ticks {
		plain.tick(t.Context(), 1.0/60)
		spoilt.tick(t.Context(), 1.0/60)
	}
	close(played)
	t.Logf("%d saves beside %d ticks, %d refused", <-saved, ticks, spoilt.refused)
	comparePlays(t, ticks, plain, spoilt)
	if spoilt.taken != plain.taken || spoilt.refused == 0 {
		t.Errorf("%d saves taken, %d refused", spoilt.taken, spoilt.refused)
	}
}

// soakTexts returns the demo's scripts with fewer entities, and their names.
func soakTexts(t testing.TB) (texts map[string]string, names []string) {
	texts = map[string]string{}
	err := fs.WalkDir(scripts.Demo(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(scripts.Demo(), name)
		texts[name] = string(text)
		names = append(names, name)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(texts["director.lua"], full) {
		t.Fatalf("director.lua has no %q", full)
	}
	texts["director.lua"] = strings.Replace(texts["director.lua"], full, few, 1)
	return texts, names
}

// fullPopulation is director.lua as it is shipped.
func fullPopulation(text string) string { return strings.Replace(text, few, full, 1) }

func comparePlays(t *testing.T, tick int, plain, spoilt *soaked) {
	t.Helper()
	for _, s := range []*soaked{plain, spoilt} {
		if err := s.world.Check(); err != nil {
			t.Fatalf("tick %d: %v", tick, err)
		}
		if len(s.faults) > 0 {
			t.Fatalf("tick %d: %s", tick, s.faults[0])
		}
	}
	if plain.world.Checksum() != spoilt.world.Checksum() {
		t.Fatalf("tick %d: saves that were refused have changed the game", tick)
	}
}

// checkVerdicts demands one verdict for each save.
func checkVerdicts(t *testing.T, s *soaked, good, bad int) {
	t.Helper()
	if s.taken != good || s.refused != bad {
		t.Errorf("%d saves taken, %d refused; want %d, %d", s.taken, s.refused, good, bad)
	}
}

func settledHeap() uint64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
