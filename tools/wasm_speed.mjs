// Times of generated C as WebAssembly beside generated JavaScript in Node.js, for docs/javascript.md:
//
//   rbd generate --target c robots/iiwa14.urdf -o web && rbd generate --target js robots/iiwa14.urdf -o web
//   node tools/wasm_speed.mjs web/iiwa14 rnea aba aba_derivatives
//
// Needs clang and wasm-ld (apt-get install clang lld). Asks that both give the same accelerations or torques, to 1e-12.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [stem, ...functions] = process.argv.slice(2), name = basename(stem), folder = mkdtempSync(join(tmpdir(), "wasm-"));
const robot = await import(pathToFileURL(`${resolve(stem)}.js`)), { NQ, NV } = robot;
const isVector = (of) => !of.endsWith("_derivatives");

// What the C file asks of a library, and functions without arguments that work on arrays of the module.
writeFileSync(join(folder, "math.h"), [
  "double sin(double), cos(double), atan2(double, double);",
  ...["sqrt", "fabs", "rint"].map((of) => `#define ${of} __builtin_${of}`),
  "#define INFINITY __builtin_inf()",
  '#define NAN __builtin_nan("")\n',
].join("\n"));
writeFileSync(join(folder, "wrap.c"), [
  `#include "${name}.h"`,
  `static double q[${NQ}], v[${NV}], x[${NV}], out[${NV}];`,
  ...["q", "v", "x", "out"].map((array) => `double *at_${array}(void) { return ${array}; }`),
  ...functions.map((of) => (isVector(of)
    ? `void run_${of}(void) { ${name}_${of}(q, v, x, out); }`
    : `static ${name}_${of}_t of_${of}; void run_${of}(void) { ${name}_${of}(q, v, x, &of_${of}); }`)),
].join("\n"));

function compile(vectors) {
  const wasm = join(folder, `${vectors}.wasm`);
  const exported = ["q", "v", "x", "out"].map((array) => `at_${array}`).concat(functions.map((of) => `run_${of}`));
  const link = ["--no-entry", "--allow-undefined", ...exported.map((of) => `--export=${of}`)];
  execFileSync("clang", [
    "--target=wasm32", "-nostdlib", "-O3", "-msimd128", "-mbulk-memory", "-w", `-DRBD_VECTORS=${vectors}`, `-I${folder}`,
    `-I${dirname(stem)}`, ...link.map((flag) => `-Wl,${flag}`), `${stem}.c`, join(folder, "wrap.c"), "-o", wasm,
  ]);
  return readFileSync(wasm);
}

// Microseconds of a call: the least of batches of a thousand.
function time(call) {
  let least = Infinity;
  for (let batch = 0; batch < 200; batch++) {
    const begin = process.hrtime.bigint();
    for (let i = 0; i < 1000; i++) call();
    least = Math.min(least, Number(process.hrtime.bigint() - begin) / 1e6);
  }
  return least;
}

const q = robot.neutral(), v = Float64Array.from({ length: NV }, (_, i) => 0.2 - 0.03 * i), x = v.slice();
for (const { kind, idx_q, nq } of robot.JOINTS) if (nq === 1) q[idx_q] = kind === "prismatic" ? 0.1 : 0.3 + 0.1 * idx_q;
const modules = [];
for (const vectors of [0, 1]) {
  const { instance } = await WebAssembly.instantiate(compile(vectors), { env: Math }), { memory } = instance.exports;
  const at = (array, n) => new Float64Array(memory.buffer, instance.exports[`at_${array}`](), n);
  modules.push({ run: instance.exports, q: at("q", NQ), v: at("v", NV), x: at("x", NV), out: at("out", NV) });
}
rmSync(folder, { recursive: true });
for (const of of functions) {
  const out = robot[of](q, v, x), copied = new Float64Array(NV);
  // Another state each time.
  const texts = [`JavaScript ${time(() => { q[NQ - 1] += 1e-9; robot[of](q, v, x, out); }).toFixed(3)}`];
  modules.forEach((module, vectors) => {
    const call = module.run[`run_${of}`];
    const whole = () => {
      q[NQ - 1] += 1e-9;
      module.q.set(q), module.v.set(v), module.x.set(x);
      call();
      copied.set(module.out);
    };
    whole();
    const bare = time(() => { module.q[NQ - 1] += 1e-9; call(); }), all = time(whole);
    texts.push(`WebAssembly${vectors ? " with vectors" : ""} ${bare.toFixed(3)}, with copies ${all.toFixed(3)}`);
    const expected = isVector(of) ? [...robot[of](q, v, x)] : [], most = Math.max(1, ...expected.map(Math.abs));
    if (expected.some((y, i) => !(Math.abs(y - copied[i]) <= 1e-12 * most))) throw new Error(`${of} differs`);
  });
  console.log(`${name} ${of}, us: ${texts.join("; ")}`);
}
