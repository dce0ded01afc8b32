// Small tools for the DOM. Text is always text: nothing is parsed as HTML.

const unseen = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu;
/** A text with escapes for what is not seen and may turn the writing round, as messages of faults have them: \u202e. */
export const visible = text => text.replace(unseen, c => c === '\n' || c === '\t' ? c : c === '\r' ? '\\r' : c < '\x80' ? '\\x' + hex(c, 2) : c.length > 1 ? '\\U' + hex(c, 8) : '\\u' + hex(c, 4));
const hex = (c, digits) => c.codePointAt(0).toString(16).padStart(digits, '0');

/** Makes an element: el('b.name', {onclick}, 'text', child). Its texts and its title are made visible. */
export function el(what, ...rest) {
  const [tag, ...classes] = what.split('.');
  const e = document.createElement(tag || 'div');
  if (classes.length) e.className = classes.join(' ');
  for (const r of rest) {
    if (r === null || r === undefined || r === false) continue;
    if (typeof r === 'object' && !(r instanceof Node)) for (const [k, v] of Object.entries(r)) {
      if (k.startsWith('on')) e[k] = v; else if (k === 'title' || k === 'aria-label') e.setAttribute(k, visible(String(v))); else if (k in e && k !== 'list') e[k] = v; else e.setAttribute(k, v);
    } else e.append(typeof r === 'string' ? visible(r) : r);
  }
  return e;
}

/** A row of buttons of which one is on; change(key) is called for another one. */
export function segments(titles, on, change) {
  const all = Object.entries(titles).map(([key, title]) => el('button', { 'data-key': key, 'aria-pressed': key === on, onclick: () => { for (const b of all) b.setAttribute('aria-pressed', b.dataset.key === key); change(key); } }, title));
  return el('div.segments', { role: 'group' }, ...all);
}

const grouped = new Intl.NumberFormat('en');
/** 12345 → "12,345". */
export const count = n => grouped.format(n);
/** A time in microseconds, with its unit. */
export function time(us) {
  if (!(us > 0)) return '0';
  if (us < 10) return us.toFixed(1) + ' µs';
  return us < 1000 ? us.toFixed(0) + ' µs' : (us / 1000).toFixed(us < 10000 ? 2 : 1) + ' ms';
}
export function bytes(n) {
  let u = 0;
  for (; n >= 1024 && u < 3; u++) n /= 1024;
  return (u ? n.toFixed(1) : n) + ' ' + ['B', 'KiB', 'MiB', 'GiB'][u];
}

/** A button that shows a panel over the whole page, or beside the game again. */
export const wider = drawn => el('button', { title: 'over the whole page, or beside the game', onclick: () => { document.body.classList.toggle('wide'); drawn(); } }, '⤢ wide');

export const svg = 'http://www.w3.org/2000/svg';
/** A line through numbers, oldest first, from 0 or the least to the most. */
export function spark(width, height, color = 'var(--accent)', fromZero = true) {
  const s = document.createElementNS(svg, 'svg'), area = document.createElementNS(svg, 'path'), line = document.createElementNS(svg, 'path');
  s.setAttribute('width', width); s.setAttribute('height', height); s.setAttribute('viewBox', `0 0 ${width} ${height}`);
  area.setAttribute('fill', color); area.setAttribute('fill-opacity', .16);
  line.setAttribute('fill', 'none'); line.setAttribute('stroke', color); line.setAttribute('stroke-width', 1.3); line.setAttribute('stroke-linejoin', 'round');
  s.append(area, line);
  s.draw = (list, most = 60) => {
    if (list.length < 2) return;
    const top = Math.max(...list), low = fromZero ? 0 : Math.min(...list), range = top - low || 1;
    const at = list.map((v, i) => `${((most - list.length + i) / (most - 1) * width).toFixed(1)},${(height - 1.5 - (v - low) / range * (height - 3)).toFixed(1)}`);
    line.setAttribute('d', 'M' + at.join('L'));
    area.setAttribute('d', `M${at.join('L')}L${width},${height}L${at[0].split(',')[0]},${height}Z`);
  };
  return s;
}

/** Keeps the last numbers of a series. */
export function push(list, v, most = 60) {
  list.push(v);
  if (list.length > most) list.shift();
}

/** The slot of a handle: its low bits. */
export const slotOf = id => id % SLOTS;
export const SLOTS = 2 ** 24;

let hide;
/** Says what went wrong for some seconds, or what went well. */
export function toast(text, well = false) {
  const t = document.getElementById('toast');
  t.textContent = visible(text);
  t.classList.toggle('well', well);
  t.classList.add('on');
  clearTimeout(hide);
  hide = setTimeout(() => t.classList.remove('on'), 4000);
}
