//! Steps in C against the runtime's, which are joined here from functions of the reference. C has neither
//! the runtime's text nor the reference's.

use crate::c_compiler::{compilers, printed, some};
pub use crate::common_steps::{Expected, INTEGRATORS, Numbers, close, expected, weights};
use crate::{Real, Writer, root};
use nalgebra::DMatrix;
use rbd_build::emit::c::{Contacts, Files, Steps};
use rbd_build::plan::Plan;
use rbd_build::tree::{BodyForm, Moment, Origin, Rewrite, Spin, Tree};
use rbd_build::{Base, C, Error, Function, Robot};
use rbd_runtime::random::{Options, random_model, random_state};
use rbd_runtime::spatial::Inertia;
use rbd_runtime::{Integrator, Model};
use std::fmt::Write;

/// The integrator of a test of this name, or with `RBD_ALL_SEEDS` all. Tests of all names have each.
pub fn integrators(name: &str) -> Vec<Integrator> {
    let mut all = INTEGRATORS;
    let last = name.bytes().last().map_or(0, usize::from);
    all.rotate_left(last % 4);
    some(1, &all).to_vec()
}

pub fn list(x: &[f64]) -> String {
    x.iter().map(|x| format!("{x:?}")).collect::<Vec<_>>().join(", ")
}

/// Numbers that a program prints, one a line.
pub fn numbers(
    compiler: &str,
    name: &str,
    files: &[(String, String)],
    main: &str,
    flags: &[&str],
) -> Vec<f64> {
    let printed = String::from_utf8(printed(compiler, name, files, main, flags)).unwrap();
    printed.lines().map(|line| line.parse().unwrap_or(f64::NAN)).collect()
}

/// Inertias and gravity that functions are given, and the robot that has them.
pub struct Given {
    pub model: Model<f64>,
    /// Their declaration in C.
    pub declared: String,
}

/// Other inertias and gravity of a robot called `name` in C.
pub fn given(name: &str, model: &Model<f64>) -> Given {
    let mut other = model.clone();
    let mut inertias = Vec::new();
    for (k, of) in model.run_time.inertias.iter().enumerate() {
        let body = &mut other.bodies[of.body];
        let more = [1.0, 0.1, 0.0, -0.1, 0.7, 0.0, 0.8, 0.0, 0.1, 0.9];
        let own = if of.whole { body.inertia.parameters() } else { [0.0; 10] };
        let numbers: [f64; 10] = std::array::from_fn(|i| own[i] * 1.3 + more[i] * (1.0 + k as f64));
        let inertia = Inertia::from_parameters(numbers);
        if of.whole {
            body.inertia = inertia;
        } else {
            body.inertia += inertia.transformed(&of.placement);
        }
        inertias.extend(numbers);
    }
    let mut fields = Vec::from_iter((!inertias.is_empty()).then(|| format!("{{{}}}", list(&inertias))));
    if model.run_time.gravity {
        other.gravity = [1.0, -2.0, -8.0].into();
        fields.push(format!("{{{}}}", list(other.gravity.as_slice())));
    }
    let declared = format!("static const {name}_parameters_t given = {{{}}};\n", fields.join(", "));
    Given { model: other, declared }
}

/// The three functions of a robot called `tree`.
fn check(name: &str, model: &Model<f64>, made: impl Fn(Integrator) -> Files, real: Real, tolerance: f64) {
    check_with(name, (model, None), made, real, tolerance);
}

