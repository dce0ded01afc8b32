package command

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/cmd/internal/game"
	"github.com/perigee-ecs/perigee/cmd/internal/status"
	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/save"
	"github.com/perigee-ecs/perigee/scripting/record"
	"github.com/perigee-ecs/perigee/scripting/saves"
)

// The subcommand save, which looks into saves, and the flags of run and check that concern
// them.

// saveFlags are the flags of perigee run that concern saves.
type saveFlags struct {
	load, save, slots string
	autosave          time.Duration
}

// flags adds them to the command.
func (f *saveFlags) flags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.load, "load", "", "begin with the game in this save, see perigee save")
	flags.StringVar(&f.save, "save", "", "write the game to this save when the run ends")
	flags.StringVar(&f.slots, "slots", "", "a folder for the saves of --autosave, and of scripts")
	flags.DurationVar(&f.autosave, "autosave", 0, "save into --slots whenever so much time of the simulation has passed: 30s, 5m")
}

// check refuses flags that make no sense together.
func (f *saveFlags) check(record string) error {
	switch {
	case record != "" && filepath.Clean(record) == filepath.Clean(f.save):
		return usageError{errors.New("--record and --save name the same file")}
	case record != "" && f.slots != "":
		return usageError{errors.New("--record is of one game from beginning to end, and scripts may load others from --slots: leave one of them out")}
	case f.autosave < 0:
		return usageError{errors.New("--autosave takes a time such as 30s")}
	case f.autosave > 0 && f.slots == "":
		return usageError{errors.New("--autosave needs a folder: --slots DIR")}
	}
	if info, err := os.Stat(f.save); err == nil && !info.Mode().IsRegular() {
		return usageError{fmt.Errorf("--save: %q is no file", f.save)}
	}
	return nil
}

// open opens the save to begin with, nil if there is none to.
func (f *saveFlags) open() (*save.File, error) {
	if f.load == "" {
		return nil, nil
	}
	return openSave(f.load)
}

// begin brings back the game, and begins to save it.
//
// Why does only a game that nobody looks at wait for its saves? A frame that is late can be seen. There, loads
// that come late count as what makes a run unrepeatable.
func (f *saveFlags) begin(g *game.Game, file *save.File, headless bool, screen *status.Screen) error {
	if file != nil {
		loaded, err := g.Restore(file)
		if err != nil {
			return err
		}
		n, _ := file.Tick()
		screen.Print(fmt.Sprintf("loaded %s: tick %d, %s", filepath.Base(f.load), n, diag.Count(file.Entities(), "entity", "entities")))
		for _, line := range loadedNotes(&loaded) {
			screen.Print(line)
		}
	}
	if f.slots != "" {
		return g.Keep(f.slots, f.autosave.Seconds(), headless)
	}
	return nil
}

// loadedNotes says what was different in a save.
func loadedNotes(l *saves.Loaded) (lines []string) {
	for _, e := range l.Changes {
		lines = append(lines, e.Text)
	}
	for _, list := range []struct {
		what  string
		names []string
	}{{"changed since", l.Changed}, {"new since", l.New}, {"gone since", l.Missing}} {
		if len(list.names) > 0 {
			lines = append(lines, list.what+": "+strings.Join(list.names, ", "))
		}
	}
	return append(lines, l.Notes...)
}

// end writes the game to the file that was asked for.
func (f *saveFlags) end(g *game.Game, screen *status.Screen) error {
	if f.save == "" {
		return nil
	}
	if err := g.SaveTo(f.save); err != nil {
		return err
	}
	screen.Print("saved " + f.save)
	return nil
}

// newSave makes the subcommand that looks into saves.
func newSave() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "save",
		Short: "Look into saved games: list, check, export them",
		Long: `Save looks into the files that perigee run writes with --save and --slots, and
that hosts write with package ecs/save. It changes none of them.

A save is a ZIP archive. Its tables are files of Apache Arrow, which other
tools read as well.`,
		Example: `  perigee save ls slots
  perigee save show slots/auto.save
  perigee save check slots/auto.save
  perigee save export slots/auto.save --csv tables
  perigee save scene slots/auto.save --query Position --out scenes/all.lua`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newSaveLs(), newSaveShow(), newSaveCheck(), newSaveExport(), newSaveScene())
	return cmd
}

