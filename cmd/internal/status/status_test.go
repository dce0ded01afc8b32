package status

import (
	"bytes"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/perigee-ecs/perigee/cmd/internal/meter"
	"github.com/perigee-ecs/perigee/ecs"
)

func sample() *Report {
	return &Report{
		Title: "perigee-demo", Hint: "edit perigee-demo/*.lua and save; Ctrl-C ends the run",
		Elapsed: 83 * time.Second, Ticks: 4980, Window: 30, Rate: 59.94, Tick: 3420 * time.Microsecond,
		Entities: 10012, Reloads: 3, Refused: 1, Errors: 2, Each: 7, Compiled: 5, Kernel: Work{988, 410 * time.Millisecond}, VM: Work{12, 590 * time.Millisecond},
		Systems: []meter.Share{
			{Name: "kit.collide", Took: 30 * 800 * time.Microsecond, Worst: 850 * time.Microsecond},
			{Name: "enemies.squads.flank.choose_the_targets", Took: 30 * 450 * time.Microsecond, Worst: 225 * time.Millisecond},
			{Name: "damage.apply", Took: 30 * time.Microsecond, Health: ecs.Parked},
		},
		Places: map[string]string{"kit.collide": "Go", "damage.apply": "kernel", "enemies.squads.flank.choose_the_targets": "VM"}, Hz: 60,
	}
}

func TestBlock(t *testing.T) {
	plain := strings.NewReplacer(bold, "", dim, "", red, "", reset, "")
	for _, c := range []struct {
		width, height int
		want          string
	}{
		{80, 24, `
perigee-demo   59.9 ticks/s   tick 3.42 ms   10,012 entities   1m23s
  kit.collide                    0.80 ms  worst   0.85 ms  Go      █████████████
  enemies.squad…se_the_targets   0.45 ms  worst 225.00 ms  VM      ███████▍
  damage.apply                   0.00 ms  worst   0.00 ms  kernel  parked
reloads 3   refused 1   errors 2   compiled 5 of 7: 98 % of rows, 41 % of time
edit perigee-demo/*.lua and save; Ctrl-C ends the run
`},
		{44, 4, `
perigee-demo   59.9 ticks/s   tick 3.42 ms …
  kit.collide                    0.80 ms  w…
reloads 3   refused 1   errors 2   compiled…
edit perigee-demo/*.lua and save; Ctrl-C en…
`},
		{20, 2, `
perigee-demo   59.9…
reloads 3   refused…
`},
	} {
		got := "\n" + plain.Replace(strings.Join(sample().Block(c.width, c.height), "\n")) + "\n"
		if got != c.want {
			t.Errorf("%d × %d:%s", c.width, c.height, got)
		}
	}
}

// TestAllIsAll: 100 % stands for all rows and all of the time, and for no less.
func TestAllIsAll(t *testing.T) {
	for want, v := range map[string]*Report{
		"compiled 2 of 2: 100 % of rows, 100 % of time": {Each: 2, Compiled: 2, Kernel: Work{3, 5}},
		"compiled 2 of 2: 100 % of rows, 99 % of time":  {Each: 2, Compiled: 2, Kernel: Work{3, 1e15}, VM: Work{0, 1}},
		"compiled 2 of 2: 99 % of rows, 50 % of time":   {Each: 2, Compiled: 2, Kernel: Work{1e9, 4}, VM: Work{1, 4}},
		"errors 0   compiled 0 of 2":                    {Each: 2, VM: Work{1, 4}},
	} {
		if got := strings.Join(v.Block(80, 9), "\n"); !strings.Contains(got, want+"\n") {
			t.Errorf("want %q:\n%s", want, got)
		}
	}
}

func TestNoLineIsWiderThanTheTerminal(t *testing.T) {
	for width := range 120 {
		for _, line := range sample().Block(width, 20) {
			if visible(line) > max(width, 1) {
				t.Fatalf("%d columns: %q takes %d", width, line, visible(line))
			}
		}
	}
}

func TestLine(t *testing.T) {
	want := "tick 4980: 59.9 ticks/s, 3.42 ms per tick, 10,012 entities, slowest kit.collide 0.80 ms, worst 0.85 ms"
	if got := sample().Line(); got != want {
		t.Errorf("%q", got)
	}
	if got := (&Report{Rate: 12345.6}).Line(); got != "tick 0: 12,346 ticks/s, 0.00 ms per tick, 0 entities" {
		t.Errorf("%q", got)
	}
}