/// The three functions of a robot called `tree`, in the form that is given parameters if there are any.
fn check_with(
    name: &str,
    (model, given): (&Model<f64>, Option<&Given>),
    made: impl Fn(Integrator) -> Files,
    real: Real,
    tolerance: f64,
) {
    let (with, first) = if given.is_some() { ("_with", "&given, ") } else { ("", "") };
    for integrator in integrators(name) {
        let Files { header, source } = made(integrator);
        let files = [("tree.h".to_owned(), header), ("tree.c".to_owned(), source)];
        let real = real.name();
        let cast = |x: &[f64]| x.iter().map(|x| format!("({real}){x:?}")).collect::<Vec<_>>().join(", ");
        let mut main = format!(
            "#include \"tree.h\"\n#include <stdio.h>\nstatic void show(const {real} *x, int n)\n{{\n    int i;\n    \
             for (i = 0; i < n; i++) printf(\"%.17g\\n\", (double)x[i]);\n}}\n{}",
            given.map_or("", |given| &given.declared)
        );
        let (mut calls, mut results) = (String::new(), Vec::new());
        let of_parameters = given.map_or(model, |given| &given.model);
        let weights = [weights(model.nv, 0.4), weights(model.nv, 2.2)];
        for (k, dt) in [0.01, -0.05].into_iter().enumerate() {
            let state = random_state(model, 3 + k as u64);
            for (name, x) in [("q", &state.q), ("v", &state.v), ("tau", &state.tau)] {
                let _ = writeln!(main, "static const {real} {name}{k}[] = {{{}}};", cast(x.as_slice()));
            }
            let all = expected(of_parameters, integrator, &state, dt, [&weights[0], &weights[1]]);
            for (function, of) in
                [("step", all.next), ("step_derivatives", all.derivatives), ("step_hessian", all.hessian)]
            {
                let _ = writeln!(main, "static tree_{function}_t {function}{k};");
                let more = if function == "step_hessian" { ", lambda_q, lambda_v" } else { "" };
                let _ = writeln!(
                    calls,
                    "    tree_{function}{with}({first}q{k}, v{k}, tau{k}, ({real}){dt:?}{more}, &{function}{k});"
                );
                for (field, values) in &of {
                    let _ = writeln!(calls, "    show({function}{k}.{field}, {});", values.len());
                }
                results.push((function, of));
            }
        }
        for (weight, x) in ["lambda_q", "lambda_v"].into_iter().zip(&weights) {
            let _ = writeln!(main, "static const {real} {weight}[] = {{{}}};", cast(x));
        }
        let _ = write!(main, "int main(void)\n{{\n{calls}    return 0;\n}}\n");
        for compiler in compilers() {
            let found =
                numbers(compiler, &format!("step_{name}_{integrator:?}_{compiler}"), &files, &main, &[]);
            let mut found = &found[..];
            for (function, of) in &results {
                let all = of.iter().flat_map(|(_, x)| x).fold(0.0_f64, |m, x| m.max(x.abs()));
                for (field, values) in of {
                    let (now, rest) = found.split_at(values.len().min(found.len()));
                    let who = format!("{name}, {integrator:?}, {compiler}, {function}, {field}");
                    close(&who, now, values, all, tolerance);
                    found = rest;
                }
            }
            assert!(found.is_empty());
        }
    }
}

/// Every joint kind, mimic joints, rotors and dampers.
#[test]
fn of_random_trees() {
    use Function as F;
    for &(seed, floating) in some(1, &[(4, true), (3, false), (8, true)]) {
        let model = random_model(seed, &Options::everything(4, floating));
        let form = BodyForm { share: Some(Spin::Yy), moment: Moment::Euler, origin: Origin::AtChild };
        let tree = Tree::new(&model, Rewrite::uniform(&model, true, form));
        let mut plans: Vec<Plan> = [F::Aba, F::Minv, F::AbaDerivatives, F::RneaHessian]
            .map(|f| f.trace_all(&tree).remove(0))
            .to_vec();
        plans.push(Plan::composed(F::AbaHessian, &model, plans[2..].to_vec()));
        let c = Writer { prefix: "tree", real: Real::F64, origin: "a test" };
        let made = |integrator| {
            c.robot_with(&model, Contacts::default(), &plans, &[], Some(Steps { integrator, controls: &[] }))
        };
        check(&format!("tree{seed}"), &model, made, Real::F64, 1e-9);
    }
}

pub fn joints(base: Base) -> Robot {
    Robot::from_urdf(root().join("tests/step/damped.urdf"))
        .base(base)
        .damping(true)
        .functions([])
        .name("tree")
}

