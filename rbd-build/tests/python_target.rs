//! What is written for Python: the recorded text, every function in the stub, and no name of a URDF
//! as code.
//!
//! `tests/python/run.py` tests the values of a wheel.

use proc_macro2::{TokenStream, TokenTree};
use rbd_build::{Base, Function, Generated, Python, Robot, Shape};
use std::collections::BTreeSet;
use std::path::Path;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

fn robot(name: &str) -> Robot {
    Robot::from_urdf(root().join(format!("robots/{name}.urdf")))
}

fn traced(robot: &Robot) -> Generated {
    robot.plan(Python::default()).unwrap_or_else(|e| panic!("{e}"))
}

/// All functions.
fn all() -> Vec<Function> {
    let named = Function::names().into_iter().flat_map(|name| Function::named(name).unwrap());
    // Derivatives by parameters at run time need parameters. A family's name stands for functions
    // that also have names.
    let all: BTreeSet<Function> = named.filter(|function| !function.is_by_parameters()).collect();
    all.into_iter().collect()
}

#[test]
fn generated_files_are_the_recorded_ones() {
    let functions = [Function::Rnea, Function::AbaDerivatives, Function::FrameJacobian];
    let files = || traced(&robot("double_pendulum").functions(functions)).files();
    let once = files();
    assert_eq!(once, files());
    // The text that is made for this robot; the robot itself is `tests/golden/double_pendulum.rs`,
    // and the rest is as it is in the source.
    for (path, recorded) in [
        ("Cargo.toml", "double_pendulum.python.toml"),
        ("double_pendulum.pyi", "double_pendulum.pyi"),
        ("src/lib.rs", "double_pendulum.python.rs"),
    ] {
        let (_, text) = once.iter().find(|(name, _)| name == path).unwrap();
        let recorded_at = root().join("tests/golden").join(recorded);
        if std::env::var_os("RBD_BLESS").is_some_and(|x| x == "1") {
            std::fs::write(&recorded_at, text).unwrap();
        }
        let known = std::fs::read_to_string(&recorded_at).unwrap_or_default();
        assert!(
            known == *text,
            "{recorded} is not what is written now; if that is meant, run \
             `cargo xtask bless`, and read the difference"
        );
    }
}

#[test]
fn every_function_is_written_listed_and_added() {
    let made = traced(&robot("double_pendulum").base(Base::Floating).functions(all()));
    let files = made.files();
    let text =
        |path: &str| files.iter().find(|(name, _)| name == path).map(|(_, text)| text.as_str()).unwrap();
    let (stub, lib) = (text("double_pendulum.pyi"), text("src/lib.rs"));
    for function in all() {
        let name = function.name();
        assert_eq!(stub.matches(&format!("\ndef {name}(")).count(), 1, "{name}");
        assert_eq!(lib.matches(&format!("\nfn {name}<'py>(")).count(), 1, "{name}");
        assert_eq!(lib.matches(&format!("wrap_pyfunction!({name}, m)")).count(), 1, "{name}");
        // Every result has its field, and no argument a keyword's name.
        for output in function.spec().outputs.iter().filter(|_| function.spec().result.is_some()) {
            assert!(
                stub.contains(&format!("\n    {}: NDArray[_Real]\n", output.name)),
                "{name}: {}",
                output.name
            );
        }
    }
    assert!(stub.contains("lambda_: NDArray[_Real]") && !stub.contains("lambda:"));
    syn::parse_file(lib).unwrap();
}

/// Without white space, and without commas that a line more or less adds.
fn dense(text: &str) -> String {
    let text: String = text.split_whitespace().collect();
    text.replace(",)", ")").replace(",]", "]")
}

/// The stub and `lib.rs` of a robot.
fn stub_and_lib(robot: &Robot) -> [String; 2] {
    let files = traced(robot).files();
    ["double_pendulum.pyi", "src/lib.rs"]
        .map(|path| files.iter().find(|(name, _)| name == path).unwrap().1.clone())
}

#[track_caller]
fn has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(dense(text).contains(&dense(part)), "no {part}");
    }
}

