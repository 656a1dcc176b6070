//! Options of reading a URDF.

use super::Snap;
use rbd_runtime::ContactKind;
use std::collections::{BTreeMap, BTreeSet};

/// Type of the base of the root link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Base {
    /// The root link is bolted to the world.
    #[default]
    Fixed,
    /// The root link moves freely: a six-degree-of-freedom joint named `root_joint` carries it.
    Floating,
}

/// A frame for which functions are generated.
#[derive(Clone, Debug, PartialEq)]
pub struct FrameOption {
    /// Name of the frame: of a link or a fixed joint of the URDF, or a new one.
    pub name: String,
    /// Link and pose of the frame, if the URDF does not have it.
    pub on: Option<FrameOn>,
}

/// Link and pose of a frame that the URDF does not have.
#[derive(Clone, Debug, PartialEq)]
pub struct FrameOn {
    /// The link that it is fixed to.
    pub link: String,
    /// Origin of the frame in the link's frame, m.
    pub xyz: [f64; 3],
    /// Axes of the frame in the link's frame: roll, pitch and yaw as in a URDF, rad.
    pub rpy: [f64; 3],
}

/// A contact with the world.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactOption {
    /// Frame of the contact: a link or a fixed joint of the URDF, or one that is added.
    pub name: String,
    /// Type of the contact: a point or the whole frame is held.
    pub kind: ContactKind,
}

/// A closed loop: two frames that coincide.
#[derive(Clone, Debug, PartialEq)]
pub struct ClosedLoopOption {
    /// Name of the contact.
    pub name: String,
    /// Frames of the loop: links or fixed joints of the URDF, or ones that are added.
    pub frames: [String; 2],
    /// Type of the loop: the origins coincide, or the whole frames.
    pub kind: ContactKind,
}

/// Inertia that is given at run time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct InertiaOption {
    /// True for the inertia of every moving body.
    pub all: bool,
    /// Links that move: all that the inertia of their bodies is.
    pub links: Vec<String>,
    /// Frames with a load each, in addition to the URDF's inertia.
    pub loads: Vec<FrameOption>,
}

/// Options of reading a URDF.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadOptions {
    /// Type of the base of the root link.
    pub base: Base,
    /// Gravitational acceleration in the world, m/s^2.
    pub gravity: [f64; 3],
    /// Joints that become fixed, each at this position (rad or m).
    pub lock: BTreeMap<String, f64>,
    /// Rotor inertia seen through the gear, by joint, kg m^2 or kg; it is added on M's diagonal.
    pub armature: BTreeMap<String, f64>,
    /// True if the URDF's joint damping is part of the dynamics.
    pub damping: bool,
    /// Smoothing velocity of the URDF's joint friction, rad/s or m/s, if it is part of the
    /// dynamics.
    pub friction: Option<f64>,
    /// True if every warning is an error.
    pub strict: bool,
    /// True if an inertia that is not positive semidefinite is a warning instead of an error.
    pub allow_unphysical_inertia: bool,
    /// Codes of warnings that are left out, of [`WARNINGS`](crate::urdf::codes::WARNINGS).
    pub allow: BTreeSet<String>,
    /// Frames for which functions are generated; if empty, the links at the ends of the tree.
    pub frames: Vec<FrameOption>,
    /// Inertia that is given at run time.
    pub inertia: InertiaOption,
    /// True if gravity is given at run time; [`Self::gravity`] is then its default.
    pub gravity_at_run_time: bool,
    /// Contacts, whose frames are among those for which functions are generated.
    pub contacts: Vec<ContactOption>,
    /// Closed loops, which come after the contacts; so do their frames.
    pub closed_loops: Vec<ClosedLoopOption>,
    /// Frames that fused functions name.
    pub fused_frames: Vec<String>,
    /// Largest difference from a multiple of a right angle, zero included, for an angle of an `rpy`
    /// to be taken for it, rad.
    ///
    /// Without it, only angles that are written to eleven decimals or more are taken.
    pub snap: Option<f64>,
}

impl ReadOptions {
    pub(crate) fn snapping(&self) -> Snap {
        self.snap.map_or(Snap::Written, Snap::Within)
    }
}

impl Default for ReadOptions {
    /// Fixed base, gravity `[0, 0, -9.81]`, nothing locked, no armature, no damping, not strict.
    fn default() -> Self {
        Self {
            base: Base::Fixed,
            gravity: [0.0, 0.0, -9.81],
            lock: BTreeMap::new(),
            armature: BTreeMap::new(),
            damping: false,
            friction: None,
            strict: false,
            allow_unphysical_inertia: false,
            frames: Vec::new(),
            contacts: Vec::new(),
            closed_loops: Vec::new(),
            inertia: InertiaOption::default(),
            gravity_at_run_time: false,
            fused_frames: Vec::new(),
            snap: None,
            allow: BTreeSet::new(),
        }
    }
}
