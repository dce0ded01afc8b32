package inspect

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/perigee-ecs/perigee/ecs"
	"github.com/perigee-ecs/perigee/ecs/codec"
	"github.com/perigee-ecs/perigee/scripting"
)

// mostBody bounds the body of a request, in bytes; those with texts of scripts have mostTexts.
const mostBody = 64 << 10

// mostOf bounds the body of a request of this path.
func mostOf(path string) int64 {
	if path == "/api/v1/check" || path == "/api/v1/stage" {
		return mostTexts
	}
	return mostBody
}

// answer is what a route does: it returns what becomes the JSON of the answer.
type answer func(r *http.Request) (any, error)

// api makes the routes.
func (i *Inspector) api() *http.ServeMux {
	m := http.NewServeMux()
	get := func(path string, a answer, parameters ...string) {
		m.HandleFunc("GET /api/v1"+path, reply(known(a, parameters...)))
	}
	get("/status", i.getStatus)
	get("/time", i.getTime)
	get("/faults", i.getFaults)
	get("/entities", i.getEntities, "query", "name", "limit", "cursor")
	get("/entities/{id}", i.getEntity)
	get("/components", i.getComponents)
	get("/relations", i.getRelations)
	get("/tree", i.getTree, "relation", "of", "cursor", "limit")
	get("/systems", i.getSystems)
	get("/schedule", i.getSchedule)
	get("/schedule/{name...}", i.getConflicts)
	get("/ticks", i.getTicks)
	get("/ticks/{tick}", i.getTick)
	get("/trace", i.getTrace, "ticks")
	get("/scripts", i.getScripts)
	get("/scripts/{path...}", i.getScript)
	get("/world", i.getWorld)
	get("/journal", i.getJournal, "entity", "limit")
	get("/rewind", i.getRewind)
	get("/rewind/changes", i.getChanges, "from", "to", "limit", "entity")
	m.HandleFunc("GET /api/v1/openapi.json", bare(i.getOpenAPI))
	m.HandleFunc("GET /api/v1/events", bare(i.getEvents))
	m.HandleFunc("GET /api/v1/view", bare(i.getView))
	m.HandleFunc("GET /api/v1/images/{id}", bare(i.getImage))
	m.HandleFunc("GET "+metricsPath, bare(i.getMetrics))

	change := func(method, path string, allowed bool, option string, a answer) {
		m.HandleFunc(method+" /api/v1"+path, reply(func(r *http.Request) (any, error) {
			if !allowed {
				return nil, failf(http.StatusForbidden, "this inspector only shows: the program has not set its option %s", option)
			}
			return known(a)(r)
		}))
	}
	change("POST", "/time", i.options.Control, "Control", i.postTime)
	change("POST", "/journal", i.options.Control, "Control", i.postJournal)
	change("POST", "/rewind", i.options.Control, "Control", i.postRewind)
	change("POST", "/entities", i.options.Edit, "Edit", i.postEntity)
	change("PATCH", "/entities/{id}", i.options.Edit, "Edit", i.patchEntity)
	change("DELETE", "/entities/{id}", i.options.Edit, "Edit", i.deleteEntity)
	change("POST", "/console", i.options.Edit, "Edit", i.postConsole)
	change("POST", "/console/undo", i.options.Edit, "Edit", i.postUndo)
	change("POST", "/console/complete", i.options.Edit, "Edit", i.postComplete)
	m.HandleFunc("POST /api/v1/check", reply(known(i.postCheck)))
	change("POST", "/stage", i.options.Edit, "Edit", i.postStage)
	change("PATCH", "/systems/{name...}", i.options.Edit, "Edit", i.patchSystem)
	m.HandleFunc("GET /{$}", getPage)
	m.HandleFunc("GET /page/{file}", getPage)
	m.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) { noRoute(m, w, r) })
	return m
}

