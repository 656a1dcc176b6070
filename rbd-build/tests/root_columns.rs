//! Columns of forward dynamics' derivatives that a root joint's freedom gives: few entries, and no
//! product for them. Their numbers are compared with the reference's where all are, in
//! `agreement.rs`.

use rbd_build::Function;
use rbd_build::measure::{Entry, Pattern};
use rbd_build::{Base, Robot};

fn patterns(file: &str, base: Base) -> [Pattern; 2] {
    let path = format!("{}/../../robots/{file}.urdf", env!("CARGO_MANIFEST_DIR"));
    let robot = Robot::from_urdf(path).base(base).functions([Function::AbaDerivatives]);
    let generated = robot.trace().expect("a robot");
    ["ddq_dq", "ddq_dv"].map(|name| generated.pattern(name).expect("an output of this name"))
}

/// Rows in which a column is nonzero.
fn rows(pattern: &Pattern, column: usize) -> Vec<usize> {
    (0..pattern.rows).filter(|&row| pattern.entry(row, column) != Entry::Zero).collect()
}

#[test]
fn a_floating_base_makes_good_what_gravity_and_its_velocity_do() {
    let [dq, dv] = patterns("hyq", Base::Floating);
    for axis in 0..3 {
        let others: Vec<usize> = (0..3).filter(|k| *k != axis).collect();
        assert!(rows(&dq, axis).is_empty(), "where the base is does not matter");
        assert_eq!(rows(&dq, 3 + axis), others, "turning it turns gravity");
        assert_eq!(rows(&dv, axis), others, "its velocity enters as w x v");
        assert_eq!(rows(&dv, 3 + axis).len(), 18);
    }
    assert!((6..18).all(|column| rows(&dq, column).len() == 18 && rows(&dv, column).len() == 18));
}

#[test]
fn an_arm_on_a_vertical_axis_does_not_feel_its_first_angle() {
    let [dq, dv] = patterns("iiwa14", Base::Fixed);
    assert!(rows(&dq, 0).is_empty());
    assert!((1..7).all(|column| rows(&dq, column).len() == 7));
    assert!((0..7).all(|column| rows(&dv, column).len() == 7));
}
