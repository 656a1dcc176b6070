//! Numbers that can hardly be metres, kilograms and radians. One warning of each kind for a file,
//! with the first place: whoever exports in millimetres does so throughout.

use super::elements::LEAST_MASS;
use super::inertial::{self, Inertial};
use super::parts::{Joint, Link, Type, subject};
use super::rigid::Snap;
use super::tree::Tree;
use crate::urdf::findings::{At, Report, shown};
use crate::urdf::options::ReadOptions;
use rbd_runtime::JointKind;
use std::f64::consts::{FRAC_PI_2, TAU};

/// Farther than this from a frame to the next no robot reaches, m.
const FARTHEST: f64 = 100.0;
/// Limits from here on mean that there is no limit: 1e3, 1e5, 1e9 and 1e16 are common.
const ENDLESS: f64 = 1e3;
/// No robot's longest link counts as shorter than this, m: a wheel with its frame in its centre has
/// no length at all.
const SHORTEST_LINK: f64 = 0.2;
/// Largest radius of gyration, in lengths of the longest link.
const LINKS: f64 = 10.0;

/// Largest error of a right angle written with few digits, rad. Beyond this it is another angle.
const FEW_DIGITS: f64 = 1e-4;
/// The proposed `snap`, and the error within which it takes an angle.
const SNAP: f64 = 1e-5;

/// Right angles in the placements of joints that are written with few digits, such as `1.5708`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RightAngles {
    /// Number of such angles, within 1e-4 rad.
    pub count: usize,
    /// Number of them that an explicit `snap: 1e-5` takes for right angles.
    pub snapped: usize,
    /// Largest change by that, rad.
    pub largest: f64,
}

/// A kind of oddity: its first place, and the number of further ones.
#[derive(Default)]
struct Oddity {
    first: Option<(At, String, String, String)>,
    more: usize,
}

impl Oddity {
    fn add(&mut self, at: At, subject: &str, what: String, help: String) {
        match self.first {
            None => self.first = Some((at, subject.to_owned(), what, help)),
            Some(_) => self.more += 1,
        }
    }

    fn report(self, code: &'static str, report: &mut Report) {
        let Some((at, subject, what, help)) = self.first else { return };
        let more = match self.more {
            0 => String::new(),
            1 => "; there is another like it".to_owned(),
            n => format!("; there are {n} others like it"),
        };
        report.warn(code, at, subject, what + &more, help);
    }
}

/// Judges numbers as the file states them.
pub(super) fn judge(links: &[Link<'_>], joints: &[Joint<'_>], tree: Option<&Tree>, report: &mut Report) {
    offsets(links, joints, report);
    angles(links, joints, report);
    limits(joints, report);
    if let Some(tree) = tree {
        inertias(links, joints, tree, report);
    }
}

/// Each stated placement with its owner.
fn placements<'s>(
    links: &'s [Link<'_>],
    joints: &'s [Joint<'_>],
) -> impl Iterator<Item = (&'s Stated, String)> {
    let of_joints = joints.iter().filter_map(|j| Some((j.stated.as_ref()?, j.subject.clone())));
    let of_links = links.iter().filter_map(|l| Some((l.stated.as_ref()?, subject("link", Some(l.name)))));
    of_joints.chain(of_links)
}

/// The numbers of an `<origin>`, and where they stand.
pub(super) struct Stated {
    pub xyz: ([f64; 3], At),
    /// Zero where the rotation is a quaternion.
    pub rpy: ([f64; 3], At),
}

fn offsets(links: &[Link<'_>], joints: &[Joint<'_>], report: &mut Report) {
    let mut found = Oddity::default();
    for (stated, subject) in placements(links, joints) {
        let (xyz, at) = stated.xyz;
        let length = xyz.iter().map(|x| x * x).sum::<f64>().sqrt();
        if length > FARTHEST {
            let what = format!("its `<origin>` is {length} m away");
            found.add(at, &subject, what, "write metres: millimetres are divided by 1000".into());
        }
    }
    found.report("large-offset", report);
}

fn angles(links: &[Link<'_>], joints: &[Joint<'_>], report: &mut Report) {
    let mut found = Oddity::default();
    for (stated, subject) in placements(links, joints) {
        let (rpy, at) = stated.rpy;
        // Some files turn twice by pi; a full turn with few digits is just a full turn.
        if let Some(angle) = rpy.iter().find(|a| a.abs() > TAU + FEW_DIGITS) {
            let what = format!("`rpy` turns by {angle} rad, which is more than a full turn");
            let help = format!("write radians: {angle} degrees are {}", angle.to_radians());
            found.add(at, &subject, what, help);
        }
    }
    found.report("large-angle", report);
}

