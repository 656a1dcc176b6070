//! Second derivatives that are no kernels of their own: loops over tables, or compositions of other
//! functions' results. Targets write what [`Composer`] computes.

use super::run::Forces;
use crate::table::functions::Function;
use rbd_runtime::dispatch::{Dispatched, Recast};
use rbd_runtime::linalg::SquareProduct;
use rbd_runtime::loops::of_model::{Owned, Padded};
use rbd_runtime::loops::second::{self, Friction, Given, Hessian, JointFriction};
use rbd_runtime::loops::{Tables, padded};
use rbd_runtime::{Model, Scalar};

/// The most rows of robots whose second derivatives are composed of loops.
const MOST_ROWS: usize = 128;

/// Lengths of arrays over rows: the smallest with room for a robot is taken. Loops copy whole arrays, and
/// compute with them.
const ARM: usize = padded(8);
const SMALL: usize = padded(40);
const LARGE: usize = padded(MOST_ROWS);

/// Way in which a second derivative is composed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// `mu . tau` by loops.
    Hessian,
    /// Tensors of torques by loops.
    Torques,
    /// Tensors of accelerations by loops, from first derivatives.
    Accelerations,
    /// `lambda . ddq`, from first derivatives and the Hessian of weighted torques.
    OfParts,
    /// Tensors of torques from the Hessian of each torque.
    TorqueByTorque,
    /// Tensors of accelerations, from first derivatives and the Hessian of each acceleration.
    OneByOne,
}

/// Another function whose results are needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dependency {
    /// First derivatives of forward dynamics.
    First,
    /// The Hessian of weighted torques.
    Hessian,
}

impl Way {
    /// Way of a function with so many dependencies.
    pub fn of(function: Function, dependencies: usize) -> Self {
        use Function as F;
        match (function, dependencies) {
            (F::RneaHessian | F::RneaHessianFext, _) => Self::Hessian,
            (F::RneaSecondDerivatives | F::RneaSecondDerivativesFext, 0) => Self::Torques,
            (F::RneaSecondDerivatives | F::RneaSecondDerivativesFext, _) => Self::TorqueByTorque,
            (F::AbaSecondDerivatives | F::AbaSecondDerivativesFext, 1) => Self::Accelerations,
            (F::AbaSecondDerivatives | F::AbaSecondDerivativesFext, _) => Self::OneByOne,
            _ => Self::OfParts,
        }
    }

    /// True if it calls loops over tables itself. Other ways use Hessians of weighted torques.
    pub fn reads_tables(self) -> bool {
        matches!(self, Self::Hessian | Self::Torques | Self::Accelerations)
    }

    /// Dependencies, in the order of calls.
    pub fn dependencies(self) -> &'static [Dependency] {
        match self {
            Self::Hessian | Self::Torques => &[],
            Self::Accelerations => &[Dependency::First],
            Self::OfParts | Self::OneByOne => &[Dependency::First, Dependency::Hessian],
            Self::TorqueByTorque => &[Dependency::Hessian],
        }
    }

    /// True if the results are tensors.
    pub fn gives_tensors(self) -> bool {
        !matches!(self, Self::Hessian | Self::OfParts)
    }
}

/// Composes a second derivative of one robot from arguments and the results of dependencies.
#[derive(Clone, Debug)]
pub struct Composer {
    way: Way,
    /// The tables, if loops read them and the robot has them.
    robot: Option<Lengths>,
    friction: Vec<JointFriction>,
    smoothing: f64,
    nv: usize,
}

/// A robot, by the length of the arrays over rows that its loops are compiled for.
#[derive(Clone, Debug)]
enum Lengths {
    Arm(Padded<Owned, ARM>),
    Small(Padded<Owned, SMALL>),
    Large(Padded<Owned, LARGE>),
}

impl Lengths {
    /// The smallest with room for the robot; none of robots of more than [`MOST_ROWS`] rows.
    fn of(robot: Owned) -> Option<Self> {
        let length = padded(robot.rows());
        if length <= ARM {
            Padded::new(robot).map(Self::Arm)
        } else if length <= SMALL {
            Padded::new(robot).map(Self::Small)
        } else {
            Padded::new(robot).map(Self::Large)
        }
    }
}

/// Arguments of a composition, and the dependencies as functions that are called.
pub trait Dependencies<'a, T> {
    /// Argument of a name. Empty if there is none.
    fn argument(&self, name: &str) -> &'a [T];

    /// Computes the results of a dependency. Arguments are those of the whole, except those `instead`.
    /// `work` is free memory.
    fn call(
        &mut self,
        dependency: Dependency,
        instead: &[(&str, &[T])],
        outputs: &mut [&mut [T]],
        work: &mut [T],
    );
}

