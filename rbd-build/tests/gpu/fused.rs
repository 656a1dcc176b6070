//! Fused functions for GPUs against their kernels, whole and in parts.

use crate::c_compiler::{argument, compilers};
use crate::{Called, FEW, by_result, check, states};
use rbd_build::emit::c::Real;
use rbd_build::emit::gpu::Writer;
use rbd_build::{Base, Error, Function, Gpu};
use rbd_runtime::Integrator;

#[test]
fn give_what_their_kernels_give() {
    // `tau` is a result and a parameter.
    let lists = [
        "WholeStep: tau, ddq, dtau_dq, placement(iiwa_link_7), jacobian(iiwa_link_7, local_world_aligned), com",
        "Fall: potential_energy, com",
    ];
    let robot = lists
        .iter()
        .fold(super::robot("iiwa14").functions([]), |robot, list| robot.fused(list.parse().unwrap()));
    let made = robot.plan(Gpu::default()).unwrap();
    assert_eq!((made.functions.len(), made.fused.len()), (0, 2));
    let states = states(&made.model);
    let found = compilers();
    for most_alive in [FEW, usize::MAX] {
        let gpu = Writer { prefix: "iiwa14", real: Real::F64, origin: "a test", most_alive };
        let file = ("iiwa14.cuh".to_owned(), gpu.robot_with(&made.model, &[], &made.fused));
        assert_eq!(file.1.contains("#define IIWA14_WHOLE_STEP_KERNEL1_PARTS"), most_alive == FEW);
        let mut cases = Vec::new();
        for plan in &made.fused {
            let results =
                |state| plan.run_with_loops(|p| argument(state, p)).into_iter().map(|(_, x)| x).collect();
            let called = Called {
                function: format!("iiwa14_{}", plan.function.fused.method()),
                given: Vec::new(),
                arguments: plan
                    .function
                    .params
                    .iter()
                    .map(|p| states.iter().map(|state| argument(state, *p)).collect())
                    .collect(),
                results: by_result(&states.iter().map(results).collect::<Vec<_>>()),
            };
            cases.extend(called.both(&file.1));
        }
        let compilers = if most_alive == FEW { &found[found.len().saturating_sub(1)..] } else { &found };
        check(&format!("fused_{}", most_alive == FEW), &file, "double", &cases, (compilers, 0.0));
    }
    assert!(made.files().remove(0).1.contains("iiwa14_whole_step_kernel"));
}

#[test]
fn names_that_are_taken_are_refused() {
    for (list, said) in [
        ("SinCos: tau", "`sin_cos` may be another function for GPUs"),
        ("DampedSolve: tau", "`damped_solve` may be another function for GPUs"),
        ("RneaKernel: tau", "`rnea_kernel` may be another function for GPUs"),
        ("RneaStep1: tau", "`rnea_step1` may be another function for GPUs"),
        ("Link2FramePlacement: com", "there is another function `link2_frame_placement`"),
        ("Neutral: tau", "another function `neutral`"),
        ("Übung: tau", "`übung` is no name in C"),
    ] {
        let robot = super::robot("double_pendulum").frames(["link2"]).fused(list.parse().unwrap());
        match robot.plan(Gpu::default()) {
            Err(Error::Option { name: "fused", what }) => assert!(what.contains(said), "{what}"),
            other => panic!("{list}: {other:?}"),
        }
    }
}

/// Device functions of fixed text, which every fused function might be called like.
#[test]
fn names_of_fixed_text_are_refused() {
    let robot = super::robot("double_pendulum").base(Base::Floating).damping(true);
    let robot = robot.functions([Function::AbaHessian]).contacts(["link2"]);
    for integrator in [Integrator::Rk4, Integrator::ImplicitDamping] {
        let text = robot.clone().step(integrator).plan(Gpu::default()).unwrap().files().remove(0).1;
        let defined = text.lines().filter_map(|line| line.strip_prefix("static void double_pendulum_"));
        let names = defined.filter_map(|rest| Some(rest.split_once('(')?.0));
        let plain: Vec<&str> =
            names.filter(|name| !name.contains("_step") && !name.starts_with("contact_")).collect();
        assert!(plain.len() > 8, "{plain:?}");
        for name in
            plain.into_iter().filter(|name| !name.starts_with("aba") && !["minv", "step"].contains(name))
        {
            let camel = name.split('_').map(|word| word[..1].to_uppercase() + &word[1..]).collect::<String>();
            let fused = robot.clone().step(integrator).fused(format!("{camel}: com").parse().unwrap());
            let refused = matches!(fused.plan(Gpu::default()), Err(Error::Option { name: "fused", .. }));
            assert!(refused, "{name}");
        }
    }
}
