package tests_test

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// commandFolder is where the perigee command is built; TestMain makes and removes it.
var commandFolder string

// build builds the perigee command, once for all tests. It has no profile: with it all
// packages would be compiled once more.
var build = sync.OnceValues(func() (string, error) {
	dir := commandFolder + string(os.PathSeparator) // go build adds .exe where that is needed
	if out, err := exec.Command("go", "build", "-pgo=off", "-o", dir, "../cmd/perigee").CombinedOutput(); err != nil {
		return "", fmt.Errorf("%v\n%s", err, out)
	}
	return dir + "perigee", nil
})

// buildCLI returns the path of the perigee command.
func buildCLI(t *testing.T) string {
	t.Helper()
	path, err := build()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// session is a perigee command that is running.
type session struct {
	t     *testing.T
	cmd   *exec.Cmd
	lines chan string
	dir   string
}

// startRun writes the scripts into a folder and runs it. Tests wait for lines,
// without a limit of their own: go test has one.
func startRun(t *testing.T, scripts map[string]string, flags ...string) *session {
	t.Helper()
	s := newSession(t, scripts, flags...)
	s.start()
	return s
}

// newSession makes a command that is still to be started.
func newSession(t *testing.T, scripts map[string]string, flags ...string) *session {
	t.Helper()
	s := &session{t: t, dir: t.TempDir(), lines: make(chan string, 1<<16)}
	for name, text := range scripts {
		s.save(name, text)
	}
	s.cmd = exec.Command(buildCLI(t), append([]string{"run", s.dir, "--headless"}, flags...)...)
	return s
}

func (s *session) start() {
	s.t.Helper()
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	s.cmd.Stderr = s.cmd.Stdout
	if err := s.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { s.cmd.Process.Kill() })
	go func() {
		defer close(s.lines)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			s.lines <- lines.Text()
		}
	}()
}

// await reads lines until one has the text in it, and returns that.
func (s *session) await(text string) string {
	s.t.Helper()
	var seen []string
	for line := range s.lines {
		if strings.Contains(line, text) {
			return line
		}
		seen = append(seen, line)
	}
	s.t.Fatalf("no line with %q, but\n%s", text, strings.Join(seen, "\n"))
	return ""
}

// save writes in place, as vim with backupcopy=yes and many others do.
func (s *session) save(name, text string) {
	s.t.Helper()
	if err := os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

// replace writes another file and renames it, as most editors do.
func (s *session) replace(name, text string) {
	s.t.Helper()
	s.save(name+".tmp", text)
	if err := os.Rename(filepath.Join(s.dir, name+".tmp"), filepath.Join(s.dir, name)); err != nil {
		s.t.Fatal(err)
	}
}

// end presses Ctrl-C and demands that the command ends well.
func (s *session) end() {
	s.t.Helper()
	if runtime.GOOS == "windows" {
		return // where one program cannot press it for another
	}
	if err := s.cmd.Process.Signal(os.Interrupt); err != nil {
		s.t.Fatal(err)
	}
	s.await("checksum")
	for range s.lines { // to the end: Wait closes the pipe
	}
	if err := s.cmd.Wait(); err != nil {
		s.t.Errorf("after Ctrl-C: %v", err)
	}
}

// clock says a word ten times a second, and how often it has done so.
func clock(word string) string {
	return fmt.Sprintf(`
local ecs = require "ecs"
local state = ecs.state("clock", { n = 0 })
ecs.system "clock" {
  every = 0.1,
  run = function()
    state.n = state.n + 1
    ecs.log("%s", state.n)
  end,
}
`, word)
}

func TestEditWhileRunning(t *testing.T) {
	t.Parallel()
	s := startRun(t, map[string]string{"clock.lua": clock("tick")})
	s.await("clock.lua:8: tick 3")
	for _, w := range []struct {
		word string
		save func(name, text string)
	}{
		{"in place", s.save}, {"by renaming", s.replace}, {"in place again", s.save}, {"by renaming again", s.replace},
	} {
		saved := time.Now()
		w.save("clock.lua", clock(w.word))
		s.await("reload ok: 1 file, 1 system changed")
		line := s.await(w.word)
		t.Logf("%s: seen %v after the save, up to 100 ms of it the interval: %s", w.word, time.Since(saved).Round(time.Millisecond), line)
		if strings.HasSuffix(line, " 1") {
			t.Errorf("the state was lost: %s", line)
		}
	}
	s.end()
}

func TestBrokenSaveKeepsTheOldBehaviour(t *testing.T) {
	t.Parallel()
	s := startRun(t, map[string]string{"clock.lua": clock("tick")})
	s.await("tick 2")
	s.save("clock.lua", "local x = = 1")
	s.await(`reload refused: clock.lua:1:11: expected an expression, found "="`)
	s.await("tick ")
	s.await("tick ")
	s.save("clock.lua", clock("tock"))
	s.await("reload ok")
	s.await("tock ")
	s.end()
}

func TestFilesComeAndGoWhileRunning(t *testing.T) {
	t.Parallel()
	s := startRun(t, map[string]string{"clock.lua": clock("tick")})
	s.await("tick 2")
	s.replace("second.lua", strings.ReplaceAll(clock("second"), `"clock"`, `"second"`))
	s.await("reload ok")
	s.await("second 1")
	if err := os.Remove(filepath.Join(s.dir, "clock.lua")); err != nil {
		t.Fatal(err)
	}
	s.await("reload ok")
	for range 5 {
		if line := s.await(".lua:8:"); strings.Contains(line, "tick") {
			t.Errorf("a system of a file that is gone: %s", line)
		}
	}
	s.end()
}

// TestDataFilesReloadWhileRunning: a data file that is saved is taken over as a script is, and a
// broken one is refused with the place in it.
func TestDataFilesReloadWhileRunning(t *testing.T) {
	t.Parallel()
	s := startRun(t, map[string]string{"words.json": `{ "word": "tick" }`, "waves.csv": "id,n\na,1\n",
		"clock.lua": strings.Replace(strings.Replace(clock("%s"), `ecs.log("%s",`, `ecs.log(words.word .. waves.a.n,`, 1),
			"local state", "local words, waves = ecs.data(\"words.json\"), ecs.data(\"waves.csv\", { key = \"id\" })\nlocal state", 1)})
	s.await("tick1 2")
	s.save("words.json", `{ "word": "tock", }`)
	s.await("reload refused: words.json:1:17: no comma may stand before the closing } in JSON")
	s.await("tick1 ")
	s.replace("words.json", `{ "word": "tock" }`)
	s.await("reload ok")
	if line := s.await("tock1 "); strings.HasSuffix(line, " 1") {
		t.Errorf("the state was lost: %s", line)
	}
	s.save("waves.csv", "id,n\na,2\n")
	s.await("tock2 ")
	s.end()
}

func TestPollingSeesSaves(t *testing.T) {
	t.Parallel()
	s := startRun(t, map[string]string{"clock.lua": clock("tick")}, "--poll")
	s.await("tick 2")
	s.save("clock.lua", clock("polled"))
	s.await("reload ok")
	s.await("polled ")
	s.end()
}
