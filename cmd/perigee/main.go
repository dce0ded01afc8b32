// Command perigee runs, checks and starts Perigee projects: folders of Lua
// scripts whose systems run in a world beside Go ones. See perigee help.
package main

import "os"

// main is a doorway: execute does everything, so that tests can call it.
func main() {
	ctx := untilSignal()
	os.Exit(execute(ctx, os.Args[1:], os.Stdout, os.Stderr))
}
