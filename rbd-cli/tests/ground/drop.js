// Lets a robot fall onto the ground from a height, and tells how it falls and lies. It needs no browser.
//
// `state` is that of the page. The robot falls for so many steps of a millisecond, and lies for as many again.
function drop(state, height, damping, steps) {
  const lifted = Float64Array.from(state.q);
  lifted[2] += height;
  state.take(lifted);
  [state.damping, state.held, state.grounded] = [damping, false, true];
  const energy = () => state.energies().reduce((a, b) => a + b);
  const told = { deepest: 0, gained: 0, finite: true, begin: energy() };
  const fall = () => {
    for (let k = 0; k < steps; k++) {
      const before = energy();
      told.finite &&= state.step();
      told.deepest = Math.max(told.deepest, ...state.ground.heights().map((x) => -x));
      told.gained = Math.max(told.gained, energy() - before);
    }
  };
  fall();
  const center = Array.from(state.center());
  fall();
  told.drift = Math.max(...Array.from(state.center(), (x, i) => Math.abs(x - center[i])));
  told.speed = Math.max(...state.v.map(Math.abs));
  told.lost = told.begin - energy();
  told.force = state.ground.touching.reduce((sum, { force }) => sum.map((x, i) => x + force[i]), [0, 0, 0]);
  told.cones = state.ground.touching.every(({ force: [x, y, z] }) => Math.hypot(x, y) <= state.ground.friction * z * (1 + 1e-9));
  told.touching = state.ground.touching.length;
  told.residual = state.ground.report?.residual ?? null;
  return told;
}
