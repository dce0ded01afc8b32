package browser

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// fieldScript is a small game: two bots of which one has the other as its target, what has long names, a name that turns
// the direction of writing, and a system that fails now and then.
const fieldScript = `local ecs = require "ecs"
local Position, Label, Shape = ecs.native "Position", ecs.native "Label", ecs.native "Shape"
local Bot = ecs.component("Bot", { angle = ecs.f64(0), target = ecs.entity() })
local Long = ecs.component("AComponentWhoseNameIsSoLongThatNobodyWouldWriteItButSomebodyHas", {
  a_very_long_field_name_that_goes_on_and_on_and_on_and_on = ecs.f64(1.25), short = ecs.f64(2) })

ecs.on_start(function()
  local first = ecs.spawn(Bot { angle = 325 }, Position { x = 300, y = 500 }, Shape, Label { text = "alpha" })
  ecs.spawn(Bot { angle = 90, target = first }, Position { x = 700, y = 500 }, Shape, Label { text = "beta \226\128\174live" })
  ecs.spawn(Long)
end)
ecs.system "turned \226\128\174live gnol" { run = function() end }
ecs.system "touchy" { every = 1, run = function(ctx) if ctx.tick < 100000 then error("it is touchy") end end }
`

// fieldGame opens the page on the game of fieldScript, with more files.
func fieldGame(t *testing.T, more fstest.MapFS) (*game, context.Context) {
	files := fstest.MapFS{"a.lua": {Data: []byte(fieldScript)}}
	for name, file := range more {
		files[name] = file
	}
	g, ctx := start(t, true, files, 5)
	g.do(ctx, screen(1280, 800, 1, false, "dark"), chromedp.Navigate(g.url))
	g.until(ctx, `window.perigee && perigee.pulse && perigee.pulse.edit && document.querySelectorAll('#panel .row').length === 3`)
	return g, ctx
}

// of selects the first entity of a query, and returns its slot.
func (g *game) of(ctx context.Context, query string) int {
	g.Helper()
	slot := eval[int](g, ctx, fmt.Sprintf(`import('/page/api.js').then(a => a.get('/entities?query=' + encodeURIComponent(%q))).then(p => { perigee.select(p.entities[0].id); return p.entities[0].slot })`, query))
	g.until(ctx, fmt.Sprintf(`document.querySelector('#panel h2')?.textContent.startsWith('ENTITY #%d ')`, slot))
	return slot
}

// both takes pictures of what is shown in two sizes and two schemes, and holds that nothing is wider than the screen.
func (g *game) both(ctx context.Context, name string) {
	g.Helper()
	for _, scheme := range []string{"dark", "light"} {
		g.do(ctx, screen(390, 844, 1, true, scheme))
		g.until(ctx, fmt.Sprintf(`innerWidth === 390 && document.documentElement.dataset.theme === %q`, scheme))
		g.narrow(ctx)
		g.shot(ctx, name+"-phone-"+scheme)
		g.do(ctx, screen(1280, 800, 1, false, scheme))
		g.until(ctx, `innerWidth === 1280`)
		g.narrow(ctx)
		g.shot(ctx, name+"-"+scheme)
	}
}

// inputOf is the input of a field.
func inputOf(field string) string {
	return fmt.Sprintf(`document.querySelector('input[aria-label=%q]')`, field)
}

