// SPDX-License-Identifier: Apache-2.0
// Drawing with WebGL 2: lit shapes, the ground with shadows, lines of any width.

function compile(gl, vertex, fragment) {
  const program = gl.createProgram();
  for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  ["vertex", "normal"].forEach((name, i) => gl.bindAttribLocation(program, i, name));
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS)) {
    throw new Error(gl.getProgramInfoLog(program) || "a program of WebGL does not link");
  }
  const place = {};
  for (let i = 0; i < gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS); i++) {
    const { name } = gl.getActiveUniform(program, i);
    place[name] = gl.getUniformLocation(program, name);
  }
  return { program, place };
}

function buffer(gl, data) {
  gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
  gl.bufferData(gl.ARRAY_BUFFER, data instanceof Float32Array ? data : new Float32Array(data), gl.STATIC_DRAW);
}

// puts a shape of shapes.js on the graphics card
function upload(gl, s) {
  const array = gl.createVertexArray();
  gl.bindVertexArray(array);
  [s.vertex, s.normal].forEach((data, i) => {
    buffer(gl, data);
    gl.enableVertexAttribArray(i);
    gl.vertexAttribPointer(i, 3, gl.FLOAT, false, 0, 0);
  });
  if (s.index) {
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, new Uint32Array(s.index), gl.STATIC_DRAW);
  }
  gl.bindVertexArray(null);
  return { array, count: s.index ? s.index.length : s.vertex.length / 3, indexed: Boolean(s.index) };
}

function drawShape(gl, s) {
  gl.bindVertexArray(s.array);
  if (s.indexed) {
    gl.drawElements(gl.TRIANGLES, s.count, gl.UNSIGNED_INT, 0);
  } else {
    gl.drawArrays(gl.TRIANGLES, 0, s.count);
  }
}

const lineNumbers = 12;  // from, to, radii, colour
const lineCorners = [[0, 0], [1, 0], [0, 1], [0, 1], [1, 0], [1, 1]];

const faceNumbers = 7;  // of a corner: place, colour

// numbers for each vertex, in a buffer that changes: their attributes with name, width and first number
function changingArray(gl, program, stride, attributes) {
  const array = gl.createVertexArray(), data = gl.createBuffer();
  gl.bindVertexArray(array);
  gl.bindBuffer(gl.ARRAY_BUFFER, data);
  attributes.forEach(([name, size, first]) => {
    const at = gl.getAttribLocation(program, name);
    gl.enableVertexAttribArray(at);
    gl.vertexAttribPointer(at, size, gl.FLOAT, false, 4 * stride, 4 * first);
  });
  gl.bindVertexArray(null);
  return { array, data };
}

// a line comes once for each corner of its two triangles: drawing without a graphics card is slow for instances
const lineArray = (gl, program) => changingArray(gl, program, 2 + lineNumbers,
  [["corner", 2, 0], ["from", 3, 2], ["to", 3, 5], ["radii", 2, 8], ["tint", 4, 10]]);
const faceArray = (gl, program) => changingArray(gl, program, faceNumbers, [["vertex", 3, 0], ["tint", 4, 3]]);

function lineVertices(numbers) {
  const n = numbers.length / lineNumbers, wide = 2 + lineNumbers, all = new Float32Array(6 * n * wide);
  for (let i = 0; i < n; i++) {
    const line = numbers.slice(lineNumbers * i, lineNumbers * (i + 1));
    lineCorners.forEach((corner, k) => {
      all.set(corner, (6 * i + k) * wide);
      all.set(line, (6 * i + k) * wide + 2);
    });
  }
  return all;
}

// a machine that draws without a graphics card has no time for smooth edges
function isSlow() {
  const probe = document.createElement("canvas").getContext("webgl2"), names = probe && probe.getExtension("WEBGL_debug_renderer_info");
  return names && /swiftshader|llvmpipe|software/i.test(probe.getParameter(names.UNMASKED_RENDERER_WEBGL));
}

// a program for each kind of look
const eachLook = (gl, vertex, fragment) => Object.fromEntries(
  Object.entries(lookParts).map(([name, look]) => [name, compile(gl, vertex(look), fragment(look))]));
const programOf = (programs, item) => programs[item.look ? item.look.picture.looks : "plain"];

function openCanvas(canvas) {
  const slow = isSlow(), gl = canvas.getContext("webgl2", { alpha: false, antialias: !slow, stencil: true });
  if (!gl) {
    return null;
  }
  const solid = eachLook(gl, solidVertex, solidFragment), ground = eachLook(gl, groundVertex, groundFragment);
  const shadow = compile(gl, shadowVertex, shadowFragment), line = compile(gl, lineVertex, lineFragment);
  const face = compile(gl, faceVertex, faceFragment);
  return { gl, canvas, slow, solid, ground, shadow, line, face, lines: lineArray(gl, line.program), faces: faceArray(gl, face.program) };
}

// the canvas has `share` of the pixels of the screen
function fitCanvas(c, share) {
  const scale = Math.min(window.devicePixelRatio || 1, 2) * share;
  const wide = Math.max(Math.round(c.canvas.clientWidth * scale), 1);
  const high = Math.max(Math.round(c.canvas.clientHeight * scale), 1);
  if (c.canvas.width !== wide || c.canvas.height !== high) {
    c.canvas.width = wide;
    c.canvas.height = high;
  }
  c.gl.viewport(0, 0, wide, high);
}