impl Composer {
    /// Composer of a robot.
    pub fn new(way: Way, model: &Model<f64>) -> Self {
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
        let robot = if way.reads_tables() { Owned::from_model(model).and_then(Lengths::of) } else { None };
        let (friction, smoothing) = (friction.collect(), smoothing.unwrap_or_default());
        Self { way, robot, friction, smoothing, nv: model.nv }
    }

    /// The way.
    pub fn way(&self) -> Way {
        self.way
    }

    /// Velocity coordinates of the robot.
    pub fn nv(&self) -> usize {
        self.nv
    }

    /// Joint friction, which tables lack.
    pub fn friction(&self) -> Friction<'_> {
        Friction { joints: &self.friction, smoothing: self.smoothing }
    }

    /// True if [`Self::run`] has room for the robot: loops keep arrays on the stack.
    pub fn has_room(&self) -> bool {
        !self.way.reads_tables() || self.robot.is_some()
    }

    /// True if it is loops alone, compiled for so few rows as an arm has.
    pub fn is_loops_of_arm(&self) -> bool {
        self.way.dependencies().is_empty() && matches!(self.robot, Some(Lengths::Arm(_)))
    }

    /// Returns how many numbers [`Self::run`] needs for itself. Dependencies get the memory beyond.
    pub fn work(&self) -> usize {
        let (n, first, hessian) = (self.nv, forward(self.nv), hessian(self.nv));
        match self.way {
            Way::Hessian | Way::Torques => 0,
            Way::Accelerations => first,
            Way::OfParts => first + n + hessian,
            Way::TorqueByTorque => n + hessian,
            Way::OneByOne => first + 2 * n + 2 * hessian,
        }
    }

    /// Computes the results, each by columns. Allocates nothing.
    ///
    /// # Panics
    /// If there is no room for the robot, or an array has another length.
    pub fn run<'a, T: Scalar>(
        &self,
        dependencies: &mut impl Dependencies<'a, T>,
        outputs: &mut [&mut [T]],
        work: &mut [T],
    ) {
        // Of a Hessian, value and gradient come first: they are written whole.
        let whole = match self.way {
            Way::Torques => 0,
            Way::Hessian => 4,
            _ => outputs.len(),
        };
        outputs.iter_mut().skip(whole).for_each(|result| result.fill(T::zero()));
        self.run_on_zeros(dependencies, outputs, work);
    }

    /// [`Self::run`], with results that are zero, or what it made of other arguments. Structural zeros of
    /// tensors and of Hessians of torques are left alone.
    ///
    /// # Panics
    /// Panics as [`Self::run`] does.
    pub fn run_on_zeros<'a, T: Scalar>(
        &self,
        dependencies: &mut impl Dependencies<'a, T>,
        outputs: &mut [&mut [T]],
        work: &mut [T],
    ) {
        let (n, out) = (self.nv, outputs);
        let v = dependencies.argument("v");
        match self.way {
            Way::Hessian => {
                let mu = dependencies.argument("mu");
                let [value, dq, dv, da, dqdq, dqdv, dvdv, dqda] = out else { unreachable!("eight results") };
                let blocks = [&mut **dqdq, &mut **dqdv, &mut **dvdv, &mut **dqda];
                let gradient = [&mut **dq, &mut **dv, &mut **da];
                self.loops(
                    dependencies,
                    &[],
                    Loops::Hessian(Hessian { value, gradient, blocks, leaves_zeros: true }),
                );
                self.friction().for_each(v, |joint, [torque, slope, curvature]| {
                    let c = joint.coordinate;
                    value[0] += mu[c] * torque;
                    dv[c] += mu[c] * slope;
                    dvdv[c * n + c] += mu[c] * curvature;
                });
            }
            Way::Torques => {
                self.loops(dependencies, &[], Loops::Torques(four(out)));
                self.friction().for_each(v, |joint, [.., curvature]| {
                    let c = joint.coordinate;
                    out[2][(c * n + c) * n + c] += curvature;
                });
            }
            Way::Accelerations => {
                let (first, work) = work.split_at_mut(forward(n));
                dependencies.call(Dependency::First, &[], &mut split_forward(n, first), work);
                let [ddq, by_q, by_v, by_tau] = parts_of_forward(n, first);
                self.loops(dependencies, ddq, Loops::Accelerations([by_q, by_v, by_tau], four(out)));
                self.friction().for_each(v, |joint, [.., curvature]| {
                    let c = joint.coordinate;
                    let to = &mut out[2][(c * n + c) * n..][..n];
                    to.iter_mut().zip(&by_tau[c * n..][..n]).for_each(|(to, by)| *to -= *by * curvature);
                });
            }
            _ => self.join(dependencies, out, work),
        }
    }

    /// [`Self::run`] of a way that reads no tables, for any scalar: a number, or numbers of states side by
    /// side.
    ///
    /// # Panics
    /// If the way reads tables, or an array has another length.
    pub fn join<'a, T: Scalar>(
        &self,
        dependencies: &mut impl Dependencies<'a, T>,
        out: &mut [&mut [T]],
        work: &mut [T],
    ) {
        let n = self.nv;
        match self.way {
            Way::Hessian | Way::Torques | Way::Accelerations => unreachable!("these are loops over tables"),
            Way::OfParts => {
                let (first, work) = work.split_at_mut(forward(n));
                let (mu, work) = work.split_at_mut(n);
                let (of, work) = work.split_at_mut(hessian(n));
                dependencies.call(Dependency::First, &[], &mut split_forward(n, first), work);
                let (lambda, out) = (dependencies.argument("lambda"), out.iter_mut().map(|out| &mut **out));
                self.accelerations(dependencies, (lambda, first), (mu, of), out, work);
            }
            Way::TorqueByTorque => {
                let (mu, work) = work.split_at_mut(n);
                let (of, work) = work.split_at_mut(hessian(n));
                for k in 0..n {
                    unit(k, mu);
                    dependencies.call(Dependency::Hessian, &[("mu", mu)], &mut parts_of_hessian(n, of), work);
                    spread(k, n, of, out);
                }
            }
            Way::OneByOne => {
                let (first, work) = work.split_at_mut(forward(n));
                let (lambda, work) = work.split_at_mut(n);
                let (mu, work) = work.split_at_mut(n);
                let (of, work) = work.split_at_mut(hessian(n));
                let (all, work) = work.split_at_mut(hessian(n));
                dependencies.call(Dependency::First, &[], &mut split_forward(n, first), work);
                for k in 0..n {
                    unit(k, lambda);
                    let out_of_one = parts_of_hessian(n, all).into_iter();
                    self.accelerations(dependencies, (lambda, first), (mu, of), out_of_one, work);
                    spread(k, n, all, out);
                }
            }
        }
    }

    /// Runs loops at the arguments, or at accelerations that are not among them.
    fn loops<'a, T: Scalar>(&self, dependencies: &impl Dependencies<'a, T>, ddq: &[T], loops: Loops<'_, T>) {
        let given = Given {
            q: dependencies.argument("q"),
            v: dependencies.argument("v"),
            a: if ddq.is_empty() { dependencies.argument("a") } else { ddq },
            mu: dependencies.argument("mu"),
            fext: &[],
            turned: None,
        };
        let (robot, fext) = (self.robot.as_ref().expect("loops read tables"), dependencies.argument("fext"));
        match robot {
            Lengths::Arm(robot) => loops.run(&robot.tables(), given, fext),
            Lengths::Small(robot) => loops.run(&robot.tables(), given, fext),
            Lengths::Large(robot) => loops.run(&robot.tables(), given, fext),
        }
    }

    /// The Hessian of weighted accelerations, from `first` derivatives.
    fn accelerations<'a, 'o, T: Scalar + 'o>(
        &self,
        dependencies: &mut impl Dependencies<'a, T>,
        (lambda, first): (&[T], &[T]),
        (mu, of): (&mut [T], &mut [T]),
        mut out: impl Iterator<Item = &'o mut [T]>,
        work: &mut [T],
    ) {
        let n = self.nv;
        let [ddq, .., by_tau] = parts_of_forward(n, first);
        mu.fill(T::zero());
        for (column, by) in by_tau.chunks_exact(n.max(1)).zip(lambda) {
            mu.iter_mut().zip(column).for_each(|(mu, x)| *mu -= *x * *by);
        }
        dependencies.call(Dependency::Hessian, &[("a", ddq), ("mu", mu)], &mut parts_of_hessian(n, of), work);
        let out = std::array::from_fn(|_| out.next().expect("eight results"));
        of_parts(n, [lambda, mu], first, of, out);
    }
}

