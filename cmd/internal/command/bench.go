package command

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/perigee-ecs/perigee/cmd/internal/bench"
)

// The subcommand bench: its flags and its two forms of output. What is measured, and
// how, is in package bench.

// newBench makes the subcommand that measures systems written in several ways. The figures
// come one workload after the other, as soon as they are known: a whole run takes minutes.
func newBench() *cobra.Command {
	o := bench.Options{}
	var asJSON bool
	var saveTo, against string
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure systems, each written in several ways",
		Long:  benchHelp,
		Example: `  perigee bench
  perigee bench --workload all --n 10000
  perigee bench --workload spring,fade --who "lua kernel" --json --rounds 9
  perigee bench --workload all --n 10000 --save before.json
  perigee bench --workload all --n 10000 --against before.json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkBench(&o); err != nil {
				return usageError{err}
			}
			if saveTo != "" {
				if _, err := os.Stat(filepath.Dir(saveTo)); err != nil {
					return usageError{fmt.Errorf("--save %s: %w", saveTo, err)}
				}
			}
			if against != "" {
				var err error
				if o.Against, err = readBaseline(against); err != nil {
					return usageError{fmt.Errorf("--against %s: %w", against, err)}
				}
				if !o.Comparable() {
					return usageError{fmt.Errorf("--against %s: it has none of these workloads with as many entities", against)}
				}
			}
			print := printTable(cmd.OutOrStdout())
			if asJSON {
				print = printLines(cmd.OutOrStdout())
			}
			tuneCollector(gcPercent)
			var all []bench.Result
			err := bench.Run(o, func(results []bench.Result) error {
				all = append(all, results...)
				return print(results)
			})
			if err == nil && saveTo != "" {
				err = saveBaseline(saveTo, bench.NewBaseline(all))
			}
			if err != nil || o.Against == nil {
				return err
			}
			return regressions(against, all)
		},
	}
	cmd.Flags().StringSliceVar(&o.Workloads, "workload", []string{"bounce"}, "workloads to measure; all means every one")
	cmd.Flags().StringSliceVar(&o.Who, "who", nil, "ways to measure next to go slices (default: all)")
	cmd.Flags().IntSliceVar(&o.N, "n", []int{1_000, 10_000, 100_000, 1_000_000}, "numbers of entities to measure with")
	cmd.Flags().IntVar(&o.Rounds, "rounds", 15, "how often to measure each way")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print each figure as a JSON object on its own line")
	cmd.Flags().StringVar(&saveTo, "save", "", "write the figures to this file, for --against")
	cmd.Flags().StringVar(&against, "against", "", "compare with the figures of this file; exit code 1 if something is 10 % slower")
	return cmd
}

// benchHelp is the long text of perigee bench --help.
const benchHelp = `Bench measures the same system written in several ways:

  go slices   a loop over plain Go slices, without any ECS
  go query    a Go system
  lua batch   a Lua system that loops over columns
  lua bulk    a Lua system that works on whole columns at once where it can
  lua each    a Lua function for each entity, not compiled
  lua kernel  the same function, compiled
  luar        gopher-luar proxies of Go structs; at most 10,000 entities

The workloads:

  integrate   moves entities
  bounce      moves entities and turns them at the edges of a box
  bounce-f32  bounce in single precision
  spring      damped springs
  steer       a flock that steers by the handles of its neighbours, and moves
  regen       health that comes back, up to a maximum
  cooldown    timers; an entity is despawned at the end of its timer
  damage      armor that wears off, and an event when it is gone
  states      a machine of four states
  fade        particles that age, shrink and fade
  nbody       bodies that pull each other; at most 1,000

Bench measures only the runs of the systems, in nanoseconds per entity, and
counts allocations per tick. The ways take turns, and the fastest of several
rounds counts, so the ratios hold on a busy machine. Before it measures, bench
checks that all ways compute exactly the same numbers. The garbage collector
and the limits of scripts are set as run sets them.

With --save, the figures are kept in a file; with --against, they are compared
with such a file: each way beside go slices in its own run, so that a slower
machine makes no difference. What seems slower is measured up to two times more.
If it still takes 10 % longer, or allocates more, bench names it and ends with
exit code 1.`

// readBaseline reads the file of --against.
func readBaseline(path string) (*bench.Baseline, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, errors.Unwrap(err)
	}
	defer f.Close()
	return bench.ReadBaseline(f)
}

// saveBaseline writes the file of --save; one that was there stays if that fails.
func saveBaseline(path string, b *bench.Baseline) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*")
	if err == nil {
		defer os.Remove(f.Name())
		if err = errors.Join(b.Write(f), f.Chmod(0o644), f.Close()); err == nil {
			err = os.Rename(f.Name(), path)
		}
	}
	if err != nil {
		return fmt.Errorf("--save %s: %w", path, err)
	}
	return nil
}

// regressions returns an error that lists what is slower than in the baseline.
func regressions(path string, results []bench.Result) error {
	if bench.Compared(results) == 0 {
		return fmt.Errorf("--against %s: it has none of these ways to measure", path)
	}
	if list := bench.Regressions(results); len(list) > 0 {
		return fmt.Errorf("worse than in %s:\n  %s", path, strings.Join(list, "\n  "))
	}
	return nil
}

// checkBench checks the flags, and replaces "all" by the names of all workloads.
// Everything is checked before the first workload is measured.
// A mistake in a flag must not show after minutes.
func checkBench(o *bench.Options) error {
	if slices.Contains(o.Workloads, "all") {
		o.Workloads = bench.Workloads()
	}
	if err := known("workload", o.Workloads, bench.Workloads()); err != nil {
		return err
	}
	if err := known("who", o.Who, bench.Contenders()); err != nil {
		return err
	}
	for _, n := range o.N {
		if n < 1 || n > 10_000_000 {
			return fmt.Errorf("--n %d: a number of entities is 1 to 10000000", n)
		}
	}
	if o.Rounds < 1 {
		return fmt.Errorf("--rounds %d: at least one round", o.Rounds)
	}
	return nil
}

// known returns an error that lists all names, if one of the names does not exist.
func known(flag string, names, all []string) error {
	for _, name := range names {
		if !slices.Contains(all, name) {
			return fmt.Errorf("--%s %q: there are %s", flag, name, strings.Join(all, ", "))
		}
	}
	return nil
}

// printLines prints each result as a JSON object on a line of its own, for other programs
// to read.
func printLines(w io.Writer) func([]bench.Result) error {
	return func(results []bench.Result) error {
		for _, r := range results {
			if err := printJSON(w, r); err != nil {
				return err
			}
		}
		return nil
	}
}

// printTable prints a table for each number of entities. The first result is that of plain
// slices, to which the others are compared.
func printTable(w io.Writer) func([]bench.Result) error {
	return func(results []bench.Result) error {
		first := results[0]
		title := fmt.Sprintf("%s, %d entities", first.Workload, first.N)
		before := ""
		if bench.Compared(results) > 0 {
			before = fmt.Sprintf(" %10s", "× before")
		}
		fmt.Fprintf(w, "%-28s %10s %12s %10s%s\n", title, "ns/entity", "× "+first.Who, "allocs/op", before)
		for _, r := range results {
			fmt.Fprintf(w, "%-28s %10.2f %12.2f %10.0f", r.Who, r.NsPerEntity, r.NsPerEntity/first.NsPerEntity, r.AllocsPerOp)
			if r.Against > 0 {
				fmt.Fprintf(w, " %10.2f", r.Against)
			}
			fmt.Fprintln(w)
		}
		_, err := fmt.Fprintln(w)
		return err
	}
}
