package main

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// addConsole adds the tools that run Lua in the game, and take it back.
func (s *server) addConsole() {
	d := &s.document
	add(s, edit, &mcp.Tool{Name: "run_lua", Description: "Runs a text of Lua in the game, between two ticks and within the limits of scripts: expressions, whose values are answered, or statements. " +
		"It has ecs, require (of the scripts that run) and the names of components: ecs.count(Health), ecs.get(ecs.find(Health), Health), for e, h in each(Health) do … end, ecs.spawn(Position { x = 1 }), require(\"ships\").speed = 3. " +
		"Globals stay for the next text. It declares nothing: systems and components are in files (stage_scripts). A text with a problem has changed nothing; what another one has changed, undo_lua takes back (run is its number).",
		OutputSchema: d.object(map[string]string{
			"run": anInteger, "text": `{"type": "string", "description": "what it has printed and returned"}`, "problem": `"#Fault"`, "faults": listOf(`"#Fault"`),
			"changed": aBoolean, "commands": anInteger, "no_undo": aText, "undoable": listOf(anInteger), "tick": anInteger, "milliseconds": aNumber,
		})}, s.runLua)
	add(s, edit, &mcp.Tool{Name: "undo_lua", Description: "Makes the game what it was before a text of run_lua: ticks that were made since are given up, and later texts are undone, too.", OutputSchema: d.of("Undone", nil)}, s.undoLua)
}

// luaArgs are the arguments of run_lua.
type luaArgs struct {
	Text string `json:"text" jsonschema:"Lua, such as ecs.count(Health)"`
}

// ran is what came of a text. Its values are in the text of the answer.
type ran struct {
	Run      uint64            `json:"run"`
	Text     string            `json:"text"`
	Problem  json.RawMessage   `json:"problem,omitempty"`
	Faults   []json.RawMessage `json:"faults,omitempty"`
	Changed  bool              `json:"changed"`
	Commands int               `json:"commands"`
	NoUndo   string            `json:"no_undo,omitempty"`
	Undoable []uint64          `json:"undoable"`
	Tick     uint64            `json:"tick"`
	Took     float64           `json:"milliseconds"`
}

func (s *server) runLua(ctx context.Context, a luaArgs) (any, error) {
	if a.Text == "" {
		return nil, errors.New("expected a text of Lua")
	}
	var out ran
	if err := s.game.ask(ctx, "POST", "/console", a, &out); err != nil {
		return nil, err
	}
	out.Text = cut(out.Text, mostAnswer/3) // in JSON it takes more
	for quoted(out.Text) > mostAnswer/2 {
		out.Text = cut(out.Text, len(out.Text)/2)
	}
	if out.Problem != nil {
		out.Problem = shortFault(out.Problem)
	}
	for n := range out.Faults {
		out.Faults[n] = shortFault(out.Faults[n])
	}
	return out, nil
}

// undoArgs are the arguments of undo_lua.
type undoArgs struct {
	Run uint64 `json:"run" jsonschema:"the number of the text, as run_lua has answered it"`
}

func (s *server) undoLua(ctx context.Context, a undoArgs) (any, error) {
	var out map[string]any
	err := s.game.ask(ctx, "POST", "/console/undo", a, &out)
	return out, err
}
