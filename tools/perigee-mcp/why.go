package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"strconv"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// addWhy adds the tool that says who has changed what.
func (s *server) addWhy() {
	add(s, look, &mcp.Tool{Name: "why", Description: "Who has changed an entity, or any, the newest first: which system and which line of a script gave it a component, took one, set it, despawned it, or with whom it died. " +
		"With watch, also each field that a system writes from then on: old and new value, and the lines that are likely (functions over rows write in place). Changes are noted from the first call on; older ones are not known. An entity may be dead by now.",
		OutputSchema: s.document.of("Journal", nil)}, s.why)
}

// whyArgs are the arguments of why.
type whyArgs struct {
	Entity uint64 `json:"entity,omitempty" jsonschema:"the id of an entity, alive or dead; 0: the last changes of all"`
	Watch  *bool  `json:"watch,omitempty" jsonschema:"begin to compare the values of the entity after each system, or end it. Needs --control"`
	Limit  int    `json:"limit,omitempty" jsonschema:"at most so many entries, up to 200; 0: 30"`
}

// why answers from the journal, which it begins if this server may.
func (s *server) why(ctx context.Context, a whyArgs) (any, error) {
	if a.Watch != nil {
		if err := s.watch(ctx, a.Entity, *a.Watch); err != nil {
			return nil, err
		}
	}
	q := url.Values{"limit": {strconv.Itoa(cmp.Or(a.Limit, 30))}}
	if a.Entity != 0 {
		q.Set("entity", strconv.FormatUint(a.Entity, 10))
	}
	var out map[string]json.RawMessage
	if err := s.game.get(ctx, "/journal", q, &out); err != nil {
		return nil, err
	}
	if string(out["on"]) == "true" {
		return out, nil
	}
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	err := s.game.get(ctx, "/journal", q, &out)
	return out, err
}

// begin begins the journal.
func (s *server) begin(ctx context.Context) error {
	if !s.may.control {
		return errors.New("the game notes no changes, and this server may not have it begin: start it with --control")
	}
	return s.game.ask(ctx, "POST", "/journal", map[string]any{"on": true}, &json.RawMessage{})
}

// watch has an entity watched, or ends that.
func (s *server) watch(ctx context.Context, entity uint64, on bool) error {
	switch {
	case !s.may.control:
		return errors.New("watch needs --control: start this server with it")
	case entity == 0:
		return errors.New("watch needs an entity")
	}
	if err := s.begin(ctx); err != nil { // it is on already, perhaps
		return err
	}
	body := map[string]any{"unwatch": entity}
	if on {
		body = map[string]any{"watch": entity}
	}
	return s.game.ask(ctx, "POST", "/journal", body, &json.RawMessage{})
}
