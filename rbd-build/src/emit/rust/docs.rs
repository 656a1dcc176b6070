//! Documentation of the generated type: joints in the order of `q` and `v`, and frames.

use rbd_runtime::model::Body;
use rbd_runtime::{JointKind, Model};
use std::fmt::Write;

/// Most characters shown of a name.
const SHOWN: usize = 60;

/// A table of the joints and a line of frames, as doc comments.
pub fn tables(model: &Model<f64>) -> String {
    let mut text = String::from(
        "///\n\
         /// | joint | kind | in q | in v | lower | upper | speed | effort |\n\
         /// |---|---|---|---|---:|---:|---:|---:|\n",
    );
    for body in &model.bodies {
        let limits = body.limits;
        let _ = writeln!(
            text,
            "/// | {} | {} | {} | {} | {} | {} | {} | {} |",
            name(&body.joint),
            kind(body, model),
            places(body.idx_q, body.nq()),
            places(body.idx_v, body.nv()),
            limit(limits.lower),
            limit(limits.upper),
            limit(limits.velocity),
            limit(limits.effort)
        );
    }
    let frames: Vec<String> = model.frames.iter().map(|frame| name(&frame.name)).collect();
    let _ = write!(
        text,
        "///\n\
         /// Positions in rad or m, speeds in rad/s or m/s, efforts in N m or N; none where the URDF states no limit.\n\
         ///\n\
         /// Frames: {}.\n",
        frames.join(", ")
    );
    text
}

/// A name of the URDF as code, in ASCII. Marks of tables and of Markdown are replaced.
fn name(name: &str) -> String {
    let shown: String = name.chars().take(SHOWN).collect();
    let more = if shown.len() < name.len() { ".." } else { "" };
    let plain: String = shown
        .escape_default()
        .map(|c| match c {
            '`' => '\'',
            '|' => '/',
            other => other,
        })
        .collect();
    format!("`{plain}{more}`")
}

fn kind(body: &Body<f64>, model: &Model<f64>) -> String {
    let kind = match body.kind {
        JointKind::Revolute => "revolute",
        JointKind::Continuous => "continuous",
        JointKind::Prismatic => "prismatic",
        JointKind::Planar => "planar",
        JointKind::Spherical => "spherical",
        JointKind::Floating => "floating",
    };
    match body.mimic {
        None => kind.into(),
        Some(mimic) => format!("{kind}, follows {}", name(&model.bodies[mimic.joint].joint)),
    }
}

/// Range of coordinates: `3` or `0..7`. Empty for a mimic joint.
fn places(first: usize, n: usize) -> String {
    match n {
        0 => String::new(),
        1 => first.to_string(),
        _ => format!("{first}..{}", first + n),
    }
}

fn limit(x: f64) -> String {
    if x.is_finite() { format!("{x:?}") } else { String::new() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::urdf::options::{Base, ReadOptions};

    fn table(urdf: &str, base: Base) -> String {
        let options = ReadOptions { base, ..ReadOptions::default() };
        tables(&crate::urdf::read(urdf, "robot.urdf", &options).unwrap().model)
    }

    #[test]
    fn a_joint_has_its_places_and_limits() {
        let text = table(include_str!("../../../tests/good/gripper.urdf"), Base::Floating);
        assert!(text.contains("| `root_joint` | floating | 0..7 | 0..6 |  |  |  |  |"), "{text}");
        assert!(text.contains(", follows `"), "{text}");
        assert!(text.lines().all(|line| line.starts_with("///")), "{text}");
        let columns = |line: &str| line.matches('|').count();
        assert!(
            text.lines().filter(|line| line.starts_with("/// |")).all(|line| columns(line) == 9),
            "{text}"
        );
    }

    #[test]
    fn names_stay_names() {
        assert_eq!(name("elbow"), "`elbow`");
        assert_eq!(name("a`b|c\n*/ <b>\u{202e}"), "`a'b/c\\n*/ <b>\\u{202e}`");
        assert_eq!(name(&"x".repeat(20_000)).len(), SHOWN + 4);
    }
}
