package command

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"github.com/perigee-ecs/perigee/cmd/internal/game"
	"github.com/perigee-ecs/perigee/cmd/internal/status"
	"github.com/perigee-ecs/perigee/scripting/inspect"
)

// The subcommand mcp: a game for an assistant, which speaks to it by the Model Context Protocol on standard input and
// output. Standard output has nothing else.

// mcpProgram serves the protocol. It is a program of its own because everybody who builds this one would have to get
// the library for the protocol and what that needs.
const mcpProgram = "perigee-mcp"

// mcpFlags are the flags of perigee mcp.
type mcpFlags struct {
	run     runFlags // of the game: those that mcp has not are as run has them
	connect string   // the address of a game that runs; "": one of its own
	live    bool     // time passes from the beginning
}

// newMCP makes the subcommand that lets an assistant look into a game.
func newMCP(end *ending) *cobra.Command {
	f := mcpFlags{run: runFlags{end: end, rewindMiB: 256}}
	cmd := &cobra.Command{
		Use:   "mcp [DIR]",
		Short: "Let an assistant look into a game, by the Model Context Protocol",
		Long: `Mcp is a server of the Model Context Protocol on standard input and output, for
an assistant that starts it. The assistant reads components, entities, faults
and times, queries entities, and has texts of scripts checked before it saves
them. What it saves in the folder reloads, as in perigee run. Where a script has
a fault from the beginning, the game makes one step without scripts, to say what
is wrong, and gets its scripts with the next one after that is mended.

It runs the game of the folder DIR (default: the current one) without a
terminal. The game is paused at first: the assistant makes steps, or lets it
run; with --live it runs at once. It goes back in time, too. The address of a
page that shows the same game is printed on standard error. Its token is another
one each time, or that of the variable PERIGEE_TOKEN of the environment.

With --connect, the assistant sees a game that runs already: give the address
that perigee run --view has printed. It only looks then.

With --edit, the assistant changes the game as well: entities, systems, and
texts of scripts, which run without being saved, and it runs Lua in the game,
which can be taken back; with --connect also time, and the game has to be
started with --edit, too. No tool writes a file.

The program perigee-mcp speaks the protocol. It has to lie beside perigee or in
the PATH: it is a module of its own, in the folder tools/perigee-mcp of Perigee.`,
		Example: `  perigee mcp mygame
  perigee mcp mygame --edit
  perigee mcp --connect http://127.0.0.1:8080/#TOKEN`,
		Args: folders(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error { return f.serve(cmd, args) },
	}
	flags := cmd.Flags()
	flags.StringVar(&f.connect, "connect", "", "look into the game at this address, as perigee run --view prints it")
	flags.BoolVar(&f.run.edit, "edit", false, "let the assistant change the game")
	flags.BoolVar(&f.live, "live", false, "let the game run from the beginning, instead of being paused")
	rateVar(cmd, &f.run.pace.Hz, "hz", 60, "ticks per second")
	countVar(cmd, &f.run.seed, "seed", "seed of the random numbers")
	flags.Var(&f.run.limits, "limits", "of what scripts may use, as of perigee run")
	flags.StringVar(&f.run.view, "view", anyPort, "the address of the page; without it, at a free port of this machine")
	return cmd
}

// serve serves an assistant until it ends its input.
func (f *mcpFlags) serve(cmd *cobra.Command, args []string) (err error) {
	program, err := findMCP()
	if f.connect != "" {
		if given := ownFlag(cmd, "live", "hz", "seed", "limits", "view"); given != "" || len(args) > 0 {
			return usageError{fmt.Errorf("--connect is for a game that runs already: leave out the folder, and --live, --hz, --seed, --limits and --view")}
		}
		if u, e := url.Parse(f.connect); e != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.Fragment == "" {
			return usageError{errors.New("--connect takes an address as perigee run --view prints it, with the token after #: http://127.0.0.1:8080/#TOKEN")}
		}
		if err != nil {
			return err
		}
		return f.speak(cmd.Context(), cmd, program, f.connect, f.run.edit)
	}
	dir := "."
	if len(args) > 0 {
		dir = args[0]
	}
	if e := folder(dir); e != nil {
		return e
	}
	if err != nil {
		return err
	}
	screen := status.NewScreen(cmd.ErrOrStderr())
	defer screen.Close()
	f.run.pace.Patience, f.run.patient = patience, true
	g, err := f.run.open(dir, nil, screen)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, g.Close()) }()
	page, address, err := f.page(g, dir, screen)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, page.Close()) }()
	return f.play(cmd, g, program, address)
}

