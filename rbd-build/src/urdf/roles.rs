//! Roles of joints: moving by themselves, following others, or standing still.

use super::elements::LARGEST;
use super::parts::{Joint, Type};
use crate::names::nearest::Nearest;
use crate::urdf::findings::{At, Report, quoted, shown};
use crate::urdf::options::{Base, ReadOptions};
use rbd_runtime::JointKind;
use std::collections::HashMap;

/// Role of a joint in the model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Role {
    /// Stands still, at this position unless it is fixed by type.
    Still(Option<f64>),
    /// Owns its coordinates.
    Moves(JointKind),
    /// Follows the joint of this index in the file, which moves by itself.
    Follows { kind: JointKind, joint: usize, multiplier: f64, offset: f64 },
}

/// Name of the joint that carries a floating base.
pub(super) const ROOT_JOINT: &str = "root_joint";

/// The role of each joint. `None` where mimic faults leave them open.
pub(super) fn judge(joints: &[Joint<'_>], options: &ReadOptions, report: &mut Report) -> Option<Vec<Role>> {
    let mut by_name = HashMap::new();
    for (index, joint) in joints.iter().enumerate() {
        by_name.entry(joint.name).or_insert(index);
    }
    let locked = locks(joints, &by_name, options, report);
    armatures(joints, &by_name, &locked, options, report);
    if options.gravity.iter().any(|g| !g.is_finite() || g.abs() > LARGEST) {
        let what = format!("gravity {:?} is not finite", options.gravity);
        report.error("bad-gravity", At::Nowhere, "", what, "the default is [0, 0, -9.81]");
    }
    if options.base == Base::Floating
        && let Some(&index) = by_name.get(ROOT_JOINT)
        && matches!(joints[index].kind, Type::Moving(_))
    {
        report.error(
            "duplicate-name",
            joints[index].at,
            &*joints[index].subject,
            "the joint that carries a floating base has this name",
            "rename this joint",
        );
    }
    let follows = follows(joints, &by_name, &locked, report);
    let roles = flatten(joints, &locked, &follows, report)?;
    ignored_damping(joints, &roles, options, report);
    outside_limits(joints, &roles, report);
    Some(roles)
}

fn locks(
    joints: &[Joint<'_>],
    by_name: &HashMap<&str, usize>,
    options: &ReadOptions,
    report: &mut Report,
) -> Vec<Option<f64>> {
    let mut locked = vec![None; joints.len()];
    let mut nearest = Nearest::new(joints.iter().map(|j| j.name));
    let moving = moving(joints);
    for (name, &value) in &options.lock {
        let subject = format!("lock of {}", quoted(name));
        let Some(&index) = by_name.get(name.as_str()) else {
            if name == ROOT_JOINT && options.base == Base::Floating {
                let what = "the floating base has six degrees of freedom";
                report.error("lock-of-many", At::Nowhere, subject, what, "use a fixed base instead");
            } else {
                let help = nearest.help(name, &moving);
                report.error("unknown-joint", At::Nowhere, subject, "there is no such joint", help);
            }
            continue;
        };
        let joint = &joints[index];
        if !value.is_finite() || value.abs() > LARGEST {
            let what = format!("the position {value} is not finite");
            report.error("non-finite", joint.at, subject, what, "give radians or metres");
            continue;
        }
        match joint.kind {
            Type::Moving(kind) if kind.nq() == 1 => locked[index] = Some(value),
            Type::Moving(kind) => {
                let what = format!("one number does not place a {} joint", kind_name(kind));
                report.error("lock-of-many", joint.at, subject, what, "make it `fixed` in the URDF");
            }
            Type::Fixed => {
                let what = "the joint is fixed already; the position is ignored";
                report.warn("lock-of-fixed", joint.at, subject, what, "remove it from `lock`");
            }
            Type::Faulty => {}
        }
    }
    locked
}

/// A help for a name that is like none: the joints that move.
fn moving(joints: &[Joint<'_>]) -> String {
    const SHOWN: usize = 8;
    let names: Vec<_> =
        joints.iter().filter(|j| matches!(j.kind, Type::Moving(_))).map(|j| quoted(j.name)).collect();
    match names.len() {
        0 => "no joint of this file moves".to_owned(),
        n if n > SHOWN => {
            format!("the joints that move are {} and {} more", names[..SHOWN].join(", "), n - SHOWN)
        }
        _ => format!("the joints that move are {}", names.join(", ")),
    }
}

fn armatures(
    joints: &[Joint<'_>],
    by_name: &HashMap<&str, usize>,
    locked: &[Option<f64>],
    options: &ReadOptions,
    report: &mut Report,
) {
    let mut nearest = Nearest::new(joints.iter().map(|j| j.name));
    let moving = moving(joints);
    for (name, &value) in &options.armature {
        let subject = format!("armature of {}", quoted(name));
        let Some(&index) = by_name.get(name.as_str()) else {
            let help = nearest.help(name, &moving);
            report.error("unknown-joint", At::Nowhere, subject, "there is no such joint", help);
            continue;
        };
        let joint = &joints[index];
        if !(0.0..=LARGEST).contains(&value) {
            let what = format!("the rotor inertia {value} is not a finite number of zero or more");
            report.error("bad-armature", joint.at, subject, what, "give kg m^2 or kg");
        } else if joint.kind == Type::Fixed || locked[index].is_some() {
            let what = "the joint does not move; its armature is ignored";
            report.warn("armature-of-fixed", joint.at, subject, what, "remove it from `armature`");
        } else if let Type::Moving(kind) = joint.kind
            && kind.nq() != 1
        {
            let what = format!("a {} joint has no one rotor", kind_name(kind));
            report.error("armature-of-many", joint.at, subject, what, "remove it from `armature`");
        }
    }
}

/// For each mimic joint, the index of the joint that it follows. Faults are reported.
fn follows(
    joints: &[Joint<'_>],
    by_name: &HashMap<&str, usize>,
    locked: &[Option<f64>],
    report: &mut Report,
) -> Vec<Option<usize>> {
    let mut nearest = Nearest::new(joints.iter().map(|j| j.name));
    let mut out = vec![None; joints.len()];
    for (index, joint) in joints.iter().enumerate() {
        let Some(mimic) = &joint.mimic else { continue };
        if joint.kind == Type::Fixed {
            // Published robots with grippers frozen for simulation have this, and the meaning is
            // plain.
            let what = "a fixed joint cannot follow another; the `<mimic>` is ignored";
            report.warn("mimic-on-fixed", mimic.at, &*joint.subject, what, "remove the `<mimic>`");
            continue;
        }
        let mut fault = |code, what: String, help: String| {
            report.error(code, mimic.at, &*joint.subject, what, help);
        };
        match joint.kind {
            Type::Moving(kind) if kind.nq() == 1 => {}
            Type::Faulty | Type::Fixed => continue,
            Type::Moving(kind) => {
                let what = format!("a {} joint cannot follow another", kind_name(kind));
                fault("mimic-many", what, "only joints of one coordinate can follow".into());
                continue;
            }
        }
        if mimic.multiplier == 0.0 {
            let what = "it follows with multiplier 0, so it never moves".into();
            fault("mimic-zero", what, "make the joint `fixed`, or lock it".into());
            continue;
        }
        let Some(&leader) = by_name.get(mimic.joint) else {
            let what = format!("it follows joint {}, which does not exist", quoted(mimic.joint));
            let help = nearest.help(mimic.joint, "name a joint of this file");
            fault("mimic-unknown", what, help);
            continue;
        };
        if leader == index {
            let help = "name another joint, or remove the `<mimic>`".into();
            fault("mimic-itself", "it follows itself".into(), help);
            continue;
        }
        match joints[leader].kind {
            Type::Moving(kind) if kind.nq() != 1 => {
                let what = format!("it follows joint {}, which is {}", quoted(mimic.joint), kind_name(kind));
                fault("mimic-many", what, "only a joint of one coordinate can be followed".into());
            }
            Type::Faulty => {}
            // A joint's own lock takes precedence over the joint that it follows.
            _ if locked[index].is_some() => {}
            Type::Fixed => {
                // As for a joint whose leader is locked at zero.
                let what = format!(
                    "it follows joint {}, which is fixed; so it stands still at its offset {}",
                    quoted(mimic.joint),
                    mimic.offset
                );
                report.warn(
                    "mimic-of-fixed",
                    mimic.at,
                    &*joint.subject,
                    what,
                    "make this joint `fixed` too, or follow a moving one",
                );
                out[index] = Some(leader);
            }
            Type::Moving(_) => out[index] = Some(leader),
        }
    }
    out
}

/// Follows chains of mimic joints to their ends: q = m1 (m2 q + o2) + o1.
fn flatten(
    joints: &[Joint<'_>],
    locked: &[Option<f64>],
    follows: &[Option<usize>],
    report: &mut Report,
) -> Option<Vec<Role>> {
    let mut roles: Vec<Option<Role>> = vec![None; joints.len()];
    for (index, joint) in joints.iter().enumerate() {
        roles[index] = match (joint.kind, follows[index], locked[index]) {
            (_, Some(_), _) => None,
            (_, None, Some(value)) => Some(Role::Still(Some(value))),
            (Type::Moving(kind), None, None) => Some(Role::Moves(kind)),
            (Type::Fixed | Type::Faulty, None, None) => Some(Role::Still(None)),
        };
    }
    let mut sound = true;
    let mut on_chain = vec![false; joints.len()];
    for start in 0..joints.len() {
        let mut chain = Vec::new();
        let mut end = start;
        while roles[end].is_none() && !on_chain[end] {
            on_chain[end] = true;
            chain.push(end);
            end = follows[end].unwrap_or(end);
        }
        if roles[end].is_none() {
            sound = false;
            let from = chain.iter().position(|&j| j == end).unwrap_or(0);
            let names: Vec<String> =
                chain[from..].iter().take(8).chain([&end]).map(|&j| quoted(joints[j].name)).collect();
            let what = format!("joints follow each other in a circle: {}", names.join(" -> "));
            let at = joints[end].mimic.as_ref().map_or(joints[end].at, |m| m.at);
            report.error("mimic-cycle", at, &*joints[end].subject, what, "one of them must move by itself");
        }
        for index in chain.into_iter().rev() {
            let (Some(leader), Some(mimic)) = (follows[index], &joints[index].mimic) else { continue };
            let Type::Moving(kind) = joints[index].kind else { continue };
            let (m, o) = (mimic.multiplier, mimic.offset);
            let role = match roles[leader] {
                Some(Role::Still(value)) => Role::Still(Some(m * value.unwrap_or(0.0) + o)),
                Some(Role::Moves(_)) => Role::Follows { kind, joint: leader, multiplier: m, offset: o },
                Some(Role::Follows { joint, multiplier, offset, .. }) => {
                    Role::Follows { kind, joint, multiplier: m * multiplier, offset: m * offset + o }
                }
                // Part of a circle, which is reported.
                None => Role::Still(Some(0.0)),
            };
            let numbers = match role {
                Role::Still(value) => [1.0, value.unwrap_or(0.0)],
                Role::Follows { multiplier, offset, .. } => [multiplier, offset],
                Role::Moves(_) => [1.0, 0.0],
            };
            if numbers[0] == 0.0 || numbers.iter().any(|x| x.abs() > LARGEST) {
                sound = false;
                let what = format!("its mimic chain gives {} q + {}", shown(numbers[0]), shown(numbers[1]));
                report.error(
                    "number-out-of-range",
                    mimic.at,
                    &*joints[index].subject,
                    what,
                    "check the multipliers",
                );
                roles[index] = Some(Role::Still(Some(0.0)));
            } else {
                roles[index] = Some(role);
            }
        }
    }
    sound.then(|| roles.into_iter().map(|r| r.unwrap_or(Role::Still(None))).collect())
}

/// One warning for the file: a robot states damping on most of its joints or on none.
fn ignored_damping(joints: &[Joint<'_>], roles: &[Role], options: &ReadOptions, report: &mut Report) {
    if options.damping {
        return;
    }
    let damped =
        |(joint, role): &(&Joint<'_>, &Role)| joint.damping != 0.0 && !matches!(role, Role::Still(_));
    let mut found = joints.iter().zip(roles).filter(damped);
    if let Some((first, _)) = found.next() {
        let more = match found.count() {
            0 => String::new(),
            1 => ", as does another joint".to_owned(),
            n => format!(", as do {n} other joints"),
        };
        let what = format!("it states damping{more}, which does not enter the dynamics");
        report.warn(
            "damping-ignored",
            first.at,
            &*first.subject,
            what,
            "`damping: true` lets it enter; `allow: [\"damping-ignored\"]` silences this",
        );
    }
}

fn outside_limits(joints: &[Joint<'_>], roles: &[Role], report: &mut Report) {
    for (joint, role) in joints.iter().zip(roles) {
        let Role::Still(Some(value)) = role else { continue };
        if *value < joint.limits.lower || *value > joint.limits.upper {
            let what = format!(
                "it is locked at {value}, outside of its limits {} to {}",
                joint.limits.lower, joint.limits.upper
            );
            report.warn("lock-outside-limits", joint.at, &*joint.subject, what, "lock it within its limits");
        }
    }
}

/// Name of a joint type in a URDF.
pub(super) fn kind_name(kind: JointKind) -> &'static str {
    match kind {
        JointKind::Revolute => "revolute",
        JointKind::Continuous => "continuous",
        JointKind::Prismatic => "prismatic",
        JointKind::Planar => "planar",
        JointKind::Spherical => "spherical",
        JointKind::Floating => "floating",
    }
}
