//! Parameters at run time, in C: results of the kernels, and defaults.

use crate::c_compiler::{Case, argument, compilers, hessians, run};
use crate::steps::{close, given};
use rbd_build::plan::Plan;
use rbd_build::signature::{GRAVITY, INERTIA, Param, Sizes};
use rbd_build::{Base, C, Function};
use rbd_runtime::Model;
use rbd_runtime::random::random_state;

/// The functions' arguments are arrays of numbers, and so are the parameters.
const CALLS: [&str; 3] = [
    "-DWITH(f,p,...)=f((const iiwa14_parameters_t *)(p),__VA_ARGS__)",
    "-ffp-contract=off",
    "-DRBD_VECTORS=0",
];

#[test]
fn is_an_argument() {
    let functions =
        [Function::Rnea, Function::Crba, Function::AbaDerivatives, Function::RneaParameterDerivatives];
    let robot = super::robot("iiwa14").loads(["iiwa_link_7"]).inertia_at_run_time(["iiwa_link_3"]);
    let robot = robot.gravity_at_run_time(true).functions(functions);
    let made = robot.plan(C::default()).unwrap();
    let (model, sizes) = (&made.model, Sizes::from(&made.model));
    let run_time = &model.run_time;
    let inertias = run_time.inertias.iter().map(|inertia| match inertia.whole {
        true => model.bodies[inertia.body].inertia.parameters(),
        false => [0.0; 10],
    });
    let default: Vec<f64> = inertias.flatten().chain(model.gravity.iter().copied()).collect();
    assert_eq!(default.len(), 23);
    // A load of 1 kg, a heavier link, and less gravity.
    let mut other = default.clone();
    for k in 0..20 {
        other[k] = other[k] * 1.3 + [1.0, 0.1, 0.0, -0.1, 0.2, 0.0, 0.2, 0.0, 0.0, 0.1][k % 10];
    }
    other[22] *= 0.4;
    let state = random_state(model, 3);
    let value = |given: &[f64], param: Param| match param {
        INERTIA => given[..20].to_vec(),
        GRAVITY => given[20..].to_vec(),
        param => argument(&state, param),
    };
    let case = |plan: &Plan, given: &[f64], is_argument: bool| {
        let spec = plan.spec();
        let own = spec.params.iter().map(|p| value(given, *p));
        let outputs = spec.outputs.iter().map(|o| {
            let (rows, columns) = o.shape.extent(sizes);
            (o.name, rows * columns)
        });
        let function = format!("iiwa14_{}", spec.name);
        let mut arguments = Vec::new();
        arguments.extend(is_argument.then(|| given.to_vec()));
        arguments.extend(own);
        Case {
            function: if is_argument { format!("CALL_{function}") } else { function.clone() },
            result: spec.result.map(|_| format!("{function}_t")),
            arguments,
            outputs: outputs.collect(),
            expected: plan.run(|p| value(given, p)).into_iter().flat_map(|(_, values)| values).collect(),
        }
    };
    let mut cases = Vec::new();
    for plan in &made.functions {
        assert!(plan.function.takes_parameters(model));
        cases.extend([case(plan, &other, true), case(plan, &default, true), case(plan, &default, false)]);
    }
    let mut flags: Vec<String> = CALLS.map(String::from).to_vec();
    for plan in &made.functions {
        let name = format!("iiwa14_{}", plan.function.name());
        flags.push(format!("-DCALL_{name}(...)=WITH({name}_with,__VA_ARGS__)"));
    }
    let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
    for compiler in compilers() {
        let found = run(compiler, &format!("given_{compiler}"), &made.files(), &flags, &cases);
        for (case, found) in cases.iter().zip(&found) {
            assert_eq!(&case.expected, found, "{compiler}, {}", case.function);
        }
    }
    assert_ne!(cases[0].expected, cases[1].expected);
    let header = &made.files()[0].1;
    assert!(header.contains("#define IIWA14_INERTIA_IIWA_LINK_7"), "{header}");
}

/// Second derivatives, which are made of functions that take it: with given parameters, and the URDF's.
#[test]
fn second_derivatives_take_it() {
    use Function as F;
    let functions = [F::RneaHessian, F::AbaHessian, F::RneaSecondDerivatives, F::AbaSecondDerivatives];
    let robot = super::robot("double_pendulum").base(Base::Floating).inertia_at_run_time(["link1"]);
    let made = robot.gravity_at_run_time(true).functions(functions).plan(C::default()).unwrap();
    let (model, other) = (&made.model, given(&made.name, &made.model).model);
    let numbers = |model: &Model<f64>| {
        let inertia = model.bodies[model.run_time.inertias[0].body].inertia.parameters();
        inertia.into_iter().chain(model.gravity.iter().copied()).collect::<Vec<f64>>()
    };
    let (state, sizes) = (random_state(model, 5), Sizes::from(model));
    let (mut cases, mut flags) = (Vec::new(), CALLS.map(|flag| flag.replace("iiwa14", &made.name)).to_vec());
    for plan in made.functions.iter().filter(|plan| functions.contains(&plan.function)) {
        let spec = plan.spec();
        assert!(plan.function.takes_parameters(model));
        let own: Vec<Vec<f64>> = spec.params.iter().map(|param| hessians::value(&state, *param)).collect();
        let outputs: Vec<_> = spec.outputs.iter().map(|o| (o.name, o.shape.extent(sizes))).collect();
        let case = |function: String, model: &Model<f64>, arguments: Vec<Vec<f64>>| Case {
            function,
            result: Some(format!("{}_{}_t", made.name, spec.name)),
            arguments,
            outputs: outputs.iter().map(|(name, (rows, columns))| (*name, rows * columns)).collect(),
            expected: hessians::expected(plan.function, model, &state),
        };
        let name = format!("{}_{}", made.name, spec.name);
        let angles = [f64::sin, f64::cos].map(|of| own[0].iter().map(|x| of(*x)).collect::<Vec<f64>>());
        let mut at = own.clone();
        at.splice(1..1, angles);
        for (end, own) in [("", own), ("_at", at)] {
            flags.push(format!("-DCALL_{name}{end}(...)=WITH({name}_with{end},__VA_ARGS__)"));
            for model in [&other, model] {
                let arguments = std::iter::once(numbers(model)).chain(own.clone()).collect();
                cases.push(case(format!("CALL_{name}{end}"), model, arguments));
            }
            cases.push(case(format!("{name}{end}"), model, own));
        }
    }
    assert_eq!(cases.len(), 24);
    let flags: Vec<&str> = flags.iter().map(String::as_str).collect();
    for compiler in compilers() {
        let found = run(compiler, &format!("given_second_{compiler}"), &made.files(), &flags, &cases);
        for (case, found) in cases.iter().zip(&found) {
            // Of accelerations, up to three inverses of an ill-conditioned M follow one another.
            let tolerance = if case.function.contains("aba") { 1e-9 } else { 1e-10 };
            close(&format!("{compiler}, {}", case.function), found, &case.expected, 1.0, tolerance);
        }
    }
}
