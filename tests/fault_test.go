package tests_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/perigee-ecs/perigee/ecs"
)

// What may befall the folder of a game that runs: each of these tests lets it
// happen to the command itself, demands that the game goes on and that somebody
// is told, mends it, and demands that the next save is taken.

// mend saves a good text under a name that follows the mishap.
func (s *session) mend(name, word string) {
	s.t.Helper()
	s.save(name, clock(word))
	s.await("reload ok")
	s.await(word + " ")
	s.end()
}

func TestSaveCutInHalf(t *testing.T) {
	t.Parallel()
	s := startRun(t, map[string]string{"clock.lua": clock("tick")})
	s.await("tick 2")
	whole := clock("whole")
	s.save("clock.lua", whole[:strings.Index(whole, "ecs.log")])
	s.await("reload refused: clock.lua:")
	s.await("tick ")
	s.save("clock.lua", whole)
	s.await("reload ok: 1 file, 1 system changed")
	s.await("whole ")
	s.mend("clock.lua", "after")
}

// The last one of many saves counts; nobody has to sit through all of them.
func TestThousandSavesWhileRunning(t *testing.T) {
	t.Parallel()
	s := startRun(t, map[string]string{"clock.lua": clock("tick")})
	s.await("tick 2")
	for i := range 1000 {
		s.save("clock.lua", clock(fmt.Sprint("word", i)))
	}
	reloads := 1
	s.await("reload ok")
	for line := range s.lines {
		if strings.Contains(line, "word999 ") {
			break
		}
		if strings.Contains(line, "reload") {
			reloads++
		}
		if strings.Contains(line, "refused") {
			t.Fatal(line)
		}
	}
	if reloads > 100 {
		t.Errorf("%d reloads", reloads)
	}
	s.mend("clock.lua", "after")
}

func TestFileReplacedByWhatIsNone(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct {
		put  func(path string) error
		told string
	}{
		"folder":       {func(path string) error { return os.Mkdir(path, 0o755) }, "a folder"},
		"link to self": {func(path string) error { return os.Symlink(path, path) }, "too many levels"},
		"huge file": {func(path string) error {
			if err := os.WriteFile(path, nil, 0o644); err != nil {
				return err
			}
			return os.Truncate(path, 100<<20)
		}, "more than the limit"},
	} {
		t.Run(what, func(t *testing.T) {
			s := startRun(t, map[string]string{"clock.lua": clock("tick")})
			s.await("tick 2")
			path := filepath.Join(s.dir, "clock.lua")
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			if err := c.put(path); err != nil {
				t.Skip("not possible here: ", err)
			}
			t.Log(s.await(c.told))
			s.await("tick ") // the old version goes on
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			s.mend("clock.lua", "after")
		})
	}
}

func TestWatchedFolderDeletedAndCreatedAgain(t *testing.T) {
	t.Parallel()
	s := startRun(t, map[string]string{"clock.lua": clock("tick")})
	s.await("tick 2")
	if err := os.RemoveAll(s.dir); err != nil {
		t.Fatal(err)
	}
	s.await("tick ")
	if err := os.Mkdir(s.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	s.mend("clock.lua", "after")
}

// A Go system that panics is parked; the scripts beside it miss no tick.
func TestGoSystemPanicsBesideScripts(t *testing.T) {
	g := newPlayground(t)
	err := g.host.World().Schedule().Add(ecs.System{Name: "go.panics", Phase: ecs.Logic, Run: func(*ecs.Tick) error { panic("help") }})
	if err != nil {
		t.Fatal(err)
	}
	g.files["clock.lua"] = &fstest.MapFile{Data: []byte(`local ecs = require "ecs"
ecs.system "before" { phase = "input", run = function() ecs.log("a") end }
ecs.system "after" { phase = "render", run = function() ecs.log("b") end }`)}
	g.load(t)
	for range 40 {
		_ = g.host.Step(1.0 / 60)
	}
	if got := strings.Join(g.logs, ""); got != strings.Repeat("ab", 40) {
		t.Errorf("logged %s", got)
	}
	if health, _ := g.host.World().Schedule().Health("go.panics"); health != ecs.Parked {
		t.Errorf("the system is %v", health)
	}
	if err := g.host.World().Check(); err != nil {
		t.Error(err)
	}
}
