// The panel of the world: warnings, memory, archetypes, pools, events; a trace to take along.
import { get } from './api.js';
import { bytes, count, el, spark, toast } from './dom.js';

export function world(panel, app) {
  let closed = false, beats = 0;
  const box = el('div'), record = el('button', { onclick: trace }, 'record 60 ticks');
  panel.append(el('h2', 'TRACE'), el('div.foot', el('span', 'for ui.perfetto.dev or speedscope'), record), box);

  async function trace() {
    record.disabled = true;
    try {
      const text = JSON.stringify(await get('/trace?ticks=60'));
      const a = el('a', { href: URL.createObjectURL(new Blob([text], { type: 'application/json' })), download: 'perigee-trace.json' });
      a.click();
      URL.revokeObjectURL(a.href);
    } catch (e) { toast(e.message); }
    record.disabled = false;
  }
  const grown = x => x.grown ? el('span.tag.grown', { title: 'in the last minute, without coming back' }, '+' + count(x.grown)) : '';
  /** Lines that have spawned what grows. */
  const spawners = x => (x.spawners || []).filter(o => o.at).map(o => el('button.chip', { title: `${count(o.entities)} of the newest` + (o.prefab ? ', of the prefab ' + o.prefab : ''), onclick: () => app.openScript(o.at.script, o.at.line) }, `${o.prefab ? o.prefab + ' · ' : ''}${o.at.script}:${o.at.line}`));
  const line = x => {
    const s = spark(64, 16, x.grown ? 'var(--warm)' : 'var(--accent)', false);
    s.draw(x.history, Math.max(24, x.history.length));
    return s;
  };
  /** How many of the rows for which there is room are in use. */
  const rows = a => {
    const part = a.capacity ? a.entities / a.capacity : 0, i = el('i');
    i.style.width = part * 100 + '%';
    return el('div.bar', { title: `${count(a.entities)} of ${count(a.capacity)} rows, in ${count(a.chunks)} chunks` }, i);
  };
  async function look() {
    let w;
    try { w = await get('/world'); } catch (e) { if (!closed) box.replaceChildren(el('div.problem', e.message)); return; }
    if (closed) return;
    const fill = (part, title, text) => { const i = el('i'); i.style.width = Math.min(100, part * 100) + '%'; return [el('div.foot', el('span', title), el('span', text)), el('div.bar', i)]; };
    const table = (head, rows) => el('table', el('thead', el('tr', ...head.map((h, i) => el('th' + (i ? '.n' : ''), h)))), el('tbody', ...rows.map(r => el('tr', ...r.map((c, i) => el('td' + (i ? '.n' : '.name'), c))))));
    box.replaceChildren(
      ...(w.warnings.length ? [el('h2', 'WARNINGS'), ...w.warnings.map(t => el('div.note.warn', t))] : []),
      el('h2', 'MEMORY'),
      ...fill(w.arena_bytes / w.arena_limit, 'arena', `${bytes(w.arena_bytes)} of ${bytes(w.arena_limit)}`),
      ...fill(w.entities / w.entity_limit, 'entities', `${count(w.entities)} of ${count(w.entity_limit)}`),
      ...fill(w.utilization, 'rows of chunks in use', `${(w.utilization * 100).toFixed(0)} % of ${count(w.chunks)} chunks`),
      el('h2', `ARCHETYPES · ${count(w.archetype_count)}`),
      table(['components', 'entities', 'trend', 'rows', 'memory'], w.archetypes.slice(0, 40).map(a => [el('span', a.components.join(' ') || 'no columns', grown(a), ...spawners(a)), count(a.entities), line(a), rows(a), bytes(a.bytes)])),
      el('h2', 'POOLS'), w.pools.some(p => p.entities) ? table(['component', 'entities', 'trend', 'memory'], w.pools.filter(p => p.entities).map(p => [el('span', p.component, grown(p), ...spawners(p)), count(p.entities), line(p), bytes(p.bytes)])) : el('div.empty', 'No pool holds an entity.'),
      el('h2', 'EVENTS'), w.events.length ? table(['event', 'waiting', 'dropped'], w.events.map(e => [e.event, count(e.waiting), count(e.dropped)])) : el('div.empty', 'There are none.'));
  }
  look();
  return { pulse() { if (++beats % 8 === 0 && !document.hidden) look(); }, close() { closed = true; } };
}