fn files(robot: &Robot, integrator: Integrator, options: C) -> Files {
    let mut files = robot.clone().step(integrator).plan(options).unwrap().files().into_iter();
    let [header, source] = [(); 2].map(|()| files.next().unwrap().1);
    Files { header, source }
}

#[test]
fn of_a_robot_with_a_joint_of_every_kind() {
    let floating = joints(Base::Floating);
    let model = floating.read().unwrap().model;
    check("joints", &model, |i| files(&floating, i, C::default()), Real::F64, 1e-10);
    let fixed = joints(Base::Fixed);
    let model = fixed.read().unwrap().model;
    let options = C { float: true, ..C::default() };
    check("float", &model, |i| files(&fixed, i, options), Real::F32, 2e-3);
}

/// Both forms: given parameters, and the URDF's.
#[test]
fn with_inertias_and_gravity_at_run_time() {
    let joints = joints(Base::Fixed).inertia_at_run_time(["arm"]).loads(["kite"]).gravity_at_run_time(true);
    let model = joints.read().unwrap().model;
    let made = |i| files(&joints, i, C::default());
    let other = given("tree", &model);
    check_with("given", (&model, Some(&other)), made, Real::F64, 1e-10);
    check("own", &model, made, Real::F64, 1e-10);
    // Gravity alone, of which M^-1 does not depend.
    let arm = Robot::from_urdf(root().join("robots/double_pendulum.urdf")).damping(true).functions([]);
    let arm = arm.name("tree").gravity_at_run_time(true);
    let model = arm.read().unwrap().model;
    let other = given("tree", &model);
    check_with("gravity", (&model, Some(&other)), |i| files(&arm, i, C::default()), Real::F64, 1e-10);
}

#[test]
fn of_an_arm() {
    let arm = Robot::from_urdf(root().join("robots/iiwa14.urdf")).damping(true).functions([]).name("tree");
    let model = arm.read().unwrap().model;
    check("arm", &model, |i| files(&arm, i, C::default()), Real::F64, 1e-10);
}

fn pendulum(integrator: Integrator) -> Robot {
    let robot = Robot::from_urdf(root().join("robots/double_pendulum.urdf")).damping(true);
    robot.functions([]).name("arm").step(integrator)
}

/// With constant gravity, and with gravity at run time, of which others know the default.
fn pendulums(integrators: &[Integrator]) -> impl Iterator<Item = (Integrator, Robot)> {
    let both = |robot: Robot| [robot.clone(), robot.gravity_at_run_time(true)];
    integrators.iter().flat_map(move |of| both(pendulum(*of)).map(|robot| (*of, robot)))
}

