// SPDX-License-Identifier: Apache-2.0
// Shaders. A shape is lit in its own frame: the camera and the light are turned into it, so that a vertex needs one matrix. Without
// a graphics card most of the time goes into pixels, so each program computes and interpolates only what its pixels show.

// `whole` takes a point of the shape's frame to the screen; `look` is a part of textures.js
const solidVertex = (look) => `#version 300 es
in vec3 vertex, normal;
uniform mat4 whole;
uniform vec3 size;
out vec3 at, n;
${look.vertex}
void main() {
  at = vertex * size;
  n = normal / size;
  ${look.place}
  gl_Position = whole * vec4(at, 1.0);
}`;

const solidFragment = (look) => `#version 300 es
precision highp float;
in vec3 at, n;
uniform vec3 light, eye, up;
uniform vec4 colour;
out vec4 result;
${look.fragment}
void main() {
  vec3 to_eye = normalize(eye - at), normal = normalize(n);
  normal = dot(normal, to_eye) < 0.0 ? -normal : normal;
  float key = max(dot(normal, light), 0.0), sky = 0.5 + 0.5 * dot(normal, up);
  float g = max(dot(normal, normalize(light + to_eye)), 0.0), g2 = g * g, g4 = g2 * g2, g8 = g4 * g4, g16 = g8 * g8;
  vec3 paint = ${look.picture ? `colour.rgb * ${look.picture}` : "colour.rgb"};
  result = vec4(paint * (0.42 + 0.22 * sky + 0.42 * key) + 0.16 * g16 * g16 * g8, colour.a);
}`;

const shadowVertex = `#version 300 es
in vec3 vertex;
uniform mat4 whole;
uniform vec3 size;
void main() { gl_Position = whole * vec4(vertex * size, 1.0); }`;

const shadowFragment = `#version 300 es
precision highp float;
uniform vec4 colour;
out vec4 result;
void main() { result = colour; }`;

// a plane with lines of a grid, which fades out at a distance
const groundVertex = (look) => `#version 300 es
in vec3 vertex, normal;
uniform mat4 whole;
uniform vec3 size;
out vec2 local;
${look.vertex}
void main() {
  local = vertex.xy * size.xy;
  ${look.place}
  gl_Position = whole * vec4(local, 0.0, 1.0);
}`;

// grid: lines of cells, and of ten cells
const grid = `
float lines(vec2 x, vec2 w) {
  vec2 g = max(1.0 - abs(fract(x - 0.5) - 0.5) / w, 0.0);
  return max(g.x, g.y) * min(0.25 / max(w.x, w.y), 1.0);
}
float gridded(vec2 x) {
  vec2 w = fwidth(x) * 1.2;
  return max(0.5 * lines(x, w), lines(0.1 * x, 0.1 * w));
}`;

const groundFragment = (look) => `#version 300 es
precision highp float;
in vec2 local;
uniform vec3 eye;
uniform vec4 colour, line;
uniform float cell, reach;
out vec4 result;
${look.fragment || grid}
void main() {
  float far = length(vec3(local - eye.xy, eye.z)) / reach, fade = clamp((1.0 - far) / 0.6, 0.0, 1.0);
  vec3 paint = ${look.picture ? `colour.rgb * ${look.picture}` : "mix(colour.rgb, line.rgb, line.a * gridded(local / cell))"};
  result = vec4(paint, colour.a * fade * fade * (3.0 - 2.0 * fade));
}`;

// a line with round ends, each end with its radius, at least `least` pixels wide
const lineVertex = `#version 300 es
in vec2 corner;
in vec3 from, to;
in vec2 radii;
in vec4 tint;
uniform mat4 view;
uniform vec2 screen;
uniform float focus, least;
out vec4 colour;
out vec2 along;
out float span, r0, r1;
void main() {
  vec4 a = view * vec4(from, 1.0), b = view * vec4(to, 1.0);
  vec2 pa = a.xy / a.w * screen, pb = b.xy / b.w * screen;
  r0 = radii.x < 0.0 ? 0.0 : max(radii.x * focus / a.w, least);
  r1 = radii.y < 0.0 ? 0.0 : max(radii.y * focus / b.w, least);
  span = distance(pa, pb);
  vec2 e = span > 1e-4 ? (pb - pa) / span : vec2(1.0, 0.0);
  float wide = max(r0, r1) + 1.0;
  vec2 p = corner.x < 0.5 ? pa - e * wide : pb + e * wide;
  p += vec2(-e.y, e.x) * (2.0 * corner.y - 1.0) * wide;
  along = vec2(dot(p - pa, e), dot(p - pa, vec2(-e.y, e.x)));
  vec4 c = corner.x < 0.5 ? a : b;
  gl_Position = a.w < 0.0 || b.w < 0.0 ? vec4(2.0, 2.0, 2.0, 1.0) : vec4(p / screen * c.w, c.z, c.w);
  colour = tint;
}`;

const lineFragment = `#version 300 es
precision highp float;
in vec4 colour;
in vec2 along;
in float span, r0, r1;
out vec4 result;
void main() {
  float s = clamp(along.x / max(span, 1e-4), 0.0, 1.0);
  float r = mix(r0, r1, s), off = length(vec2(along.x - s * span, along.y));
  float cover = clamp(r - off + 0.5, 0.0, 1.0);
  if (cover < 0.02) discard;
  float round_ = sqrt(max(1.0 - off * off / max(r * r, 1e-4), 0.0));
  result = vec4(colour.rgb * mix(0.72, 1.0, round_), colour.a * cover);
}`;

// triangles in the world that have their colour at each corner
const faceVertex = `#version 300 es
in vec3 vertex;
in vec4 tint;
uniform mat4 view;
out vec4 colour;
void main() {
  colour = tint;
  gl_Position = view * vec4(vertex, 1.0);
}`;

const faceFragment = `#version 300 es
precision highp float;
in vec4 colour;
out vec4 result;
void main() { result = colour; }`;
