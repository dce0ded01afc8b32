// Entities as a tree: by parent, or by another relation. Branches are asked for when they are opened, a hundred at a time.
import { get } from './api.js';
import { count, el, toast } from './dom.js';

/** What most entities have says little: what makes one what it is comes first. */
export const common = ['Position', 'Velocity', 'Collider', 'Edge', 'Shape', 'Bar', 'Wander', 'Lifetime', 'Mount'];
const kinds = e => e.components.sort((a, b) => common.indexOf(a) - common.indexOf(b)).join(' · ') || 'no components';

let relation = 'ChildOf'; // survives a change of tabs
const open = new Set();

export function tree(box, app) {
  const choice = el('select', { 'aria-label': 'The relation', onchange: () => { relation = choice.value; open.clear(); pages.clear(); wanted.clear(); begin(); } });
  const list = el('div.rows.tree'), foot = el('div.foot');
  box.append(el('div.foot', el('span', 'by'), choice), list, foot);
  const pages = new Map(); // from an entity, 0 for the tops, to {entities, next}
  const wanted = new Map(); // from the same to how many somebody has asked for by "more…", also while all of it is fetched anew
  let closed = false, busy = false;

  /** Adds pages of an entity, so that there are so many more; of tops, some pages may be empty. */
  async function more(id, many = 100) {
    const page = pages.get(id) || { entities: [], next: undefined };
    const have = page.entities.length;
    for (let asked = 0; asked < 150; asked++) {
      const answer = await get(`/tree?relation=${encodeURIComponent(relation)}&of=${id || ''}&cursor=${page.next || ''}`);
      page.entities.push(...answer.entities);
      page.next = answer.next;
      pages.set(id, page);
      if (!page.next || page.entities.length >= have + many || closed) break;
      if (!id) foot.textContent = 'looking…';
    }
  }
  async function begin() {
    if (busy) return;
    busy = true;
    const before = new Map(pages), now = relation;
    pages.clear();
    try {
      const were = id => Math.max(100, wanted.get(id) || 0, before.has(id) ? before.get(id).entities.length : 0);
      await more(0, were(0));
      for (const id of [...open].slice(0, 40)) {
        try { await more(id, were(id)); } catch (e) { open.delete(id); } // it has died
      }
      for (const [id, n] of wanted) {
        const page = pages.get(id);
        if (page && page.next && page.entities.length < n) await more(id, n - page.entities.length);
      }
    } catch (e) { foot.textContent = e.message; }
    busy = false;
    if (now !== relation) begin(); else if (!closed) draw();
  }
  async function toggle(id) {
    if (open.has(id)) { open.delete(id); return draw(); }
    try { await more(id); open.add(id); } catch (e) { toast(e.message); }
    draw();
  }
  function draw() {
    if (closed) return;
    const rows = [];
    const add = (id, depth, above) => {
      const page = pages.get(id);
      if (!page) return;
      for (const e of page.entities) {
        const again = above.includes(e.id), is = open.has(e.id) && !again;
        const row = el('div.row.branch',
          e.sources && !again ? el('button.fold', { onclick: () => toggle(e.id), 'aria-expanded': is, 'aria-label': is ? 'fold' : 'unfold' }, is ? '▾' : '▸') : el('i', again ? '↻' : ''),
          el('button.name', { onclick: () => app.select(e.id) }, el('b', '#' + e.slot), el('span', e.name ? el('em', e.name) : '', (e.name ? ' · ' : '') + kinds(e))),
          e.sources ? el('small', { title: 'entities right below it' }, count(e.sources)) : null);
        row.style.paddingLeft = Math.min(depth, 12) * 16 + 4 + 'px';
        row.classList.toggle('on', e.id === app.selected);
        rows.push(row);
        if (is) add(e.id, depth + 1, [...above, e.id]);
      }
      if (page.next) {
        const next = el('button.more', { onclick: async () => { next.disabled = true; wanted.set(id, page.entities.length + 100); if (busy) return; try { await more(id); } catch (e) { toast(e.message); begin(); } draw(); } }, 'more…');
        next.style.marginLeft = Math.min(depth, 12) * 16 + 24 + 'px';
        rows.push(next);
      }
    };
    add(0, 0, []);
    list.replaceChildren(...rows);
    list.hidden = !rows.length;
    const tops = pages.get(0) || { entities: [] };
    foot.textContent = tops.entities.length ? `${count(tops.entities.length)}${tops.next ? ' or more' : ''} at the top` : relation === 'ChildOf' ? 'No entity has a parent, so there is no tree: ecs.set_parent(child, parent) in a script makes one.' : `No entity has a target in ${relation}, so there is no tree.`;
  }
  async function known() {
    try {
      const { relations } = await get('/relations');
      if (closed) return;
      if (!relations.some(r => r.relation === relation)) relation = relations[0].relation;
      choice.replaceChildren(...relations.map(r => el('option', { value: r.relation, selected: r.relation === relation }, (r.relation === 'ChildOf' ? 'parent' : r.relation) + ` (${count(r.sources)})`)));
      choice.value = relation;
    } catch (e) { if (!closed) foot.textContent = e.message; }
  }
  known().then(begin);
  let beats = 0;
  return { pulse() { if (++beats % 12 === 0) begin(); }, close() { closed = true; } };
}
