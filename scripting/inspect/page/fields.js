// Fields of entities: of what kinds they are, how they are shown and written; and how entities are named.
import { get } from './api.js';
import { el, SLOTS, slotOf } from './dom.js';

const kinds = new Map(); // from 'Component' and 'Component.field' to a kind; the fields of structs have paths
/** Learns of what kinds the fields of components are. */
export function learn(components) {
  const all = (path, fields) => { for (const f of fields) { kinds.set(`${path}.${f.name}`, f.kind); if (f.fields) all(`${path}.${f.name}`, f.fields); } };
  for (const c of components) { kinds.set(c.name, 'component'); all(c.name, c.fields); }
}
const asked = new Set(); // names that the game did not know then
/** Learns of components, if one of them is not known. */
export async function learned(names) {
  if (names.every(n => kinds.has(n) || asked.has(n))) return;
  learn((await get('/components')).components);
  for (const n of names) asked.add(n);
}
/** Whether a field holds an entity, or several: its path may lead into structs and arrays. */
export const refers = (component, path) => kinds.get(`${component}.${path.replace(/\[\d+\]|\.\d+(?=\.|$)/g, '')}`) === 'entity';

/** How the page names an entity. */
export const named = id => id ? '#' + slotOf(id) : 'none';
/** The name of an entity, which leads there. */
export const link = (app, id) => id ? el('button.chip', { type: 'button', title: 'look at it', onclick: () => app.select(id) }, named(id)) : el('span', 'none');
const name = /^\s*[#@]?(\d+)\s*$/;
/** Whether a text is the name of an entity: #75, @75, 75, or its whole handle. */
export const isName = text => name.test(text);
/** The entity of a name; it must be alive. @throws Failure */
export async function find(text) {
  const [, n] = name.exec(text);
  return get('/entities/' + (+n < SLOTS ? '@' + n : n));
}

/**
 * An input that shows what the game has. While somebody types, it stays as it is typed; Enter, or leaving it, writes it,
 * Escape gives it up, and then it is the game's again. The browser's undo cannot bring back in it what the game has not.
 */
export function writable(name, write) {
  const input = el('input', { spellcheck: false, autocapitalize: 'off', autocomplete: 'off', 'aria-label': name });
  let value = '', typed = false, sent = false, again = false; // what the game has; keys have changed it since; it is being written; then the next one
  const commit = async () => {
    const text = input.value;
    typed = false;
    if (sent) { again = true; return; }
    if (text === value) return;
    sent = true;
    try { await write(text); } finally {
      sent = false;
      if (again) { again = false; commit(); }
    }
  };
  input.oninput = e => {
    if (!typed && /^history/.test(e.inputType)) input.value = value;
    else typed = input.value !== value;
  };
  input.onchange = commit;
  input.onblur = () => { if (typed) commit(); };
  input.onkeydown = e => {
    if (e.key === 'Enter' && !e.isComposing) input.blur();
    if (e.key === 'Escape') { typed = false; input.value = value; }
  };
  /** Shows a value, unless another one is being typed or written. Where the focus is there, the selection stays. */
  const show = text => {
    value = text;
    if (typed || sent || input.value === text) return;
    if (document.activeElement !== input) { input.value = text; return; }
    const from = input.selectionStart, to = input.selectionEnd, all = from === 0 && to === input.value.length && to > 0;
    if (from !== to && !all) return;
    input.value = text;
    if (all) input.select(); else input.setSelectionRange(from, from);
  };
  return { input, show };
}
