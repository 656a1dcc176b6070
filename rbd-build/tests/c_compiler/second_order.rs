//! Second derivatives in C against the reference's tensors, which share no code with them.

use crate::c_compiler::composed::{TENSORS, straight, with_composed};
use crate::c_compiler::hessians::{expected, value, weights};
use crate::c_compiler::{Case, compilers, printed, run, some, traced_loops};
use nalgebra::DMatrix;
use rbd_build::emit::c::{Files, Real, Writer};
use rbd_build::plan::Plan;
use rbd_build::signature::Sizes;
use rbd_build::strategy::Strategy;
use rbd_build::tree::{BodyForm, Moment, Origin, Rewrite, Spin, Tree};
use rbd_build::{C, Function};
use rbd_runtime::random::{Options, random_model, random_state};
use rbd_runtime::{JointKind, Model};
use std::fmt::Write;

/// Second derivatives made of loops.
fn in_loops(model: &Model<f64>, tensors: &[Function]) -> Vec<Plan> {
    use Function as F;
    let first = [F::AbaDerivatives, F::AbaDerivativesFext].map(|f| traced_loops(f, model));
    let hessians = [F::RneaHessian, F::RneaHessianFext].map(|f| Plan::composed(f, model, Vec::new()));
    with_composed(model, [first.to_vec(), hessians.to_vec()].concat(), tensors)
}

/// Second derivatives among these plans agree with the reference.
#[track_caller]
pub fn check(name: &str, model: &Model<f64>, plans: &[Plan], real: Real, flags: &[&str], tolerance: f64) {
    let sizes = Sizes::from(model);
    let c = Writer { prefix: "tree", real, origin: "a test" };
    let Files { header, source } = c.robot(model, plans);
    let files = [("tree.h".into(), header), ("tree.c".into(), source)];
    let state = random_state(model, 11);
    // As the runtime's (docs/math.md#second-derivatives): up to three inverses follow one another.
    let eigenvalues = model.crba(state.q.as_slice()).symmetric_eigenvalues();
    let is_singular = eigenvalues.max() / eigenvalues.min() > 5000.0;
    let close = |who: &str, case: &Case, found: &[f64]| {
        assert_eq!(case.expected.len(), found.len(), "{}", case.function);
        // An output that is zero has the rounding of the others.
        let (mut from, all) = (0, case.expected.iter().fold(1e-3_f64, |m, x| m.max(x.abs())));
        for (output, n) in &case.outputs {
            let (found, expected) = (&found[from..from + n], &case.expected[from..from + n]);
            let largest = expected.iter().fold(1e-6 * all, |m, x| m.max(x.abs()));
            let differences = found.iter().zip(expected).map(|(a, b)| (a - b).abs() / largest);
            // A NaN is the largest difference.
            let error = differences.fold(0.0, |m, d| if d <= m { m } else { d });
            let tolerance = if is_singular && case.function.contains("aba") { 1e-9 } else { tolerance };
            assert!(error < tolerance, "{name}, {who}, {}, {output}: {error:e}", case.function);
            from += n;
        }
    };
    let mut cases = Vec::new();
    for plan in plans.iter().filter(|p| p.function.is_second_order()) {
        let spec = plan.spec();
        let extent = |o: &rbd_build::signature::Output| {
            let (rows, columns) = o.shape.extent(sizes);
            (o.name, rows * columns)
        };
        let mut arguments: Vec<Vec<f64>> = spec.params.iter().map(|p| value(&state, *p)).collect();
        let mut case = Case {
            function: format!("tree_{}", spec.name),
            result: Some(format!("tree_{}_t", spec.name.trim_end_matches("_fext"))),
            arguments: arguments.clone(),
            outputs: spec.outputs.iter().map(extent).collect(),
            expected: expected(plan.function, model, &state),
        };
        assert_eq!(plan.verify(), Ok(()));
        // The interpreter's loops have no friction.
        if model.friction_smoothing.is_none() {
            let results = plan.run_with_loops(|param| value(&state, param));
            close("the plan", &case, &results.into_iter().flat_map(|(_, x)| x).collect::<Vec<_>>());
        }
        cases.push(case.clone());
        if plan.dependencies().is_empty() {
            case.function += "_at";
            let q = arguments[0].clone();
            arguments.splice(1..1, [f64::sin, f64::cos].map(|of| q.iter().map(|x| of(*x)).collect()));
            cases.push(Case { arguments, ..case });
        }
    }
    for compiler in compilers() {
        let found = run(compiler, &format!("second_{name}_{compiler}"), &files, flags, &cases);
        for (case, found) in cases.iter().zip(&found) {
            close(compiler, case, found);
        }
    }
}