// newSaveLs makes perigee save ls.
func newSaveLs() *cobra.Command {
	return &cobra.Command{
		Use:     "ls [DIR]",
		Short:   "List the saves of a folder, the newest first",
		Example: `  perigee save ls slots`,
		Args:    folders(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := "."
			if len(args) > 0 {
				dir = args[0]
			}
			if err := folder(dir); err != nil {
				return err
			}
			list, err := saves.List(dir)
			if err != nil {
				return err
			}
			screen := status.NewScreen(cmd.OutOrStdout())
			for _, s := range list {
				if s.Err != nil {
					screen.Print(fmt.Sprintf("%s: %v", s.Name, s.Err))
					continue
				}
				screen.Print(fmt.Sprintf("%-20s %s  tick %d  %.1f s  %s  %s", s.Name, s.Written.Format("2006-01-02 15:04:05"), s.Tick, s.Seconds,
					diag.Count(s.Entities, "entity", "entities"), size(s.Bytes)))
			}
			if len(list) == 0 {
				screen.Print("there are no saves: their names end in " + saves.Extension)
			}
			return nil
		},
	}
}

// size shows a number of bytes.
func size(n int64) string {
	switch {
	case n < 10_000:
		return fmt.Sprintf("%d bytes", n)
	case n < 10_000_000:
		return fmt.Sprintf("%d KB", n/1000)
	}
	return fmt.Sprintf("%d MB", n/1_000_000)
}

// newSaveShow makes perigee save show.
func newSaveShow() *cobra.Command {
	return &cobra.Command{
		Use:     "show FILE",
		Short:   "Show what is in a save: its tick, its components and their fields",
		Example: `  perigee save show slots/auto.save`,
		Args:    oneFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			return withSave(args[0], func(f *save.File) error {
				screen := status.NewScreen(cmd.OutOrStdout())
				n, seconds := f.Tick()
				screen.Print(fmt.Sprintf("tick %d, %.1f s, seed %d, tag %d, %s", n, seconds, f.Seed(), f.Tag(), diag.Count(f.Entities(), "entity", "entities")))
				for _, c := range f.Components() {
					if c.Entities == 0 {
						continue
					}
					sort := "component"
					if c.Relation {
						sort = "relation"
					}
					screen.Print(fmt.Sprintf("%-10s %-24s %7d  %s", sort, c.Name, c.Entities, c.Fields))
				}
				for _, name := range f.Sections() {
					text, err := f.Section(name)
					if err != nil {
						return err
					}
					screen.Print(fmt.Sprintf("section    %-24s %s", name, size(int64(len(text)))))
				}
				return nil
			})
		},
	}
}

// openSave opens a save. Of a recording it says which command takes it.
func openSave(path string) (*save.File, error) {
	f, err := save.OpenFile(path)
	if errors.Is(err, save.ErrFormat) && record.Begins(beginning(path)) {
		return nil, fmt.Errorf("%q is a recording, and no save: perigee replay runs it again", path)
	}
	return f, err
}

// notSave returns the error for a file that is opened as a recording and is a save; err for any other.
func notSave(path string, err error) error {
	f, no := save.OpenFile(path)
	if no != nil {
		return err
	}
	_ = f.Close()
	return fmt.Errorf("%q is a save, and no recording: perigee run --load goes on with it, perigee save show says what is in it", path)
}

// beginning returns the first bytes of a file, for a message; none if it cannot be read.
func beginning(path string) []byte {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() { // to open a pipe would wait for its writer
		return nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	head := make([]byte, 32)
	n, _ := io.ReadFull(f, head)
	return head[:n]
}

// withSave opens a save and does something with it.
func withSave(path string, do func(*save.File) error) error {
	f, err := openSave(path)
	if err != nil {
		return err
	}
	return errors.Join(do(f), f.Close())
}

// newSaveCheck makes perigee save check.
func newSaveCheck() *cobra.Command {
	return &cobra.Command{
		Use:   "check FILE",
		Short: "Read all of a save, and make a world of it",
		Long: `Check reads all of a save, compares the sums of its parts, which finds each
damage, and makes a world of it, which finds what no game has written. Whether
the scripts of a folder can go on with the save says perigee check DIR --against
FILE.`,
		Example: `  perigee save check slots/auto.save`,
		Args:    oneFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			return withSave(args[0], func(f *save.File) error {
				if err := f.Verify(); err != nil {
					return err
				}
				w, _, err := f.World(ecs.Options{})
				if err != nil {
					return err
				}
				_, n := w.Time()
				status.NewScreen(cmd.OutOrStdout()).Print(fmt.Sprintf("ok: tick %d, %s", n, diag.Count(w.Len(), "entity", "entities")))
				return w.Close()
			})
		},
	}
}