const lightDirection = unit([0.35, -0.45, 1]);

// from the world into the frame of an item
const turnBack = (item, v) => rotate([item.quat[0], -item.quat[1], -item.quat[2], -item.quat[3]], v);

// uses a program for an item, whose frame `matrix` takes to the screen
function begin(c, { program, place: at }, matrix, item) {
  const { gl } = c;
  gl.useProgram(program);
  gl.uniformMatrix4fv(at.whole, false, product(matrix, poseMatrix(item.pos, item.quat)));
  gl.uniform3fv(at.size, item.size);
}

// the nearest ones first: what they hide is not computed; what is about all others, as a room, comes last
function drawSolids(c, eye, items) {
  const { gl } = c, far = (item) => length(sub(item.pos, eye.eye)) + (item.reach || 0);
  for (const { item } of items.map((i) => ({ item: i, far: far(i) })).sort((a, b) => a.far - b.far)) {
    const program = programOf(c.solid, item), { place: at } = program;
    begin(c, program, eye.matrix, item);
    gl.uniform3fv(at.eye, turnBack(item, sub(eye.eye, item.pos)));
    gl.uniform3fv(at.light, turnBack(item, lightDirection));
    gl.uniform3fv(at.up, turnBack(item, [0, 0, 1]));
    gl.uniform4fv(at.colour, item.colour);
    useLook(gl, at, item.look);
    drawShape(gl, item.shape);
  }
}

// translucent ones: only their nearest surface is seen, so that the inside does not shine through
function drawGlass(c, eye, items) {
  const { gl } = c;
  gl.colorMask(false, false, false, false);
  drawSolids(c, eye, items);
  gl.colorMask(true, true, true, true);
  gl.depthFunc(gl.LEQUAL);
  drawSolids(c, eye, items);
}

// each point of the ground n . x = d, plane = (n, d), is darkened once, however many shapes are above it
function drawShadows(c, eye, items, plane) {
  const { gl } = c, matrix = product(eye.matrix, flatten(lightDirection, plane));
  gl.enable(gl.STENCIL_TEST);
  gl.stencilFunc(gl.EQUAL, 0, 255);
  gl.stencilOp(gl.KEEP, gl.KEEP, gl.INCR);
  gl.depthMask(false);
  gl.enable(gl.POLYGON_OFFSET_FILL);
  gl.polygonOffset(-2, -4);
  for (const item of items) {
    begin(c, c.shadow, matrix, item);
    gl.uniform4fv(c.shadow.place.colour, [0.04, 0.06, 0.09, 0.3]);
    drawShape(gl, item.shape);
  }
  gl.disable(gl.POLYGON_OFFSET_FILL);
  gl.depthMask(true);
  gl.disable(gl.STENCIL_TEST);
}

function drawGround(c, eye, item, look) {
  const { gl } = c, program = programOf(c.ground, item), { place: at } = program;
  begin(c, program, eye.matrix, item);
  gl.uniform3fv(at.eye, turnBack(item, sub(eye.eye, item.pos)));
  gl.uniform4fv(at.colour, item.colour);
  gl.uniform4fv(at.line, look.line);
  gl.uniform1f(at.cell, look.cell);
  gl.uniform1f(at.reach, look.reach);
  useLook(gl, at, item.look);
  drawShape(gl, item.shape);
}

// `numbers`: twelve for each line, as in lineArray
function drawLines(c, eye, numbers, least) {
  const { gl, line, lines } = c;
  if (numbers.length === 0) {
    return;
  }
  gl.useProgram(line.program);
  gl.uniformMatrix4fv(line.place.view, false, eye.matrix);
  gl.uniform2f(line.place.screen, c.canvas.width / 2, c.canvas.height / 2);
  gl.uniform1f(line.place.focus, eye.focus * c.canvas.height / 2);
  gl.uniform1f(line.place.least, least);
  gl.bindVertexArray(lines.array);
  gl.bindBuffer(gl.ARRAY_BUFFER, lines.data);
  gl.bufferData(gl.ARRAY_BUFFER, lineVertices(numbers), gl.DYNAMIC_DRAW);
  gl.drawArrays(gl.TRIANGLES, 0, 6 * numbers.length / lineNumbers);
}

// `numbers`: seven for each corner of triangles
function drawFaces(c, eye, numbers) {
  const { gl, face, faces } = c;
  if (numbers.length === 0) {
    return;
  }
  gl.useProgram(face.program);
  gl.uniformMatrix4fv(face.place.view, false, eye.matrix);
  gl.bindVertexArray(faces.array);
  gl.bindBuffer(gl.ARRAY_BUFFER, faces.data);
  gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(numbers), gl.DYNAMIC_DRAW);
  gl.drawArrays(gl.TRIANGLES, 0, numbers.length / faceNumbers);
}

function clearCanvas(c, colour) {
  const { gl } = c;
  gl.clearColor(...colour, 1);
  gl.clearStencil(0);
  gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT | gl.STENCIL_BUFFER_BIT);
  gl.enable(gl.DEPTH_TEST);
  gl.depthFunc(gl.LESS);
  gl.enable(gl.BLEND);
  gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
}
