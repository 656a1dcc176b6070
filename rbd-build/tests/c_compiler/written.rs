//! The text itself: that it is the recorded one, and that names in a URDF and options cannot make
//! it something else.

use crate::c_compiler::{self, compilers};
use crate::{check, robot, root, traced};
use rbd_build::{C, Function, Robot};
use std::path::{Path, PathBuf};

fn check_recorded(name: &str, text: &str) {
    let path: PathBuf = root().join("tests/golden").join(name);
    if std::env::var_os("RBD_BLESS").is_some_and(|x| x == "1") {
        std::fs::write(&path, text).unwrap();
    }
    let known = std::fs::read_to_string(&path).unwrap_or_default();
    let line = known.lines().zip(text.lines()).take_while(|(a, b)| a == b).count();
    assert!(
        known == text,
        "{name} is not what is written now, from line {} on; if that is meant, run \
             `cargo xtask bless`, and read the difference",
        line + 1
    );
}

#[test]
fn generated_files_are_the_recorded_ones() {
    let options = C { float: false, casadi: true, ..C::default() };
    let files = || robot("double_pendulum").plan(options).unwrap().files();
    let once = files();
    assert_eq!(once, files());
    once.iter().for_each(|(name, text)| check_recorded(name, text));
    // They compile as they are, CasADi's as well.
    check("recorded", &once, &[], &[], 0.0);
}

/// As `tests/trust/hostile_names.rs` does for Rust.
#[test]
fn hostile_names_stay_names() {
    let hostile = std::fs::read_to_string(root().join("tests/golden/hostile_names.urdf")).unwrap();
    let document = roxmltree::Document::parse(&hostile).unwrap();
    let mut places: Vec<(std::ops::Range<usize>, String)> = Vec::new();
    for n in document.descendants().filter(roxmltree::Node::is_element) {
        for name in ["name", "link"] {
            places.extend(n.attribute_node(name).map(|a| (a.range_value(), a.value().to_owned())));
        }
    }
    let mut names: Vec<&str> = places.iter().map(|(_, name)| name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let mut harmless = hostile.clone();
    let mut from_the_end = places.clone();
    from_the_end.sort_by_key(|(place, _)| std::cmp::Reverse(place.start));
    for (place, name) in from_the_end {
        let number = names.iter().position(|n| **n == *name).unwrap();
        harmless.replace_range(place, &format!("name{number}"));
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("c_names");
    std::fs::create_dir_all(&folder).unwrap();
    let generated = |file: &str, text: &str| {
        std::fs::write(folder.join(file), text).unwrap();
        let robot = Robot::from_urdf(folder.join(file)).functions([Function::Rnea]);
        robot.plan(C { float: false, casadi: true, ..C::default() }).unwrap()
    };
    // A file's name is hostile, too.
    let hostile = generated("a\"; }\n int x = 1; \\?? \u{202e}.urdf", &hostile);
    let harmless = generated("harmless.urdf", &harmless);
    assert_eq!(&hostile.name, "a_int_x_1");
    for ((_, a), (_, b)) in hostile.files().iter().zip(&harmless.files()) {
        assert!(a.is_ascii() && a.chars().all(|c| c == '\n' || !c.is_control()));
        let same = |text: &str, prefix: &str| {
            let text = text.replace(&prefix.to_uppercase(), "ROBOT").replace(prefix, "robot");
            c_compiler::without_strings_and_comments(&text)
        };
        assert_eq!(same(a, &hostile.name), same(b, &harmless.name));
    }
    for compiler in compilers() {
        let names =
            c_compiler::printed_names(compiler, &hostile.name, hostile.model.bodies.len(), &hostile.files());
        let joints = hostile.model.bodies.iter().map(|b| b.joint.clone());
        let expected: Vec<String> = std::iter::once(hostile.model.name.clone()).chain(joints).collect();
        assert_eq!(names, expected);
    }
}

#[test]
fn options_are_checked() {
    let fault = |robot: &Robot, options| robot.plan(options).unwrap_err().to_string();
    let arm = robot("double_pendulum");
    assert!(
        fault(&arm, C { float: true, casadi: true, ..C::default() })
            .contains("casadi: CasADi computes in double")
    );
    for name in ["", "int x; int", "_arm", "a__b", "\u{e9}", "arm;", "7"] {
        let fault = fault(&arm.clone().name(name), C::default());
        assert!(fault.contains("cannot begin names in C"), "{name}: {fault}");
    }
    let hides = fault(&arm.clone().functions([Function::Rnea]).name("math"), C::default());
    assert!(hides.contains("`math.h` is a header of C's library"), "{hides}");
    assert_eq!(traced(&arm.name("Arm_2")).name, "Arm_2");
}
