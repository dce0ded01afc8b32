// Package command is the perigee command: it runs, checks and starts Perigee projects,
// which are folders of Lua scripts whose systems run in a world beside Go ones.
//
// # Where code lives
//
//	the command line, exit codes, signals      main, root, ending
//	one file for each subcommand               bench, check, diff, explain, lua, mcp, new, plan, run,
//	                                           replay, save, save_scene, schema, version
//	numbers in flags                           numbers
//	standard output, JSON                      output
//	the status line while a game runs          display
//	the page of run --view                     view
//	profiles and traces of a run               profile
//	Go's garbage collector                     collector
//
// # Invariants
//
//   - check, explain, plan and schema load a folder and run no tick: they change nothing.
//   - With --json, standard output has one JSON object and nothing else; that of diff has
//     one for each difference.
//   - Whatever comes from a script or a file name is made visible before a terminal gets
//     it, so no script can steer the terminal.
//   - A command has ended within a second after a signal, whatever it waits for. Standard
//     output that could not be written is a failure, see output.
//   - A run is over before its summary is printed: the host is closed first, because
//     closing it may report errors, which belong above the summary and into its count.
package command

import "os"

// Main runs the command line of the process and ends the process with its exit code.
// It is a doorway: execute does everything, so that tests can call it.
func Main() {
	ctx := untilSignal()
	os.Exit(execute(ctx, os.Args[1:], os.Stdout, os.Stderr))
}
