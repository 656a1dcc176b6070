// Times of a generated module's functions in Node.js, for docs/javascript.md:
//
//   rbd generate --target js robots/iiwa14.urdf -o web
//   node tools/js_speed.mjs web/iiwa14.js rnea aba aba_derivatives
//
// Prints the least time of a call among batches of a thousand, of the first call, and the mean of the first thousand.
import { pathToFileURL } from "node:url";

const [file, ...functions] = process.argv.slice(2);
const robot = await import(pathToFileURL(file));

for (const name of functions) {
  const call = robot[name], q = robot.neutral();
  for (const { kind, idx_q, nq } of robot.JOINTS) if (nq === 1) q[idx_q] = kind === "prismatic" ? 0.1 : 0.3 + 0.1 * idx_q;
  const vector = () => Float64Array.from({ length: robot.NV }, (_, i) => 0.2 - 0.03 * i);
  // Arguments by their names, without the result.
  const names = String(call).match(/\((.*?)(, \w+ =|\))/s)[1].split(", ");
  const argument = { q: () => q, fext: () => new Float64Array(6 * robot.NB), dt: () => 1e-3 };
  const given = names.map((name) => (argument[name] ?? vector)());
  const begin = process.hrtime.bigint(), out = call(...given);
  const first = Number(process.hrtime.bigint() - begin) / 1e3;
  let least = Infinity, mean = 0;
  // At most 200 batches, and ten seconds.
  for (let batch = 0; batch < 200 && Number(process.hrtime.bigint() - begin) < 1e10; batch++) {
    const start = process.hrtime.bigint();
    for (let i = 0; i < 1000; i++) {
      // Another state each time.
      q[q.length - 1] += 1e-9;
      call(...given, out);
    }
    const time = Number(process.hrtime.bigint() - start) / 1e6;
    if (batch === 0) mean = time;
    least = Math.min(least, time);
  }
  console.log(`${robot.NAME} ${name}: ${least.toFixed(3)} us, first call ${first.toFixed(0)} us, first thousand ${mean.toFixed(1)} us`);
}
