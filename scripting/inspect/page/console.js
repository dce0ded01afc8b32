// The panel of the console: Lua that is typed, what it answers, and what takes it back.
import { call, get } from './api.js';
import { count, el, slotOf, toast } from './dom.js';
import { colored } from './scripts.js';

const most = 200; // texts that are shown, and that the arrows bring back
const entries = []; // of this visit, the oldest first: they survive a change of tabs
let draft = '', history = [];
try { history = JSON.parse(sessionStorage.getItem('perigee.console') || '[]'); } catch { /* of another version */ }

/** Puts a text that was typed last into the history. */
function remember(text) {
  history = [...history.filter(t => t !== text), text].slice(-most);
  sessionStorage.setItem('perigee.console', JSON.stringify(history));
}

/** The sign of undoing. */
function arrow() {
  const ns = 'http://www.w3.org/2000/svg', s = document.createElementNS(ns, 'svg'), p = document.createElementNS(ns, 'path');
  s.setAttribute('viewBox', '0 0 16 16'); s.setAttribute('width', 12); s.setAttribute('height', 12);
  p.setAttribute('d', 'M6.5 1.5L2 6l4.5 4.5V7.6h3.2a2.6 2.6 0 0 1 0 5.2H5v1.7h4.7a4.3 4.3 0 0 0 0-8.6H6.5z');
  s.append(p);
  return s;
}

