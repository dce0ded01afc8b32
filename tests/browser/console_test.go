package browser

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
)

// insert types a text where the cursor is.
func insert(text string) chromedp.Action[chromedp.Void] {
	return func(ctx context.Context, t *chromedp.Target) (none chromedp.Void, err error) {
		_, err = cdp.Call(ctx, t, input.InsertText, input.InsertTextParams{Text: text})
		return none, err
	}
}

// TestConsole types Lua on the page: results, errors, names, the history, and what takes a text back.
func TestConsole(t *testing.T) {
	g, ctx := play(t, true)
	g.do(ctx, screen(1280, 800, 1, false, "dark"), chromedp.Navigate(g.url))
	g.until(ctx, `window.perigee && perigee.view && perigee.pulse && perigee.view.state.sprites > 8000`)
	g.js(ctx, `document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'c', bubbles: true }))`)
	g.until(ctx, `document.activeElement.matches('.prompt textarea') && document.querySelectorAll('.example-text').length === 4`)
	g.shot(ctx, "console-empty")

	press := func(keys ...string) {
		t.Helper()
		for _, key := range keys {
			key, ctrl := strings.CutPrefix(key, "Ctrl+")
			g.js(ctx, fmt.Sprintf(`document.querySelector('.prompt textarea').dispatchEvent(new KeyboardEvent('keydown', { key: %q, ctrlKey: %v, bubbles: true, cancelable: true }))`, key, ctrl))
		}
	}
	write := func(text string) {
		t.Helper()
		g.js(ctx, `const i = document.querySelector('.prompt textarea'); i.focus(); i.select()`)
		g.do(ctx, insert(text))
	}
	texts := 0
	run := func(text string) {
		t.Helper()
		write(text)
		press("Enter")
		texts++
		g.until(ctx, fmt.Sprintf(`document.querySelectorAll('.console .entry').length === %d && !document.querySelector('.prompt .go').disabled`, texts))
	}
	run(`1 + 2`)
	g.until(ctx, `[...document.querySelectorAll('.entry .value')].some(v => v.textContent === '3')`)
	run(`print("ships:", ecs.count(Health)); return ecs.find(Health)`)
	g.until(ctx, `document.querySelector('.is-entity .chip') && document.querySelectorAll('.entry .tree .leaf').length > 3`)
	run(`{ name = "hull", plates = { 3, 4, 5 }, ready = true, at = { x = 1.5, y = -2 } }`)
	run(`ecs.count("Helth")`)
	g.until(ctx, `document.querySelector('.wrong mark').textContent === '"' || document.querySelector('.wrong').textContent.includes('did you mean "Health"')`)
	run("local n = 0\nfor e, hp in each(Health) do n = n + hp.valu end")
	g.until(ctx, `document.querySelectorAll('.wrong pre mark').length === 2`)

	// A name is completed, and chosen from a list.
	write("ecs.spa")
	press("Tab")
	g.until(ctx, `document.querySelector('.prompt textarea').value === 'ecs.spawn' && document.querySelectorAll('.names button').length === 2`)
	press("Escape")
	write("ecs.")
	press("Tab")
	g.until(ctx, `document.querySelectorAll('.names button').length > 20`)
	g.shot(ctx, "console-names")
	press("ArrowDown", "Enter")
	g.until(ctx, `document.querySelector('.names').hidden && document.querySelector('.prompt textarea').value.startsWith('ecs.a')`)

	// A change is made, and taken back with a key.
	run(`return ecs.despawn_all(Health)`)
	g.until(ctx, `document.querySelector('.undo') && perigee.pulse.entities < 5000`)
	g.shot(ctx, "console")
	press("Ctrl+z")
	g.until(ctx, `document.querySelector('.entry.undone') && !document.querySelector('.undo') && perigee.pulse.entities > 8000`)
	g.shot(ctx, "console-undone")

	// The arrows bring texts back, and an entity is looked at.
	press("ArrowUp", "ArrowUp")
	g.until(ctx, `document.querySelector('.prompt textarea').value.startsWith('local n')`)
	g.do(ctx, screen(1280, 800, 1, false, "light"))
	g.shot(ctx, "console-light")
	g.do(ctx, screen(390, 844, 2, true, "light"))
	g.js(ctx, `document.querySelector('.prompt').scrollIntoView()`)
	g.shot(ctx, "console-phone")
	g.do(ctx, screen(1280, 800, 1, false, "dark"))
	g.js(ctx, `document.querySelector('.is-entity .chip').click()`)
	g.until(ctx, `document.querySelector('h2') && document.querySelector('h2').textContent.startsWith('ENTITY')`)
	g.js(ctx, `document.getElementById('tab-console').click()`)
	g.until(ctx, fmt.Sprintf(`document.querySelectorAll('.console .entry').length === %d`, texts))
	g.quiet()
}
