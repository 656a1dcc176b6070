//! Tables made from a model. The generator writes them out, and tests use them directly.

mod constants;
mod cut;

use super::tables::{Block, Carry, Joint, Numbers, Rows, Segment, Stretch, Strip, Tables, Topology, Window};
use super::{MOST_ROWS, padded};
use crate::Model;
use alloc::boxed::Box;
use alloc::vec::Vec;
use constants::{constants, joints, on_coordinates};
use core::borrow::Borrow;

/// The tables of one robot, with the arrays of [`Tables`] as vectors.
#[derive(Clone, Debug, PartialEq)]
pub struct Owned {
    joints: Vec<Joint>,
    parent: Vec<u16>,
    first: Vec<u16>,
    end: Vec<u16>,
    coordinate: Vec<u16>,
    position: Vec<u16>,
    segment: Vec<u16>,
    segments: Vec<Segment>,
    windows: Vec<Window>,
    strips: Vec<Strip>,
    blocks: Vec<Block>,
    carries: Vec<Carry>,
    stretches: Vec<Stretch>,
    constants: Vec<Constants>,
    armature: Vec<f64>,
    damping: Vec<f64>,
    gravity: [f64; 3],
}

/// The numbers of one row, as [`Tables`] describes them.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Constants {
    placement: [f64; 12],
    joint_frame: [f64; 9],
    ratio: f64,
    offset: f64,
    mass: f64,
    center: [f64; 3],
    spread: [f64; 6],
    subtree_mass: f64,
}

impl Constants {
    /// A row without a body.
    const NONE: Self = Self {
        placement: [0.0; 12],
        joint_frame: [0.0; 9],
        ratio: 1.0,
        offset: 0.0,
        mass: 0.0,
        center: [0.0; 3],
        spread: [0.0; 6],
        subtree_mass: 0.0,
    };
}

/// Largest distance of a joint from its segment's point, in sizes of the subtree: some three digits
/// cancel at most (docs/math.md#loops-over-tables).
const REACH: f64 = 32.0;

/// Limits on the length of a segment.
#[derive(Clone, Copy)]
struct Limits {
    /// Number of rows.
    rows: usize,
    /// Largest distance of a joint from its segment's point, as [`REACH`].
    reach: f64,
}

impl Owned {
    /// Tables of a robot. `None` if a massless body has a first moment, or if there are more than
    /// [`MOST_ROWS`] rows or coordinates.
    #[must_use]
    pub fn from_model(model: &Model<f64>) -> Option<Self> {
        Self::within(model, Limits { rows: usize::MAX, reach: REACH })
    }

    /// Tables with segments of at most `longest` rows, however far they reach.
    #[must_use]
    pub fn with_segments(model: &Model<f64>, longest: usize) -> Option<Self> {
        Self::within(model, Limits { rows: longest, reach: f64::INFINITY })
    }

    fn within(model: &Model<f64>, limits: Limits) -> Option<Self> {
        let rows: usize = model.bodies.iter().map(|b| b.kind.nv()).sum();
        if rows > MOST_ROWS || model.nq > MOST_ROWS {
            return None;
        }
        let (armature, damping) = on_coordinates(model);
        let mut owned = Self {
            joints: joints(model),
            parent: Vec::new(),
            first: Vec::new(),
            end: Vec::new(),
            coordinate: Vec::new(),
            position: Vec::new(),
            segment: Vec::new(),
            segments: Vec::new(),
            windows: Vec::new(),
            strips: Vec::new(),
            blocks: Vec::new(),
            carries: Vec::new(),
            stretches: Vec::new(),
            constants: constants(model)?,
            armature,
            damping,
            gravity: model.gravity.into(),
        };
        owned.number_rows(model);
        owned.cut_segments(model, limits);
        owned.cut_windows();
        owned.make_strips();
        owned.make_blocks();
        Some(owned)
    }