/// Calls a function as acados does: memory by the shapes that it tells, then arguments one by one.
#[test]
fn acados_gets_the_same_by_the_shapes_that_it_is_told() {
    for (integrator, robot) in pendulums(&INTEGRATORS) {
        let made = robot.plan(C { acados: true, ..C::default() }).unwrap();
        let (model, state) = (&made.model, random_state(&made.model, 5));
        let files: Vec<_> = made.files().into_iter().filter(|(name, _)| name == "arm_acados.c").collect();
        let (dt, lambda) = (0.02, [weights(2, 0.4), weights(2, 2.2)]);
        let all = expected(model, integrator, &state, dt, [&lambda[0], &lambda[1]]);
        let of = |from: &[Numbers], name: &str| -> DMatrix<f64> {
            let (_, x) = from.iter().find(|(field, _)| *field == name).unwrap();
            DMatrix::from_column_slice(2, 2, x)
        };
        let (d, h) = (&all.derivatives, &all.hessian);
        let joined = |rows: [[DMatrix<f64>; 3]; 3], columns: usize| {
            let mut all = DMatrix::zeros(6, 2 * columns);
            for (r, row) in rows.iter().enumerate() {
                for (c, block) in row.iter().take(columns).enumerate() {
                    all.view_mut((2 * r, 2 * c), (2, 2)).copy_from(block);
                }
            }
            all.as_slice().to_vec()
        };
        let none = || DMatrix::zeros(2, 2);
        let by = |x: &str| {
            [of(d, &format!("dq_d{x}")).transpose(), of(d, &format!("dv_d{x}")).transpose(), none()]
        };
        let jacobian = joined([by("tau"), by("q"), by("v")], 2);
        let [qq, qv, qt, vv, vt, tt] =
            ["dqdq", "dqdv", "dqdtau", "dvdv", "dvdtau", "dtaudtau"].map(|name| of(h, name));
        let hessian =
            joined([[tt, qt.transpose(), vt.transpose()], [qt, qq, qv.clone()], [vt, qv.transpose(), vv]], 3);
        let next: Vec<f64> = all.next.iter().flat_map(|(_, x)| x.clone()).collect();
        let mut main = format!(
            "#include <stdio.h>\n#include <stdlib.h>\n\
             static const double x[] = {{{}, {}}}, u[] = {{{}}}, lam[] = {{{}, {}}}, p[] = {{{dt}}};\n\
             typedef int sizes(int *, int *, int *, int *);\ntypedef const int *shape(int);\n\
             typedef int fun(const double **, double **, int *, double *, void *);\n\
             static void call(fun *f, sizes *work, shape *in, shape *out, int n_in, int n_out, const double **from)\n{{\n    \
             int args = 0, results = 0, iw = 0, w = 0, i, k;\n    double *arg[4], *res[3];\n    work(&args, &results, &iw, &w);\n    \
             printf(\"%d\\n%d\\n\", args - n_in, results - n_out);\n    \
             for (i = 0; i < args; i++) {{\n        const int n = in(i)[0] * in(i)[1] * in(i)[2];\n        \
             arg[i] = malloc((size_t)n * sizeof(double));\n        \
             for (k = 0; k < n; k++) arg[i][k] = from[i][k];\n    }}\n    \
             for (i = 0; i < results; i++) res[i] = malloc((size_t)(out(i)[0] * out(i)[1]) * sizeof(double));\n    \
             if (in(args) || out(results) || f((const double **)arg, res, 0, 0, 0)) exit(1);\n    \
             for (i = 0; i < results; i++) {{\n        \
             for (k = 0; k < out(i)[0] * out(i)[1]; k++) printf(\"%.17g\\n\", res[i][k]);\n        free(res[i]);\n    }}\n    \
             for (i = 0; i < args; i++) free(arg[i]);\n}}\n",
            list(state.q.as_slice()),
            list(state.v.as_slice()),
            list(state.tau.as_slice()),
            list(&lambda[0]),
            list(&lambda[1]),
        );
        let mut calls = String::new();
        for function in ["fun", "fun_jac", "fun_jac_hess"] {
            let name = format!("arm_acados_{function}_casadi");
            let _ = write!(
                main,
                "fun {name};\nsizes {name}_work;\nshape {name}_sparsity_in, {name}_sparsity_out;\n\
                 int {name}_n_in(void);\nint {name}_n_out(void);\n"
            );
            let given = if function == "fun_jac_hess" { "x, u, lam, p" } else { "x, u, p" };
            let _ = write!(
                calls,
                "    {{\n        const double *from[] = {{{given}}};\n        \
                 call({name}, {name}_work, {name}_sparsity_in, {name}_sparsity_out, {name}_n_in(), {name}_n_out(), from);\n    }}\n"
            );
        }
        let _ = write!(main, "int main(void)\n{{\n{calls}    return 0;\n}}\n");
        let ends = || vec![0.0, 0.0];
        let results =
            [ends(), next.clone(), ends(), next.clone(), jacobian.clone(), ends(), next, jacobian, hessian]
                .concat();
        for compiler in compilers() {
            let name = format!("acados_{integrator:?}_{compiler}");
            // The declarations are in `main.c`, as they are in acados' own files.
            let flags: &[&str] = &["-DRBD_NO_BLASFEO"];
            let found = numbers(compiler, &name, &files, &main, flags);
            close(&name, &found, &results, 1.0, 1e-12);
        }
    }
}

