package inspect

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/perigee-ecs/perigee/scripting"
)

const (
	mostTexts = 2 << 20         // bytes of a body with texts of scripts
	stageTime = 8 * time.Second // after which texts are given up
)

// textsJSON is what is asked for: texts by path in the folder of the game.
type textsJSON struct {
	Texts map[string]string `json:"texts"`
}

// checkedJSON is what is wrong with texts.
type checkedJSON struct {
	Problems []faultJSON `json:"problems"`
	Notes    []faultJSON `json:"notes"` // what may not be meant
	Staged   bool        `json:"staged"`
}

// staging has one set of texts be tried at a time: each takes up to the time that a reload may.
type staging struct{ mu sync.Mutex }

// postCheck says what is wrong with texts, and changes nothing.
func (i *Inspector) postCheck(r *http.Request) (any, error) { return i.texts(r, false) }

// postStage has the game run texts from its next step on, unless something is wrong with them. Why are they
// tried first? The game keeps what it has refused, and tries it again with the next file that is saved.
func (i *Inspector) postStage(r *http.Request) (any, error) {
	if err := i.edit(r, func() error { return nil }); err != nil { // an earlier tick is looked at
		return nil, err
	}
	return i.texts(r, true)
}

// texts checks texts, and stages them. It does that on the goroutine of the request, and no step waits for it.
func (i *Inspector) texts(r *http.Request, stage bool) (any, error) {
	var want textsJSON
	if err := body(r, &want); err != nil {
		return nil, err
	}
	if len(want.Texts) == 0 {
		return nil, failf(http.StatusBadRequest, `expected texts: paths of scripts and their texts, such as {"texts": {"game.lua": "..."}}`)
	}
	if !i.staging.mu.TryLock() {
		return nil, failf(http.StatusServiceUnavailable, "other texts are being checked: ask again later")
	}
	defer i.staging.mu.Unlock()
	ctx, cancel := context.WithTimeout(r.Context(), stageTime)
	defer cancel()
	texts := make(map[string][]byte, len(want.Texts))
	for path, text := range want.Texts {
		texts[path] = []byte(text)
	}
	problems, notes, err := i.host.CheckTexts(ctx, texts)
	if err == nil && stage && len(problems) == 0 {
		err = i.host.StageTexts(ctx, texts)
	}
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return nil, failf(http.StatusGatewayTimeout, "the texts were not tried to their end within %v, and are given up", stageTime)
	case err != nil:
		return nil, err
	}
	return checkedJSON{newFaults(problems), newFaults(notes), stage && len(problems) == 0}, nil
}

// newFaults makes the JSON of the first faults.
func newFaults(list []*scripting.Error) []faultJSON {
	all := []faultJSON{}
	for _, e := range list[:min(len(list), mostProblems)] {
		all = append(all, newFault(e))
	}
	return all
}
