// SPDX-License-Identifier: Apache-2.0
// Textures of materials: pictures in the page, and where a shape has which point of them, as libmujoco has it.

// the pixels of a picture; a white one where the browser cannot read it
function readPicture({ type, png }) {
  return new Promise((done) => {
    const image = new Image();
    image.onload = () => {
      const paper = document.createElement("canvas").getContext("2d");
      paper.canvas.width = image.width;
      paper.canvas.height = image.height;
      paper.drawImage(image, 0, 0);
      done({ type, pixels: paper.getImageData(0, 0, image.width, image.height) });
    };
    image.onerror = () => done({ type, pixels: new ImageData(new Uint8ClampedArray(24).fill(255), 1, 6) });
    image.src = `data:image/png;base64,${png}`;
  });
}

// a cube has its six faces below each other; of the smaller copies of a picture a slow machine takes the nearest one
function uploadPicture(gl, { type, pixels }, slow) {
  const cube = type === "cube", kind = cube ? gl.TEXTURE_CUBE_MAP : gl.TEXTURE_2D, texture = gl.createTexture();
  const wide = pixels.width, high = cube ? wide : pixels.height, bytes = 4 * wide * high;
  gl.activeTexture(cube ? gl.TEXTURE1 : gl.TEXTURE0);
  gl.bindTexture(kind, texture);
  for (let face = 0; face < (cube ? 6 : 1); face++) {
    const part = new Uint8Array(pixels.data.buffer, face * bytes, bytes);
    gl.texImage2D(cube ? gl.TEXTURE_CUBE_MAP_POSITIVE_X + face : kind, 0, gl.RGBA, wide, high, 0, gl.RGBA, gl.UNSIGNED_BYTE, part);
  }
  gl.generateMipmap(kind);
  gl.texParameteri(kind, gl.TEXTURE_MIN_FILTER, slow ? gl.LINEAR_MIPMAP_NEAREST : gl.LINEAR_MIPMAP_LINEAR);
  gl.texParameteri(kind, gl.TEXTURE_WRAP_S, cube ? gl.CLAMP_TO_EDGE : gl.REPEAT);
  gl.texParameteri(kind, gl.TEXTURE_WRAP_T, cube ? gl.CLAMP_TO_EDGE : gl.REPEAT);
  return { texture, kind, unit: cube ? gl.TEXTURE1 : gl.TEXTURE0, looks: cube ? "cube" : "flat" };
}

// what the shaders need to know of the look of a geom. Its points are `p = vertex / extent`, from -1 to 1 along its size.
//   flat   repeat / 2 (p + 1), of uniform ones times the first two sizes, on every side of a box; an infinite plane has no edge to
//          begin at
//   cube   in the direction of the vertex, times the size where it is uniform
function placeLook(g, scale, data, pictures) {
  if (!g.look || g.look.texture === undefined) {
    return null;
  }
  const { repeat, uniform, texture } = g.look, picture = pictures[texture], one = [1, 1, 1];
  const field = g.type === "hfield" ? data.fields[g.mesh].size.slice(0, 2) : null, size = g.type === "mesh" ? g.size : scale;
  const infinite = g.type === "plane" ? [0, 1].map((k) => !(g.size[k] > 0)) : [false, false];
  const whole = field || size, extent = field ? [...field, 1] : one;
  const span = [0, 1, 2].map((k) => uniform || infinite[k] ? whole[k] || 1 : 1);
  return { picture, extent, span, repeat, begin: infinite.map((x) => x ? 0 : 1), level: Boolean(field) || g.type === "plane" };
}

// null: none
function useLook(gl, place, look) {
  if (!look) {
    return;
  }
  gl.activeTexture(look.picture.unit);
  gl.bindTexture(look.picture.kind, look.picture.texture);
  gl.uniform1i(place.picture, look.picture.unit - gl.TEXTURE0);
  gl.uniform3fv(place.span, look.span);
  if (look.picture.looks === "flat") {
    gl.uniform3fv(place.extent, look.extent);
    gl.uniform2fv(place.repeats, look.repeat);
    gl.uniform2fv(place.begin, look.begin);
    gl.uniform1i(place.level, look.level ? 1 : 0);
  }
}

// the parts of shaders for each kind of look. A flat picture is on flat sides alone, so that a vertex knows its point of it
const lookParts = {
  plain: { vertex: "", place: "", fragment: "", picture: "" },
  flat: {
    vertex: `uniform int level;
uniform vec3 extent, span;
uniform vec2 repeats, begin;
out vec2 spot;`,
    place: `vec3 p = vertex / extent, a = level == 1 ? vec3(0.0, 0.0, 1.0) : abs(normal);
  vec2 q = a.z >= max(a.x, a.y) ? p.xy : a.x > a.y ? p.yz : p.xz;
  spot = 0.5 * repeats * span.xy * (vec2(q.x, -q.y) + begin);`,
    fragment: `in vec2 spot;
uniform sampler2D picture;`,
    picture: "texture(picture, spot).rgb",
  },
  cube: {
    vertex: `uniform vec3 span;
out vec3 spot;`,
    place: "spot = vertex * span;",
    fragment: `in vec3 spot;
uniform samplerCube picture;`,
    picture: "texture(picture, spot).rgb",
  },
};
