//go:build linux

package tests_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// smallDisk mounts a disk that has room for next to nothing.
func smallDisk(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=8k", "tmpfs", dir).CombinedOutput(); err != nil {
		t.Skipf("a small disk cannot be mounted here: %v: %s", err, out)
	}
	t.Cleanup(func() {
		if out, err := exec.Command("umount", dir).CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
	})
	return dir
}

// runCommand runs perigee to its end.
func runCommand(t *testing.T, args ...string) (string, error) {
	t.Helper()
	out, err := exec.Command(buildCLI(t), args...).CombinedOutput()
	return string(out), err
}

// A disk that is full leaves no half of a project.
func TestDiskFullWhileANewProjectIsWritten(t *testing.T) {
	disk := smallDisk(t)
	dir := filepath.Join(disk, "game")
	out, err := runCommand(t, "new", dir)
	if err == nil || !strings.Contains(out, "no space left") {
		t.Fatalf("%v\n%s", err, out)
	}
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder: %v", err)
	}
}

// A script of somebody else's that may not be read is told of; the old version
// goes on. Root may read everything, so the command runs as somebody else then.
func TestPermissionLostWhileRunning(t *testing.T) {
	t.Parallel()
	s := newSession(t, map[string]string{"clock.lua": clock("tick")})
	if os.Getuid() == 0 {
		for _, path := range []string{s.dir, filepath.Join(s.dir, "clock.lua")} {
			if err := os.Chown(path, 65534, 65534); err != nil {
				t.Skip("nobody else to run as: ", err)
			}
		}
		for dir := s.dir; dir != "/"; dir = filepath.Dir(dir) {
			openTo(t, dir)
		}
		openTo(t, filepath.Dir(s.cmd.Path))
		openTo(t, filepath.Dir(filepath.Dir(s.cmd.Path)))
		s.cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	}
	s.start()
	s.await("tick 2")
	path := filepath.Join(s.dir, "clock.lua")
	if err := os.Chmod(path, 0); err != nil {
		t.Fatal(err)
	}
	s.await("permission denied")
	s.await("tick ")
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	s.mend("clock.lua", "after")
}

// openTo lets everybody pass through a folder of the test's.
func openTo(t *testing.T, dir string) {
	t.Helper()
	info, err := os.Stat(dir)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm()&0o1 == 0 {
		if err := os.Chmod(dir, info.Mode().Perm()|0o5); err != nil {
			t.Skip("not ours: ", err)
		}
	}
}

// More happens than the system keeps in mind: what was lost is found by looking.
func TestEventsThatTheSystemLosesAreFound(t *testing.T) {
	t.Parallel()
	s := startRun(t, map[string]string{"clock.lua": clock("tick")})
	s.await("tick 2")
	if err := s.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	for range 6000 { // four events each; the queue holds 16,384
		s.save("noise.txt", "x")
		if err := os.Remove(filepath.Join(s.dir, "noise.txt")); err != nil {
			t.Fatal(err)
		}
	}
	s.save("clock.lua", clock("found"))
	if err := s.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	s.await("reload ok")
	s.await("found ")
	s.mend("clock.lua", "after")
}

// The tick that runs when the command is told to end is finished; then it says what it has
// to say, and ends well. A busy machine may keep the processor from it until it is given up;
// then the command starts again.
func TestTerminatedInTheMiddleOfATick(t *testing.T) {
	t.Parallel()
	for {
		s := startRun(t, map[string]string{"slow.lua": `local ecs = require "ecs"
ecs.system "slow" { every = 0.1, run = function(ctx)
  ecs.log("begin", ctx.tick)
  local n = 0
  for i = 1, 1000000 do n = n + i end
  ecs.log("end", ctx.tick)
end }`})
		line, told := s.await("begin "), time.Now()
		if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		var said strings.Builder
		for line := range s.lines { // to the end: Wait closes the pipe
			said.WriteString(line + "\n")
		}
		err := s.cmd.Wait()
		state := s.cmd.ProcessState
		if err != nil && time.Since(told) > 700*time.Millisecond && state.UserTime()+state.SystemTime() < 500*time.Millisecond {
			t.Logf("%v: given up after %v of the processor", err, state.UserTime()+state.SystemTime())
			continue
		}
		tick := line[strings.LastIndex(line, " "):]
		if text := said.String(); err != nil || !strings.Contains(text, "end"+tick) || !strings.Contains(text, "checksum") {
			t.Fatalf("after SIGTERM: %v\n%s", err, text)
		}
		return
	}
}
