//! Cached text equals newly generated text.

use rbd_build::{Cache, Function, Module, Robot, Written};
use std::path::PathBuf;

fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("kept-{name}"));
    let _ = std::fs::remove_dir_all(&folder);
    folder
}

fn robot() -> Robot {
    Robot::from_urdf(concat!(env!("CARGO_MANIFEST_DIR"), "/good/gripper.urdf"))
        .functions([Function::Gravity, Function::Crba])
}

fn text(written: &Written<Module>) -> String {
    written.text.text("::rbd::__private")
}

#[test]
fn the_same_text_with_and_without() {
    let folder = folder("same");
    let cache = Cache::in_folder(&folder);
    let made = robot().trace().unwrap();
    for time in ["made", "kept"] {
        let module = robot().module(&cache).unwrap();
        assert_eq!(text(&module), made.module().text("::rbd::__private"), "{time}");
        assert_eq!((module.functions, module.type_name.as_str()), (2, "Gripper"), "{time}");
        assert_eq!(module.warnings.to_string(), made.warnings.to_string(), "{time}");
        assert_eq!(robot().source(&cache).unwrap().text, made.source(), "{time}");
    }
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 2);
}

#[test]
fn whatever_changes_the_text_is_another_text() {
    let cache = Cache::in_folder(folder("other"));
    let changes: [fn(Robot) -> Robot; 8] = [
        |r| r,
        |r| r.gravity([0.0, 1.0, -9.81]),
        |r| r.name("Hand"),
        |r| r.functions([Function::Gravity]),
        |r| r.visibility("pub(crate)"),
        |r| r.attributes("#[doc = \"Mine.\"]"),
        |r| r.base(rbd_build::Base::Floating),
        |r| r.shape(rbd_build::Shape::Loops),
    ];
    let mut texts = Vec::new();
    for _ in 0..2 {
        for change in changes {
            let written = text(&change(robot()).module(&cache).unwrap());
            assert_eq!(written, change(robot()).trace().unwrap().module().text("::rbd::__private"));
            texts.push(written);
        }
    }
    let (first, second) = texts.split_at(changes.len());
    assert_eq!(first, second);
    assert!((1..first.len()).all(|k| !first[..k].contains(&first[k])));
}

/// An outline is a fraction of the text, has the same functions, and documents each of them.
#[test]
fn an_outline_has_every_function_and_computes_none() {
    let items = |module: &Module| -> Vec<String> {
        let file = module.text("::rbd::__private").replace(char::is_whitespace, " ");
        let names = file.split(" fn ").skip(1).map(|rest| rest.split(['<', '(']).next().unwrap_or_default());
        names.map(str::trim).filter(|name| !["run", "run_limbs"].contains(name)).map(str::to_owned).collect()
    };
    let all = Robot::from_urdf(concat!(env!("CARGO_MANIFEST_DIR"), "/good/gripper.urdf"));
    let (outline, whole) = (all.outline().unwrap(), all.module(&Cache::none()).unwrap());
    assert_eq!(items(&outline.text), items(&whole.text));
    assert_eq!((outline.functions, outline.type_name), (whole.functions, whole.type_name));
    assert!(!outline.text.kernels.contains("Kernel"));
    assert_eq!(outline.text.body.matches("outline").count(), whole.functions);
    assert_eq!(outline.text.head, whole.text.head);
}

/// A changed number in the URDF, and one changed back.
#[test]
fn a_changed_file_is_generated_anew() {
    let folder = folder("changed");
    std::fs::create_dir_all(&folder).unwrap();
    let cache = Cache::in_folder(folder.join("cache"));
    let urdf = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/good/arm.urdf")).unwrap();
    let mass = urdf.find("<mass value=\"").expect("a mass") + "<mass value=\"".len();
    let other = format!("{}1{}", &urdf[..mass], &urdf[mass..]);
    let path = folder.join("arm.urdf");
    let mut texts = Vec::new();
    for urdf in [&urdf, &other, &urdf] {
        std::fs::write(&path, urdf).unwrap();
        let robot = Robot::from_urdf(&path).functions([Function::Gravity]);
        texts.push(text(&robot.module(&cache).unwrap()));
        assert_eq!(*texts.last().unwrap(), robot.trace().unwrap().module().text("::rbd::__private"));
    }
    assert_ne!(texts[0], texts[1]);
    assert_eq!(std::fs::read_dir(folder.join("cache")).unwrap().count(), 1);
    // Faults are found in any case.
    std::fs::write(&path, "<robot/>").unwrap();
    assert!(Robot::from_urdf(&path).module(&cache).is_err());
}

#[test]
fn damage_is_mended() {
    let folder = folder("damage");
    let cache = Cache::in_folder(&folder);
    let made = text(&robot().module(&cache).unwrap());
    let file = std::fs::read_dir(&folder).unwrap().next().unwrap().unwrap().path();
    let whole = std::fs::read(&file).unwrap();
    let middle = whole.len() / 2;
    let mut flipped = whole.clone();
    flipped[middle] ^= 1;
    for bytes in [&b""[..], &whole[..middle], &flipped] {
        std::fs::write(&file, bytes).unwrap();
        assert_eq!(text(&robot().module(&cache).unwrap()), made);
        assert_eq!(std::fs::read(&file).unwrap(), whole);
    }
}
