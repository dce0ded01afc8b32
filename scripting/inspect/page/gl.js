// Draws shapes with WebGL2: one quad for each, whose outline the fragment shader works out.

const vertex = `#version 300 es
precision highp float;
layout(location=0) in vec2 corner; layout(location=1) in vec4 places; layout(location=2) in vec2 angles; layout(location=3) in float size;
layout(location=4) in uint color; layout(location=5) in uint looks; layout(location=6) in uvec2 part;
uniform float t; uniform vec2 corner0, screen; uniform float scale;
out vec2 uv; flat out vec4 tint; flat out vec3 how; flat out vec4 rect; // form, half a size in pixels, glow; a part of the atlas
void main() {
  vec2 p = (mix(places.xy, places.zw, t) - corner0) * vec2(scale, -scale);
  float a = mix(angles.x, angles.y, t), half_ = max(size * scale * .5, .7), glow = float(color >> 24) / 255.;
  float grow = half_ * (1. + glow * 1.6) + 1.5;
  uv = corner * grow / half_;
  vec2 q = corner * grow;
  rect = vec4(part.x & 65535u, part.x >> 16, part.y & 65535u, part.y >> 16);
  if ((looks & 255u) == 255u) { q = corner * half_ * rect.zw / max(max(rect.z, rect.w), 1.); uv = rect.xy + (corner * vec2(.5, -.5) + .5) * rect.zw; }
  float c = cos(a), s = sin(a);
  p += vec2(q.x * c - q.y * s, -(q.x * s + q.y * c));
  gl_Position = vec4(p / screen * vec2(2, -2) + vec2(-1, 1), 0, 1);
  tint = vec4(float(color >> 16 & 255u), float(color >> 8 & 255u), float(color & 255u), float(looks >> 8 & 255u)) / 255.;
  how = vec3(float(looks & 255u), half_, glow);
}`;

const fragment = `#version 300 es
precision highp float;
in vec2 uv; flat in vec4 tint; flat in vec3 how; flat in vec4 rect; out vec4 color; uniform sampler2D atlas;
float poly(vec2 p, vec2 a, vec2 b) { vec2 e = b - a; return dot(p - a, normalize(vec2(e.y, -e.x))); }
float tri(vec2 p, vec2 a, vec2 b, vec2 c) { return max(max(poly(p, a, b), poly(p, b, c)), poly(p, c, a)); }
float outline(vec2 p, float f) {
  if (f < .5) return length(p) - 1.;
  if (f < 1.5) return abs(length(p) - .84) - .16;
  if (f < 2.5) { vec2 d = abs(p) - .82; return max(d.x, d.y); }
  if (f < 3.5) return tri(p, vec2(1, 0), vec2(-.7, .8), vec2(-.7, -.8));
  if (f < 4.5) return (abs(p.x) + abs(p.y) - 1.) * .7;
  if (f < 5.5) { float a = atan(p.y, p.x), k = 6.2831853 / 5.; a = mod(a + k * .5, k) - k * .5; return (length(p) * (cos(a) + .75 * abs(sin(a)) * 1.6) - .95) * .6; }
  if (f < 6.5) return max(tri(p, vec2(1, 0), vec2(-.85, .75), vec2(-.85, -.75)), -tri(p, vec2(-.35, 0), vec2(-1.2, .9), vec2(-1.2, -.9)));
  return length(p) - 1.;
}
void main() {
  vec4 texel = texture(atlas, clamp(uv, rect.xy + .5, rect.xy + max(rect.zw - .5, .5)) / vec2(textureSize(atlas, 0)));
  if (how.x > 254.5) { color = rect.z > 0. ? vec4(texel.rgb * tint.rgb, texel.a) * tint.a : vec4(0); return; }
  float px = 1. / how.y, d = outline(uv, how.x), body = 1. - smoothstep(-px, px, d), soft = how.x > 6.5 ? pow(max(0., 1. - length(uv)), 1.6) : body;
  float light = how.z * .6 * pow(max(0., 1. - max(length(uv) - .55, 0.) / (how.z * 1.6 + .45)), 2.4) * (1. - body);
  float shade = how.x > 6.5 ? 1. : 1. + .28 * clamp(-d, 0., .5) + .1 * uv.y;
  color = vec4(tint.rgb * shade * soft * tint.a + tint.rgb * light * tint.a, soft * tint.a);
}`;

const trailVertex = `#version 300 es
precision highp float;
layout(location=0) in vec3 place; layout(location=1) in vec4 shade;
uniform vec2 corner0, screen; uniform float scale; out vec4 tint; out float side;
void main() {
  vec2 p = (place.xy - corner0) * vec2(scale, -scale);
  gl_Position = vec4(p / screen * vec2(2, -2) + vec2(-1, 1), 0, 1);
  tint = shade; side = place.z;
}`;
const trailFragment = `#version 300 es
precision highp float; in vec4 tint; in float side; out vec4 color;
void main() { float a = tint.a * (1. - smoothstep(.45, 1., abs(side))); color = vec4(tint.bgr * a, a); }`;

