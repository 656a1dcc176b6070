//! The command as its users see it: output, files and exit codes.

mod generate;
mod report;
mod view;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use tempfile::TempDir;

/// Two links that turn about y, as in a textbook.
const PENDULUM: &str = r#"<robot name="double_pendulum">
  <link name="base"/>
  <link name="upper">
    <inertial><origin xyz="0 0 -0.5"/><mass value="2"/>
      <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.01"/></inertial>
  </link>
  <link name="lower">
    <inertial><origin xyz="0 0 -0.5"/><mass value="1.5"/>
      <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.01"/></inertial>
  </link>
  <joint name="shoulder" type="continuous">
    <parent link="base"/><child link="upper"/><axis xyz="0 1 0"/>
  </joint>
  <joint name="elbow" type="revolute">
    <origin xyz="0 0 -1"/><parent link="upper"/><child link="lower"/><axis xyz="0 1 0"/>
    <limit lower="-2" upper="2" effort="1" velocity="1"/>
  </joint>
</robot>
"#;

/// A folder with files in it.
fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    folder
}

fn bad() -> String {
    PENDULUM.replace(r#"<axis xyz="0 1 0"/>"#, r#"<axis xyz="0 0 0"/>"#)
}

fn rbd(folder: &TempDir, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_rbd")).current_dir(folder).args(arguments).output().unwrap()
}

fn out(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).unwrap()
}

fn err(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).unwrap()
}

fn names(folder: &Path) -> Vec<PathBuf> {
    let mut names: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    names.sort();
    names
}

#[test]
fn check_accepts_a_good_file_and_refuses_a_bad_one_with_its_place() {
    let folder = folder(&[("good.urdf", PENDULUM), ("bad.urdf", &bad())]);
    let good = rbd(&folder, &["check", "good.urdf"]);
    assert_eq!((good.status.code(), out(&good)), (Some(0), "good.urdf: accepted (0 errors, 0 warnings)\n"));

    let bad = rbd(&folder, &["check", "bad.urdf"]);
    assert_eq!(bad.status.code(), Some(1));
    // Both axes, each in its line and column.
    assert!(out(&bad).contains("error[zero-axis] bad.urdf:12:58: joint `shoulder`"), "{}", out(&bad));
    assert!(out(&bad).contains("error[zero-axis] bad.urdf:15:81: joint `elbow`"), "{}", out(&bad));
    assert!(out(&bad).ends_with("bad.urdf: refused (2 errors, 0 warnings)\n"));

    let missing = rbd(&folder, &["check", "nowhere.urdf"]);
    assert_eq!(missing.status.code(), Some(1));
    assert!(out(&missing).contains("unreadable-file"));
}

#[test]
fn check_prints_a_hundred_findings_and_counts_the_rest() {
    let wrong = "<joint name='j' type='hinge'/>\n".repeat(20_000);
    let folder = folder(&[("wrong.urdf", &PENDULUM.replace("</robot>", &(wrong + "</robot>")))]);
    let checked = rbd(&folder, &["check", "wrong.urdf"]);
    assert_eq!(checked.status.code(), Some(1));
    assert_eq!(out(&checked).matches("error[").count(), 100);
    assert!(out(&checked).contains("\n... and ") && out(&checked).contains(" x19"), "{}", out(&checked));
    assert!(out(&checked).ends_with("errors, 0 warnings)\n"), "{}", out(&checked));
}

