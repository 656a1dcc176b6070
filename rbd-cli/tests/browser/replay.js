// Replays a recording by its slider and by Play, and writes where the bodies are drawn into the page.
window.addEventListener("error", (event) => { window.failed ??= event.message; });
setTimeout(() => {
  const report = { error: window.failed ?? null, drawn: [], times: [] };
  try {
    const { robot, state, advance } = window.rbd, slider = document.getElementById("time");
    const note = () => {
      report.times.push(state.time);
      report.drawn.push(robot.JOINTS.flatMap((_, k) => Array.from(state.pose(k).slice(12, 15))));
    };
    report.visible = slider.offsetParent !== null;
    // The camera looks at the recording's first place.
    report.seen = Math.hypot(...window.rbd.view.target.map((x, i) => x - state.center()[i]));
    report.range = [slider.min, slider.max].map(Number);
    for (const time of [0.5, 1, 1.25]) {
      slider.value = time;
      slider.dispatchEvent(new Event("input"));
      note();
    }
    // Play goes on to the end, and begins anew from there.
    document.getElementById("play").click();
    for (let k = 0; k < 20; k++) advance(0.05);
    note();
    report.label = document.getElementById("play").textContent;
    document.getElementById("play").click();
    note();
  } catch (error) {
    report.error = String(error.stack ?? error);
  }
  const shown = document.createElement("pre");
  shown.id = "report";
  shown.textContent = JSON.stringify(report);
  document.body.append(shown);
}, 500);
