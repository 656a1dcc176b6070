//! Strategies: the ways to compute a function.

use crate::tree::{Lane, Tree, TreeBody};
use std::fmt;

/// Algorithm of the straight line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Algorithm {
    /// Inverse dynamics with classical accelerations.
    NewtonEuler,
    /// Inverse dynamics with spatial vectors.
    Spatial,
    /// The articulated-body algorithm.
    ArticulatedBodies,
    /// Composite rigid bodies.
    CompositeBodies,
    /// The factors `L^T D L` of the mass matrix.
    Factors,
    /// IDSVA, in link frames.
    Idsva,
    /// From the world outward.
    Outward,
    /// From the end inward.
    Inward,
    /// From a matrix that a fused function also computes: its product with a vector.
    Columns,
    /// Second derivatives by the columns of a path, all in the frame of this body, or of the world.
    OneFrame(Option<u16>),
    /// Loops over the robot's tables, in the runtime.
    Tables,
}

/// Implementation of a product with the inverse of the mass matrix or of its factors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProductBy {
    /// There is none.
    None,
    /// Unrolled, in the straight line.
    StraightLine,
    /// Solves with the factors, in the straight line.
    Solve,
    /// Loops over blocks, after the straight line.
    Loops,
}

/// A way to compute a function, or one stage of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strategy {
    /// Algorithm of the straight line.
    pub algorithm: Algorithm,
    /// Implementation of matrix products.
    pub product: ProductBy,
    /// Number of consecutive kernels.
    pub stages: usize,
}

impl Strategy {
    /// In one kernel.
    pub const fn new(algorithm: Algorithm, product: ProductBy) -> Self {
        Self { algorithm, product, stages: 1 }
    }

    /// IDSVA after a kernel for its inputs from forward dynamics: accelerations and the inverse of
    /// the mass matrix.
    pub const IDSVA_IN_STAGES: Self =
        Self { algorithm: Algorithm::Idsva, product: ProductBy::Loops, stages: 2 };

    /// No straight line at all.
    pub const LOOPS: Self = Self::new(Algorithm::Tables, ProductBy::None);

    /// Loops over tables that solve for columns, in place of products with the inverse of M.
    pub const SOLVING_LOOPS: Self = Self::new(Algorithm::Tables, ProductBy::Solve);

    /// True if there is no straight line.
    pub fn is_loops(self) -> bool {
        self.algorithm == Algorithm::Tables
    }

    /// Strategy of one of the stages.
    #[must_use]
    pub fn stage(self, stage: usize) -> Self {
        let first_of_several = self.stages > 1 && stage == 0;
        let algorithm = if first_of_several { Algorithm::Factors } else { self.algorithm };
        Self { algorithm, stages: 1, ..self }
    }

    /// Returns whether the straight line mixes all degrees of freedom in the end, so that limbs
    /// side by side gain nothing.
    pub fn mixes_limbs(self) -> bool {
        self.algorithm == Algorithm::Idsva
            && matches!(self.product, ProductBy::StraightLine | ProductBy::Solve)
    }
}

impl fmt::Display for Strategy {
    /// Writes the strategy as `rbd report` shows it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use Algorithm as A;
        use ProductBy as P;
        if let A::OneFrame(Some(body)) = self.algorithm {
            return f.pad(&format!("IDSVA, frame of body {}", body + 1));
        }
        f.pad(match (self.algorithm, self.product) {
            (A::Tables, P::Solve) => "loops over tables, solved columns",
            (A::Tables, _) => "loops over tables",
            (A::OneFrame(_), _) => "IDSVA, world frame",
            _ if self.stages > 1 => "two stages, looped products",
            (A::NewtonEuler, _) => "Newton-Euler",
            (A::Spatial, _) => "spatial",
            (A::ArticulatedBodies, _) => "articulated bodies",
            (A::CompositeBodies, _) => "composite bodies",
            (A::Factors, P::Solve) => "LTL factors, Newton-Euler",
            (A::Factors, P::Loops) => "LTL factors, looped product",
            (A::Factors, P::StraightLine | P::None) => "composite bodies, LTL factors",
            (A::Outward, _) => "outward",
            (A::Inward, _) => "inward",
            (A::Columns, _) => "matrix times vector",
            (A::Idsva, P::None) => "IDSVA, link frames",
            (A::Idsva, P::StraightLine) => "IDSVA, unrolled product",
            (A::Idsva, P::Solve) => "IDSVA, LTL solve",
            (A::Idsva, P::Loops) => "IDSVA, looped product",
        })
    }
}

/// Strategy of functions that the runtime computes.
pub fn tables(_: &Tree) -> Vec<Strategy> {
    vec![Strategy::LOOPS]
}

