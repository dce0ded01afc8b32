package scripting_test

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// TestASpawnSaysThatThereIsNoMemory: where the process may have no more addresses, the message of
// the first spawn says that, and not that there are too many entities.
func TestASpawnSaysThatThereIsNoMemory(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector takes address space of its own")
	}
	const addresses = 9 // RLIMIT_AS
	var was syscall.Rlimit
	if err := syscall.Getrlimit(addresses, &was); err != nil {
		t.Skip(err)
	}
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Skip(err)
	}
	var used uint64 // in KiB
	for line := range strings.Lines(string(status)) {
		if _, err := fmt.Sscanf(line, "VmSize: %d kB", &used); err == nil {
			break
		}
	}
	w := ecs.NewWorld()
	t.Cleanup(func() { w.Close() })
	var said []string
	host, err := scripting.New(w, scripting.Options{OnError: func(e *scripting.Error) { said = append(said, e.Message) }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { host.Close() })
	less := was
	less.Cur = used<<10 + 1<<30
	if err := syscall.Setrlimit(addresses, &less); err != nil {
		t.Skip(err)
	}
	folder := fstest.MapFS{"a.lua": {Data: []byte(`
local ecs = require "ecs"
local C = ecs.component("C", { n = ecs.f64() })
ecs.system "s" { run = function() ecs.spawn(C) end }
return C
`)}}
	if err = host.Load(folder); err == nil {
		err = host.Step(1)
	}
	if back := syscall.Setrlimit(addresses, &was); back != nil {
		t.Fatal(back)
	}
	if err != nil || len(said) != 1 || !strings.Contains(said[0], "memory") || strings.Contains(said[0], "limit is reached") {
		t.Errorf("%v, said %q", err, said)
	}
	if err := host.Step(1); err != nil || len(said) != 1 || w.Len() != 1 {
		t.Errorf("with memory again: %v, %q, %d entities", err, said, w.Len())
	}
	folder["b.lua"] = &fstest.MapFile{Data: []byte(`
local ecs = require "ecs"
local C = require "a"
ecs.system "each" { query = { C }, each = function(e, c) c.n = c.n + 1 end }
`)}
	host.Stage([]string{"b.lua"}, nil)
	err = host.Step(1)
	if k := host.Kernels(); err != nil || len(said) != 1 || len(k) != 1 || !k[0].Compiled && !strings.Contains(k[0].Reason, "compiler") {
		t.Errorf("a kernel, with memory again: %v, %q, %v", err, said, k)
	}
}
