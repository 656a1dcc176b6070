//! Kernels of published robots: an arm, and a quadruped whose legs are side by side.

use super::{Emulator, compare};
use crate::cases::Case;
use crate::kept::{Source, Wired};
use rbd_build::{Base, Function as Id, Robot};
use rbd_ir::kernel::{Kernel, Role};
use rbd_runtime::random::Random;
use std::path::Path;
use std::sync::Arc;

/// Numbers of a state, for a kernel's arguments: no more than a few radians, so that most sines are taken in
/// machine code.
fn case(kernel: &Kernel, states: usize, what: String) -> Case {
    let random = &mut Random::new(3);
    let is_read = |decl: &&rbd_ir::kernel::ArrayDecl| decl.role == Role::In;
    let lengths = kernel.arrays.iter().filter(is_read).map(|decl| decl.len() * states);
    let inputs = lengths.map(|length| (0..length).map(|_| random.uniform(-3.0, 3.0)).collect()).collect();
    Case { kernel: kernel.clone(), inputs, what }
}

/// Compares every kernel of a function. How many there were for one state, how many of them with lanes, and
/// how many for two states.
pub fn check(emulator: &mut Emulator, source: &Source, what: &str) -> [usize; 3] {
    let Source { scalar, limbs, .. } = source;
    let single = limbs.as_ref().unwrap_or(scalar);
    for (k, Wired { kernel, .. }) in single.iter().map(|wired| &**wired).enumerate() {
        compare(emulator, &case(kernel, 1, format!("{what}, kernel {k}")), 1);
    }
    // Loops fill registers with one state.
    let is_alone = |wired: &&Arc<Wired>| wired.kernel.calls().next().is_none();
    let batched: Vec<&Arc<Wired>> = scalar.iter().filter(is_alone).collect();
    for (k, wired) in batched.iter().enumerate() {
        compare(emulator, &case(&wired.kernel, 2, format!("{what}, kernel {k} of a batch")), 2);
    }
    [single.len(), limbs.as_ref().map_or(0, Vec::len), batched.len()]
}

/// Runs [`check`] on every function of a robot.
fn check_robot(robot: &str, base: Base) -> [usize; 3] {
    let Some(mut emulator) = Emulator::new() else { return [usize::MAX; 3] };
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../robots").join(robot);
    let functions = Id::ALL.into_iter().filter(|f| !f.is_by_parameters());
    let generated = Robot::from_urdf(path).base(base).functions(functions).trace().expect("a sound robot");
    let mut counts = [0; 3];
    for plan in &generated.functions {
        let what = format!("{robot}, {}", plan.spec().name);
        let more = check(&mut emulator, &Source::of_plan(plan), &what);
        counts.iter_mut().zip(more).for_each(|(count, more)| *count += more);
    }
    counts
}

#[test]
fn an_arm() {
    let counts = check_robot("iiwa14.urdf", Base::Fixed);
    assert!(counts[0] >= 30 && counts[2] >= 20, "{counts:?}");
}

#[test]
fn a_quadruped() {
    let counts = check_robot("hyq.urdf", Base::Floating);
    assert!(counts[0] >= 30 && counts[1] >= 5 && counts[2] >= 20, "{counts:?}");
}
