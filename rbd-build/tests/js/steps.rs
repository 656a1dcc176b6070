//! The discrete step in JavaScript against the runtime's, which is joined from functions of the reference.

use crate::common_steps::{INTEGRATORS, close, expected, weights};
use crate::js::{printed, some};
use crate::root;
use rbd_build::{Base, Error, Function, Generated, Js, Robot, Shape};
use rbd_runtime::Integrator;
use rbd_runtime::random::random_state;

/// Times of a step; without `RBD_ALL_SEEDS` only the first.
///
/// An explicit step of more than a second turns joints far: series of their maps are then of halved motions.
fn times(integrator: Integrator) -> [f64; 2] {
    if integrator == Integrator::Explicit { [1.3, 0.01] } else { [-0.05, 0.01] }
}

fn file(made: &Generated, ending: &str) -> String {
    made.files().into_iter().find(|(name, _)| name.ends_with(ending)).unwrap().1
}

fn check(name: &str, robot: &Robot) {
    for integrator in INTEGRATORS {
        let made = robot.clone().functions([Function::AbaHessian]).step(integrator).plan(Js).unwrap();
        let (model, list) = (&made.model, |x: &[f64]| format!("new Float64Array({x:?})"));
        let mut main = String::from("const show = (x) => console.log(Array.from(x, String).join('\\n'));\n");
        let mut all = Vec::new();
        let weights = [weights(model.nv, 0.4), weights(model.nv, 2.2)];
        for (k, dt) in some(1, &times(integrator)).iter().copied().enumerate() {
            let state = random_state(model, 3 + k as u64);
            let of = expected(model, integrator, &state, dt, [&weights[0], &weights[1]]);
            let [q, v, tau] = [&state.q, &state.v, &state.tau].map(|x| list(x.as_slice()));
            let state = format!("{q}, {v}, {tau}, {dt}");
            let weighted = format!("{state}, {}, {}", list(&weights[0]), list(&weights[1]));
            let functions = [
                ("step", &state, of.next),
                ("step_derivatives", &state, of.derivatives),
                ("step_hessian", &weighted, of.hessian),
            ];
            for (function, given, fields) in functions {
                main += &format!("{{\nconst made = robot.{function}({given});\n");
                for (field, _) in &fields {
                    main += &format!("show(made.{field});\n");
                }
                // Results in memory of before, and no other.
                main += &format!(
                    "const copy = structuredClone(made);\nif (robot.{function}({given}, made) !== made) show([NaN]);\n"
                );
                main += "for (const name in made) if (made[name].some((x, i) => x !== copy[name][i])) show([NaN]);\n}\n";
                all.push((function, fields));
            }
        }
        let name = format!("step_{name}_{integrator:?}");
        let Some(printed) = printed(&name, &file(&made, ".js"), &main) else { return };
        let mut found = printed.lines().map(|line| line.parse().unwrap_or(f64::NAN));
        for (function, fields) in all {
            let largest = fields.iter().flat_map(|(_, x)| x).fold(0.0_f64, |m, x| m.max(x.abs()));
            for (field, values) in fields {
                let own: Vec<f64> = found.by_ref().take(values.len()).collect();
                close(&format!("{name}, {function}, {field}"), &own, &values, largest, 1e-10);
            }
        }
        assert!(found.next().is_none(), "{name}");
        for function in ["step_derivatives", "step_hessian"] {
            assert!(file(&made, ".d.ts").contains(&format!("export function {function}(q: Numbers")));
        }
    }
}

fn joints(base: Base) -> Robot {
    Robot::from_urdf(root().join("tests/step/damped.urdf")).base(base).damping(true).functions([])
}

#[test]
fn of_a_joint_of_every_kind() {
    // Loops are traced in no time.
    check("joints", &joints(Base::Floating).shape(Shape::Loops));
}

#[test]
fn of_joints_of_one_coordinate() {
    let arm = Robot::from_urdf(root().join("robots/double_pendulum.urdf")).damping(true).functions([]);
    check("arm", &arm);
}

