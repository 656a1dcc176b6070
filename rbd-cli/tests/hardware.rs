//! `rbd verilog`, and `rbd report --format`.

use std::path::Path;
use std::process::{Command, Output};

fn rbd(arguments: &[&str]) -> Output {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace");
    Command::new(env!("CARGO_BIN_EXE_rbd")).args(arguments).current_dir(root).output().expect("it runs")
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

#[test]
fn a_circuit_is_four_files() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("new");
    let to = path.to_str().expect("text");
    let pendulum = "robots/double_pendulum.urdf";
    let output =
        rbd(&["verilog", pendulum, "--function", "rnea", "--multipliers", "2", "--states", "3", "-o", to]);
    assert!(output.status.success(), "{}", said(&output));
    let stem = "rbd_double_pendulum_rnea";
    assert!(said(&output).contains(&format!("iverilog -g2001 -o {stem}.vvp")), "{}", said(&output));
    let read = |end: &str| std::fs::read_to_string(path.join(format!("{stem}{end}"))).expect("a file");
    assert!(read(".v").contains(&format!("module {stem} (")));
    assert!(read("_bench.v").contains("STATES = 3"));
    // Six inputs and two torques.
    assert_eq!(read(".hex").lines().count(), 3 * 8);
    assert!(
        read(".csv").starts_with("cycle,unit,number,work\n0,")
            || read(".csv").starts_with("cycle,unit,number,work\n1,")
    );
    assert!(read(".csv").contains(",multiplier,1,"));
    let again = rbd(&["verilog", pendulum, "--function", "gradient", "--format", "Q14.13", "-o", to]);
    assert!(again.status.success(), "{}", said(&again));
}

#[test]
fn what_does_not_fit_is_refused_with_a_reason() {
    let folder = tempfile::tempdir().expect("a folder");
    let to = folder.path().to_str().expect("text");
    let refused = |arguments: &[&str], reason: &str| {
        let output = rbd(&[&["verilog", "robots/iiwa14.urdf", "-o", to][..], arguments].concat());
        assert!(!output.status.success() && said(&output).contains(reason), "{}", said(&output));
    };
    refused(&["--function", "aba"], "no circuit of `aba`: its values reach");
    refused(&["--function", "rnea", "--format", "Q4.14"], "Q4.14 has 18");
    refused(&["--function", "rnae"], "did you mean `rnea`?");
    refused(&["--function", "aba_hessian"], "no circuit of `aba_hessian`: the runtime computes it");
    refused(&["--format", "16"], "is no format");
    refused(&["--range", "w=1"], "is not among q, v, a, tau and fext");
    assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 0);
}

#[test]
fn forward_dynamics_and_pipelines_are_circuits_too() {
    let folder = tempfile::tempdir().expect("a folder");
    let to = folder.path().to_str().expect("text");
    let pendulum = "robots/double_pendulum.urdf";
    let each =
        rbd(&["verilog", pendulum, "--function", "aba", "--formats", "each", "--multipliers", "2", "-o", to]);
    assert!(each.status.success() && said(&each).contains("1 divider"), "{}", said(&each));
    let all = rbd(&["verilog", pendulum, "--function", "rnea", "--multipliers", "all", "-o", to]);
    assert!(all.status.success() && said(&all).contains("a state in every cycle"), "{}", said(&all));
    let adders = rbd(&["verilog", pendulum, "--multipliers", "all", "--adders", "3", "-o", to]);
    assert!(!adders.status.success() && said(&adders).contains("an adder of its own"), "{}", said(&adders));
    let none = rbd(&["verilog", pendulum, "--multipliers", "0", "-o", to]);
    assert!(!none.status.success() && said(&none).contains("1 to 256, or `all`"), "{}", said(&none));
}

#[test]
fn a_report_says_what_a_format_takes() {
    let output = rbd(&[
        "report",
        "robots/iiwa14.urdf",
        "--functions",
        "rnea,minv",
        "--format",
        "Q16.16",
        "--range",
        "q=2.9,v=1.5,a=5",
    ]);
    let text = said(&output);
    assert!(output.status.success(), "{text}");
    assert!(text.contains("rnea ") && text.contains("minv"), "{text}");
    assert!(text.contains("Q16.16 within q=2.9,v=1.5,a=5,tau=50,fext=50"), "{text}");
    let without = rbd(&["report", "robots/iiwa14.urdf", "--range", "q=1"]);
    assert_eq!(without.status.code(), Some(2), "{}", said(&without));
}