// TestUndoInAField: what the browser takes back in a field after Enter does not stay there, for the game has another value.
func TestUndoInAField(t *testing.T) {
	g, ctx := fieldGame(t, nil)
	g.of(ctx, "Bot.angle > 300")
	text := inputOf("Label.text")
	undo := chromedp.KeyEvent("z", chromedp.KeyModifiers(chromedp.ModifierCtrl))
	g.js(ctx, text+`.focus(); `+text+`.select()`)
	g.do(ctx, chromedp.KeyEvent("gamma"), chromedp.KeyEvent(kb.Enter))
	game := `import('/page/api.js').then(a => a.get('/entities/' + perigee.selected)).then(e => e.components.Label.text)`
	g.until(ctx, game+`.then(text => text === 'gamma')`)
	for range 3 {
		g.do(ctx, undo)
	}
	g.until(ctx, text+`.value === 'gamma'`)
	g.js(ctx, text+`.focus()`)
	for range 3 {
		g.do(ctx, undo)
	}
	g.until(ctx, text+`.value === 'gamma'`)
	if is := eval[string](g, ctx, game); is != "gamma" {
		t.Errorf("the game has %q", is)
	}

	// What is being typed stays, until it is given up; a field with the focus that nobody has typed in follows the game.
	g.js(ctx, text+`.focus(); `+text+`.select()`)
	g.do(ctx, chromedp.KeyEvent("del"))
	tick := eval[float64](g, ctx, `perigee.pulse.tick`)
	g.until(ctx, fmt.Sprintf(`perigee.pulse.tick > %v + 60`, tick))
	if is := eval[string](g, ctx, text+`.value`); is != "del" {
		t.Errorf("while it is typed, it is %q", is)
	}
	g.do(ctx, chromedp.KeyEvent(kb.Escape))
	g.until(ctx, text+`.value === 'gamma'`)
	g.js(ctx, text+`.focus()`)
	g.js(ctx, `import('/page/api.js').then(a => a.call('PATCH', '/entities/' + perigee.selected, { set: { Label: { text: 'omega' } } }))`)
	g.until(ctx, text+`.value === 'omega' && document.activeElement === `+text)

	// What the game refuses does not stay either.
	angle := inputOf("Bot.angle")
	g.js(ctx, angle+`.focus(); `+angle+`.select()`)
	g.do(ctx, chromedp.KeyEvent("north"), chromedp.KeyEvent(kb.Enter))
	g.until(ctx, angle+`.value === '325'`)
	g.quiet()
}

// TestFieldsOfEntities: a field of an entity has the name that the page has for it, leads there, and can be written so.
func TestFieldsOfEntities(t *testing.T) {
	g, ctx := fieldGame(t, nil)
	first := g.of(ctx, "Bot.angle > 300")
	g.until(ctx, inputOf("Bot.target")+`.value === 'none'`)
	second := g.of(ctx, "Bot.angle < 100")
	name := fmt.Sprintf("#%d", first)
	target := inputOf("Bot.target")
	g.until(ctx, fmt.Sprintf(`%s.value === %q`, target, name))
	link := fmt.Sprintf(`%s.closest('dd').querySelector('button.chip')`, target)
	g.until(ctx, link)
	g.both(ctx, "field-entity")
	g.js(ctx, link+`.click()`)
	g.until(ctx, fmt.Sprintf(`document.querySelector('#panel h2')?.textContent.startsWith('ENTITY #%d ')`, first))

	// It is written as a name, as a slot, and as none.
	g.js(ctx, `import('/page/api.js').then(a => a.call('POST', '/journal', { on: true }).then(() => a.call('POST', '/journal', { watch: perigee.selected })))`)
	write := func(text, want string) {
		g.js(ctx, fmt.Sprintf(`const i = %s; i.focus(); i.value = %q; i.dispatchEvent(new Event('input')); i.dispatchEvent(new Event('change')); i.blur()`, target, text))
		g.until(ctx, fmt.Sprintf(`import('/page/api.js').then(a => a.get('/entities/' + perigee.selected)).then(e => e.components.Bot.target %s)`, want))
	}
	write(fmt.Sprintf("#%d", second), fmt.Sprintf("%% 2**24 === %d", second))
	g.until(ctx, fmt.Sprintf(`%s.value === '#%d'`, target, second))
	write("none", "=== 0")
	write(fmt.Sprint(first), fmt.Sprintf("%% 2**24 === %d", first))
	write("@"+fmt.Sprint(second), fmt.Sprintf("%% 2**24 === %d", second))

	// So it is in the journal, and when the other one is dead.
	g.js(ctx, `document.querySelector('details.card').open = true`)
	chip := fmt.Sprintf("#%d", second)
	g.until(ctx, fmt.Sprintf(`[...document.querySelectorAll('.why .change')].some(c => c.textContent.includes('Bot.target') && [...c.querySelectorAll('button')].some(b => b.textContent === %q))`, chip))
	if text := eval[string](g, ctx, `document.querySelector('.why').textContent`); strings.Contains(text, "167772") {
		t.Errorf("a handle is shown: %s", text)
	}
	g.js(ctx, `document.querySelector('.why').scrollIntoView()`)
	g.shot(ctx, "field-entity-why")
	g.js(ctx, fmt.Sprintf(`import('/page/api.js').then(a => a.call('DELETE', '/entities/@%d'))`, second))
	g.until(ctx, fmt.Sprintf(`%s.closest('dd').querySelector('.tag')?.textContent === 'dead'`, target))
	g.shot(ctx, "field-entity-dead")

	// And where two ticks are compared.
	g.do(ctx, click("#keep"))
	g.until(ctx, `perigee.timeline.state.ticks.length > 10`)
	write("none", "=== 0")
	tick := eval[float64](g, ctx, `perigee.pulse.tick`)
	g.until(ctx, fmt.Sprintf(`perigee.timeline.state.newest > %v + 10`, tick))
	g.do(ctx, click("#tab-time"))
	g.js(ctx, `const i = document.querySelector('input[aria-label="the earlier tick"]'); i.value = perigee.timeline.state.oldest; i.oninput(); document.querySelector('form.compare').requestSubmit()`)
	g.until(ctx, fmt.Sprintf(`[...document.querySelectorAll('.change')].some(c => c.textContent === '#%d → none')`, second))
	g.shot(ctx, "field-entity-compare")
	g.quiet()
}

