// The page: what is shown, its controls, and the clock.

const data = JSON.parse(document.getElementById("robot").textContent);
const find = (id) => document.getElementById(id);
const state = simulation(data), canvas = find("scene"), drawing = renderer(canvas), content = scene(data, state);
const view = camera(data.center, 2.6 * data.size);
state.stiffness = (4 * 9.81 * data.mass) / data.size;
const shown = {}, run = { playing: false, last: null, recorded: 0, dynamics: 0, simulated: 0, chosen: null };
const signs = marks(data.findings, canvas, state, choose);

// An element with attributes and children, which are text unless they are elements.
function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

// Turns the view to the place of a finding.
function choose(k) {
  run.chosen = k;
  view.target = signs.place(data.findings[k].mark);
  find("show-findings").checked = shown.findings = true;
  say(`${data.findings[k].subject}: ${data.findings[k].what}`);
  draw();
}

function say(text) {
  find("status").textContent = text;
}

function play(playing) {
  run.playing = playing;
  run.last = null;
  find("play").textContent = playing ? "Pause" : "Play";
  find("play").setAttribute("aria-pressed", String(playing));
  say(playing ? "moving" : "paused");
}

function reset() {
  state.reset();
  run.recorded = 0;
  play(false);
  update();
}

// Checkboxes of what is drawn.
function toggles() {
  const has = (collision) => data.solids.some((solid) => solid.collision === collision);
  const all = [
    ["visual", "visual", has(false), has(false)],
    ["collision", "collision", has(true) && !has(false), has(true)],
    ["skeleton", "skeleton", !has(false) && !has(true), true],
    ["inertia", "inertia", !has(false) && !has(true), true],
    ["findings", "findings", signs.count > 0, signs.count > 0],
    ["frames", "frames", false, true],
    ["center", "centre of mass", false, true],
    ["gravity", "gravity torques", false, true],
    ["forces", "ground's forces", false, state.floats && !data.trajectory],
    ["grid", "grid", true, true],
  ];
  for (const [name, label, on, possible] of all) {
    const box = element("input", { type: "checkbox", id: `show-${name}` });
    [box.checked, box.disabled, shown[name]] = [on, !possible, on];
    box.addEventListener("change", () => { shown[name] = box.checked; draw(); });
    find("shown").append(element("label", {}, box, ` ${label}`));
  }
}

// A slider for each joint of one coordinate.
function sliders() {
  const rows = [];
  robot.JOINTS.forEach((joint, k) => {
    const finding = data.findings.find(({ mark }) => mark?.body === k);
    const name = element("span", { class: finding ? "name marked" : "name" }, finding ? `\u26a0 ${joint.name}` : joint.name);
    if (finding) name.title = `${finding.subject}: ${finding.what}`;
    const now = element("output"), head = element("div", { class: "head" }, name, now);
    const row = element("div", { class: "joint" }, head);
    find("joints").append(row);
    if (joint.nv !== 1) {
      now.textContent = joint.mimic ? `follows ${robot.JOINTS[joint.mimic.joint].name}` : "free";
      return;
    }
    const [lower, upper] = range(joint);
    const slider = element("input", { type: "range", min: lower, max: upper, step: "any", "aria-label": `position of ${joint.name}` });
    slider.addEventListener("input", () => {
      state.set(joint, Number(slider.value));
      update();
      slider.setAttribute("aria-valuetext", now.textContent);
    });
    row.append(slider);
    rows.push({ joint, slider, now });
  });
  return rows;
}

// The limits of a slider: those of the joint, or a turn, or a metre.
function range({ kind, lower, upper }) {
  const wide = kind === "prismatic" ? 1 : Math.PI;
  const bounded = lower < upper && kind !== "continuous";
  return [bounded && Number.isFinite(lower) ? lower : -wide, bounded && Number.isFinite(upper) ? upper : wide];
}

function list(id, items) {
  if (items.length === 0) return;
  find(id).hidden = false;
  find(id).querySelector("ul").append(...items);
}

// A line of the list of findings, with a button to its place in the picture.
function finding({ severity, code, subject, what, help, mark }, k) {
  const line = element("li", {}, `${severity} ${code}: ${subject ? `${subject}: ` : ""}${what}${help ? ` (${help})` : ""}`);
  if (mark) {
    const go = element("button", { type: "button", "aria-label": `show ${subject} in the picture` }, "show");
    go.addEventListener("click", () => choose(k));
    line.append(go);
  }
  return line;
}

