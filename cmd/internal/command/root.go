package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra" // subcommands, flags and help as people know them from other tools

	"github.com/perigee-ecs/perigee/bindings/diag"
)

// The command line as a whole: its subcommands, what their errors become, and checks of
// arguments that several of them share.

// The exit codes, as the help text lists them.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
)

// usageError is a mistake on the command line. The user is told where to find help.
type usageError struct{ error }

// exitFailure ends the program with an exit code, when the reason has been printed already.
// Commands return it instead of ending the process, so that deferred calls run.
type exitFailure struct{}

// Error implements error. It is never printed.
func (exitFailure) Error() string { return "failed" }

// execute runs one command line and returns the exit code. Output that could not be
// written is a failure, whatever the command itself returns.
func execute(ctx context.Context, args []string, stdout, stderr *os.File) int {
	out, end := &output{File: stdout}, &ending{stderr: stderr}
	defer end.guard(ctx)()
	code := perform(ctx, args, out, stderr, end)
	if err := out.lost(); err != nil {
		fmt.Fprintf(stderr, "perigee: %v\n", err)
		code = max(code, exitFailed)
	}
	return code
}

// perform runs a command line and returns its exit code. After a mistake on the command
// line it prints how to get help; after any other error it does not, because that would
// not help.
func perform(ctx context.Context, args []string, stdout *output, stderr *os.File, end *ending) int {
	begun := false
	root := newRoot(end)
	root.PersistentPreRun = func(*cobra.Command, []string) { begun = true }
	root.SetArgs(args)
	root.SetOut(stdout)
	root.SetErr(stderr)
	cmd, err := root.ExecuteContextC(ctx)
	var said exitFailure
	var usage usageError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &said):
		return exitFailed
	case errors.As(err, &usage) || !begun: // cobra has refused the command line
		fmt.Fprintf(stderr, "perigee: %s\nTry: %s --help\n", diag.Visible(err.Error()), cmd.CommandPath())
		return exitUsage
	}
	// Errors begin with the package they come from, which says nothing here.
	text := strings.TrimPrefix(strings.TrimPrefix(err.Error(), "scripting: "), "saves: scene: ")
	fmt.Fprintf(stderr, "perigee: %s\n", diag.Visible(text))
	return exitFailed
}

// newRoot makes the command with all of its subcommands.
func newRoot(end *ending) *cobra.Command {
	root := &cobra.Command{
		Use:   "perigee",
		Short: "Run games whose systems are Lua scripts that reload while they run",
		Long: `Perigee runs a folder of Lua scripts as a game. Save a script while the game
runs, and the game goes on with the new version.

The exit code is 0 when all went well, 1 when the scripts have problems or
something failed, and 2 when the command line is wrong.`,
		Example: `  perigee run              start the demo, in a copy that you can edit
  perigee new mygame       make a project of your own
  perigee check mygame     look for mistakes without running it`,
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	// Descriptions of flags are wrapped at 80 columns. Cobra does so only if it is told.
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), "FlagUsages ", "FlagUsagesWrapped 80 "))
	root.AddCommand(newRun(end), newReplay(), newCheck(), newExplain(), newPlan(), newSchema(), newLua(), newMCP(end), newNew(), newSave(), newDiff(), newBench(), newVersion())
	return root
}

// folders returns the check of the arguments of a command that takes at least so
// many folders, and at most so many. Cobra's own message would be "accepts between 0 and 1 arg(s)".
func folders(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return fmt.Errorf("%s needs a folder", cmd.Name())
		case len(args) > most:
			return fmt.Errorf("%s takes one folder, not also %q", cmd.Name(), args[most])
		}
		return nil
	}
}

// noScripts says that a folder has no script, and how to begin.
func noScripts(dir string) string {
	return fmt.Sprintf("there is no script in the folder %q: save one there, with a name that ends in .lua, or make a project with perigee new", dir)
}

// folder returns an error if dir does not exist or is no folder.
func folder(dir string) error {
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return usageError{fmt.Errorf("folder %q does not exist", dir)}
	case err != nil:
		return err
	case !info.IsDir():
		return usageError{fmt.Errorf("%q is a file: give the folder that it is in", dir)}
	}
	return nil
}