#[test]
fn of_random_trees() {
    for &(seed, floating) in some(1, &[(4, true), (3, false)]) {
        let model = random_model(seed, &Options::everything(4, floating));
        let form = BodyForm { share: Some(Spin::Yy), moment: Moment::Euler, origin: Origin::AtChild };
        let tree = Tree::new(&model, Rewrite::uniform(&model, true, form));
        let plans = straight(&model, &tree);
        assert_eq!(plans.iter().filter(|p| p.function.is_second_order()).count(), 8);
        check(&format!("straight{seed}"), &model, &plans, Real::F64, &["-ffp-contract=off"], 1e-10);
    }
}

/// By loops: every joint type, mimic joints, rotors, dampers, friction and forces; with and without
/// vectors.
#[test]
fn of_random_trees_in_loops() {
    for &(seed, bodies, floating) in
        some(2, &[(1, 1, false), (4, 5, true), (3, 4, false), (9, 9, false), (5, 12, true)])
    {
        let options = Options { friction: bodies % 4 != 0, ..Options::everything(bodies, floating) };
        let model = random_model(seed, &options);
        let tensors: &[Function] = if bodies < 6 { &TENSORS } else { &[] };
        let plans = in_loops(&model, tensors);
        let flags = if seed == 5 { ["-O2"] } else { ["-DRBD_VECTORS=0"] };
        check(&format!("loops{seed}"), &model, &plans, Real::F64, &flags, 1e-10);
    }
}

/// A floating base next to other roots, which it does not carry; and segments of a chain, which are
/// one here.
#[test]
#[ignore = "a variant that takes seconds to compile: .ci/everything"]
fn of_several_roots_and_of_a_chain_in_loops() {
    let bodies = Options { bodies: 4, kinds: vec![JointKind::Floating], on_world: 0.7, ..Options::default() };
    let roots = random_model(2, &bodies);
    assert!(roots.bodies[1..].iter().any(|body| body.parent.is_none()));
    check("roots", &roots, &in_loops(&roots, &[]), Real::F64, &["-O2"], 1e-10);
    let options = Options { bodies: 33, branching: 0.0, on_world: 0.0, ..Options::default() };
    let chain = random_model(7, &options);
    // The condition number of M is large, so nothing of forward dynamics is compared.
    let of_torques =
        in_loops(&chain, &[]).into_iter().filter(|p| p.composition.is_some() && p.dependencies().is_empty());
    check("chain", &chain, &of_torques.collect::<Vec<_>>(), Real::F64, &["-O2"], 1e-12);
}

/// To as many units of rounding as the torques in Rust.
#[test]
fn in_single_precision_in_loops() {
    let model = random_model(6, &Options::everything(6, true));
    let of_torques =
        in_loops(&model, &[]).into_iter().filter(|p| p.composition.is_some() && p.dependencies().is_empty());
    let units = 64.0 * f64::from(f32::EPSILON);
    check("float", &model, &of_torques.collect::<Vec<_>>(), Real::F32, &["-DREAL=float"], units);
}

/// A humanoid is tens of kilobytes by default: the parts of second derivatives are loops as well,
/// without being requested.
#[test]
fn of_a_humanoid_are_loops() {
    use Function as F;
    let humanoid = || super::robot("g1").base(rbd_build::Base::Floating);
    let made = humanoid().functions([F::RneaHessian, F::AbaHessian]).plan(C::default()).unwrap();
    assert_eq!(made.functions.len(), 3);
    let size = made.files()[1].1.len();
    assert!(size < 150_000, "{size} bytes");
    let first = &made.functions[0];
    assert_eq!((first.function, first.strategy), (F::AbaDerivatives, Strategy::LOOPS));
    let asked = humanoid().functions([F::AbaDerivatives, F::RneaHessian, F::AbaHessian]);
    let asked = asked.shape_of(F::AbaDerivatives, rbd_build::Shape::Straight).plan(C::default());
    let asked = asked.unwrap();
    assert_ne!(asked.functions[0].strategy, Strategy::LOOPS);
    assert_eq!(asked.functions[1].strategy, Strategy::LOOPS);
}