// Pushes a link for a fifth of a second: the mouse's pull, without a mouse.
function pushes() {
  const ways = [["up", [0, 0, 1]], ["down", [0, 0, -1]], ["x", [1, 0, 0]], ["-x", [-1, 0, 0]], ["y", [0, 1, 0]], ["-y", [0, -1, 0]]];
  find("push").hidden = Boolean(data.trajectory);
  find("push-link").append(...data.links.map((link, k) => element("option", { value: k }, link)));
  find("push-link").value = data.links.length - 1;
  find("push-way").append(...ways.map(([name], k) => element("option", { value: k }, name)));
  find("push-go").addEventListener("click", () => {
    const body = Number(find("push-link").value), point = [0, 0, 0], at = origin(state.pose(body));
    state.pull = { body, point, target: add(at, scale(ways[find("push-way").value][1], 0.5 * data.size)), until: state.time + 0.2 };
    play(true);
    say(`pushing ${data.links[body]}`);
  });
}

// Numbers of the state, row by row.
function numbers() {
  const rows = ["time, s", "kinetic energy, J", "potential energy, J", "total energy, J", "centre of mass, m", "dynamics, share of the time"];
  const cells = rows.map((name) => {
    const cell = element("td");
    find("numbers").tBodies[0].append(element("tr", {}, element("th", { scope: "row" }, name), cell));
    return cell;
  });
  return () => {
    const [kinetic, potential] = state.energies();
    const texts = [
      state.time.toFixed(2),
      kinetic.toFixed(3),
      potential.toFixed(3),
      (kinetic + potential).toFixed(3),
      Array.from(state.center(), (x) => x.toFixed(3)).join(" "),
      run.simulated ? `${(run.dynamics / (10 * run.simulated)).toFixed(1)} %` : "",
    ];
    cells.forEach((cell, k) => { cell.textContent = texts[k]; });
  };
}

// Colors of the page, as the scheme has them.
function theme() {
  const color = (name) => {
    const [, r, g, b] = /#(..)(..)(..)/.exec(getComputedStyle(document.documentElement).getPropertyValue(name)) ?? [];
    return [r, g, b].map((part) => parseInt(part ?? "80", 16) / 255);
  };
  return { background: color("--back"), line: [...color("--line"), 1] };
}

let colors = theme();
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { colors = theme(); draw(); });

function draw() {
  if (!drawing) return;
  const matrices = view.matrices(canvas.clientWidth / Math.max(1, canvas.clientHeight));
  drawing.draw({ ...content.picture(shown, colors.line), camera: matrices, background: colors.background });
  signs.show(shown.findings, matrices.toScreen, run.chosen);
}

// Shows the state, in the picture and in all controls.
function update() {
  for (const { joint, slider, now } of rows) {
    const position = state.q[joint.idx_q];
    slider.value = position;
    now.textContent = joint.kind === "prismatic" ? `${position.toFixed(3)} m` : `${position.toFixed(3)} rad`;
  }
  showNumbers();
  draw();
}

// Takes the configuration of a recording at a time.
function replay(time) {
  const { times, configurations } = data.trajectory;
  let k = times.findIndex((t) => t > time);
  if (k < 0) k = times.length;
  const at = Math.max(0, k - 1), next = Math.min(k, times.length - 1), span = times[next] - times[at];
  const share = span > 0 ? Math.min(1, Math.max(0, (time - times[at]) / span)) : 0;
  state.take(robot.interpolate(configurations[at], configurations[next], share));
  state.time = run.recorded = time;
  find("time").value = time;
  find("time-now").textContent = `${time.toFixed(2)} s`;
}

// Moves by so many seconds.
function advance(seconds) {
  if (data.trajectory) {
    const { times } = data.trajectory, end = times[times.length - 1];
    replay(Math.min(end, run.recorded + seconds));
    if (run.recorded >= end) play(false);
    return;
  }
  const begin = performance.now();
  for (let k = Math.round(seconds / STEP); k > 0; k--) {
    if (!state.step()) {
      reset();
      say("the motion grew without bounds, and was reset");
      return;
    }
    if (state.pull?.until <= state.time) state.pull = null;
  }
  run.dynamics += performance.now() - begin;
  run.simulated += seconds;
}

function frame(now) {
  if (run.playing) {
    if (run.last !== null) advance(Math.min(0.05, (now - run.last) / 1000));
    run.last = now;
    update();
  }
  requestAnimationFrame(frame);
}

// The place of the mouse, from -1 to 1, and the ray through it.
function ray(event) {
  const box = canvas.getBoundingClientRect(), aspect = box.width / box.height;
  const [x, y] = [(2 * (event.clientX - box.left)) / box.width - 1, 1 - (2 * (event.clientY - box.top)) / box.height];
  return { from: view.eye(), along: view.along(x, y, aspect) };
}

