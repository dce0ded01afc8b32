package bindings

import (
	"math"
	"strings"

	"github.com/perigee-ecs/perigee/bindings/diag"
	"github.com/perigee-ecs/perigee/bindings/internal/decl"
	lua "github.com/yuin/gopher-lua"
)

// form says how a function of ecs is called: how many arguments it takes at most, and
// what a call looks like.
type form struct {
	most  int
	shown string
	named bool // one argument more when the first is a name
}

// anyNumber is for functions that read all of their arguments, and for those that kernels
// call: what another function gives beyond its first result is passed over there.
const anyNumber = math.MaxInt

// forms are those of all functions of ecs but the kinds of fields, which take a default.
// An argument too many is a mistake that would otherwise do nothing, in silence.
var forms = map[string]form{
	"component":    {most: 3, shown: `ecs.component("Name", { fields }, { options })`},
	"tag":          {most: 2, shown: `ecs.tag("Name", { options })`},
	"native":       {most: 1, shown: `ecs.native("Name")`},
	"drop":         {most: 1, shown: `ecs.drop("Name")`},
	"event":        {most: 2, shown: `ecs.event("Name", { fields }): an event has no options`},
	"native_event": {most: 1, shown: `ecs.native_event("Name")`},
	"prefab":       {most: 2, shown: `ecs.prefab("name", { values })`},
	"system":       {most: 2, shown: `ecs.system "name" { … }`},
	"kernel":       {most: 3, shown: `ecs.kernel("name", { query }, function(e, …) … end, { options })`, named: true},
	"on_add":       {most: 2, shown: `ecs.on_add("name", Component, function(e, fields, ctx) … end)`, named: true},
	"on_set":       {most: 2, shown: `ecs.on_set("name", Component, function(e, fields, ctx) … end)`, named: true},
	"on_remove":    {most: 2, shown: `ecs.on_remove("name", Component, function(e, fields, ctx) … end)`, named: true},
	"on_spawn":     {most: 1, shown: `ecs.on_spawn("name", function(e, ctx) … end)`, named: true},
	"on_despawn":   {most: 1, shown: `ecs.on_despawn("name", function(e, ctx) … end)`, named: true},
	"on_start":     {most: 1, shown: `ecs.on_start(function(ctx) … end)`},
	"on_error":     {most: 1, shown: `ecs.on_error(function(err, ctx) … end)`},
	"on_unload":    {most: 1, shown: `ecs.on_unload(function(ctx) … end)`},
	"on_reload":    {most: 1, shown: `ecs.on_reload(function(value, ctx) … end)`},
	"handler":      {most: 2, shown: `ecs.handler("name", function(data, ctx) … end)`},
	"state":        {most: 2, shown: `ecs.state("name", { defaults })`},
	"enum":         {most: anyNumber},
	"array":        {most: 2, shown: `ecs.array(ecs.f32(), n)`},

	"spawn": {most: anyNumber}, "spawn_many": {most: anyNumber},
	"add": {most: anyNumber}, "remove": {most: anyNumber}, "set": {most: anyNumber},
	"despawn":     {most: anyNumber},
	"despawn_all": {most: 1, shown: `ecs.despawn_all({ query })`},
	"update":      {most: 3, shown: `ecs.update(e, Component, function(fields) … end)`},
	"set_parent":  {most: 2, shown: `ecs.set_parent(child, parent)`},
	"emit":        {most: 1, shown: `ecs.emit(Event { … }), once for each event`},
	"enable":      {most: 2, shown: `ecs.enable("system", true)`},

	"get":      {most: anyNumber},
	"has":      {most: anyNumber},
	"alive":    {most: anyNumber},
	"count":    {most: 1, shown: `ecs.count({ A, B }) for those that have both`},
	"find":     {most: 1, shown: `ecs.find({ A, B }) for one that has both`},
	"entities": {most: 1, shown: `ecs.entities({ A, B }) for those that have both`},
	"parent":   {most: anyNumber},
	"children": {most: 1, shown: `ecs.children(e)`},
	"events":   {most: 1, shown: `ecs.events(Event)`},
	"resource": {most: 1, shown: `ecs.resource("name")`},

	"after":  {most: 3, shown: `ecs.after(seconds, "handler", data)`},
	"every":  {most: 3, shown: `ecs.every(seconds, "handler", data)`},
	"cancel": {most: 1, shown: `ecs.cancel(timer)`},

	"log": {most: anyNumber}, "warn": {most: anyNumber},
	"random": {most: anyNumber},

	"batch:read":  {most: 3, shown: `b:read(Component, "field")`},
	"batch:write": {most: 3, shown: `b:write(Component, "field")`},
	"batch:col":   {most: 3, shown: `b:col(Component, "field")`},
	"batch:has":   {most: 2, shown: `b:has(Component)`},
}

// atMost raises an error when there are more arguments than a function takes. Nils
// at the end do not count.
func (a *args) atMost(f *form) {
	if a.L.GetTop() > f.most {
		a.tooMany(f)
	}
}

func (a *args) tooMany(f *form) {
	given, most := a.L.GetTop(), f.most
	if _, ok := a.L.Get(1).(lua.LString); ok && f.named {
		most++
	}
	for given > most && a.L.Get(given) == lua.LNil {
		given--
	}
	if given <= most {
		return
	}
	if _, fields := a.L.Get(2).(*lua.LTable); a.name == "emit" && !fields {
		return // kernels call it: see anyNumber
	}
	if strings.HasPrefix(a.name, batchPrefix) {
		given, most = given-1, most-1 // the batch itself
	}
	counted := "arguments"
	if most == 1 {
		counted = "argument"
	}
	a.fail("expected at most %d %s, got %d: write %s", most, counted, given, a.shown(f))
}

// shown returns how to write the call. Whoever comes from other engines gives the fields
// of an event as a second argument.
func (a *args) shown(f *form) string {
	if _, fields := a.L.Get(2).(*lua.LTable); !fields || a.name != "emit" {
		return f.shown
	}
	if ud, ok := a.L.Get(1).(*lua.LUserData); ok {
		if e, ok := ud.Value.(*decl.Event); ok {
			return diag.Format("ecs.emit(%s { … }), with the fields in the braces", e.Name)
		}
	}
	return f.shown
}