// noRoute answers where there is no route: for this method, or for none.
func noRoute(m *http.ServeMux, w http.ResponseWriter, r *http.Request) {
	var methods []string
	for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPatch, http.MethodDelete} {
		other := &http.Request{Method: method, URL: r.URL, Host: r.Host}
		if _, pattern := m.Handler(other); pattern != "/" && pattern != "" {
			methods = append(methods, method)
		}
	}
	if len(methods) == 0 {
		fail(w, failf(http.StatusNotFound, "there is no such route: /api/v1/openapi.json lists them"))
		return
	}
	allowed := strings.Join(methods, ", ")
	w.Header().Set("Allow", allowed)
	fail(w, failf(http.StatusMethodNotAllowed, "this route has no method %s: it has %s", cut(r.Method), allowed))
}

// known makes an answer one of known parameters.
func known(a answer, parameters ...string) answer {
	return func(r *http.Request) (any, error) {
		if err := refuseParameters(r, parameters); err != nil {
			return nil, err
		}
		return a(r)
	}
}

// bare makes a handler one that has no parameters.
func bare(h http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := refuseParameters(r, nil); err != nil {
			fail(w, err)
			return
		}
		h(w, r)
	}
}

// refuseParameters refuses a query string that is broken, and parameters that the route has not, as
// fields of a body are: without that, a filter with a mistake in its name would let everything through.
func refuseParameters(r *http.Request, parameters []string) error {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return failf(http.StatusBadRequest, "the query string cannot be read: %s", cut(err.Error()))
	}
	for name, list := range values {
		switch {
		case !slices.Contains(parameters, name) && len(parameters) == 0:
			return failf(http.StatusBadRequest, "this route has no parameters, and so no %q", cut(name))
		case !slices.Contains(parameters, name):
			return failf(http.StatusBadRequest, "this route has no parameter %q: it has %s", cut(name), strings.Join(parameters, ", "))
		case len(list) > 1:
			return failf(http.StatusBadRequest, "the parameter %s is given twice", name)
		}
	}
	return nil
}

// reply makes a handler of an answer.
func reply(a answer) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		v, err := a(r)
		if err != nil {
			fail(w, err)
			return
		}
		text, err := json.Marshal(v)
		if err != nil {
			fail(w, err)
			return
		}
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		_, _ = w.Write(append(text, '\n')) // a client that has gone needs no answer
	}
}

// fail writes an error.
func fail(w http.ResponseWriter, err error) {
	status := statusOf(err)
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	if status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "1")
	}
	w.WriteHeader(status)
	text, _ := json.Marshal(map[string]any{"error": map[string]any{"status": status, "text": err.Error()}})
	_, _ = w.Write(append(text, '\n'))
}

// statusOf returns the status that goes with an error.
func statusOf(err error) int {
	if f, ok := errors.AsType[*httpError](err); ok {
		return f.status
	}
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return http.StatusRequestEntityTooLarge
	}
	switch {
	case errors.Is(err, ecs.ErrDead), isNotKept(err):
		return http.StatusNotFound
	case errors.Is(err, ecs.ErrClosed), errors.Is(err, scripting.ErrClosed):
		return http.StatusServiceUnavailable
	case errors.Is(err, ecs.ErrUnknown), errors.Is(err, ecs.ErrConflict), errors.Is(err, ecs.ErrRange):
		return http.StatusBadRequest
	}
	return http.StatusInternalServerError
}

// body reads the JSON of a request into v; fields that v has not are refused.
func body(r *http.Request, v any) error {
	text, err := io.ReadAll(r.Body)
	if err == nil {
		err = codec.FromJSON(text, v)
	}
	if err != nil {
		return badBody(err)
	}
	return nil
}

// badBody says that a body could not be read.
func badBody(err error) error {
	if over, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return failf(http.StatusRequestEntityTooLarge, "a body has at most %d bytes", over.Limit)
	}
	return failf(http.StatusBadRequest, "the body is no JSON of the expected form: %v", err)
}

// number reads a parameter of the query of a URL: a whole number from least to most.
func number(r *http.Request, name string, usual, least, most int) (int, error) {
	text := r.URL.Query().Get(name)
	if text == "" {
		return usual, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < least || n > most {
		return 0, failf(http.StatusBadRequest, "%s is a whole number from %d to %d", name, least, most)
	}
	return n, nil
}
