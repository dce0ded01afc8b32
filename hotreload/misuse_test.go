package hotreload_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/perigee-ecs/perigee/hotreload"
	"github.com/perigee-ecs/perigee/internal/misuse"
)

// misusedHost is a sink and a stager whose functions are those of the situation at hand.
type misusedHost struct{ changed, loading func() }

func (h *misusedHost) FilesChanged(hotreload.Change) { run(h.changed) }
func (h *misusedHost) Stage(_, _ []string)           { run(h.changed) }
func (h *misusedHost) Load(fs.FS) error              { run(h.loading); return nil }

func run(f func()) {
	if f != nil {
		f()
	}
}

// wrongUses are calls of package hotreload for a folder on disk.
type wrongUses struct {
	*misuse.Calls
	dir string
}

func newWrongUses(t *testing.T, api *misuse.API, seed uint64) *wrongUses {
	c := &wrongUses{misuse.NewCalls(t, api, seed), t.TempDir()}
	c.write("a.lua", "return 1")
	if err := os.Mkdir(filepath.Join(c.dir, "sub.lua"), 0o755); err != nil {
		t.Fatal(err)
	}
	c.Functions = map[string]any{"Watch": hotreload.Watch, "Follow": hotreload.Follow, "Folder": hotreload.Folder}
	c.Receivers["Problem"] = []any{hotreload.Problem{}, hotreload.Problem{Path: "x", Err: fs.ErrPermission}}
	misuse.Offer(c.Calls, "", ".", "a.lua", "sub.lua", "none.lua", "/none", "a.lua/b", "\x00", "../a.lua", c.dir, filepath.Join(c.dir, "a.lua"), filepath.Join(c.dir, "none"))
	misuse.Offer[hotreload.Sink](c.Calls, nil, &misusedHost{})
	misuse.Offer[hotreload.Stager](c.Calls, nil, &misusedHost{})
	quick := time.Millisecond
	misuse.Offer(c.Calls, hotreload.Options{}, hotreload.Options{Poll: true, Interval: quick}, hotreload.Options{Settle: -1, MaxWait: -1, Interval: -1, MaxFile: -1}, hotreload.Options{MaxFile: 1, Poll: true},
		hotreload.Options{Match: func(string) bool { return false }, OnProblem: func(hotreload.Problem) {}})
	c.Result = func(v reflect.Value) {
		if w, ok := v.Interface().(*hotreload.Watcher); ok && w != nil {
			c.Expect("Close", w.Close())
		}
	}
	return c
}

func (c *wrongUses) write(name, text string) {
	if err := os.WriteFile(filepath.Join(c.dir, name), []byte(text), 0o644); err != nil {
		c.Fatal(err)
	}
}

// TestWrongUsesHaveDocumentedOutcomes: errors with a name, and nothing hangs.
func TestWrongUsesHaveDocumentedOutcomes(t *testing.T) {
	api := &misuse.API{
		Situations: []string{"outside", "elsewhere", "sink", "sink elsewhere", "load", "stage", "problem", "match", "closed", "zero"},
		Left: map[string]string{
			"Watcher.Close@sink elsewhere": "it waits for the sink, as its doc says, which would wait for it",
			"Watcher.Close@load":           "there is no Watcher before Follow has returned",
			"Watcher.Files@load":           "likewise",
			"Watcher.ReadFile@load":        "likewise",
		},
		Named: func(err error) bool {
			var problem hotreload.Problem
			var system *fs.PathError // what the operating system says
			return errors.As(err, &problem) || errors.As(err, &system) || misuse.Among(fs.ErrInvalid, fs.ErrNotExist, fs.ErrPermission, hotreload.ErrBusy)(err)
		},
		Prefix: "hotreload",
	}
	api.Exported(t, ".")
	for seed := range uint64(3) {
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			c := newWrongUses(t, api, seed)
			for _, where := range api.Situations {
				for name := c.Next(where); name != "" && !t.Failed(); name = c.Next(where) {
					c.inSituation(where, name)
				}
			}
		})
	}
	api.Print(t)
}

// inSituation makes a call where a watcher may be.
func (c *wrongUses) inSituation(where, name string) {
	var made atomic.Bool // Match is called within the call that is made in Match
	var watcher *hotreload.Watcher
	ready, done := make(chan bool), make(chan bool)
	call := func(elsewhere bool) func() {
		return func() {
			if made.Swap(true) {
				return
			}
			<-ready
			defer close(done)
			c.Receivers["Watcher"] = []any{watcher}
			c.Call(name, where, elsewhere)
		}
	}
	text := strings.Repeat("-", 100+c.IntN(1000)) + name // drawn before a watcher draws on its own goroutine
	options := hotreload.Options{Poll: c.IntN(2) == 0, Settle: time.Millisecond, Interval: time.Millisecond, OnProblem: func(hotreload.Problem) {}}
	host := &misusedHost{}
	switch where {
	case "sink", "stage":
		host.changed = call(false)
	case "sink elsewhere":
		host.changed = call(true)
	case "load":
		host.loading = call(false)
		close(ready)
	case "problem":
		options.MaxFile, options.OnProblem = 50, func(hotreload.Problem) { call(false)() }
	case "match":
		options.Match = func(name string) bool { // called by Follow as well, before there is a Watcher
			select {
			case <-ready:
				call(false)()
			default:
			}
			return strings.HasSuffix(name, ".lua")
		}
	case "zero":
		c.Receivers["Watcher"] = []any{&hotreload.Watcher{}, (*hotreload.Watcher)(nil)}
		c.Call(name, where, false)
		return
	}
	var err error
	if strings.HasPrefix(where, "sink") {
		watcher, err = hotreload.Watch(c.dir, host, options)
	} else {
		watcher, err = hotreload.Follow(c.dir, host, options)
	}
	if err != nil {
		c.Fatal(err)
	}
	defer func() { c.Expect("Close", watcher.Close()) }()
	if where != "load" {
		close(ready)
	}
	switch where {
	case "outside", "elsewhere":
		call(where == "elsewhere")()
	case "closed":
		c.Expect("Close", watcher.Close())
		call(false)()
	default:
		c.write("a.lua", text)
	}
	<-done
}