fn limits(joints: &[Joint<'_>], report: &mut Report) {
    let mut found = Oddity::default();
    for joint in joints.iter().filter(|j| j.kind == Type::Moving(JointKind::Revolute)) {
        let limits = [joint.limits.lower, joint.limits.upper];
        if let Some(limit) = limits.iter().find(|x| x.abs() > 4.0 * TAU && x.abs() < ENDLESS) {
            let what = format!("the limit {limit} rad is more than four turns");
            let help = format!("write radians: {limit} degrees are {}", limit.to_radians());
            found.add(joint.limit_at, &joint.subject, what, help);
        }
    }
    found.report("large-limit", report);
}

/// Judges inertias by their radius of gyration, which is at most half the size of a body.
///
/// Without meshes, a file does not state the size of a link. But no link is much larger than the
/// longest step of the robot from a joint to the next, or to a centre of mass.
fn inertias(links: &[Link<'_>], joints: &[Joint<'_>], tree: &Tree, report: &mut Report) {
    let moved = |joint: &Joint<'_>| joint.origin.translation.norm();
    let com = |link: &Link<'_>| match &link.inertial {
        Inertial::Given { inertia, .. } if inertia.mass > 0.0 => inertia.h.norm() / inertia.mass,
        _ => 0.0,
    };
    // Bodies on the root may stand anywhere in the world.
    let beyond = tree.joints_of.iter().enumerate().filter(|(link, _)| *link != tree.root);
    let carried = beyond.flat_map(|(_, of_link)| of_link.iter().map(|&joint| moved(&joints[joint])));
    let steps = carried.chain(links.iter().map(com));
    let longest = steps.filter(|s| *s <= FARTHEST).fold(SHORTEST_LINK, f64::max);
    let mut found = Oddity::default();
    for link in links {
        let Inertial::Given { inertia, central, at } = &link.inertial else { continue };
        let radius = (inertial::principal(central)[2] / inertia.mass).sqrt();
        if inertia.mass >= LEAST_MASS && radius > LINKS * longest {
            let what = format!(
                "mass {} kg and inertia {} kg m^2 make a radius of gyration of {radius:.3} m, where the robot's \
                 longest link has {longest:.3} m (shorter ones count as {SHORTEST_LINK} m)",
                shown(inertia.mass),
                shown(inertial::principal(central)[2])
            );
            let help = "write kg and kg m^2: g mm^2 are divided by 1e9, kg mm^2 by 1e6, kg cm^2 by 1e4";
            found.add(*at, &subject("link", Some(link.name)), what, help.into());
        }
    }
    found.report("inertia-units", report);
}

/// Notes right angles with few digits in joints' placements, once for the file.
pub(super) fn right_angles(joints: &[Joint<'_>], options: &ReadOptions, report: &mut Report) -> RightAngles {
    let mut found = RightAngles::default();
    let mut first = None;
    for joint in joints {
        let Some(stated) = &joint.stated else { continue };
        let (rpy, at) = stated.rpy;
        let off = rpy.map(|angle| (angle - (angle / FRAC_PI_2).round() * FRAC_PI_2).abs());
        // Nearer ones are taken for right angles, by default or by the option.
        let left = |i: usize| match options.snap {
            Some(tolerance) => off[i] > tolerance,
            None => off[i] > Snap::DECIMALS || rpy[i].abs() > FEW_DIGITS && !Snap::Written.takes(rpy[i]),
        };
        let few = |i: &usize| off[*i] < FEW_DIGITS && left(*i);
        for i in (0..3).filter(few) {
            first.get_or_insert((at, &joint.subject, rpy[i]));
            found.count += 1;
            if off[i] <= SNAP {
                found.snapped += 1;
                found.largest = found.largest.max(off[i]);
            }
        }
    }
    let others = |n| if n == 1 { "another".to_owned() } else { format!("{n} others") };
    if let Some((at, subject, angle)) = first {
        let what = match found.count {
            1 => format!("the angle {angle} is close to a multiple of a right angle; it is used as written"),
            n => format!(
                "the angle {angle} and {} are close to multiples of a right angle; they are used as written",
                others(n - 1)
            ),
        };
        let help = match found.snapped {
            0 => format!("write {FRAC_PI_2}, {} or a multiple, if that is meant", 2.0 * FRAC_PI_2),
            n => format!(
                "`snap: 1e-5` takes {n} of {} for right angles and turns joints by up to {:.1e} rad; `rbd report` \
                 shows what that saves",
                found.count, found.largest
            ),
        };
        report.note("right-angle-digits", at, subject.as_str(), what, help);
    }
    found
}
