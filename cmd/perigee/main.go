// Command perigee runs, checks and starts Perigee projects: folders of Lua
// scripts whose systems run in a world beside Go ones. See perigee help.
package main

import "os"

func main() {
	ctx := untilSignal()
	os.Exit(execute(ctx, os.Args[1:], os.Stdout, os.Stderr))
}
