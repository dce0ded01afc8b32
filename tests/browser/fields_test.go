package browser

import (
	"context"
	"fmt"
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
  ecs.spawn(Bot { angle = 90, target = first }, Position { x = 700, y = 500 }, Shape, Label { text = "beta \u{202e}live" })
  ecs.spawn(Long)
end)
ecs.system "turned \u{202e}live gnol" { run = function() end }
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
