package inspect

import (
	"bytes"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"maps"
	"regexp"
	"slices"
	"strconv"

	"github.com/perigee-ecs/perigee/bindings/diag"
)

const (
	mostPaths = 20_000  // values of scripts that are compared; further ones are not
	mostDepth = 30      // tables within each other
	mostVisit = 200_000 // values that are visited, on all ways
	mostWay   = 400     // bytes of a way: what is below a longer one is not compared
	mostKey   = 80      // bytes of a key, and
	mostValue = 400     // of a value; of longer ones there is a sum, too
)

// keptTables is what scripts keep, as [scripting.Scripts.Encode] writes it: tables by number, since they may
// contain each other.
type keptTables struct {
	States []struct {
		Name  string `json:"name"`
		Value any    `json:"value"`
	} `json:"states"`
	Saved []struct {
		Script string `json:"script"`
		Value  any    `json:"value"`
	} `json:"saved"`
	Timers []struct {
		ID      json.Number `json:"id"`
		Handler string      `json:"handler"`
		At      json.Number `json:"at"`
		Data    any         `json:"data"`
	} `json:"timers"`
	Tables []struct {
		List []any   `json:"list"`
		Keys [][]any `json:"keys"`
	} `json:"tables"`
}

// keptValues are the values of what scripts keep, as texts, by the way that leads to each: as Lua writes it.
type keptValues struct {
	tables *keptTables
	values map[string]string
	within map[int]bool // the tables around the one at hand: a cycle ends at the second one
	visits int
}

// readKept finds the values in what [scripting.Scripts.Encode] has written.
func readKept(text []byte) (map[string]string, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber() // each number as it is written
	k := keptValues{tables: &keptTables{}, values: map[string]string{}, within: map[int]bool{}}
	if err := d.Decode(k.tables); err != nil {
		return nil, fmt.Errorf("inspect: what scripts keep: %w", err)
	}
	for _, s := range k.tables.States {
		k.add("ecs.state "+strconv.Quote(s.Name), s.Value)
	}
	for _, s := range k.tables.Saved {
		k.add(s.Script+" on_save", s.Value)
	}
	for _, t := range k.tables.Timers {
		way := "timer " + t.ID.String() + " " + t.Handler
		k.add(way+" at", t.At)
		if t.Data != nil {
			k.add(way+" data", t.Data)
		}
	}
	return k.values, nil
}

// add adds the values of a table and of those in it, or one value.
func (k *keptValues) add(way string, v any) {
	if k.visits++; k.visits > mostVisit || len(k.values) >= mostPaths {
		return
	}
	if v == nil {
		return // as if it were not there
	}
	number, is := tableNumber(v)
	if !is {
		text, _ := json.Marshal(v) // it comes from JSON
		k.values[way] = summed(string(text), mostValue)
		return
	}
	if number >= len(k.tables.Tables) || k.within[number] || len(k.within) == mostDepth || len(way) > mostWay {
		k.values[way] = "{…}"
		return
	}
	t := &k.tables.Tables[number]
	if len(t.List)+len(t.Keys) == 0 {
		k.values[way] = "{}"
		return
	}
	k.within[number] = true
	for i, v := range t.List {
		k.add(way+"["+strconv.Itoa(i+1)+"]", v)
	}
	for _, pair := range t.Keys {
		if len(pair) == 2 {
			k.add(way+keyText(pair[0]), pair[1])
		}
	}
	delete(k.within, number)
}

// tableNumber returns the number of a table, if a value is one.
func tableNumber(v any) (n int, is bool) {
	m, _ := v.(map[string]any)
	number, is := m["table"].(json.Number)
	if !is {
		return 0, false
	}
	n, err := strconv.Atoi(number.String())
	return n, err == nil && n >= 0
}

// plainKey is a key that Lua writes after a dot.
var plainKey = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// keyText is how Lua writes a key.
func keyText(key any) string {
	if text, ok := key.(string); ok && len(text) <= mostKey && plainKey.MatchString(text) {
		return "." + text
	}
	text, _ := json.Marshal(key)
	return "[" + summed(string(text), mostKey) + "]"
}

// summed shortens a text. Two that differ beyond the end have other sums.
func summed(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return fmt.Sprintf("%s… (%d bytes, sum %08x)", diag.CutAt(text, most), len(text), crc32.ChecksumIEEE([]byte(text)))
}

// keptChanges are the values that differ, in the order of their ways, and how many there are.
func keptChanges(was, is []byte) (list []valueChangeJSON, n int, err error) {
	list = []valueChangeJSON{}
	before, err := readKept(was)
	if err != nil {
		return list, 0, err
	}
	after, err := readKept(is)
	if err != nil {
		return list, 0, err
	}
	all := maps.Clone(before)
	maps.Copy(all, after)
	for _, way := range slices.Sorted(maps.Keys(all)) {
		if before[way] == after[way] {
			continue
		}
		if n++; n <= mostResources {
			list = append(list, valueChangeJSON{Name: cut(way), Was: cut(before[way]), Is: cut(after[way])})
		}
	}
	return list, n, nil
}
