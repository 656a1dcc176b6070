//! Output of the command: code, C, crates of robots.

use super::*;

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

/// The command's output for a crate that has `rbd-runtime` and not `rbd` is the file that
/// `without_rbd.rs` compiles. `cargo xtask bless` records it again.
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
    assert_eq!(
        out(&made),
        std::fs::read_to_string(recorded).unwrap(),
        "`cargo xtask bless` records what is meant"
    );
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

    // Options go into the crate as the macro has them.
    let line = "new others arm.urdf --functions rnea,crba --contacts lower,upper=plane --allow non-unit-axis";
    let made = rbd(&folder, &line.split(' ').collect::<Vec<_>>());
    assert!(made.status.success(), "{}", err(&made));
    let library = std::fs::read_to_string(folder.path().join("others/src/lib.rs")).unwrap();
    for option in [
        "functions: [rnea, crba],",
        r#"contacts: { "lower", "upper": plane },"#,
        r#"allow: ["non-unit-axis"],"#,
    ] {
        assert!(library.contains(&format!("\n        {option}\n")), "{library}");
    }

    let again = rbd(&folder, &["new", "my-robots", "arm.urdf"]);
    assert!(!again.status.success() && err(&again).contains("exists already"), "{}", err(&again));
}

#[test]
fn new_writes_nothing_of_what_is_wrong() {
    let folder = folder(&[("good.urdf", PENDULUM), ("bad.urdf", &bad()), ("twin/good.urdf", PENDULUM)]);
    let cases: [(&[&str], &str); 6] = [
        (&["new", "robots", "good.urdf", "--contacts", "foot"], "unknown-frame"),
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
        assert!(err(&refused).starts_with("error"), "{arguments:?}: {}", err(&refused));
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
    // The options of Rust, and those of C.
    let more = ["--float", "--name", "swing", "--lock", "elbow=0.5"];
    let made = rbd(&folder, &[&line[..], &more].concat());
    assert_eq!(made.status.code(), Some(0), "{}", err(&made));
    let header = std::fs::read_to_string(folder.path().join("new/firmware/swing.h")).unwrap();
    assert!(header.contains("void swing_rnea(const float q[1]"), "{header}");
    let made = rbd(&folder, &[&line[..], &["--casadi"]].concat());
    assert_eq!(made.status.code(), Some(0), "{}", err(&made));
    assert!(folder.path().join("new/firmware/double_pendulum_casadi.c").is_file());
    let made = rbd(&folder, &[&line[..], &["--acados", "--step", "explicit"]].concat());
    assert_eq!(made.status.code(), Some(0), "{}", err(&made));
    let acados =
        std::fs::read_to_string(folder.path().join("new/firmware/double_pendulum_acados.c")).unwrap();
    assert!(acados.contains("int double_pendulum_acados_fun_jac_hess(void **in"), "{acados}");
    let refused = rbd(&folder, &[&line[..], &["--acados"]].concat());
    assert_eq!(refused.status.code(), Some(1));
    assert!(err(&refused).contains("acados calls the discrete step; give `step`"), "{}", err(&refused));
}

#[test]
fn generate_refuses_options_of_another_target() {
    let folder = folder(&[("p.urdf", PENDULUM)]);
    let before = names(folder.path());
    for (arguments, said) in [
        (&["--target", "c"][..], "say in which folder the files are written, with -o FOLDER"),
        (&["--float"], "--float is for --target c or cuda"),
        (&["--target", "js", "--float"], "--float is for --target c or cuda"),
        (&["--target", "cuda"], "say in which folder the files are written, with -o FOLDER"),
        (&["--target", "cuda", "-o", "x", "--casadi"], "--casadi is for --target c"),
        (&["--target", "js", "-o", "x", "--acados"], "--acados is for --target c"),
        (&["--target", "cuda", "-o", "x", "--name", "a b"], "`a b` cannot begin names in C"),
        (&["--casadi", "-o", "p.rs"], "--casadi is for --target c"),
        (&["--target", "c", "-o", "x", "--runtime-path", "crate::rt"], "--runtime-path is for --target rust"),
        (&["--target", "c", "-o", "x", "--float", "--casadi"], "casadi: CasADi computes in double"),
        (&["--target", "c", "-o", "x", "--name", "a b"], "`a b` cannot begin names in C"),
        (&["--target", "c", "-o", "p.urdf"], "cannot write p.urdf"),
        (
            &["--target", "python"],
            "Python needs no generated code: `pip install ./rbd-python` in a clone of rbd, then `rbd.load(",
        ),
        (&["--target", "python", "-o", "x"], "Python needs no generated code"),
    ] {
        let failed = rbd(&folder, &[&["generate", "p.urdf", "--functions", "rnea"], arguments].concat());
        assert_eq!(failed.status.code(), Some(1), "{arguments:?}");
        assert!(err(&failed).contains(said), "{arguments:?}: {}", err(&failed));
        assert!(err(&failed).starts_with("error: "), "{arguments:?}: {}", err(&failed));
    }
    assert_eq!(names(folder.path()), before);
    let unknown = rbd(&folder, &["generate", "p.urdf", "--target", "fortran"]);
    assert_eq!(unknown.status.code(), Some(2));
}
