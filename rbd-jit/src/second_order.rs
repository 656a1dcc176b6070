//! Second derivatives that are no kernel of their own: loops over tables, or products of other functions'
//! results. As generated Rust joins them (`rbd-build/src/emit/rust/tables.rs`), on slices.

use crate::Function;
use crate::function::MOST_INPUTS;
use nalgebra::SVector;
use rbd_build::Function as Id;
use rbd_runtime::dispatch::{Kernel, Recast};
use rbd_runtime::loops::of_model::Owned;
use rbd_runtime::loops::padded;
use rbd_runtime::loops::second::{self, Friction, Given, Hessian, JointFriction};
use rbd_runtime::{Model, Scalar};

/// The most rows of robots with second derivatives by loops: what loops keep on the stack grows with its
/// square.
pub const MOST_ROWS: usize = 128;

/// Lengths of arrays over rows: the smallest that a robot has room in is taken.
const SMALL: usize = padded(40);
const LARGE: usize = padded(MOST_ROWS);

/// How second derivatives of a robot are computed.
#[derive(Debug)]
pub struct SecondOrder {
    way: Way,
    /// The tables, where loops read them.
    robot: Option<Owned>,
    friction: Vec<JointFriction>,
    smoothing: f64,
    /// First derivatives of forward dynamics, and Hessians of weighted torques.
    parts: Vec<Function>,
    nv: usize,
}

/// What is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// `mu . tau` by loops.
    Hessian,
    /// Tensors of torques by loops.
    Torques,
    /// Tensors of accelerations by loops, from first derivatives.
    Accelerations,
    /// `lambda . ddq`, from first derivatives and the Hessian of weighted torques.
    OfParts,
    /// Tensors of torques from the Hessian of each.
    TorqueByTorque,
    /// Tensors of accelerations from first derivatives and the Hessian of each.
    OneByOne,
}

/// Arguments by their names.
#[derive(Clone, Copy)]
struct Named<'a> {
    names: [&'static str; MOST_INPUTS],
    values: [&'a [f64]; MOST_INPUTS],
}

impl<'a> Named<'a> {
    fn new(all: impl Iterator<Item = (&'static str, &'a [f64])>) -> Self {
        let mut named = Self { names: [""; MOST_INPUTS], values: [&[]; MOST_INPUTS] };
        for ((name, value), (to_name, to_value)) in all.zip(named.names.iter_mut().zip(&mut named.values)) {
            (*to_name, *to_value) = (name, value);
        }
        named
    }

    /// An argument; nothing, where there is none of this name.
    fn get(&self, name: &str) -> &'a [f64] {
        self.names.iter().position(|known| *known == name).map_or(&[], |k| self.values[k])
    }
}

impl SecondOrder {
    /// Of a robot for which the generator joins these parts; nothing, if there is no room for its rows.
    pub fn new(function: Id, model: &Model<f64>, parts: Vec<Function>) -> Option<Self> {
        let way = match (function, parts.len()) {
            (Id::RneaHessian | Id::RneaHessianFext, 0) => Way::Hessian,
            (Id::RneaSecondDerivatives | Id::RneaSecondDerivativesFext, 0) => Way::Torques,
            (Id::RneaSecondDerivatives | Id::RneaSecondDerivativesFext, _) => Way::TorqueByTorque,
            (Id::AbaSecondDerivatives | Id::AbaSecondDerivativesFext, 1) => Way::Accelerations,
            (Id::AbaSecondDerivatives | Id::AbaSecondDerivativesFext, _) => Way::OneByOne,
            _ => Way::OfParts,
        };
        let reads_tables = matches!(way, Way::Hessian | Way::Torques | Way::Accelerations);
        let robot = reads_tables.then(|| Owned::from_model(model)).flatten();
        if reads_tables && robot.as_ref().is_none_or(|robot| robot.rows() > MOST_ROWS) {
            return None;
        }
        let smoothing = model.friction_smoothing;
        let slides = model.bodies.iter().filter(|body| smoothing.is_some() && body.friction != 0.0);
        let friction = slides.flat_map(|body| {
            let ratio = body.mimic.map_or(1.0, |mimic| mimic.multiplier);
            (body.idx_v..body.idx_v + body.kind.nv()).map(move |coordinate| JointFriction {
                coordinate,
                ratio,
                friction: body.friction,
            })
        });
        let friction = friction.collect();
        Some(Self { way, robot, friction, smoothing: smoothing.unwrap_or_default(), parts, nv: model.nv })
    }