/// Loops of the runtime, with where their results go.
enum Loops<'a, T> {
    Hessian(Hessian<'a, T>),
    Torques([&'a mut [T]; 4]),
    /// From derivatives of the accelerations by q, v and tau.
    Accelerations([&'a [T]; 3], [&'a mut [T]; 4]),
}

impl<T: Scalar> Loops<'_, T> {
    fn run<const P: usize>(self, tables: &Tables<'_, P>, given: Given<'_, T>, fext: &[T]) {
        let forces = Forces::<T, P>::new(Some(fext).filter(|fext| !fext.is_empty()));
        let given = Given { fext: forces.given().unwrap_or_default(), ..given };
        match self {
            Self::Hessian(out) => second::rnea_hessian(tables, given, out),
            Self::Torques(out) => second::rnea_second_derivatives(tables, given, out),
            Self::Accelerations(by, out) => second::aba_second_derivatives_of_parts(tables, given, by, out),
        }
    }
}

/// Numbers of the accelerations and their derivatives.
fn forward(n: usize) -> usize {
    n + 3 * n * n
}

fn split_forward<T>(n: usize, first: &mut [T]) -> [&mut [T]; 4] {
    let (ddq, rest) = first.split_at_mut(n);
    let (by_q, rest) = rest.split_at_mut(n * n);
    let (by_v, by_tau) = rest.split_at_mut(n * n);
    [ddq, by_q, by_v, by_tau]
}

fn parts_of_forward<T>(n: usize, first: &[T]) -> [&[T]; 4] {
    let (ddq, rest) = first.split_at(n);
    let (by_q, rest) = rest.split_at(n * n);
    let (by_v, by_tau) = rest.split_at(n * n);
    [ddq, by_q, by_v, by_tau]
}

/// Numbers of a value, its gradient and its Hessian.
fn hessian(n: usize) -> usize {
    1 + 3 * n + 4 * n * n
}

fn parts_of_hessian<T>(n: usize, of: &mut [T]) -> [&mut [T]; 8] {
    let mut rest = of;
    [1, n, n, n, n * n, n * n, n * n, n * n].map(|length| {
        let (now, later) = std::mem::take(&mut rest).split_at_mut(length);
        rest = later;
        now
    })
}

fn four<'a, T>(out: &'a mut [&mut [T]]) -> [&'a mut [T]; 4] {
    let [qq, qv, vv, qx] = out else { unreachable!("four results") };
    [qq, qv, vv, qx]
}

