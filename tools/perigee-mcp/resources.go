package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// mostResource bounds a resource, in bytes.
const mostResource = 256 << 10

// scriptScheme begins the URIs of scripts.
const scriptScheme = "perigee://scripts/"

// addResources adds what may be read as a whole.
func (s *server) addResources() {
	s.AddResource(&mcp.Resource{URI: "perigee://openapi.json", Name: "openapi", MIMEType: "application/json", Description: "The HTTP API of the game, which other programs use"},
		s.answers("/openapi.json"))
	s.AddResource(&mcp.Resource{URI: "perigee://components", Name: "components", MIMEType: "application/json", Description: "Components and their fields"},
		s.answers("/components"))
	s.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: scriptScheme + "{+path}", Name: "script", MIMEType: "text/x-lua", Description: "The text of a script as it runs"}, s.readText)
}

// answers serves an answer of the game as a resource.
func (s *server) answers(path string) mcp.ResourceHandler {
	return func(ctx context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		var text json.RawMessage
		if err := s.game.get(ctx, path, nil, &text); err != nil {
			return nil, err
		}
		return resource(r.Params.URI, "application/json", string(text))
	}
}

// readText serves the text of a script.
func (s *server) readText(ctx context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	path, err := url.PathUnescape(strings.TrimPrefix(r.Params.URI, scriptScheme))
	if err != nil {
		return nil, fmt.Errorf("%.200q is no URI", r.Params.URI)
	}
	out, err := s.script(ctx, path)
	if err != nil {
		return nil, err
	}
	return resource(r.Params.URI, "text/x-lua", out.Text)
}

// resource makes the content of a resource.
func resource(uri, kind, text string) (*mcp.ReadResourceResult, error) {
	if len(text) > mostResource {
		return nil, fmt.Errorf("it has %d bytes, more than a resource may have: use list_components or read_script, which have pages", len(text))
	}
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: uri, MIMEType: kind, Text: text}}}, nil
}
