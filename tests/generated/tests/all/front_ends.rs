//! The macro and the build script give equal and reproducible results, with only the requested
//! functions.

use crate::common::inputs;
use generated_tests::trees::{compiled, trees};
use generated_tests::{OUT_DIR, REPOSITORY, by_build_script, robots};
use rbd_build::{Base, Family, Function, Robot};
use rbd_runtime::random::random_state;
use std::fs;
use std::path::{Path, PathBuf};

fn urdf(stem: &str) -> PathBuf {
    Path::new(REPOSITORY).join("robots").join(stem).with_extension("urdf")
}

fn source(robot: &Robot) -> String {
    robot.trace().expect("a good robot").source()
}

/// The options of the build script and of the macro in `generated_tests::robots`.
fn quadruped(path: PathBuf) -> Robot {
    Robot::from_urdf(path)
        .name("Quadruped")
        .base(Base::Floating)
        .gravity([0.0, 0.0, -3.72])
        .lock("lf_kfe_joint", -0.5)
        .armature("rf_hfe_joint", 0.02)
        .damping(true)
        .visibility("pub(crate)")
        .attributes("#[doc = \" On Mars, with one knee fixed.\"]")
        .functions([Function::Aba, Function::Rnea])
}

/// Text of another process, written earlier and from another directory.
#[test]
fn the_build_script_wrote_what_is_generated_here() {
    let written =
        |stem: &str| fs::read_to_string(Path::new(OUT_DIR).join(stem).with_extension("rs")).unwrap();
    let ur5 = Robot::from_urdf(urdf("ur5")).functions(Function::dynamics());
    assert_eq!(written("ur5"), source(&ur5));
    assert_eq!(written("quadruped"), source(&quadruped(urdf("hyq"))));
    for tree in trees().into_iter().filter(|tree| compiled(&tree.stem)) {
        assert_eq!(written(&tree.stem), source(&tree.compiled_robot(Path::new(OUT_DIR))), "{}", tree.stem);
    }
}

/// The text is equal for the same file elsewhere, in another thread, and after other robots.
#[test]
fn generated_text_does_not_depend_on_where_or_when() {
    let elsewhere = Path::new(env!("CARGO_TARGET_TMPDIR")).join("some where/else");
    fs::create_dir_all(&elsewhere).unwrap();
    for stem in ["panda", "hyq", "double_pendulum"] {
        let copy = elsewhere.join(stem).with_extension("urdf");
        fs::copy(urdf(stem), &copy).unwrap();
        let first = source(&Robot::from_urdf(urdf(stem)));
        let again = std::thread::spawn(move || source(&Robot::from_urdf(copy))).join().unwrap();
        assert_eq!(first, again, "{stem}");
        let relative = Robot::from_urdf(format!("robots/{stem}.urdf")).relative_to(REPOSITORY);
        assert_eq!(first, source(&relative), "{stem}");
        assert!(
            !first.contains(REPOSITORY) && !first.contains("some where"),
            "{stem}: a path of this machine"
        );
    }
}

/// Compiled code of both front ends gives the same bits. (A test of the macro's crate compares the
/// texts.)
#[test]
fn both_doors_give_the_same_numbers() {
    let ur5 = robots::ALL.iter().find(|r| r.name == "ur5_fixed").unwrap();
    for (twin, robot) in by_build_script::ALL.iter().zip([ur5, &robots::quadruped::SUBJECT]) {
        assert_eq!(twin.functions, robot.functions);
        let model = (robot.model)();
        assert_eq!((twin.model)(), model);
        for seed in 0..3 {
            let x = inputs(&random_state(&model, seed));
            for function in robot.functions() {
                assert_eq!(twin.run(function, &x), robot.run(function, &x), "{}", function.name());
            }
        }
    }
}

/// The quadruped has its options: they got through both doors.
#[test]
fn options_arrive() {
    for robot in [&by_build_script::ALL[1], &robots::quadruped::SUBJECT] {
        let model = (robot.model)();
        assert_eq!((model.nv, model.gravity.z, model.damping_enters), (6 + 11, -3.72, true));
        assert!(model.bodies.iter().all(|b| b.joint != "lf_kfe_joint"));
        assert_eq!(model.bodies.iter().find(|b| b.joint == "rf_hfe_joint").unwrap().armature, 0.02);
    }
}

/// `functions` generates these and no others, in any order and with repetitions.
#[test]
fn only_the_functions_that_were_asked_for() {
    for functions in
        [vec![Function::Rnea], vec![Function::Minv, Function::AbaFext], Function::default_ones().collect()]
    {
        let text = source(&Robot::from_urdf(urdf("iiwa14")).functions(functions.iter().copied()));
        for function in Function::ALL {
            let there = text.contains(&format!("pub fn {}<", function.name()));
            assert_eq!(there, functions.contains(&function), "{}", function.name());
        }
        for family in Family::ALL {
            let there = text.contains(&format!("rt::{}<7, 7> for Iiwa14", family.name()));
            assert_eq!(
                there,
                family.is_trait() && family.functions().all(|f| functions.contains(&f.function)),
                "{family:?}"
            );
        }
    }
}

/// A fault's report names the file as it was given, without the directory that its path is relative
/// to.
#[test]
fn reports_name_the_file_as_it_was_given() {
    let missing = Robot::from_urdf("robots/no_such.urdf").relative_to(REPOSITORY).trace().unwrap_err();
    for shown in [missing.to_string(), format!("{missing:?}")] {
        assert!(shown.contains("robots/no_such.urdf: there is no such file"), "{shown}");
        assert!(!shown.contains(REPOSITORY), "{shown}");
    }
}
