package command

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/cmd/internal/game"
	"github.com/perigee-ecs/perigee/cmd/internal/status"
	"github.com/perigee-ecs/perigee/hotreload"
	"github.com/perigee-ecs/perigee/scripting"
)

// The subcommand explain: the reports on kernels that package scripting makes, as text.

// explainHelp is the long text of perigee explain --help.
const explainHelp = `Explain shows how the each functions of the script FILE are compiled, or only
that of the system SYSTEM: the Lua, what makes its kernel leave a row to the
VM, and how rows are worked on together. For a function that is not compiled,
it shows what prevents it, with a caret under the very token. Of systems with
run, batch or on, it says why the VM runs them.

With --all, it also shows what the compiler makes of the function: its own form
before and after each pass that changes it, and the instructions of the kernel,
which are many.

Explain loads the whole folder of the game, because scripts require each
other. That is the folder which holds FILE, or the nearest one above it whose
scripts load, unless --dir names another.

With --ticks, it plays so many ticks first. Kernels are then those for the
values that scripts have by now, and a last line says how many rows the kernel
and the VM have run, and how long it took them.`

// newExplain makes the subcommand that shows how each functions are compiled.
func newExplain() *cobra.Command {
	var dir string
	var ticks uint64
	var all bool
	cmd := &cobra.Command{
		Use:   "explain FILE[:SYSTEM]",
		Short: "Show how each functions are compiled, or why they are not",
		Long:  explainHelp,
		Example: `  perigee explain mygame/health.lua
  perigee explain mygame/health.lua:health.regen --all
  perigee explain mygame/ai/steer.lua:ai.steer --dir mygame --ticks 60`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return fmt.Errorf("explain takes one script, not %d", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			file, system, _ := strings.Cut(filepath.ToSlash(args[0]), ".lua:")
			if system != "" {
				file += ".lua"
			}
			return explain(file, system, dir, ticks, all, status.NewScreen(cmd.OutOrStdout()))
		},
	}
	cmd.Flags().StringVar(&dir, "dir", "", "folder of the game (default: FILE's, or one above it)")
	countVar(cmd, &ticks, "ticks", "play so many ticks before")
	cmd.Flags().BoolVar(&all, "all", false, "show the passes of the compiler and the instructions, too")
	return cmd
}

// explain loads the whole folder of a script and prints the reports on its kernels. The
// name of the script is its path below that folder, as require has it.
func explain(file, system, dir string, ticks uint64, all bool, screen *status.Screen) error {
	if info, err := os.Stat(filepath.FromSlash(file)); err == nil && info.IsDir() {
		return usageError{fmt.Errorf("%q is a folder: name one of its scripts", file)}
	}
	if dir == "" {
		dir = gameFolder(filepath.FromSlash(file))
	}
	script, err := filepath.Rel(dir, filepath.FromSlash(file))
	if err != nil {
		return usageError{err}
	}
	err = withFolder(dir, false, game.Options{OnKernel: func(scripting.KernelStatus) {}}, screen, func(g *game.Game) error {
		if ticks > 0 {
			g.Run(context.Background(), game.Pace{Ticks: ticks, Hz: 60, Free: true}, func() {})
		}
		reports, err := g.Explain(filepath.ToSlash(script), system)
		if err != nil {
			return err
		}
		if len(reports) == 0 {
			screen.Print(fmt.Sprintf("%s has no kernel and no system", file))
		}
		for i := range reports {
			screen.Print(explained(&reports[i], all))
		}
		return nil
	})
	if errors.Is(err, exitFailure{}) {
		screen.Print(fmt.Sprintf("these are problems of the folder %s: if the game's is another one, name it with --dir", dir))
	}
	return err
}

// gameFolder returns the folder of a script, or the nearest one above it whose scripts load: require
// goes by paths below the folder of the game. When none does it is that of the script, whose problems
// are then reported.
func gameFolder(file string) string {
	const most = 4 // folders above it
	first := filepath.Dir(file)
	for dir, n := first, 0; n <= most; dir, n = filepath.Join(dir, ".."), n+1 {
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			break
		}
		if loads(dir) {
			return dir
		}
	}
	return first
}

// loads reports whether the scripts of a folder load.
func loads(dir string) bool {
	g, err := game.New(game.Options{Log: slog.New(slog.DiscardHandler), OnKernel: func(scripting.KernelStatus) {}})
	if err != nil {
		return false
	}
	err = g.Load(hotreload.Folder(dir, hotreload.Options{}))
	files, _ := g.Size()
	return errors.Join(err, g.Close()) == nil && files > 0
}

// explained writes one report: the source, what may stop a row, and how rows go together; for
// all, each pass that changes something, and the instructions, too.
func explained(r *scripting.KernelReport, all bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s\n\n%s", r.What(), diag.OneLine(r.Script), r.Source)
	if r.NoRows {
		fmt.Fprintf(&b, "\n%s\n%s", r.Obstacle, ran(&r.Ran))
		return b.String()
	}
	if len(r.Passes) == 0 {
		fmt.Fprintf(&b, "\nnot compiled: %s\n%s", r.Obstacle, ran(&r.Ran))
		return b.String()
	}
	if all {
		for _, s := range r.Passes {
			fmt.Fprintf(&b, "\n%s: %s\n%s", s.Name, s.Reason, indented(s.Text))
		}
		fmt.Fprintf(&b, "\nwasm: the instructions\n%s", indented(r.Text))
	}
	b.WriteString("\n")
	if len(r.StopReasons) == 0 {
		b.WriteString("proven: no row can stop it, so nothing is copied for the undo")
		if r.Changes {
			b.WriteString(", unless a limit of changes is near")
		}
		b.WriteString("\n")
	}
	for _, why := range r.StopReasons {
		fmt.Fprintf(&b, "not proven: %s\n", diag.OneLine(why))
	}
	fmt.Fprintf(&b, "rows: %s\n", r.Vector)
	if r.Obstacle != "" {
		fmt.Fprintf(&b, "\nthe VM runs rows that come here: %s\n", r.Obstacle)
	}
	if r.Comes > 0 {
		fmt.Fprintf(&b, "\nanother kernel is being compiled beside the ticks, for tick %d\n", r.Comes)
	}
	if r.Unready != "" {
		fmt.Fprintf(&b, "\nthe VM has run all rows of the last tick: %s\n", diag.OneLine(r.Unready))
	}
	b.WriteString(ran(&r.Ran))
	return b.String()
}

// ran says what has run where; nothing if nothing has.
func ran(r *scripting.Ran) string {
	if r.Kernel.Calls+r.VM.Calls == 0 {
		return ""
	}
	text := fmt.Sprintf("\nran: %s by the kernel in %s, %s by the VM in %s", rowsOf(r.Kernel), millis(r.Kernel.Time), rowsOf(r.VM), millis(r.VM.Time))
	if r.Kernel.Rows+r.VM.Rows == 0 {
		text = fmt.Sprintf("\nran: %s by the VM in %s", diag.Plural(int(r.VM.Calls), "call"), millis(r.VM.Time))
	}
	if r.Foreign.Calls > 0 {
		text += fmt.Sprintf(", %s of the host's functions in %s", diag.Plural(int(r.Foreign.Calls), "call"), millis(r.Foreign.Time))
	}
	return text + "\n"
}

func rowsOf(s scripting.Effort) string { return diag.Plural(int(s.Rows), "row") }

// millis writes a time in milliseconds.
func millis(d time.Duration) string {
	return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond))
}

// indented moves every line of a text two columns to the right.
func indented(text string) string {
	return "  " + strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\n  ") + "\n"
}
