// The panel of scripts: what has failed, and the text with what is to be said at its lines.
import { get } from './api.js';
import { bytes, el, segments } from './dom.js';

export function scripts(panel, app) {
  let closed = false, key = '', running = false, reached = null; // the last place that was scrolled to
  const box = el('div');
  panel.append(box);

  async function overview() {
    let all, faults;
    try { [all, faults] = await Promise.all([get('/scripts'), get('/faults')]); } catch (e) { if (!closed) box.replaceChildren(el('div.problem', e.message)); return; }
    if (closed || app.script) return;
    const reload = app.pulse && app.pulse.last_reload;
    const fault = f => el('button.note', { onclick: () => f.script && app.openScript(f.script, f.line) }, f.text, f.total > 1 && el('span.tag.parked', f.total + ' times'));
    // One line for each system, the newest first: one that fails in each tick does not hide the others.
    // What no system has done, such as a broken rule of a component, is among the last faults alone.
    const failed = () => [...faults.systems.map(s => ({ ...s.last, total: s.total })), ...faults.recent.filter(f => !f.system)].sort((a, b) => b.tick - a.tick);
    box.replaceChildren(
      ...(reload ? [el('h2', 'THE LAST RELOAD'), reload.refused ? el('div', ...reload.problems.map(fault)) : el('div.note.warn', reload.text)] : []),
      el('h2', 'WHAT HAS FAILED'),
      ...(faults.total ? failed().slice(0, 20).map(fault) : [el('div.empty', 'Nothing. All scripts run without a fault.')]),
      el('h2', 'SCRIPTS'),
      el('div.rows', ...all.scripts.map(s => el('button.row.script', { onclick: () => app.openScript(s.path, 0) }, el('b', s.path),
        el('span', bytes(s.bytes), s.refused && el('span.tag.parked', 'refused'), s.faults ? el('span.tag.parked', s.faults + (s.faults > 1 ? ' faults' : ' fault')) : null, s.notes ? el('span.tag.vm', s.notes + (s.notes > 1 ? ' notes' : ' note')) : null)))));
  }

  async function source() {
    const { path, line } = app.script;
    let s;
    try { s = await get('/scripts/' + path.split('/').map(encodeURIComponent).join('/')); } catch (e) { if (!closed) box.replaceChildren(back(), el('div.problem', e.message)); return; }
    if (closed || !app.script || app.script.path !== path) return;
    const now = JSON.stringify(s);
    if (now === key) return;
    key = now;
    // Where a newer text was refused, it is shown first: what is wrong stands in it.
    const both = s.refused !== undefined, old = both && running, text = both && !old ? s.refused : s.text;
    const notes = new Map();
    for (const n of s.notes) if (!both || (n.kind === 'refused') !== old) notes.set(n.line, [...(notes.get(n.line) || []), n]);
    const code = el('div.code'), say = n => el('p' + (n.kind === 'kernel' ? '.kernel' : ''), { title: n.detail || '' }, n.text);
    for (const n of notes.get(0) || []) code.append(say(n));
    let at = null;
    text.replace(/\n$/, '').split('\n').forEach((t, i) => {
      const here = notes.get(i + 1) || [];
      const row = el('div' + (here.length ? '.' + here[0].kind : ''), el('i', String(i + 1)), el('span', ...colored(t)));
      code.append(row, ...distinct(here).map(say));
      if (i + 1 === line) { row.classList.add('at'); row.setAttribute('aria-current', 'true'); at = row; }
    });
    box.replaceChildren(back(), el('h2', path), ...(both ? [segments({ refused: 'what was refused', runs: 'what runs' }, old ? 'runs' : 'refused', k => { running = k === 'runs'; key = ''; source(); })] : []), code);
    if (at && reached !== app.script) at.scrollIntoView({ block: 'center' }); // once: a reader may be elsewhere by now
    reached = app.script;
  }
  const distinct = list => list.filter((n, i) => list.findIndex(m => m.text === n.text) === i).slice(0, 4);
  const back = () => el('button.back', { onclick: () => { app.script = null; key = ''; running = false; overview(); } }, '← all scripts');

  const look = () => app.script ? source() : overview();
  look();
  let beats = 0;
  return { pulse() { if (++beats % 4 === 0 && !document.hidden) look(); }, close() { closed = true; } };
}

const words = /(--.*$)|("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')|\b(and|break|do|else|elseif|end|false|for|function|if|in|local|nil|not|or|repeat|return|then|true|until|while)\b|\b(\d+(?:\.\d+)?(?:e[+-]?\d+)?|0x[\da-f]+)\b/gi;
/** The pieces of a line of Lua. Blocks over several lines are not known: it is only color. */
export function colored(line) {
  const parts = [];
  let from = 0;
  for (const m of line.matchAll(words)) {
    parts.push(line.slice(from, m.index), el('span.' + (m[1] ? 'c' : m[2] ? 's' : m[3] ? 'k' : 'd'), m[0]));
    from = m.index + m[0].length;
  }
  return [...parts, line.slice(from)];
}
