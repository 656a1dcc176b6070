//! The command as its users see it: what it prints, writes and exits with.

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

    let empty = rbd(&folder, &["check", "empty"]);
    assert_eq!(empty.status.code(), Some(1));
    assert!(err(&empty).contains("no `*.urdf`"));
}

#[test]
fn generate_writes_what_a_build_script_would() {
    let folder = folder(&[("double_pendulum.urdf", PENDULUM)]);
    let first = rbd(&folder, &["generate", "double_pendulum.urdf", "-o", "a.rs"]);
    assert_eq!(first.status.code(), Some(0), "{}", err(&first));
    assert!(out(&first).is_empty());
    let again = rbd(&folder, &["generate", "double_pendulum.urdf", "--output", "b.rs"]);
    assert_eq!(again.status.code(), Some(0));
    let printed = rbd(&folder, &["generate", "double_pendulum.urdf"]);
    let read = |name| std::fs::read_to_string(folder.path().join(name)).unwrap();
    assert_eq!(read("a.rs"), read("b.rs"));
    assert_eq!(read("a.rs"), out(&printed));
    let robot = rbd_build::Robot::from_urdf(folder.path().join("double_pendulum.urdf"));
    assert_eq!(read("a.rs"), robot.trace().unwrap().source());
    // No temporary file is left.
    assert_eq!(names(folder.path()).len(), 3);
}

#[test]
fn options_are_those_of_the_builder() {
    use rbd_build::{Base, Function};
    let folder = folder(&[("p.urdf", PENDULUM)]);
    let line = "generate p.urdf --name Swing --floating --gravity -1,0,-9 --lock elbow=-0.5 \
                --armature shoulder=0.25 --damping --functions crba,rnea --snap 1e-6 \
                --runtime-path ::rbd_runtime::__private";
    let made = rbd(&folder, &line.split_whitespace().collect::<Vec<_>>());
    assert_eq!(made.status.code(), Some(0), "{}", err(&made));
    let robot = rbd_build::Robot::from_urdf(folder.path().join("p.urdf"))
        .name("Swing")
        .base(Base::Floating)
        .gravity([-1.0, 0.0, -9.0])
        .lock("elbow", -0.5)
        .armature("shoulder", 0.25)
        .damping(true)
        .functions([Function::Rnea, Function::Crba])
        .snap(1e-6)
        .runtime_path("::rbd_runtime::__private");
    assert_eq!(out(&made), robot.trace().unwrap().source());
}

/// What the command writes for a crate that has `rbd-runtime` and not `rbd` is the file that `without_rbd.rs` compiles.
/// `RBD_BLESS=1` records it anew.
#[test]
fn code_without_rbd_is_the_recorded_file() {
    let folder = folder(&[("pendulum.urdf", PENDULUM)]);
    let line = "generate pendulum.urdf --functions gravity --runtime-path ::rbd_runtime::__private";
    let made = rbd(&folder, &line.split_whitespace().collect::<Vec<_>>());
    assert_eq!(made.status.code(), Some(0), "{}", err(&made));
    let recorded = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/recorded/pendulum.rs");
    if std::env::var_os("RBD_BLESS").is_some_and(|x| x == "1") {
        std::fs::write(recorded, out(&made)).unwrap();
    }
    assert_eq!(out(&made), std::fs::read_to_string(recorded).unwrap(), "RBD_BLESS=1 records what is meant");
}

