package scripting_test

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

// TestConsoleCompletes: names that may stand at the end of a text.
func TestConsoleCompletes(t *testing.T) {
	host := consoleHost(t, scripting.Limits{})
	c := host.Console()
	if _, err := c.Run(`hull = { plates = 3, paint = { red = 1 }, mend = function() end }
		trap = setmetatable({ real = 1 }, { __index = function() error "asked" end })`); err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct{ text, typed, want, not string }{
		{"he", "he", "", "Health"},
		{"He", "He", "Health", "hull"},
		{"hu", "hu", "hull", ""},
		{"hull.p", "p", "paint plates", "mend"},
		{"hull:", "", "mend", "paint"},
		{"hull.paint.", "", "red", ""},
		{"trap.", "", "real", ""},
		{"trap.x.", "", "", "real"},
		{"ecs.sp", "sp", "spawn spawn_many", "emit"},
		{"return ecs.count(\"Sh", "Sh", "Ship", "Health"},
		{"ecs.count { \"Ship\", 'He", "He", "Health", "Ship"},
		{"ecs.spawn('Sc", "Sc", "Scout", "Ship"},
		{"ecs.state \"", "", "score", "Ship"},
		{"ecs.enable('", "", "regen hits", "Ship"},
		{"ecs.emit(\"", "", "Hit", "Ship"},
		{"require(\"sh", "sh", "ships", "ecs"},
		{"require('ships').", "", "", ""},
		{"local s = require 'ships' s.", "", "speed list secret tell", ""},
		{"local s = require('ships'); s.li", "li", "list", "speed"},
		{"local m = hull.paint m.", "", "red", "plates"},
		{"ecs.get(e, Health).", "", "hp max", ""},
		{"local h = ecs.get(1, 'Health') h.m", "m", "max", "hp"},
		{"Health { ", "", "hp max Health", ""},
		{"ecs.spawn(Ship, Health{ hp = 1, m", "m", "max", "hp"},
		{"math.fl", "fl", "floor", ""},
		{"local thing = 1 th", "th", "then thing", ""},
		{"for entity, hp in each(Health) do ent", "ent", "entity", ""},
		{"function f(alpha, beta) be", "be", "beta", ""},
		{"-- he", "", "", "Health"},
		{"--[[ a ]] He", "He", "Health", ""},
		{"--[[ He", "", "", "Health"},
		{"x = [[He", "He", "", "Health"},
		{"f(1)[2].", "", "", "Health"},
		{"12", "", "", "Health"},
		{"Wor", "Wor", "", ""},
		{"wh", "wh", "while", ""},
		{"ecs.", "", "component get entities", "Health"},
		{"'a", "a", "", ""},
		{"nowhere.a.b", "b", "", ""},
	} {
		list, typed, err := c.Complete(x.text, len(x.text))
		if err != nil || typed != x.typed {
			t.Errorf("%s: typed %q, want %q: %v", x.text, typed, x.typed, err)
		}
		var names []string
		for _, one := range list {
			names = append(names, one.Name)
			if !strings.HasPrefix(one.Name, typed) {
				t.Errorf("%s: %q does not begin with %q", x.text, one.Name, typed)
			}
		}
		all := " " + strings.Join(names, " ") + " "
		for name := range strings.FieldsSeq(x.want) {
			if !strings.Contains(all, " "+name+" ") {
				t.Errorf("%s: %q is missing among%s", x.text, name, all)
			}
		}
		if x.not != "" && strings.Contains(all, " "+x.not+" ") || x.want == "" && len(names) > 0 && x.text != "ecs." {
			t.Errorf("%s: too much in%s", x.text, all)
		}
		if len(list) > 50 {
			t.Errorf("%s: %d names", x.text, len(list))
		}
	}
	if list, _, err := c.Complete("ecs.children", 10); err != nil || len(list) != 1 || list[0].Detail != "ecs.children(e)" {
		t.Error(list, err)
	}
	for _, at := range []int{-1, 3} {
		if _, _, err := c.Complete("ab", at); !errors.Is(err, ecs.ErrRange) {
			t.Error(err)
		}
	}
	host.Close()
	if _, _, err := c.Complete("a", 1); !errors.Is(err, scripting.ErrClosed) {
		t.Error(err)
	}
}

// TestConsoleCompletesTheEnd: the last lines of a long text are looked at, and those before are not.
func TestConsoleCompletesTheEnd(t *testing.T) {
	c := consoleHost(t, scripting.Limits{}).Console()
	text := "local herald = 1\n" + strings.Repeat("print(1)\n", 500) + "local hero = 2\nprint(her"
	list, typed, err := c.Complete(text, len(text))
	if err != nil || typed != "her" || len(list) != 1 || list[0].Name != "hero" {
		t.Errorf("%q: %v, %v", typed, list, err)
	}
	one := strings.Repeat("+ x ", 2000) + "+ ecs.childre"
	if list, _, err := c.Complete(one, len(one)); err != nil || len(list) != 1 || list[0].Name != "children" {
		t.Errorf("in one line: %v, %v", list, err)
	}
}

// TestConsoleCompletesInLine: what completion takes grows with the length of the text up to 4 KiB, not with its square, and no more after
// that. A text of eight times the length may take five times the eightfold: the square would be 64.
func TestConsoleCompletesInLine(t *testing.T) {
	c := consoleHost(t, scripting.Limits{}).Console()
	for _, part := range []string{"local a=f(", "function ", "function f(", "local a=f{[(", "local v,", "for x,", "f(", "a."} {
		for _, close := range []string{"", "(", ")", "x."} {
			took := func(bytes int) time.Duration {
				text := strings.Repeat(part, bytes/2/len(part)) + strings.Repeat(close+" ", bytes/2/(len(close)+1))
				least := time.Duration(math.MaxInt64)
				for range 15 {
					began := time.Now()
					if _, _, err := c.Complete(text, len(text)); err != nil {
						t.Fatal(err)
					}
					least = min(least, time.Since(began))
				}
				return least
			}
			if short, long := took(512), took(scripting.MostConsoleText); long > 40*short {
				t.Errorf("%q and %q: %v, and %v for the longest text", part, close, short, long)
			}
		}
	}
}
