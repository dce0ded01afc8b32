package scripting_test

import (
	"log/slog"
	"os"
	"runtime"
	"runtime/pprof"
	"testing"

	"github.com/perigee-ecs/perigee/scripting"
)

func TestZZMem(t *testing.T) {
	out := os.Getenv("ZZMEM")
	if out == "" {
		t.Skip()
	}
	program, err := scripting.Compile(mixedFolder(), scripting.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	var open []*room
	for i := 0; i < 200; i++ {
		r := openRoom(t, scripting.Options{Logger: slog.New(slog.DiscardHandler)})
		if err := r.host.Load(program); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			_ = r.host.Step(1.0 / 60)
		}
		open = append(open, r)
	}
	runtime.GC()
	runtime.GC()
	f, _ := os.Create(out)
	pprof.Lookup("heap").WriteTo(f, 0)
	f.Close()
	runtime.KeepAlive(open)
}
