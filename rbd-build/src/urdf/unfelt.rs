//! Refusal of robots with motions without inertia.

use super::assemble::Assembled;
use super::rigid;
use crate::urdf::findings::{At, Report, quoted};
use rbd_runtime::spatial::Inertia;
use rbd_runtime::{JointKind, Model};

/// Refuses motions without inertia; `unfelt` flags the bodies whose joints have one.
pub(super) fn refuse(
    assembled: &Assembled,
    root: At,
    unfelt: &[bool],
    carried: &[Inertia<f64>],
    report: &mut Report,
) {
    let Assembled { model, places, .. } = assembled;
    if model.bodies.iter().all(|b| b.inertia == rigid::no_inertia()) && model.base_inertia.mass == 0.0 {
        report.error(
            "no-mass",
            root,
            "robot",
            "no link of this file has a mass: it says what the robot looks like, not how it moves",
            "give the links that move an `<inertial>` with mass and inertia, or export the robot with them",
        );
        return;
    }
    let base = own_base(model);
    if let Some(first) = base.first().filter(|_| base.iter().any(|&i| unfelt[i])) {
        report.error(
            "two-bases",
            places[*first].at,
            &*places[*first].subject,
            format!(
                "this joint and the floating base at link {} both move the whole robot, so M is singular",
                quoted(&model.bodies[0].link)
            ),
            "the file has joints of its own for the base: choose a fixed base, which is the default",
        );
    }
    let mut of_base = vec![false; model.bodies.len()];
    base.iter().for_each(|&i| of_base[i] = true);
    let massless = |i: usize| unfelt[i] && carried[i].mass == 0.0 && carried[i].j.amax() == 0.0;
    for (i, (body, place)) in model.bodies.iter().zip(places).enumerate() {
        if !unfelt[i] || (of_base[i] && carried[i].mass > 0.0) {
            continue;
        }
        if massless(i) {
            // The topmost joint stands for all below it.
            if !body.parent.is_some_and(massless) {
                let what = format!(
                    "neither link {}, which it moves, nor anything beyond has mass",
                    quoted(&body.link)
                );
                report.error("massless-subtree", place.at, &*place.subject, what, MEND);
            }
        } else {
            let what = "nothing that it carries resists its motion in any position, so M is singular: \
                        there is no inertia along its axis, or the joints beyond undo the motion";
            report.error("motion-without-inertia", place.at, &*place.subject, what, MEND);
        }
    }
}

/// Joints by which a file moves its robot's base, although it floats already.
///
/// These are the joints between the floating link and the first link with mass, if each link
/// carries only the next, and the floating base itself. The first one is the file's.
fn own_base(model: &Model<f64>) -> Vec<usize> {
    let base = &model.bodies[0];
    if base.kind != JointKind::Floating || base.parent.is_some() {
        return Vec::new();
    }
    // The number of joints that each body carries, and the last of them.
    let mut carried = vec![(0, 0); model.bodies.len()];
    for (i, body) in model.bodies.iter().enumerate() {
        if let Some(parent) = body.parent {
            carried[parent] = (carried[parent].0 + 1, i);
        }
    }
    let mut chain = Vec::new();
    let mut at = 0;
    while model.bodies[at].inertia == rigid::no_inertia() && carried[at].0 == 1 {
        at = carried[at].1;
        chain.push(at);
    }
    if !chain.is_empty() {
        chain.push(0);
    }
    chain
}

const MEND: &str =
    "give the links it carries a mass and an inertia, make it `fixed`, lock it, or set its `armature`";
