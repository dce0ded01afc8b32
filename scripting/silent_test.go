package scripting_test

import (
	"strings"
	"testing"

	"github.com/perigee-ecs/perigee/scripting"
)

// TestModulesThatReturnNothing: whoever looks for something in a file that has no return
// is told so at the load, with the name of that file, at the top level and in functions.
func TestModulesThatReturnNothing(t *testing.T) {
	const none = `there is no "Tower": lib/parts.lua returns nothing; end it with a return, such as return { Tower = … }`
	for text, want := range map[string]string{
		`local C = require "lib.parts" ecs.system "x" { query = { C.Tower }, each = function() end }`:                    none,
		`local C = require "lib.parts" ecs.on_start(function() ecs.spawn(C.Tower) end)`:                                  none,
		`local C = require "./lib/parts" local function f() return function() C.Tower = 1 end end`:                       none,
		`local C = require "lib.parts" local function f() C.Tower() C:Tower() end`:                                       none,
		`local C = require "lib.parts" ecs.log(C)`:                                                                       "",
		`if require "lib.parts" then local C = { Tower = 1 } ecs.log(C.Tower) end`:                                       "",
		`local C = require "lib.parts" C = { Tower = 1 } ecs.on_start(function() ecs.log(C.Tower) end)`:                  "",
		`require = function() return { Tower = 1 } end local C = require "lib.parts" ecs.log(C.Tower)`:                   "",
		`local C = require "lib.full" ecs.on_start(function() ecs.log(C.Missing) end)`:                                   "",
		`local C = require "lib.full" local function f() C.Missing = 1 end ecs.on_start(function() f() C.Missing() end)`: "",
	} {
		for _, files := range [][]string{{"lib/parts.lua", "local Tower = 5", "a.lua", text}, {"a.lua", text, "lib/parts.lua", "local Tower = 5 return"}} {
			r := newGame(t, scripting.Limits{})
			r.write(files...)
			r.write("lib/full.lua", "return { Tower = 5 }")
			err := r.host.Load(r.folder)
			switch {
			case want == "" && err != nil, want != "" && err == nil:
				t.Errorf("%s: %v, want %q", text, err, want)
			case want != "" && (!strings.HasPrefix(err.Error(), "a.lua:2: "+want) || strings.Contains(err.Error(), "\n")):
				t.Errorf("%s: %v, want %q", text, err, want)
			}
		}
	}
}

// TestSaveThatForgetsTheReturn: the files that use it are in the verdict.
func TestSaveThatForgetsTheReturn(t *testing.T) {
	r := loaded(t, "parts.lua", "return { n = 1 }", "a.lua", `local C = require "parts" `+once("a", "ecs.log(C.n)"))
	r.save("parts.lua", "local C = { n = 2 }")
	r.refused(`a.lua:2: there is no "n": parts.lua returns nothing; end it with a return, such as return { n = … }`)
	r.wantLog("1")
}