/// A requested function brings its parts along.
#[test]
fn come_with_what_they_are_made_of() {
    use Function as F;
    let pendulum = || super::robot("double_pendulum");
    let made = pendulum().functions([F::AbaSecondDerivatives]).plan(C::default()).unwrap();
    let names: Vec<Function> = made.functions.iter().map(|plan| plan.function).collect();
    assert_eq!(names, [F::AbaDerivatives, F::RneaHessian, F::AbaHessian, F::AbaSecondDerivatives]);
    let by_default = super::traced(&pendulum());
    assert!(by_default.functions.iter().all(|plan| !plan.function.is_second_order()));
    // A composed function has the shape of its parts.
    for (shape, loops) in [(rbd_build::Shape::Loops, true), (rbd_build::Shape::Straight, false)] {
        let robot = pendulum().shape_of(F::AbaHessian, shape).functions([F::AbaHessian]);
        let made = robot.plan(C::default()).unwrap();
        assert_eq!(made.files()[1].1.contains("_table_rnea_hessian("), loops);
        assert_eq!(made.files()[1].1.contains("_table_aba_derivatives("), loops);
    }
    // Loops know friction.
    let with_friction = || pendulum().friction(0.01).functions([F::RneaHessian]);
    let made = with_friction().shape(rbd_build::Shape::Loops).plan(C::default()).unwrap();
    assert!(made.files()[1].1.contains("_table_rnea_hessian("));
}

/// If the straight line would be too long, loops are used; if loops are impossible, the error says
/// so.
#[test]
fn of_long_chains_are_loops() {
    use Function as F;
    let mut text = String::from("<robot name=\"chain\"><link name=\"l0\"/>");
    for i in 1..=150 {
        let _ = write!(
            text,
            "<link name=\"l{i}\"><inertial><mass value=\"1\"/><origin xyz=\"0.1 0.2 0.3\"/><inertia ixx=\"1\" iyy=\"1\" \
             izz=\"1\" ixy=\"0.1\" ixz=\"0.2\" iyz=\"0.3\"/></inertial></link><joint name=\"j{i}\" type=\"continuous\">\
             <origin xyz=\"0.3 0.2 0.1\" rpy=\"0.3 0.2 0.1\"/><axis xyz=\"0 0 1\"/><parent link=\"l{}\"/><child link=\"l{i}\"/></joint>",
            i - 1
        );
    }
    let file = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("long_chain.urdf");
    std::fs::write(&file, text + "</robot>").unwrap();
    let chain = || rbd_build::Robot::from_urdf(&file).functions([F::RneaHessian]);
    let made = chain().plan(C::default()).unwrap();
    assert_eq!(made.functions[0].strategy, Strategy::LOOPS);
    let made = chain().friction(0.1).plan(C::default()).unwrap();
    assert_eq!(made.functions[0].strategy, Strategy::LOOPS);
    let fault = chain().shape(rbd_build::Shape::Straight).plan(C::default());
    let fault = fault.err().unwrap().to_string();
    assert!(fault.contains("`rnea_hessian` of this robot is too long for a straight line"), "{fault}");
    assert!(fault.contains("write `loops`, or nothing"), "{fault}");
}

