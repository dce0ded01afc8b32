package game

import (
	"log/slog"
	"slices"
	"sync"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/hotreload"
	"github.com/perigee-ecs/perigee/scripting"
)

// Warnings says what Check finds in a folder that a game follows: what would fail if it were reached. Why in
// a game of its own, on another goroutine? A look through all texts takes longer than a tick of the game
// may, and has no part in it.
type Warnings struct {
	dir string
	say func(text string) // any goroutine may call it

	mu    sync.Mutex
	told  map[string]bool          // by the last look
	notes []scripting.KernelStatus // that nobody has been told yet
	busy  bool                     // a look is under way
	again bool                     // the folder has changed since it began
	done  sync.WaitGroup
}

// NewWarnings returns those of a folder, of which say gets each line when it is new.
func NewWarnings(dir string, say func(text string)) *Warnings {
	return &Warnings{dir: dir, say: say, told: map[string]bool{}}
}

// Look looks through the folder, and returns at once. Wait waits for the end. After what it finds it says which
// functions the game that follows the folder has not compiled, see [JoinNotes]: they come last, because a
// mistake is told before what is merely slow.
func (w *Warnings) Look(uncompiled []scripting.KernelStatus) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.notes = append(w.notes, uncompiled...)
	if w.again = w.busy; w.busy {
		return
	}
	w.busy = true
	w.done.Go(func() {
		for more := true; more; {
			problems := problemsOf(w.dir)
			w.mu.Lock()
			fresh := map[string]bool{}
			for _, e := range problems {
				line := warning(e)
				if fresh[line] = true; !w.told[line] {
					w.say(line)
				}
			}
			for _, s := range JoinNotes(w.notes, problems) {
				w.say(diag.OneLine(s.Place() + ": " + s.Note()))
			}
			w.notes = nil
			w.told, more, w.again = fresh, w.again, false
			w.busy = more
			w.mu.Unlock()
		}
	})
}

// Wait waits until all has been said.
func (w *Warnings) Wait() { w.done.Wait() }

// JoinNotes returns what is said of functions that are not compiled, but for those where a line with a problem
// stands in the way: a note would say the same again, in other words.
func JoinNotes(list []scripting.KernelStatus, problems []*scripting.Error) []scripting.KernelStatus {
	type line struct {
		script string
		line   int
	}
	wrong := map[line]bool{}
	for _, e := range problems {
		wrong[line{e.Script, e.Line}] = true
	}
	notes := scripting.KernelNotes(list)
	return slices.DeleteFunc(notes, func(s scripting.KernelStatus) bool { return wrong[line{s.Origin.Script, s.Origin.Line}] })
}

// problemsOf loads a folder into a game of its own, as perigee check does. Texts that do not load have none:
// the verdict of the game says what is wrong.
func problemsOf(dir string) []*scripting.Error {
	g, err := New(Options{Log: slog.New(slog.DiscardHandler), OnKernel: func(scripting.KernelStatus) {}})
	if err != nil {
		return nil
	}
	defer func() { _ = g.Close() }() // of a game that has made no tick
	if g.Load(hotreload.Folder(dir, hotreload.Options{})) != nil {
		return nil
	}
	problems, err := g.Check()
	if err != nil {
		return nil
	}
	return problems
}

// warning is a problem that does not stop the scripts: they fail when they come there.
func warning(e *scripting.Error) string {
	at, text := e.At().String()+": ", e.Error()
	if len(text) > len(at) && text[:len(at)] == at {
		text = text[len(at):]
	}
	return diag.OneLine(at + "warning: " + text)
}