    /// The functions of whose results it is made.
    pub fn parts(&self) -> &[Function] {
        &self.parts
    }

    /// How many numbers it needs for itself.
    pub fn work(&self) -> usize {
        let n = self.nv;
        let of_parts = self.parts.iter().map(Function::work).max().unwrap_or(0);
        let forward = forward(n);
        of_parts
            + match self.way {
                Way::Hessian | Way::Torques => 0,
                Way::Accelerations => forward,
                Way::OfParts => forward + n + hessian(n),
                Way::TorqueByTorque => n + hessian(n),
                Way::OneByOne => forward + 2 * n + 2 * hessian(n),
            }
    }

    /// Computes the results of these arguments, by [`Self::work`] numbers.
    pub fn run<'a>(
        &self,
        arguments: impl Iterator<Item = (&'static str, &'a [f64])>,
        outputs: &mut [&mut [f64]],
        work: &mut [f64],
    ) {
        let named = Named::new(arguments);
        let n = self.nv;
        match (self.way, outputs) {
            (Way::Hessian, out) => {
                let [value, dq, dv, da, dqdq, dqdv, dvdv, dqda] = out else { unreachable!("eight results") };
                let blocks = [&mut **dqdq, &mut **dqdv, &mut **dvdv, &mut **dqda];
                let gradient = [&mut **dq, &mut **dv, &mut **da];
                self.loops(&named, &[], Loops::Hessian(Hessian { value, gradient, blocks }));
                self.add_to_hessian(&named, (value, dv, dvdv));
            }
            (Way::Torques, out) => {
                // Zeros of the tree are left alone.
                out.iter_mut().for_each(|tensor| tensor.fill(0.0));
                self.loops(&named, &[], Loops::Torques(four(out)));
                self.curvatures(&named, |c, curvature| out[2][(c * n + c) * n + c] += curvature);
            }
            (Way::Accelerations, out) => {
                let (first, work) = work.split_at_mut(forward(n));
                self.forward(&named, first, work);
                let [ddq, by_q, by_v, by_tau] = parts_of_forward(n, first);
                self.loops(&named, ddq, Loops::Accelerations([by_q, by_v, by_tau], four(out)));
                self.curvatures(&named, |c, curvature| {
                    let to = &mut out[2][(c * n + c) * n..][..n];
                    to.iter_mut().zip(&by_tau[c * n..][..n]).for_each(|(to, by)| *to -= *by * curvature);
                });
            }
            (Way::OfParts, out) => {
                let (first, work) = work.split_at_mut(forward(n));
                let (mu, work) = work.split_at_mut(n);
                let (of, work) = work.split_at_mut(hessian(n));
                self.forward(&named, first, work);
                let out = out.iter_mut().map(|out| &mut **out);
                self.accelerations(&named, (named.get("lambda"), first), (mu, of), out, work);
            }
            (Way::TorqueByTorque, out) => {
                let (mu, work) = work.split_at_mut(n);
                let (of, work) = work.split_at_mut(hessian(n));
                for k in 0..n {
                    unit(k, mu);
                    self.torques(&named, named.get("a"), mu, of, work);
                    spread(k, n, of, out);
                }
            }
            (Way::OneByOne, out) => {
                let (first, work) = work.split_at_mut(forward(n));
                let (lambda, work) = work.split_at_mut(n);
                let (mu, work) = work.split_at_mut(n);
                let (of, work) = work.split_at_mut(hessian(n));
                let (all, work) = work.split_at_mut(hessian(n));
                self.forward(&named, first, work);
                for k in 0..n {
                    unit(k, lambda);
                    let out_of_one = parts_of_hessian(n, all).into_iter();
                    self.accelerations(&named, (lambda, first), (mu, of), out_of_one, work);
                    spread(k, n, all, out);
                }
            }
        }
    }

    /// Runs loops at these arguments, and accelerations that are not among them.
    fn loops(&self, named: &Named<'_>, ddq: &[f64], loops: Loops<'_>) {
        let forces = named.get("fext");
        let mut fext = [SVector::<f64, 6>::zeros(); MOST_ROWS];
        for (force, numbers) in fext.iter_mut().zip(forces.chunks_exact(6)) {
            *force = SVector::from_column_slice(numbers);
        }
        let given = Given {
            q: named.get("q"),
            v: named.get("v"),
            a: if ddq.is_empty() { named.get("a") } else { ddq },
            mu: named.get("mu"),
            fext: &fext[..forces.len() / 6],
            turned: None,
        };
        let robot = self.robot.as_ref().expect("loops read tables");
        if padded(robot.rows()) <= SMALL {
            loops.run::<SMALL>(robot, given)
        } else {
            loops.run::<LARGE>(robot, given)
        }
    }

    /// First derivatives of forward dynamics.
    fn forward(&self, named: &Named<'_>, first: &mut [f64], work: &mut [f64]) {
        let mut out = split_forward(self.nv, first);
        call(&self.parts[0], |name| named.get(name), &mut out, work);
    }

    /// The Hessian of weighted torques at these accelerations.
    fn torques(&self, named: &Named<'_>, a: &[f64], mu: &[f64], of: &mut [f64], work: &mut [f64]) {
        let hessian = self.parts.last().expect("there is a Hessian");
        let argument = |name: &str| match name {
            "a" => a,
            "mu" => mu,
            _ => named.get(name),
        };
        call(hessian, argument, &mut parts_of_hessian(self.nv, of), work);
    }

    /// The Hessian of weighted accelerations, from `first` derivatives.
    fn accelerations<'o>(
        &self,
        named: &Named<'_>,
        (lambda, first): (&[f64], &[f64]),
        (mu, of): (&mut [f64], &mut [f64]),
        mut out: impl Iterator<Item = &'o mut [f64]>,
        work: &mut [f64],
    ) {
        let n = self.nv;
        let [ddq, .., by_tau] = parts_of_forward(n, first);
        mu.fill(0.0);
        for (column, by) in by_tau.chunks_exact(n).zip(lambda) {
            mu.iter_mut().zip(column).for_each(|(mu, x)| *mu -= *x * *by);
        }
        self.torques(named, ddq, mu, of, work);
        let out = std::array::from_fn(|_| out.next().expect("eight results"));
        f64::dispatch(OfParts { n, weights: [lambda, mu], first, of, out });
    }

    /// Adds joint friction, which tables are without, to the Hessian of weighted torques.
    fn add_to_hessian(&self, named: &Named<'_>, (value, dv, dvdv): (&mut [f64], &mut [f64], &mut [f64])) {
        let (n, mu) = (self.nv, named.get("mu"));
        self.friction().for_each(named.get("v"), |joint, [torque, slope, curvature]| {
            let c = joint.coordinate;
            value[0] += mu[c] * torque;
            dv[c] += mu[c] * slope;
            dvdv[c * n + c] += mu[c] * curvature;
        });
    }

    /// The second derivative of each joint's friction by its coordinate's velocity.
    fn curvatures(&self, named: &Named<'_>, mut add: impl FnMut(usize, f64)) {
        self.friction().for_each(named.get("v"), |joint, [.., curvature]| add(joint.coordinate, curvature));
    }

    fn friction(&self) -> Friction<'_> {
        Friction { joints: &self.friction, smoothing: self.smoothing }
    }
}

