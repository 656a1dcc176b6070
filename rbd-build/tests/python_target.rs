//! What is written for Python: the recorded text, every function in the stub, and no name of a URDF as code.
//!
//! That it computes what it should is asked of a wheel: `tests/python/run.py`.

use proc_macro2::{TokenStream, TokenTree};
use rbd_build::{Base, Function, GeneratedPython, Robot, RuntimeAt};
use std::path::Path;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap()
}

fn robot(name: &str) -> Robot {
    Robot::from_urdf(root().join(format!("robots/{name}.urdf")))
}

fn traced(robot: &Robot) -> GeneratedPython {
    robot.trace_python(RuntimeAt::Registry).unwrap_or_else(|e| panic!("{e}"))
}

/// Every function that there is.
fn all() -> Vec<Function> {
    let named = Function::names().into_iter().flat_map(|name| Function::named(name).unwrap());
    // What is given at run time is not given in Python.
    named.filter(|function| !function.is_by_parameters()).collect()
}

#[test]
fn generated_files_are_the_recorded_ones() {
    let functions = [Function::Rnea, Function::AbaDerivatives, Function::FrameJacobian];
    let files = || traced(&robot("double_pendulum").functions(functions)).files();
    let once = files();
    assert_eq!(once, files());
    // The text that is made for this robot; the robot itself is `tests/golden/double_pendulum.rs`, and the rest is as it is
    // in the source.
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
            "{recorded} is not what is written now; if that is meant, run RBD_BLESS=1 cargo test -p rbd-build --test \
             python_target, and read the difference"
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
    // Six numbers a body, poses with a last row, a matrix for each of the tensor's last coordinate, bodies before parameters.
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
    assert_eq!(hostile.name(), "a");
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

/// Python without what its strings say, and without comments. The emitter writes no other escape than `\x` and the like.
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
    let refused = |robot: Robot| robot.trace_python(RuntimeAt::Registry).unwrap_err().to_string();
    for name in ["7dof", "a b", "numpy", "class", "\u{e9}", ""] {
        let said = refused(robot("double_pendulum").name(name));
        assert!(said.contains("name: `"), "{said}");
    }
    let said = refused(robot("g1").base(Base::Floating).functions([Function::RneaSecondDerivatives]));
    assert!(
        said.contains("`rnea_second_derivatives` of 35 degrees of freedom is too large for Python"),
        "{said}"
    );
}
