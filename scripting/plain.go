package scripting

import (
	"context"
	"io"
	"math/rand/v2"
	"path"
	"time"

	"github.com/perigee-ecs/perigee/bindings"
	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/bindings/lua"
)

// Plain is a Lua script that runs by itself. It has the same language, library and limits as
// the scripts of a host, but no world, no ecs module and no require. Its clock begins when it
// does. It is for trying something, and for tests.
type Plain struct {
	// Name stands in messages. Default: "script".
	Name string
	// Text is the script.
	Text []byte
	// Args are what the script finds in "..." and in the global arg, whose item 0
	// is the name.
	Args []string
	// Output gets what the script prints, a line at a time. When it fails, so
	// does the print. Nil throws it away.
	Output io.Writer
	// Seed of the random numbers. Scripts cannot change it.
	Seed uint64
	// Limits bound the script as one call. Those on commands, entities, timers,
	// ticks and the log have no meaning here.
	Limits Limits
}

// Run runs the script to its end, on a Lua state of its own. An error of the script is an
// *Error. When the context ends, the script ends soon after, with the context's cause in
// the message.
func (p Plain) Run(ctx context.Context) error {
	p.Limits.fill()
	if p.Name == "" {
		p.Name = "script"
	}
	run := plainRun{Plain: p, state: newState(&p.Limits), limiter: newLimiter(p.Limits)}
	defer run.state.Close()
	began := time.Now()
	run.library = newLibrary(run.state, libraryOptions{
		Print: run.print, Clock: func() float64 { return time.Since(began).Seconds() }, Random: rand.NewPCG(p.Seed, p.Seed),
		MaxCoroutines: p.Limits.Coroutines, MaxNesting: p.Limits.Nesting, MaxCallbacks: p.Limits.Callbacks, MaxTable: p.Limits.Table,
	})
	run.limiter.serve(run.library)
	run.limiter.always = true // the context may end it
	run.limiter.budget.Watch = func() error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return run.limiter.watch()
	}
	e := run.execute()
	if e == nil {
		return nil // and no *Error in an error
	}
	reword(e, &p.Limits)
	e.Quote()
	run.rename(e)
	return e
}

// plainRun is a Plain that is running.
type plainRun struct {
	Plain
	state   *lua.LState
	library *library
	limiter *limiter
}

// fileName is the name under which the VM knows the script: places in messages end in .lua.
func (p *plainRun) fileName() string {
	if path.Ext(p.Name) == ".lua" {
		return p.Name
	}
	return p.Name + ".lua"
}

// rename gives the script the name back that it was given.
func (p *plainRun) rename(e *Error) {
	for i := range e.Trace {
		e.Trace[i].At.Script = p.Name
	}
	e.Script = p.Name
}

// execute compiles the script and runs it on a thread of the state, so a panic of the VM ends
// no more than that thread.
func (p *plainRun) execute() *Error {
	program, err := compile(p.fileName(), p.Text)
	if err != nil {
		return fromSyntax(p.Name, p.Text, err)[0]
	}
	fault.Serve(p.state, texts{program: program.of})
	env := p.library.Env()
	refuseUnknown(p.state, env, program)
	list := p.state.CreateTable(len(p.Args), 1)
	list.RawSetInt(0, lua.LString(p.Name))
	env.RawSetString("arg", list)
	given := make([]lua.LValue, len(p.Args))
	for i, text := range p.Args {
		given[i] = lua.LString(text)
		list.RawSetInt(i+1, given[i])
	}
	L, _ := p.state.NewThread()
	p.limiter.begin(L, p.Name)
	defer p.limiter.End(L, 0)
	fn := p.state.NewFunctionFromProto(program.Proto)
	lua.SetEnv(fn, env)
	return bindings.Protect(L, fn, given...)
}

// print writes a line to the output; where that fails, so does the script.
func (p *plainRun) print(L *lua.LState, text string) {
	if p.Output == nil {
		return
	}
	if _, err := io.WriteString(p.Output, text+"\n"); err != nil {
		fault.Raisef(L, "print: %v", err)
	}
}