const backVertex = `#version 300 es
layout(location=0) in vec2 corner; void main() { gl_Position = vec4(corner, 0, 1); }`;
const backFragment = `#version 300 es
precision highp float; uniform vec3 back; uniform vec4 box; uniform vec2 corner0, screen; uniform float scale; out vec4 color;
void main() {
  vec2 w = vec2(corner0.x + gl_FragCoord.x / scale, corner0.y - (screen.y - gl_FragCoord.y) / scale);
  vec2 u = gl_FragCoord.xy / screen - .5; float v = 1. - .45 * dot(u, u);
  float step_ = exp2(floor(log2(90. / scale))) ; vec2 g = abs(fract(w / step_ + .5) - .5) * step_ * scale; float line = 1. - smoothstep(0., 1., min(g.x, g.y));
  bool inside = box.z <= box.x || (w.x > box.x && w.x < box.z && w.y > box.y && w.y < box.w);
  float edge = box.z <= box.x ? 0. : 1. - smoothstep(0., 1.6, abs(max(max(box.x - w.x, w.x - box.z), max(box.y - w.y, w.y - box.w))) * scale);
  color = vec4((back * v + line * vec3(.018, .024, .04)) * (inside ? 1. : .55) + edge * vec3(.10, .15, .26), 1);
}`;

