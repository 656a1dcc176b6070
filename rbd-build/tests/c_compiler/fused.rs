//! Fused functions in C against their kernels, with limbs side by side and without.

use super::{check, robot};
use crate::c_compiler::{Case, argument};
use rbd_build::fused::FusedFunction;
use rbd_build::plan::Plan;
use rbd_build::signature::{Q, Sizes};
use rbd_build::{Base, C, Error, Generated, Robot};
use rbd_runtime::random::{State, random_state};

fn traced(robot: Robot, lists: &[&str]) -> Generated {
    let robot = lists.iter().fold(robot.functions([]), |robot, list| robot.fused(list.parse().unwrap()));
    robot.plan(C::default()).unwrap()
}

/// Calls of both forms.
fn cases(made: &Generated, plan: &Plan<FusedFunction>, state: &State) -> [Case; 2] {
    let (sizes, prefix, method) = (Sizes::from(&made.model), &made.name, plan.function.fused.method());
    let results = plan.run_with_loops(|param| argument(state, param));
    [false, true].map(|at| {
        let mut arguments = Vec::new();
        for param in &plan.function.params {
            let values = argument(state, *param);
            let (sin, cos) = values.iter().map(|x| rbd_runtime::sincos::sin_cos(*x)).unzip();
            arguments.push(values);
            if at && *param == Q {
                arguments.extend([sin, cos]);
            }
        }
        let outputs = plan.function.fields.iter().map(|field| {
            let (rows, columns) = field.output.shape.extent(sizes);
            (field.output.name, rows * columns)
        });
        Case {
            function: format!("{prefix}_{method}{}", if at { "_at" } else { "" }),
            result: Some(format!("{prefix}_{method}_t")),
            arguments,
            outputs: outputs.collect(),
            expected: results.iter().flat_map(|(_, values)| values.clone()).collect(),
        }
    })
}

#[test]
fn give_what_their_kernels_give() {
    let arm = [
        "WholeStep: ddq, ddq_dq, ddq_dv, placement(iiwa_link_7), jacobian(iiwa_link_7, local_world_aligned), com",
        "Fall: potential_energy, com",
    ];
    let legs = ["Step: tau, com, placement(lf_foot)"];
    let hyq = robot("hyq").base(Base::Floating);
    // Angles of HyQ have offsets: by the sine of a sum, and not of the summed angle.
    for (robot, lists, tolerance) in [(robot("iiwa14"), &arm[..], 0.0), (hyq, &legs, 2e-15)] {
        let made = traced(robot, lists);
        assert_eq!((made.functions.len(), made.fused.len()), (0, lists.len()));
        let states = [random_state(&made.model, 1), random_state(&made.model, 2)];
        let all = states.iter().flat_map(|state| made.fused.iter().map(move |plan| (plan, state)));
        let cases: Vec<Case> = all.flat_map(|(plan, state)| cases(&made, plan, state)).collect();
        let name = format!("fused_{}", &made.name);
        check(&name, &made.files(), &["-DRBD_VECTORS=0", "-ffp-contract=off"], &cases, tolerance);
        check(&format!("{name}_vectors"), &made.files(), &["-ffp-contract=off"], &cases, 2e-15);
    }
}

#[test]
fn names_that_are_taken_in_c_are_refused() {
    for (list, said) in [
        ("SinCos: tau", "another function `sin_cos` in C"),
        ("Rows: tau", "another function `rows` in C"),
        ("Neutral: tau", "another function `neutral`"),
        ("Turn: tau", "there is another function `turn` in C"),
        ("Übung: tau", "`übung` is no name in C"),
        ("Step: long: tau", "`long` is a word of C or C++"),
    ] {
        let robot = robot("double_pendulum").fused(list.parse().unwrap());
        match robot.plan(C::default()) {
            Err(Error::Option { name: "fused", what }) => assert!(what.contains(said), "{what}"),
            other => panic!("{list}: {other:?}"),
        }
    }
}
