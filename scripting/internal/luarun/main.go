// Luarun runs a Lua file for the benchmarks beside other programs that run it:
//
//	luarun -in gopher|machine|game [-cpuprofile FILE] FILE
//
// In "gopher" it is gopher-lua as it comes, in "machine" our own machine. In "game" it is
// what a script of a game gets:
// an environment of its own, Perigee's library, limits (too wide to be reached) and the
// host's functions. In all of them os.clock is the CPU time of the process, as in the
// programs in C, so the work of the garbage collector counts. It is set as "perigee run"
// and "perigee lua" set it: see package command. The variable GOGC overrides that.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime/debug"
	"runtime/pprof"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

func main() {
	list := flag.Bool("list", false, "print what there is for -in")
	in := flag.String("in", "game", "what runs the file: "+strings.Join(names(), ", "))
	profile := flag.String("cpuprofile", "", "write a profile to this file")
	flag.Parse()
	if *list {
		fmt.Println(strings.Join(names(), "\n"))
		return
	}
	if err := profiled(*profile, func() error { return run(*in, flag.Args()) }); err != nil {
		fmt.Fprintln(os.Stderr, "luarun:", err)
		os.Exit(1)
	}
}

// collectPercent is how far the heap grows until the collector runs, in a game and in "perigee lua".
func collectPercent(in string) int {
	if in == "game" {
		return 1600
	}
	return 400
}

// profiled calls f, and writes where it has spent its time to a file, if there is a name.
func profiled(name string, f func() error) error {
	if name == "" {
		return f()
	}
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	defer file.Close()
	if err := pprof.StartCPUProfile(file); err != nil {
		return err
	}
	defer pprof.StopCPUProfile()
	return f()
}

func run(in string, args []string) error {
	if len(args) != 1 {
		return errors.New("one file is needed")
	}
	source, err := os.ReadFile(args[0])
	if err != nil {
		return err
	}
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(collectPercent(in))
	}
	for _, p := range places {
		if p.name == in {
			return p.run(string(source))
		}
	}
	return fmt.Errorf("%q is none of %q", in, names())
}

// place is something that runs Lua.
type place struct {
	name string
	run  func(source string) error
}

func names() (list []string) {
	for _, p := range places {
		list = append(list, p.name)
	}
	return list
}

// inGopher runs a text in gopher-lua as it comes.
func inGopher(source string) error {
	L := lua.NewState(lua.Options{RegistrySize: 1 << 18}) // for table.concat of long lists
	defer L.Close()
	L.GetGlobal("os").(*lua.LTable).RawSetString("clock", L.NewFunction(func(L *lua.LState) int {
		L.Push(lua.LNumber(cpuSeconds()))
		return 1
	}))
	return L.DoString(source)
}
