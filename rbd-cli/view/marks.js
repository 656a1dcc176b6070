// Signs over the picture, where findings are.

// Keeps a sign at the place of each finding. The list beside the picture says the same to screen readers.
function marks(findings, canvas, state, choose) {
  const layer = document.getElementById("marks");
  const signs = findings.flatMap((finding, k) => {
    if (!finding.mark) return [];
    const sign = document.createElement("button");
    sign.textContent = "\u26a0";
    sign.title = `${finding.subject}: ${finding.what}`;
    sign.tabIndex = -1;
    sign.addEventListener("click", () => choose(k));
    layer.append(sign);
    return [{ k, mark: finding.mark, sign }];
  });

  const place = ({ body, point }) => transform(state.pose(body), point);

  // Moves the signs to where a camera sees their places.
  function show(visible, toScreen, chosen) {
    layer.hidden = !visible;
    if (!visible) return;
    for (const { k, mark, sign } of signs) {
      const p = place(mark), [x, y, , w] = [0, 1, 2, 3].map((r) => toScreen[r] * p[0] + toScreen[4 + r] * p[1] + toScreen[8 + r] * p[2] + toScreen[12 + r]);
      sign.hidden = w <= 0;
      sign.style.left = `${(0.5 + (0.5 * x) / w) * canvas.clientWidth}px`;
      sign.style.top = `${(0.5 - (0.5 * y) / w) * canvas.clientHeight}px`;
      sign.classList.toggle("chosen", k === chosen);
    }
  }

  return { show, place, count: signs.length };
}
