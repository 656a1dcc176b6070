// Uses the page as a person would, and writes a report into it.
window.addEventListener("error", (event) => { window.failed ??= event.message; });
setTimeout(() => {
  const report = { error: window.failed ?? null, title: document.title, images: document.images.length };
  try {
    const { robot, state, advance, picture, view } = window.rbd;
    const canvas = document.getElementById("scene"), sliders = [...document.querySelectorAll("#joints input")];
    const damping = document.getElementById("damping");
    report.findings = document.querySelectorAll("#findings li").length;
    report.leftOut = document.querySelectorAll("#left-out li").length;
    report.sliders = sliders.length;
    // A pixel counts if it has another color than the corner.
    document.getElementById("show-grid").click();
    document.getElementById("show-skeleton").checked || document.getElementById("show-skeleton").click();
    const copy = document.createElement("canvas");
    [copy.width, copy.height] = [canvas.width, canvas.height];
    const pen = copy.getContext("2d");
    pen.drawImage(canvas, 0, 0);
    const shown = pen.getImageData(0, 0, copy.width, copy.height).data;
    report.pixels = 0;
    for (let i = 4; i < shown.length; i += 4) report.pixels += Math.abs(shown[i] - shown[0]) + Math.abs(shown[i + 1] - shown[1]) > 24;
    // Sliders, each to a quarter of its range.
    for (const slider of sliders) {
      slider.value = 0.75 * Number(slider.min) + 0.25 * Number(slider.max);
      slider.dispatchEvent(new Event("input"));
    }
    report.q = Array.from(state.q);
    report.drawn = robot.JOINTS.flatMap((_, k) => Array.from(state.pose(k).slice(12, 15)));
    // Swings for a tenth of a second without damping, and without ground.
    damping.value = 0;
    damping.dispatchEvent(new Event("input"));
    document.getElementById("grounded").click();
    state.rest();
    const energy = () => state.energies().reduce((a, b) => a + b), before = energy();
    // A joint that is stopped by its limit loses energy.
    report.stopped = false;
    for (let k = 0; k < 100; k++) {
      advance(0.001);
      report.stopped ||= state.owners.some(({ idx_q: i, lower, upper }) => lower < upper && (state.q[i] <= lower || state.q[i] >= upper));
    }
    report.drift = energy() - before;
    report.exchanged = state.energies()[0];
    // Pulls the first body that the mouse meets.
    document.getElementById("reset").click();
    const box = canvas.getBoundingClientRect();
    const send = (type, x, y) => canvas.dispatchEvent(new PointerEvent(type, { clientX: x, clientY: y, bubbles: true }));
    const status = () => document.getElementById("status").textContent;
    search: for (let i = 1; i < 40; i++) {
      for (let j = 1; j < 40; j++) {
        const [x, y] = [box.left + (i * box.width) / 40, box.top + (j * box.height) / 40];
        send("pointerdown", x, y);
        if (status().startsWith("pulling ")) {
          report.pulled = status();
          send("pointermove", x + 60, y - 40);
          break search;
        }
        send("pointerup", x, y);
      }
    }
    const still = Array.from(state.q);
    advance(0.2);
    report.moved = Math.max(...still.map((x, i) => Math.abs(x - state.q[i])));
    send("pointerup", 0, 0);
    // Falls for a second with its base held, and pushes the last link: the lightest one of many.
    document.getElementById("held").checked || document.getElementById("held").click();
    document.getElementById("grounded").click();
    damping.value = 1;
    damping.dispatchEvent(new Event("input"));
    document.getElementById("reset").click();
    const first = energy();
    [report.gained, report.fallen] = [0, 0];
    for (let k = 0; k < 15; k++) {
      advance(0.05);
      report.gained = Math.max(report.gained, energy() - first);
      report.fallen = Math.max(report.fallen, state.energies()[0]);
    }
    document.getElementById("push-go").click();
    for (let k = 0; k < 5; k++) advance(0.05);
    report.time = state.time;
    if (state.floats) report.off = Math.hypot(...state.pose(0).slice(12, 15));
    document.getElementById("reset").click();
  } catch (error) {
    report.error = String(error.stack ?? error);
  }
  const shown = document.createElement("pre");
  shown.id = "report";
  shown.textContent = JSON.stringify(report);
  document.body.append(shown);
}, 500);
