// Uses marks, keys and controls, and writes a report into the page.
window.addEventListener("error", (event) => { window.failed ??= event.message; });
setTimeout(() => {
  const report = { error: window.failed ?? null };
  try {
    const { data, state, view, signs, picture, advance } = window.rbd;
    const find = (id) => document.getElementById(id), canvas = find("scene");
    report.signs = [...document.querySelectorAll("#marks button")].map((sign) => sign.title);
    // Every control has a name for screen readers.
    const controls = [...document.querySelectorAll("aside input, aside button, aside select")];
    const name = (control) => control.getAttribute("aria-label") || control.labels?.[0]?.textContent.trim() || control.textContent.trim();
    report.unnamed = controls.filter((control) => !name(control)).map((control) => control.outerHTML);
    const slider = document.querySelector("#joints input");
    slider.value = -Math.PI / 2;
    slider.dispatchEvent(new Event("input"));
    report.valueText = slider.getAttribute("aria-valuetext");
    const large = data.findings.findIndex(({ subject }) => subject === "link `large`");
    if (large >= 0) report.place = signs.place(data.findings[large].mark);
    const orange = () => picture().solids.filter(({ color: [r, g, b] }) => r > 0.9 && g > 0.5 && g < 0.6 && b < 0.2).length;
    report.orange = orange();
    find("show-findings").click();
    report.orangeWithout = orange();
    const show = document.querySelector("#findings button");
    show?.click();
    report.shown = find("show-findings").checked && find("status").textContent.length > 0;
    // Keys, with the picture in focus.
    canvas.focus();
    const key = (name, more = {}) => canvas.dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true, ...more }));
    const { azimuth, distance } = view, { target } = view;
    key("ArrowLeft");
    key("ArrowUp", { shiftKey: true });
    report.turned = document.activeElement === canvas && view.azimuth !== azimuth && view.target !== target;
    key("+");
    report.zoomed = view.distance < distance;
    const isPlaying = () => find("play").getAttribute("aria-pressed") === "true";
    key(" ");
    report.played = isPlaying();
    key(" ");
    report.paused = !isPlaying();
    key("r");
    report.reset = state.q.every((x) => x === 0);
    // A push without a mouse, which ends by itself.
    find("push-way").value = 2;
    find("push-go").click();
    advance(0.1);
    const during = state.pull !== null, v = Math.max(...state.v.map(Math.abs));
    report.pushed = during && v > 1e-3;
    advance(0.15);
    report.ended = state.pull === null;
    const rgb = (text) => text.match(/\d+/g).slice(0, 3).map(Number);
    report.background = rgb(getComputedStyle(document.body).backgroundColor);
    const copy = document.createElement("canvas");
    [copy.width, copy.height] = [canvas.width, canvas.height];
    const pen = copy.getContext("2d");
    pen.drawImage(canvas, 0, 0);
    report.corner = [...pen.getImageData(2, 2, 1, 1).data].slice(0, 3);
  } catch (error) {
    report.error = String(error.stack ?? error);
  }
  const shown = document.createElement("pre");
  shown.id = "report";
  shown.textContent = JSON.stringify(report);
  document.body.append(shown);
}, 500);
