// The program perigee-mcp is a server of the Model Context Protocol for a game that runs: an assistant reads its
// schemas, entities, faults and times, checks texts of scripts, and with --edit changes the game. The command perigee
// mcp runs it. It is a module of its own for the library that it needs.
//
//	PERIGEE_URL=http://127.0.0.1:8080/#TOKEN perigee-mcp [--control] [--edit]
//
// The address is the one that perigee run --view prints. Why does it come in the environment? Everybody on a machine
// sees command lines, and the token is in it.
//
// There are three nouns.
//
//   - A game is what answers: the API of package scripting/inspect, over HTTP. Nothing else of it is known here,
//     so a version of this program serves all games with version 1 of the API.
//   - A tool is what an assistant calls. Its arguments and results have JSON Schemas; those of the results
//     are made of the OpenAPI document of the game.
//   - Rights are what it may do: look, control time (--control), change the game (--edit). Tools beyond them are not
//     listed, and refuse with what to do. The game checks its own rights again.
//
// # Bounds
//
//	a message   1 MiB, on one line: a longer one ends the session. A line that is no message is answered with an error
//	a call      30 s; 16 at a time, further ones are refused; the end of the input ends those under way
//	an answer   48 KiB of JSON; lists go on at a cursor, texts at a line
//	an answer of the game   2 MiB
//
// Standard output has messages of the protocol and nothing else; what goes wrong is said on standard error. The end
// of standard input ends the program.
//
// # Where code lives
//
//	the command line            main
//	lines that are no messages  lines
//	the API of a game           game
//	the server, rights, bounds  server
//	tools that look             look
//	tools for time              pace
//	tools that change           edit
//	tools that run Lua          console
//	pages and sizes of answers  page
//	schemas                     schema
//	resources                   resources
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// mostMessage bounds a message of a client, in bytes.
const mostMessage = 1 << 20

// urlVariable is the variable of the environment with the address of the game.
const urlVariable = "PERIGEE_URL"

func main() {
	if err := run(context.Background(), os.Args[1:], os.Getenv(urlVariable), os.Stdin, os.Stdout, os.Stderr); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintf(os.Stderr, "perigee-mcp: %v\n", err)
		}
		os.Exit(1)
	}
}

// run serves the game at an address until its input ends.
func run(ctx context.Context, args []string, address string, in io.ReadCloser, out io.Writer, warn io.Writer) error {
	var may rights
	flags := flag.NewFlagSet("perigee-mcp", flag.ContinueOnError)
	flags.SetOutput(warn)
	flags.BoolVar(&may.control, "control", false, "let the assistant pause and step the game, and look at earlier ticks")
	flags.BoolVar(&may.edit, "edit", false, "let it change the game; has --control in it")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q: the address of the game stands in %s", flags.Arg(0), urlVariable)
	}
	g, err := newGame(address)
	if err != nil {
		return err
	}
	s, err := newServer(ctx, g, may)
	if err != nil {
		return err
	}
	say := &shared{to: out}
	err = s.Run(ctx, &mcp.IOTransport{Reader: newLines(in, say), Writer: say, MaxLineLength: mostMessage + 1})
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}