#[test]
fn strict_refuses_what_is_warned_of() {
    let odd = PENDULUM.replacen(r#"xyz="0 1 0""#, r#"xyz="0 2 0""#, 1);
    let folder = folder(&[("odd.urdf", &odd)]);
    let lenient = rbd(&folder, &["check", "odd.urdf"]);
    assert_eq!(lenient.status.code(), Some(0));
    assert!(out(&lenient).contains("warning[non-unit-axis] odd.urdf:12:58"), "{}", out(&lenient));
    let strict = rbd(&folder, &["check", "odd.urdf", "--strict"]);
    assert_eq!(strict.status.code(), Some(1));
    assert!(out(&strict).contains("error[non-unit-axis]"));
}

#[test]
fn check_sums_up_a_folder() {
    let odd = PENDULUM.replacen(r#"xyz="0 1 0""#, r#"xyz="0 2 0""#, 1);
    let folder = folder(&[
        ("robots/a/good.urdf", PENDULUM),
        ("robots/odd.urdf", &odd),
        ("robots/bad.urdf", &bad()),
        ("robots/readme.txt", "not a robot"),
        ("empty/readme.txt", "not a robot"),
    ]);
    let all = rbd(&folder, &["check", "robots"]);
    assert_eq!(all.status.code(), Some(1));
    assert!(out(&all).contains("error[zero-axis] robots/bad.urdf:12:58"));
    assert!(out(&all).contains("zero-axis x2"));
    assert!(
        out(&all).ends_with("3 files: 1 accepted, 1 accepted with warnings, 1 refused\n"),
        "{}",
        out(&all)
    );

    let quiet = rbd(&folder, &["check", "--quiet", "robots"]);
    assert!(!out(&quiet).contains("error["));
    assert!(out(&quiet).contains("refused"));

    let json = rbd(&folder, &["check", "--json", "robots"]);
    assert_eq!(json.status.code(), Some(1));
    let value: serde_json::Value = serde_json::from_str(out(&json)).unwrap();
    let verdicts: Vec<_> = value.as_array().unwrap().iter().map(|f| f["verdict"].as_str().unwrap()).collect();
    assert_eq!(verdicts, ["accepted", "refused", "warned"]);
    assert_eq!(value[1]["findings"][0]["code"], "zero-axis");
    assert_eq!(value[1]["findings"][0]["line"], 12);

    // The folder is said once, and rows are within it.
    let path = folder.path().join("robots");
    let absolute = rbd(&folder, &["check", "--quiet", path.to_str().unwrap()]);
    assert_eq!(out(&absolute).matches(path.to_str().unwrap()).count(), 1, "{}", out(&absolute));
    assert!(out(&absolute).contains("\n a/good.urdf "), "{}", out(&absolute));

    let empty = rbd(&folder, &["check", "empty"]);
    assert_eq!(empty.status.code(), Some(1));
    assert!(err(&empty).starts_with("error: empty: no `*.urdf`"), "{}", err(&empty));
}

#[test]
fn check_deep_compares_every_function_with_the_reference() {
    let folder = folder(&[("p.urdf", PENDULUM), ("bad.urdf", &bad())]);
    let deep = rbd(&folder, &["check", "--deep", "p.urdf"]);
    assert_eq!(deep.status.code(), Some(0), "{}{}", out(&deep), err(&deep));
    assert!(out(&deep).starts_with("p.urdf: accepted (0 errors, 0 warnings)\np.urdf: by "), "{}", out(&deep));
    assert!(
        out(&deep).ends_with(
            " functions agree with the generic reference at 1000 random states (second derivatives at 10)\n"
        ),
        "{}",
        out(&deep)
    );
    // What is refused has no functions.
    let bad = rbd(&folder, &["check", "--deep", "bad.urdf"]);
    assert_eq!(bad.status.code(), Some(1));
    assert!(out(&bad).ends_with("bad.urdf: refused (2 errors, 0 warnings)\n"));
}

#[test]
fn bench_times_functions_beside_the_reference() {
    let folder = folder(&[("p.urdf", PENDULUM)]);
    let timed = rbd(&folder, &["bench", "p.urdf", "--functions", "rnea,aba", "--batch", "16"]);
    assert_eq!(timed.status.code(), Some(0), "{}", err(&timed));
    let text = out(&timed);
    assert!(text.starts_with("p.urdf: 2 degrees of freedom, by "), "{text}");
    assert!(text.contains("in 16, ns") && text.contains(" rnea ") && text.contains(" aba "), "{text}");
    let missing = rbd(&folder, &["bench", "nowhere.urdf"]);
    assert_eq!(missing.status.code(), Some(1));
    assert!(err(&missing).contains("unreadable-file"), "{}", err(&missing));
}

#[test]
fn notes_and_codes() {
    let heavy = PENDULUM.replace(
        r#"<link name="base"/>"#,
        r#"<link name="base"><inertial><mass value="1"/>
           <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link>"#,
    );
    let odd = heavy.replacen(r#"xyz="0 1 0""#, r#"xyz="0 2 0""#, 1);
    let units: String = odd.replace("<mass ", r#"<mass unit="kg" "#).replace("<axis ", r#"<axis unit="1" "#);
    let folder = folder(&[("p.urdf", &heavy), ("odd.urdf", &odd), ("units.urdf", &units)]);
    // A note is shown by `check`, is no warning, and is silent in builds.
    let noted = rbd(&folder, &["check", "p.urdf", "--strict"]);
    assert_eq!(noted.status.code(), Some(0));
    assert!(
        out(&noted).starts_with("note[inertia-on-fixed-root] p.urdf:2:3: link `base`"),
        "{}",
        out(&noted)
    );
    assert!(out(&noted).ends_with("p.urdf: accepted (0 errors, 0 warnings, 1 note)\n"), "{}", out(&noted));
    let generate = |arguments: &[&str]| {
        let made = rbd(&folder, &[&["generate", "--functions", "gravity"], arguments].concat());
        assert_eq!(made.status.code(), Some(0), "{}", err(&made));
        err(&made).to_owned()
    };
    assert_eq!(generate(&["p.urdf"]), "");
    assert_eq!(generate(&["odd.urdf"]).matches("warning[").count(), 1);
    assert_eq!(generate(&["odd.urdf", "--allow", "non-unit-axis,negative-limit"]), "");
    // Five of one kind: three, and a line for two.
    let shown = generate(&["units.urdf", "--allow", "non-unit-axis"]);
    assert_eq!(shown.matches("warning[unknown-attribute]").count(), 4, "{shown}");
    assert!(shown.contains("units.urdf: 2 more warnings of this kind"), "{shown}");
    let all = rbd(&folder, &["check", "units.urdf", "--allow", "non-unit-axis"]);
    assert_eq!(out(&all).matches("warning[unknown-attribute]").count(), 5);
    // A misspelt code is answered with the nearest one.
    let unknown = rbd(&folder, &["check", "odd.urdf", "--allow", "non-unit-axes"]);
    assert_eq!(unknown.status.code(), Some(1));
    assert!(out(&unknown).contains("did you mean `non-unit-axis`?"), "{}", out(&unknown));
    let unknown = rbd(&folder, &["report", "p.urdf", "--functions", "abba"]);
    assert!(err(&unknown).contains("there is no such function: did you mean `aba`?"));
    let unknown = rbd(&folder, &["report", "p.urdf", "--functions", "contact_dynamics"]);
    assert!(err(&unknown).contains("come with the option `contacts`"), "{}", err(&unknown));
    let twice = rbd(&folder, &["report", "p.urdf", "--functions", "rnea,crba,rnea"]);
    assert_eq!(err(&twice), "error: --functions gives `rnea` twice\n");
    // Families may overlap.
    assert!(rbd(&folder, &["report", "p.urdf", "--functions", "crba,mass_matrix"]).status.success());
    let unknown = rbd(&folder, &["report", "p.urdf", "--gravty", "0,0,1"]);
    assert!(err(&unknown).contains("'--gravity'"), "{}", err(&unknown));
}

#[test]
fn wrong_arguments_are_told_from_wrong_robots() {
    let folder = folder(&[("p.urdf", PENDULUM)]);
    for case in [
        &["report", "p.urdf", "--functions", "rnea,abba"][..],
        &["report", "p.urdf", "--gravity", "0,0"],
        &["report", "p.urdf", "--lock", "elbow"],
        &["report", "p.urdf", "--fused", "ddq"],
        &["report"],
        &["check"],
        &["destroy"],
    ] {
        let failed = rbd(&folder, case);
        assert_eq!(failed.status.code(), Some(2), "{case:?}");
        assert!(!failed.stderr.is_empty());
    }
}
