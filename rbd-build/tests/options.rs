//! Options that are Rust text or names: bad ones are refused with advice, before anything is
//! traced.

use rbd_build::option_table::OptionRow;
use rbd_build::{C, Error, Function, Gpu, Integrator, Js, Robot, Shape, Step};
use std::error::Error as _;
use std::sync::{Arc, Mutex};

fn robot() -> Robot {
    let urdf = concat!(env!("CARGO_MANIFEST_DIR"), "/../../robots/double_pendulum.urdf");
    Robot::from_urdf(urdf).functions([Function::Gravity])
}

/// The option at fault, and the message.
#[track_caller]
fn refused(robot: &Robot) -> (&'static str, String) {
    match robot.trace() {
        Err(Error::Option { name, what }) => (name, what),
        Err(other) => panic!("{other}"),
        Ok(generated) => panic!("accepted:\n{}", generated.module().head),
    }
}

#[test]
fn names_that_are_none_are_refused() {
    for name in
        ["r#Fn", "r#Arm", "gen", "fn", "Self", "_", "", "7up", "a b", " Arm", "Arm // mine", "A;", "rt"]
    {
        let (option, what) = refused(&robot().name(name));
        assert_eq!(option, "name", "{what}");
        assert!(what.starts_with(&format!("`{name}` is ")) && what.contains("name"), "{what}");
    }
    for name in ["Arm", "q", "Übergelenk", "_a", "Kernel", "kernels_of_q"] {
        assert!(robot().name(name).trace().unwrap().source().contains(&format!("struct {name};")));
    }
}

#[test]
fn visibilities_that_are_none_are_refused() {
    for text in ["public", "pub pub", "pub(", "pub // mine", "pub /* mine", "pub struct A; pub"] {
        let (option, what) = refused(&robot().visibility(text));
        assert_eq!(option, "visibility");
        assert!(what.contains(&format!("`{text}`")) && what.contains("`pub(crate)`"), "{what}");
    }
    for text in ["", "pub", "pub(crate)", "pub(in crate::robots)"] {
        let source = robot().visibility(text).trace().unwrap().source();
        assert!(
            source.contains(format!("\n{text} struct DoublePendulum;").replace("\n ", "\n").as_str()),
            "{source}"
        );
    }
}

#[test]
fn attributes_that_are_none_are_refused() {
    for text in
        ["derive(PartialOrd)", "#[derive(PartialOrd)", "#![allow(x)]", "#[a] struct B;", "/* open", "\"open"]
    {
        let (option, what) = refused(&robot().attributes(text));
        assert_eq!(option, "attributes");
        assert!(what.contains(&format!("`{text}`")) && what.contains("#[derive(PartialOrd)]"), "{what}");
    }
    let accepted = "/// Mine.\n#[derive(PartialOrd)] // ordered";
    assert!(robot().attributes(accepted).trace().unwrap().source().contains("PartialOrd"));
}

#[test]
fn runtime_paths_that_are_none_are_refused() {
    let none = ["", "::", "a b", "a::<T>", "a-b", "rt // mine", "self::rt", "super::rt", "a; use b"];
    for text in none {
        let (option, what) = refused(&robot().runtime_path(text));
        assert_eq!(option, "runtime_path");
        assert!(what.contains(&format!("`{text}`")) && what.contains("`::rbd::__private`"), "{what}");
    }
    for text in ["::rbd_runtime::__private", "crate::hidden::rt", "rbd::__private"] {
        let source = robot().runtime_path(text).trace().unwrap().source();
        // In the block and in the module of kernels.
        assert_eq!(source.matches(&format!("use {text} as rt;")).count(), 2, "{source}");
    }
}

/// Documentation is an attribute `doc` with a value, not any text with these letters.
#[test]
fn the_type_is_described_unless_it_is_documented() {
    let is_described = |attributes: &str| {
        let head = robot().attributes(attributes).trace().unwrap().module().head;
        head.contains("Dynamics of `")
    };
    let undocumented = [
        "",
        "#[cfg_attr(docsrs, derive(PartialOrd))]",
        "#[serde(rename = \"docker\")]",
        "#[doc(alias = \"arm\")]",
        "#[doc(hidden)]",
    ];
    assert!(undocumented.into_iter().all(is_described));
    let documented =
        ["/// An arm.", "#[doc = \"An arm.\"]", "#[doc = include_str!(\"arm.md\")]", "/** An arm. */"];
    assert!(!documented.into_iter().any(is_described));
}