// TestSearchForAnEntity: the names that the page has for entities are found; what is no query leaves no list that looks like its answer.
func TestSearchForAnEntity(t *testing.T) {
	g, ctx := fieldGame(t, nil)
	slot := eval[int](g, ctx, `+document.querySelector('#panel .row b').textContent.slice(1)`)
	handle := eval[string](g, ctx, fmt.Sprintf(`import('/page/api.js').then(a => a.get('/entities/@%d')).then(e => String(e.id))`, slot))
	search := func(text string) {
		g.js(ctx, fmt.Sprintf(`document.querySelector('.query input').value = %q; document.querySelector('.query').requestSubmit()`, text))
	}
	for _, text := range []string{fmt.Sprintf("#%d", slot), fmt.Sprintf(" @%d ", slot), handle, fmt.Sprint(slot)} {
		search(text)
		g.until(ctx, fmt.Sprintf(`document.querySelector('#panel h2')?.textContent.startsWith('ENTITY #%d ')`, slot))
		g.js(ctx, `[...document.querySelectorAll('.foot button')].find(b => b.textContent === '← all entities').click()`)
		g.until(ctx, `document.querySelectorAll('#panel .row').length === 1 && !document.querySelector('#panel h2')`)
	}
	search("Bot")
	g.until(ctx, `document.querySelectorAll('#panel .row').length === 2 && document.querySelector('#panel .foot:not(.card .foot)')`)
	for text, want := range map[string]string{"#900000": "slot 900000", "Bott": "Bot"} {
		search(text)
		g.until(ctx, fmt.Sprintf(`document.querySelector('#panel .problem').textContent.includes(%q)`, want))
		if is := eval[string](g, ctx, `(rows => rows.hidden || +getComputedStyle(rows).opacity < .5 && rows.inert ? '' : 'an old list ')(document.querySelector('#panel .rows')) + [...document.querySelectorAll('#panel .foot')].map(f => f.textContent).filter(t => /found/.test(t)).join()`); is != "" {
			t.Errorf("after %q, there is %s", text, is)
		}
	}
	g.shot(ctx, "search-refused")
	search("Bot")
	g.until(ctx, `document.querySelectorAll('#panel .row').length === 2 && !document.querySelector('#panel .rows').inert && !document.querySelector('#panel .problem').textContent`)

	// A value in the list has its name.
	g.until(ctx, `[...document.querySelectorAll('#panel .row')].some(r => r.textContent.includes('Bot angle 325'))`)
	g.shot(ctx, "search")
	g.quiet()
}

