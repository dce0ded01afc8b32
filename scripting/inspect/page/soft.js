// Draws shapes without a GPU: each is a mask that was worked out once, put into memory pixel by
// pixel. Where GL is software this is many times as fast.

/** How far a point is inside of a form (below zero) or outside; the form reaches from -1 to 1. */
function outline(form, x, y) {
  const side = (ax, ay, bx, by) => ((x - ax) * (by - ay) - (y - ay) * (bx - ax)) / Math.hypot(bx - ax, by - ay);
  const tri = (ax, ay, bx, by, cx, cy) => Math.max(side(ax, ay, bx, by), side(bx, by, cx, cy), side(cx, cy, ax, ay));
  switch (form) {
    case 1: return Math.abs(Math.hypot(x, y) - .84) - .16;
    case 2: return Math.max(Math.abs(x), Math.abs(y)) - .82;
    case 3: return tri(1, 0, -.7, .8, -.7, -.8);
    case 4: return (Math.abs(x) + Math.abs(y) - 1) * .7;
    case 5: { const k = 2 * Math.PI / 5; let a = Math.atan2(y, x) + k / 2; a -= Math.floor(a / k) * k + k / 2; return (Math.hypot(x, y) * (Math.cos(a) + 1.2 * Math.abs(Math.sin(a))) - .95) * .6; }
    case 6: return Math.max(tri(1, 0, -.85, .75, -.85, -.75), -tri(-.35, 0, -1.2, .9, -1.2, -.9));
  }
  return Math.hypot(x, y) - 1;
}

const STEPS = 64; // of a turn

