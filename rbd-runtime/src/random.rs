//! Random robots and states for tests and benchmarks. A seed gives the same ones on every machine.

use crate::model::{Body, Frame, RunTime};
use crate::spatial::{Inertia, Placement, Vector6, rotation_about};
use crate::{JointKind, JointLimits, Mimic, Model};
use alloc::format;
use alloc::vec::Vec;
use nalgebra::{DVector, Matrix3, Vector3};
use num_traits::Float;

/// SplitMix64 (Steele, Lea and Flood, 2014): small, and good enough for test data.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// A stream of numbers that depends on the seed only.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Uniform in `[low, high)`.
    pub fn uniform(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Uniform among `0..n`; n is not zero.
    pub fn below(&mut self, n: usize) -> usize {
        (self.bits() % n as u64) as usize
    }

    /// True with this probability.
    pub fn chance(&mut self, probability: f64) -> bool {
        self.uniform(0.0, 1.0) < probability
    }

    /// Vector whose components are uniform in `[-size, size)`.
    pub fn vector3(&mut self, size: f64) -> Vector3<f64> {
        Vector3::from_fn(|_, _| self.uniform(-size, size))
    }

    /// Uniform on the unit sphere.
    pub fn unit3(&mut self) -> Vector3<f64> {
        loop {
            let x = self.vector3(1.0);
            let n2 = x.norm_squared();
            if n2 > 0.01 && n2 <= 1.0 {
                return x / Float::sqrt(n2);
            }
        }
    }

    /// A rotation about a random axis by a random angle.
    pub fn rotation(&mut self) -> Matrix3<f64> {
        let axis = self.unit3();
        let (s, c) = Float::sin_cos(self.uniform(-3.0, 3.0));
        rotation_about(&axis, s, c)
    }

    /// A unit quaternion `[x, y, z, w]`.
    pub fn quaternion(&mut self) -> [f64; 4] {
        let axis = self.unit3();
        let (s, c) = Float::sin_cos(self.uniform(-1.5, 1.5));
        [axis.x * s, axis.y * s, axis.z * s, c]
    }

    /// Components uniform in `[-size, size)`.
    pub fn vector(&mut self, n: usize, size: f64) -> DVector<f64> {
        DVector::from_fn(n, |_, _| self.uniform(-size, size))
    }

    /// A body that could exist: a rigid set of eight points of random mass, up to 0.3 m from one another.
    pub fn inertia(&mut self) -> Inertia<f64> {
        let centre = self.vector3(0.2);
        let mut sum = Inertia::zero();
        for _ in 0..8 {
            let at = centre + self.vector3(0.15);
            sum += Inertia::from_com(self.uniform(0.05, 0.5), &at, &Matrix3::zeros());
        }
        sum
    }
}

/// Options of [`random_model`].
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Number of moving bodies, the floating base included.
    pub bodies: usize,
    /// Kinds of joints to choose from.
    pub kinds: Vec<JointKind>,
    /// True if the first body is a floating base.
    pub floating: bool,
    /// Probability that a joint of one coordinate follows another.
    pub mimic: f64,
    /// Probability that a body hangs on any earlier body rather than on the last one.
    pub branching: f64,
    /// Probability that a body hangs on the world (for a fixed base).
    pub on_world: f64,
    /// True if joints have armature.
    pub armature: bool,
    /// True if joints have damping, which then is part of the dynamics.
    pub damping: bool,
    /// True if joints have Coulomb friction, smoothed by 0.1 rad/s, which then is part of the
    /// dynamics.
    pub friction: bool,
}

impl Default for Options {
    /// Six bodies on a fixed base, revolute and prismatic, branching; no mimic joints, armature or damping.
    fn default() -> Self {
        Self {
            bodies: 6,
            kinds: [JointKind::Revolute, JointKind::Continuous, JointKind::Prismatic].into(),
            floating: false,
            mimic: 0.0,
            branching: 0.3,
            on_world: 0.1,
            armature: false,
            damping: false,
            friction: false,
        }
    }
}

impl Options {
    /// Every kind of joint, mimic joints, armature and damping.
    pub fn everything(bodies: usize, floating: bool) -> Self {
        let mut kinds = Self::default().kinds;
        kinds.extend([JointKind::Revolute, JointKind::Planar, JointKind::Spherical, JointKind::Floating]);
        Self { bodies, kinds, floating, mimic: 0.2, armature: true, damping: true, ..Self::default() }
    }
}

