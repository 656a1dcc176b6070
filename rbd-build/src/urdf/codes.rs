//! Codes of all warnings, which the option `allow` may name.

use crate::names::nearest::nearest;
use crate::urdf::findings::{At, Report, quoted};
use std::collections::BTreeSet;

/// Codes of warnings and notes with their meanings, in alphabetical order. All other codes are
/// errors, which cannot be allowed.
pub const WARNINGS: &[(&str, &str)] = &[
    ("armature-of-fixed", "`armature` names a joint that does not move"),
    ("damping-ignored", "the file states joint damping, which enters the dynamics with `damping: true` only"),
    ("inertia-not-psd", "an inertia is not positive semidefinite, and `allow_unphysical_inertia` is set"),
    ("inertia-on-fixed-root", "note: the root link of a fixed base has an inertia, which has no effect"),
    ("inertia-triangle", "no body has these principal inertias: one exceeds the sum of the other two"),
    ("inertia-units", "a radius of gyration is more than ten times the robot's longest link"),
    ("inertia-without-mass", "the mass is zero and the inertia is not"),
    ("large-angle", "`rpy` turns by more than a full turn: degrees?"),
    ("large-limit", "a revolute joint's limit is beyond four turns: degrees?"),
    ("large-offset", "an `<origin>` is more than 100 m away: millimetres?"),
    ("limits-on-continuous", "a continuous joint has a lower or an upper limit, which is ignored"),
    ("limits-reversed", "no position lies between the limits; the joint is taken as unlimited"),
    ("lock-of-fixed", "`lock` names a joint that is fixed already"),
    ("lock-outside-limits", "a joint is locked outside of its limits"),
    ("mimic-of-fixed", "a joint follows one that is fixed"),
    ("mimic-on-fixed", "a fixed joint has a `<mimic>`, which is ignored"),
    ("misplaced-element", "an element stands where it does not belong, and is ignored"),
    ("missing-inertial", "a link that moves by itself ends the chain without an `<inertial>`"),
    ("missing-limits", "a revolute or prismatic joint lacks limits; it is taken as unlimited"),
    ("misspelt-element", "a tag is nearly that of a URDF, and is ignored"),
    ("negative-damping", "a damping or a friction is negative"),
    ("negative-limit", "a limit of velocity or effort is negative"),
    ("non-unit-axis", "an axis is not of unit length; it is normalised"),
    ("non-unit-quaternion", "a `quat_xyzw` is not of unit length; it is normalised"),
    ("quaternion-version", "`quat_xyzw` in a file whose version is below 1.1, where other readers ignore it"),
    (
        "right-angle-digits",
        "note: right angles are written with few digits, which `snap` could take for exact",
    ),
    ("singular-at-neutral", "the mass matrix is singular in the neutral position"),
    ("tiny-mass", "a mass is above zero and below 1e-15 kg: a slip, or a number of too few digits"),
    ("unexpanded-xacro", "xacro that is left over inside of what dynamics does not read"),
    ("unknown-attribute", "an attribute is not one of its element, and is ignored"),
];

/// Returns whether this is the code of a warning or a note.
pub(crate) fn is_warning(code: &str) -> bool {
    WARNINGS.binary_search_by_key(&code, |(known, _)| known).is_ok()
}

/// Refuses codes that are not warnings: a misspelt one would silence nothing, unnoticed.
pub(crate) fn judge(allow: &BTreeSet<String>, report: &mut Report) {
    for code in allow.iter().filter(|code| !is_warning(code)) {
        let help = match nearest(code, WARNINGS.iter().map(|(known, _)| *known)) {
            Some(known) => format!("did you mean `{known}`?"),
            None => "the code is in the brackets after `warning`; errors cannot be allowed".to_owned(),
        };
        let subject = format!("allow of {}", quoted(code));
        report.error("unknown-code", At::Nowhere, subject, "no warning has this code", help);
    }
}

#[cfg(test)]
mod tests {
    use super::WARNINGS;

    #[test]
    fn codes_are_sorted() {
        assert!(WARNINGS.windows(2).all(|w| w[0].0 < w[1].0));
    }
}
