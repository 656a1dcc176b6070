//! Curves as a picture: what the examples draw into `docs/`.

use std::fmt::Write;

/// A curve: its name, its colour, its points.
pub type Curve = (&'static str, &'static str, Vec<(f64, f64)>);

/// Axes with curves.
pub struct Panel {
    /// What is shown, with its unit.
    pub title: &'static str,
    /// What is shown.
    pub curves: Vec<Curve>,
}

const WIDTH: f64 = 560.0;
const LEFT: f64 = 64.0;
const HEIGHT: f64 = 150.0;
const APART: f64 = 196.0;

/// The panels one above the other, over one axis.
pub fn svg(below: &str, panels: &[Panel]) -> String {
    let bottom = 30.0 + APART * panels.len() as f64;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 760 {bottom:.0}\" font-family=\"sans-serif\" \
         font-size=\"12\">\n<rect width=\"760\" height=\"{bottom:.0}\" fill=\"#fff\"/>\n"
    );
    let points = |panels: &[Panel]| -> Vec<(f64, f64)> {
        panels.iter().flat_map(|p| &p.curves).flat_map(|c| c.2.iter().copied()).collect()
    };
    let along: Vec<f64> = points(panels).iter().map(|p| p.0).collect();
    let across = Ticks::of(&along);
    for (k, panel) in panels.iter().enumerate() {
        let top = 24.0 + APART * k as f64;
        let all: Vec<f64> = points(std::slice::from_ref(panel)).iter().map(|p| p.1).collect();
        let up = Ticks::of(&all);
        let x = |t: f64| LEFT + WIDTH * across.share(t);
        let y = |value: f64| top + HEIGHT * (1.0 - up.share(value));
        let _ = writeln!(svg, "<text x=\"{LEFT}\" y=\"{:.0}\">{}</text>", top - 8.0, panel.title);
        for tick in up.all() {
            let (y, shown) = (y(tick), up.shown(tick));
            let _ = writeln!(
                svg,
                "<path d=\"M{LEFT} {y:.1}h{WIDTH}\" stroke=\"#ddd\"/>\
                 <text x=\"{:.0}\" y=\"{:.1}\" text-anchor=\"end\">{shown}</text>",
                LEFT - 6.0,
                y + 4.0
            );
        }
        for tick in across.all() {
            let (x, shown) = (x(tick), across.shown(tick));
            let below = top + HEIGHT + 16.0;
            let _ =
                writeln!(svg, "<text x=\"{x:.1}\" y=\"{below:.0}\" text-anchor=\"middle\">{shown}</text>");
        }
        for (line, (name, colour, curve)) in panel.curves.iter().enumerate() {
            let points: Vec<String> = curve.iter().map(|p| format!("{:.1},{:.1}", x(p.0), y(p.1))).collect();
            let _ = writeln!(
                svg,
                "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.5\"/>\
                 <text x=\"{:.0}\" y=\"{:.0}\" fill=\"{colour}\">{name}</text>",
                points.join(" "),
                LEFT + WIDTH + 8.0,
                top + 12.0 + 16.0 * line as f64
            );
        }
    }
    let _ = writeln!(
        svg,
        "<text x=\"{:.0}\" y=\"{:.0}\" text-anchor=\"middle\">{below}</text>\n</svg>",
        LEFT + WIDTH / 2.0,
        bottom - 10.0
    );
    svg
}

/// Round numbers around all that is shown.
struct Ticks {
    first: f64,
    step: f64,
    count: usize,
}

impl Ticks {
    fn of(values: &[f64]) -> Self {
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        let most = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let rough = ((most - least) / 5.0).max(1e-12);
        let power = 10.0_f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|k| k * power).find(|s| *s >= rough);
        let step = step.unwrap_or(10.0 * power);
        let first = (least / step).floor() * step;
        let count = ((most - first) / step).ceil().max(1.0) as usize;
        Self { first, step, count }
    }

    fn share(&self, value: f64) -> f64 {
        (value - self.first) / (self.step * self.count as f64)
    }

    fn all(&self) -> impl Iterator<Item = f64> {
        (0..=self.count).map(|k| self.first + self.step * k as f64)
    }

    fn shown(&self, tick: f64) -> String {
        let digits = (-self.step.log10().floor()).max(0.0) as usize;
        // A zero without a sign.
        format!("{:.digits$}", if tick.abs() < self.step / 2.0 { 0.0 } else { tick })
    }
}
