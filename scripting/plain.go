package scripting

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/perigee-ecs/perigee/bindings"
	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/scripting/internal/syntax"
)

// Plain is a Lua script that runs by itself. It has the same language, library and limits as
// the scripts of a host, but no world and no ecs module, and require only with Files. Its clock begins
// when it does. It is for trying something, and for tests.
type Plain struct {
	// Name stands in messages. Default: "script".
	Name string
	// Text is the script.
	Text []byte
	// Files are what the script may require, by the names that scripts of a host use: "a.b" is the file
	// a/b.lua, or a/b/init.lua. Each runs once, with globals of its own, and within the limits of the
	// script; there may be Limits.Files of them, of Limits.FileBytes each. Nil: there is no require.
	Files fs.FS
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

	programs []*program            // of all texts that have run
	required map[string]lua.LValue // what files have returned
	running  []string              // files that are required in each other, outermost first
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
		p.given(&e.Trace[i].At.Script)
	}
	p.given(&e.Script)
}

// given puts the name in the place of that of the file.
func (p *plainRun) given(name *string) {
	if *name == p.fileName() {
		*name = p.Name
	}
}

// execute compiles the script and runs it on a thread of the state, so a panic of the VM ends
// no more than that thread.
func (p *plainRun) execute() *Error {
	program, err := compile(p.fileName(), p.Text)
	if err != nil {
		return fromSyntax(p.Name, diag.NewText(p.Text), err)[0]
	}
	p.required = map[string]lua.LValue{}
	fault.Serve(p.state, texts{program: p.programOf})
	env := p.environment(p.fileName(), program)
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

// environment makes the globals of a text, which is known for messages from now on.
func (p *plainRun) environment(file string, of *program) *lua.LTable {
	p.programs = append(p.programs, of)
	env := p.library.Env()
	if p.Files != nil {
		env.RawSetString("require", p.state.NewFunction(func(L *lua.LState) int {
			L.Push(p.require(L, file, L.CheckString(1)))
			return 1
		}))
	}
	refuseUnknown(p.state, env, func() *program { return of }, nil)
	return env
}

// programOf returns the text that a prototype is of.
func (p *plainRun) programOf(proto *lua.FunctionProto) (*program, *syntax.Code) {
	for _, known := range p.programs {
		if found, code := known.of(proto); found != nil {
			return found, code
		}
	}
	return nil, nil
}

// require returns what a file has returned, and runs it first if it has not run.
func (p *plainRun) require(L *lua.LState, from, name string) lua.LValue {
	if name == "ecs" || name == "host" {
		fault.RaiseAt(L, fault.Argument(1), "require %q: a plain script has no world, so there is no ecs and no host", name)
	}
	var file string
	var text []byte
	for _, file = range requirable(from, name) {
		if v, known := p.required[file]; known {
			return v
		}
		if slices.Contains(p.running, file) {
			fault.RaiseAt(L, fault.Argument(1), "require goes in a circle: %s", strings.Join(append(slices.Clone(p.running), file), " → "))
		}
		var err error
		if text, err = p.read(file); err == nil {
			break
		} else if !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrInvalid) {
			fault.RaiseAt(L, fault.Argument(1), "require %q: %s", diag.Cut(name), err)
		}
	}
	if text == nil {
		fault.RaiseAt(L, fault.Argument(1), "module %q not found: there is no %s beside the script", diag.Cut(name), diag.Cut(requirable(from, name)[0]))
	}
	if most := p.Limits.Files; most > 0 && len(p.programs) > most {
		fault.RaiseAt(L, fault.Argument(1), "require %q: more than %d files (Limits.Files)", diag.Cut(name), most)
	}
	charge(L, len(text)) // to compile it
	program, err := compile(file, text)
	if err != nil {
		fault.Raise(L, fromSyntax(file, diag.NewText(text), err)[0])
	}
	p.running = append(p.running, file)
	defer func() { p.running = p.running[:len(p.running)-1] }()
	fn := L.NewFunctionFromProto(program.Proto)
	lua.SetEnv(fn, p.environment(file, program))
	L.Push(fn)
	L.Call(0, 1)
	v := L.Get(-1)
	L.Pop(1)
	if v == lua.LNil {
		v = lua.LTrue // as in Lua 5.1
	}
	p.required[file] = v
	return v
}

// read returns the text of a file, within the limits.
func (p *plainRun) read(file string) ([]byte, error) {
	f, err := p.Files.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close() // which was only read
	most := p.Limits.FileBytes
	if most <= 0 {
		most = 1 << 30
	}
	text, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(text)) > most {
		err = fmt.Errorf("%s has more than %s bytes (Limits.FileBytes)", file, diag.Grouped(most))
	}
	if text == nil {
		text = []byte{}
	}
	return text, err
}

// print writes a line to the output; where that fails, so does the script.
func (p *plainRun) print(L *lua.LState, text string, _ int) {
	if p.Output == nil {
		return
	}
	if _, err := io.WriteString(p.Output, text+"\n"); err != nil {
		fault.Raisef(L, "print: %v", err)
	}
}
