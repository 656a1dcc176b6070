//! Names of a URDF never become code.

use crate::bless::recorded;
use proc_macro2::{TokenStream, TokenTree};
use rbd_build::{Function, Robot};

// Through the macro, names and all: that this compiles is half of the test.
rbd::rbd_robot! {
    pub struct Hostile { urdf: "../golden/hostile_names.urdf", functions: [gravity] }
}

fn generated(text: &str, name: &str) -> String {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("names");
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join(format!("{name}.urdf"));
    std::fs::write(&path, text).unwrap();
    let robot = Robot::from_urdf(path).name("Robot").functions([Function::Gravity, Function::Rnea]);
    robot.trace().unwrap_or_else(|e| panic!("{e}")).source()
}

/// Every token, with strings left out. A comma at the end of a list of several is ignored: it
/// depends on whether the list fits one line, and so on the length of strings.
fn without_strings(tokens: TokenStream, out: &mut Vec<String>) {
    for token in tokens {
        match token {
            TokenTree::Group(g) => {
                out.push(format!("{:?}", g.delimiter()));
                let first = out.len();
                without_strings(g.stream(), out);
                let several = out[first..].iter().filter(|t| *t == ",").count() > 1;
                if several && out.last().is_some_and(|t| t == ",") {
                    out.pop();
                }
                out.push("end".into());
            }
            TokenTree::Literal(l) if l.to_string().starts_with(['"', 'r']) => out.push("string".into()),
            other => out.push(other.to_string()),
        }
    }
}

fn skeleton(source: &str) -> Vec<String> {
    let mut out = Vec::new();
    without_strings(source.parse().unwrap(), &mut out);
    out
}

#[test]
fn hostile_names_leave_the_code_as_it_is() {
    let hostile = std::fs::read_to_string(recorded("golden/hostile_names.urdf")).unwrap();
    // The robot with harmless names.
    let document = roxmltree::Document::parse(&hostile).unwrap();
    let mut harmless = hostile.clone();
    let quoted = |n: roxmltree::Node<'_, '_>, a: &str| n.attribute_node(a).map(|a| a.range_value());
    let mut names: Vec<std::ops::Range<usize>> = Vec::new();
    for n in document.descendants().filter(roxmltree::Node::is_element) {
        names.extend(quoted(n, "name"));
        if n.has_tag_name("parent") || n.has_tag_name("child") {
            names.extend(quoted(n, "link"));
        }
    }
    let distinct: Vec<&str> = {
        let mut all: Vec<&str> = names.iter().map(|r| &hostile[r.clone()]).collect();
        all.sort_unstable();
        all.dedup();
        all
    };
    names.sort_by_key(|r| std::cmp::Reverse(r.start));
    for range in names {
        let number = distinct.iter().position(|n| **n == hostile[range.clone()]).unwrap();
        harmless.replace_range(range, &format!("name{number}"));
    }
    assert!(!harmless.contains("compile_error"));
    let (hostile, harmless) = (generated(&hostile, "hostile"), generated(&harmless, "harmless"));
    assert_eq!(skeleton(&hostile), skeleton(&harmless));
    // No control character and nothing that changes how a text reads, in strings and comments
    // either.
    assert!(hostile.chars().all(|c| c == '\n' || !c.is_control()));
    let reordering =
        |c| matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    assert!(!hostile.contains(reordering));
}

#[test]
fn names_arrive_unchanged() {
    assert_eq!(Hostile::NAME, "\"; compile_error!(\"x\n*/ } //");
    assert_eq!(Hostile::JOINTS[0].name, "r#\" \"# &lt;");
    assert_eq!(Hostile::JOINTS[1].name.len(), 20_000);
    assert_eq!(Hostile::joint("r#\" \"# &lt;"), Some(0));
    let model = Hostile::model::<f64>();
    let frames: Vec<&str> = model.frames.iter().map(|f| f.name.as_str()).collect();
    for name in [
        "\"#; compile_error!(\"x",
        "l\n//!{}\\\\\"",
        "\u{202e}\u{2066}\u{200b}\u{feff}\u{1f980}\u{301}",
        "*/ \t\\u{0} \\x00 {} {0} %s `backtick` $crate",
        "\r\ncargo::rustc-flags=-l evil",
    ] {
        assert!(frames.contains(&name), "{name:?} is not among {:?}", &frames);
    }
}

#[test]
fn a_null_character_is_refused() {
    let text = std::fs::read_to_string(recorded("golden/body.urdf")).unwrap();
    for null in ["\0", "&#0;"] {
        let text = text.replace("<link name=\"body\"", &format!("<link name=\"bo{null}dy\""));
        let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("names");
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("null.urdf");
        std::fs::write(&path, text).unwrap();
        let error = Robot::from_urdf(path).base(rbd_build::Base::Floating).trace().unwrap_err();
        assert!(error.to_string().contains("not-xml"), "{error}");
    }
}

#[test]
fn a_hostile_file_name_stays_a_name() {
    let text = std::fs::read_to_string(recorded("golden/gripper.urdf")).unwrap();
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("names");
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("a\"; }\ncompile_error!(\"x\u{202e}.urdf");
    std::fs::write(&path, text).unwrap();
    let source = Robot::from_urdf(&path).functions([Function::Gravity]).trace().unwrap().source();
    let header = source.lines().next().unwrap();
    assert!(header.starts_with("// Generated by rbd") && header.is_ascii(), "{header}");
    let tokens = skeleton(&source);
    assert!(!tokens.iter().any(|t| t == "compile_error"), "it became code");
}

/// `frame_velocity_derivatives` of the frame `x` is not `frame_velocity` of the frame `derivatives_x`.
#[test]
fn kernels_of_frames_have_names_of_their_own() {
    let text = std::fs::read_to_string("../../robots/double_pendulum.urdf").unwrap();
    let text = text.replace("\"link1\"", "\"x\"").replace("\"link2\"", "\"derivatives_x\"");
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("kernels.urdf");
    std::fs::write(&path, text).unwrap();
    let functions = [Function::FrameVelocity, Function::FrameVelocityDerivatives];
    let robot = Robot::from_urdf(path).name("T").frames(["x", "derivatives_x"]).functions(functions);
    let source = robot.trace().unwrap().source();
    let structs = source.lines().filter_map(|line| line.trim().strip_prefix("pub struct "));
    let mut names: Vec<&str> =
        structs.map(|rest| rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap()).collect();
    let all = names.len();
    names.sort_unstable();
    names.dedup();
    assert!(all >= 12 && names.len() == all, "{names:?}");
}
