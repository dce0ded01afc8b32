// The images of sprites: fetched with the token, decoded by the browser, and put side by side into one canvas, the atlas.
import { image } from './api.js';

const LEAST = 1024, MOST = 4096, SIDE = 2048, GAP = 2, AT_ONCE = 4;

/** changed() is called when an image has come, or another version of one. */
export function imageAtlas(changed) {
  const canvas = document.createElement('canvas');
  let g, shelves, below, known = new Map(), loading = 0, waiting = [], serial = 0; // a number for each picture
  const atlas = { canvas, version: 0, get, count: () => known.size, read: (x, y, w, h) => g.getImageData(x, y, w, h) };
  const missing = document.createElement('canvas'); // stands for what cannot be shown
  missing.width = missing.height = 16;
  const m = missing.getContext('2d');
  for (let i = 0; i < 16; i++) { m.fillStyle = (i + (i >> 2)) % 2 ? '#ff4fd8' : '#241028'; m.fillRect(i % 4 * 4, (i >> 2) * 4, 4, 4); }
  let nothing;
  empty(LEAST);

  function empty(size) {
    canvas.width = canvas.height = size;
    g = canvas.getContext('2d', { willReadFrequently: true });
    shelves = []; below = 0;
    nothing = whole(missing);
    atlas.version++;
  }
  /** Room for w by h pixels: on a shelf that is high enough, or on a new one. */
  function room(w, h) {
    let best = null;
    for (const s of shelves) if (s.h >= h && s.x + w <= canvas.width && s.h <= h * 1.5 && (!best || s.h < best.h)) best = s;
    if (!best) {
      if (below + h > canvas.height || w > canvas.width) return null;
      shelves.push(best = { x: 0, y: below, h });
      below += h;
    }
    const at = { x: best.x, y: best.y };
    best.x += w;
    return at;
  }
  /** Copies a part of a picture into the atlas, so many times smaller; null when there is no room. */
  function put(source, sx, sy, sw, sh, less = 1) {
    const w = Math.max(1, sw / less | 0), h = Math.max(1, sh / less | 0), at = room(w + GAP * 2, h + GAP * 2);
    if (!at) return null;
    const rect = { x: at.x + GAP, y: at.y + GAP, w, h };
    g.clearRect(at.x, at.y, w + GAP * 2, h + GAP * 2);
    // The edge is repeated in the gap, so that nothing else shines through at the edges of a sprite.
    for (const [dx, dy] of [[-1, 0], [1, 0], [0, -1], [0, 1]]) g.drawImage(source, sx, sy, sw, sh, rect.x + dx, rect.y + dy, w, h);
    g.clearRect(rect.x, rect.y, w, h);
    g.drawImage(source, sx, sy, sw, sh, rect.x, rect.y, w, h);
    atlas.version++;
    return rect;
  }
  function whole(p) { return put(p, 0, 0, p.width, p.height); }
  /** All images that were asked for lately and one that is new, in a larger canvas if need be; or all of them smaller. */
  function arrange(late, picture) {
    const old = document.createElement('canvas'), list = [];
    old.width = canvas.width; old.height = canvas.height;
    old.getContext('2d').drawImage(canvas, 0, 0);
    for (const [id, e] of known) {
      if (e.asked < serial - 1) known.delete(id);
      else if (e === late) list.push({ e, from: picture, x: 0, y: 0, w: picture.width, h: picture.height });
      else if (e.rect && e.rect !== nothing) list.push({ e, from: old, ...e.rect });
    }
    const missed = [...known.values()].filter(e => e.rect === nothing && e !== late);
    list.sort((a, b) => b.h - a.h);
    for (let size = canvas.width, less = 1; ; ) {
      empty(size);
      if (list.every(i => i.e.rect = put(i.from, i.x, i.y, i.w, i.h, less))) break;
      if (size < MOST) size *= 2; else less *= 2;
    }
    for (const e of missed) e.rect = nothing;
  }

  async function load(e, id, version) {
    loading++;
    try {
      const picture = await createImageBitmap(await image(id));
      if (picture.width > SIDE || picture.height > SIDE) throw new Error('it is too large');
      if (e.version !== version) { picture.close(); return; } // there is a newer one by now
      const old = e.rect;
      if (old && old !== nothing && old.w === picture.width && old.h === picture.height) { g.clearRect(old.x, old.y, old.w, old.h); g.drawImage(picture, old.x, old.y); atlas.version++; }
      else if (!(e.rect = whole(picture))) arrange(e, picture);
      picture.close(); // what is in the atlas is enough, and this takes as much memory again
    } catch (x) {
      if (e.version === version) e.rect = e.rect || nothing;
      if (!x.status) setTimeout(() => { if (e.version === version) e.version = -1; }, 3000); // the connection is lost: it is tried again
    } finally {
      loading--;
      const next = waiting.shift();
      if (next) next();
      changed();
    }
  }
  /** Where an image is in the atlas, null while it is being loaded. Version 0 is one that the game has not. */
  function get(id, version) {
    let e = known.get(id);
    if (!e) known.set(id, e = { version: -1, rect: null });
    e.asked = serial;
    if (!version) return e.rect = e.rect || nothing;
    if (e.version !== version) {
      e.version = version;
      if (loading < AT_ONCE) load(e, id, version); else waiting.push(() => load(e, id, e.version));
    }
    return e.rect;
  }
  atlas.begin = () => { serial++; if (known.size > 1024) arrange(); };
  return atlas;
}

/** The part of the atlas that is one frame of a sheet, as two numbers: x and y, width and height. */
export function frameOf(rect, sheet, frame, out) {
  if (!rect) { out[0] = out[1] = 0; return; }
  const w = Math.max(1, rect.w / sheet.columns | 0), h = Math.max(1, rect.h / sheet.rows | 0);
  const x = rect.x + frame % sheet.columns * w, y = rect.y + (frame / sheet.columns | 0) * h;
  out[0] = (x | y << 16) >>> 0; out[1] = (w | h << 16) >>> 0;
}