#[test]
fn states_are_in_lanes_but_where_one_fills_registers() {
    let function = Function::RneaDerivatives;
    for (shape, expected) in [(Shape::Straight, "in_lanes"), (Shape::Loops, "one_by_one")] {
        let [_, lib] = stub_and_lib(&robot("double_pendulum").functions([function]).shape(shape));
        has(&lib, &[&format!("call::{expected}::<R, Self, 3, 4>(self, slices, first, states, places);")]);
    }
}

#[test]
fn the_manifold_is_there_whatever_is_listed() {
    let robot = robot("double_pendulum").base(Base::Floating).functions([Function::Rnea]);
    let [stub, lib] = stub_and_lib(&robot);
    has(
        &stub,
        &[
            "class IntegrateJacobians(NamedTuple, Generic[_Real]):",
            "def difference_jacobians(q0: NDArray[_Real], q1: NDArray[_Real], *,",
            "def interpolate(q0: NDArray[_Real], q1: NDArray[_Real], t: NDArray[_Real] | float, *,",
            "- `uniform`, (8,) or (states, 8): numbers from 0 to 1",
            "- gives `dq0`, (8, 8) or (states, 8, 8): derivative in the tangent space of `q0`; 1",
        ],
    );
    has(
        &lib,
        &[
            "type Results<T: Scalar> = rt::IntegrateJacobians<T, 8>;",
            "*results = Robot::interpolate(q0, q1, *t);",
            "let t = &call::number(&Array { name: \"q0\", shape: &[9] }, q0, t)?;",
            "*results = rt::random_configuration::<Robot, T, _, _>(uniform);",
        ],
    );
}

/// Stated cost of a function, which determines the number of threads of its batches.
fn operations(lib: &str, class: &str) -> usize {
    let lib = dense(lib);
    let of_class = &lib[lib.find(&format!("for{class}{{")).unwrap()..];
    let number = of_class.split("constOPERATIONS:usize=").nth(1).unwrap();
    number.split(';').next().unwrap().parse().unwrap()
}

#[test]
fn functions_say_what_they_cost() {
    let functions = [Function::Gravity, Function::Rnea, Function::RneaDerivatives, Function::RneaHessian];
    let robot = robot("iiwa14").functions(functions);
    let text = |robot: &Robot| {
        let files = traced(robot).files();
        files.into_iter().find(|(name, _)| name == "src/lib.rs").unwrap().1
    };
    let lib = text(&robot);
    let [gravity, rnea, derivatives, hessian] =
        ["Gravity", "Rnea", "RneaDerivatives", "RneaHessian"].map(|class| operations(&lib, class));
    assert!(
        gravity < rnea && rnea < derivatives && derivatives < hessian,
        "{gravity} {rnea} {derivatives} {hessian}"
    );
    // Gravity of a few thousand states is not worth a second thread, derivatives are.
    assert_eq!(rbd_runtime::batch::grain(4096, gravity), 4096);
    assert!(rbd_runtime::batch::grain(4096, derivatives) < 1024);
    // A state that fills registers alone costs as much as several in lanes.
    let loops = text(&robot.functions([Function::RneaDerivatives]).shape(Shape::Loops));
    assert!(operations(&loops, "RneaDerivatives") > 2 * derivatives);
}

#[test]
fn fused_functions_are_written() {
    let robot = robot("double_pendulum").functions([Function::Rnea]);
    let [stub, lib] = stub_and_lib(&robot.fused("Step: tau, ddq, tool: placement(link2)".parse().unwrap()));
    has(
        &stub,
        &[
            "class Step(NamedTuple, Generic[_Real]):",
            "tool: NDArray[_Real]",
            "def step(q: NDArray[_Real], v:",
        ],
    );
    has(
        &lib,
        &[
            "static FUSED_STEP: Tuple = Tuple::new( \"Step\", &[\"tau\", \"ddq\", \"tool\"], );",
            "type Results<T: Scalar> = robot::Step<T>;",
            "Robot::step_into(q, v, a, tau, results);",
            "wrap_pyfunction!(step, m)",
        ],
    );
}

