//! Pages of `rbd view` in headless Chromium, if it is installed: every robot, a recording, hostile names.
//!
//! `.ci/everything` runs it. `RBD_SCREENSHOTS=FOLDER` keeps a picture of each page.

use rbd_build::{Base, Robot};
use rbd_runtime::Model;
use rbd_runtime::reference::{Data, forward_kinematics};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// Moves joints by their sliders, pulls, swings, and reports in the page itself.
const DRIVER: &str = include_str!("driver.js");
/// Uses marks of findings, keys and controls.
const CONTROLS: &str = include_str!("controls.js");
/// Times frames.
const FRAMES: &str = include_str!("frames.js");
/// Lets a robot fall onto the ground.
const GROUND: &str = concat!(include_str!("../ground/drop.js"), include_str!("ground.js"));
/// Replays a recording.
const REPLAY: &str = include_str!("replay.js");

/// Options that keep the browser from the network, and draw without a graphics processor.
const OPTIONS: [&str; 11] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1100,700",
];

fn has_chromium() -> bool {
    let there = Command::new("chromium").arg("--version").output().is_ok_and(|o| o.status.success());
    if !there {
        println!("skipped: chromium is not found (apt-get install chromium)");
    }
    there
}

/// Standard output of the browser for a page.
fn browse(folder: &Path, page: &Path, more: &[&str]) -> String {
    let profile = tempfile::tempdir_in(folder).unwrap();
    let output = Command::new("timeout")
        .args(["120", "chromium"])
        .args(OPTIONS)
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .args(more)
        .arg(format!("file://{}", page.display()))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The page of a robot, and what its driver reports.
fn report(folder: &Path, urdf: &Path, flags: &[&str], driver: &str) -> Value {
    report_with(folder, urdf, flags, driver, &["--virtual-time-budget=20000"])
}

/// The report of a browser with more options.
fn report_with(folder: &Path, urdf: &Path, flags: &[&str], driver: &str, more: &[&str]) -> Value {
    let page = folder.join("page.html");
    let made = Command::new(env!("CARGO_BIN_EXE_rbd"))
        .args(["view", "-o"])
        .args([&page, urdf])
        .args(flags)
        .output()
        .unwrap();
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let text = std::fs::read_to_string(&page).unwrap();
    assert!(text.len() < 3_000_000, "{} bytes", text.len());
    if let Some(kept) = std::env::var_os("RBD_SCREENSHOTS") {
        let name = urdf.with_extension("png");
        let picture = Path::new(&kept).join(name.file_name().unwrap());
        browse(folder, &page, &[&format!("--screenshot={}", picture.display())]);
    }
    let driven = folder.join("driven.html");
    std::fs::write(&driven, text.replace("</body>", &format!("<script>{driver}</script></body>"))).unwrap();
    let shown = browse(folder, &driven, &[&["--dump-dom"], more].concat());
    let begin = shown.split_once("<pre id=\"report\">").expect("the driver reports").1;
    let json = begin.split_once("</pre>").unwrap().0;
    serde_json::from_str(&json.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")).unwrap()
}

fn numbers(x: &Value) -> Vec<f64> {
    x.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

/// Where a robot's bodies are by the reference, x, y and z of one after another.
fn places(model: &Model<f64>, q: &[f64]) -> Vec<f64> {
    let mut data = Data::new(model);
    forward_kinematics(model, &mut data, q).iter().flat_map(|pose| pose.translation.data.0[0]).collect()
}

/// Asserts that bodies are drawn where the reference has them.
fn assert_drawn(name: &str, model: &Model<f64>, q: &[f64], drawn: &Value) {
    let (drawn, expected) = (numbers(drawn), places(model, q));
    assert_eq!(drawn.len(), expected.len(), "{name}");
    for (k, (x, y)) in drawn.iter().zip(&expected).enumerate() {
        assert!((x - y).abs() < 1e-12, "{name}, body {}: {:e}", k / 3, x - y);
    }
}

#[test]
#[ignore = "starts a browser for each robot"]
fn robots_are_drawn_and_move() {
    if !has_chromium() {
        return;
    }
    let robots = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../robots"));
    let mut all: Vec<_> = std::fs::read_dir(robots).unwrap().map(|entry| entry.unwrap().path()).collect();
    all.retain(|path| path.extension().is_some_and(|extension| extension == "urdf"));
    all.sort();
    assert!(all.len() > 20);
    let mut swings = 0;
    for urdf in all {
        let (folder, name) = (tempfile::tempdir().unwrap(), urdf.file_stem().unwrap().to_str().unwrap());
        let floats =
            ["anymal_c", "g1", "go2", "hyq", "icub", "solo12", "talos", "talos_reduced"].contains(&name);
        let (flags, base): (&[&str], _) =
            if floats { (&["--floating"], Base::Floating) } else { (&[], Base::Fixed) };
        let report = report(folder.path(), &urdf, flags, DRIVER);
        assert_eq!(report["error"], Value::Null, "{name}");
        let model = Robot::from_urdf(&urdf).base(base).allow_unphysical_inertia(true).read().unwrap().model;
        // Where the sliders were moved to.
        let q = numbers(&report["q"]);
        assert_eq!(q.len(), model.nq);
        assert_drawn(name, &model, &q, &report["drawn"]);
        let movable = model.bodies.iter().filter(|body| body.nv() == 1).count();
        assert_eq!(report["sliders"].as_u64(), Some(movable as u64), "{name}");
        let number = |key: &str| report[key].as_f64().unwrap_or_else(|| panic!("{name}: {report}"));
        // The robot is in the picture, swings, and follows the mouse.
        assert!(number("pixels") > 1000.0, "{name}: {report}");
        assert!(number("exchanged") > 0.01, "{name} does not swing: {report}");
        assert!(
            report["pulled"].as_str().is_some_and(|said| said.starts_with("pulling ")),
            "{name}: {report}"
        );
        assert!(number("moved") > 1e-4, "{name} is not pulled: {report}");
        // A second of motion without a reset, with the base held in its place.
        assert!((number("time") - 1.0).abs() < 1e-9, "{name} is not stable: {report}");
        assert!(!floats || number("off") < 0.02, "{name} is not held: {report}");
        // Damping and limits take energy away; holding the base is no source of it either.
        assert!(number("gained") < 0.02 * number("fallen") + 1e-6, "{name} gains energy: {report}");
        // Without damping the energy stays, but for the integrator's error, unless a limit takes some.
        let drift = number("drift") / number("exchanged");
        assert!(drift < 0.02 && (drift > -0.02 || report["stopped"] == true), "{name}: {report}");
        swings += usize::from(report["stopped"] == false);
    }
    assert!(swings > 15, "{swings} robots swing freely");
}

/// `rbd-cli/tests/ground/` has the same fall without a browser.
#[test]
#[ignore = "starts a browser for each robot"]
fn robots_fall_onto_the_ground_and_lie() {
    if !has_chromium() {
        return;
    }
    let robots = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../robots"));
    for name in ["hyq", "go2", "anymal_c"] {
        let folder = tempfile::tempdir().unwrap();
        let urdf = robots.join(format!("{name}.urdf"));
        let report = report(folder.path(), &urdf, &["--floating"], GROUND);
        assert_eq!(report["error"], Value::Null, "{name}");
        let number = |key: &str| report[key].as_f64().unwrap_or_else(|| panic!("{name}: {report}"));
        assert!(number("deepest") < 1e-3, "{name}: {report}");
        assert!(number("drift") < 1e-4 && number("speed") < 1e-3, "{name}: {report}");
        let (force, weight) = (numbers(&report["force"]), number("weight"));
        assert!((force[2] - weight).abs() < 1e-3 * weight, "{name}: {report}");
        assert!(force[0].abs().max(force[1].abs()) < 1e-3 * weight, "{name}: {report}");
        assert!(report["finite"] == true && report["cones"] == true, "{name}: {report}");
        // Arrows of the forces are in the picture, and the page's ground is where the robot lies.
        assert_eq!(report["arrows"].as_u64(), report["touching"].as_u64(), "{name}: {report}");
        // Without the ground the robot falls again.
        assert!(number("fallen") > 0.1, "{name}: {report}");
    }
}

#[test]
#[ignore = "starts a browser"]
fn recordings_are_replayed() {
    if !has_chromium() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let urdf = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../robots/hyq.urdf"));
    let model = Robot::from_urdf(urdf).base(Base::Floating).read().unwrap().model;
    // Three configurations, half a turn of the base about its origin from the first to the last.
    let at = |share: f64| -> Vec<f64> {
        let angle = 0.5 * std::f64::consts::PI * share;
        let mut q = vec![0.3, 0.1, 0.5, 0.0, 0.0, angle.sin(), angle.cos()];
        q.extend((0..model.nq - 7).map(|k| 0.1 * k as f64 * share));
        q
    };
    let lines = [(0.5, at(0.0)), (1.0, at(0.5)), (1.5, at(1.0))]
        .map(|(t, q)| q.iter().fold(format!("{t}"), |line, x| format!("{line},{x:.17}")));
    let csv = folder.path().join("run.csv");
    std::fs::write(&csv, lines.join("\n")).unwrap();
    let report = report(folder.path(), urdf, &["--floating", "--trajectory", csv.to_str().unwrap()], REPLAY);
    assert_eq!(report["error"], Value::Null);
    assert_eq!((&report["visible"], numbers(&report["range"])), (&Value::Bool(true), vec![0.5, 1.5]));
    // By the slider: the first and the second line, and between two. By Play: the end, and the beginning.
    for (k, share) in [0.0, 0.5, 0.75, 1.0, 0.0].into_iter().enumerate() {
        assert_drawn("hyq", &model, &at(share), &report["drawn"][k]);
        assert!((report["times"][k].as_f64().unwrap() - 0.5 - share).abs() < 1e-12);
    }
    assert_eq!(report["label"], "Play");
    assert!(report["seen"].as_f64().unwrap() < 0.3, "{report}");
}

#[test]
#[ignore = "starts a browser"]
fn findings_are_marked_and_keys_work() {
    if !has_chromium() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let urdf = folder.path().join("odd.urdf");
    // Reversed limits, an inertia that no body has, and one far larger than the link's box.
    let link = |name: &str, moments: [f64; 3]| {
        let [x, y, z] = moments;
        format!(
            r#"<link name="{name}"><inertial><origin xyz="0 0 0.4"/><mass value="1"/>
            <inertia ixx="{x}" iyy="{y}" izz="{z}" ixy="0" ixz="0" iyz="0"/></inertial>
            <visual><origin xyz="0 0 0.4"/><geometry><box size="0.1 0.1 0.8"/></geometry></visual></link>"#
        )
    };
    let text = format!(
        r#"<robot name="odd"><link name="b"/>{}{}{}
        <joint name="one" type="revolute"><parent link="b"/><child link="flat"/><axis xyz="0 1 0"/>
          <limit lower="1" upper="-1" velocity="1" effort="1"/></joint>
        <joint name="two" type="continuous"><origin xyz="0 0 0.8"/><parent link="flat"/><child link="large"/><axis xyz="0 1 0"/></joint>
        <joint name="three" type="continuous"><origin xyz="0 0 0.8"/><parent link="large"/><child link="good"/><axis xyz="1 0 0"/></joint>
        </robot>"#,
        link("flat", [0.02, 0.02, 0.06]),
        link("large", [3.0, 3.0, 3.0]),
        link("good", [0.06, 0.06, 0.002])
    );
    std::fs::write(&urdf, text).unwrap();
    let report = report(folder.path(), &urdf, &[], CONTROLS);
    assert_eq!(report["error"], Value::Null);
    let texts =
        report["signs"].as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect::<Vec<_>>();
    for about in ["joint `one`", "link `flat`", "link `large`"] {
        assert!(texts.iter().any(|text| text.starts_with(about)), "{about}: {texts:?}");
    }
    assert!(texts.iter().all(|text| !text.contains("good")), "{texts:?}");
    // The middle of the second link, 0.4 m above its joint, with the first at a quarter of its turn.
    let place = numbers(&report["place"]);
    let (sin, cos) = (-std::f64::consts::FRAC_PI_2).sin_cos();
    let expected = [1.2 * sin, 0.0, 1.2 * cos];
    assert!(place.iter().zip(expected).all(|(x, y)| (x - y).abs() < 1e-12), "{place:?}");
    assert!(report["orange"].as_u64() > Some(2) && report["orangeWithout"].as_u64() == Some(0), "{report}");
    for key in ["shown", "turned", "zoomed", "played", "paused", "reset", "pushed", "ended"] {
        assert_eq!(report[key], Value::Bool(true), "{key}: {report}");
    }
    assert_eq!(report["unnamed"], Value::Array(Vec::new()));
    assert_eq!(report["valueText"], "-1.571 rad");
}

#[test]
#[ignore = "starts a browser twice"]
fn pages_are_light_or_dark_as_the_browser_is() {
    if !has_chromium() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let urdf = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../robots/double_pendulum.urdf"));
    let scheme = |number: u8| {
        let flag = format!("--blink-settings=preferredColorScheme={number}");
        let report = report_with(folder.path(), urdf, &[], CONTROLS, &["--virtual-time-budget=20000", &flag]);
        (numbers(&report["background"]), numbers(&report["corner"]))
    };
    // The numbers of Blink's schemes: dark and light.
    for (number, [least, most]) in [(0, [0.0, 60.0]), (1, [200.0, 255.0])] {
        let (page, picture) = scheme(number);
        for color in [&page, &picture] {
            assert!(color.iter().all(|x| (least..=most).contains(x)), "{number}: {color:?}");
        }
    }
}

/// Prints the figures of docs/view.md.
#[test]
#[ignore = "starts a browser for each robot"]
fn frames_are_timed() {
    if !has_chromium() {
        return;
    }
    let robots = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../robots"));
    for name in ["iiwa14", "hyq", "g1"] {
        let folder = tempfile::tempdir().unwrap();
        let flags: &[&str] = if name == "iiwa14" { &[] } else { &["--floating"] };
        // Real time, since the driver does not wait for anything.
        let report = report_with(folder.path(), &robots.join(format!("{name}.urdf")), flags, FRAMES, &[]);
        assert_eq!(report["error"], Value::Null);
        let number = |key: &str| report[key].as_f64().unwrap();
        let share = number("dynamics") / (1000.0 / 60.0);
        println!(
            "{name}: {:.2} ms of dynamics a frame of 16.7 ms ({:.1} %), {:.1} ms of drawing {}",
            number("dynamics"),
            100.0 * share,
            number("picture"),
            report["size"]
        );
        if name != "iiwa14" {
            println!("{name}: {:.2} ms with the base held", number("held"));
        }
        // Seventeen steps a frame, twenty frames.
        assert!((number("simulated") - 0.34).abs() < 1e-9, "{name}: {report}");
    }
}

#[test]
#[ignore = "starts a browser"]
fn hostile_names_do_nothing() {
    if !has_chromium() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let urdf = folder.path().join("hostile.urdf");
    let name = "&lt;/script>&lt;img src=x onerror=&quot;document.title='bad'&quot;>&lt;!--";
    let text = format!(
        r#"<robot name="{name}"><link name="b"/><link name="{name}"><inertial><origin xyz="0 0 -1"/><mass value="1"/>
           <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
           <visual><geometry><mesh filename="{name}"/></geometry></visual></link>
           <joint name="{name}" type="continuous"><parent link="b"/><child link="{name}"/><axis xyz="0 2 0"/></joint></robot>"#
    );
    std::fs::write(&urdf, text).unwrap();
    let report = report(folder.path(), &urdf, &[], DRIVER);
    assert_eq!(report["error"], Value::Null);
    let plain = "</script><img src=x onerror=\"document.title='bad'\"><!--";
    assert_eq!((report["title"].as_str(), report["images"].as_u64()), (Some(plain), Some(0)));
    assert!(report["findings"].as_u64().unwrap() > 0 && report["leftOut"].as_u64() == Some(1), "{report}");
}
