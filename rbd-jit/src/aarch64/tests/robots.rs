//! Kernels of published robots: an arm, and a quadruped whose legs are side by side.

use super::compare;
use crate::aarch64::tests::emulator::Emulator;
use crate::cases::Case;
use crate::kept::{Source, Wired};
use rbd_build::{Base, Function as Id, Robot};
use rbd_ir::kernel::{Kernel, Role};
use rbd_runtime::random::Random;
use std::path::Path;

/// Numbers of a state, for a kernel's arguments: no more than a few radians, so that most sines are taken in
/// machine code.
fn case(kernel: &Kernel, states: usize, what: String) -> Case {
    let random = &mut Random::new(3);
    let is_read = |decl: &&rbd_ir::kernel::ArrayDecl| decl.role == Role::In;
    let lengths = kernel.arrays.iter().filter(is_read).map(|decl| decl.len() * states);
    let inputs = lengths.map(|length| (0..length).map(|_| random.uniform(-3.0, 3.0)).collect()).collect();
    Case { kernel: kernel.clone(), inputs, what }
}

/// Compares every kernel of every function. How many there were for one state, how many of them with lanes,
/// and how many for two states.
fn check(robot: &str, base: Base) -> [usize; 3] {
    let Some(mut emulator) = Emulator::new() else { return [usize::MAX; 3] };
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../robots").join(robot);
    let functions = Id::ALL.into_iter().filter(|f| !f.is_by_parameters());
    let generated = Robot::from_urdf(path).base(base).functions(functions).trace().expect("a sound robot");
    let mut counts = [0; 3];
    for plan in &generated.functions {
        let Source { scalar, limbs, .. } = Source::of_plan(plan);
        let kernels = |all: &[std::sync::Arc<Wired>]| -> Vec<Kernel> {
            all.iter().map(|wired| wired.kernel.clone()).collect()
        };
        let what = |k: usize| format!("{robot}, {}, kernel {k}", plan.spec().name);
        for (k, kernel) in kernels(limbs.as_ref().unwrap_or(&scalar)).iter().enumerate() {
            compare(&mut emulator, &case(kernel, 1, what(k)), 1);
            counts[0] += 1;
            counts[1] += usize::from(limbs.is_some());
        }
        for (k, kernel) in kernels(&scalar).iter().enumerate() {
            if kernel.calls().next().is_none() {
                compare(&mut emulator, &case(kernel, 2, what(k)), 2);
                counts[2] += 1;
            }
        }
    }
    counts
}

#[test]
fn an_arm() {
    let counts = check("iiwa14.urdf", Base::Fixed);
    assert!(counts[0] >= 30 && counts[2] >= 20, "{counts:?}");
}

#[test]
fn a_quadruped() {
    let counts = check("hyq.urdf", Base::Floating);
    assert!(counts[0] >= 30 && counts[1] >= 5 && counts[2] >= 20, "{counts:?}");
}