#[test]
fn what_is_given_at_run_time_is_a_keyword() {
    let robot = robot("double_pendulum").loads(["link2"]).gravity_at_run_time(true);
    let functions = [
        Function::Rnea,
        Function::AbaDerivatives,
        Function::ForwardKinematics,
        Function::RneaParameterDerivatives,
    ];
    let [stub, lib] = stub_and_lib(&robot.functions(functions));
    let keywords = "*, inertia: _Given | None = None, gravity: _Given | None = None, out:";
    assert_eq!(stub.matches(keywords).count(), 3);
    has(
        &stub,
        &[
            "INERTIAS: tuple[str, ...]",
            "def default_inertia()",
            "def default_gravity()",
            "(1, 10) for all states",
        ],
    );
    has(
        &lib,
        &[
            "*results = Robot::rnea_with(&parameters, q, v, a);",
            "Robot::aba_derivatives_with_into(&parameters, q, v, tau, results);",
            "Robot::forward_kinematics_into(q, results);",
            "name: \"dtau_dinertia\", shape: &[2, 1, 10]",
        ],
    );
}

#[test]
fn contacts_are_written_and_what_they_stand_on_is_not() {
    let robot = robot("double_pendulum").base(Base::Floating).functions([Function::Rnea]);
    // With `frames`, their functions are generated, whatever else is listed.
    let [of_frames, _] = stub_and_lib(&robot.clone().frames(["link2"]));
    has(&of_frames, &["def frame_jacobian(", "FRAMES: tuple[_Frame, ...]"]);
    let [stub, lib] = stub_and_lib(&robot.contacts(["base_link", "link2"]));
    for name in [
        "contact_dynamics",
        "contact_dynamics_derivatives",
        "contact_impulse",
        "contact_impulse_derivatives",
        "contact_inverse_dynamics",
        "contact_jacobian",
        "delassus",
        "contact_errors",
        "contact_placements",
    ] {
        has(&stub, &[&format!("def {name}(")]);
        has(&lib, &[&format!("fn {name}<'py>("), &format!("wrap_pyfunction!({name}, m)")]);
    }
    assert!(!lib.contains("fn minv<'py>") && !stub.contains("def frame_jacobian"));
    has(
        &stub,
        &[
            "_Contact = Literal[\"base_link\", \"link2\"]",
            "anchors: _Given | None = None",
            "active: Sequence[_Contact]",
            "axes: _Axes = \"local\"",
        ],
    );
    has(
        &lib,
        &[
            "Robot::contact_dynamics( q, v, tau, &self.active, &given::settings::<T, 2>(&self.settings), );",
            "name: \"forces_dq\", shape: &[6, 8]",
            "m.add(\"CONTACTS\"",
        ],
    );
    syn::parse_file(&lib).unwrap();
}

#[test]
fn the_text_that_is_the_same_for_all_robots_is_rust() {
    for (path, text) in traced(&robot("double_pendulum").functions([Function::Rnea])).files() {
        if path.ends_with(".rs") {
            syn::parse_file(&text).unwrap_or_else(|e| panic!("{path}: {e}"));
        }
    }
}

#[test]
fn shapes_and_orders_are_of_numpy() {
    let made = traced(&robot("double_pendulum").base(Base::Floating).functions(all()));
    let lib = made.files().into_iter().find(|(name, _)| name == "src/lib.rs").unwrap().1;
    let lib: String = lib.split_whitespace().collect::<Vec<_>>().join(" ");
    // Six numbers a body, poses with a last row, a matrix for each of the tensor's last coordinate,
    // bodies before parameters.
    for shape in [
        "name: \"q\", shape: &[9]",
        "name: \"fext\", shape: &[3, 6]",
        "name: \"energy\", shape: &[]",
        "name: \"placements\", shape: &[3, 4, 4]",
        "name: \"jacobian\", shape: &[6, 8]",
        "name: \"d2tau_dqdq\", shape: &[8, 8, 8]",
        "name: \"regressor\", shape: &[8, 3, 10]",
        "name: \"kinetic_energy_regressor\", shape: &[3, 10]",
    ] {
        assert!(lib.contains(shape), "no {shape}");
    }
}

/// Every token; of strings, only that they are there.
fn skeleton(tokens: TokenStream, out: &mut Vec<String>) {
    for token in tokens {
        match token {
            TokenTree::Group(g) => {
                out.push(format!("{:?}", g.delimiter()));
                skeleton(g.stream(), out);
            }
            TokenTree::Literal(l) if l.to_string().starts_with(['"', 'r']) => out.push("string".into()),
            other => out.push(other.to_string()),
        }
    }
}