// The point of a ray in the plane through a point that faces the camera.
function inPlane({ from, along }, at) {
  const facing = unit(subtract(view.target, from));
  return add(from, scale(along, dot(subtract(at, from), facing) / dot(along, facing)));
}

function pointers() {
  let drag = null;
  canvas.addEventListener("pointerdown", (event) => {
    // A program's events have no pointer.
    if (event.isTrusted) canvas.setPointerCapture(event.pointerId);
    drag = { x: event.clientX, y: event.clientY, moves: event.button === 2 || event.shiftKey };
    const at = ray(event);
    const found = drag.moves || data.trajectory ? null : content.pick(content.picture(shown, colors.line).solids, at.from, at.along);
    if (found && found.body >= 0) {
      drag.at = found.at;
      state.pull = { body: found.body, point: found.point, target: found.at };
      play(true);
      say(`pulling ${data.links[found.body]}`);
    }
  });
  canvas.addEventListener("pointermove", (event) => {
    if (!drag) return;
    const [x, y] = [event.clientX - drag.x, event.clientY - drag.y];
    [drag.x, drag.y] = [event.clientX, event.clientY];
    if (state.pull) state.pull.target = inPlane(ray(event), drag.at);
    else if (drag.moves) view.move(x / canvas.clientHeight, y / canvas.clientHeight);
    else view.turn(0.008 * x, 0.008 * y);
    draw();
  });
  const end = () => {
    drag = null;
    state.pull = null;
    draw();
  };
  canvas.addEventListener("pointerup", end);
  canvas.addEventListener("pointercancel", end);
  canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    view.zoom(Math.exp(0.001 * event.deltaY));
    draw();
  }, { passive: false });
}

function keys() {
  const arrows = { ArrowLeft: [1, 0], ArrowRight: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
  canvas.addEventListener("keydown", (event) => {
    const way = arrows[event.key];
    if (way && event.shiftKey) view.move(0.05 * way[0], 0.05 * way[1]);
    else if (way) view.turn(0.1 * way[0], 0.1 * way[1]);
    else if (event.key === "+" || event.key === "=") view.zoom(0.9);
    else if (event.key === "-") view.zoom(1 / 0.9);
    else if (event.key === " ") play(!run.playing);
    else if (event.key.toLowerCase() === "r") reset();
    else return;
    event.preventDefault();
    draw();
  });
}

find("name").textContent = document.title = data.name || "robot";
find("about").textContent = `${robot.NB} moving bodies, ${robot.NV} degrees of freedom, ${data.mass.toPrecision(4)} kg that move`;
toggles();
const rows = sliders(), showNumbers = numbers();
list("findings", data.findings.map(finding));
list("left-out", data.leftOut.map((text) => element("li", {}, text)));
canvas.setAttribute("aria-label", `${data.name || "robot"}, ${find("about").textContent}`);
pushes();
find("play").addEventListener("click", () => {
  if (data.trajectory && run.recorded >= data.trajectory.times.at(-1)) replay(data.trajectory.times[0]);
  play(!run.playing);
});
find("rest").addEventListener("click", () => { state.rest(); update(); });
find("reset").addEventListener("click", reset);
find("damping").addEventListener("input", () => {
  state.damping = Number(find("damping").value);
  find("damping-now").textContent = state.damping.toFixed(1);
});
find("damping-now").textContent = state.damping.toFixed(1);
for (const id of ["held-label", "grounded-label", "friction-label"]) find(id).hidden = !state.floats || Boolean(data.trajectory);
find("held").addEventListener("change", () => { state.held = find("held").checked; });
find("grounded").addEventListener("change", () => { state.grounded = find("grounded").checked; });
find("friction").addEventListener("input", () => {
  if (state.ground) state.ground.friction = Number(find("friction").value);
  find("friction-now").textContent = Number(find("friction").value).toFixed(2);
});
find("friction").dispatchEvent(new Event("input"));
if (data.trajectory) {
  const { times } = data.trajectory, time = find("time");
  find("time-label").hidden = false;
  find("damping").parentElement.hidden = true;
  [time.min, time.max] = [times[0], times.at(-1)];
  time.addEventListener("input", () => { play(false); replay(Number(time.value)); update(); });
  const before = state.center();
  replay(times[0]);
  view.target = add(view.target, subtract(state.center(), before));
}
pointers();
keys();
new ResizeObserver(draw).observe(canvas);
if (!drawing) say("This browser has no WebGL 2: there is no picture.");
update();
requestAnimationFrame(frame);
// For the console, and for tests.
window.rbd = { robot, data, state, view, signs, advance, update, draw, picture: () => content.picture(shown, colors.line) };
