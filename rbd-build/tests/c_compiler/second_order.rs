//! Second derivatives in C against the reference's tensors, which share nothing with them.

use crate::c_compiler::hessians::{expected, value, weights};
use crate::c_compiler::{Case, compilers, printed, run};
use nalgebra::DMatrix;
use rbd_build::emit::Target;
use rbd_build::emit::c::{C, Files, Real};
use rbd_build::plan::Plan;
use rbd_build::signature::Sizes;
use rbd_build::tree::{BodyForm, Moment, Origin, Rewrite, Spin, Tree};
use rbd_build::{COptions, Function};
use rbd_runtime::random::{Options, random_model, random_state};

/// All of them, made of a tree's straight lines.
fn plans(tree: &Tree) -> Vec<Plan> {
    use Function as F;
    let mut all: Vec<Plan> = Vec::new();
    for function in [F::AbaDerivatives, F::AbaDerivativesFext, F::RneaHessian, F::RneaHessianFext] {
        all.push(function.trace_all(tree).remove(0));
    }
    for function in [
        F::AbaHessian,
        F::AbaHessianFext,
        F::RneaSecondDerivatives,
        F::RneaSecondDerivativesFext,
        F::AbaSecondDerivatives,
        F::AbaSecondDerivativesFext,
    ] {
        let parts = function.parts_without_loops();
        let parts: Vec<Plan> =
            all.iter().filter(|p| parts.contains(&p.function) && p.parts.is_empty()).cloned().collect();
        let like = all[0].clone();
        all.push(Plan { function, stages: Vec::new(), parts, rejected: Vec::new(), ..like });
    }
    all
}

#[test]
fn of_random_trees() {
    for (seed, floating) in [(3, false), (4, true)] {
        let model = random_model(seed, &Options::everything(4, floating));
        let form = BodyForm { share: Some(Spin::Yy), moment: Moment::Euler, origin: Origin::AtChild };
        let tree = Tree::new(&model, Rewrite::uniform(&model, true, form));
        let plans = plans(&tree);
        let sizes = Sizes::from(&model);
        let c = C { prefix: "tree", real: Real::F64, origin: "a test" };
        let Files { header, source } = c.robot(&model, &plans);
        let files = [("tree.h".into(), header), ("tree.c".into(), source)];
        let state = random_state(&model, seed + 7);
        let of_second_order = plans.iter().filter(|p| p.function.is_by_tables());
        let cases: Vec<Case> = of_second_order
            .map(|plan| {
                let spec = plan.spec();
                let extent = |o: &rbd_build::signature::Output| {
                    let (rows, columns) = o.shape.extent(sizes);
                    (o.name, rows * columns)
                };
                Case {
                    function: format!("tree_{}", spec.name),
                    result: Some(format!("tree_{}_t", spec.name.trim_end_matches("_fext"))),
                    arguments: spec.params.iter().map(|p| value(&state, *p)).collect(),
                    outputs: spec.outputs.iter().map(extent).collect(),
                    expected: expected(plan.function, &model, &state),
                }
            })
            .collect();
        assert_eq!(cases.len(), 8);
        for compiler in compilers() {
            let found =
                run(compiler, &format!("second{seed}_{compiler}"), &files, &["-ffp-contract=off"], &cases);
            for (case, found) in cases.iter().zip(&found) {
                assert_eq!(case.expected.len(), found.len(), "{}", case.function);
                let mut from = 0;
                for (output, n) in &case.outputs {
                    let (found, expected) = (&found[from..from + n], &case.expected[from..from + n]);
                    let largest = expected.iter().fold(1e-9_f64, |m, x| m.max(x.abs()));
                    let differences = found.iter().zip(expected).map(|(a, b)| (a - b).abs() / largest);
                    // A NaN is the largest difference.
                    let error = differences.fold(0.0, |m, d| if d <= m { m } else { d });
                    assert!(error < 1e-10, "{seed}, {compiler}, {}, {output}: {error:e}", case.function);
                    from += n;
                }
            }
        }
    }
}

/// Who asks for a function gets what it is made of.
#[test]
fn come_with_what_they_are_made_of() {
    use Function as F;
    let pendulum = || super::robot("double_pendulum");
    let made = pendulum().functions([F::AbaSecondDerivatives]).trace_c(COptions::default()).unwrap();
    let names: Vec<Function> = made.functions.iter().map(|plan| plan.function).collect();
    assert_eq!(names, [F::AbaDerivatives, F::RneaHessian, F::AbaHessian, F::AbaSecondDerivatives]);
    let by_default = super::traced(&pendulum());
    assert!(by_default.functions.iter().all(|plan| !plan.function.is_by_tables()));
    // What is asked for of all functions changes nothing of those that have no loops; nor does the model, in which loops may cost less.
    for robot in [pendulum().shape(rbd_build::Shape::Loops), super::robot("iiwa14")] {
        let made = robot.functions([F::RneaHessian, F::AbaHessian]).trace_c(COptions::default()).unwrap();
        assert!(made.files().iter().any(|(_, text)| text.contains("_aba_hessian(")));
    }
    let in_loops = pendulum().shape_of(F::RneaHessian, rbd_build::Shape::Loops).functions([F::RneaHessian]);
    let fault = in_loops.trace_c(COptions::default()).unwrap_err().to_string();
    assert!(fault.contains("`rnea_hessian` is asked for in loops"), "{fault}");
}

/// CasADi's adjoint forms, as CasADi calls them.
#[test]
fn casadis_adjoints() {
    use Function as F;
    let functions = [F::Rnea, F::RneaDerivatives, F::RneaHessian, F::Aba, F::AbaHessian];
    let options = COptions { float: false, casadi: true };
    let generated = super::robot("double_pendulum").functions(functions).trace_c(options).unwrap();
    let (model, state) = (&generated.model, random_state(&generated.model, 5));
    let list = |x: &[f64]| x.iter().map(|x| format!("{x:?}")).collect::<Vec<_>>().join(", ");
    for (function, third, hessian) in
        [("rnea", state.a.as_slice(), F::RneaHessian), ("aba", state.tau.as_slice(), F::AbaHessian)]
    {
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
