//! Dynamics under contacts of compiled robots beside those of `rbd-jit`, in one run: ns a state, and ratios.
//!
//!     cargo bench --manifest-path benches/run_time/Cargo.toml --bench contacts
//!
//! HyQ stands on four feet, as points. Sides take turns of 64 states. The least time of many turns counts.

use nalgebra::SVector;
use rbd::contact::ContactDynamicsDerivatives;
use rbd::{ContactAxes, ContactSettings};
use rbd_jit::{Base, Robot};
use rbd_runtime::random::random_state;
use std::hint::black_box;
use std::time::{Duration, Instant};

rbd::rbd_robot! { pub struct Hyq { urdf: "../../robots/hyq.urdf", base: floating, functions: [aba],
contacts: ["lf_foot", "rf_foot", "lh_foot", "rh_foot"] } }

const STATES: u64 = 64;
const NV: usize = Hyq::NV;
const NR: usize = Hyq::CONTACT_ROWS;
const ACTIVE: [bool; 4] = [true; 4];

/// Calls for all states, once.
type Run<'a> = &'a mut dyn FnMut();

/// Prints the least time of each side for a state.
fn race(name: &str, mut sides: [Run<'_>; 2]) {
    let (mut least, begin) = ([f64::INFINITY; 2], Instant::now());
    while begin.elapsed() < Duration::from_millis(1200) {
        for (run, least) in sides.iter_mut().zip(&mut least) {
            // Once for the caches.
            run();
            let now = Instant::now();
            run();
            *least = least.min(now.elapsed().as_nanos() as f64 / STATES as f64);
        }
    }
    println!("| `{name}` | {:.0} | {:.0}, {:.2} |", least[0], least[1], least[1] / least[0]);
}

fn main() {
    let urdf = concat!(env!("CARGO_MANIFEST_DIR"), "/../../robots/hyq.urdf");
    let feet = ["lf_foot", "rf_foot", "lh_foot", "rh_foot"];
    let loaded = Robot::from_urdf(urdf).base(Base::Floating).functions(["aba"]).contacts(feet).load();
    let loaded = loaded.expect("it loads");
    let work = &mut loaded.workspace();
    let states: Vec<_> = (0..STATES).map(|k| random_state(loaded.model(), k)).collect();
    let typed: Vec<_> = states
        .iter()
        .map(|s| {
            let vector = |x: &[f64]| SVector::<f64, NV>::from_column_slice(x);
            (
                SVector::<f64, { Hyq::NQ }>::from_column_slice(s.q.as_slice()),
                vector(s.v.as_slice()),
                vector(s.a.as_slice()),
            )
        })
        .collect();
    let slices: Vec<_> = states.iter().map(|s| (s.q.as_slice(), s.v.as_slice(), s.a.as_slice())).collect();
    let (settings, held) = (ContactSettings::default(), rbd_jit::ContactSettings::default());
    let mut first: [Vec<f64>; 3] = [vec![0.0; NV], vec![0.0; NR], vec![0.0; NR]];
    let mut by = [(); 3].map(|()| vec![0.0; NV * NV]);
    let mut forces_by = [(); 3].map(|()| vec![0.0; NR * NV]);
    println!("| HyQ on four feet, ns a state | compiled | {:?}, ratio |\n|---|---:|---:|", loaded.engine());
    race(
        "contact_jacobian",
        [
            &mut || {
                typed.iter().for_each(|(q, ..)| {
                    black_box(Hyq::contact_jacobian(black_box(q), &ACTIVE));
                })
            },
            &mut || {
                for (q, ..) in &slices {
                    let out = black_box(&mut forces_by[0]);
                    loaded
                        .contact_jacobian(work, black_box(q), &ACTIVE, ContactAxes::Local, out)
                        .expect("it fits");
                }
            },
        ],
    );
    race(
        "contact_dynamics",
        [
            &mut || {
                typed.iter().for_each(|(q, v, tau)| {
                    black_box(Hyq::contact_dynamics(black_box(q), v, tau, &ACTIVE, &settings));
                })
            },
            &mut || {
                for (q, v, tau) in &slices {
                    let [ddq, forces, residual] = black_box(&mut first);
                    loaded
                        .contact_dynamics(work, black_box(q), v, tau, &ACTIVE, &held, ddq, forces, residual)
                        .expect("it fits");
                }
            },
        ],
    );
    let mut out = ContactDynamicsDerivatives::zeros();
    race(
        "contact_dynamics_derivatives",
        [
            &mut || {
                for (q, v, tau) in &typed {
                    Hyq::contact_dynamics_derivatives_into(
                        black_box(q),
                        v,
                        tau,
                        &ACTIVE,
                        &settings,
                        black_box(&mut out),
                    );
                }
            },
            &mut || {
                for (q, v, tau) in &slices {
                    let [first, by, forces_by] = [black_box(&mut first), &mut by, &mut forces_by]
                        .map(|x| x.each_mut().map(|x| &mut x[..]));
                    loaded
                        .contact_dynamics_derivatives(
                            work,
                            black_box(q),
                            v,
                            tau,
                            &ACTIVE,
                            &held,
                            first,
                            by,
                            forces_by,
                        )
                        .expect("it fits");
                }
            },
        ],
    );
}
