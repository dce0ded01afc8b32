package main

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/internal/hosttest"
)

func TestOutput(t *testing.T) {
	want, err := os.ReadFile("testdata/output.txt")
	if err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	if err := run(&got, scripts); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got.Bytes(), want) {
		t.Errorf("output:\n%swant:\n%s", got.Bytes(), want)
	}
}

func TestSurvivesAFault(t *testing.T) { hosttest.Survives(t, scripts, run) }

// TestWorkersChangeNothing: the end is the same with one worker and with several, and another
// with another seed.
func TestWorkersChangeNothing(t *testing.T) {
	one := end(t, options{people: 3000, days: 30, workers: 1, seed: 7})
	for _, workers := range []int{2, 5} {
		if many := end(t, options{people: 3000, days: 30, workers: workers, seed: 7}); many != one {
			t.Errorf("with %d workers:\n%swith one:\n%s", workers, many, one)
		}
	}
	if other := end(t, options{people: 3000, days: 30, workers: 2, seed: 8}); other == one {
		t.Errorf("another seed comes to the same end:\n%s", one)
	}
}

// TestFigures: figures are printed for any number of people and days, none included.
func TestFigures(t *testing.T) {
	for _, o := range []options{{workers: 1, figures: true}, {people: 5000, days: 2, workers: 2, seed: 1, figures: true}} {
		text := end(t, o)
		if !strings.Contains(text, "people      ") || !strings.Contains(text, "MB of the world") || strings.Contains(text, "NaN") {
			t.Errorf("of %+v:\n%s", o, text)
		}
	}
}

// TestWrongOptions: numbers that mean nothing are errors.
func TestWrongOptions(t *testing.T) {
	for _, o := range []options{{people: -1}, {days: -1}, {workers: -1}} {
		if err := simulate(new(bytes.Buffer), scripts, o); !errors.Is(err, ecs.ErrRange) {
			t.Errorf("of %+v: %v", o, err)
		}
	}
}

func end(t *testing.T, o options) string {
	t.Helper()
	var out bytes.Buffer
	if err := simulate(&out, scripts, o); err != nil {
		t.Fatal(err)
	}
	return out.String()
}