/// 1 at one place, and 0 elsewhere.
fn unit<T: Scalar>(at: usize, out: &mut [T]) {
    out.fill(T::zero());
    out[at] = T::one();
}

/// Writes what is of one output, from its Hessian: element (output, j) of page k is entry (j, k) of a block.
fn spread<T: Copy>(output: usize, n: usize, hessian: &[T], tensors: &mut [&mut [T]]) {
    for (block, tensor) in hessian[1 + 3 * n..].chunks_exact(n * n).zip(tensors) {
        for (k, x) in block.iter().enumerate() {
            tensor[k * n + output] = *x;
        }
    }
}

/// Value, gradient and Hessian of `lambda . ddq` from first derivatives of forward dynamics and those of
/// `mu . tau` at its accelerations, with `mu = -M^-1 lambda` (docs/math.md#contracted-second-derivatives).
fn of_parts<T: Scalar>(
    n: usize,
    [lambda, mu]: [&[T]; 2],
    first: &[T],
    of: &mut [T],
    [value, dq, dv, dtau, qq, qv, vv, qt]: [&mut [T]; 8],
) {
    let [ddq, by_q, by_v, by_tau] = parts_of_forward(n, first);
    let [_, of_dq, of_dv, _, of_qq, of_qv, of_vv, z] = parts_of_hessian(n, of);
    value[0] = T::dispatch(Weighted { lambda, ddq });
    dq.copy_from_slice(of_dq);
    dv.copy_from_slice(of_dv);
    dtau.iter_mut().zip(mu).for_each(|(to, mu)| *to = -*mu);
    vv.copy_from_slice(of_vv);
    for (x, plus, out) in [(by_q, None, &mut *qq), (by_v, Some(&*of_qv), qv), (by_tau, None, qt)] {
        T::dispatch(SquareProduct { n, a: z, x, plus, out });
    }
    for c in 0..n {
        for r in 0..=c {
            let both = qq[c * n + r] + qq[r * n + c];
            qq[c * n + r] = of_qq[c * n + r] + both;
            qq[r * n + c] = of_qq[r * n + c] + both;
        }
    }
}

/// `lambda . ddq`.
struct Weighted<'a, T> {
    lambda: &'a [T],
    ddq: &'a [T],
}

impl<T: Scalar> Dispatched<T> for Weighted<'_, T> {
    type Output = T;

    #[inline(always)]
    fn run<S: Scalar>(self, recast: Recast<T, S>) -> T {
        let (lambda, ddq) = (recast.slice(self.lambda), recast.slice(self.ddq));
        let mut sum = S::zero();
        for k in 0..lambda.len().min(ddq.len()) {
            sum = lambda[k].mul_add(ddq[k], sum);
        }
        recast.back(sum)
    }
}
