package scripting

import (
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/fault"
	"github.com/perigee-ecs/perigee/bindings/lua"
	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting/internal/syntax"
)

// Console runs texts of Lua in a game that runs, or stands, between two steps: for somebody who types them. See
// [Host.Console]. It belongs to the goroutine of its host.
//
// Invariant: env is made with the first text, and again after one that was dropped with what it held; it holds no more
// than mostGlobals names that the texts have set. Between two calls, of and kept are nil.
type Console struct {
	host     *Host
	env      *lua.LTable // the globals of all texts; nil before the first
	initial  int         // names that it had before any text
	programs []*program  // of the last texts, the newest last
	of       *program    // whose call is running
	kept     *holdings   // what modules held before it, and what the globals did
	lines    []ConsoleLine
	lost     int // lines of the call that are not among them
	runs     uint64
	dropped  *Error // why the globals were dropped, until a text is answered so
	made     int64  // bytes that texts have made since what scripts hold was counted
	undo     consoleUndo
}

// consoleName is the script that the texts of the console are, in messages and in the journal. No file is called so.
const consoleName = "console"

const (
	// MostConsoleText is how many bytes a text for the console may have.
	MostConsoleText = 64 << 10

	mostConsolePrograms = 32      // texts whose functions errors can quote
	mostConsoleKept     = 100_000 // values that a text may reach and that are put back when it fails
	mostGlobals         = 1000    // names that texts have set
	mostConsoleLines    = 200     // that a text has printed
	consoleLineBytes    = 64 << 10
	mostConsoleFaults   = 16
)

// ConsoleResult is what came of a text.
type ConsoleResult struct {
	Run      uint64         // the number of the text, from 1 on; 0 for one that did not run
	Values   []ConsoleValue // what it has returned
	Lines    []ConsoleLine  // what it has printed, 200 lines and 64 KiB at most
	Lost     int            // lines beyond that
	Commands int            // changes of entities that it has recorded
	// Changed says that something in the game may be another than before the text. A text of which it is false has only looked. It is true
	// for each text that reaches more than 100,000 values in tables and variables: nobody compares those beyond.
	Changed bool
	// Undoable says that Undo takes the text back. If not, and Console.RunUndoable ran it, NotUndoable says why; nil where
	// there is nothing to take back. It is set for a text that has failed, too, if that may have changed values beyond those 100,000,
	// which stay.
	Undoable    bool
	NotUndoable error
	// Faults have come after the text, whose other changes stay: commands that could not be done, observers that have
	// failed. 16 at most.
	Faults []*Error
	Took   time.Duration
}

// errBeyond says why a text is not taken back that reaches too much.
var errBeyond = fmt.Errorf("scripting: Console: %w: the text reaches tables and variables of more than %s values: what it has changed in those beyond stays",
	ecs.ErrRange, diag.Grouped(mostConsoleKept))

// ConsoleLine is a line that a text has printed, or logged.
type ConsoleLine struct {
	Level slog.Level
	Text  string // as the log shows it
	Line  int    // of the text
}

// Console returns the console of the host: one for all who ask.
//
// A text runs between two steps, as a call of a script of its own with the name "console": it is a transaction under the
// Limits of the host. What a text that fails has done is undone as a whole: in the world and in state tables, and likewise what it has
// assigned to its globals and in tables and variables of modules (as far as it could reach 100,000 values). Only the numbers of
// entities that it has spawned are used up, as by a system that fails. A coroutine that was there before the text cannot be
// resumed in it: where it goes on from could not be taken back.
// An iterator of the library that was there, such as one of gmatch, of ecs.entities or of each, can be called, and where it goes on
// from is not taken back: begin a new one in each text.
//
// A text is a list of expressions, such as 1 + 2 or ecs.get(e, "Health"), whose values are answered, or statements,
// which answer what they return. Its environment has the library, ecs, host (if the host exposes something) and require,
// which gives the modules that run. Where ecs takes a component, an event or a prefab, the text may name it:
// ecs.count("Ship"), ecs.spawn("Ship"). The name alone is a global, too: Health{ hp = 5 }. each(A, B) iterates over the
// entities that have A and B, with copies of their values. ecs.component, ecs.event, ecs.prefab and ecs.state find what
// scripts have declared; everything else that declares is refused. Globals that a text sets stay for the next ones.
//
// Nothing of the console is in a snapshot, in a save or in a recording, and no reload changes it; a game whose console
// is not used is the same as one without. A text that only looks does not change the game either: what it draws from
// math.random are other numbers, and events that it reads are read again by those who wait for them.
//
// For a host that is closed, the methods of the Console return [ErrClosed].
func (h *Host) Console() *Console {
	if !h.made() {
		return &Console{}
	}
	return h.console
}

