//! Pages of `rbd view` in headless Chromium, if it is installed: an arm, a quadruped, a humanoid.
//!
//! `.ci/everything` runs it. `RBD_SCREENSHOTS=FOLDER` keeps a picture of each page.

use rbd_build::{Base, Robot};
use rbd_runtime::reference::{Data, forward_kinematics};
use serde_json::Value;
use std::path::Path;
use std::process::Command;

/// Moves joints by their sliders, pulls, swings, and reports in the page itself.
const DRIVER: &str = include_str!("driver.js");

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
fn report(folder: &Path, urdf: &Path, flags: &[&str]) -> Value {
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
    std::fs::write(&driven, text.replace("</body>", &format!("<script>{DRIVER}</script></body>"))).unwrap();
    let shown = browse(folder, &driven, &["--dump-dom", "--virtual-time-budget=20000"]);
    let begin = shown.split_once("<pre id=\"report\">").expect("the driver reports").1;
    let json = begin.split_once("</pre>").unwrap().0;
    serde_json::from_str(&json.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")).unwrap()
}

fn numbers(x: &Value) -> Vec<f64> {
    x.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
}

#[test]
#[ignore = "starts a browser for each robot"]
fn robots_are_drawn_and_move() {
    if !has_chromium() {
        return;
    }
    let robots = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../robots"));
    for (name, flags) in [("iiwa14", &[][..]), ("hyq", &["--floating"]), ("g1", &["--floating"])] {
        let (folder, urdf) = (tempfile::tempdir().unwrap(), robots.join(format!("{name}.urdf")));
        let report = report(folder.path(), &urdf, flags);
        assert_eq!(report["error"], Value::Null, "{name}");
        let base = if flags.is_empty() { Base::Fixed } else { Base::Floating };
        let model = Robot::from_urdf(&urdf).base(base).read().unwrap().model;
        // Where the sliders were moved to, the bodies are drawn where the reference has them.
        let (q, drawn) = (numbers(&report["q"]), numbers(&report["drawn"]));
        assert_eq!(q.len(), model.nq);
        let mut data = Data::new(&model);
        let expected = forward_kinematics(&model, &mut data, &q);
        assert_eq!(drawn.len(), 3 * expected.len());
        for (k, pose) in expected.iter().enumerate() {
            for i in 0..3 {
                let error = (drawn[3 * k + i] - pose.translation[i]).abs();
                assert!(error < 1e-12, "{name}, body {k}: {error:e}");
            }
        }
        assert!(report["sliders"].as_u64().unwrap() >= 7, "{name}");
        let number = |key: &str| report[key].as_f64().unwrap();
        // Without damping the energy stays, but for the integrator's error.
        assert!(number("exchanged") > 0.1, "{name} does not swing: {report}");
        assert!(number("drift") < 0.02 * number("exchanged"), "{name}: {report}");
        assert!(report["pulled"].as_str().unwrap().starts_with("pulling "), "{name}: {report}");
        assert!(number("moved") > 1e-4, "{name} is not pulled: {report}");
        // The robot is in the picture.
        assert!(number("pixels") > 1000.0, "{name}: {report}");
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
    let report = report(folder.path(), &urdf, &[]);
    assert_eq!(report["error"], Value::Null);
    let plain = "</script><img src=x onerror=\"document.title='bad'\"><!--";
    assert_eq!((report["title"].as_str(), report["images"].as_u64()), (Some(plain), Some(0)));
    assert!(report["findings"].as_u64().unwrap() > 0 && report["leftOut"].as_u64() == Some(1), "{report}");
}