/// The function for CasADi and its derivatives, by differences of it where time is a variable.
#[test]
fn casadi_gets_steps_and_exact_derivatives() {
    for (integrator, robot) in pendulums(&[Integrator::SemiImplicit, Integrator::Explicit]) {
        let made = robot.plan(C { casadi: true, ..C::default() }).unwrap();
        let (model, state) = (&made.model, random_state(&made.model, 5));
        let (dt, lambda) = (0.02, [weights(2, 0.4), weights(2, 2.2)]);
        let name = "arm_casadi_step";
        let main = format!(
            "#include <stdio.h>\n\
             typedef int fun(const double **, double **, long long int *, double *, int);\n\
             typedef const long long int *shape(long long int);\n\
             fun {name}, jac_{name}, adj1_{name}, jac_adj1_{name};\n\
             shape {name}_sparsity_out, jac_{name}_sparsity_out, adj1_{name}_sparsity_out, jac_adj1_{name}_sparsity_out;\n\
             static const double x[] = {{{}, {}}}, u[] = {{{}}}, seed[] = {{{}, {}}}, dt[] = {{{dt}}};\n\
             static double y[15][16];\n\
             static void call(fun *f, shape *out, int n)\n{{\n    const double *arg[] = {{x, u, dt, 0, seed, 0, 0, 0}};\n    \
             double *res[15];\n    int i, k;\n    for (i = 0; i < 15; i++) res[i] = y[i];\n    f(arg, res, 0, 0, 0);\n    \
             for (i = 0; i < n; i++) {{\n        const long long int *const s = out(i);\n        \
             const int entries = s[2] ? (int)(s[0] * s[1]) : 0;\n        printf(\"%d\\n\", entries);\n        \
             for (k = 0; k < entries; k++) printf(\"%.17g\\n\", y[i][k]);\n    }}\n}}\n\
             int main(void)\n{{\n    call({name}, {name}_sparsity_out, 1);\n    call(jac_{name}, jac_{name}_sparsity_out, 3);\n    \
             call(adj1_{name}, adj1_{name}_sparsity_out, 3);\n    call(jac_adj1_{name}, jac_adj1_{name}_sparsity_out, 15);\n    \
             return 0;\n}}\n",
            list(state.q.as_slice()),
            list(state.v.as_slice()),
            list(state.tau.as_slice()),
            list(&lambda[0]),
            list(&lambda[1]),
        );
        let at = |dt: f64| expected(model, integrator, &state, dt, [&lambda[0], &lambda[1]]);
        let now = at(dt);
        let printed = of_casadi(&now);
        // Derivatives by time, by differences of five points.
        let by_time = |of: &dyn Fn(&Expected) -> Vec<f64>| -> Vec<f64> {
            let h = 1e-3;
            let [a, b, c, d] = [-2.0, -1.0, 1.0, 2.0].map(|k| of(&at(dt + k * h)));
            (0..a.len()).map(|k| (a[k] - 8.0 * b[k] + 8.0 * c[k] - d[k]) / (12.0 * h)).collect()
        };
        let next = by_time(&|of| of.next.iter().flat_map(|(_, x)| x.clone()).collect());
        let gradient = by_time(&|of| of.hessian[1..4].iter().flat_map(|(_, x)| x.clone()).collect());
        let weighted = |x: &[f64]| x.iter().zip(lambda.concat()).map(|(x, by)| x * by).sum::<f64>();
        let twice = by_time(&|of| {
            let moved = of.next.iter().flat_map(|(_, x)| x.clone()).collect::<Vec<f64>>();
            vec![weighted(&moved)]
        });
        let second = {
            let h = 1e-3;
            let value =
                |dt: f64| weighted(&at(dt).next.iter().flat_map(|(_, x)| x.clone()).collect::<Vec<f64>>());
            (value(dt + h) - 2.0 * value(dt) + value(dt - h)) / (h * h)
        };
        let results = printed(&next, &gradient, twice[0], second);
        for compiler in compilers() {
            let name = format!("casadi_step_{integrator:?}_{compiler}");
            let found = numbers(compiler, &name, &made.files(), &main, &[]);
            let all = results.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            assert_eq!(found.len(), results.len());
            for (k, (found, expected)) in found.iter().zip(&results).enumerate() {
                assert!((found - expected).abs() < 1e-7 * all, "{name}, {k}: {found} and not {expected}");
            }
        }
    }
}

