//! Forms that leave structural zeros of matrices alone: which entries they leave, and what they check.

use super::{PLAIN, robot, traced};
use crate::c_compiler::{argument, compilers, printed, ran, some};
use rbd_build::emit::c::{Files, Real, Writer};
use rbd_build::measure::Entry;
use rbd_build::plan::Plan;
use rbd_build::second_order::MU;
use rbd_build::signature::{Output, Param, Sizes};
use rbd_build::tree::{BodyForm, Moment, Origin, Rewrite, Spin, Tree};
use rbd_build::{Base, Error, Function, Robot};
use rbd_runtime::Model;
use rbd_runtime::random::{Options, State, random_model, random_state};
use std::fmt::Write;

/// A number that no result has.
const MARK: f64 = 7.25;

/// Counts failed checks instead of ending the program.
const COUNT: &str = "extern int complaints;\n#define RBD_ASSERT(x) ((void)(complaints += !(x)))\n";

/// Results of a function and of its form, entry by entry.
struct Found {
    /// Of the function, whose result had the mark everywhere before.
    plain: Vec<f64>,
    /// Of the form, in zeros.
    in_zeros: Vec<f64>,
    /// Of the form, where it has been called at another state.
    again: Vec<f64>,
    /// Of the form, whose result had the mark everywhere before.
    in_marks: Vec<f64>,
    /// Whether the form complains about a number in this entry alone.
    is_checked: Vec<bool>,
}

fn name(prefix: &str, plan: &Plan) -> String {
    format!("{prefix}_{}", plan.function.name())
}

fn has_form(plan: &Plan, (_, header): &(String, String)) -> bool {
    header.contains(&format!("_{}_nonzeros(", plan.function.name()))
}

/// A function's argument. Weights are any numbers.
fn value(state: &State, param: Param) -> Vec<f64> {
    if param == MU { state.a.as_slice().to_vec() } else { argument(state, param) }
}

fn list(numbers: &[f64]) -> String {
    if numbers.is_empty() { "0".into() } else { numbers.iter().map(|x| format!("{x:?},")).collect() }
}

/// Writes functions `call` and `call_form` of a plan, at state 0 or 1, with sines and cosines as arguments
/// or not.
fn calls(
    main: &mut String,
    k: usize,
    prefix: &str,
    plan: &Plan,
    model: &Model<f64>,
    states: &[State; 2],
    at: bool,
) {
    let parameters = plan.function.takes_parameters(model);
    let mut names = Vec::new();
    if parameters {
        let _ = writeln!(main, "static {prefix}_parameters_t with{k};");
        names.push(format!("&with{k}"));
    }
    for param in plan.spec().params.iter().filter(|param| !param.kind.is_given()) {
        let mut array = |end: &str, of: &dyn Fn(f64) -> f64| {
            let rows = states.each_ref().map(|state| {
                let values: Vec<f64> = value(state, *param).into_iter().map(of).collect();
                format!("{{{}}}", list(&values))
            });
            let (name, n) = (format!("{}{end}{k}", param.name), value(&states[0], *param).len().max(1));
            let _ = writeln!(main, "static const double {name}[2][{n}] = {{{}}};", rows.join(", "));
            names.push(format!("{name}[state]"));
        };
        array("", &|x| x);
        if at && param.name == "q" {
            array("_sin", &f64::sin);
            array("_cos", &f64::cos);
        }
    }
    let (of, end) = (name(prefix, plan), if at { "_at" } else { "" });
    let with = if parameters { "_with" } else { "" };
    let result = match plan.spec().result {
        Some(_) => format!("({}_t *)made", of.trim_end_matches("_fext")),
        None => "made".into(),
    };
    names.push(result);
    for (which, form) in [("call", ""), ("form", "_nonzeros")] {
        let _ = write!(
            main,
            "static void {which}{k}(int state)\n{{\n    (void)state;\n    {of}{form}{with}{end}({});\n}}\n",
            names.join(", ")
        );
    }
}

