//! Compiled robots, behind calls that take slices.

use nalgebra::{SMatrix, SVector};
use rbd::{
    AbaDerivatives, AbaHessian, AbaSecondDerivatives, CentroidalDerivatives, KineticEnergyDerivatives,
    RneaDerivatives, RneaHessian, RneaSecondDerivatives, Robot, batch,
};
use std::hint::black_box;

rbd::rbd_robot! { pub struct Iiwa14 { urdf: "../../robots/iiwa14.urdf" } }
rbd::rbd_robot! { pub struct Hyq { urdf: "../../robots/hyq.urdf", base: floating } }
#[cfg(feature = "g1")]
rbd::rbd_robot! { pub struct G1 { urdf: "../../robots/g1.urdf", base: floating } }

/// The functions that are raced, in order: those of the table that all robots have by default, but for those
/// under external forces, whose code is nearly that of the others, placements of all bodies and regressors.
pub const FUNCTIONS: [&str; 23] = [
    "rnea",
    "bias",
    "gravity",
    "aba",
    "crba",
    "minv",
    "rnea_derivatives",
    "aba_derivatives",
    "center_of_mass",
    "center_of_mass_velocity",
    "center_of_mass_jacobian",
    "centroidal_momentum",
    "centroidal_momentum_matrix",
    "centroidal_momentum_rate",
    "centroidal_derivatives",
    "kinetic_energy",
    "kinetic_energy_derivatives",
    "potential_energy",
    "coriolis_matrix",
    "rnea_hessian",
    "aba_hessian",
    "rnea_second_derivatives",
    "aba_second_derivatives",
];

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
    make: fn(&[Vec<f64>; 4], &str) -> [Run<'static>; 3],
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
    /// A function of states by rows (q, v, accelerations or torques, weights): a call a state, all of them
    /// one by one, and in lanes.
    pub fn runs(&self, states: &[Vec<f64>; 4], function: &str) -> [Run<'static>; 3] {
        (self.make)(states, function)
    }
}

#[derive(Clone)]
struct States<const NQ: usize, const NV: usize> {
    q: Vec<SVector<f64, NQ>>,
    v: Vec<SVector<f64, NV>>,
    x: Vec<SVector<f64, NV>>,
    weights: Vec<SVector<f64, NV>>,
}

fn rows<const N: usize>(numbers: &[f64]) -> Vec<SVector<f64, N>> {
    numbers.chunks_exact(N).map(SVector::from_column_slice).collect()
}

/// The type of an argument's reference.
macro_rules! reference {
    ($input:ident) => {
        &_
    };
}

/// A call with one state's arguments: a function that returns its result, or one that writes it in place.
macro_rules! call {
    (returns $robot:ident $method:ident $($input:expr),+ => $out:expr) => { *$out = $robot::$method($($input),+) };
    (writes $robot:ident $method:ident $($input:expr),+ => $out:expr) => { $robot::$method($($input),+, $out) };
}

/// Runs of the function of this name, whose results begin as `$zero`.
macro_rules! runs {
    ($robot:ident, $states:ident, $function:ident, $(
        $name:literal: $kind:ident $method:ident($($input:ident),+) -> $of:ty = $zero:expr;
    )+) => { match $function {
        $($name => {
            let count = $states.q.len();
            let (single, one_by_one, lanes) = ($states.clone(), $states.clone(), $states);
            let mut out: Box<$of> = Box::new($zero);
            let mut all: Vec<$of> = vec![$zero; count];
            let mut others: Vec<$of> = vec![$zero; count];
            [
                Box::new(move || {
                    for k in 0..count {
                        call!($kind $robot $method $(black_box(&single.$input[k])),+ => black_box(&mut *out));
                    }
                }) as Run<'static>,
                Box::new(move || {
                    batch::one_by_one(
                        black_box(($(&one_by_one.$input[..],)+)),
                        black_box(&mut all[..]),
                        |($($input,)+): ($(reference!($input),)+), out: &mut $of| {
                            call!($kind $robot $method $($input),+ => out);
                        },
                    );
                }),
                Box::new(move || {
                    batch::map(
                        black_box(($(&lanes.$input[..],)+)),
                        black_box(&mut others[..]),
                        |($($input,)+), out| call!($kind $robot $method $($input),+ => out),
                    );
                }),
            ]
        })+
        other => unreachable!("{other} is not raced"),
    } };
}