/// As `tests/trust/hostile_names.rs` does for Rust.
#[test]
fn hostile_names_stay_names() {
    let hostile = std::fs::read_to_string(root().join("tests/golden/hostile_names.urdf")).unwrap();
    let document = roxmltree::Document::parse(&hostile).unwrap();
    let mut places: Vec<(std::ops::Range<usize>, String)> = Vec::new();
    for n in document.descendants().filter(roxmltree::Node::is_element) {
        for name in ["name", "link"] {
            places.extend(n.attribute_node(name).map(|a| (a.range_value(), a.value().to_owned())));
        }
    }
    let mut names: Vec<&str> = places.iter().map(|(_, name)| name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let frames = Robot::from_urdf(root().join("tests/golden/hostile_names.urdf"))
        .functions([Function::Rnea])
        .trace()
        .unwrap()
        .model
        .frames;
    let mut harmless = hostile.clone();
    let number = |name: &str| names.iter().position(|n| *n == name).unwrap();
    let mut from_the_end = places.clone();
    from_the_end.sort_by_key(|(place, _)| std::cmp::Reverse(place.start));
    for (place, name) in from_the_end {
        harmless.replace_range(place, &format!("name{}", number(&name)));
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("python_names");
    std::fs::create_dir_all(&folder).unwrap();
    let generated = |file: &str, text: &str, frames: Vec<String>| {
        std::fs::write(folder.join(file), text).unwrap();
        traced(&Robot::from_urdf(folder.join(file)).functions([Function::FramePlacement]).frames(frames))
    };
    let all: Vec<String> = frames.iter().map(|f| f.name.clone()).collect();
    let numbered = all.iter().map(|name| format!("name{}", number(name))).collect();
    let hostile = generated("a\"; }\n\"\"\" \\?? \u{202e}.urdf", &hostile, all);
    let harmless = generated("harmless.urdf", &harmless, numbered);
    assert_eq!(hostile.name, "a");
    for ((path, a), (_, b)) in hostile.files().iter().zip(&harmless.files()) {
        assert!(a.chars().all(|c| c == '\n' || !c.is_control()), "{path}");
        if path == "src/lib.rs" {
            let tokens = |text: &str| {
                let mut out = Vec::new();
                skeleton(text.parse().unwrap(), &mut out);
                out
            };
            assert_eq!(tokens(a), tokens(b));
        } else if path.ends_with(".pyi") {
            assert!(a.is_ascii());
            assert_eq!(without_strings(a), without_strings(b));
        } else if path.ends_with(".toml") {
            assert_eq!(a.lines().count(), b.lines().count());
            assert!(a.is_ascii());
        }
    }
}

/// Python without the content of strings, and without comments. The emitter writes no other escape
/// than `\x` and the like.
fn without_strings(text: &str) -> String {
    let mut out = String::new();
    for (k, part) in text.split("\"\"\"").enumerate() {
        // Comments are lines of their own.
        for line in part.lines().filter(|line| k % 2 == 0 && !line.starts_with('#')) {
            for (j, piece) in line.split('"').enumerate() {
                out.push_str(if j % 2 == 0 { piece } else { "\"\"" });
            }
            out.push('\n');
        }
    }
    out
}

#[test]
fn options_are_checked() {
    let refused = |robot: Robot| robot.plan(Python::default()).unwrap_err().to_string();
    for name in ["7dof", "a b", "numpy", "class", "\u{e9}", ""] {
        let said = refused(robot("double_pendulum").name(name));
        assert!(said.contains("name: `"), "{said}");
    }
    for (list, what) in [
        ("Lambda: tau", "`lambda` is no name in Python"),
        ("Step: lambda: tau", "`lambda` is no name in Python"),
        ("Joint: tau", "there is another `Joint` in Python"),
        ("Call: tau", "there is another `call` in Python"),
        ("AbaHessian: tau", "there is another `AbaHessian` in Python"),
        ("ContactImpulse: tau", "there is another `ContactImpulse` in Python"),
    ] {
        let said = refused(robot("double_pendulum").fused(list.parse().unwrap()));
        assert!(said.contains(what), "{said}");
    }
    let said = refused(robot("g1").base(Base::Floating).functions([Function::RneaSecondDerivatives]));
    assert!(
        said.contains("`rnea_second_derivatives` of 35 degrees of freedom is too large in Python"),
        "{said}"
    );
}