/// What is printed: for each result the number of entries, and those. Derivatives by time are given.
fn of_casadi(at: &Expected) -> impl Fn(&[f64], &[f64], f64, f64) -> Vec<f64> {
    let matrices = |from: &[Numbers]| -> std::collections::BTreeMap<&'static str, DMatrix<f64>> {
        let of_size = from.iter().filter(|(_, x)| x.len() == 4);
        of_size.map(|(name, x)| (*name, DMatrix::from_column_slice(2, 2, x))).collect()
    };
    let (d, h) = (matrices(&at.derivatives), matrices(&at.hessian));
    let beside = |a: &DMatrix<f64>, b: &DMatrix<f64>| {
        DMatrix::from_fn(2, 4, |i, j| if j < 2 { a[(i, j)] } else { b[(i, j - 2)] })
    };
    let above = |a: DMatrix<f64>, b: DMatrix<f64>| {
        let n = a.ncols();
        DMatrix::from_fn(4, n, |i, j| if i < 2 { a[(i, j)] } else { b[(i - 2, j)] })
    };
    let of_state = above(beside(&d["dq_dq"], &d["dq_dv"]), beside(&d["dv_dq"], &d["dv_dv"]));
    let of_controls = above(d["dq_dtau"].clone(), d["dv_dtau"].clone());
    let xx = above(beside(&h["dqdq"], &h["dqdv"]), beside(&h["dqdv"].transpose(), &h["dvdv"]));
    let xu = above(h["dqdtau"].clone(), h["dvdtau"].clone());
    let next: Vec<f64> = at.next.iter().flat_map(|(_, x)| x.clone()).collect();
    let gradient: Vec<f64> = at.hessian[1..4].iter().flat_map(|(_, x)| x.clone()).collect();
    move |next_by_time, gradient_by_time, value_by_time, twice| {
        let own = |m: &DMatrix<f64>| m.as_slice().to_vec();
        let turned = |m: &DMatrix<f64>| m.transpose().as_slice().to_vec();
        let (with_x, with_u) = gradient_by_time.split_at(4);
        let none = Vec::new;
        let results = [
            vec![next.clone()],
            vec![own(&of_state), own(&of_controls), next_by_time.to_vec()],
            vec![gradient[..4].to_vec(), gradient[4..].to_vec(), vec![value_by_time]],
            vec![own(&xx), own(&xu), with_x.to_vec(), none(), turned(&of_state)],
            vec![turned(&xu), none(), with_u.to_vec(), none(), turned(&of_controls)],
            vec![with_x.to_vec(), with_u.to_vec(), vec![twice], none(), next_by_time.to_vec()],
        ];
        let with_length = |x: &Vec<f64>| std::iter::once(x.len() as f64).chain(x.clone()).collect::<Vec<_>>();
        results.iter().flatten().flat_map(with_length).collect()
    }
}

#[test]
fn acados_is_refused_where_it_cannot_step() {
    let acados = C { acados: true, ..C::default() };
    let said = |robot: Robot, options: C| match robot.plan(options) {
        Err(Error::Option { name: "acados", what }) => what,
        other => panic!("{:?}", other.err()),
    };
    let arm = || Robot::from_urdf(root().join("robots/double_pendulum.urdf"));
    assert!(said(arm(), acados).contains("give `step`"));
    let steps = || arm().step(Integrator::Rk4);
    assert!(said(steps(), C { float: true, ..acados }).contains("in double"));
}
