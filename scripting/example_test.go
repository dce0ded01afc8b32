package scripting_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing/fstest"
	"time"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// Place is a component that Go and scripts share: scripts see x and y.
type Place struct{ X, Y float64 }

// Knock is an event that Go and scripts share.
type Knock struct{ Door uint32 }

// silent keeps the log out of an example's output.
var silent = scripting.Options{Logger: slog.New(slog.DiscardHandler), OnError: func(*scripting.Error) {}}

// folder is a folder of one script in memory. A program has os.DirFS or an embed.FS.
func folder(text string) fstest.MapFS {
	return fstest.MapFS{"game.lua": {Data: []byte("local ecs = require \"ecs\"\n" + text)}}
}

// A host joins a world and a folder of scripts, and makes steps.
func Example() {
	world := ecs.NewWorld()
	defer world.Close()
	place := ecs.Register[Place](world)
	ship := world.Spawn(place.With(Place{X: 100}))

	host, err := scripting.New(world, scripting.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer host.Close()
	err = host.Load(folder(`
		local Place = ecs.native("Place")
		ecs.system "drift" { query = { Place }, each = function(_, place, ctx)
			place.x = place.x + 8 * ctx.dt
		end }`))
	for range 60 {
		if err == nil {
			err = host.Step(1.0 / 60)
		}
	}
	p, _ := place.Get(ship)
	fmt.Printf("%.1f %v\n", p.X, err)
	// Output: 108.0 <nil>
}

// exampleHost makes a host in a world of its own, as Example does. end closes both.
func exampleHost(options scripting.Options) (host *scripting.Host, end func()) {
	world := ecs.NewWorld()
	host, err := scripting.New(world, options)
	if err != nil {
		panic(err)
	}
	return host, func() {
		host.Close()
		world.Close()
	}
}

// A folder with mistakes is refused as a whole, with all of them.
func ExampleHost_Load() {
	host, end := exampleHost(silent)
	defer end()

	err := host.Load(folder(`ecs.sistem "drift" { run = function() end }`))
	var refused *scripting.LoadError
	if errors.As(err, &refused) {
		for _, problem := range refused.Problems {
			fmt.Printf("%s, line %d: %v\n", problem.Script, problem.Line, problem.Message)
		}
	}
	// Output:
	// game.lua, line 2: ecs has no "sistem" (did you mean "system"?)
}

// A mistake of a script is no error of Step. The host counts it, and the game goes on.
func ExampleHost_Faults() {
	host, end := exampleHost(silent)
	defer end()
	err := host.Load(folder(`
		ecs.system "stumble" { run = function(ctx) if ctx.tick == 3 then error("a stone") end end }`))
	for range 10 {
		err = errors.Join(err, host.Step(1.0/60))
	}

	faults := host.Faults()
	last := faults.Recent[len(faults.Recent)-1]
	fmt.Println(err, faults.Total)
	fmt.Println(last.System, "in tick", last.Tick)
	fmt.Println(last)
	// Output:
	// <nil> 1
	// stumble in tick 3
	// game.lua:3:68: system "stumble": tick 3: a stone
}

// A function of the host may ask which call of a script it is part of, and change the world by
// the commands of that call.
func ExampleHost_Expose() {
	host, end := exampleHost(silent)
	defer end()
	world := host.World()
	place := ecs.Register[Place](world)

	// Scripts do not see the first parameter. An error is one of the script that calls.
	err := host.Expose("beacon", func(call *scripting.Call, x float64) error {
		if x < 0 {
			return fmt.Errorf("there is no place at %g", x)
		}
		call.Commands().Spawn(place.With(Place{X: x}))
		fmt.Println("a beacon of", call.System(), "in tick", call.Tick())
		return nil
	})
	if err == nil {
		err = host.Load(folder(`
			local host = require "host"
			ecs.system "scout" { run = function(ctx) host.beacon(2 - ctx.tick) end }`))
	}
	for range 3 {
		err = errors.Join(err, host.Step(1))
	}
	fmt.Println(world.Len(), "beacons,", host.Faults().Total, "fault,", err)
	// Output:
	// a beacon of scout in tick 1
	// a beacon of scout in tick 2
	// 2 beacons, 1 fault, <nil>
}

// Under the limits for players a script that never ends costs a part of a frame. It is cut at
// the same instruction on every machine.
func ExampleReleaseLimits() {
	options := silent
	options.Limits = scripting.ReleaseLimits(60) // ticks in a second
	host, end := exampleHost(options)
	defer end()
	world := host.World()
	err := host.Load(folder(`
		ecs.system "spin" { run = function() while true do end end }
		ecs.system "live" { run = function() ecs.spawn() end }`))
	for range 5 {
		err = errors.Join(err, host.Step(1.0/60))
	}
	fault := host.Faults().Systems[0]
	fmt.Println(errors.Is(fault.Last, scripting.ErrLimit), fault.Last.Limit)
	fmt.Println(fault.System, "failed", fault.Total, "times and is parked")
	fmt.Println(world.Len(), "entities of the other system,", err)
	// Output:
	// true Instructions
	// spin failed 3 times and is parked
	// 5 entities of the other system, <nil>
}

// A file that has changed is staged, and the next step takes it over, or refuses it.
func ExampleHost_Stage() {
	options := silent
	options.OnReload = func(r scripting.Reload) { fmt.Println("reload of", r.Changed, "taken:", r.Err == nil) }
	host, end := exampleHost(options)
	defer end()
	world := host.World()

	files := folder(`ecs.system "s" { run = function() ecs.spawn() end }`)
	err := host.Load(files)
	for _, text := range []string{`ecs.system "s" {`, `ecs.system "s" { run = function() end }`} {
		files["game.lua"] = folder(text)["game.lua"]
		host.Stage([]string{"game.lua"}, nil) // changed, removed
		err = errors.Join(err, host.Step(1.0/60))
	}
	fmt.Println(world.Len(), err)
	// Output:
	// reload of [game.lua] taken: false
	// reload of [game.lua] taken: true
	// 1 <nil>
}

// Events go both ways: Go emits one, and a system in Go reads what scripts reply.
func ExampleHost_Load_events() {
	host, end := exampleHost(silent)
	defer end()
	world := host.World()
	knock := ecs.RegisterEvent[Knock](world)

	// A system in Go that gets each event once.
	replies := knock.Each(ecs.System{Name: "replies", Phase: ecs.Render}, func(_ *ecs.Tick, k Knock) error {
		fmt.Println("knock at door", k.Door)
		return nil
	})
	err := world.Schedule().Add(replies)
	if err == nil {
		err = host.Load(folder(`
			local Knock = ecs.native_event("Knock")
			ecs.system "echo" { on = Knock, each = function(knock)
				if knock.door < 3 then ecs.emit(Knock { door = knock.door + 1 }) end
			end }
		`))
	}
	err = errors.Join(err, knock.Emit(Knock{Door: 1}))
	for range 3 {
		err = errors.Join(err, host.Step(1))
	}
	fmt.Println(err)
	// Output:
	// knock at door 1
	// knock at door 2
	// knock at door 3
	// <nil>
}

// Other goroutines leave what they want done in an inbox; it is done in the next step.
func ExampleHost_Step_inbox() {
	host, end := exampleHost(silent)
	defer end()
	world := host.World()
	place := ecs.Register[Place](world)
	inbox, err := ecs.NewInbox(world, 100) // messages between two steps
	if err != nil {
		fmt.Println(err)
		return
	}

	done := make(chan error)
	go func() { // a connection, for example
		const player = 7
		done <- inbox.Post(player, func(t *ecs.Tick) error {
			t.Commands.Spawn(place.With(Place{X: 5}))
			return nil
		})
	}()
	err = <-done
	before := world.Len()
	err = errors.Join(err, host.Step(1))
	fmt.Println(before, world.Len(), err)
	// Output: 0 1 <nil>
}

// A step ends early with its context: with the server, or with its time.
func ExampleHost_StepContext() {
	host, end := exampleHost(silent)
	defer end()
	err := host.Load(folder(`ecs.system "spin" { run = function() while true do end end }`))
	if err != nil {
		fmt.Println(err)
		return
	}

	ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	err = host.StepContext(ctx, 1.0/60)
	fmt.Println(errors.Is(err, context.DeadlineExceeded), host.Faults().Total, "faults")
	// Output: true 0 faults
}

// Usage says what each script has used, for quotas and figures.
func ExampleHost_Usage() {
	host, end := exampleHost(silent)
	defer end()
	err := host.Load(folder(`
		local seen = {}
		ecs.system "work" { run = function(ctx) for i = 1, 1000 do seen[i] = ctx.tick end end }`))
	err = errors.Join(err, host.Step(1))

	for _, script := range host.Usage() {
		if script.Instructions > 1000 && script.Held > 8000 {
			fmt.Println(script.Script, "is unloaded:", host.Unload(script.Script))
		}
	}
	fmt.Println(host.Systems(), err)
	// Output:
	// game.lua is unloaded: <nil>
	// 0 <nil>
}

// A plain script runs without a world: to try something, or for tools.
func ExamplePlain_Run() {
	var out strings.Builder
	script := scripting.Plain{Text: []byte(`print(("ab"):rep(3), #arg)`), Output: &out}
	fmt.Println(script.Run(context.Background()))
	fmt.Print(out.String())
	// Output:
	// <nil>
	// ababab	0
}
