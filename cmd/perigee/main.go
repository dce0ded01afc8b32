// Command perigee runs, checks and starts Perigee projects: folders of Lua
// scripts whose systems run in a world beside Go ones. See perigee help.
//
// Why is there nothing else in this folder, and why does go.mod ignore it? The profile
// beside this file, default.pgo, makes the go command compile everything that the command
// imports, the standard library too, a second time: go test ./... would take a third
// longer. An ignored folder is not part of "./...", so only those build with the profile
// who name the command: go build ./cmd/perigee. The tests of the command build it
// without, and .ci/run with it.
package main

import "github.com/perigee-ecs/perigee/cmd/internal/command"

func main() { command.Main() }