    /// Number of rows.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.parent.len()
    }

    /// Number of velocity coordinates.
    #[must_use]
    pub fn coordinates(&self) -> usize {
        self.armature.len()
    }

    /// The robot for loops that are compiled for arrays of `P`. `None` where that is less than [`padded`]
    /// rows.
    #[must_use]
    pub fn padded<const P: usize>(&self) -> Option<Padded<&Self, P>> {
        Padded::new(self)
    }

    /// Topology of the tree.
    #[must_use]
    pub fn topology(&self) -> Topology<'_> {
        Topology {
            rows: self.rows(),
            joints: &self.joints,
            parent: &self.parent,
            first: &self.first,
            end: &self.end,
            coordinate: &self.coordinate,
            position: &self.position,
            segment: &self.segment,
            segments: &self.segments,
            windows: &self.windows,
            strips: &self.strips,
            blocks: &self.blocks,
            carries: &self.carries,
            stretches: &self.stretches,
        }
    }

    /// The numbers of [`Tables`] by their names there, for whoever writes them out: for each
    /// component, [`padded`] rows.
    #[must_use]
    pub fn numbers(&self) -> [(&'static str, Vec<Vec<f64>>); 8] {
        [
            ("placement", self.columns(|c| c.placement)),
            ("joint_frame", self.columns(|c| c.joint_frame)),
            ("ratio", self.columns(|c| [c.ratio])),
            ("offset", self.columns(|c| [c.offset])),
            ("mass", self.columns(|c| [c.mass])),
            ("center", self.columns(|c| c.center)),
            ("spread", self.columns(|c| c.spread)),
            ("subtree_mass", self.columns(|c| [c.subtree_mass])),
        ]
    }

    fn columns<const K: usize>(&self, of: impl Fn(&Constants) -> [f64; K]) -> Vec<Vec<f64>> {
        let mut columns = alloc::vec![alloc::vec![0.0; padded(self.rows())]; K];
        for (r, constants) in self.constants.iter().enumerate() {
            for (column, x) in columns.iter_mut().zip(of(constants)) {
                column[r] = x;
            }
        }
        columns
    }

    /// Armature and damping of every velocity coordinate, as in [`Tables`].
    #[must_use]
    pub fn on_coordinates(&self) -> [&[f64]; 2] {
        [&self.armature, &self.damping]
    }

    /// Returns whether columns of a floating base are known, as [`Topology::knows_base`].
    #[must_use]
    pub fn knows_base(&self) -> bool {
        self.topology().knows_base(self.on_coordinates())
    }

    /// Gravitational acceleration in the world, m/s^2.
    #[must_use]
    pub fn gravity(&self) -> [f64; 3] {
        self.gravity
    }

    fn by_component<const K: usize, const P: usize>(
        &self,
        of: impl Fn(&Constants) -> [f64; K],
    ) -> Rows<f64, K, P> {
        let mut rows = Rows([[0.0; P]; K]);
        for (r, constants) in self.constants.iter().enumerate() {
            for (row, x) in rows.0.iter_mut().zip(of(constants)) {
                row[r] = x;
            }
        }
        rows
    }
}

/// A robot with its numbers for loops that are compiled for arrays of `P`. It holds the robot, a reference
/// to it or an `Arc`.
#[derive(Clone, Debug)]
pub struct Padded<R, const P: usize> {
    robot: R,
    numbers: Box<Numbers<P>>,
}

impl<R: Borrow<Owned>, const P: usize> Padded<R, P> {
    /// The robot for loops that are compiled for arrays of `P`. `None` where that is less than [`padded`]
    /// rows.
    #[must_use]
    pub fn new(robot: R) -> Option<Self> {
        let of = robot.borrow();
        if P < padded(of.rows()) {
            return None;
        }
        let numbers = Box::new(Numbers {
            placement: of.by_component(|c| c.placement),
            joint_frame: of.by_component(|c| c.joint_frame),
            ratio: of.by_component(|c| [c.ratio]),
            offset: of.by_component(|c| [c.offset]),
            mass: of.by_component(|c| [c.mass]),
            center: of.by_component(|c| c.center),
            spread: of.by_component(|c| c.spread),
            subtree_mass: of.by_component(|c| [c.subtree_mass]),
        });
        Some(Self { robot, numbers })
    }

    /// The robot.
    #[must_use]
    pub fn robot(&self) -> &Owned {
        self.robot.borrow()
    }

    /// The tables.
    #[must_use]
    pub fn tables(&self) -> Tables<'_, P> {
        let robot = self.robot();
        Tables {
            topology: robot.topology(),
            numbers: &self.numbers,
            armature: &robot.armature,
            damping: &robot.damping,
            gravity: robot.gravity,
        }
    }
}