// open reports whether the host can run a text.
func (c *Console) open() bool { return c != nil && c.host != nil && !c.host.gone() }

// last returns the number of the last text that has run, 0 before the first.
func (c *Console) last() uint64 {
	if c == nil {
		return 0
	}
	return c.runs
}

// holds reports whether there are globals.
func (c *Console) holds() bool { return c != nil && c.env != nil }

// Run runs a text.
//
// What is wrong with the text, or has ended it, is an [*Error] with line and column, and a limit that was reached is
// [ErrLimit], too; then nothing has changed, unless Changed of the result is true. The other errors say that nothing ran: [ErrClosed]; [ecs.ErrIterating] inside of a
// step, of a call of a script or of a loop over a query; [ecs.ErrRange] for a text of more than MostConsoleText bytes;
// [ecs.ErrConflict] while the world shows an earlier tick, see [Ring.Look].
//
// A text that uses up its limits holds the game as long as a call of a script may. If what the globals of the console
// hold exceeds Limits.Held, the next text is an error and the globals are dropped.
func (c *Console) Run(text string) (ConsoleResult, error) {
	return c.run(&ConsoleText{text: text}, false)
}

// RunUndoable is Run for a text that [Console.Undo] can take back. It costs a capture of the game before the text, as
// [Host.Capture] does it. If the game cannot be captured, the text runs all the same, and the result says why
// it cannot be undone.
func (c *Console) RunUndoable(text string) (ConsoleResult, error) {
	return c.run(&ConsoleText{text: text}, true)
}

// ConsoleText is a text for a console that is compiled already: see [ReadConsoleText]. It belongs to one goroutine at a time. The zero one
// is an empty text.
type ConsoleText struct {
	text    string
	p       *program
	problem *Error
}

// ReadConsoleText compiles a text, of which [Console.RunText] then says what is wrong with it. Any goroutine may call it, so that no step waits: a
// text of MostConsoleText bytes can take a second to compile. One that is longer is not compiled.
func ReadConsoleText(text string) *ConsoleText {
	t := &ConsoleText{text: text}
	if len(text) <= MostConsoleText {
		t.compile()
	}
	return t
}

// compile compiles the text, once for each run.
func (t *ConsoleText) compile() {
	if t.p == nil && t.problem == nil {
		t.p, t.problem = readConsole(t.text)
	}
}

// RunText is [Console.RunUndoable] for a text that was read before. The error wraps [ecs.ErrConflict] for a nil text. To run it again
// compiles it again.
func (c *Console) RunText(t *ConsoleText) (ConsoleResult, error) {
	if t == nil {
		return ConsoleResult{}, fmt.Errorf("scripting: Console.RunText: %w: the text is nil", ecs.ErrConflict)
	}
	return c.run(t, true)
}

// run is Run. With undoable, what it takes to undo the text is kept.
func (c *Console) run(read *ConsoleText, undoable bool) (r ConsoleResult, err error) {
	began, text := time.Now(), read.text
	switch {
	case !c.open():
		return r, fmt.Errorf("scripting: Console.Run: %w", ErrClosed)
	case len(text) > MostConsoleText:
		return r, fmt.Errorf("scripting: Console.Run: %w: a text has at most %d bytes, this one has %s", ecs.ErrRange, MostConsoleText, diag.Grouped(int64(len(text))))
	case c.host.looking:
		return r, fmt.Errorf("scripting: Console.Run: %w: the world is that of an earlier tick: end the look first", ecs.ErrConflict)
	}
	if read.compile(); read.problem != nil {
		return r, read.problem
	}
	p := read.p
	var point undoPoint
	if undoable {
		point, r.NotUndoable = c.capture()
	}
	if err := c.host.enter(typing); err != nil {
		return r, err
	}
	defer c.host.leave()
	defer func() { c.kept = nil }()
	read.p = nil // it is of this run
	err = c.perform(p, &r)
	if r.Took = time.Since(began); undoable {
		c.keep(&r, point, err == nil)
	}
	return r, err
}

