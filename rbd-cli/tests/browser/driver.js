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
    // Swings for a tenth of a second without damping.
    damping.value = 0;
    damping.dispatchEvent(new Event("input"));
    document.getElementById("held").click();
    state.rest();
    const energy = () => state.energies().reduce((a, b) => a + b), before = energy();
    advance(0.1);
    report.drift = Math.abs(energy() - before);
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
  } catch (error) {
    report.error = String(error.stack ?? error);
  }
  const shown = document.createElement("pre");
  shown.id = "report";
  shown.textContent = JSON.stringify(report);
  document.body.append(shown);
}, 500);
