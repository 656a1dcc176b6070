//! Parameters at run time, for GPUs: one set of numbers for all states, one for each, and mixtures.

use crate::c_compiler::{argument, compilers};
use crate::{Called, STATES, by_result, check, states};
use rbd_build::signature::{GRAVITY, INERTIA, Param};
use rbd_build::{Function, Gpu};
use rbd_runtime::random::State;

#[test]
fn is_given_in_sets() {
    let functions =
        [Function::Rnea, Function::Crba, Function::AbaDerivatives, Function::RneaParameterDerivatives];
    let robot = super::robot("iiwa14").loads(["iiwa_link_7"]).inertia_at_run_time(["iiwa_link_3"]);
    let robot = robot.gravity_at_run_time(true).functions(functions);
    let made = robot.plan(Gpu::default()).unwrap();
    let model = &made.model;
    let file = made.files().remove(0);
    let defaults: Vec<Vec<f64>> = ["INERTIA", "GRAVITY"]
        .map(|name| {
            let (_, list) = file.1.split_once(&format!("#define IIWA14_GIVEN_{name} {{")).unwrap();
            let list = list.split_once('}').unwrap().0.replace(['(', ')'], "");
            list.split(", ").map(|x| x.parse().unwrap()).collect()
        })
        .to_vec();
    let inertias = model.run_time.inertias.iter().flat_map(|inertia| match inertia.whole {
        true => model.bodies[inertia.body].inertia.parameters(),
        false => [0.0; 10],
    });
    assert_eq!(defaults, [inertias.collect::<Vec<_>>(), model.gravity.as_slice().to_vec()]);
    // Heavier in each set, loads too, and less gravity.
    let set = |j: usize| {
        let mut set = defaults.clone();
        for (k, x) in set[0].iter_mut().enumerate() {
            *x += j as f64 * [1.0, 0.1, 0.0, -0.1, 0.2, 0.0, 0.2, 0.0, 0.0, 0.1][k % 10];
        }
        set[1][2] *= 1.0 - 0.2 * j as f64;
        set
    };
    let states = states(model);
    let mut cases = Vec::new();
    for sets in [1, 2, STATES] {
        let given: Vec<Vec<Vec<f64>>> = (1..=sets).map(set).collect();
        for plan in &made.functions {
            assert!(plan.function.takes_parameters(model));
            let value = |state: &State, set: &[Vec<f64>], param: Param| match param {
                INERTIA => set[0].clone(),
                GRAVITY => set[1].clone(),
                param => argument(state, param),
            };
            let results = |(i, state): (usize, &State)| {
                let of = plan.run(|p| value(state, &given[i % sets], p));
                of.into_iter().map(|(_, x)| x).collect::<Vec<_>>()
            };
            let of_states: Vec<_> = states.iter().enumerate().map(results).collect();
            let called = Called {
                function: format!("iiwa14_{}_with", plan.spec().name),
                given: by_result(&given),
                arguments: plan
                    .spec()
                    .params
                    .iter()
                    .map(|p| states.iter().map(|state| argument(state, *p)).collect())
                    .collect(),
                results: by_result(&of_states),
            };
            cases.extend(called.both(&file.1));
        }
    }
    assert!(cases.iter().all(|(batch, _)| batch.whole.len() == 2));
    check("given", &file, "double", &cases, (&compilers(), 0.0));
    let all: Vec<&(_, Vec<f64>)> = cases.iter().collect();
    assert_ne!(all[0].1, all[2 * 2 * made.functions.len()].1, "sets differ");
}

#[test]
fn second_derivatives_do_not_know_it() {
    let robot = super::robot("double_pendulum").gravity_at_run_time(true).functions([Function::RneaHessian]);
    let fault = robot.plan(Gpu::default()).unwrap_err().to_string();
    assert!(fault.contains("`rnea_hessian` knows constant inertia and gravity"), "{fault}");
}
