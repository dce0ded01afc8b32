package main

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// values are values of components.
type values = map[string]map[string]any

// addEdits adds the tools that change the game. No tool writes a file.
func (s *server) addEdits() {
	d := &s.document
	add(s, edit, &mcp.Tool{Name: "spawn_entity", Description: "Spawns an entity with components, or copies one.", OutputSchema: d.of("Entity", nil)}, s.spawn)
	add(s, edit, &mcp.Tool{Name: "change_entity", Description: "Sets fields, adding components that are missing, or removes components. Each is one change, made whole or not at all.", OutputSchema: d.of("Entity", nil)}, s.change)
	add(s, edit, &mcp.Tool{Name: "despawn_entity", Description: "Despawns an entity, with its children.", OutputSchema: d.object(map[string]string{"despawned": anInteger})}, s.despawn)
	add(s, edit, &mcp.Tool{Name: "enable_system", Description: "Switches a system on or off.", OutputSchema: d.object(map[string]string{"name": aText, "enabled": aBoolean})}, s.enable)
	add(s, edit, &mcp.Tool{Name: "stage_scripts", Description: "Runs new texts of scripts in the game from its next step on, without writing a file: texts with problems are not staged. A game that runs says the verdict at once (reload); one that is paused takes them over with the next step. A later change of the same file on disk takes its place again.",
		OutputSchema: d.of("Checked", map[string]string{"reload": `"#Reload"`, "waits": `{"type": "boolean", "description": "the next step takes the texts over"}`})}, s.stage)
}

// spawnArgs are the arguments of spawn_entity.
type spawnArgs struct {
	Components values  `json:"components,omitempty" jsonschema:"component, field, value: {\"Position\": {\"x\": 1}}; fields that are left out have their defaults"`
	Copy       *uint64 `json:"copy,omitempty" jsonschema:"the id of an entity to copy, instead of components"`
}

func (s *server) spawn(ctx context.Context, a spawnArgs) (any, error) {
	if (a.Copy == nil) == (a.Components == nil) {
		return nil, errors.New("expected either components or copy")
	}
	var out entity
	if err := s.game.ask(ctx, "POST", "/entities", a, &out); err != nil {
		return nil, err
	}
	out.only(nil)
	return out, nil
}

// changeArgs are the arguments of change_entity.
type changeArgs struct {
	Entity uint64   `json:"entity" jsonschema:"the id of the entity"`
	Set    values   `json:"set,omitempty" jsonschema:"component, field, value: {\"Health\": {\"hp\": 100}}"`
	Remove []string `json:"remove,omitempty" jsonschema:"names of components, instead of set"`
}

func (s *server) change(ctx context.Context, a changeArgs) (any, error) {
	if (len(a.Set) == 0) == (len(a.Remove) == 0) {
		return nil, errors.New("expected either set or remove")
	}
	body := map[string]any{"set": a.Set}
	if len(a.Remove) > 0 {
		body = map[string]any{"remove": a.Remove}
	}
	var out entity
	if err := s.game.ask(ctx, "PATCH", pathOf(a.Entity), body, &out); err != nil {
		return nil, err
	}
	out.only(nil)
	return out, nil
}

// despawnArgs are the arguments of despawn_entity.
type despawnArgs struct {
	Entity uint64 `json:"entity" jsonschema:"the id of the entity"`
}

func (s *server) despawn(ctx context.Context, a despawnArgs) (any, error) {
	err := s.game.ask(ctx, "DELETE", pathOf(a.Entity), nil, &json.RawMessage{})
	return map[string]any{"despawned": a.Entity}, err
}

// enableArgs are the arguments of enable_system.
type enableArgs struct {
	Name    string `json:"name" jsonschema:"as list_systems has it"`
	Enabled bool   `json:"enabled"`
}

func (s *server) enable(ctx context.Context, a enableArgs) (any, error) {
	if a.Name == "" || a.Name == "." || a.Name == ".." || len(a.Name) > 1000 {
		return nil, errors.New("expected the name of a system: list_systems has them")
	}
	var out map[string]any
	err := s.game.ask(ctx, "PATCH", "/systems/"+url.PathEscape(a.Name), map[string]bool{"enabled": a.Enabled}, &out)
	return out, err
}

// staged is what came of texts.
type staged struct {
	checked
	Reload any  `json:"reload,omitempty"`
	Waits  bool `json:"waits,omitempty"`
}

// verdictTime is how long a verdict is waited for.
const verdictTime = 2 * time.Second

// stage stages texts, and waits for the verdict of a game that runs.
func (s *server) stage(ctx context.Context, a texts) (any, error) {
	var before, now status
	if err := s.game.get(ctx, "/status", nil, &before); err != nil {
		return nil, err
	}
	found, err := s.texts(ctx, "/stage", a)
	if err != nil {
		return nil, err
	}
	out := staged{checked: *found, Waits: found.Staged}
	for end := time.Now().Add(verdictTime); out.Waits && time.Now().Before(end); {
		if err := s.game.get(ctx, "/status", nil, &now); err != nil {
			return nil, err
		}
		if now.Reloads > before.Reloads {
			out.Waits, out.Reload = false, shortReload(now.LastReload)
		}
		if now.Paused {
			break
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(waitStep):
		}
	}
	return out, nil
}