fn make<R: Robot<NQ, NV>, const NQ: usize, const NV: usize>(
    states: &[Vec<f64>; 4],
    function: &str,
) -> [Run<'static>; 3] {
    let [q, v, x, weights] = states;
    let states =
        States { q: rows::<NQ>(q), v: rows::<NV>(v), x: rows::<NV>(x), weights: rows::<NV>(weights) };
    runs! { R, states, function,
        "rnea": returns rnea(q, v, x) -> SVector<f64, NV> = SVector::zeros();
        "bias": returns bias(q, v) -> SVector<f64, NV> = SVector::zeros();
        "gravity": returns gravity(q) -> SVector<f64, NV> = SVector::zeros();
        "aba": returns aba(q, v, x) -> SVector<f64, NV> = SVector::zeros();
        "crba": writes crba_into(q) -> SMatrix<f64, NV, NV> = SMatrix::zeros();
        "minv": writes minv_into(q) -> SMatrix<f64, NV, NV> = SMatrix::zeros();
        "rnea_derivatives": writes rnea_derivatives_into(q, v, x) -> RneaDerivatives<f64, NV>
            = RneaDerivatives::zeros();
        "aba_derivatives": writes aba_derivatives_into(q, v, x) -> AbaDerivatives<f64, NV>
            = AbaDerivatives::zeros();
        "center_of_mass": returns center_of_mass(q) -> SVector<f64, 3> = SVector::zeros();
        "center_of_mass_velocity": returns center_of_mass_velocity(q, v) -> SVector<f64, 3> = SVector::zeros();
        "center_of_mass_jacobian": writes center_of_mass_jacobian_into(q) -> SMatrix<f64, 3, NV>
            = SMatrix::zeros();
        "centroidal_momentum": returns centroidal_momentum(q, v) -> SVector<f64, 6> = SVector::zeros();
        "centroidal_momentum_matrix": writes centroidal_momentum_matrix_into(q) -> SMatrix<f64, 6, NV>
            = SMatrix::zeros();
        "centroidal_momentum_rate": returns centroidal_momentum_rate(q, v, x) -> SVector<f64, 6>
            = SVector::zeros();
        "centroidal_derivatives": writes centroidal_derivatives_into(q, v, x) -> CentroidalDerivatives<f64, NV>
            = CentroidalDerivatives::zeros();
        "kinetic_energy": returns kinetic_energy(q, v) -> f64 = 0.0;
        "kinetic_energy_derivatives": writes kinetic_energy_derivatives_into(q, v)
            -> KineticEnergyDerivatives<f64, NV> = KineticEnergyDerivatives::zeros();
        "potential_energy": returns potential_energy(q) -> f64 = 0.0;
        "coriolis_matrix": writes coriolis_matrix_into(q, v) -> SMatrix<f64, NV, NV> = SMatrix::zeros();
        "rnea_hessian": writes rnea_hessian_into(q, v, x, weights) -> RneaHessian<f64, NV>
            = RneaHessian::zeros();
        "aba_hessian": writes aba_hessian_into(q, v, x, weights) -> AbaHessian<f64, NV> = AbaHessian::zeros();
        "rnea_second_derivatives": writes rnea_second_derivatives_into(q, v, x)
            -> RneaSecondDerivatives<f64, NV> = RneaSecondDerivatives::zeros();
        "aba_second_derivatives": writes aba_second_derivatives_into(q, v, x)
            -> AbaSecondDerivatives<f64, NV> = AbaSecondDerivatives::zeros();
    }
}
