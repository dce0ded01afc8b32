// Fields of entities: how they are shown and written.
import { el } from './dom.js';

/**
 * An input that shows what the game has. While somebody types, it stays as it is typed; Enter, or leaving it, writes it,
 * Escape gives it up, and then it is the game's again. The browser's undo cannot bring back in it what the game has not.
 */
export function writable(name, write) {
  const input = el('input', { spellcheck: false, autocapitalize: 'off', autocomplete: 'off', 'aria-label': name });
  let value = '', typed = false, sent = false; // what the game has; keys have changed it since; it is being written
  const commit = async () => {
    const text = input.value;
    typed = false;
    if (sent || text === value) return;
    sent = true;
    try { await write(text); } finally { sent = false; }
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
