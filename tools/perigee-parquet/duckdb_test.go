package main

import (
	"bytes"
	"encoding/json"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/perigee-ecs/perigee/ecs"
)

// TestDuckDBReadsTables: DuckDB reads what is exported, and finds in it what is in the world. It needs node, and a
// folder in which "npm install @duckdb/node-api" was run.
func TestDuckDBReadsTables(t *testing.T) {
	folder := os.Getenv("PERIGEE_DUCKDB")
	if folder == "" {
		t.Skip("PERIGEE_DUCKDB names no folder with the npm package @duckdb/node-api")
	}
	const seed, n = 15, 300
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	w := ecs.NewWorld()
	defer w.Close()
	things := ecs.Register[thing](w)
	want := map[string]readThing{}
	last := ecs.Entity(0)
	for range n {
		v := draw(random, last)
		last = w.Spawn(things.With(v))
		want[strconv.FormatUint(uint64(last), 10)] = seen(last, &v)
	}
	_, path := saveOf(t, w)
	file := filepath.Join(t.TempDir(), "thing.parquet")
	must(t, run([]string{path, file, "thing"}, io.Discard))
	out, err := exec.Command("node", filepath.Join("testdata", "read.mjs"), folder, file).Output()
	must(t, err)
	rows := 0
	for line := range bytes.Lines(out) {
		var row struct { // integers of 64 bits and infinite numbers are texts in JSON
			Entity, D, H, Who string
			On                bool
			A, B, C, E, F, G  int64
			X                 float32
			Y                 any
			Mood              string
			Entity_           int64
			Marks             []uint16
			Spots             []struct {
				X float32
				N []int32
			}
			Sub struct{ Deep struct{ Z float64 } }
		}
		must(t, json.Unmarshal(line, &row))
		r, known := want[row.Entity]
		delete(want, row.Entity)
		rows++
		y, finite := row.Y.(float64)
		got := readThing{
			Handle: r.Handle, On: row.On, A: int8(row.A), B: int16(row.B), C: int32(row.C), E: uint8(row.E), F: uint16(row.F), G: uint32(row.G),
			X: row.X, Y: y, Mood: row.Mood, Entity: uint16(row.Entity_), Marks: row.Marks,
		}
		got.D, _ = strconv.ParseInt(row.D, 10, 64)
		got.H, _ = strconv.ParseUint(row.H, 10, 64)
		got.Who, _ = strconv.ParseUint(row.Who, 10, 64)
		got.Sub.Deep.Z = row.Sub.Deep.Z
		for _, s := range row.Spots {
			got.Spots = append(got.Spots, readSpot{s.X, s.N})
		}
		if !finite {
			got.Y, err = strconv.ParseFloat(row.Y.(string), 64)
			must(t, err)
		}
		mine, err := json.Marshal(inJSON(got))
		must(t, err)
		theirs, err := json.Marshal(inJSON(r))
		must(t, err)
		if !known || !bytes.Equal(mine, theirs) {
			t.Fatalf("read\n%s\nof\n%s", mine, theirs)
		}
	}
	if rows != n || len(want) > 0 {
		t.Errorf("%d rows are read, %d are missing", rows, len(want))
	}
}

// inJSON is a row without infinite numbers, which JSON has none of.
func inJSON(r readThing) any {
	y := strconv.FormatFloat(r.Y, 'g', -1, 64)
	r.Y = 0
	return []any{r, y}
}