/// Loops of the runtime, with where their results go.
enum Loops<'a> {
    Hessian(Hessian<'a, f64>),
    Torques([&'a mut [f64]; 4]),
    /// From derivatives of the accelerations by q, v and tau.
    Accelerations([&'a [f64]; 3], [&'a mut [f64]; 4]),
}

impl Loops<'_> {
    fn run<const P: usize>(self, robot: &Owned, given: Given<'_, f64>) {
        let tables = robot.tables::<P>().expect("there is room");
        match self {
            Self::Hessian(out) => second::rnea_hessian(&tables, given, out),
            Self::Torques(out) => second::rnea_second_derivatives(&tables, given, out),
            Self::Accelerations(by, out) => {
                second::aba_second_derivatives_of_parts(&tables, given, by, out);
            }
        }
    }
}

fn call<'a>(
    function: &Function,
    argument: impl Fn(&str) -> &'a [f64],
    outputs: &mut [&mut [f64]],
    work: &mut [f64],
) {
    let mut inputs: [&[f64]; MOST_INPUTS] = [&[]; MOST_INPUTS];
    let known = function.inputs();
    inputs.iter_mut().zip(known).for_each(|(to, input)| *to = argument(input.name));
    function.run_one(&inputs[..known.len()], outputs, work);
}

/// Numbers of the accelerations and their derivatives.
fn forward(n: usize) -> usize {
    n + 3 * n * n
}

fn split_forward(n: usize, first: &mut [f64]) -> [&mut [f64]; 4] {
    let (ddq, rest) = first.split_at_mut(n);
    let (by_q, rest) = rest.split_at_mut(n * n);
    let (by_v, by_tau) = rest.split_at_mut(n * n);
    [ddq, by_q, by_v, by_tau]
}

