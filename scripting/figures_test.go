package scripting_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// figuredScript has what Usage, Ran and Kernels look at: systems of each kind, tables that change.
const figuredScript = `local C = ecs.component("C", { x = 0 })
local K = ecs.kernel("k", { C }, function(e, c) c.x = c.x + 1 end)
local kept = {}
ecs.system "a" { run = function(ctx)
  for i = 1, 50 do kept["t" .. (ctx.tick * 50 + i) % 1000] = { i } end
  ecs.spawn_many(20, C) for e in ecs.entities { C } do ecs.get(e, C, "x") end K() ecs.despawn_all(C)
end }
ecs.system "b" { query = { C }, each = function(e, c) c.x = c.x + 1 end }
ecs.after(0, "again") ecs.handler("again", function() ecs.after(0, "again") end)`

// TestFiguresFromAnotherGoroutine: who makes figures asks beside the steps, and gets those of the
// end of a step, which never go back.
func TestFiguresFromAnotherGoroutine(t *testing.T) {
	r := quietRoom(t, scripting.Options{}, "a.lua", strings.Replace(figuredScript, `ecs.after(0, "again") ecs`, "ecs", 1))
	until, group, seen := make(chan bool), sync.WaitGroup{}, [3]atomic.Int64{}
	ask := func(kind int, look func() (n int, order uint64)) {
		group.Go(func() {
			before := uint64(0)
			for {
				select {
				case <-until:
					return
				default:
				}
				n, order := look()
				if n == 0 {
					continue
				}
				if seen[kind].Add(1); order < before {
					t.Errorf("figures of kind %d went back: %d, %d before", kind, order, before)
					return
				}
				before = order
			}
		})
	}
	ask(0, func() (int, uint64) {
		list := r.host.Usage()
		if len(list) == 0 {
			return 0, 0
		}
		defer clear(list[0].ByCall) // it is the caller's
		return len(list), list[0].Calls
	})
	ask(1, func() (n int, order uint64) {
		for _, s := range r.host.Ran() {
			n, order = n+1, order+s.Kernel.Rows+s.VM.Rows
		}
		return n, order
	})
	ask(2, func() (n int, order uint64) {
		for _, s := range r.host.Kernels() {
			n, order = n+1, order+s.Ran.Kernel.Rows+s.Ran.VM.Rows
		}
		return n, order
	})
	few := func() bool {
		return min(seen[0].Load(), seen[1].Load(), seen[2].Load()) < 100
	}
	for began := time.Now(); time.Since(began) < time.Second/4 || few() && time.Since(began) < 20*time.Second; {
		if err := r.host.Step(1); err != nil {
			t.Error(err)
			break
		}
	}
	if err := r.host.Close(); err != nil {
		t.Error(err)
	}
	close(until)
	group.Wait()
	if few() {
		t.Errorf("some goroutine gets no answers")
	}
}

// TestFiguresWithinAStep: a system and a function of Options get those of this moment, another goroutine
// meanwhile those of the last time, or nothing where there are none; the end of the step has them made for it.
func TestFiguresWithinAStep(t *testing.T) {
	r := quietRoom(t, scripting.Options{}, "a.lua", `ecs.system "a" { run = function() end }
local C = ecs.component("C", { x = 0 }) ecs.system "b" { query = { C }, each = function(e, c) c.x = c.x + 1 end }`)
	var inside, beside string
	figures := func() string {
		u := r.host.Usage()
		if len(u) == 0 {
			return fmt.Sprint(len(u), len(r.host.Ran()), len(r.host.Kernels()))
		}
		return fmt.Sprint(len(u), len(r.host.Ran()), len(r.host.Kernels()), " ", u[0].Calls)
	}
	err := r.world.Schedule().Add(ecs.System{Name: "asks", Phase: ecs.Debug, Run: func(*ecs.Tick) error {
		done := make(chan bool)
		go func() { beside = figures(); close(done) }()
		<-done
		inside = figures()
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"0 0 0", "1 2 1 1", "1 2 1 2"} {
		if err := r.host.Step(1); err != nil {
			t.Fatal(err)
		}
		if beside != want || inside != fmt.Sprintf("1 2 1 %d", i+1) {
			t.Errorf("step %d: %q beside it, want %q; %q inside", i, beside, want, inside)
		}
	}
	if got := figures(); got != "1 2 1 3" {
		t.Errorf("after the steps: %q", got)
	}
}

// TestWhoWorksIsKnown: the functions that enter a host are those by which figures tell who works.
func TestWhoWorksIsKnown(t *testing.T) {
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".go") || strings.HasSuffix(f.Name(), "_test.go") {
			continue
		}
		tree, err := parser.ParseFile(token.NewFileSet(), f.Name(), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range tree.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Recv == nil {
				continue
			}
			ast.Inspect(fn.Body, func(n ast.Node) bool {
				if s, ok := n.(*ast.SelectorExpr); ok && s.Sel.Name == "enter" {
					found = append(found, fmt.Sprintf("(*%s).%s", fn.Recv.List[0].Type.(*ast.StarExpr).X, fn.Name.Name))
				}
				return true
			})
		}
	}
	slices.Sort(found)
	if !slices.Equal(found, scripting.Workers) {
		t.Errorf("want %q", found)
	}
}