/// Runs a function and its form at two states.
fn run(
    compiler: &str,
    name: &str,
    robot: &CRobot<'_>,
    plans: &[&Plan],
    flags: &[&str],
    at: bool,
) -> Vec<Found> {
    let CRobot { prefix, model, files } = robot;
    let states = [random_state(model, 3), random_state(model, 4)];
    let sizes = Sizes::from(*model);
    let mut main = format!(
        "#include \"{prefix}.h\"\n#include <stdio.h>\nint complaints;\nstatic double made[{}];\n\
         static void fill(int n, double with)\n{{\n    int i;\n    for (i = 0; i < n; i++) made[i] = with;\n}}\n\
         static void show(int n)\n{{\n    int i;\n    for (i = 0; i < n; i++) printf(\"%.17g\\n\", made[i]);\n}}\n",
        plans.iter().map(|plan| length(plan, sizes)).max().unwrap_or(1)
    );
    let mut body = String::new();
    for (k, plan) in plans.iter().enumerate() {
        calls(&mut main, k, prefix, plan, model, &states, at);
        let n = length(plan, sizes);
        if plan.function.takes_parameters(model) {
            let _ = writeln!(body, "    {prefix}_parameters(&with{k});");
        }
        let _ = write!(
            body,
            "    fill({n}, {MARK:?});\n    call{k}(0);\n    show({n});\n\
             \x20   fill({n}, 0);\n    form{k}(0);\n    show({n});\n    form{k}(1);\n    form{k}(0);\n    show({n});\n\
             \x20   printf(\"%d\\n\", complaints);\n\
             \x20   fill({n}, {MARK:?});\n    form{k}(0);\n    show({n});\n\
             \x20   for (i = 0; i < {n}; i++) {{\n        fill({n}, 0);\n        made[i] = 1;\n        complaints = 0;\n\
             \x20       form{k}(0);\n        printf(\"%d\\n\", complaints);\n    }}\n    complaints = 0;\n"
        );
    }
    let _ = write!(
        main,
        "int main(void)\n{{\n    int i = 0;\n    (void)i;\n    (void)fill;\n    (void)show;\n{body}    return 0;\n}}\n"
    );
    let mut all = files.clone();
    all.push(("count.h".into(), COUNT.into()));
    let flags = [flags, &["-include", "count.h"]].concat();
    let printed =
        String::from_utf8(printed(compiler, &format!("{name}_{compiler}"), &all, &main, &flags)).unwrap();
    let mut numbers = printed.lines().map(|line| line.parse::<f64>().unwrap());
    let found = plans.iter().map(|plan| {
        let mut take = |n: usize| numbers.by_ref().take(n).collect::<Vec<f64>>();
        let n = length(plan, sizes);
        let (plain, in_zeros, again, complaints) = (take(n), take(n), take(n), take(1));
        assert_eq!(complaints, [0.0], "{}: about its own results", plan.function.name());
        let (in_marks, is_checked) = (take(n), take(n));
        assert!(is_checked.iter().all(|x| *x == 0.0 || *x == 1.0));
        Found { plain, in_zeros, again, in_marks, is_checked: is_checked.iter().map(|x| *x == 1.0).collect() }
    });
    let found = found.collect();
    assert!(numbers.next().is_none(), "more numbers than were asked for");
    found
}

/// A robot's text.
struct CRobot<'a> {
    prefix: &'a str,
    model: &'a Model<f64>,
    files: Vec<(String, String)>,
}

/// Numbers in a function's result.
fn length(plan: &Plan, sizes: Sizes) -> usize {
    plan.spec()
        .outputs
        .iter()
        .map(|output| output.shape.extent(sizes))
        .map(|(rows, columns)| rows * columns)
        .sum()
}

/// Whether each entry of the result is zero in every state, as the kernels say.
fn zeros(plan: &Plan, sizes: Sizes) -> Vec<bool> {
    let of = |output: &Output| {
        let (rows, columns) = output.shape.extent(sizes);
        let pattern = output.shape.leaves_zeros().then(|| plan.pattern(output.name).unwrap());
        let is_zero =
            move |k: usize| pattern.as_ref().is_some_and(|p| p.entry(k % rows, k / rows) == Entry::Zero);
        (0..rows * columns).map(is_zero).collect::<Vec<bool>>()
    };
    plan.spec().outputs.iter().flat_map(of).collect()
}

/// Checks every function that has the form. `whole` are functions that leave all their zeros alone.
fn check(name: &str, robot: &CRobot<'_>, plans: &[Plan], flags: &[&str], whole: &[Function]) {
    let sizes = Sizes::from(robot.model);
    let plans: Vec<&Plan> = plans.iter().filter(|plan| has_form(plan, &robot.files[0])).collect();
    assert!(plans.iter().any(|plan| whole.contains(&plan.function)), "{name}");
    for (compiler, at) in compilers().into_iter().flat_map(|compiler| [(compiler, false), (compiler, true)]) {
        let found = run(compiler, name, robot, &plans, flags, at);
        for (plan, found) in plans.iter().zip(found) {
            let of = format!("{name}, {compiler}, {}", plan.function.name());
            let bits = |x: &[f64]| x.iter().map(|x| x.to_bits()).collect::<Vec<u64>>();
            assert!(!found.plain.contains(&MARK), "{of} leaves entries alone");
            assert_eq!(bits(&found.plain), bits(&found.in_zeros), "{of}");
            assert_eq!(bits(&found.plain), bits(&found.again), "{of}");
            let left: Vec<bool> = found.in_marks.iter().map(|x| *x == MARK).collect();
            let zeros = zeros(plan, sizes);
            for (k, is_left) in left.iter().enumerate() {
                let number = if *is_left {
                    found.plain[k] == 0.0 && zeros[k]
                } else {
                    found.in_marks[k] == found.plain[k]
                };
                assert!(number, "{of}, entry {k}");
            }
            if whole.contains(&plan.function) {
                assert_eq!(left, zeros, "{of}");
            }
            assert_eq!(left, found.is_checked, "{of}");
            let count = left.iter().filter(|is_left| **is_left).count();
            let said = format!("_{} that does not write the {count} of ", plan.function.name());
            assert!(count > 0 && robot.files[0].1.contains(&said), "{of}: {count}");
        }
    }
}