export function softRenderer(canvas) {
  const g = canvas.getContext('2d', { alpha: false });
  const masks = new Map(), stamps = new Map(), cells = new Map(), bench = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  let stamped = 0, stampedOf = -1;
  let image = null, pixels = null, ground = null, groundKey = '';

  /** A mask has two bytes for each pixel: how much of the shape covers it, and how much of its light. */
  function mask(form, size, angle, glow) {
    const key = ((form * 256 + size) * STEPS + angle) * 16 + glow;
    let m = masks.get(key);
    if (m) return m;
    if (masks.size > 6000) masks.clear();
    const half = Math.max(size / 4, .7), k = glow / 15, reach = Math.ceil(half * (1 + k * 1.6) + 1), n = reach * 2 + 1, cover = new Uint8Array(n * n), light = new Uint8Array(n * n), c = Math.cos(angle * 2 * Math.PI / STEPS), s = Math.sin(angle * 2 * Math.PI / STEPS);
    for (let j = 0, o = 0; j < n; j++) for (let i = 0; i < n; i++, o++) {
      const x = (i - reach) / half, y = (reach - j) / half, d = outline(form, x * c + y * s, y * c - x * s);
      const body = form === 7 ? Math.max(0, 1 - Math.hypot(x, y)) ** 1.6 : Math.min(1, Math.max(0, .5 - d * half));
      cover[o] = body * 255;
      light[o] = k ? (1 - body) * k * .6 * Math.max(0, 1 - Math.max(Math.hypot(x, y) - .55, 0) / (k * 1.6 + .45)) ** 2.4 * 255 : 0;
    }
    masks.set(key, m = { reach, n, cover, light, lit: glow > 0 });
    return m;
  }

  /** A part of the atlas alone. Its pixels are read: to draw from the atlas, and then into it again, would copy all of it. */
  function cell(atlas, part, w, h) {
    let c = cells.get(part);
    if (c) return c;
    cells.set(part, c = document.createElement('canvas'));
    c.width = w; c.height = h;
    c.getContext('2d', { willReadFrequently: true }).putImageData(atlas.read(part & 65535, part >>> 16, w, h), 0, 0);
    stamped += w * h;
    return c;
  }
  /** A stamp is a part of the atlas, turned and made as large as it is drawn, its colors multiplied by its alpha. */
  function stamp(atlas, part, extent, size, angle) {
    if (stampedOf !== atlas.version || stamped > 1.6e7) { stamps.clear(); cells.clear(); stamped = 0; stampedOf = atlas.version; }
    const key = (part * 1024 + size) * STEPS + angle;
    let m = stamps.get(key);
    if (m) return m;
    const w = extent & 65535, h = extent >>> 16, k = size / 2 / Math.max(w, h), a = angle * 2 * Math.PI / STEPS, c = Math.abs(Math.cos(a)), s = Math.abs(Math.sin(a));
    const rx = Math.ceil((w * c + h * s) * k / 2) + 1, ry = Math.ceil((w * s + h * c) * k / 2) + 1, nx = 2 * rx + 1, ny = 2 * ry + 1;
    bench.canvas.width = nx; bench.canvas.height = ny;
    bench.imageSmoothingQuality = 'high';
    bench.translate(rx + .5, ry + .5); bench.rotate(-a); bench.scale(k, k);
    bench.drawImage(cell(atlas, part, w, h), -w / 2, -h / 2);
    const from = bench.getImageData(0, 0, nx, ny).data, colors = new Uint32Array(nx * ny);
    for (let o = 0; o < colors.length; o++) { const alpha = from[4 * o + 3]; colors[o] = (alpha << 24 | from[4 * o + 2] * alpha / 255 << 16 | from[4 * o + 1] * alpha / 255 << 8 | from[4 * o] * alpha / 255) >>> 0; }
    const spans = new Uint16Array(2 * ny); // of each row, where something is to be seen
    for (let j = 0; j < ny; j++) {
      let i0 = 0, i1 = nx;
      while (i0 < i1 && !(colors[j * nx + i0] >>> 24)) i0++;
      while (i1 > i0 && !(colors[j * nx + i1 - 1] >>> 24)) i1--;
      spans[2 * j] = i0; spans[2 * j + 1] = i1;
    }
    stamps.set(key, m = { rx, ry, nx, ny, colors, spans });
    stamped += nx * ny;
    return m;
  }
  function press(m, x, y, tint, alpha, w, h) {
    const plain = alpha === 255 && (tint & 0xffffff) === 0xffffff, colors = m.colors;
    const left = m.rx - x, right = w + left, j1 = Math.min(m.ny, h - y + m.ry), r = (tint >> 16 & 255) + 1, g = (tint >> 8 & 255) + 1, b = (tint & 255) + 1, part = alpha + 1;
    for (let j = Math.max(0, m.ry - y); j < j1; j++) {
      const i0 = Math.max(m.spans[2 * j], left), i1 = Math.min(m.spans[2 * j + 1], right);
      let d = (y - m.ry + j) * w + i0 - left, k = j * m.nx + i0;
      for (let q = i0; q < i1; q++, d++, k++) {
        const c = colors[k], a = c >>> 24;
        if (!a) continue;
        if (plain && a === 255) { pixels[d] = c; continue; }
        const p = pixels[d], keep = 256 - (a * part >> 8);
        const R = ((c & 255) * r * part >> 16) + ((p & 255) * keep >> 8), G = ((c >> 8 & 255) * g * part >> 16) + ((p >> 8 & 255) * keep >> 8), B = ((c >> 16 & 255) * b * part >> 16) + ((p >> 16 & 255) * keep >> 8);
        pixels[d] = 0xff000000 | Math.min(B, 255) << 16 | Math.min(G, 255) << 8 | Math.min(R, 255);
      }
    }
  }
  /** Trails: each piece is filled pixel by pixel along the axis on which it is longer. */
  function streak(trails, see, w, h) {
    const p = trails.points;
    for (let i = 0; i < trails.count; i++) {
      const color = trails.runs[3 * i + 2], cr = color >> 16 & 255, cg = color >> 8 & 255, cb = color & 255;
      for (let k = 1, q = 4 * trails.runs[3 * i]; k < trails.runs[3 * i + 1]; k++, q += 4) {
        const x0 = (p[q] - see.left) * see.scale, y0 = (see.top - p[q + 1]) * see.scale, x1 = (p[q + 4] - see.left) * see.scale, y1 = (see.top - p[q + 5]) * see.scale;
        const flat = Math.abs(x1 - x0) >= Math.abs(y1 - y0), u0 = flat ? x0 : y0, u1 = flat ? x1 : y1, v0 = flat ? y0 : x0, v1 = flat ? y1 : x1;
        if (u0 === u1) continue;
        const steep = (v1 - v0) / (u1 - u0), wide = Math.hypot(1, steep) * see.scale, most = flat ? w : h, side = flat ? h : w;
        const from = Math.max(0, Math.ceil(Math.min(u0, u1) - .5)), to = Math.min(most - 1, Math.ceil(Math.max(u0, u1) - .5) - 1);
        for (let u = from; u <= to; u++) {
          const f = (u + .5 - u0) / (u1 - u0), v = v0 + (v1 - v0) * f, half = Math.max((p[q + 2] + (p[q + 6] - p[q + 2]) * f) * wide, .6), alpha = p[q + 3] + (p[q + 7] - p[q + 3]) * f;
          for (let s = Math.max(0, Math.floor(v - half)), e = Math.min(side - 1, Math.floor(v + half)); s <= e; s++) {
            const a = alpha * 256 * Math.min(1, Math.max(0, (half + .5 - Math.abs(s + .5 - v)) / Math.max(half * .65, 1))) | 0;
            if (a < 3) continue;
            const d = flat ? s * w + u : u * w + s, b = pixels[d], keep = 256 - a;
            pixels[d] = 0xff000000 | ((b >> 16 & 255) * keep + cb * a >> 8) << 16 | ((b >> 8 & 255) * keep + cg * a >> 8) << 8 | ((b & 255) * keep + cr * a >> 8);
          }
        }
      }
    }
  }

  /** The ground: the color, lines, and the edge of the arena; drawn when the view has moved. */
  function prepare(see, w, h) {
    const key = [w, h, see.scale, see.left, see.top, see.background, see.box].join();
    if (!image || image.width !== w || image.height !== h) { image = g.createImageData(w, h); pixels = new Uint32Array(image.data.buffer); ground = new Uint32Array(w * h); groundKey = ''; }
    if (key === groundKey) return;
    groundKey = key;
    const b = see.background, color = (r, gg, bb) => (0xff000000 | Math.min(255, bb) << 16 | Math.min(255, gg) << 8 | Math.min(255, r)) >>> 0;
    const [r0, g0, b0] = [b >> 16 & 255, b >> 8 & 255, b & 255], base = color(r0, g0, b0), line = color(r0 + 6, g0 + 8, b0 + 12), dim = color(r0 * .55, g0 * .55, b0 * .55), edge = color(r0 + 28, g0 + 40, b0 + 66);
    ground.fill(base);
    const step = 2 ** Math.floor(Math.log2(90 / see.scale));
    for (let v = Math.ceil(see.left / step) * step; v < see.left + w / see.scale; v += step) { const x = Math.round((v - see.left) * see.scale); for (let y = 0; y < h; y++) if (x >= 0 && x < w) ground[y * w + x] = line; }
    for (let v = Math.ceil((see.top - h / see.scale) / step) * step; v < see.top; v += step) { const y = Math.round((see.top - v) * see.scale); if (y >= 0 && y < h) ground.fill(line, y * w, y * w + w); }
    if (!see.box) return;
    const x1 = Math.round((see.box[0] - see.left) * see.scale), x2 = Math.round((see.box[2] - see.left) * see.scale), y1 = Math.round((see.top - see.box[3]) * see.scale), y2 = Math.round((see.top - see.box[1]) * see.scale);
    for (let y = 0; y < h; y++) {
      if (y < y1 || y > y2) { ground.fill(dim, y * w, y * w + w); continue; }
      if (x1 > 0) ground.fill(dim, y * w, y * w + Math.min(x1, w));
      if (x2 < w - 1) ground.fill(dim, y * w + Math.max(x2, 0), y * w + w);
      for (const x of [x1, x2]) if (x >= 0 && x < w) ground[y * w + x] = edge;
    }
    for (const y of [y1, y2]) if (y >= 0 && y < h) ground.fill(edge, y * w + Math.max(0, x1), y * w + Math.min(w, x2));
  }

  return {
    name: 'software', soft: true,
    draw(data, bits, n, t, see) {
      const w = canvas.width, h = canvas.height;
      prepare(see, w, h);
      pixels.set(ground);
      streak(see.trails, see, w, h);
      for (let i = 0, o = 0; i < n; i++, o += 11) {
        const x = Math.round((data[o] + (data[o + 2] - data[o]) * t - see.left) * see.scale), y = Math.round((see.top - data[o + 1] - (data[o + 3] - data[o + 1]) * t) * see.scale);
        const color = bits[o + 7], looks = bits[o + 8], form = looks & 255, alpha = looks >>> 8 & 255, size = Math.min(Math.max(data[o + 6] * see.scale * 2, 2), 1000) | 0;
        const round = form === 0 || form === 1 || form === 7, angle = round ? 0 : (Math.round((data[o + 4] + (data[o + 5] - data[o + 4]) * t) * STEPS / (2 * Math.PI)) % STEPS + STEPS) % STEPS;
        if (form === 255) {
          if (bits[o + 10]) press(stamp(see.atlas, bits[o + 9], bits[o + 10], size, angle), x, y, color, alpha, w, h);
          continue;
        }
        const m = mask(form, size, angle, color >>> 28), r = m.reach;
        if (x + r < 0 || y + r < 0 || x - r >= w || y - r >= h) continue;
        const cr = color >> 16 & 255, cg = color >> 8 & 255, cb = color & 255, cover = m.cover, light = m.light;
        const i0 = Math.max(0, r - x), i1 = Math.min(m.n, w - x + r), j1 = Math.min(m.n, h - y + r);
        for (let j = Math.max(0, r - y); j < j1; j++) {
          let d = (y - r + j) * w + x - r + i0, k = j * m.n + i0;
          for (let q = i0; q < i1; q++, d++, k++) {
            const a = cover[k], l = light[k];
            if (a + l < 4) continue;
            const p = pixels[d], A = a * alpha >> 8, L = A + (l * alpha >> 8), keep = 255 - A;
            let R = ((p & 255) * keep + cr * L) >> 8, G = ((p >> 8 & 255) * keep + cg * L) >> 8, B = ((p >> 16 & 255) * keep + cb * L) >> 8;
            if (R > 255) R = 255; if (G > 255) G = 255; if (B > 255) B = 255;
            pixels[d] = 0xff000000 | B << 16 | G << 8 | R;
          }
        }
      }
      g.putImageData(image, 0, 0);
    },
  };
}