// ownFlag returns the first of these flags that was given.
func ownFlag(cmd *cobra.Command, names ...string) string {
	for _, name := range names {
		if cmd.Flags().Changed(name) {
			return name
		}
	}
	return ""
}

// page serves the API of the game, with its page, and returns the address.
func (f *mcpFlags) page(g *game.Game, dir string, screen *status.Screen) (page *inspect.Inspector, address string, err error) {
	kept, err := f.run.kept()
	if err != nil {
		return nil, "", err
	}
	pace, err := g.Loop(f.run.pace)
	if err != nil {
		return nil, "", err
	}
	if !f.live {
		pace.Pause()
		if files, _ := g.Size(); files == 0 {
			pace.Once() // what is wrong with a folder is said by a step
		}
	}
	l, err := net.Listen("tcp", f.run.view)
	if err != nil {
		return nil, "", fmt.Errorf("--view: %w", err)
	}
	at, ok := l.Addr().(*net.TCPAddr)
	page, err = inspect.New(g.Host(), inspect.Options{
		Loop: pace, Session: g.Session(), Rewind: kept, View: g.View(), Play: g.Play, Control: true, Edit: f.run.edit, Remote: !ok || !at.IP.IsLoopback(),
		Token: os.Getenv(tokenVariable), Name: gameName(dir), Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return nil, "", errors.Join(ofToken(err), l.Close())
	}
	go func() {
		if err := page.Serve(l); err != nil {
			screen.Alert("the page of --view has ended: " + err.Error())
		}
	}()
	address = page.URL(l.Addr().String())
	screen.Print("the game is at " + address)
	return page, address, nil
}

// gameName is the name of a folder, also of the current one.
func gameName(dir string) string {
	if whole, err := filepath.Abs(dir); err == nil {
		dir = whole
	}
	return filepath.Base(dir)
}

// play runs the game until the assistant has gone, or a signal comes.
func (f *mcpFlags) play(cmd *cobra.Command, g *game.Game, program, address string) error {
	ctx, cancel := context.WithCancel(cmd.Context())
	defer cancel()
	done := make(chan error, 1)
	go func() {
		defer cancel()
		done <- f.speak(ctx, cmd, program, address, f.run.edit)
	}()
	g.Run(ctx, f.run.pace, func() {})
	f.run.warnings.Wait()
	return <-done
}

// speak runs the program that speaks the protocol, with the input and the output of this one, until it ends. The
// address goes through the environment: command lines are no secret.
func (f *mcpFlags) speak(ctx context.Context, cmd *cobra.Command, program, address string, edit bool) error {
	args := []string{"--control"}
	if edit {
		args = []string{"--edit"}
	} else if f.connect != "" {
		args = nil
	}
	child := exec.CommandContext(ctx, program, args...)
	child.Env = append(os.Environ(), "PERIGEE_URL="+address)
	child.Stdin, child.Stdout, child.Stderr = os.Stdin, os.Stdout, cmd.ErrOrStderr()
	child.WaitDelay = time.Second / 2
	err := child.Run()
	if _, ok := errors.AsType[*exec.ExitError](err); ok {
		if ctx.Err() != nil { // a signal has ended both
			return nil
		}
		return exitFailure{} // it has said why
	}
	return err
}

// findMCP finds the program that speaks the protocol: beside this one, since assistants often start programs with a short
// PATH, or in the PATH.
func findMCP() (string, error) {
	if own, err := os.Executable(); err == nil {
		beside := filepath.Join(filepath.Dir(own), mcpProgram)
		if runtime.GOOS == "windows" {
			beside += ".exe"
		}
		if info, err := os.Stat(beside); err == nil && info.Mode().IsRegular() {
			return beside, nil
		}
	}
	path, err := exec.LookPath(mcpProgram)
	if err != nil {
		return "", fmt.Errorf("the program %s speaks the Model Context Protocol, and it is neither beside perigee nor in your PATH: run go install in the folder tools/%s of the source of Perigee", mcpProgram, mcpProgram)
	}
	return path, nil
}
