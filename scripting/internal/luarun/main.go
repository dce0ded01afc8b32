// Luarun runs a Lua file for the benchmarks beside other programs that run it:
//
//	luarun -in gopher|machine|game FILE
//
// In "gopher" it is gopher-lua as it comes, in "machine" our own machine. In "game" it is
// what a script of a game gets:
// an environment of its own, Perigee's library, limits (too wide to be reached) and the
// host's functions. In all of them os.clock is the CPU time of the process, as in the
// programs in C, so the work of the garbage collector counts.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"

	lua "github.com/yuin/gopher-lua"
)

func main() {
	list := flag.Bool("list", false, "print what there is for -in")
	in := flag.String("in", "game", "what runs the file: "+strings.Join(names(), ", "))
	flag.Parse()
	if *list {
		fmt.Println(strings.Join(names(), "\n"))
		return
	}
	if err := run(*in, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "luarun:", err)
		os.Exit(1)
	}
}

func run(in string, args []string) error {
	if len(args) != 1 {
		return errors.New("one file is needed")
	}
	source, err := os.ReadFile(args[0])
	if err != nil {
		return err
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
