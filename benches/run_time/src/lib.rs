//! Compiled robots, behind calls that take slices.

use nalgebra::{SMatrix, SVector};
use rbd::{AbaDerivatives, Dynamics, RneaDerivatives, batch};
use std::hint::black_box;

rbd::rbd_robot! { pub struct Iiwa14 { urdf: "../../robots/iiwa14.urdf", functions: [dynamics] } }
rbd::rbd_robot! { pub struct Hyq { urdf: "../../robots/hyq.urdf", base: floating, functions: [dynamics] } }
#[cfg(feature = "g1")]
rbd::rbd_robot! { pub struct G1 { urdf: "../../robots/g1.urdf", base: floating, functions: [dynamics] } }

/// The functions that are raced, in order.
pub const FUNCTIONS: [&str; 6] = ["rnea", "aba", "crba", "minv", "rnea_derivatives", "aba_derivatives"];

/// Calls of a function for all states, once.
pub type Run<'a> = Box<dyn FnMut() + 'a>;

/// A robot that rustc compiled.
pub struct Compiled {
    /// Its name.
    pub name: &'static str,
    /// Its URDF, in the folder of robots.
    pub urdf: &'static str,
    /// Whether its base floats.
    pub is_floating: bool,
    make: fn(&[Vec<f64>; 3], &str) -> [Run<'static>; 3],
}

/// All of them.
pub static ROBOTS: &[Compiled] = &[
    Compiled {
        name: "iiwa14",
        urdf: "iiwa14.urdf",
        is_floating: false,
        make: make::<Iiwa14, { Iiwa14::NQ }, { Iiwa14::NV }>,
    },
    Compiled {
        name: "hyq",
        urdf: "hyq.urdf",
        is_floating: true,
        make: make::<Hyq, { Hyq::NQ }, { Hyq::NV }>,
    },
    #[cfg(feature = "g1")]
    Compiled { name: "g1", urdf: "g1.urdf", is_floating: true, make: make::<G1, { G1::NQ }, { G1::NV }> },
];

impl Compiled {
    /// A function of states by rows (q, v, accelerations or torques): a call a state, all of them
    /// one by one, and in lanes.
    pub fn runs(&self, states: &[Vec<f64>; 3], function: &str) -> [Run<'static>; 3] {
        (self.make)(states, function)
    }
}

#[derive(Clone)]
struct States<const NQ: usize, const NV: usize> {
    q: Vec<SVector<f64, NQ>>,
    v: Vec<SVector<f64, NV>>,
    x: Vec<SVector<f64, NV>>,
}

fn rows<const N: usize>(numbers: &[f64]) -> Vec<SVector<f64, N>> {
    numbers.chunks_exact(N).map(SVector::from_column_slice).collect()
}

/// Calls of `$call` with the arguments `$input`, and of `$lanes`; results begin as `$zero`.
macro_rules! runs {
    ($states:ident, $zero:expr, $($input:ident)+, $call:expr, $lanes:expr) => {{
        let count = $states.q.len();
        let (single, one_by_one, lanes) = ($states.clone(), $states.clone(), $states);
        let mut out = Box::new($zero);
        let (mut all, mut others) = (vec![$zero; count], vec![$zero; count]);
        [
            Box::new(move || {
                let States { $($input,)+ .. } = &single;
                for k in 0..count {
                    $call(black_box(($(&$input[k],)+)), black_box(&mut *out));
                }
            }) as Run<'static>,
            Box::new(move || {
                let States { $($input,)+ .. } = &one_by_one;
                batch::one_by_one(black_box(($(&$input[..],)+)), black_box(&mut all[..]), $call);
            }),
            Box::new(move || {
                let States { $($input,)+ .. } = &lanes;
                batch::map(black_box(($(&$input[..],)+)), black_box(&mut others[..]), $lanes);
            }),
        ]
    }};
}

fn make<R: Dynamics<NQ, NV>, const NQ: usize, const NV: usize>(
    states: &[Vec<f64>; 3],
    function: &str,
) -> [Run<'static>; 3] {
    let [q, v, x] = states;
    let states = States { q: rows::<NQ>(q), v: rows::<NV>(v), x: rows::<NV>(x) };
    let vector = SVector::<f64, NV>::zeros();
    let matrix = SMatrix::<f64, NV, NV>::zeros();
    match function {
        "rnea" => runs!(
            states,
            vector,
            q v x,
            |(q, v, x): (&_, &_, &_), out: &mut SVector<f64, NV>| *out = R::rnea(q, v, x),
            |(q, v, x), out| *out = R::rnea(q, v, x)
        ),
        "aba" => runs!(
            states,
            vector,
            q v x,
            |(q, v, x): (&_, &_, &_), out: &mut SVector<f64, NV>| *out = R::aba(q, v, x),
            |(q, v, x), out| *out = R::aba(q, v, x)
        ),
        "crba" => runs!(
            states,
            matrix,
            q,
            |(q,): (&_,), out: &mut SMatrix<f64, NV, NV>| R::crba_into(q, out),
            |(q,), out| R::crba_into(q, out)
        ),
        "minv" => runs!(
            states,
            matrix,
            q,
            |(q,): (&_,), out: &mut SMatrix<f64, NV, NV>| R::minv_into(q, out),
            |(q,), out| R::minv_into(q, out)
        ),
        "rnea_derivatives" => runs!(
            states,
            RneaDerivatives::<f64, NV>::zeros(),
            q v x,
            |(q, v, x): (&_, &_, &_), out: &mut RneaDerivatives<f64, NV>| R::rnea_derivatives_into(
                q, v, x, out
            ),
            |(q, v, x), out| R::rnea_derivatives_into(q, v, x, out)
        ),
        "aba_derivatives" => runs!(
            states,
            AbaDerivatives::<f64, NV>::zeros(),
            q v x,
            |(q, v, x): (&_, &_, &_), out: &mut AbaDerivatives<f64, NV>| R::aba_derivatives_into(
                q, v, x, out
            ),
            |(q, v, x), out| R::aba_derivatives_into(q, v, x, out)
        ),
        other => unreachable!("{other} is not raced"),
    }
}