fn parts_of_forward(n: usize, first: &[f64]) -> [&[f64]; 4] {
    let (ddq, rest) = first.split_at(n);
    let (by_q, rest) = rest.split_at(n * n);
    let (by_v, by_tau) = rest.split_at(n * n);
    [ddq, by_q, by_v, by_tau]
}

/// Numbers of a value, its gradient and its Hessian.
fn hessian(n: usize) -> usize {
    1 + 3 * n + 4 * n * n
}

fn parts_of_hessian(n: usize, of: &mut [f64]) -> [&mut [f64]; 8] {
    let mut rest = of;
    [1, n, n, n, n * n, n * n, n * n, n * n].map(|length| {
        let (now, later) = std::mem::take(&mut rest).split_at_mut(length);
        rest = later;
        now
    })
}

fn four<'a>(out: &'a mut [&mut [f64]]) -> [&'a mut [f64]; 4] {
    let [qq, qv, vv, qx] = out else { unreachable!("four results") };
    [qq, qv, vv, qx]
}

/// 1 at one place, and 0 elsewhere.
fn unit(at: usize, out: &mut [f64]) {
    out.fill(0.0);
    out[at] = 1.0;
}

/// Writes what is of one output, from its Hessian: element (output, j) of page k is entry (j, k) of a block.
fn spread(output: usize, n: usize, hessian: &[f64], tensors: &mut [&mut [f64]]) {
    for (block, tensor) in hessian[1 + 3 * n..].chunks_exact(n * n).zip(tensors) {
        for (k, x) in block.iter().enumerate() {
            tensor[k * n + output] = *x;
        }
    }
}

/// Value, gradient and Hessian of `lambda . ddq` from first derivatives of forward dynamics and those of
/// `mu . tau` at its accelerations, with `mu = -M^-1 lambda` (docs/math.md#contracted-second-derivatives).
struct OfParts<'a, 'o> {
    n: usize,
    /// lambda and mu.
    weights: [&'a [f64]; 2],
    first: &'a [f64],
    of: &'a mut [f64],
    out: [&'o mut [f64]; 8],
}

impl Kernel<f64> for OfParts<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Scalar>(self, recast: Recast<f64, S>) {
        let Self { n, weights: [lambda, mu], first, of, out } = self;
        let [ddq, by_q, by_v, by_tau] = parts_of_forward(n, first);
        let [ddq, by_q, by_v, by_tau] =
            [recast.slice(ddq), recast.slice(by_q), recast.slice(by_v), recast.slice(by_tau)];
        let lambda = recast.slice(lambda);
        let [_, of_dq, of_dv, _, of_qq, of_qv, of_vv, of_qa] = parts_of_hessian(n, of);
        let [value, dq, dv, dtau, qq, qv, vv, qt] = out;
        let mut sum = S::zero();
        for k in 0..n {
            sum = lambda[k].mul_add(ddq[k], sum);
        }
        recast.slice_mut(value)[0] = sum;
        dq.copy_from_slice(of_dq);
        dv.copy_from_slice(of_dv);
        dtau.iter_mut().zip(mu).for_each(|(to, mu)| *to = -*mu);
        vv.copy_from_slice(of_vv);
        let (qq, z) = (recast.slice_mut(qq), recast.slice(of_qa));
        product(n, z, by_q, qq);
        let qv = recast.slice_mut(qv);
        product(n, z, by_v, qv);
        for (to, x) in qv.iter_mut().zip(recast.slice(of_qv)) {
            *to += *x;
        }
        product(n, z, by_tau, recast.slice_mut(qt));
        let of_qq = recast.slice(of_qq);
        for c in 0..n {
            for r in 0..=c {
                let both = qq[c * n + r] + qq[r * n + c];
                qq[c * n + r] = of_qq[c * n + r] + both;
                qq[r * n + c] = of_qq[r * n + c] + both;
            }
        }
    }
}

/// `out = a x`.
#[inline(always)]
fn product<S: Scalar>(n: usize, a: &[S], x: &[S], out: &mut [S]) {
    for j in 0..n {
        let to = &mut out[j * n..][..n];
        to.fill(S::zero());
        for k in 0..n {
            let (by, column) = (x[j * n + k], &a[k * n..][..n]);
            for r in 0..n {
                to[r] = column[r].mul_add(by, to[r]);
            }
        }
    }
}
