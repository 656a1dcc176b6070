// A camera that turns about a point.

const ANGLE = 0.7;

function camera(target, distance) {
  const view = { target, distance, azimuth: -0.9, elevation: 0.35 };

  view.eye = () => {
    const { azimuth, elevation } = view, c = Math.cos(elevation);
    return add(view.target, scale([c * Math.cos(azimuth), c * Math.sin(azimuth), Math.sin(elevation)], view.distance));
  };

  view.matrices = (aspect) => {
    const eye = view.eye(), back = lookingAt(eye, view.target, [0, 0, 1]);
    return { eye, back, toScreen: multiply(perspective(ANGLE, aspect, view.distance / 100, view.distance * 100), back) };
  };

  view.turn = (x, y) => {
    view.azimuth -= x;
    view.elevation = Math.max(-1.5, Math.min(1.5, view.elevation + y));
  };

  // Moves by fractions of the picture's height.
  view.move = (x, y) => {
    const { back } = view.matrices(1), n = 2 * view.distance * Math.tan(ANGLE / 2);
    view.target = add(view.target, add(scale([back[0], back[4], back[8]], -x * n), scale([back[1], back[5], back[9]], y * n)));
  };

  view.zoom = (factor) => { view.distance *= factor; };

  // The direction of a point of the picture, from -1 to 1 to the right and upward.
  view.along = (x, y, aspect) => {
    const { back } = view.matrices(aspect), n = Math.tan(ANGLE / 2);
    return unit(turnBack(back, [x * n * aspect, y * n, -1]));
  };

  return view;
}