#[test]
fn nothing_is_written_on_failure() {
    let folder = folder(&[("bad.urdf", &bad()), ("good.urdf", PENDULUM), ("old.rs", "// as it was\n")]);
    let before = names(folder.path());
    let cases: [&[&str]; 6] = [
        &["bad.urdf", "-o", "old.rs"],
        &["bad.urdf", "-o", "new.rs"],
        &["good.urdf", "-o", "old.rs", "--name", "not a name"],
        &["good.urdf", "-o", "old.rs", "--lock", "elbow=0", "--lock", "elbow=1"],
        &["good.urdf", "-o", "good.urdf"],
        &["good.urdf", "-o", "no/such/folder/new.rs"],
    ];
    for case in cases {
        let failed = rbd(&folder, &[&["generate"], case].concat());
        assert_eq!(failed.status.code(), Some(1), "{case:?}");
        assert!(!failed.stderr.is_empty() && failed.stdout.is_empty(), "{case:?}");
    }
    assert_eq!(names(folder.path()), before);
    let read = |name| std::fs::read_to_string(folder.path().join(name)).unwrap();
    assert_eq!((read("old.rs").as_str(), read("good.urdf").as_str()), ("// as it was\n", PENDULUM));
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
    // What is misspelt is answered with what is nearest.
    let unknown = rbd(&folder, &["check", "odd.urdf", "--allow", "non-unit-axes"]);
    assert_eq!(unknown.status.code(), Some(1));
    assert!(out(&unknown).contains("did you mean `non-unit-axis`?"), "{}", out(&unknown));
    let unknown = rbd(&folder, &["report", "p.urdf", "--functions", "abba"]);
    assert!(err(&unknown).contains("there is no such function: did you mean `aba`?"));
    let unknown = rbd(&folder, &["report", "p.urdf", "--gravty", "0,0,1"]);
    assert!(err(&unknown).contains("'--gravity'"), "{}", err(&unknown));
}

