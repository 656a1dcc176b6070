// Draws triangles and lines by WebGL.

const VERTEX = `#version 300 es
in vec3 position;
in vec3 normal;
uniform mat4 toScreen, toWorld;
uniform mat3 normals;
out vec3 facing, at;
void main() {
  facing = normals * normal;
  at = (toWorld * vec4(position, 1.0)).xyz;
  gl_Position = toScreen * vec4(at, 1.0);
}`;

const FRAGMENT = `#version 300 es
precision highp float;
in vec3 facing, at;
uniform vec3 eye;
uniform vec4 color;
uniform float lit;
out vec4 shown;
void main() {
  vec3 n = normalize(facing), v = normalize(eye - at);
  // The inner side of open meshes.
  if (dot(n, v) < 0.0) n = -n;
  vec3 light = normalize(vec3(0.4, -0.5, 0.9));
  float diffuse = max(dot(n, light), 0.0), sky = 0.5 + 0.5 * n.z;
  float gloss = pow(max(dot(n, normalize(light + v)), 0.0), 40.0);
  vec3 rgb = color.rgb * (0.35 + 0.25 * sky + 0.5 * diffuse) + 0.12 * gloss;
  shown = vec4(mix(color.rgb, rgb, lit), color.a);
}`;

// Whether there is no graphics processor. Smooth edges take more than half of a frame then.
function drawsInSoftware() {
  const gl = document.createElement("canvas").getContext("webgl2"), names = gl?.getExtension("WEBGL_debug_renderer_info");
  const name = names ? gl.getParameter(names.UNMASKED_RENDERER_WEBGL) : "";
  gl?.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|software/i.test(name);
}

// The renderer of a canvas, or null without WebGL 2.
function renderer(canvas) {
  const gl = canvas.getContext("webgl2", { antialias: !drawsInSoftware(), preserveDrawingBuffer: true });
  if (!gl) return null;
  const program = gl.createProgram();
  for (const [kind, text] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS)) return null;
  const at = (name) => gl.getUniformLocation(program, name);
  const [toScreen, toWorld, normals, eye, color, lit] = ["toScreen", "toWorld", "normals", "eye", "color", "lit"].map(at);
  const [position, normal] = ["position", "normal"].map((name) => gl.getAttribLocation(program, name));

  // Puts data into a buffer that an attribute reads.
  function bind(buffer, attribute, data, usage) {
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    if (data) gl.bufferData(gl.ARRAY_BUFFER, data, usage);
    gl.enableVertexAttribArray(attribute);
    gl.vertexAttribPointer(attribute, 3, gl.FLOAT, false, 0, 0);
  }

  // Copies triangles to the graphics processor.
  function upload(shape) {
    const array = gl.createVertexArray();
    gl.bindVertexArray(array);
    bind(gl.createBuffer(), position, shape.positions, gl.STATIC_DRAW);
    bind(gl.createBuffer(), normal, shape.normals, gl.STATIC_DRAW);
    return { array, count: shape.positions.length / 3 };
  }

  const line = { array: gl.createVertexArray(), buffer: gl.createBuffer() };

  // Draws a picture: solids, each a shape with a matrix and a color, and lines of points and a color.
  function draw({ solids, lines, camera, background }) {
    const [width, height] = [canvas.clientWidth, canvas.clientHeight].map((n) => Math.max(1, Math.round(n * devicePixelRatio)));
    if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
    gl.viewport(0, 0, width, height);
    gl.clearColor(...background, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    gl.useProgram(program);
    gl.uniformMatrix4fv(toScreen, false, camera.toScreen);
    gl.uniform3fv(eye, camera.eye);
    gl.uniform1f(lit, 1);
    // What is transparent is drawn over the rest.
    for (const opaque of [true, false]) {
      gl.depthMask(opaque);
      for (const solid of solids) {
        if ((solid.color[3] === 1) !== opaque) continue;
        solid.shape.uploaded ??= upload(solid.shape);
        const m = solid.matrix, i = inverse(m);
        gl.uniformMatrix4fv(toWorld, false, m);
        gl.uniformMatrix3fv(normals, false, [i[0], i[4], i[8], i[1], i[5], i[9], i[2], i[6], i[10]]);
        gl.uniform4fv(color, solid.color);
        gl.bindVertexArray(solid.shape.uploaded.array);
        gl.drawArrays(gl.TRIANGLES, 0, solid.shape.uploaded.count);
      }
    }
    gl.depthMask(true);
    gl.uniform1f(lit, 0);
    gl.uniformMatrix4fv(toWorld, false, IDENTITY);
    gl.uniformMatrix3fv(normals, false, [1, 0, 0, 0, 1, 0, 0, 0, 1]);
    gl.bindVertexArray(line.array);
    gl.disableVertexAttribArray(normal);
    gl.vertexAttrib3f(normal, 0, 0, 1);
    for (const { points, color: shown } of lines) {
      bind(line.buffer, position, new Float32Array(points.flat()), gl.DYNAMIC_DRAW);
      gl.uniform4fv(color, shown);
      gl.drawArrays(gl.LINES, 0, points.length);
    }
  }

  return { draw };
}