// TestSlowerThanRealTime: a game that does not keep its rate says so, and one that does not.
func TestSlowerThanRealTime(t *testing.T) {
	v := sample()
	v.Rate = 41.3
	for _, text := range []string{v.Block(120, 20)[0], v.Line()} {
		if !strings.Contains(text, "41.3 ticks/s of 60: slower than real time") {
			t.Errorf("%q", text)
		}
	}
	v.Rate = 58
	if text := v.Block(120, 20)[0] + v.Line(); strings.Contains(text, "slower") {
		t.Errorf("%q", text)
	}
}

// terminal plays what a screen writes onto rows of text, breaking long lines.
type terminal struct {
	bytes.Buffer
	width int
}

// rows returns what is to be seen. It knows the sequences that Screen uses.
func (t *terminal) rows() []string {
	erased := regexp.MustCompile("^\x1b\\[(\\d+)A\r\x1b\\[J")
	rows, text := []string{""}, t.String()
	for len(text) > 0 {
		if m := erased.FindStringSubmatch(text); m != nil {
			up, _ := strconv.Atoi(m[1])
			rows = append(rows[:len(rows)-1-up], "")
			text = text[len(m[0]):]
			continue
		}
		if text[0] == 0x1b {
			text = text[strings.IndexAny(text, "mhl")+1:]
			continue
		}
		r := []rune(text)[0]
		text = text[len(string(r)):]
		switch last := &rows[len(rows)-1]; {
		case r == '\n':
			rows = append(rows, "")
		case len([]rune(*last)) == t.width:
			rows = append(rows, string(r))
		default:
			*last += string(r)
		}
	}
	return rows
}

func (t *terminal) screen() *Screen {
	return &Screen{out: t, size: func() (int, int, error) { return t.width, 20, nil }}
}

func TestTheBlockStaysAtTheEnd(t *testing.T) {
	out := &terminal{width: 60}
	s := out.screen()
	s.Print("first")
	s.Show(sample())
	s.Print("second\n")
	if got := len(out.rows()); got != 2+6+1 {
		t.Errorf("%d rows after a line: the block has gone\n%s", got, strings.Join(out.rows(), "\n"))
	}
	s.Show(sample())
	s.Show(sample())
	if got := len(out.rows()); got != 2+6+1 {
		t.Errorf("%d rows:\n%s", got, strings.Join(out.rows(), "\n"))
	}
	s.Close()
	if got := strings.Join(out.rows(), "|"); got != "first|second|" {
		t.Errorf("left on the screen: %q", got)
	}
	if text := out.String(); strings.LastIndex(text, showCursor) < strings.LastIndex(text, hideCursor) {
		t.Error("the cursor stays hidden")
	}
}

// A terminal that becomes narrower breaks the lines that are there already.
func TestTheBlockGoesFromANarrowedTerminal(t *testing.T) {
	out := &terminal{width: 60}
	s := out.screen()
	s.Print("first")
	s.Show(sample())
	out.width = 20
	s.Close()
	if got := strings.Join(out.rows(), "|"); got != "first|" {
		t.Errorf("left on the screen: %q", got)
	}
}

func TestColors(t *testing.T) {
	out := &terminal{width: 60}
	s := out.screen()
	s.Alert("bad")
	if got := out.String(); got != red+"bad"+reset+"\n" {
		t.Errorf("an alert is %q", got)
	}
	out.Reset()
	s.plain = true
	s.Alert("bad")
	s.Show(sample())
	if got := out.String(); !strings.HasPrefix(got, "bad\n") || regexp.MustCompile(`\x1b\[\d*m`).MatchString(got) {
		t.Errorf("colors in %q", got)
	}
}

func TestNoTerminalNoBlock(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	s := NewScreen(w)
	s.Show(sample())
	s.Print("only this")
	s.Close()
	w.Close()
	var out bytes.Buffer
	if _, err := out.ReadFrom(r); err != nil || out.String() != "only this\n" || s.Live() {
		t.Errorf("written %q, error %v", &out, err)
	}
}

func TestLogger(t *testing.T) {
	var out bytes.Buffer
	log := NewLogger(&Screen{out: &out})
	log.Info("wave 3 begins", "script", "waves.lua", "line", 14)
	log.With("script", "ai/steer.lua").Warn("slow", "line", 2, "ms", 20)
	log.Error("no script")
	log.Debug("nobody wants to know")
	log.WithGroup("net").With("port", 80).Info("open")
	want := `waves.lua:14: wave 3 begins
ai/steer.lua:2: warning: slow ms=20
error: no script
open net.port=80
`
	if out.String() != want {
		t.Errorf("logged:\n%s", &out)
	}
}