#[test]
fn of_wrong_lengths_and_options() {
    let said = "
const x = (n) => new Float64Array(n);
for (const f of [() => robot.step(x(3), x(2), x(2), 0.1), () => robot.step(x(2), x(2), x(2), 0.1, { q: x(2), v: x(1) })]) {
    try { f(); } catch (error) { console.log(error.message); }
}";
    let arm = || Robot::from_urdf(root().join("robots/double_pendulum.urdf"));
    let made = arm().step(Integrator::Explicit).plan(Js).unwrap();
    let Some(printed) = printed("step_lengths", &file(&made, ".js"), said) else { return };
    assert_eq!(printed, "step: q has 3 numbers instead of 2\nstep: v has 1 numbers instead of 2\n");
    assert!(!file(&made, ".js").contains("step_hessian") && !file(&made, ".d.ts").contains("StepHessian"));
    assert!(!file(&arm().plan(Js).unwrap(), ".js").contains("function step"));
    let fault = arm().step(Integrator::ImplicitDamping).plan(Js);
    assert!(matches!(fault, Err(Error::Option { name: "step", .. })), "{:?}", fault.err());
}

/// Steps under controls have the bits of those of the torques, and the controls' rows and columns.
#[test]
fn under_controls_of_some_joints() {
    for integrator in [Integrator::SemiImplicit, Integrator::ImplicitDamping] {
        under_controls(integrator);
    }
}

fn under_controls(integrator: Integrator) {
    let robot = joints(Base::Floating).shape(Shape::Loops).functions([Function::AbaHessian]);
    let made = robot.step(integrator).actuated(["elbow", "rail"]).plan(Js).unwrap();
    let (model, controls) = (&made.model, made.controls());
    let state = random_state(model, 3);
    let u: Vec<f64> = controls.iter().map(|k| state.tau[*k]).collect();
    let mut tau = vec![0.0; model.nv];
    controls.iter().zip(&u).for_each(|(k, x)| tau[*k] = *x);
    let main = format!(
        "const [q, v, u, tau, controls] = [{:?}, {:?}, {u:?}, {tau:?}, {controls:?}];
const [of_q, of_v] = [{:?}, {:?}];
const alike = (name, a, b) => {{
    if (a.length !== b.length || a.some((x, k) => !Object.is(x + 0, b[k] + 0))) console.log(`${{name}} differs`);
}};
const nv = robot.NV, all = Array.from({{ length: nv }}, (_, k) => k);
const [next, known] = [robot.actuated_step(q, v, u, 0.01), robot.step(q, v, tau, 0.01)];
const [d, of_d] = [robot.actuated_step_derivatives(q, v, u, 0.01), robot.step_derivatives(q, v, tau, 0.01)];
const [h, of_h] = [robot.actuated_step_hessian(q, v, u, 0.01, of_q, of_v), robot.step_hessian(q, v, tau, 0.01, of_q, of_v)];
alike('torques', robot.torques(u), tau);
for (const field of ['q', 'v']) alike(field, next[field], known[field]);
for (const field of ['q', 'v', 'dq_dq', 'dq_dv', 'dv_dq', 'dv_dv']) alike(field, d[field], of_d[field]);
for (const row of ['dq', 'dv']) {{
    const columns = controls.flatMap((k) => Array.from(of_d[`${{row}}_dtau`].slice(nv * k, nv * (k + 1))));
    alike(row, d[`${{row}}_du`], columns);
}}
for (const field of ['value', 'dq', 'dv', 'dqdq', 'dqdv', 'dvdv']) alike(field, h[field], of_h[field]);
alike('du', h.du, controls.map((k) => of_h.dtau[k]));
for (const [name, of, rows] of [['dqdu', 'dqdtau', all], ['dvdu', 'dvdtau', all], ['dudu', 'dtaudtau', controls]]) {{
    alike(name, h[name], controls.flatMap((column) => rows.map((row) => of_h[of][nv * column + row])));
}}
console.log(robot.NU, Object.keys(d).length, robot.actuated_step_derivatives(q, v, u, 0.02, d) === d);
console.log(Object.keys(h).length, robot.actuated_step_hessian(q, v, u, 0.02, of_q, of_v, h) === h);
try {{ robot.actuated_step(q, v, tau, 0.01); }} catch (error) {{ console.log(error.message); }}",
        state.q.as_slice(),
        state.v.as_slice(),
        weights(model.nv, 0.4),
        weights(model.nv, 2.2),
    );
    let name = format!("step_actuated_{integrator:?}");
    let Some(printed) = printed(&name, &file(&made, ".js"), &main) else { return };
    let said = format!("2 8 true\n10 true\nactuated_step: u has {} numbers instead of 2\n", model.nv);
    assert_eq!(printed, said);
    let types = file(&made, ".d.ts");
    assert!(types.contains("export const NU: number;"));
    assert!(types.contains("export function actuated_step_hessian(q: Numbers"));
}