// TestTabsWithManyFaults: however many faults there are, no tab is cut, and the page is no wider than the window.
func TestTabsWithManyFaults(t *testing.T) {
	many := "local ecs = require \"ecs\"\nfor i = 1, 1200 do ecs.system(\"bad.\" .. i) { every = 1, run = function() error(\"no\") end } end\n"
	g, ctx := fieldGame(t, fstest.MapFS{"many.lua": {Data: []byte(many)}})
	g.until(ctx, `perigee.pulse.faults > 1000 && document.querySelector('#tab-scripts em')`)
	if is := eval[string](g, ctx, `document.querySelector('#tab-scripts em').textContent`); is != "99+" {
		t.Errorf("the badge says %s", is)
	}
	for _, width := range []int64{1280, 390} {
		g.do(ctx, screen(width, 800, 1, false, "dark"))
		g.until(ctx, fmt.Sprintf(`innerWidth === %d`, width))
		g.narrow(ctx)
		if cut := eval[string](g, ctx, `[...document.querySelectorAll('#tabs button')].filter(b => b.offsetWidth && b.getBoundingClientRect().right > innerWidth - 3).map(b => b.textContent).join()`); cut != "" {
			t.Errorf("at %d: cut is %s", width, cut)
		}
		g.do(ctx, click("#tab-console"))
		g.until(ctx, `document.querySelector('.console')`)
		if moved := eval[float64](g, ctx, `document.documentElement.scrollLeft + document.body.scrollLeft + document.querySelector('.side').scrollLeft - document.querySelector('.side').getBoundingClientRect().right + innerWidth`); moved != 0 {
			t.Errorf("at %d, the page has moved by %g", width, moved)
		}
		g.shot(ctx, fmt.Sprintf("tabs-%d", width))
	}
	g.quiet()
}

// TestLongNames: names that are long are not drawn over others, and push nothing out of view.
func TestLongNames(t *testing.T) {
	g, ctx := fieldGame(t, nil)
	g.of(ctx, "AComponentWhoseNameIsSoLongThatNobodyWouldWriteItButSomebodyHas")
	for _, width := range []int64{1280, 390} {
		g.do(ctx, screen(width, 844, 1, false, "dark"))
		g.until(ctx, fmt.Sprintf(`innerWidth === %d && document.querySelector('#panel dt')`, width))
		g.narrow(ctx)
		if is := eval[string](g, ctx, `(() => {
			const dt = document.querySelector('#panel dt'), card = dt.closest('.card').getBoundingClientRect(), x = dt.closest('.card').querySelector('button').getBoundingClientRect();
			return (dt.scrollWidth > dt.clientWidth ? 'the name of a field goes beyond its room ' : '') + (x.right > card.right ? 'the button is out of view' : '');
		})()`); is != "" {
			t.Errorf("at %d: %s", width, is)
		}
	}
	g.both(ctx, "long-names")
	g.quiet()
}

// TestNamesThatTurnTheWriting are shown with escapes, and turn nothing beside them.
func TestNamesThatTurnTheWriting(t *testing.T) {
	g, ctx := fieldGame(t, nil)
	turns := `/[\u202a-\u202e\u2066-\u2069\u200e\u200f]/.test(document.body.innerText)`
	g.until(ctx, `document.querySelector('#panel .rows').textContent.includes('beta \\u202elive')`)
	g.do(ctx, click("#tab-systems"))
	for _, view := range []string{"times", "order", "ticks"} {
		g.js(ctx, fmt.Sprintf(`document.querySelector('.segments [data-key=%s]').click()`, view))
		g.until(ctx, `document.querySelector('#panel').textContent.includes('turned \\u202elive gnol')`)
		if eval[bool](g, ctx, turns) {
			t.Errorf("in %s, a text turns the direction of writing", view)
		}
		g.shot(ctx, "turned-"+view)
	}
	g.do(ctx, click("#tab-entities"))
	g.of(ctx, "Bot.angle < 100")
	if is := eval[string](g, ctx, inputOf("Label.text")+`.value`); is != "beta \u202elive" {
		t.Errorf("what is edited is %q", is)
	}
	if is := eval[string](g, ctx, `getComputedStyle(document.querySelector('#panel .card span')).unicodeBidi`); is != "isolate" {
		t.Errorf("a name is %s", is)
	}
	g.quiet()
}

