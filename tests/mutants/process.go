package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// mostMemory is how many bytes a judge may have in memory. None needs a third of it.
const mostMemory = 3 << 30

// run lets a judge look at a mutant. How it has noticed it, if it has.
func (b *build) run(j Judge, mutant int, longest float64) (how string, seconds float64) {
	// The time is that of the processor, so that a machine which does other things
	// as well kills no mutant; a judge that only waits ends by the clock.
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(20*longest)*time.Second+time.Minute)
	defer cancel()
	args := append([]string{"-c", fmt.Sprintf("ulimit -t %d; exec \"$0\" \"$@\"", int(longest)+2), b.binary(j), "-test.failfast", "-test.timeout", "30m"}, j.Args...)
	cmd := exec.CommandContext(ctx, "sh", args...)
	cmd.Dir = filepath.Join(b.root, filepath.FromSlash(j.Pkg))
	cmd.Env = append(os.Environ(), fmt.Sprintf("PERIGEE_MUTANT=%d", mutant), "GOMAXPROCS=2", "GOGC=400", "GOTRACEBACK=none") // collecting less often saves a quarter
	var out tail
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		return err.Error(), 0
	}
	done := make(chan struct{})
	large := make(chan bool, 1)
	go watch(cmd.Process.Pid, done, func() { large <- true; cancel() })
	err := cmd.Wait()
	close(done)
	state := cmd.ProcessState
	seconds = (state.UserTime() + state.SystemTime()).Seconds()
	select {
	case <-large:
		return "too much memory", seconds
	default:
	}
	switch {
	case err == nil:
		return "", seconds
	case state.ExitCode() < 0:
		return "too long", seconds
	}
	return out.reason(), seconds
}

// watch calls stop when a process has too much memory.
func watch(pid int, done <-chan struct{}, stop func()) {
	for {
		select {
		case <-done:
			return
		case <-time.After(300 * time.Millisecond):
		}
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
		if err != nil {
			continue
		}
		var size, resident int64
		if _, err := fmt.Sscan(string(text), &size, &resident); err == nil && resident*int64(os.Getpagesize()) > mostMemory {
			stop()
			return
		}
	}
}

// tail keeps the beginning of what a judge prints: enough to see which test it was.
type tail struct{ buf bytes.Buffer }

func (t *tail) Write(p []byte) (int, error) {
	if room := 1<<16 - t.buf.Len(); room > 0 {
		t.buf.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}

// reason is the test that failed, or the panic.
func (t *tail) reason() string {
	for line := range strings.Lines(t.buf.String()) {
		if after, ok := strings.CutPrefix(strings.TrimSpace(line), "--- FAIL: "); ok {
			name, _, _ := strings.Cut(after, " ")
			return name
		}
		if strings.HasPrefix(line, "panic:") || strings.HasPrefix(line, "fatal error:") {
			return strings.TrimSpace(line[:min(len(line), 100)])
		}
	}
	return "failed"
}
