package main

import (
	"fmt"

	"github.com/perigee-ecs/perigee/bindings/machine"
	"github.com/perigee-ecs/perigee/scripting/internal/library"
	"github.com/perigee-ecs/perigee/scripting/internal/syntax"
	lua "github.com/yuin/gopher-lua"
)

// inMachine runs a text on our own machine with the library of scripts, without a game and
// without limits.
func inMachine(source string) error {
	concat, pop := &lua.LFunction{IsG: true}, &lua.LFunction{IsG: true}
	tree, err := syntax.Parse("bench.lua", []byte(source), syntax.Options{Concat: concat, Pop: pop})
	if err != nil {
		return err
	}
	program, err := tree.Compile(syntax.Additions{})
	if err != nil {
		return err
	}
	var vm *machine.VM
	var lib *library.Library
	vm = machine.New(machine.Options{Constant: func(v lua.LValue) machine.Value {
		if v == lua.LValue(concat) {
			return machine.OfFunction(vm.Builtin(machine.Concat))
		}
		return machine.OfFunction(lib.Pop())
	}})
	lib = library.New(vm, library.Options{
		Print: func(_ *machine.Thread, text string, _ int) { fmt.Println(text) },
		Clock: cpuSeconds,
	})
	_, raised := vm.Main().Run(machine.OfFunction(vm.Load(program.Proto, lib.Env())))
	if raised != nil {
		return raised
	}
	return nil
}