/// Reports print a chain of causes: each is said once.
#[test]
fn an_error_and_its_cause_are_two() {
    let cause = std::io::Error::other("the disk is full");
    let error = Error::Write { path: "out/arm.rs".into(), source: cause };
    assert_eq!(error.to_string(), "cannot write out/arm.rs");
    assert_eq!(error.source().unwrap().to_string(), "the disk is full");
    // Output of a `main` that returns the error.
    assert_eq!(format!("{error:?}"), "cannot write out/arm.rs: the disk is full");

    let missing = Robot::from_urdf("no such file.urdf");
    let error: Error = missing.read().unwrap_err().into();
    assert_eq!(error.to_string(), missing.trace().unwrap_err().to_string());
    assert!(error.to_string().contains("no such file.urdf") && error.source().is_none(), "{error}");
}

#[test]
fn functions_are_listed_once_and_some_are() {
    let (option, what) = refused(&robot().functions([Function::Rnea, Function::Crba, Function::Rnea]));
    assert_eq!((option, &*what), ("functions", "`rnea` is given twice"));
    let (option, what) = refused(&robot().functions([]));
    assert!(option == "functions" && what.starts_with("the list is empty"), "{what}");
    // Fused functions alone, or functions of frames alone, are enough.
    assert!(robot().functions([]).fused("Few: com".parse().unwrap()).outline().is_ok());
    assert!(robot().functions([]).frames(["link2"]).outline().is_ok());
}

#[test]
fn shapes_are_those_that_are_asked_for() {
    let both = robot().functions([Function::KineticEnergy, Function::Minv]);
    let minv = |robot: &Robot| robot.trace().unwrap().source().contains("static TABLES");
    assert!(minv(&both.clone().shape(Shape::Loops)));
    assert!(minv(&both.clone().shape(Shape::Straight).shape_of(Function::Minv, Shape::Loops)));
    assert!(!minv(&both.clone().shape(Shape::Loops).shape_of(Function::Minv, Shape::Limbs)));
    let (option, what) = refused(&both.shape_of(Function::KineticEnergy, Shape::Loops));
    assert_eq!(option, "shape");
    assert!(what.contains("`kinetic_energy` has no loops"), "{what}");
}

/// Observers are told each step, in every language.
#[test]
fn steps_are_told() {
    let told = Arc::new(Mutex::new(Vec::new()));
    let watched = {
        let told = Arc::clone(&told);
        robot()
            .functions([Function::Gravity, Function::Crba])
            .observed(move |step| told.lock().unwrap().push(step))
    };
    let steps = |run: &dyn Fn()| {
        told.lock().unwrap().clear();
        run();
        told.lock().unwrap().clone()
    };
    for steps in [
        steps(&|| drop(watched.trace().unwrap())),
        steps(&|| drop(watched.plan(C::default()).unwrap())),
        steps(&|| drop(watched.plan(Gpu::default()).unwrap())),
    ] {
        let [Step::Reading, Step::Searching { functions: 2 }, found @ .., Step::Writing] = &steps[..] else {
            panic!("{steps:?}")
        };
        assert_eq!(found.len(), 2);
        for function in [Function::Gravity, Function::Crba] {
            assert!(found.contains(&Step::Found { function }), "{steps:?}");
        }
    }
    let steps = steps(&|| drop(watched.read().unwrap()));
    assert_eq!(steps, [Step::Reading]);
}

/// Frames of the URDF are found, others added, and unknown names are refused with the nearest name.
#[test]
fn frames_are_found_added_or_refused() {
    let refused = |robot: Robot| match robot.trace() {
        Err(Error::Urdf(findings)) => findings.to_string(),
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("accepted"),
    };
    let link = "link2";
    let text = refused(robot().frames([format!("{link}x")]));
    assert!(text.contains("frames of") && text.contains(link) && text.contains("unknown-frame"), "{text}");
    let text = refused(robot().frames(["gripper"]));
    assert!(text.contains("links and fixed joints of the URDF: `") && text.contains(", `link2`"), "{text}");
    let text = refused(robot().frame("tip", format!("{link}x"), [0.0; 3], [0.0; 3]));
    assert!(text.contains("frames of `tip`") && text.contains("unknown-link"), "{text}");
    let text = refused(robot().frame(link, link, [0.0; 3], [0.0; 3]));
    assert!(text.contains("duplicate-frame"), "{text}");
    let text = refused(robot().frame("tip", link, [f64::NAN, 0.0, 0.0], [0.0; 3]));
    assert!(text.contains("non-finite"), "{text}");

    let jacobian = [Function::Gravity, Function::FrameJacobian];
    let named = robot().functions(jacobian).frames([link]).frame("my tip", link, [0.0, 0.0, 0.5], [0.0; 3]);
    let source = named.trace().unwrap().source();
    assert!(source.contains("enum DoublePendulumFrame") && source.contains("MyTip,"), "{source}");
    assert!(source.contains("pub fn frame_jacobian<") && !source.contains("pub fn frame_velocity<"));
    // With frames and no function of them, all are generated.
    assert!(robot().frames([link]).trace().unwrap().source().contains("pub fn frame_velocity<"));
    // Without frames, nothing is generated for them.
    assert!(!robot().trace().unwrap().source().contains("enum DoublePendulumFrame"));
}

