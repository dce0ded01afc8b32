package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

const (
	mostAnswered = 2 << 20          // bytes of an answer of the game
	askTime      = 12 * time.Second // the game gives up texts that it tries after 8 s
)

// game is the API of a game that runs. Its methods may be called from any goroutine.
type game struct {
	base  string // with /api/v1
	host  string // for messages, without the token
	token string
	http  *http.Client
}

// newGame reads an address as perigee run --view prints it: with the token after #.
func newGame(address string) (*game, error) {
	u, err := url.Parse(address)
	if address == "" || err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.Fragment == "" || u.User != nil {
		return nil, fmt.Errorf("%s has no address of a game: expected the one that perigee run --view prints, such as http://127.0.0.1:8080/#TOKEN", urlVariable)
	}
	return &game{
		base: u.Scheme + "://" + u.Host + "/api/v1", host: u.Host, token: u.Fragment,
		http: &http.Client{
			Timeout:   askTime,
			Transport: &http.Transport{MaxConnsPerHost: mostCalls, MaxIdleConnsPerHost: mostCalls}, // no proxy: it would see the token
			CheckRedirect: func(*http.Request, []*http.Request) error { // nor does another server
				return http.ErrUseLastResponse
			},
		},
	}, nil
}

// refusal is what the game says in place of an answer.
type refusal struct {
	status int
	text   string
}

// Error says what to do, too, where the game does not know it.
func (r *refusal) Error() string {
	switch r.status {
	case http.StatusUnauthorized:
		return "the game refuses the token: it has another one each time it is started. Start the server again with the address that the game prints now"
	case http.StatusForbidden:
		return r.text + ". If the game was started with perigee run --view or perigee mcp, start it with --edit"
	}
	return r.text
}

// get asks for JSON.
func (g *game) get(ctx context.Context, path string, query url.Values, into any) error {
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return g.ask(ctx, http.MethodGet, path, nil, into)
}

// ask makes a request, and reads the JSON of the answer.
func (g *game) ask(ctx context.Context, method, path string, body, into any) error {
	var text io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return err
		}
		text = bytes.NewReader(b)
	}
	r, err := http.NewRequestWithContext(ctx, method, g.base+path, text)
	if err != nil {
		return fmt.Errorf("this cannot stand in the address of a request: %.200q", path)
	}
	r.Header.Set("Authorization", "Bearer "+g.token)
	answer, err := g.http.Do(r)
	if err != nil {
		return g.unreachable(ctx, err)
	}
	defer answer.Body.Close()
	all, err := io.ReadAll(io.LimitReader(answer.Body, mostAnswered+1))
	switch {
	case err != nil:
		return g.unreachable(ctx, err)
	case len(all) > mostAnswered:
		return fmt.Errorf("the game answers with more than %d MiB: ask for less", mostAnswered>>20)
	case answer.StatusCode != http.StatusOK:
		return refused(answer.StatusCode, all)
	}
	if err := json.Unmarshal(all, into); err != nil {
		return fmt.Errorf("what answers at %s is no game of Perigee: %w", g.host, err)
	}
	return nil
}

// refused reads an answer that is none.
func refused(status int, body []byte) error {
	var said struct {
		Error struct {
			Text string `json:"text"`
		} `json:"error"`
	}
	if json.Unmarshal(body, &said) != nil || said.Error.Text == "" {
		said.Error.Text = fmt.Sprintf("the game answers with status %d", status)
	}
	return &refusal{status, strings.ToValidUTF8(said.Error.Text, "\uFFFD")}
}

// unreachable says that the game does not answer, without its address, which has the token.
func (g *game) unreachable(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("the call has taken longer than %v, or was given up: %w", callTime, ctx.Err())
	}
	if e, ok := errors.AsType[*url.Error](err); ok {
		err = e.Err
	}
	return fmt.Errorf("the game at %s does not answer (%w): if it has ended, start it again, and this server with its new address", g.host, err)
}
