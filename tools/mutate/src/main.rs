//! Plants errors in the generator, one at a time, and sees whether its tests notice.
//!
//! `cargo run --release --manifest-path tools/mutate/Cargo.toml -- SAMPLE SECONDS > tests/MUTATION.txt`,
//! from the repository's root: tries some `SAMPLE` errors, for at most so many seconds.
//!
//! All errors are compiled at once into a copy, each behind a test of one environment variable, so that
//! trying one costs no more than running the tests. Those that do not compile are found and left out.

mod plant;

use plant::{Mutant, Planter};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Where errors are planted.
const FOLDERS: [&str; 5] = ["algebra", "algorithms", "graph", "passes", "tree"];
/// What asks which error is there.
const SWITCH: &str = "
#[doc(hidden)]
pub fn mutant(n: u32) -> bool {
    static PLANTED: std::sync::OnceLock<u32> = std::sync::OnceLock::new();
    *PLANTED.get_or_init(|| std::env::var(\"RBD_MUTANT\").ok().and_then(|x| x.parse().ok()).unwrap_or(0)) == n
}
";

fn main() {
    let mut arguments = std::env::args().skip(1).map(|a| a.parse().expect("a number"));
    let (sample, seconds): (usize, u64) =
        (arguments.next().unwrap_or(80) as usize, arguments.next().unwrap_or(1500));
    let scratch = std::env::temp_dir().join("rbd-mutants");
    let copy = scratch.join("copy");
    copy_repository(&copy);
    let (mutants, tests) = plant_and_build(&copy, &scratch.join("target"));
    for test in &tests {
        assert!(passes(&copy, test, 0, Duration::from_secs(600)), "{} fails as it is", test.display());
    }
    eprintln!("{} errors compile", mutants.len());
    let deadline = Instant::now() + Duration::from_secs(seconds);
    let (mut noticed, mut survivors) = (0, Vec::new());
    // Every so-manieth, so that the sample is spread over the files.
    let all: Vec<&Mutant> = mutants.values().collect();
    let sample = sample.min(all.len());
    for k in 0..sample {
        if Instant::now() > deadline {
            break;
        }
        let mutant = all[k * all.len() / sample];
        if tests.iter().all(|test| passes(&copy, test, mutant.id, Duration::from_secs(120))) {
            eprintln!("survives: {mutant}");
            survivors.push(mutant);
        } else {
            noticed += 1;
        }
    }
    println!("possible {}, tried {}, noticed {noticed}", all.len(), noticed + survivors.len());
    for survivor in survivors {
        println!("{survivor}");
    }
}

/// The tracked files.
fn copy_repository(copy: &Path) {
    let _ = std::fs::remove_dir_all(copy);
    std::fs::create_dir_all(copy).unwrap();
    let archive = Command::new("git").args(["archive", "HEAD"]).stdout(Stdio::piped()).spawn().unwrap();
    let status = Command::new("tar").arg("-x").arg("-C").arg(copy).stdin(archive.stdout.unwrap()).status();
    assert!(status.unwrap().success());
    // Fewer random robots a run: an error in a formula shows on the first.
    let test = copy.join("rbd-build/tests/agreement.rs");
    let text = std::fs::read_to_string(&test).unwrap();
    std::fs::write(&test, text.replace("cases: 48", "cases: 6, max_shrink_iters: 0")).unwrap();
    let library = copy.join("rbd-build/src/lib.rs");
    let text = std::fs::read_to_string(&library).unwrap();
    std::fs::write(&library, text + SWITCH).unwrap();
}

/// Plants all errors that compile, and gives them with the test programs.
fn plant_and_build(copy: &Path, target: &Path) -> (BTreeMap<u32, Mutant>, Vec<PathBuf>) {
    let mut sources = Vec::new();
    for folder in FOLDERS {
        let mut files: Vec<PathBuf> = std::fs::read_dir(copy.join("rbd-build/src").join(folder))
            .unwrap()
            .map(|f| f.unwrap().path())
            .filter(|f| f.file_name().is_some_and(|n| n != "tests.rs"))
            .collect();
        files.sort();
        sources.extend(files.into_iter().map(|f| (f.clone(), std::fs::read_to_string(f).unwrap())));
    }
    let mut impossible = BTreeSet::new();
    loop {
        let mut planter = Planter::new(&impossible);
        for (path, text) in &sources {
            let name = path.strip_prefix(copy).unwrap().to_string_lossy().into_owned();
            std::fs::write(path, planter.plant(&name, text)).unwrap();
        }
        let (tests, errors) = build(copy, target);
        if errors.is_empty() {
            return (planter.planted, tests);
        }
        let before = impossible.len();
        for (file, first, last) in errors {
            impossible.extend(mutants_at(&copy.join(file), first, last));
        }
        eprintln!("{} do not compile", impossible.len());
        assert!(impossible.len() > before, "an error that is nobody's");
    }
}

/// Test programs, and places of compiler errors.
fn build(copy: &Path, target: &Path) -> (Vec<PathBuf>, Vec<(String, usize, usize)>) {
    let output = Command::new("cargo")
        .current_dir(copy)
        .args(["test", "-j2", "-p", "rbd-build", "--lib", "--test", "agreement", "--no-run"])
        .args(["--message-format=json", "--target-dir"])
        .arg(target)
        .stderr(Stdio::null())
        .output()
        .unwrap();
    let (mut tests, mut errors) = (Vec::new(), Vec::new());
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let Ok(message) = serde_json::from_str::<Value>(line) else { continue };
        if let Some(executable) = message["executable"].as_str() {
            tests.push(PathBuf::from(executable));
        }
        if message["message"]["level"] != "error" {
            continue;
        }
        for span in message["message"]["spans"].as_array().into_iter().flatten() {
            let line = |key: &str| span[key].as_u64().unwrap() as usize;
            if span["is_primary"] == true {
                let file = span["file_name"].as_str().unwrap().to_string();
                errors.push((file, line("line_start"), line("line_end")));
            }
        }
    }
    (tests, errors)
}

/// The errors planted in these lines, or else in the nearest line above.
fn mutants_at(file: &Path, first: usize, last: usize) -> Vec<u32> {
    let text = std::fs::read_to_string(file).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let ids = |line: &str| -> Vec<u32> {
        line.split("crate::mutant(")
            .skip(1)
            .filter_map(|rest| rest.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok())
            .collect()
    };
    let within: Vec<u32> = lines[first - 1..last].iter().flat_map(|l| ids(l)).collect();
    if !within.is_empty() {
        return within;
    }
    lines[..first].iter().rev().take(12).map(|l| ids(l)).find(|ids| !ids.is_empty()).unwrap_or_default()
}

/// Whether the test program passes with this error in place. One that does not end does not pass.
fn passes(copy: &Path, test: &Path, mutant: u32, limit: Duration) -> bool {
    let mut child = Command::new(test)
        .current_dir(copy.join("rbd-build"))
        .args(["--quiet", "--test-threads=2"])
        .env("RBD_MUTANT", mutant.to_string())
        .env("PROPTEST_FAILURE_PERSISTENCE", "off")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let deadline = Instant::now() + limit;
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status.success();
        }
        if Instant::now() > deadline {
            child.kill().unwrap();
            child.wait().unwrap();
            return false;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}