/// CasADi's adjoint forms, as CasADi calls them.
#[test]
fn casadis_adjoints() {
    use Function as F;
    let functions = [F::Rnea, F::RneaDerivatives, F::RneaHessian, F::Aba, F::AbaHessian];
    let options = C { float: false, casadi: true, ..C::default() };
    let pendulum = || super::robot("double_pendulum").functions(functions);
    let straight = pendulum().plan(options).unwrap();
    // One by loops, one by straight lines.
    let loops = pendulum().shape(rbd_build::Shape::Loops).plan(options).unwrap();
    let (model, state) = (&straight.model, random_state(&straight.model, 5));
    let list = |x: &[f64]| x.iter().map(|x| format!("{x:?}")).collect::<Vec<_>>().join(", ");
    for (function, third, hessian) in
        [("rnea", state.a.as_slice(), F::RneaHessian), ("aba", state.tau.as_slice(), F::AbaHessian)]
    {
        let generated = if hessian == F::RneaHessian { &loops } else { &straight };
        let name = format!("double_pendulum_casadi_{function}");
        let main = format!(
            "#include <stdio.h>\n\
             int adj1_{name}(const double **, double **, long long int *, double *, int);\n\
             int jac_adj1_{name}(const double **, double **, long long int *, double *, int);\n\
             long long int jac_adj1_{name}_n_in(void);\nlong long int jac_adj1_{name}_n_out(void);\n\
             const long long int *jac_adj1_{name}_sparsity_out(long long int);\n\
             static const double q[] = {{{}}}, v[] = {{{}}}, x[] = {{{}}}, seed[] = {{{}}};\n\
             static double y[15][4], g[3][2];\n\
             int main(void)\n{{\n    const double *arg[8] = {{q, v, x, 0, seed, 0, 0, 0}};\n    double *res[15];\n    int i, j;\n    \
             for (i = 0; i < 3; i++) res[i] = g[i];\n    \
             if (adj1_{name}(arg, res, 0, 0, 0)) return 1;\n    \
             for (i = 0; i < 15; i++) res[i] = i == 1 ? 0 : y[i];\n    \
             if (jac_adj1_{name}(arg, res, 0, 0, 0)) return 1;\n    \
             printf(\"%lld\\n%lld\\n\", jac_adj1_{name}_n_in(), jac_adj1_{name}_n_out());\n    \
             for (i = 0; i < 15; i++) printf(\"%lld\\n\", jac_adj1_{name}_sparsity_out(i)[2]);\n    \
             for (i = 0; i < 3; i++) for (j = 0; j < 2; j++) printf(\"%.17g\\n\", g[i][j]);\n    \
             for (i = 0; i < 15; i++) for (j = 0; j < 4; j++) printf(\"%.17g\\n\", y[i][j]);\n    return 0;\n}}\n",
            list(state.q.as_slice()),
            list(state.v.as_slice()),
            list(third),
            list(&weights(2)),
        );
        let of = expected(hessian, model, &state);
        let gradient = of[1..7].to_vec();
        let matrix = |k: usize| DMatrix::from_column_slice(2, 2, &of[7 + 4 * k..11 + 4 * k]);
        let first = match hessian {
            F::RneaHessian => {
                let d = model.rnea_derivatives(state.q.as_slice(), state.v.as_slice(), third, None);
                [d.dtau_dq, d.dtau_dv, d.dtau_da]
            }
            _ => {
                let d = model.aba_derivatives(state.q.as_slice(), state.v.as_slice(), third, None);
                [d.ddq_dq, d.ddq_dv, d.ddq_dtau]
            }
        };
        let [qq, qv, vv, qx] = [0, 1, 2, 3].map(matrix);
        let none = || DMatrix::zeros(2, 2);
        let blocks = [
            // Nobody asked for the second.
            [qq, none(), qx.clone(), none(), first[0].transpose()],
            [qv.transpose(), vv, none(), none(), first[1].transpose()],
            [qx.transpose(), none(), none(), none(), first[2].transpose()],
        ];
        let is_there = [1, 1, 1, 0, 1, 1, 1, 0, 0, 1, 1, 0, 0, 0, 1].map(f64::from);
        let mut all = vec![8.0, 15.0];
        all.extend(is_there);
        all.extend(gradient);
        all.extend(blocks.iter().flatten().flat_map(|block| block.as_slice().to_vec()));
        for compiler in compilers() {
            let name = format!("adjoint_{function}_{compiler}");
            let printed = printed(compiler, &name, &generated.files(), &main, &[]);
            let found: Vec<f64> =
                String::from_utf8(printed).unwrap().lines().map(|x| x.parse().unwrap()).collect();
            assert_eq!(found.len(), all.len());
            for (k, (found, expected)) in found.iter().zip(&all).enumerate() {
                let close = (found - expected).abs() <= 1e-11 * (1.0 + expected.abs());
                assert!(close, "{compiler}, {function}, {k}: {found} and not {expected}");
            }
        }
    }
}