/// Contacts are found among the frames, and the functions that they need are generated. Unknown
/// ones are refused.
#[test]
fn contacts_are_found_or_refused() {
    use rbd_build::{Base, ContactKind};
    let refused = |robot: Robot| match robot.trace() {
        Err(Error::Urdf(findings)) => findings.to_string(),
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("accepted"),
    };
    let text = refused(robot().contacts(["link2x"]));
    assert!(text.contains("contacts of `link2x`") && text.contains("did you mean `link2`?"), "{text}");
    let text = refused(robot().contacts(["base_link"]));
    assert!(text.contains("contacts of `base_link`") && text.contains("contact-on-world"), "{text}");
    let text = refused(robot().contacts(["link2"]).contact("link2", ContactKind::Plane));
    assert!(text.contains("duplicate-contact"), "{text}");
    match robot().contacts(["link2"]).plan(Js) {
        Err(Error::Option { name: "contacts", .. }) => {}
        other => panic!("{:?}", other.err()),
    }

    let closed = |a: &str, b: &str| robot().closed_loop("bar", [a, b], ContactKind::Point);
    let text = refused(closed("link2x", "base_link"));
    assert!(text.contains("closed_loops of `link2x`") && text.contains("did you mean `link2`?"), "{text}");
    let text = refused(closed("link1", "link1"));
    assert!(text.contains("closed_loops of `bar`") && text.contains("loop-on-one-body"), "{text}");
    let text = refused(closed("link2", "base_link").contacts(["link2"]).closed_loop(
        "bar",
        ["link1", "link2"],
        ContactKind::Plane,
    ));
    assert!(text.contains("duplicate-contact"), "{text}");
    match closed("base_link", "link2").plan(Gpu::default()) {
        Err(Error::Option { name: "closed_loops", .. }) => {}
        other => panic!("{:?}", other.err()),
    }
    // A frame that is fixed to the world may be one of the two.
    let source = closed("base_link", "link2").trace().unwrap().source();
    assert!(source.contains("Bar") && source.contains("CONTACT_ROWS: rt::usize = 3"), "{source}");

    let made = robot()
        .base(Base::Floating)
        .frame("tip", "link2", [0.0, 0.0, 0.5], [0.0; 3])
        .contact("tip", ContactKind::Plane)
        .contacts(["base_link"]);
    let source = made.trace().unwrap().source();
    // In the order of the option, not of the frames.
    assert!(
        source.contains("pub const ALL: [Self; 2usize] = [Self::Tip, Self::BaseLink]")
            || source.contains("pub const ALL: [Self; 2] = [Self::Tip, Self::BaseLink]"),
        "{source}"
    );
    assert!(source.contains("pub fn contact_dynamics<") && source.contains("CONTACT_ROWS: rt::usize = 9"));
    // The functions that it stands on, and no others of frames.
    let only = robot().contacts(["link2"]).trace().unwrap();
    let has = |f: Function| only.functions.iter().any(|plan| plan.function == f);
    assert!(has(Function::FrameJacobian) && has(Function::Minv) && has(Function::Gravity));
    assert!(!has(Function::FrameAcceleration) && !has(Function::Rnea));
    // Without contacts, nothing is generated for them.
    assert!(!robot().frames(["link2"]).trace().unwrap().source().contains("enum DoublePendulumContact"));
}

/// Fused functions contain constants in place of parameters at run time. The two options are
/// refused together, but not each alone.
#[test]
fn fused_functions_take_no_parameters() {
    let fused = || robot().fused("Step: ddq, com".parse().expect("quantities"));
    for together in [
        fused().inertia_at_run_time(["link2"]),
        fused().all_inertia_at_run_time(),
        fused().loads(["link2"]),
        fused().gravity_at_run_time(true),
    ] {
        match together.trace() {
            Err(Error::Option { name: "fused", what }) => assert!(what.contains("constants"), "{what}"),
            other => panic!("{:?}", other.err()),
        }
    }
    assert!(fused().trace().is_ok() && robot().gravity_at_run_time(true).trace().is_ok());
}

#[test]
fn the_page_of_options_has_the_table() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/options.md");
    let page = std::fs::read_to_string(path).unwrap();
    let is_row = |line: &&str| line.starts_with('|');
    let first_table = page.lines().skip_while(|line| !is_row(line)).take_while(is_row);
    let written: String = first_table.map(|line| format!("{line}\n")).collect();
    let table = OptionRow::documentation();
    if std::env::var_os("RBD_BLESS").is_some() {
        std::fs::write(path, page.replace(&written, &table)).unwrap();
    } else {
        assert_eq!(written, table, "`cargo xtask bless` writes the page");
    }
}