// readConsole compiles a text: as a list of expressions, or else as statements. What is wrong with it is where reading came
// further.
func readConsole(text string) (*program, *Error) {
	p, noValues := compileValues(consoleName, []byte(text))
	if noValues == nil {
		return p, nil
	}
	in := diag.NewText([]byte(text))
	if strings.HasPrefix(text, "#") { // a file could begin so
		return nil, fromSyntax(consoleName, in, noValues)[0]
	}
	p, err := compile(consoleName, []byte(text))
	if err == nil {
		return p, nil
	}
	first, values := fromSyntax(consoleName, in, err)[0], fromSyntax(consoleName, in, noValues)[0]
	switch {
	case first.Column == 0: // it was read to its end, and is too much for one function
	case values.Column == 0, values.Line > first.Line, values.Line == first.Line && values.Column > first.Column:
		first = values
	}
	return nil, first
}

// perform runs a compiled text, while the host does nothing else.
func (c *Console) perform(p *program, r *ConsoleResult) error {
	h := c.host
	h.limiter.newTick(len(h.live))
	h.binding.NewTick()
	h.enforce()
	defer func() { h.limiter.refused = nil }()
	if e := c.dropped; e != nil {
		c.dropped = nil
		return e
	}
	last := h.library.LastNumber()
	defer h.library.RewindNumbers(last, last) // scripts get the numbers that they would have got
	c.runs++
	r.Run = c.runs
	c.remember(p)
	c.of, c.kept, c.lines, c.lost = p, boundedHoldings(mostConsoleKept), nil, 0
	settled := false
	defer func() {
		if !settled { // also when a function of the host has ended the goroutine
			c.kept.restore()
		}
		c.of = nil
		p.rest()
	}()
	made := h.limiter.made
	old := lua.VM(h.state)
	old.Shut()
	defer old.Open()
	call, undone, err := h.binding.RunConsole(consoleName, h.declared(), func(L *lua.LState) { c.body(L, p, r) })
	r.Lines, r.Lost, c.lines = c.lines, c.lost, nil
	c.weigh(h.limiter.made - made)
	all := collect(err)
	for _, e := range all {
		if h.complete(e); e.System == consoleName {
			e.System, e.Tick = "", 0
		}
	}
	if c.kept.beyond {
		r.Changed, r.NotUndoable = true, errBeyond
	}
	if undone {
		r.Values = nil
		if len(all) == 0 {
			return err
		}
		return all[0]
	}
	settled = true
	c.kept.onlyChanged()
	r.Commands, r.Changed = call.Commands, r.Changed || call.Changed || len(c.kept.tables)+len(c.kept.locals) > 0
	r.Faults = all[:min(len(all), mostConsoleFaults)]
	for i := range r.Values {
		c.settle(&r.Values[i], len(r.Values) == 1)
	}
	return nil
}

// body is the call of a text.
func (c *Console) body(L *lua.LState, p *program, r *ConsoleResult) {
	if c.env == nil {
		c.begin(L)
	}
	charge(L, c.kept.more(c.env))
	fn := L.NewFunctionFromProto(p.Proto)
	lua.SetEnv(fn, c.env)
	top := L.GetTop()
	L.Push(fn)
	L.Call(0, -1)
	show := newShowing(L, c.host)
	for i := top + 1; i <= L.GetTop() && len(r.Values) < mostShownValues; i++ {
		r.Values = append(r.Values, show.value(L.Get(i), 0))
	}
	L.SetTop(top)
	if n := lua.Entries(c.env) - c.initial; n > mostGlobals {
		fault.Raisef(L, "the console has more than %d globals: keep values in a table, or set some to nil", mostGlobals)
	}
}

// say notes a line that the console has printed or logged.
func (c *Console) say(level slog.Level, at diag.Place, text string, bytes int) {
	if c == nil || c.of == nil {
		return
	}
	line := ConsoleLine{Level: level, Text: diag.OneLine(diag.ShownLine(text, bytes))}
	if at.Script == consoleName {
		line.Line = at.Line
	}
	size := len(line.Text)
	for i := range c.lines {
		size += len(c.lines[i].Text)
	}
	if len(c.lines) == mostConsoleLines || size > consoleLineBytes {
		c.lost++
		return
	}
	c.lines = append(c.lines, line)
}

// remember keeps the program of a text, for errors in functions that it leaves behind.
func (c *Console) remember(p *program) {
	if len(c.programs) == mostConsolePrograms {
		c.host.old.retire(c.programs[0])
		c.programs = append(c.programs[:0], c.programs[1:]...)
	}
	c.programs = append(c.programs, p)
}

// program returns the text that a prototype is of, nil for one that is not known any more.
func (c *Console) program(proto *lua.FunctionProto) (*program, *syntax.Code) {
	if c == nil {
		return nil, nil
	}
	for i := len(c.programs) - 1; i >= 0; i-- {
		if p, code := c.programs[i].of(proto); p != nil {
			return p, code
		}
	}
	return nil, nil
}