export function console_(panel, app) {
  let closed = false, at = history.length, names = null;
  const log = el('div.log', { role: 'log', 'aria-label': 'What was typed, and its answers' }), hint = el('div.hint'), list = el('div.names', { hidden: true, role: 'listbox', 'aria-label': 'Names' });
  const input = el('textarea', { rows: 1, spellcheck: false, autocapitalize: 'off', autocomplete: 'off', 'aria-label': 'Lua', placeholder: 'Lua, between two ticks', value: draft });
  const go = el('button.go', { type: 'submit', title: 'Run it (Enter)', 'aria-label': 'Run' }, '↵');
  const form = el('form.prompt', { onsubmit: e => { e.preventDefault(); run(); } }, list, el('span', '›'), input, go);
  panel.append(el('div.console', hint, log, form));
  log.append(...entries.map(e => e.box));

  // --- a text is run
  async function run() {
    const text = input.value.trim();
    if (!text || go.disabled) return;
    remember(text);
    at = history.length;
    type('');
    hide();
    const entry = { text, run: 0, box: el('div.entry'), side: el('span.side-notes') };
    entry.box.append(el('div.typed', el('span', '›'), el('pre', ...lines(text)), entry.side));
    entries.push(entry);
    while (entries.length > most) entries.shift().box.remove();
    hint.hidden = true;
    log.append(entry.box);
    go.disabled = true;
    try {
      const a = await call('POST', '/console', { text });
      entry.run = a.changed ? a.run : 0;
      show(entry, a);
      mark(a.undoable);
    } catch (e) { entry.box.append(el('div.wrong', e.message)); }
    go.disabled = false;
    down();
  }
  const lines = text => text.split('\n').flatMap((l, i) => i ? ['\n', ...colored(l)] : colored(l));
  const down = () => { if (!closed) panel.scrollTop = panel.scrollHeight; };

  function show(entry, a) {
    const b = entry.box;
    for (const l of a.lines) b.append(el('div.said' + (l.level === 'warn' ? '.warn' : ''), l.text));
    if (a.lost) b.append(el('div.said.more', `… ${count(a.lost)} more lines`));
    for (const v of a.values) b.append(tree(v, a.values.length === 1 ? 2 : 1));
    if (a.problem) wrong(entry, a.problem);
    for (const f of a.faults) b.append(el('div.wrong', f.text));
    if (a.no_undo) b.append(el('div.said.warn', 'cannot be undone: ' + a.no_undo));
    if (!a.lines.length && !a.values.length && !a.problem && !a.changed) b.append(el('div.said.more', 'no value'));
    entry.side.append(el('small', { title: `${a.milliseconds.toFixed(2)} ms, after tick ${count(a.tick)}` }, a.commands ? `${count(a.commands)} ${a.commands > 1 ? 'changes' : 'change'}` : a.changed ? 'changed' : a.milliseconds >= 50 ? a.milliseconds.toFixed(0) + ' ms' : ''));
  }
  // A fault of the text, with its place in it.
  function wrong(entry, p) {
    const here = p.script === 'console' && p.line > 0, line = here ? entry.text.split('\n')[p.line - 1] : undefined;
    const box = el('div.wrong', { title: p.detail || '' });
    if (line !== undefined && p.column > 0) {
      const bytes = new TextEncoder().encode(line), from = new TextDecoder().decode(bytes.slice(0, p.column - 1)).length;
      const word = (line.slice(from).match(/^(?:"[^"]*"|'[^']*'|[\w.:]+|.)/u) || [''])[0];
      box.append(el('pre', line.slice(0, from), el('mark', word || ' '), line.slice(from + word.length)));
    }
    box.append(here ? (entry.text.includes('\n') ? `line ${p.line}: ` : '') + p.message : p.text);
    entry.box.append(box);
  }
  // A value, with what is in it. Tables that are small are open to some depth.
  function tree(v, open) {
    const head = el('span.value.is-' + v.kind, v.key ? el('span.key', v.key + ' = ') : null,
      v.entity ? el('button.chip', { type: 'button', title: `look at entity ${v.entity}`, onclick: e => { e.preventDefault(); app.select(v.entity); } }, '#' + slotOf(v.entity)) : null, v.text);
    if (!v.items && !v.more) return el('div.leaf', head);
    const box = el('details.tree', { open: open > 0 && (v.items || []).length <= 20 }, el('summary', head));
    const fill = () => { if (box.childElementCount === 1) box.append(...(v.items || []).map(i => tree(i, open - 1)), v.more ? el('div.leaf.more', `… ${count(v.more)} more`) : ''); };
    box.ontoggle = fill;
    if (box.open) fill();
    return box;
  }

  // --- and taken back
  function mark(undoable) {
    for (const e of entries) {
      const can = e.run && undoable.includes(e.run);
      if (can && !e.undo) e.side.append(e.undo = el('button.undo', { type: 'button', title: 'Make the game what it was before this', 'aria-label': 'Undo', onclick: () => takeBack(e) }, arrow()));
      if (!can && e.undo) { e.undo.remove(); e.undo = null; }
    }
  }
  async function takeBack(entry) {
    try {
      const a = await call('POST', '/console/undo', { run: entry.run });
      for (const e of entries) if (e.run >= entry.run) { e.box.classList.add('undone'); e.run = 0; }
      mark(a.undoable);
      toast([`the game is what it was in tick ${count(a.tick)}`, ...a.notes].join('\n'), true);
      app.looked();
    } catch (e) { toast(e.message); }
  }

  // --- names are completed
  async function complete() {
    const before = input.value.slice(0, input.selectionStart);
    let a;
    try { a = await call('POST', '/console/complete', { text: before }); } catch (e) { toast(e.message); return; }
    if (closed || input.value.slice(0, input.selectionStart) !== before) return;
    if (!a.names.length) { hide(); return; }
    let common = a.names[0].name;
    for (const n of a.names) while (!n.name.startsWith(common)) common = common.slice(0, -1);
    if (common.length > a.typed.length) { put(common.slice(a.typed.length)); a.typed = common; }
    if (a.names.length === 1) hide(); else offer(a);
  }
  function put(text) { input.setRangeText(text, input.selectionStart, input.selectionEnd, 'end'); grow(); }
  function offer(a) {
    names = { typed: a.typed, of: a.names, on: 0 };
    list.replaceChildren(...a.names.map((n, i) => el('button', { type: 'button', role: 'option', tabIndex: -1, onclick: () => { choose(i); input.focus(); } }, el('b', n.name), el('small', n.detail && n.detail !== n.name ? n.detail : n.kind))));
    list.hidden = false;
    point(0);
  }
  function point(i) {
    names.on = (i + names.of.length) % names.of.length;
    [...list.children].forEach((b, k) => b.setAttribute('aria-selected', k === names.on));
    list.children[names.on].scrollIntoView({ block: 'nearest' });
  }
  function choose(i) { const name = names.of[i].name; hide(put(name.slice(names.typed.length))); }
  function hide() { names = null; list.hidden = true; }

  // --- keys
  function type(text) { input.value = text; grow(); input.setSelectionRange(text.length, text.length); }
  function grow() {
    draft = input.value;
    input.style.height = 'auto';
    input.style.height = Math.min(input.scrollHeight + 2, 200) + 'px';
  }
  input.oninput = () => { hide(); grow(); };
  input.onkeydown = e => {
    const first = !input.value.slice(0, input.selectionStart).includes('\n'), last = !input.value.slice(input.selectionEnd).includes('\n');
    const keys = names ? {
      ArrowDown: () => point(names.on + 1), ArrowUp: () => point(names.on - 1), Tab: () => choose(names.on), Enter: () => choose(names.on), Escape: hide,
    } : {
      Enter: () => run(), Tab: () => complete(),
      ArrowUp: () => { if (at > 0) type(history[--at]); },
      ArrowDown: () => { if (at < history.length) type(history[++at] || ''); },
    };
    if (e.isComposing || !keys[e.key] && !(e.key === 'z' && (e.ctrlKey || e.metaKey)) && e.key !== 'Escape') return;
    if (e.key === 'z') {
      const back = input.value === '' && entries.findLast(x => x.undo);
      if (back) { e.preventDefault(); takeBack(back); }
      return;
    }
    if (!names && (e.shiftKey || e.key === 'Tab' && !input.value.trim() || e.key === 'ArrowUp' && !first || e.key === 'ArrowDown' && !last)) return;
    if (!names && e.key === 'Escape') { input.blur(); return; }
    e.preventDefault();
    keys[e.key]();
  };
  input.onblur = () => setTimeout(() => { if (!list.contains(document.activeElement)) hide(); }, 150);

  // --- what could be typed
  async function examples() {
    let all;
    try { all = (await get('/components')).components; } catch { return; }
    const common = ['Position', 'Velocity', 'Collider', 'Shape', 'Edge', 'Bar'], of = all.filter(c => c.entities > 0 && c.fields && c.fields.length && /^[A-Za-z_]\w*$/.test(c.name)).sort((a, b) => common.includes(a.name) - common.includes(b.name) || b.entities - a.entities)[0];
    if (closed || entries.length) return;
    const name = of ? of.name : 'Position', field = of ? of.fields[0].name : 'x';
    const texts = ['1 + 2', `ecs.count(${name})`, `ecs.find(${name})`, `local n = 0\nfor e, v in each(${name}) do\n  if v.${field} then n = n + 1 end\nend\nreturn n`];
    hint.replaceChildren(el('h2', 'LUA, IN THE GAME'), el('p', 'A text runs between two ticks. If it fails, nothing has happened; what it changes can be taken back.'),
      ...texts.map(t => el('button.example-text', { type: 'button', onclick: () => { type(t); input.focus(); } }, el('pre', ...lines(t)))),
      el('dl.keys', ...[['Enter', 'run it'], ['Shift Enter', 'a new line'], ['Tab', 'complete a name'], ['↑ ↓', 'what was typed before'], ['Ctrl Z', 'take the last change back, where nothing is typed']]
        .flatMap(([k, what]) => [el('dt', ...k.split(' ').flatMap((c, i) => i ? [' ', el('kbd', c)] : [el('kbd', c)])), el('dd', what)])));
  }
  hint.hidden = entries.length > 0;
  if (!entries.length) examples();
  grow();
  down();
  return { focus() { input.focus(); }, close() { closed = true; } };
}