/// The build script of docs/front-ends.md is no doctest, but equals the example of [`Robot`], which
/// is one.
#[test]
fn the_documented_build_script_is_compiled() {
    let page = include_str!("../../docs/front-ends.md");
    let script = page.split("```").find(|block| block.starts_with("rust,ignore\nfn main()")).unwrap();
    let call = script.lines().find(|line| line.contains("Robot::from_urdf")).unwrap().trim();
    let example = include_str!("../src/frontend/config.rs").replace("/// ", "");
    assert!(example.lines().any(|line| line == format!("{call}?;")), "{call}");
}

#[test]
fn steps_are_refused_by_a_sentence_where_they_are_not() {
    let semi = || robot().step(Integrator::SemiImplicit);
    assert!(semi().plan(Js).is_ok() && semi().plan(Gpu::default()).is_ok());
    assert!(robot().step(Integrator::Rk4).plan(Gpu::default()).is_ok());
    assert!(semi().gravity_at_run_time(true).trace().is_ok());
    assert!(semi().gravity_at_run_time(true).plan(C::default()).is_ok());
    let actuated = |joint: &str| refused(&semi().actuated([joint])).1;
    assert!(actuated("joint").contains("there is no moving joint `joint`"), "{}", actuated("joint"));
    assert!(actuated("joint3").contains("did you mean `joint"), "{}", actuated("joint3"));
    let (_, text) = refused(&semi().actuated(["joint1", "joint1"]));
    assert!(text.contains("`joint1` is given twice"), "{text}");
    let (option, text) = refused(&robot().actuated(["joint1"]));
    assert!(option == "actuated" && text.contains("write `step` too"), "{text}");
    let joints = || Robot::from_urdf(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/step/joints.urdf"));
    let (_, text) = refused(&joints().functions([]).step(Integrator::Rk4).actuated(["grip"]));
    assert!(text.contains("`grip` follows `elbow`"), "{text}");
    assert!(
        semi().actuated(["joint1"]).plan(C::default()).is_ok()
            && semi().actuated(["joint1"]).plan(Js).is_ok()
    );
    match semi().actuated(["joint1"]).plan(C { acados: true, ..C::default() }) {
        Err(Error::Option { name: "actuated", what }) => {
            assert_eq!(what, "acados' controls are all torques; leave out `actuated`, or `acados`")
        }
        other => panic!("{:?}", other.err()),
    }
    let damped = || semi().step(Integrator::ImplicitDamping);
    let (_, text) = refused(&damped());
    assert!(text.contains("write `damping: true`"), "{text}");
    assert!(damped().damping(true).trace().is_ok());
    let (_, text) = refused(&semi().fused("Step: ddq, com".parse().unwrap()));
    assert!(text.contains("there is another function `step`"), "{text}");
    // Without the option the name is free, and the functions that a step calls are generated with it.
    assert!(robot().fused("Step: ddq, com".parse().unwrap()).trace().is_ok());
    let with = semi().functions([Function::Crba]).trace().unwrap();
    let has = |of: Function| with.functions.iter().any(|plan| plan.function == of);
    assert!(has(Function::Aba) && has(Function::AbaDerivatives));
}

/// Hessians under contacts are there with Hessians of torques, unless two joints on the way to a contact
/// share a coordinate.
#[test]
fn hessians_under_contacts_are_there_if_columns_are_of_one_joint() {
    let links = ["base", "upper", "lower", "other"].map(|name| {
        format!(
            "<link name='{name}'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' \
             iyz='0'/></inertial></link>"
        )
    });
    let joint = |name: &str, parent: &str, child: &str, mimic: &str| {
        format!(
            "<joint name='{name}' type='continuous'><parent link='{parent}'/><child link='{child}'/>\
             <origin xyz='0 0.3 0.1'/><axis xyz='1 0 0'/>{mimic}</joint>"
        )
    };
    let follows = "<mimic joint='a' multiplier='0.5'/>";
    let urdf = format!(
        "<robot name='finger'>{}{}{}{}</robot>",
        links.concat(),
        joint("a", "base", "upper", ""),
        joint("b", "upper", "lower", follows),
        joint("c", "base", "other", follows),
    );
    let source = |function: &str, contacts: &[&str]| {
        let robot =
            Robot::from_urdf_text("finger", &urdf).functions([Function::from_name(function).unwrap()]);
        robot.contacts(contacts.iter().copied()).trace().unwrap().source()
    };
    let has = |source: String| source.contains("fn contact_dynamics_hessian");
    assert!(has(source("rnea_hessian", &["upper", "other"])));
    assert!(!has(source("rnea_hessian", &["upper", "lower"])));
    assert!(!has(source("crba", &["upper"])));
}
