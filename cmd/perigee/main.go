// Command perigee runs, checks and starts Perigee projects: folders of Lua
// scripts whose systems run in a world beside Go ones. See perigee help.
//
// # Where code lives
//
//	the command line, exit codes, signals      main, root, ending
//	one file for each subcommand               bench, check, explain, lua, new, plan, run, version
//	numbers in flags                           numbers
//	standard output, JSON                      output
//	the status line while a game runs          display
//	Go's garbage collector                     collector
package main

import "os"

// main is a doorway: execute does everything, so that tests can call it.
func main() {
	ctx := untilSignal()
	os.Exit(execute(ctx, os.Args[1:], os.Stdout, os.Stderr))
}