#[test]
fn report_weighs_right_angles_with_few_digits() {
    let few = PENDULUM.replace(r#"<origin xyz="0 0 -1"/>"#, r#"<origin xyz="0 0 -1" rpy="1.5708 0 0"/>"#);
    let folder = folder(&[("few.urdf", &few), ("exact.urdf", &few.replace("1.5708", "1.5707963267948966"))]);
    let checked = rbd(&folder, &["check", "few.urdf"]);
    assert!(out(&checked).contains("note[right-angle-digits] few.urdf:15:"), "{}", out(&checked));
    let text = rbd(&folder, &["report", "few.urdf", "--functions", "rnea,crba"]);
    let text = out(&text);
    assert!(text.contains("with snap: 1e-5") && text.contains("more than 3.7e-6 rad"), "{text}");
    let total = |file: &str, more: &[&str]| {
        let json = rbd(&folder, &[&["report", "--json", "--functions", "rnea,crba", file], more].concat());
        let value: serde_json::Value = serde_json::from_str(out(&json)).unwrap();
        let totals = |v: &serde_json::Value, key: &str| -> Vec<u64> {
            v["functions"].as_array().unwrap().iter().map(|f| f[key].as_u64().unwrap()).collect()
        };
        let snapped = (!value["snapped"].is_null()).then(|| totals(&value["snapped"], "snapped"));
        (totals(&value, "total"), snapped)
    };
    let (own, snapped) = total("few.urdf", &[]);
    let (exact, none) = total("exact.urdf", &[]);
    let snapped = snapped.unwrap();
    assert!(none.is_none() && exact == snapped, "{exact:?} {snapped:?}");
    assert!(snapped.iter().zip(&own).all(|(less, more)| less <= more) && snapped != own);
    // Who has asked for it already is not told again.
    assert_eq!(total("few.urdf", &["--snap", "1e-5"]), (exact, None));
}

#[test]
fn report_weighs_fused_functions() {
    let folder = folder(&[("p.urdf", PENDULUM)]);
    let asked =
        ["report", "p.urdf", "--functions", "rnea", "--fused", "Step: m, bias, jacobian(lower, world)"];
    let text = rbd(&folder, &asked);
    let text = out(&text);
    assert!(text.contains("one by one") && text.contains("frame_jacobian of lower"), "{text}");
    let json = rbd(&folder, &[&asked[..], &["--json"]].concat());
    let value: serde_json::Value = serde_json::from_str(out(&json)).unwrap();
    let step = &value["fused"][0];
    let total = |v: &serde_json::Value| v["total"].as_u64().unwrap();
    assert_eq!((&step["name"], step["parts"].as_array().unwrap().len()), (&"step".into(), 3));
    assert_eq!(
        step["one_by_one"].as_u64().unwrap(),
        step["parts"].as_array().unwrap().iter().map(total).sum::<u64>()
    );
    assert!(total(step) <= step["one_by_one"].as_u64().unwrap() && step["angles"] == 2, "{step}");
    let wrong = rbd(&folder, &["report", "p.urdf", "--fused", "Step: jacobian(lower, wrold)"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(err(&wrong).contains("did you mean `world`?"), "{}", err(&wrong));
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

#[test]
fn report_shows_counts_and_zeros() {
    let folder = folder(&[("double_pendulum.urdf", PENDULUM)]);
    let report = rbd(&folder, &["report", "double_pendulum.urdf"]);
    assert_eq!(report.status.code(), Some(0), "{}", err(&report));
    let text = out(&report);
    assert!(text.starts_with("double_pendulum (DoublePendulum, fixed base)\n"), "{text}");
    assert!(
        text.contains(
            "nq 2   nv 2   bodies 2   mimic 0   frames 3\nmass 3.5000 kg   gravity [0, 0, -9.81] m/s^2\n"
        ),
        "{text}"
    );
    assert!(text.contains("-2 to 2"));
    for function in rbd_build::Function::default_ones() {
        assert!(text.lines().any(|l| l.split_whitespace().next() == Some(function.name())), "{text}");
    }
    // By hand: M11 = I1 + I2 + m2 l1^2 + 2 m2 l1 r2 cos q2, M12 has that cosine, and M22 is constant. Nothing
    // depends on the first angle but gravity.
    let drawn = text.split("M  2 x 2").nth(1).expect("a drawing of M");
    let rows: Vec<&str> = drawn.lines().skip(2).map(|l| l.split("  ").next().unwrap()).take(2).collect();
    assert_eq!(rows, ["████", "██▒▒"], "{text}");
    assert!(text.lines().all(|l| l.chars().count() <= 100), "{text}");

    let refused = rbd(&folder, &["report", "nowhere.urdf"]);
    assert_eq!(refused.status.code(), Some(1));
}

#[test]
fn report_for_machines_says_the_same_as_the_builder() {
    let heavy = PENDULUM.replace(
        r#"<link name="base"/>"#,
        r#"<link name="base"><inertial><mass value="1"/>
           <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link>"#,
    );
    let folder = folder(&[("double_pendulum.urdf", &heavy)]);
    let report = rbd(&folder, &["report", "--json", "double_pendulum.urdf", "--floating"]);
    let value: serde_json::Value = serde_json::from_str(out(&report)).unwrap();
    assert_eq!((value["nq"].as_u64(), value["nv"].as_u64()), (Some(9), Some(8)));
    assert_eq!(value["joints"][0]["name"], "root_joint");
    assert!(value["joints"][1]["lower"].is_null());
    let robot = rbd_build::Robot::from_urdf(folder.path().join("double_pendulum.urdf"));
    let generated = robot.base(rbd_build::Base::Floating).trace().unwrap();
    let functions = value["functions"].as_array().unwrap();
    assert_eq!(functions.len(), rbd_build::Function::default_ones().count());
    let mut bytes = 0;
    for (shown, traced) in functions.iter().zip(&generated.functions) {
        assert_eq!(shown["name"], traced.function.name());
        assert_eq!(shown["total"].as_u64().unwrap() as usize, traced.count().total());
        // Fusing merges a product with a sum, and no more than that.
        let count = |name: &str| shown[name].as_u64().unwrap();
        let fused = count("fused");
        assert!(fused <= count("total") && fused >= count("adds").max(count("muls")), "{shown}");
        // The generic algorithms of dynamics are counted.
        if rbd_build::Function::dynamics().any(|f| f == traced.function) {
            assert!(shown["generic"]["total"].as_u64() > shown["total"].as_u64(), "{shown}");
        }
        bytes += count("source_bytes");
    }
    let file = generated.source().len() as u64;
    assert_eq!(value["file_bytes"].as_u64(), Some(file));
    assert!(bytes < file && 2 * bytes > file, "{bytes} of {file}");
    // The plane of motion: forces along the floating base's y are felt by no other linear axis.
    let m = &value["patterns"][0];
    assert_eq!(m["name"], "M");
    let row: &str = m["rows"][1].as_str().unwrap();
    assert_eq!(&row[..3], ".c.");
}

#[test]
fn new_makes_a_crate_of_robots() {
    let arm = PENDULUM.replace("double_pendulum", "arm");
    let folder = folder(&[("double pendulum.urdf", PENDULUM), ("arm.urdf", &arm)]);
    let made = rbd(&folder, &["new", "my-robots", "double pendulum.urdf", "arm.urdf"]);
    assert!(made.status.success(), "{}", err(&made));
    let read = |path: &str| std::fs::read_to_string(folder.path().join("my-robots").join(path)).unwrap();
    assert_eq!((read("robots/double_pendulum.urdf"), read("robots/arm.urdf")), (PENDULUM.to_owned(), arm));
    let manifest = read("Cargo.toml");
    assert!(manifest.contains("name = \"my-robots\"") && manifest.contains("[profile.dev]"), "{manifest}");
    // The path of this repository.
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().canonicalize().unwrap();
    assert!(manifest.contains(&format!("rbd = {{ path = {:?} }}", root.display().to_string())), "{manifest}");
    let library = read("src/lib.rs");
    assert!(
        library.contains("pub struct DoublePendulum") && library.contains("urdf: \"robots/arm.urdf\""),
        "{library}"
    );
    assert!(library.contains("base: fixed"), "{library}");
    assert!(read("README.md").contains("my-robots = { path = \"../my-robots\" }"));

    let again = rbd(&folder, &["new", "my-robots", "arm.urdf"]);
    assert!(!again.status.success() && err(&again).contains("exists already"), "{}", err(&again));
}

#[test]
fn new_writes_nothing_of_what_is_wrong() {
    let folder = folder(&[("good.urdf", PENDULUM), ("bad.urdf", &bad()), ("twin/good.urdf", PENDULUM)]);
    let cases: [(&[&str], &str); 5] = [
        (&["new", "robots", "good.urdf", "bad.urdf"], "zero-axis"),
        (&["new", "robots", "good.urdf", "twin/good.urdf"], "would both be `Good`"),
        (&["new", "my robots", "good.urdf"], "no name for a crate"),
        (&["new", "robots", "good.urdf", "--rbd", "."], "not the source of rbd"),
        (&["new", "robots"], "FILE.urdf"),
    ];
    for (arguments, said) in cases {
        let refused = rbd(&folder, arguments);
        assert!(
            !refused.status.success() && err(&refused).contains(said),
            "{arguments:?}: {}",
            err(&refused)
        );
    }
    assert_eq!(names(folder.path()).len(), 3);
}

#[test]
fn generate_writes_c_into_a_folder() {
    let folder = folder(&[("double pendulum.urdf", PENDULUM)]);
    let line =
        ["generate", "--target", "c", "double pendulum.urdf", "--functions", "rnea", "-o", "new/firmware"];
    let made = rbd(&folder, &line);
    assert_eq!(made.status.code(), Some(0), "{}", err(&made));
    assert_eq!(out(&made), "");
    assert!(err(&made).contains("double_pendulum.h: double_pendulum with 1 functions"), "{}", err(&made));
    let written = names(&folder.path().join("new/firmware"));
    let file_names: Vec<_> = written.iter().map(|path| path.file_name().unwrap().to_str().unwrap()).collect();
    assert_eq!(file_names, ["double_pendulum.c", "double_pendulum.h"]);
    let header = std::fs::read_to_string(&written[1]).unwrap();
    assert!(
        header.contains("void double_pendulum_rnea(const double q[2], const double v[2], const double a[2]")
    );
    // The same options as for Rust, and those of C.
    let more = ["--float", "--name", "swing", "--lock", "elbow=0.5"];
    let made = rbd(&folder, &[&line[..], &more].concat());
    assert_eq!(made.status.code(), Some(0), "{}", err(&made));
    let header = std::fs::read_to_string(folder.path().join("new/firmware/swing.h")).unwrap();
    assert!(header.contains("void swing_rnea(const float q[1]"), "{header}");
    let made = rbd(&folder, &[&line[..], &["--casadi"]].concat());
    assert_eq!(made.status.code(), Some(0), "{}", err(&made));
    assert!(folder.path().join("new/firmware/double_pendulum_casadi.c").is_file());
}

#[test]
fn generate_writes_a_package_for_python() {
    let folder = folder(&[("double pendulum.urdf", PENDULUM), ("new/mine/Cargo.toml", "[package]\n")]);
    let line = ["generate", "--target", "python", "double pendulum.urdf", "--functions", "rnea", "-o", "new"];
    let made = rbd(&folder, &[&line[..], &["--source"]].concat());
    assert_eq!(made.status.code(), Some(0), "{}", err(&made));
    assert_eq!(out(&made), "");
    assert!(err(&made).contains("double_pendulum: a crate with 1 functions"), "{}", err(&made));
    let written = names(&folder.path().join("new/double_pendulum"));
    let file_names: Vec<_> = written.iter().map(|path| path.file_name().unwrap().to_str().unwrap()).collect();
    assert_eq!(file_names, ["Cargo.toml", "double_pendulum.pyi", "pyproject.toml", "src"]);
    // The runtime is where this command was built.
    let manifest = std::fs::read_to_string(&written[0]).unwrap();
    let runtime = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("rbd-runtime");
    assert!(manifest.contains(&format!("path = {:?}", runtime.display().to_string())), "{manifest}");
    // A crate of someone's own is left alone.
    let refused = rbd(&folder, &[&line[..], &["--source", "--name", "mine"]].concat());
    assert_eq!(refused.status.code(), Some(1));
    assert!(err(&refused).contains("is a crate that was not generated"), "{}", err(&refused));
    // Without maturin no crate is written, and it is said what to do.
    let without = Command::new(env!("CARGO_BIN_EXE_rbd"))
        .args(line)
        .args(["--name", "other"])
        .current_dir(folder.path())
        .env("PATH", "")
        .output()
        .unwrap();
    assert_eq!(without.status.code(), Some(1));
    assert!(err(&without).contains("run `pip install maturin`, or give --source"), "{}", err(&without));
    assert!(!folder.path().join("new/other").exists());
}

#[test]
fn generate_refuses_options_of_another_target() {
    let folder = folder(&[("p.urdf", PENDULUM)]);
    let before = names(folder.path());
    for (arguments, said) in [
        (&["--target", "c"][..], "C is several files: say in which folder, with -o FOLDER"),
        (&["--float"], "--float is for --target c or cuda"),
        (&["--target", "cuda"], "say in which folder the header is written, with -o FOLDER"),
        (&["--target", "cuda", "-o", "x", "--casadi"], "--casadi is for --target c"),
        (&["--target", "cuda", "-o", "x", "--name", "a b"], "`a b` cannot begin names in C"),
        (&["--casadi", "-o", "p.rs"], "--casadi is for --target c"),
        (&["--target", "c", "-o", "x", "--runtime-path", "crate::rt"], "--runtime-path is for --target rust"),
        (&["--target", "c", "-o", "x", "--float", "--casadi"], "casadi: CasADi computes in double"),
        (&["--target", "c", "-o", "x", "--name", "a b"], "`a b` cannot begin names in C"),
        (&["--target", "c", "-o", "p.urdf"], "cannot write p.urdf"),
        (&["--source"], "--source is for --target python"),
        (&["--target", "c", "-o", "x", "--rbd", "."], "--rbd is for --target python"),
        (&["--target", "python"], "a package is several files: say in which folder, with -o FOLDER"),
        (&["--target", "python", "-o", "x", "--rbd", "."], ". is not the source of rbd"),
        (&["--target", "python", "-o", "x", "--name", "lambda"], "`lambda` is a keyword of Python or Rust"),
    ] {
        let failed = rbd(&folder, &[&["generate", "p.urdf", "--functions", "rnea"], arguments].concat());
        assert_eq!(failed.status.code(), Some(1), "{arguments:?}");
        assert!(err(&failed).contains(said), "{arguments:?}: {}", err(&failed));
    }
    assert_eq!(names(folder.path()), before);
    let unknown = rbd(&folder, &["generate", "p.urdf", "--target", "fortran"]);
    assert_eq!(unknown.status.code(), Some(2));
}
