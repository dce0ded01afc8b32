// What has happened to an entity, and which system and line it was.
import { call, get } from './api.js';
import { count, el, toast } from './dom.js';
import { learned, link as to, refers } from './fields.js';

/** A card with the journal of one entity, or of all for 0. Its look() brings it up to date. */
export function why(app, id) {
  const list = el('div.why'), foot = el('div.foot');
  const card = el('details.card', el('summary', el('b', id ? 'Why?' : 'What has just changed'), el('small', 'who has changed what')), el('div.pad', list, foot));
  card.open = open.has(!!id);
  card.ontoggle = () => { if (card.open) open.add(!!id); else open.delete(!!id); look(); };
  let busy = false;

  async function begin(body) {
    try { await call('POST', '/journal', body); } catch (e) { toast(e.message); }
    look();
  }
  async function look() {
    if (!card.open || busy) return;
    busy = true;
    try {
      const journal = await get(`/journal?limit=${id ? 100 : 40}${id ? '&entity=' + id : ''}`);
      await learned(journal.entries.filter(e => e.field).flatMap(e => e.components || []));
      draw(journal);
    } catch (e) { foot.replaceChildren(el('span.problem', e.message)); }
    busy = false;
  }
  function draw(journal) {
    const may = app.pulse && app.pulse.control;
    if (!journal.on) {
      list.replaceChildren();
      foot.replaceChildren(may ? el('button', { onclick: () => begin({ on: true }) }, 'take note of changes from now on') : el('span', 'no journal is kept of this game'));
      return;
    }
    list.replaceChildren(...journal.entries.map(entry));
    const watched = journal.watched.includes(id);
    foot.replaceChildren(...[
      el('span', journal.entries.length ? '' : 'Nothing, since the journal was begun.'),
      id && may && el('label', { title: 'compares its values after each system' }, el('input', { type: 'checkbox', checked: watched, onchange: e => begin(e.target.checked ? { watch: id } : { unwatch: id }) }), ' values, too'),
      may && el('button', { onclick: () => begin({ on: false }), title: 'end the journal, and forget it' }, 'end'),
    ].filter(Boolean));
  }

  function entry(e) {
    const now = app.pulse ? app.pulse.tick : e.tick, before = now - e.tick;
    const place = p => p.script === 'console' ? el('span', ` ${p.script}:${p.line}`) : el('button.chip', { onclick: () => app.openScript(p.script, p.line) }, `${p.script}:${p.line}`);
    return el('div.' + e.kind,
      el('small', { title: 'tick ' + count(e.tick) }, before > 0 ? `−${count(before)}` : 'now'),
      el('div', el('span.change', ...what(e)), el('div.by', e.system || 'the program or this page, between two steps', e.at && place(e.at), e.likely && el('small', 'likely'), ...(e.likely || []).map(place))));
  }
  const link = of => of === id ? 'it' : to(app, of);
  const names = e => (e.components || []).join(', ') || 'no components';
  function what(e) {
    const it = id ? [] : [link(e.entity), ' '];
    switch (e.kind) {
      case 'spawn': return [...it, ...(e.prefab ? ['came from ', el('b', e.prefab), ' with '] : ['came with ']), el('b', names(e))];
      case 'despawn': return e.with ? [...it, 'died with ', link(e.with)] : [...it, el('b', 'was despawned')];
      case 'add': return [...it, 'got ', el('b', names(e))];
      case 'remove': return [...it, 'lost ', el('b', names(e))];
      case 'set': return [...it, 'a command wrote ', el('b', names(e)), often(e)];
      case 'link': return [link(e.entity), e.target ? ' has the target ' : ' has no target', e.target ? link(e.target) : '', ' in ', el('b', e.relation)];
    }
    const said = v => typeof v === 'number' && refers(names(e), e.field) ? link(v) : plain(v);
    return [...it, `${names(e)}.`, el('b', e.field), ' ', el('s', said(e.old)), ' → ', el('b', said(e.new)), often(e)];
  }
  const often = e => e.times > 1 ? el('small', count(e.times) + ' times') : '';
  const plain = v => v === undefined ? '…' : typeof v === 'number' && !Number.isInteger(v) ? String(+v.toPrecision(6)) : String(v);

  look();
  return { card, look };
}

const open = new Set(); // which cards are open, for the next entity
