
// Lets the page's robot fall, with its controls, and writes a report into the page.
window.addEventListener("error", (event) => { window.failed ??= event.message; });
setTimeout(() => {
  let report = { error: window.failed ?? null };
  try {
    const { data, state, advance, picture, update } = window.rbd, box = (id) => document.getElementById(id);
    const green = () => picture().solids.filter(({ color: [r, g, b] }) => g === 0.6 && r === 0.15 && b === 0.25).length;
    const none = green();
    report = { ...report, ...drop(state, 0.3, 2, 4000), weight: 9.81 * data.mass };
    box("show-forces").click();
    update();
    report.arrows = green() - none;
    box("grounded").click();
    const before = state.center()[2];
    for (let k = 0; k < 4; k++) advance(0.05);
    report.fallen = before - state.center()[2];
  } catch (error) {
    report.error = String(error.stack ?? error);
  }
  const shown = document.createElement("pre");
  shown.id = "report";
  shown.textContent = JSON.stringify(report);
  document.body.append(shown);
}, 500);
