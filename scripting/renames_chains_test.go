package scripting_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// heir is a file that says whose data it gets. It has a component that all of them
// declare, so that every file shares something with every other one.
func heir(id, more string) string {
	return strings.ReplaceAll(`local All, st = ecs.component("All", { n = ecs.f64(0) }), ecs.state("st.ID", { beats = 0 })
ecs.on_start(function() ecs.log("start", "ID") end)
ecs.handler("beat.ID", function() st.beats = st.beats + 1 end)
ecs.system "sys.ID" { run = function() end }
ecs.handler("beats.ID", function() end)
ecs.on_unload(function() return "ID" end)
ecs.on_reload(function(old) ecs.log("ID<" .. tostring(old)) end)
ecs.system "show.ID" { every = 1000, run = function() ecs.log(st.beats) end }`, "ID", id) + more
}

// rearrange replaces all files of a game in one save.
func (r *game) rearrange(files map[string]string) {
	var changed, removed []string
	old := map[string]string{}
	for name, f := range r.folder {
		old[name] = string(f.Data)
		if _, stays := files[name]; !stays {
			delete(r.folder, name)
			removed = append(removed, name)
		}
	}
	for name, text := range files {
		r.write(name, text)
		if string(r.folder[name].Data) != old[name] {
			changed = append(changed, name)
		}
	}
	slices.Sort(changed)
	slices.Sort(removed)
	r.host.Stage(changed, removed)
}

// TestMovedInAChain: files that take each other's names in one save carry their data with
// their texts, none of them starts again, and the verdict names each.
func TestMovedInAChain(t *testing.T) {
	edit := "\n-- edited"
	for name, c := range map[string]struct {
		before, after string // name=id of files; a ' is an edit
		log, verdict  string
	}{
		"two":                  {"m1=a m2=b", "m2=a m3=b", "a<a b<b", "m2.lua: renamed from m1.lua|m3.lua: renamed from m2.lua"},
		"three":                {"m1=a m2=b m3=c", "m2=a m3=b m4=c", "a<a b<b c<c", "m2.lua: renamed from m1.lua|m3.lua: renamed from m2.lua|m4.lua: renamed from m3.lua"},
		"exchange":             {"m1=a m2=b", "m1=b m2=a", "b<b a<a", "m1.lua: renamed from m2.lua|m2.lua: renamed from m1.lua"},
		"round":                {"m1=a m2=b m3=c", "m1=c m2=a m3=b", "c<c a<a b<b", ""},
		"folders":              {"c/x=a c/y=b d/x=c d/y=d", "d/x=a d/y=b c/x=c c/y=d", "c<c d<d a<a b<b", ""},
		"edited in a chain":    {"m1=a m2=b m3=c", "m2=a m3=b' m4=c", "a<a b<b c<c", "m3.lua: renamed from m2.lua, with changes"},
		"edited last":          {"m1=a m2=b", "m2=a m3=b'", "a<a b<b", ""},
		"edited first":         {"m1=a m2=b", "m2=a' m3=b", "a<a b<b", ""},
		"edited exchange":      {"m1=a m2=b", "m1=b' m2=a", "b<b a<a", "m1.lua: renamed from m2.lua, with changes"},
		"both edited":          {"m1=a m2=b", "m1=b' m2=a'", "b<b a<a", ""},
		"a new one in between": {"m1=a m2=b", "m1=a m2=n m3=b", "b<b start n", "m3.lua: renamed from m2.lua|m2.lua: another file under this name, so its on_start runs"},
		"a new one first":      {"m1=a m2=b", "m1=n m2=a m3=b", "a<a b<b start n", "m1.lua: another file under this name"},
		"over another":         {"m1=a m2=b", "m2=a", "a<a", "m2.lua: the file that had this name is gone"},
		"edited in place":      {"m1=a m2=b", "m1=a' m2=b'", "a<a b<b", ""},
	} {
		t.Run(name, func(t *testing.T) {
			files := func(list string) map[string]string {
				all := map[string]string{}
				for _, f := range strings.Fields(list) {
					name, id, _ := strings.Cut(f, "=")
					id, edited := strings.CutSuffix(id, "'")
					all[name+".lua"] = heir(id, "")
					if edited {
						all[name+".lua"] += edit
					}
				}
				return all
			}
			r := loaded(t)
			r.rearrange(files(c.before))
			r.accepted()
			r.logged()
			r.rearrange(files(c.after))
			r.accepted()
			if got := r.logged(); got != c.log {
				t.Errorf("logged %q, want %q", got, c.log)
			}
			for _, want := range strings.Split(c.verdict, "|") {
				if got := r.verdict(); !strings.Contains(got, want) {
					t.Errorf("%q is not in %s", want, got)
				}
			}
			if name == "edited in place" && strings.Contains(r.verdict(), "renamed") {
				t.Error(r.verdict())
			}
		})
	}
}