/** A renderer, or null where there is no WebGL2, or only one in software (unless forced). */
export function glRenderer(canvas, forced) {
  const probe = document.createElement('canvas').getContext('webgl2');
  if (!probe) return null;
  const info = probe.getExtension('WEBGL_debug_renderer_info'), name = info ? probe.getParameter(info.UNMASKED_RENDERER_WEBGL) : '';
  if (/swiftshader|llvmpipe|software/i.test(name) && !forced) return null;
  const gl = canvas.getContext('webgl2', { alpha: false, antialias: false, powerPreference: 'high-performance' });
  if (!gl) return null;
  const program = (v, f) => {
    const p = gl.createProgram();
    for (const [kind, text] of [[gl.VERTEX_SHADER, v], [gl.FRAGMENT_SHADER, f]]) {
      const s = gl.createShader(kind);
      gl.shaderSource(s, text); gl.compileShader(s);
      if (!gl.getShaderParameter(s, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(s));
      gl.attachShader(p, s);
    }
    gl.linkProgram(p);
    return p;
  };
  const shapes = program(vertex, fragment), tails = program(trailVertex, trailFragment), back = program(backVertex, backFragment);
  const at = (p, ...names) => Object.fromEntries(names.map(n => [n, gl.getUniformLocation(p, n)]));
  const us = at(shapes, 't', 'corner0', 'screen', 'scale'), ut = at(tails, 'corner0', 'screen', 'scale'), ub = at(back, 'back', 'box', 'corner0', 'screen', 'scale');
  const quad = gl.createBuffer(), records = gl.createBuffer(), all = gl.createVertexArray(), plain = gl.createVertexArray();
  gl.bindBuffer(gl.ARRAY_BUFFER, quad);
  gl.bufferData(gl.ARRAY_BUFFER, new Float32Array([-1, -1, 1, -1, -1, 1, 1, 1]), gl.STATIC_DRAW);
  for (const vao of [all, plain]) { gl.bindVertexArray(vao); gl.enableVertexAttribArray(0); gl.vertexAttribPointer(0, 2, gl.FLOAT, false, 0, 0); }
  gl.bindVertexArray(all);
  gl.bindBuffer(gl.ARRAY_BUFFER, records);
  const stride = 44;
  for (const [where, n, offset] of [[1, 4, 0], [2, 2, 16], [3, 1, 24]]) { gl.enableVertexAttribArray(where); gl.vertexAttribPointer(where, n, gl.FLOAT, false, stride, offset); gl.vertexAttribDivisor(where, 1); }
  for (const [where, offset] of [[4, 28], [5, 32]]) { gl.enableVertexAttribArray(where); gl.vertexAttribIPointer(where, 1, gl.UNSIGNED_INT, stride, offset); gl.vertexAttribDivisor(where, 1); }
  gl.enableVertexAttribArray(6); gl.vertexAttribIPointer(6, 2, gl.UNSIGNED_INT, stride, 36); gl.vertexAttribDivisor(6, 1);
  const ribbon = gl.createVertexArray(), strip = gl.createBuffer();
  gl.bindVertexArray(ribbon);
  gl.bindBuffer(gl.ARRAY_BUFFER, strip);
  gl.enableVertexAttribArray(0); gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 16, 0);
  gl.enableVertexAttribArray(1); gl.vertexAttribPointer(1, 4, gl.UNSIGNED_BYTE, true, 16, 12);
  const texture = gl.createTexture();
  gl.bindTexture(gl.TEXTURE_2D, texture);
  gl.pixelStorei(gl.UNPACK_PREMULTIPLY_ALPHA_WEBGL, true);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR_MIPMAP_LINEAR);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
  gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE);
  gl.texParameterf(gl.TEXTURE_2D, gl.TEXTURE_MAX_LOD, 2);
  let size = 0, drawn = -1, band = new Float32Array(4096), bandBits = new Uint32Array(band.buffer);

  /** Makes one strip of triangles of all trails: two corners at each point, those at the ends twice. */
  function weave(trails, scale) {
    let o = 0;
    const corner = (x, y, side, color) => { band[o] = x; band[o + 1] = y; band[o + 2] = side; bandBits[o + 3] = color; o += 4; };
    for (let i = 0; i < trails.count; i++) {
      const n = trails.runs[3 * i + 1], color = trails.runs[3 * i + 2], p = trails.points;
      if (band.length < o + 4 * (2 * n + 2)) { const b = new Float32Array(band.length * 2 + 8 * n + 8); b.set(band); band = b; bandBits = new Uint32Array(b.buffer); }
      let nx = 0, ny = 1;
      for (let k = 0, q = 4 * trails.runs[3 * i]; k < n; k++, q += 4) {
        const a = k ? q - 4 : q, b = k < n - 1 ? q + 4 : q, dx = p[b] - p[a], dy = p[b + 1] - p[a + 1], long = Math.hypot(dx, dy);
        if (long > 0) { nx = -dy / long; ny = dx / long; }
        const h = Math.max(p[q + 2], .8 / scale), tint = (color | p[q + 3] * 255 << 24) >>> 0;
        if (!k) corner(p[q] + nx * h, p[q + 1] + ny * h, 1, tint);
        corner(p[q] + nx * h, p[q + 1] + ny * h, 1, tint);
        corner(p[q] - nx * h, p[q + 1] - ny * h, -1, tint);
        if (k === n - 1) corner(p[q] - nx * h, p[q + 1] - ny * h, -1, tint);
      }
    }
    return o / 4;
  }
  return {
    name: 'webgl2', soft: false,
    draw(data, bits, n, t, see, fresh) {
      const w = canvas.width, h = canvas.height, b = see.background;
      gl.viewport(0, 0, w, h);
      gl.disable(gl.BLEND);
      gl.useProgram(back);
      gl.uniform3f(ub.back, (b >> 16 & 255) / 255, (b >> 8 & 255) / 255, (b & 255) / 255);
      gl.uniform4f(ub.box, ...(see.box || [0, 0, 0, 0]));
      gl.uniform2f(ub.corner0, see.left, see.top); gl.uniform2f(ub.screen, w, h); gl.uniform1f(ub.scale, see.scale);
      gl.bindVertexArray(plain);
      gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
      gl.enable(gl.BLEND);
      gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
      const corners = weave(see.trails, see.scale);
      if (corners) {
        gl.bindVertexArray(ribbon);
        gl.bindBuffer(gl.ARRAY_BUFFER, strip);
        gl.bufferData(gl.ARRAY_BUFFER, band.subarray(0, corners * 4), gl.STREAM_DRAW);
        gl.useProgram(tails);
        gl.uniform2f(ut.corner0, see.left, see.top); gl.uniform2f(ut.screen, w, h); gl.uniform1f(ut.scale, see.scale);
        gl.drawArrays(gl.TRIANGLE_STRIP, 0, corners);
      }
      if (!n) return;
      if (drawn !== see.atlas.version) {
        drawn = see.atlas.version;
        gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, gl.RGBA, gl.UNSIGNED_BYTE, see.atlas.canvas);
        gl.generateMipmap(gl.TEXTURE_2D);
      }
      gl.bindVertexArray(all);
      if (fresh) {
        gl.bindBuffer(gl.ARRAY_BUFFER, records);
        const part = data.subarray(0, n * 11);
        if (size < part.byteLength) gl.bufferData(gl.ARRAY_BUFFER, size = data.byteLength, gl.STREAM_DRAW);
        gl.bufferSubData(gl.ARRAY_BUFFER, 0, part);
      }
      gl.useProgram(shapes);
      gl.uniform1f(us.t, t); gl.uniform2f(us.corner0, see.left, see.top); gl.uniform2f(us.screen, w, h); gl.uniform1f(us.scale, see.scale);
      gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, n);
    },
  };
}
