package main

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

func TestMain(m *testing.M) {
	if err := os.Chdir(".."); err != nil { // as go run ./hosts is called
		panic(err)
	}
	os.Exit(m.Run())
}

// TestEachHostHasFigures runs all three, with little to do.
func TestEachHostHasFigures(t *testing.T) {
	var out bytes.Buffer
	err := run(&out, []string{"-rooms", "2", "-clients", "1", "-seconds", "0.3", "-n", "2000", "-ticks", "3", "-frames", "60"})
	if err != nil {
		t.Fatal(err)
	}
	for _, figure := range []string{"== rooms", "open a room", "ticks dropped", "== batch", "for each", "MB of the world", "== client", "frame       ", "processor"} {
		if !strings.Contains(out.String(), figure) {
			t.Errorf("there is no %q in\n%s", figure, out.String())
		}
	}
}

func TestUnknownHost(t *testing.T) {
	if err := run(new(bytes.Buffer), []string{"-host", "window"}); err == nil {
		t.Error("a host that there is not was run")
	}
}