/// A random tree. Bodies are numbered depth first and carry one frame each, `frame_<i>`; some axes
/// are coordinate axes and some placements pure translations, as in real robots.
pub fn random_model(seed: u64, options: &Options) -> Model<f64> {
    let r = &mut Random::new(seed);
    let parents = random_tree(r, options);
    let (mut nq, mut nv) = (0, 0);
    let mut bodies: Vec<Body<f64>> = Vec::new();
    for (i, &parent) in parents.iter().enumerate() {
        let root = options.floating && i == 0;
        let kind = if root { JointKind::Floating } else { options.kinds[r.below(options.kinds.len())] };
        let leaders: Vec<usize> = (0..i).filter(|&j| bodies[j].nv() == 1).collect();
        let follows = kind.nv() == 1 && r.chance(options.mimic) && !leaders.is_empty();
        let mimic = follows.then(|| Mimic {
            joint: leaders[r.below(leaders.len())],
            multiplier: r.uniform(0.3, 1.5) * if r.chance(0.5) { 1.0 } else { -1.0 },
            offset: r.uniform(-1.0, 1.0),
        });
        let (idx_q, idx_v) = mimic.map_or((nq, nv), |m| (bodies[m.joint].idx_q, bodies[m.joint].idx_v));
        let body = Body {
            joint: if root { "root_joint".into() } else { format!("joint_{i}") },
            link: format!("link_{i}"),
            parent,
            kind,
            axis: random_axis(r, kind),
            placement: if root { Placement::identity() } else { random_placement(r) },
            inertia: r.inertia(),
            idx_q,
            idx_v,
            mimic,
            limits: JointLimits::NONE,
            damping: if options.damping && !root { r.uniform(0.1, 1.0) } else { 0.0 },
            friction: if options.friction && !root { r.uniform(0.1, 2.0) } else { 0.0 },
            armature: if options.armature && !root { r.uniform(0.01, 0.2) } else { 0.0 },
        };
        (nq, nv) = (nq + body.nq(), nv + body.nv());
        bodies.push(body);
    }
    let frames = (0..bodies.len())
        .map(|i| Frame { name: format!("frame_{i}"), body: Some(i), placement: random_placement(r) })
        .collect();
    let (gravity, base_inertia) = (Vector3::new(0.0, 0.0, -9.81), Inertia::zero());
    let name = format!("random_{seed}");
    let (damping_enters, run_time) = (options.damping, RunTime::none());
    let friction_smoothing = options.friction.then_some(0.1);
    Model {
        name,
        pinocchio_order: (0..bodies.len()).collect(),
        bodies,
        frames,
        gravity,
        base_inertia,
        nq,
        nv,
        damping_enters,
        friction_smoothing,
        run_time,
    }
}

/// Parents in depth-first numbering: a new body hangs on the path to the last one.
fn random_tree(r: &mut Random, options: &Options) -> Vec<Option<usize>> {
    let mut parents: Vec<Option<usize>> = Vec::new();
    for i in 0..options.bodies {
        let mut parent = i.checked_sub(1);
        if i > 0 && r.chance(options.branching) {
            for _ in 0..r.below(4) {
                parent = parent.and_then(|p| parents[p].or(Some(p)));
            }
        }
        if !options.floating && r.chance(options.on_world) {
            parent = None;
        }
        parents.push(parent);
    }
    parents
}

fn random_axis(r: &mut Random, kind: JointKind) -> Vector3<f64> {
    if matches!(kind, JointKind::Spherical | JointKind::Floating) {
        return Vector3::zeros();
    }
    if r.chance(0.5) {
        let axis = Vector3::ith(r.below(3), 1.0);
        return if r.chance(0.25) { -axis } else { axis };
    }
    r.unit3()
}

fn random_placement(r: &mut Random) -> Placement<f64> {
    let rotation = if r.chance(0.3) { Matrix3::identity() } else { r.rotation() };
    Placement { rotation, translation: r.vector3(0.4) }
}

/// A state of a robot, with everything that inverse and forward dynamics take.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// Configuration, on the manifold.
    pub q: DVector<f64>,
    /// Velocity.
    pub v: DVector<f64>,
    /// Acceleration.
    pub a: DVector<f64>,
    /// Torques.
    pub tau: DVector<f64>,
    /// Force on each body, in its joint frame.
    pub fext: Vec<Vector6<f64>>,
}

/// A random state of this robot.
pub fn random_state(model: &Model<f64>, seed: u64) -> State {
    let r = &mut Random::new(seed ^ 0x5eed_5eed_5eed_5eed);
    let mut q = r.vector(model.nq, 2.0);
    for b in model.bodies.iter().filter(|b| matches!(b.kind, JointKind::Spherical | JointKind::Floating)) {
        let at = b.idx_q + b.kind.nq() - 4;
        q.as_mut_slice()[at..at + 4].copy_from_slice(&r.quaternion());
    }
    State {
        q,
        v: r.vector(model.nv, 1.5),
        a: r.vector(model.nv, 3.0),
        tau: r.vector(model.nv, 10.0),
        fext: model.bodies.iter().map(|_| Vector6::from_fn(|_, _| r.uniform(-5.0, 5.0))).collect(),
    }
}
