package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/gdamore/tcell/v2"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting/kit"
)

const small = `local ecs = require "ecs"
local Position, Velocity, Shape, Label = ecs.native "Position", ecs.native "Velocity", ecs.native "Shape", ecs.native "Label"
local input, bounds = ecs.resource "Input", ecs.resource "Arena"
ecs.on_start(function()
  bounds.width, bounds.height = 400, 200
  ecs.spawn(Position { x = 100, y = 100 }, Shape { form = "square", size = 9, color = 0xff0000 })
  ecs.spawn(Position { x = 100, y = 100 }, Shape { form = "star", size = 9, color = 0x00ff00, layer = 1 })
  ecs.spawn(Position { x = 300, y = 150 }, Velocity { y = 0.001 }, Shape { form = "arrow", turns = true, size = 9, color = 0x0000ff })
  ecs.spawn(Label { text = "a \27[31mscore" })
  ecs.spawn(Position { x = 200, y = 50 }, Label { text = "here" })
end)
ecs.system "keys" { run = function()
  if input.down.d then ecs.log("d is down") end
  if input.pointer_x == 300 then ecs.log("pointer") end
end }
ecs.system "faulty" { run = function(ctx) if ctx.tick == 3 then error("a fault in tick 3") end end }
`

// open makes a game of one script on a screen of 80 by 21 cells, which is closed with the test.
func open(t *testing.T) (*game, tcell.SimulationScreen) {
	t.Helper()
	g, err := newGame("", fstest.MapFS{"game.lua": {Data: []byte(small)}})
	if err != nil {
		t.Fatal(err)
	}
	screen := tcell.NewSimulationScreen("UTF-8")
	if err := screen.Init(); err != nil {
		t.Fatal(err)
	}
	screen.SetSize(80, 21)
	t.Cleanup(func() {
		screen.Fini()
		if err := g.close(); err != nil {
			t.Error(err)
		}
	})
	return g, screen
}

// step makes steps.
func (g *game) step(t *testing.T, n int) {
	t.Helper()
	for range n {
		if err := g.host.Step(1.0 / 60); err != nil {
			t.Fatal(err)
		}
	}
}

// lines are the rows of a screen.
func lines(screen tcell.SimulationScreen) (rows []string) {
	cells, width, height := screen.GetContents()
	for y := range height {
		var b strings.Builder
		for x := range width {
			b.WriteString(string(cells[y*width+x].Runes))
		}
		rows = append(rows, b.String())
	}
	return rows
}

// TestPicture: the higher layer is seen, what turns points to where it goes, and no text commands the terminal.
func TestPicture(t *testing.T) {
	g, screen := open(t)
	g.step(t, 2)
	g.draw(screen)
	screen.Show()
	rows := lines(screen)
	all := strings.Join(rows, "\n")
	for sign, want := range map[string]int{"★": 1, "■": 0, "↑": 1, "here": 1, "┐": 1, "\x1b": 0} {
		if n := strings.Count(all, sign); n != want {
			t.Errorf("%q is there %d times, want %d:\n%s", sign, n, want, all)
		}
	}
	if !strings.HasPrefix(rows[0], " a  [31mscore") || !strings.Contains(rows[20], "5 entities") {
		t.Errorf("the corner and the last line:\n%s", all)
	}
	f := g.look(80, 20)
	if column, row := f.cell(f.point(30, 7)); column != 30 || row != 7 {
		t.Errorf("the cell 30, 7 leads to %d, %d", column, row)
	}
}

// TestAFaultIsShown: a script that fails is news, and the game goes on.
func TestAFaultIsShown(t *testing.T) {
	g, screen := open(t)
	g.step(t, 5)
	g.draw(screen)
	screen.Show()
	if last := lines(screen)[20]; !strings.Contains(last, "a fault in tick 3") {
		t.Errorf("the last line: %q", last)
	}
}

// TestKeys: a key is down when it is heard, and up when nothing was heard of it for a while; opposite ones end each other.
func TestKeys(t *testing.T) {
	g, screen := open(t)
	p := player{game: g, held: map[string]int{}}
	press := func(r rune) { p.hear(screen, tcell.NewEventKey(tcell.KeyRune, r, 0)) }
	input := func() kit.KeyStates { g.step(t, 1); return inputOf(g).Down }
	press('D')
	if !input().D {
		t.Error("d is not down")
	}
	press('a')
	if keys := input(); !keys.A || keys.D {
		t.Errorf("after a: %+v", keys)
	}
	for range patience {
		p.release()
	}
	if input().A {
		t.Error("a is down for ever")
	}
	p.hear(screen, tcell.NewEventMouse(60, 5, tcell.ButtonPrimary, 0))
	g.step(t, 1)
	f := g.look(80, 20)
	if x, y := f.point(60, 5); inputOf(g).PointerX != x || inputOf(g).PointerY != y || !inputOf(g).Pointer {
		t.Errorf("the pointer: %+v, want %v, %v", inputOf(g), x, y)
	}
	if p.hear(screen, tcell.NewEventKey(tcell.KeyRune, 'p', 0)); !g.paced.Paused() {
		t.Error("p does not pause")
	}
	if !p.hear(screen, tcell.NewEventKey(tcell.KeyEscape, 0, 0)) {
		t.Error("Esc does not end it")
	}
}

// TestShow plays until Esc, and the other way around: until the screen has gone.
func TestShow(t *testing.T) {
	for name, end := range map[string]func(tcell.SimulationScreen){
		"Esc": func(s tcell.SimulationScreen) { s.InjectKey(tcell.KeyEscape, 0, 0) }, "gone": func(s tcell.SimulationScreen) { s.Fini() },
	} {
		g, screen := open(t)
		clock, ended := make(chan time.Time), make(chan error)
		go func() { ended <- g.show(screen, clock) }()
		for range 3 {
			clock <- time.Now()
		}
		end(screen)
		if err := <-ended; err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestTerminal plays the demo in a terminal of tmux: it is drawn, a ship is launched with space, and Esc ends it.
func TestTerminal(t *testing.T) {
	tmux, err := exec.LookPath("tmux")
	if err != nil {
		t.Skip("there is no tmux: apt-get install tmux")
	}
	dir := t.TempDir()
	program, socket := filepath.Join(dir, "terminal"), filepath.Join(dir, "socket")
	if text, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	run := func(args ...string) string {
		cmd := exec.Command(tmux, append([]string{"-S", socket, "-f", os.DevNull}, args...)...)
		cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8", "TERM=xterm-256color")
		text, err := cmd.CombinedOutput()
		if err != nil && args[0] != "kill-server" && args[0] != "capture-pane" {
			t.Fatalf("tmux %v: %v: %s", args, err, text)
		}
		return string(text)
	}
	run("-u", "new-session", "-d", "-s", "game", "-x", "120", "-y", "40", program)
	defer run("kill-server")
	shows := func(what string) {
		t.Helper()
		text := ""
		for range 600 {
			if text = run("capture-pane", "-t", "game", "-p"); strings.Contains(text, what) {
				return
			}
			time.Sleep(50 * time.Millisecond)
		}
		t.Fatalf("it does not show %q:\n%s", what, text)
	}
	shows("click to launch")
	shows("entities · p pauses")
	run("send-keys", "-t", "game", "Space")
	shows("to fly")
	run("send-keys", "-t", "game", "Escape")
	for range 600 {
		if exec.Command(tmux, "-S", socket, "has-session", "-t", "game").Run() != nil {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Error("Esc does not end it")
}

// inputOf is what the scripts know of the player.
func inputOf(g *game) *kit.Input { return ecs.Resource[kit.Input](g.world) }
