//! How well a simulation keeps energy: writes `docs/energy.svg`.
//!
//! `cargo run --release --example energy`. A double pendulum swings freely. Runge and Kutta's method of fourth
//! order loses sixteen times less for half the step; the first-order method that moves positions by the new
//! velocities errs much more. Accelerations are generated code, energies the generic reference's.

use nalgebra::SVector;
use rbd::reference::{Data, kinetic_energy, potential_energy};
use rbd::{Dynamics, Model};
use std::fmt::Write;

rbd::rbd_robot!("robots/double_pendulum.urdf");

const SECONDS: f64 = 5.0;
type Vector<const N: usize> = SVector<f64, N>;

/// One step of Runge and Kutta's method, for robots whose configurations are a vector space.
fn runge_kutta<R: Dynamics<N, N>, const N: usize>(
    q: &Vector<N>,
    v: &Vector<N>,
    h: f64,
) -> (Vector<N>, Vector<N>) {
    let a = |q: &Vector<N>, v: &Vector<N>| R::aba(q, v, &Vector::zeros());
    let a1 = a(q, v);
    let (q2, v2) = (q + v * (h / 2.0), v + a1 * (h / 2.0));
    let a2 = a(&q2, &v2);
    let (q3, v3) = (q + v2 * (h / 2.0), v + a2 * (h / 2.0));
    let a3 = a(&q3, &v3);
    let (q4, v4) = (q + v3 * h, v + a3 * h);
    let a4 = a(&q4, &v4);
    (q + (v + v2 * 2.0 + v3 * 2.0 + v4) * (h / 6.0), v + (a1 + a2 * 2.0 + a3 * 2.0 + a4) * (h / 6.0))
}

/// Velocities first, then positions by the new ones.
fn symplectic_euler<R: Dynamics<N, N>, const N: usize>(
    q: &Vector<N>,
    v: &Vector<N>,
    h: f64,
) -> (Vector<N>, Vector<N>) {
    let v = v + R::aba(q, v, &Vector::zeros()) * h;
    (R::integrate(q, &(v * h)), v)
}

/// The largest error of the energy so far, over the largest kinetic energy, at a hundred times.
fn errors(
    h: f64,
    step: fn(&Vector<2>, &Vector<2>, f64) -> (Vector<2>, Vector<2>),
    model: &Model<f64>,
) -> Vec<(f64, f64)> {
    let mut data = Data::new(model);
    let mut energy = |q: &Vector<2>, v: &Vector<2>| {
        let kinetic = kinetic_energy(model, &mut data, q.as_slice(), v.as_slice());
        (kinetic, kinetic + potential_energy(model, &mut data, q.as_slice()))
    };
    let (mut q, mut v) = (Vector::from([0.9, 0.4]), Vector::from([0.0, 0.5]));
    let before = energy(&q, &v).1;
    let (mut largest, mut error) = (0.0_f64, 0.0_f64);
    let steps = (SECONDS / h).round() as usize;
    let mut curve = Vec::new();
    for k in 1..=steps {
        (q, v) = step(&q, &v, h);
        let (kinetic, total) = energy(&q, &v);
        largest = largest.max(kinetic);
        error = error.max((total - before).abs());
        if k % (steps / 100) == 0 {
            curve.push((k as f64 * h, error / largest));
        }
    }
    curve
}

fn main() -> std::io::Result<()> {
    let model = DoublePendulum::model::<f64>();
    let rk4 = runge_kutta::<DoublePendulum, 2>;
    let curves = [
        ("Euler 1 ms", "#888", errors(1e-3, symplectic_euler::<DoublePendulum, 2>, &model)),
        ("RK4 4 ms", "#b2182b", errors(4e-3, rk4, &model)),
        ("RK4 2 ms", "#d9862b", errors(2e-3, rk4, &model)),
        ("RK4 1 ms", "#2166ac", errors(1e-3, rk4, &model)),
    ];
    std::fs::create_dir_all("docs")?;
    std::fs::write("docs/energy.svg", plot(&curves))
}

/// Curves over a logarithmic axis from 1e-12 to 1.
fn plot(curves: &[(&str, &str, Curve)]) -> String {
    let (width, height, left, top) = (560.0, 300.0, 60.0, 20.0);
    let x = |t: f64| left + width * t / SECONDS;
    let y = |error: f64| top - height * error.max(1e-12).log10() / 12.0;
    let mut svg = String::from(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 720 370\" font-family=\"sans-serif\" \
         font-size=\"12\">\n<rect width=\"720\" height=\"370\" fill=\"#fff\"/>\n",
    );
    for power in (0..=12).step_by(2) {
        let y = y(10.0_f64.powi(-power));
        let _ = writeln!(
            svg,
            "<path d=\"M{left} {y:.1}h{width}\" stroke=\"#ddd\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">1e-{power}</text>",
            left - 6.0,
            y + 4.0
        );
    }
    for second in 0..=SECONDS as usize {
        let x = x(second as f64);
        let _ = writeln!(svg, "<text x=\"{x:.1}\" y=\"336\" text-anchor=\"middle\">{second} s</text>");
    }
    for (name, colour, curve) in curves {
        let points: Vec<String> = curve.iter().map(|(t, e)| format!("{:.1},{:.1}", x(*t), y(*e))).collect();
        let end = curve.last().map_or(top, |(_, e)| y(*e));
        let _ = writeln!(
            svg,
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.5\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" fill=\"{colour}\">{name}</text>",
            points.join(" "),
            left + width + 6.0,
            end + 4.0
        );
    }
    svg + "<text x=\"340\" y=\"360\" text-anchor=\"middle\">Largest error of a free double pendulum's energy, \
           relative to its kinetic energy</text>\n</svg>\n"
}

/// Points of time and energy.
type Curve = Vec<(f64, f64)>;