// newSaveExport makes perigee save export.
func newSaveExport() *cobra.Command {
	var dir, component, parquet string
	cmd := &cobra.Command{
		Use:   "export FILE",
		Short: "Write the components of a save as CSV or Parquet",
		Long: `Export writes the values of components as CSV: a line for each entity, with
its handle and the fields. With --csv, it writes a file for each component into
a folder, which it makes; with --component, it prints that one.

With --parquet, the files are of Apache Parquet; with --component as well, it is
one file. The program perigee-parquet writes them, which has to be in the PATH:
it is a module of its own, in the folder tools/perigee-parquet of Perigee.`,
		Example: `  perigee save export slots/auto.save --csv tables
  perigee save export slots/auto.save --component Position > position.csv
  perigee save export slots/auto.save --parquet tables`,
		Args: oneFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case parquet != "" && dir != "":
				return usageError{errors.New("export writes --csv or --parquet, not both")}
			case parquet != "":
				return runParquet(cmd, args[0], parquet, component)
			case (dir == "") == (component == ""):
				return usageError{errors.New("export needs --csv DIR, --parquet DIR, or --component NAME")}
			}
			return withSave(args[0], func(f *save.File) error {
				if component != "" {
					return f.CSV(cmd.OutOrStdout(), component)
				}
				return exportAll(f, dir, status.NewScreen(cmd.OutOrStdout()))
			})
		},
	}
	cmd.Flags().StringVar(&dir, "csv", "", "a folder for the files")
	cmd.Flags().StringVar(&parquet, "parquet", "", "a folder for files of Parquet, or with --component a file")
	cmd.Flags().StringVar(&component, "component", "", "print this component, or write it with --parquet")
	return cmd
}

// parquetProgram writes Parquet. It is a program of its own because everybody who builds this one would have to
// get the library for Parquet and what that needs, for something that few people use.
const parquetProgram = "perigee-parquet"

// runParquet runs the program that writes Parquet. It says itself what is wrong.
func runParquet(cmd *cobra.Command, file, to, component string) error {
	path, err := exec.LookPath(parquetProgram)
	if err != nil {
		return fmt.Errorf("the program %s writes Parquet, and it is not in your PATH: run go install in the folder tools/%s of the source of Perigee", parquetProgram, parquetProgram)
	}
	args := []string{file, to}
	if component != "" {
		args = append(args, component)
	}
	program := exec.CommandContext(cmd.Context(), path, args...)
	program.Stdout, program.Stderr = cmd.OutOrStdout(), cmd.ErrOrStderr()
	err = program.Run()
	if _, ended := errors.AsType[*exec.ExitError](err); ended {
		return exitFailure{}
	}
	return err
}

// exportAll writes a file for each component that entities have. A name that cannot be that of a file is changed.
func exportAll(f *save.File, dir string, screen *status.Screen) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	taken := map[string]bool{}
	for _, c := range f.Components() {
		if c.Entities == 0 || c.Name == "(prefab)" {
			continue
		}
		name := strings.Map(func(r rune) rune {
			if strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-", r) {
				return r
			}
			return '_'
		}, c.Name)
		for taken[strings.ToLower(name)] {
			name += "_"
		}
		taken[strings.ToLower(name)] = true
		path := filepath.Join(dir, name+".csv")
		out, err := os.Create(path)
		if err != nil {
			return err
		}
		if err := errors.Join(f.CSV(out, c.Name), out.Close()); err != nil {
			return err
		}
		screen.Print(fmt.Sprintf("%s: %s", path, diag.Count(c.Entities, "entity", "entities")))
	}
	return nil
}

// against says what a game would be after loading a save. What would be lost is a problem.
func against(g *game.Game, f *save.File, screen *status.Screen) error {
	report, err := g.Against(f)
	if report != nil && (err == nil || errors.Is(err, save.ErrLoss)) {
		n, _ := f.Tick()
		screen.Print(fmt.Sprintf("the save has tick %d and %s", n, diag.Count(report.Entities, "entity", "entities")))
		for _, e := range report.Changes {
			screen.Print(e.Text)
		}
		if err != nil {
			screen.Print(diag.Plural(len(report.Loses()), "loss"))
			return exitFailure{}
		}
	}
	return err
}
