package command

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"
	"golang.org/x/term" // whether a file is a terminal

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/cmd/internal/status"
	"github.com/perigee-ecs/perigee/scripting"
)

// The subcommand lua: a script without a world. Package
// scripting runs it, see scripting.Plain.

// luaFlags are the flags of perigee lua.
type luaFlags struct {
	text      string // of -e, which runs instead of a file
	seed      uint64
	unlimited bool
}

// newLua makes the subcommand that runs a plain Lua script. Flags after the file belong to
// the script.
func newLua() *cobra.Command {
	var f luaFlags
	cmd := &cobra.Command{
		Use:   "lua FILE [ARGS...]",
		Short: "Run a plain Lua script, without a game",
		Long:  luaHelp,
		Example: `  perigee lua try.lua one two
  perigee lua -e 'print(("x"):rep(3))'
  perigee lua - < try.lua`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 && !cmd.Flags().Changed("execute") {
				return errors.New("lua needs a file, or -e TEXT")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return f.run(cmd, args) },
	}
	flags := cmd.Flags()
	flags.SetInterspersed(false) // arguments after the file are the script's
	flags.StringVarP(&f.text, "execute", "e", "", "run this text instead of a file; all ARGS go to it")
	countVar(cmd, &f.seed, "seed", "seed of the random numbers")
	flags.BoolVar(&f.unlimited, "unlimited", false, "no limits on time and memory; Ctrl-C ends it")
	return cmd
}

// luaHelp is the long text of perigee lua --help.
const luaHelp = `Lua runs a script with the same language, library and limits as the scripts of
a game, but without a world: there is no ecs and no host. "-" reads the script
from standard input. It may require files of its folder, by the names that
scripts of a game use: require "lib.heap" is lib/heap.lua. Each file has its
own global variables. The script finds its arguments in "..." and in the table
arg. A file or a pipe gets what it prints byte by byte; a terminal shows control
characters as escapes, such as \x1b.

An error is printed with its line and the calls that led to it, and the exit
code is 1. The page scripts/LUA.md describes the language and lists all
limits.`

// lifted are the limits that --unlimited lifts.
var lifted = []string{"Instructions", "TickInstructions", "Time", "Bytes", "String", "Table"}

// run runs the script. An error of the script is printed with its traceback; any other
// error is returned.
func (f *luaFlags) run(cmd *cobra.Command, args []string) error {
	tuneCollector(gcPercentOnce)
	p := scripting.Plain{Name: "(command line)", Text: []byte(f.text), Args: args, Output: printed(cmd.OutOrStdout()), Seed: f.seed, Files: os.DirFS(".")}
	if !cmd.Flags().Changed("execute") {
		text, err := readScript(args[0], cmd.InOrStdin())
		if err != nil {
			return usageError{err}
		}
		p.Name, p.Text, p.Args = args[0], text, args[1:]
		if p.Name == "-" {
			p.Name = "stdin"
		} else {
			p.Files = os.DirFS(filepath.Dir(args[0]))
		}
	}
	if f.unlimited {
		p.Limits = scripting.Limits{Instructions: -1, TickInstructions: -1, Time: -1, Bytes: -1, String: -1, Table: -1}
	}
	err := p.Run(cmd.Context())
	var fault *scripting.Error
	if !errors.As(err, &fault) {
		return err
	}
	screen := status.NewScreen(cmd.ErrOrStderr())
	screen.Print(fault.DetailIn(screen.Width()))
	if !f.unlimited && slices.Contains(lifted, fault.Limit) {
		screen.Print("perigee lua --unlimited runs it without this limit")
	}
	return exitFailure{}
}

// printed returns the writer for what a script prints. A file or a pipe gets the script's
// own bytes, so that a script can write any data. A terminal gets only visible characters.
func printed(out io.Writer) io.Writer {
	if f, ok := out.(interface{ Fd() uintptr }); ok && term.IsTerminal(int(f.Fd())) {
		return visible{out}
	}
	return out
}

// visible is a writer that shows control characters as escapes. On a terminal they would be
// commands, and a script must not give it any.
type visible struct{ to io.Writer }

// Write implements io.Writer.
func (v visible) Write(p []byte) (int, error) {
	if _, err := io.WriteString(v.to, diag.Visible(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// mostText is more than any script may have. A larger file is refused without reading it to
// its end.
const mostText = 1 << 20

// readScript reads a file, or standard input for "-".
// What is cut off at mostText is longer than a script may be, so it is refused when
// it is parsed and never run in part.
func readScript(name string, stdin io.Reader) ([]byte, error) {
	from := stdin
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		from = file
	}
	return io.ReadAll(io.LimitReader(from, mostText))
}