// TestTheColorOfALabel that has none is white.
func TestTheColorOfALabel(t *testing.T) {
	g, ctx := fieldGame(t, nil)
	g.of(ctx, "Bot.angle > 300")
	dd := inputOf("Label.color") + `.closest('dd')`
	g.until(ctx, fmt.Sprintf(`getComputedStyle(%s.querySelector('.patch')).backgroundColor === 'rgb(255, 255, 255)' && %[1]s.textContent.includes('default')`, dd))
	g.js(ctx, `import('/page/api.js').then(a => a.call('PATCH', '/entities/' + perigee.selected, { set: { Label: { color: 0xff0000 } } }))`)
	g.until(ctx, fmt.Sprintf(`getComputedStyle(%s.querySelector('.patch')).backgroundColor === 'rgb(255, 0, 0)' && !%[1]s.textContent.includes('default')`, dd))
	g.quiet()
}

// TestTheMarkedLine: a line that a link has led to stays marked, until another one is chosen.
func TestTheMarkedLine(t *testing.T) {
	g, ctx := fieldGame(t, nil)
	g.js(ctx, `perigee.openScript('a.lua', 7)`)
	marked := `[...document.querySelectorAll('.code > .at')].map(r => r.querySelector('i').textContent).join()`
	g.until(ctx, marked+` === '7'`)
	tick := eval[float64](g, ctx, `perigee.pulse.tick`)
	g.until(ctx, fmt.Sprintf(`perigee.pulse.tick > %v + 120`, tick))
	if is := eval[string](g, ctx, marked); is != "7" {
		t.Errorf("marked is line %q", is)
	}
	g.both(ctx, "line")
	g.js(ctx, `perigee.openScript('a.lua', 9)`)
	g.until(ctx, marked+` === '9'`)
	g.quiet()
}

// TestTicksWhilePaused: where no tick can be shown, the panel says what to do, and shows no empty boxes.
func TestTicksWhilePaused(t *testing.T) {
	g, ctx := fieldGame(t, nil)
	g.do(ctx, click("#pause"))
	g.until(ctx, `perigee.pulse.paused`)
	g.do(ctx, click("#tab-systems"))
	g.js(ctx, `document.querySelector('.segments [data-key=ticks]').click()`)
	g.until(ctx, `document.querySelector('#panel .empty')?.textContent.includes('paused')`)
	if n := eval[int](g, ctx, `[...document.querySelectorAll('#panel .strip, #panel .flame, #panel h2, #panel .runs')].filter(e => e.getBoundingClientRect().height).length`); n != 0 {
		t.Errorf("%d empty things are shown", n)
	}
	g.both(ctx, "ticks-paused")
	g.do(ctx, click("#step"))
	g.until(ctx, `document.querySelectorAll('.flame .run').length > 2 && document.querySelector('#panel .runs td') && !document.querySelector('#panel .empty')?.offsetHeight`)
	g.quiet()
}

// TestHealthIsExplained: the state of a system that has failed says what it means.
func TestHealthIsExplained(t *testing.T) {
	g, ctx := fieldGame(t, nil)
	g.do(ctx, click("#tab-systems"))
	g.until(ctx, `document.querySelector('.tag.monitoring, .tag.parked')`)
	if is := eval[string](g, ctx, `(t => t.title + '|' + t.ariaLabel)(document.querySelector('.tag.monitoring, .tag.parked'))`); !strings.Contains(is, "failed") || !strings.Contains(is, "|monitoring: it ") && !strings.Contains(is, "|parked: it ") {
		t.Errorf("it says %q", is)
	}
	g.js(ctx, `document.querySelector('.tag.monitoring, .tag.parked').click()`)
	g.until(ctx, `document.querySelector('#toast.on')?.textContent.includes('failed')`)
	g.both(ctx, "health")
	g.do(ctx, screen(390, 844, 1, true, "dark"))
	g.until(ctx, `innerWidth === 390`)
	g.js(ctx, `document.querySelector('.tag.monitoring, .tag.parked').scrollIntoView({ block: 'center' }); document.querySelector('.tag.monitoring, .tag.parked').click()`)
	g.until(ctx, `(r => r.left >= 0 && r.right <= innerWidth && r.width > 200)(document.querySelector('#toast.on').getBoundingClientRect())`)
	g.shot(ctx, "health-toast")
	g.quiet()
}
