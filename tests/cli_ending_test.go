//go:build unix

package tests_test

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// TestSignalsEndARun: Ctrl-C, a request to end and the end of the terminal are
// the same to a run.
func TestSignalsEndARun(t *testing.T) {
	t.Parallel()
	for _, sign := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		if signal.Ignored(sign) { // as under nohup: runs inherit that, and obey it
			t.Logf("%v is not tried: this process ignores it, and so would the run", sign)
			continue
		}
		s := startRun(t, map[string]string{"clock.lua": clock("tick")})
		s.await("tick 2")
		if err := s.cmd.Process.Signal(sign); err != nil {
			t.Fatal(err)
		}
		s.await("checksum")
		for range s.lines {
		}
		if err := s.cmd.Wait(); err != nil {
			t.Errorf("after %v: %v", sign, err)
		}
	}
}

// TestNohupIsObeyed: who has the signal ignored wants the run to go on.
func TestNohupIsObeyed(t *testing.T) {
	t.Parallel()
	s := newSession(t, map[string]string{"clock.lua": clock("tick")})
	s.cmd.Args = append([]string{"nohup"}, s.cmd.Args...)
	path, err := exec.LookPath("nohup")
	if err != nil {
		t.Skipf("needs nohup: %v", err)
	}
	s.cmd.Path = path
	s.start()
	s.await("tick 2")
	if err := s.cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	s.await("tick 6")
	s.end()
}

// TestASignalEndsALongTick: nine systems use up all instructions that there are,
// some seconds of them, when the signal comes. The tick is cut short, and the summary comes.
func TestASignalEndsALongTick(t *testing.T) {
	t.Parallel()
	script := `local ecs = require "ecs"
ecs.system "a" { run = function() ecs.log("it begins") while true do end end }
`
	for i := range 8 {
		script += fmt.Sprintf("ecs.system \"b%d\" { run = function() while true do end end }\n", i)
	}
	s := startRun(t, map[string]string{"long.lua": script})
	s.await("it begins")
	if err := s.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	s.await("checksum")
}

// TestASignalEndsARunThatNobodyReads: the pipe is full, so every line waits.
func TestASignalEndsARunThatNobodyReads(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	save(t, dir, "talk.lua", `require("ecs").system "talk" { run = function() require("ecs").log(("x"):rep(8000)) end }`)
	cmd := exec.Command(buildCLI(t), "run", dir, "--headless")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	for n := 0; n < 9000; { // it runs; what it says from now on fills the pipe
		read, err := out.Read(make([]byte, 9000-n))
		if err != nil {
			t.Fatal(err)
		}
		n += read
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if _, err := cmd.Process.Wait(); err != nil {
		t.Error(err)
	}
}

// everyCommand is a command line for each command that prints something, in a
// folder that has the starter project in it.
var everyCommand = [][]string{
	{"run", "game", "--headless", "--ticks", "3"},
	{"run", "game", "--headless", "--ticks", "3", "--json"},
	{"check", "game"},
	{"explain", "game/lamps.lua"},
	{"plan", "game"},
	{"plan", "game", "--detail"},
	{"lua", "-e", "print('a') print('b')"},
	{"new", "another"},
	{"bench", "--n", "10", "--rounds", "1", "--who", "go query"},
	{"bench", "--n", "10", "--rounds", "1", "--who", "go query", "--json"},
	{"version"},
	{"help"},
	{"run", "--help"},
}

func starter(t *testing.T, perigee string) string {
	t.Helper()
	dir := t.TempDir()
	cmd := exec.Command(perigee, "new", "game")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return dir
}

// TestAFullDiskIsAFailure: whoever cannot say what there is to say has failed.
func TestAFullDiskIsAFailure(t *testing.T) {
	t.Parallel()
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skipf("needs a device that is always full: %v", err)
	}
	defer full.Close()
	perigee := buildCLI(t)
	for _, args := range everyCommand {
		cmd := exec.Command(perigee, args...)
		var errs bytes.Buffer
		cmd.Dir, cmd.Stdout, cmd.Stderr = starter(t, perigee), full, &errs
		if err := cmd.Run(); err == nil || !strings.Contains(errs.String(), "no space left on device") || cmd.ProcessState.ExitCode() != 1 {
			t.Errorf("%q: %v, %s", args, err, &errs)
		}
	}
}

// TestAReaderThatStopsReading: "perigee plan | head -1" says nothing besides.
func TestAReaderThatStopsReading(t *testing.T) {
	t.Parallel()
	perigee := buildCLI(t)
	for _, args := range everyCommand {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(perigee, args...)
		var errs bytes.Buffer
		cmd.Dir, cmd.Stdout, cmd.Stderr = starter(t, perigee), w, &errs
		r.Close()
		err = cmd.Run()
		w.Close()
		logs := args[0] == "run" && args[len(args)-1] == "--json" // what scripts log is for standard error then
		if errs.Len() > 0 && !logs {
			t.Errorf("%q: %v, %s", args, err, &errs)
		}
	}
}

// TestFirstRunsAtOnce: whoever is first makes the copy of the demo, and all run
// the whole of it.
func TestFirstRunsAtOnce(t *testing.T) {
	t.Parallel()
	perigee := buildCLI(t)
	for _, before := range []string{"", "perigee-demo"} { // an empty folder may be there
		dir := t.TempDir()
		if before != "" {
			if err := os.Mkdir(filepath.Join(dir, before), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		var all sync.WaitGroup
		var sums sync.Map
		for range 6 {
			all.Go(func() {
				cmd := exec.Command(perigee, "run", "--headless", "--ticks", "2")
				cmd.Dir = dir
				out, err := cmd.CombinedOutput()
				if err != nil {
					t.Errorf("%v: %s", err, out)
				}
				_, sum, _ := strings.Cut(string(out), "checksum ")
				sum, _, _ = strings.Cut(sum, "\n") // what follows has times
				sums.Store(sum, string(out))
			})
		}
		all.Wait()
		n := 0
		sums.Range(func(_, _ any) bool { n++; return true })
		if n != 1 {
			t.Errorf("%d different games ran", n)
		}
		if left, _ := filepath.Glob(filepath.Join(dir, ".perigee*")); left != nil {
			t.Errorf("left behind: %q", left)
		}
	}
}

// TestStandardInputIsRead: a script from a pipe that never ends is refused, not
// read to its end.
func TestStandardInputIsRead(t *testing.T) {
	t.Parallel()
	cmd := exec.Command(buildCLI(t), "lua", "-")
	r, w := io.Pipe()
	cmd.Stdin = r
	go func() {
		for {
			if _, err := w.Write(bytes.Repeat([]byte("-- \n"), 1<<14)); err != nil {
				return
			}
		}
	}()
	defer r.Close()
	if out, err := cmd.CombinedOutput(); err == nil {
		t.Errorf("an endless script ran: %s", out)
	}
}
