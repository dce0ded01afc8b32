// Command 11-batch runs a simulation as fast as it goes: no clock, no window, a million entities
// and all processors. Here it is an epidemic; a step is a day.
package main

import (
	"embed"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"log"
	"os"
	"runtime"
	"slices"
	"time"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/scripting"
)

//go:embed *.lua
var scripts embed.FS

// Person is one of the entities.
type Person struct {
	Luck  float64 // the last of their own random numbers, from 1 to 2^31 - 2
	Days  float32 // until an ill one is well again
	State uint8   // well, ill or immune
}

// City is what is known of all of them, at the end of a day.
type City struct {
	Ill, Immune int64
	IllPart     float64 // of all
}

const ill, immune = 1, 2 // of Person.State

// options of a run.
type options struct {
	people, days, workers int
	seed                  uint64
	figures               bool // print how long it took, too
}

func main() {
	o := options{}
	folder := flag.String("scripts", "", "folder of scripts; empty takes those of the example")
	flag.IntVar(&o.people, "n", 1_000_000, "people")
	flag.IntVar(&o.days, "ticks", 100, "days")
	flag.IntVar(&o.workers, "workers", runtime.GOMAXPROCS(0), "goroutines that work at the same time")
	flag.Uint64Var(&o.seed, "seed", 1, "of the random numbers: the same seed gives the same end")
	flag.BoolVar(&o.figures, "figures", true, "print how long it took")
	flag.Parse()
	files := fs.FS(scripts)
	if *folder != "" {
		files = os.DirFS(*folder)
	}
	if err := simulate(os.Stdout, files, o); err != nil {
		log.Fatal(err)
	}
}

// run is what the test compares: the same on every machine, with any number of workers.
func run(out io.Writer, scripts fs.FS) error {
	return simulate(out, scripts, options{people: 20_000, days: 100, workers: runtime.GOMAXPROCS(0), seed: 1})
}

// simulate runs all days and prints what came of it.
func simulate(out io.Writer, scripts fs.FS, o options) error {
	if o.days < 0 {
		return fmt.Errorf("%w: %d days", ecs.ErrRange, o.days)
	}
	world, err := ecs.Open(ecs.Options{Seed: o.seed, Workers: o.workers})
	if err != nil {
		return err
	}
	defer world.Close()
	began := time.Now()
	city, err := found(world, o.people)
	if err != nil {
		return err
	}
	spawned := time.Since(began)
	host, err := scripting.New(world, scripting.Options{})
	if err != nil {
		return err
	}
	defer host.Close()
	if err := host.Load(scripts); err != nil {
		return err
	}
	loaded := time.Since(began) - spawned

	ticks := make([]time.Duration, o.days)
	for day := range o.days {
		began := time.Now()
		if err := host.Step(1); err != nil {
			return err
		}
		ticks[day] = time.Since(began)
		if (day+1)%20 == 0 {
			fmt.Fprintf(out, "day %3d: %6d ill, %6d immune\n", day+1, city.Ill, city.Immune)
		}
	}
	fmt.Fprintf(out, "checksum %016x\n", world.Checksum())
	if o.figures {
		figures(out, world, o, spawned, loaded, ticks)
	}
	return nil
}

// found makes the people, of whom one in a thousand is ill, and the system that counts them.
func found(world *ecs.World, people int) (*City, error) {
	person := ecs.Register[Person](world)
	city := ecs.Provide(world, &City{})
	n, random := 0, world.Random()
	err := world.SpawnMany(people, func(c *ecs.Chunk) {
		ps := person.Mut(c)
		for i := range ps {
			ps[i].Luck = float64(1 + random.Uint64()%(1<<31-2))
			if n%1000 == 0 {
				ps[i].State, ps[i].Days = ill, 7
			}
			n++
		}
	}, person.With(Person{}))
	if err != nil {
		return nil, err
	}
	return city, world.Schedule().Add(counting(world, person, city))
}

// counting is a system in Go: it counts on all processors at once, by chunks.
func counting(world *ecs.World, person ecs.Component[Person], city *City) ecs.System {
	all := world.Query(ecs.Read(person))
	var count states
	countChunk := func(_ *ecs.Tick, c *ecs.Chunk) { count.add(person.Of(c)) }
	return ecs.System{
		Name: "city.count", Phase: ecs.Input, Queries: []*ecs.Query{all},
		Run: func(t *ecs.Tick) error {
			count.reset()
			if err := t.Parallel(all, countChunk); err != nil {
				return err
			}
			city.Ill, city.Immune = count.of(ill), count.of(immune)
			city.IllPart = float64(city.Ill) / float64(max(world.Len(), 1))
			return nil
		},
	}
}

// figures prints how long it took and how much memory.
func figures(out io.Writer, world *ecs.World, o options, spawned, loaded time.Duration, ticks []time.Duration) {
	slices.Sort(ticks)
	stats := world.Stats()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	fmt.Fprintf(out, "people      %d, with %d workers\n", o.people, o.workers)
	fmt.Fprintf(out, "spawn       %.1f ms\n", ms(spawned))
	fmt.Fprintf(out, "load        %.1f ms\n", ms(loaded))
	if len(ticks) > 0 {
		best, median := ticks[0], ticks[len(ticks)/2]
		fmt.Fprintf(out, "tick        %.2f ms at best, %.2f ms in the median\n", ms(best), ms(median))
		fmt.Fprintf(out, "for each    %.2f ns at best\n", float64(best)/float64(max(o.people, 1)))
	}
	fmt.Fprintf(out, "memory      %.1f MB of the world, %.1f MB of Go\n", float64(stats.ArenaBytes)/1e6, float64(m.HeapAlloc)/1e6)
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
