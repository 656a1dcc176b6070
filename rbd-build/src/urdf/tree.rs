//! Connection of links and joints: one tree that contains every link.

use super::parts::{Joint, Link, subject};
use crate::names::nearest::Nearest;
use crate::urdf::findings::{At, Report, quoted};
use std::collections::HashMap;

/// A tree of links.
pub(super) struct Tree {
    /// Index of the root link.
    pub root: usize,
    /// For each link, the joints that it carries, in the order of the file.
    pub joints_of: Vec<Vec<usize>>,
    /// For each joint, the link that it moves.
    pub child: Vec<usize>,
}

/// Judges names and structure. `None` if there is no tree; the report says why.
pub(super) fn judge(links: &[Link<'_>], joints: &[Joint<'_>], root: At, report: &mut Report) -> Option<Tree> {
    if links.is_empty() {
        report.error(
            "no-links",
            root,
            "robot",
            "there is no `<link>`",
            "links are children of `<robot>`: `<link name=\"...\"/>`",
        );
        return None;
    }
    let by_name = names("link", links.iter().map(|l| (l.name, l.at)), report);
    names("joint", joints.iter().map(|j| (j.name, j.at)), report);
    let mut nearest = Nearest::new(links.iter().map(|l| l.name));
    let mut resolve = |end: Option<(&str, At)>, which: &str, joint: &Joint<'_>, report: &mut Report| {
        let (name, at) = end?;
        let link = by_name.get(name).copied();
        if link.is_none() {
            let what = format!("its {which} link {} does not exist", quoted(name));
            let help = nearest.help(name, "name a link of this file, or add this one");
            report.error("unknown-link", at, &*joint.subject, what, help);
        }
        link
    };
    // A link without a name, which no joint can refer to, has that fault only.
    let nameable = |(i, l): (usize, &Link<'_>)| by_name.get(l.name).is_some_and(|&first| first == i);
    let mut above: Vec<Above> =
        links.iter().enumerate().map(|l| if nameable(l) { Above::Nothing } else { Above::Broken }).collect();
    let mut joints_of = vec![Vec::new(); links.len()];
    let mut children = vec![usize::MAX; joints.len()];
    // A joint with an unknown end leaves pieces behind that are not at fault.
    let mut broken = false;
    for (index, joint) in joints.iter().enumerate() {
        let parent = resolve(joint.parent, "parent", joint, report);
        let child = resolve(joint.child, "child", joint, report);
        broken |= parent.is_none() || child.is_none();
        let Some(child) = child else { continue };
        if let Above::Joint(first, _) = above[child] {
            report.error(
                "two-parents",
                joint.child.map_or(joint.at, |(_, at)| at),
                &*joint.subject,
                format!(
                    "its child link {} is already the child of joint {}",
                    quoted(links[child].name),
                    quoted(joints[first].name)
                ),
                "a link has one parent; a closed loop must be cut and cannot be a URDF",
            );
            continue;
        }
        if parent == Some(child) {
            let what = format!("it joins link {} to itself", quoted(links[child].name));
            report.error("cycle", joint.at, &*joint.subject, what, "name another link as parent or child");
            above[child] = Above::Broken;
            broken = true;
            continue;
        }
        above[child] = parent.map_or(Above::Broken, |p| Above::Joint(index, p));
        children[index] = child;
        if let Some(parent) = parent {
            joints_of[parent].push(index);
        }
    }
    cycles(links, joints, &above, report);
    let mut roots = (0..links.len()).filter(|&l| matches!(above[l], Above::Nothing));
    let first = roots.next();
    if !broken && let Some(first) = first {
        for other in roots {
            let lone = joints_of[other].is_empty();
            let what = if lone {
                format!("no joint connects it to the robot; {} is the root", quoted(links[first].name))
            } else {
                format!("it is a second root, beside {}", quoted(links[first].name))
            };
            let help = "connect it by a joint (`fixed`, if it does not move), or remove it";
            report.error(
                "several-roots",
                links[other].at,
                subject("link", Some(links[other].name)),
                what,
                help,
            );
        }
    }
    // Every link but the root has a parent and there is no cycle, unless an error says otherwise.
    Some(Tree { root: first?, joints_of, child: children })
}

/// Parent of a link.
#[derive(Clone, Copy)]
enum Above {
    Nothing,
    /// A joint, and the link that carries the joint.
    Joint(usize, usize),
    /// Something faulty, and reported.
    Broken,
}

/// Index by name; a second use of a name is reported, and the first stands.
fn names<'a>(
    what: &str,
    parts: impl Iterator<Item = (&'a str, At)>,
    report: &mut Report,
) -> HashMap<&'a str, usize> {
    let mut first = HashMap::new();
    for (index, (name, at)) in parts.enumerate() {
        // Empty names have their own finding.
        if !name.trim().is_empty() && *first.entry(name).or_insert(index) != index {
            report.error(
                "duplicate-name",
                at,
                subject(what, Some(name)),
                format!("a second {what} of this name"),
                format!("give every {what} a name of its own"),
            );
        }
    }
    first
}

/// Reports each cycle once, by following parents from every link not seen before.
fn cycles(links: &[Link<'_>], joints: &[Joint<'_>], above: &[Above], report: &mut Report) {
    const LONGEST: usize = 8;
    let mut walk_of = vec![0; links.len()];
    for start in 0..links.len() {
        let walk = start + 1;
        let mut link = start;
        while walk_of[link] == 0 {
            walk_of[link] = walk;
            match above[link] {
                Above::Joint(_, parent) => link = parent,
                Above::Nothing | Above::Broken => break,
            }
        }
        let Above::Joint(joint, _) = above[link] else { continue };
        if walk_of[link] != walk || !matches!(above[link], Above::Joint(..)) {
            continue;
        }
        // The walk came back to one of its own links, or stopped at its end, which has no joint
        // above.
        let mut around = vec![quoted(links[link].name)];
        let mut at = link;
        while let Above::Joint(_, parent) = above[at] {
            around.push(quoted(links[parent].name));
            at = parent;
            if at == link || around.len() > LONGEST {
                break;
            }
        }
        if at != link {
            around.push("...".to_owned());
        }
        around.reverse();
        report.error(
            "cycle",
            joints[joint].at,
            &*joints[joint].subject,
            format!("links go round in a circle: {}", around.join(" -> ")),
            "cut the loop: one link must have no parent",
        );
    }
}
