//! Frames of a robot for which functions are generated.

use rbd_runtime::contact::PathJoint;
use rbd_runtime::spatial::Placement;
use rbd_runtime::{ContactKind, Model, ReferenceFrame};

/// Frame and reference frame of a function.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrameAt {
    /// Number of the frame among the model's frames.
    pub index: usize,
    /// The body of the model that carries it; `None` for the world.
    pub body: Option<usize>,
    /// The frame in that body's joint frame, of the URDF (in the world, for `body: None`).
    pub placement: Placement<f64>,
    /// Axes and reference point of the frame's motion.
    pub reference: ReferenceFrame,
}

/// A contact that dynamics are generated with.
#[derive(Clone, Debug, PartialEq)]
pub struct ContactAt {
    /// Name of the frame or of the closed loop.
    pub name: String,
    /// Type of the contact: a point or the whole frame is held.
    pub kind: ContactKind,
    /// Number of the contact's frame among the model's frames.
    pub frame: usize,
    /// Second frame of a closed loop, which coincides with the first.
    pub second: Option<usize>,
}

impl ContactAt {
    /// Coordinates of v that can move the contact's rows, as runs from the first to before the last: the
    /// joints on the paths from the root to its frames.
    pub fn support(&self, model: &Model<f64>) -> Vec<(usize, usize)> {
        let mut on_the_way = vec![false; model.nv];
        for frame in [Some(self.frame), self.second].into_iter().flatten() {
            let first = model.frames[frame].body;
            for body in std::iter::successors(first, |body| model.bodies[*body].parent) {
                let body = &model.bodies[body];
                on_the_way[body.idx_v..body.idx_v + body.kind.nv()].fill(true);
            }
        }
        let mut runs: Vec<(usize, usize)> = Vec::new();
        for (k, _) in on_the_way.iter().enumerate().filter(|(_, is_there)| **is_there) {
            match runs.last_mut() {
                Some((_, end)) if *end == k => *end = k + 1,
                _ => runs.push((k, k + 1)),
            }
        }
        runs
    }

    /// Joints on the paths from the root to its frames, of a closed loop to both.
    ///
    /// `None` if one coordinate belongs to two of them, of which one mimics the other: columns of Jacobians
    /// add their motions up, which second derivatives need one by one.
    pub fn paths(&self, model: &Model<f64>) -> Option<[Vec<PathJoint>; 2]> {
        let path = |frame: usize| {
            let way = std::iter::successors(model.frames[frame].body, |body| model.bodies[*body].parent);
            let joint = |body: usize| {
                let first = model.bodies[body].idx_v;
                PathJoint { body, first, end: first + model.bodies[body].kind.nv() }
            };
            let mut path: Vec<_> = way.map(joint).collect();
            path.reverse();
            path
        };
        let paths = [Some(self.frame), self.second].map(|frame| frame.map_or_else(Vec::new, path));
        let mut bodies: Vec<_> = paths.concat().iter().map(|joint| (joint.body, joint.first)).collect();
        bodies.sort_unstable();
        bodies.dedup();
        let mut coordinates: Vec<_> = bodies.into_iter().map(|(_, first)| first).collect();
        coordinates.sort_unstable();
        coordinates.windows(2).all(|pair| pair[0] != pair[1]).then_some(paths)
    }
}