fn check_robot(name: &str, robot: &Robot, flags: &[&str], whole: &[Function]) {
    let made = traced(robot);
    let files = made.files();
    check(name, &CRobot { prefix: &made.name, model: &made.model, files }, &made.functions, flags, whole);
}

#[test]
fn of_robots_are_left_alone() {
    let whole = [Function::CenterOfMassJacobian, Function::CoriolisMatrix];
    let arm = robot("double_pendulum").functions(whole.into_iter().chain([Function::RneaHessian]));
    check_robot("zeros_arm", &arm, &PLAIN, &whole);
    let whole = [Function::Crba, Function::RneaDerivatives];
    let legs = robot("hyq").base(Base::Floating).functions(whole);
    check_robot("zeros_hyq", &legs, &PLAIN, &whole);
    check_robot("zeros_hyq_vectors", &legs, &["-ffp-contract=off"], &whole);
    let legs = robot("hyq").functions(whole).gravity_at_run_time(true);
    check_robot("zeros_with", &legs, &PLAIN, &whole);
    let whole = [Function::Regressor, Function::RneaParameterDerivatives];
    let given = robot("hyq").inertia_at_run_time(["lf_lowerleg"]).gravity_at_run_time(true).functions(whole);
    check_robot("zeros_tensors", &given, &PLAIN, &whole);
}

#[test]
fn of_random_trees_are_left_alone() {
    for (seed, floating) in some(1, &[(17, false), (16, true), (11, false), (13, false), (15, false)]) {
        let model =
            random_model(*seed, &Options { friction: !floating, ..Options::everything(9, *floating) });
        let form = BodyForm { share: Some(Spin::Yy), moment: Moment::Euler, origin: Origin::AtChild };
        let tree = Tree::new(&model, Rewrite::uniform(&model, true, form));
        let is_wanted = |f: &Function| {
            f.spec().outputs.iter().any(|output| output.shape.leaves_zeros())
                && !f.is_of_frame()
                && !f.is_by_parameters()
                && !f.is_second_order()
        };
        let plans: Vec<Plan> =
            Function::ALL.into_iter().filter(is_wanted).map(|f| f.trace_all(&tree).remove(0)).collect();
        let c = Writer { prefix: "tree", real: Real::F64, origin: "a test" };
        let Files { header, source } = c.robot(&model, &plans);
        let files = vec![("tree.h".into(), header), ("tree.c".into(), source)];
        let whole = [Function::Crba, Function::RneaDerivatives];
        check(
            &format!("zeros_tree{seed}"),
            &CRobot { prefix: "tree", model: &model, files },
            &plans,
            &PLAIN,
            &whole,
        );
    }
}

/// An arm of seven joints has few zeros.
#[test]
fn forms_that_gain_nothing_are_not_written() {
    let files = traced(&robot("iiwa14").functions([Function::Crba, Function::RneaDerivatives])).files();
    assert!(files.iter().all(|(_, text)| !text.contains("_nonzeros") && !text.contains("RBD_ASSERT")));
}

/// The check as users have it, by `assert`.
#[test]
fn numbers_in_their_place_end_the_program() {
    let files = traced(&robot("hyq").functions([Function::Crba])).files();
    let main = |made: &str| {
        format!(
            "#include \"hyq.h\"\nint main(void)\n{{\n    static const double q[12] = {{0}};\n    \
             static double m[144];\n    m[11] = {made};\n    hyq_crba_nonzeros(q, m);\n    return m[0] > 0 ? 0 : 1;\n}}\n"
        )
    };
    for compiler in compilers() {
        let ran = |made: &str, flags: &[&str]| {
            ran(compiler, &format!("zeros_end_{compiler}"), &files, &main(made), flags)
        };
        assert!(ran("0", &[]).status.success());
        let ended = ran("1", &[]);
        let said = String::from_utf8(ended.stderr).unwrap();
        assert!(
            !ended.status.success() && said.contains("pass a result of zeros, or of an earlier call"),
            "{said}"
        );
        assert!(ran("1", &["-DNDEBUG"]).status.success());
    }
}

#[test]
fn names_are_refused() {
    let robot = robot("double_pendulum").fused("CrbaNonzeros: tau".parse().unwrap());
    match robot.plan(rbd_build::C::default()) {
        Err(Error::Option { name: "fused", what }) => {
            assert!(what.contains("another function `crba_nonzeros` in C"), "{what}")
        }
        other => panic!("{other:?}"),
    }
}