// TestMovedWithDependents: who requires a file by its name gets the file that has the name
// now, coroutines are those of the file that ends, and timers and state go on.
func TestMovedWithDependents(t *testing.T) {
	part := func(id string) string {
		return heir(id, ` return { id = "`+id+`", co = coroutine.create(function() coroutine.yield() end) }`)
	}
	user := `local m, st = require "a", ecs.state("st.a", { beats = 0 }) coroutine.resume(m.co) ecs.on_unload(function() return "user" end)
ecs.on_reload(function(old) ecs.log(old) end) ecs.on_start(function() ecs.every(1 / 64, "beat.a") end)
ecs.system "user" { run = function() ecs.log(m.id, st.beats) end }`
	r := loaded(t, "a.lua", part("a"), "b.lua", part("b"), "user.lua", user)
	r.run(3)
	r.logged()
	r.rearrange(map[string]string{"a.lua": part("b"), "b.lua": part("a"), "user.lua": user})
	r.accepted()
	r.wantLog("b<b a<a user b 4")
	if got := r.verdict(); !strings.Contains(got, "1 suspended coroutine of the old version of a.lua was cancelled") || strings.Contains(got, "user.lua: renamed") {
		t.Error(got)
	}
}

// TestMovedOneOfTwo: two files with one text cannot be told apart, and the verdict says so;
// a copy of a file that is edited by the same save is a new file.
func TestMovedOneOfTwo(t *testing.T) {
	text := `ecs.on_start(function() ecs.log("start") end) ecs.on_unload(function() return 1 end) ecs.on_reload(function() ecs.log("on") end)`
	r := loaded(t, "a.lua", text, "b.lua", text)
	r.run(1)
	r.wantLog("start start")
	r.rearrange(map[string]string{"c.lua": text})
	r.accepted()
	r.wantLog("on")
	if got := r.verdict(); !strings.Contains(got, "c.lua: it could be b.lua as well: which of the two it was cannot be known") {
		t.Error(got)
	}
	text = `local T = ecs.tag("T") ` + text
	r = loaded(t, "a.lua", text)
	r.run(1)
	r.logged()
	r.rearrange(map[string]string{"a.lua": text + " -- edited", "b.lua": text})
	r.accepted()
	r.wantLog("on start")
}

// TestMovedAtRandom: files get each other's names, new ones and edits, some go and some
// come. Each file's data go where its text goes, and only new files start.
func TestMovedAtRandom(t *testing.T) {
	for seed := range uint64(40) {
		random := rand.New(rand.NewPCG(seed, 1))
		r, born := loaded(t), 0
		names := []string{"a.lua", "b.lua", "c.lua", "d.lua", "x/a.lua", "x/b.lua", "x/c.lua"}
		place, files := map[string]string{}, map[string]string{} // by id; by name
		for save := range 12 {
			order := random.Perm(len(names))
			next, texts := map[string]string{}, map[string]string{}
			var want []string
			for _, id := range slices.Sorted(maps.Keys(place)) {
				name := place[id]
				if random.IntN(2) == 0 && len(order) > 0 {
					name = names[order[0]]
				}
				if texts[name] != "" || random.IntN(10) == 0 {
					continue // it is overwritten, or removed
				}
				text := files[place[id]]
				if random.IntN(4) == 0 {
					text += fmt.Sprintf("\n-- %d", save)
				}
				order = slices.DeleteFunc(order, func(i int) bool { return names[i] == name })
				if next[id], texts[name] = name, text; name != place[id] || text != files[name] {
					want = append(want, id+"<"+id)
				}
			}
			// A file that comes has a name of its own: under a name that has begun once it
			// would not start.
			if len(next) < 5 {
				id := fmt.Sprintf("f%d", born)
				born++
				next[id], texts[id+".lua"] = id+".lua", heir(id, "")
				want = append(want, "start "+id)
			}
			if maps.Equal(texts, files) {
				continue
			}
			r.rearrange(texts)
			r.accepted()
			got := strings.Fields(strings.ReplaceAll(r.logged(), "start ", "start_"))
			for i := range want {
				want[i] = strings.ReplaceAll(want[i], "start ", "start_")
			}
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Fatalf("seed %d, save %d: %v, want %v; %v then %v\n%s", seed, save, got, want, place, next, r.verdict())
			}
			place, files = next, texts
		}
	}
}
