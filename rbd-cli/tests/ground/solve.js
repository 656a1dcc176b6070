// Solves problems of contacts with friction, which the file `given.json` lists.
const solve = frictionSolver({ target: 1e-12, sweeps: 20, newton: 30, enough: 1e-12 });
console.log(JSON.stringify(given.map(({ starts, friction, compliance, delassus, free, begin }) => {
  const impulses = Float64Array.from(begin), report = solve({ starts, friction, compliance, delassus, free }, impulses);
  return { impulses: Array.from(impulses), ...report };
})));