/// Strategies for tensors: in the frame of the world, or of a body that does not stand for several. None if
/// lanes of one body hang on several bodies.
pub fn tensors(tree: &Tree) -> Vec<Strategy> {
    let parent = |lane: &Lane| lane.parent.map(|place| place.body);
    let hang_on_one = |body: &TreeBody| body.lanes.iter().all(|lane| parent(lane) == parent(&body.lanes[0]));
    if !tree.bodies.iter().all(hang_on_one) {
        return vec![];
    }
    let alone = (0..tree.bodies.len()).filter(|body| tree.bodies[*body].lanes.len() == 1);
    let of_bodies = alone.map(|body| Some(body as u16));
    let in_one_frame = |body| Strategy::new(Algorithm::OneFrame(body), ProductBy::None);
    std::iter::once(None).chain(of_bodies).map(in_one_frame).collect()
}

/// Ways to torques.
pub fn torques(_: &Tree) -> Vec<Strategy> {
    vec![
        Strategy::new(Algorithm::NewtonEuler, ProductBy::None),
        Strategy::new(Algorithm::Spatial, ProductBy::None),
    ]
}

/// Ways to accelerations.
pub fn accelerations(tree: &Tree) -> Vec<Strategy> {
    let by_factors = Strategy::new(Algorithm::Factors, ProductBy::Solve);
    // Articulated bodies do not survive joints that share a coordinate (docs/math.md#mimic-joints).
    if tree.has_mimic {
        return vec![by_factors];
    }
    let mut all = vec![Strategy::new(Algorithm::ArticulatedBodies, ProductBy::None)];
    // For chains of hundreds of links the factors are millions of operations, and tracing them
    // takes minutes for nothing.
    if factoring(tree) <= 2 * OF_AN_ARTICULATED_BODY * tree.nb {
        all.push(by_factors);
    }
    all
}

/// More operations than the articulated-body algorithm has for a body (`rbd report` on spatial chains: 300).
const OF_AN_ARTICULATED_BODY: usize = 400;

/// Fewer operations than the factors of M take: a multiply-add for each pair of links on the path of each.
fn factoring(tree: &Tree) -> usize {
    let mut depths: Vec<Vec<usize>> = Vec::new();
    for body in &tree.bodies {
        let depth = |lane: &Lane| 1 + lane.parent.map_or(0, |p| depths[p.body][p.lane]);
        let of_lanes = body.lanes.iter().map(depth).collect();
        depths.push(of_lanes);
    }
    depths.iter().flatten().map(|depth| depth * depth).sum()
}

/// Strategies for the mass matrix.
pub fn mass_matrix(_: &Tree) -> Vec<Strategy> {
    vec![Strategy::new(Algorithm::CompositeBodies, ProductBy::None)]
}

/// Strategies for the inverse of the mass matrix.
pub fn inverse(_: &Tree) -> Vec<Strategy> {
    vec![
        Strategy::new(Algorithm::Factors, ProductBy::StraightLine),
        Strategy::new(Algorithm::Factors, ProductBy::Loops),
    ]
}

/// Strategies for the derivatives of torques.
pub fn torque_derivatives(_: &Tree) -> Vec<Strategy> {
    vec![Strategy::new(Algorithm::Idsva, ProductBy::None)]
}

/// Strategies for the derivatives of accelerations.
pub fn acceleration_derivatives(tree: &Tree) -> Vec<Strategy> {
    let mut all = vec![Strategy::IDSVA_IN_STAGES];
    // Beyond some twenty coordinates an unrolled product is past every cache; not even traced.
    if tree.nv <= 20 {
        let in_one = [ProductBy::StraightLine, ProductBy::Solve, ProductBy::Loops]
            .map(|product| Strategy::new(Algorithm::Idsva, product));
        all.splice(0..0, in_one);
    }
    all
}

/// A single outward pass; limbs may be SIMD lanes.
pub fn one_pass(_: &Tree) -> Vec<Strategy> {
    vec![Strategy::new(Algorithm::Outward, ProductBy::None)]
}

/// A single inward pass; limbs may be SIMD lanes.
pub fn inward(_: &Tree) -> Vec<Strategy> {
    vec![Strategy::new(Algorithm::Inward, ProductBy::None)]
}

/// The single outward pass with limbs not in lanes: for functions of single bodies or frames.
pub fn body_by_body(tree: &Tree) -> Vec<Strategy> {
    if tree.bodies.iter().any(|b| b.lanes.len() > 1) { vec![] } else { one_pass(tree) }
}

/// Outward or inward along a path.
pub fn either_way(tree: &Tree) -> Vec<Strategy> {
    let mut all = body_by_body(tree);
    if !all.is_empty() {
        all.extend(inward(tree));
    }
    all
}
