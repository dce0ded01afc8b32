package command

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/cmd/internal/game"
	"github.com/perigee-ecs/perigee/cmd/internal/status"
	"github.com/perigee-ecs/perigee/ecs/save"
	"github.com/perigee-ecs/perigee/hotreload"
	"github.com/perigee-ecs/perigee/scripting"
)

// The subcommand check, and how problems of scripts are printed: explain, plan and run
// print those of a load by report, too.

// newCheck makes the subcommand that looks for mistakes. It is for editors and for
// continuous integration: the exit code says whether the scripts would load.
func newCheck() *cobra.Command {
	var detail bool
	var saved string
	cmd := &cobra.Command{
		Use:   "check [DIR]",
		Short: "Look for mistakes in the scripts of a folder without running them",
		Long: `Check loads the scripts of the folder DIR (default: the current one) as run
does, but runs no system. It prints each problem on a line of its own, with
the file, and with the line and the column where they are known. Calls in
functions that have not run are reported where they are certain to fail.
It reads all scenes, the data files in the folder data, and those that a script
asks for (ecs.data).

With --against, it also says what the scripts make of a saved game: which
fields are new or converted, and what would be lost, which is a problem.

The exit code is 0 when there is no problem, and 1 otherwise.`,
		Example: `  perigee check mygame
  perigee check mygame --detail     with the source line of each problem
  perigee check mygame --against slots/auto.save`,
		Args: folders(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := "."
			if len(args) > 0 {
				dir = args[0]
			}
			return check(dir, saved, detail, status.NewScreen(cmd.OutOrStdout()))
		},
	}
	cmd.Flags().BoolVar(&detail, "detail", false, "show the source line of each problem")
	cmd.Flags().StringVar(&saved, "against", "", "say what the scripts make of this save")
	return cmd
}

// check loads a folder into a game of its own, without a step, and prints every problem,
// or how many files and systems it has loaded. Loading runs the top level of each script,
// which may only declare, so checking a folder changes nothing.
//
// What is not compiled is no problem: it is told after those that are.
func check(dir, saved string, detail bool, screen *status.Screen) (err error) {
	var notes []scripting.KernelStatus
	var doubts []*scripting.Error
	tell := func() {
		log := status.NewLogger(screen)
		for _, s := range notes {
			log.Info(s.Note(), "script", diag.OneLine(s.Script), "line", s.Line, "column", s.Column)
		}
		for _, e := range doubts {
			log.Info("note: "+e.Message, "script", diag.OneLine(e.Script), "line", e.Line, "column", e.Column)
		}
	}
	o := game.Options{OnKernel: func(s scripting.KernelStatus) { notes = append(notes, s) }}
	var file *save.File
	if saved != "" {
		if file, err = openSave(saved); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, file.Close()) }()
		o.Tag = file.Tag()
	}
	return withFolder(dir, detail, o, screen, func(g *game.Game) error {
		files, systems := g.Size()
		if files == 0 {
			return errors.New(noScripts(dir))
		}
		problems, err := g.Check()
		if err != nil {
			return err
		}
		if doubts, err = g.Host().CheckNotes(); err != nil {
			return err
		}
		notes = game.JoinNotes(notes, problems)
		if len(problems) > 0 {
			defer tell()
			return show(problems, detail, screen)
		}
		tell()
		if file != nil {
			if err := against(g, file, screen); err != nil {
				return err
			}
		}
		screen.Print(fmt.Sprintf("ok: %s, %s", diag.Plural(files, "file"), diag.Plural(systems, "system")))
		return nil
	})
}

// withFolder loads a folder into a game of its own, without a step, and does something with
// it. Scripts that do not load are reported.
func withFolder(dir string, detail bool, o game.Options, screen *status.Screen, do func(*game.Game) error) (err error) {
	if err := folder(dir); err != nil {
		return err
	}
	o.Log = status.NewLogger(screen)
	g, err := game.New(o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, g.Close()) }()
	if err := g.Load(hotreload.Folder(dir, hotreload.Options{})); err != nil {
		return report(err, detail, screen)
	}
	return do(g)
}

// report prints the problems of scripts that did not load, which are sorted by place. Any
// other error is returned as it is.
// The failure that it returns says that everything has been printed: perform adds
// nothing.
func report(err error, detail bool, screen *status.Screen) error {
	problems := game.Problems(err)
	if len(problems) == 0 {
		return err
	}
	return show(problems, detail, screen)
}

// show prints problems, and returns the failure that they are.
func show(problems []*scripting.Error, detail bool, screen *status.Screen) error {
	for _, p := range problems {
		text := p.Error()
		if detail {
			text = p.DetailIn(screen.Width())
		}
		screen.Print(text)
	}
	screen.Print(diag.Plural(len(problems), "problem"))
	return exitFailure{}
}
