//! Mutation testing: plants errors in the generator, one at a time, and checks that its tests
//! notice.
//!
//! `cargo run --release --manifest-path tools/mutate/Cargo.toml -- SAMPLE SECONDS [FIRST]`, from
//! the repository's root: tries `SAMPLE` errors for at most `SECONDS` seconds, after skipping
//! `FIRST` errors. It lists errors that no test notices, or only recorded files.
//! `tests/MUTATION.md` records a run.
//!
//! All errors are compiled at once into a copy, each behind a test of one environment variable, so
//! that trying one costs no more than running the tests. Errors that do not compile are left out.

mod plant;

use plant::{Mutant, Planter};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Where errors are planted: folders and files.
const PLACES: [&str; 7] = [
    "rbd-build/src/algebra",
    "rbd-build/src/algorithms",
    "rbd-build/src/search/mod.rs",
    "rbd-build/src/search/trace.rs",
    "rbd-build/src/tree",
    "rbd-ir/src/graph",
    "rbd-ir/src/passes",
];
/// Code that asks whether an error is switched on.
const SWITCH: &str = "
#[doc(hidden)]
pub fn mutant(n: u32) -> bool {
    static PLANTED: std::sync::OnceLock<u32> = std::sync::OnceLock::new();
    *PLANTED.get_or_init(|| std::env::var(\"RBD_MUTANT\").ok().and_then(|x| x.parse().ok()).unwrap_or(0)) == n
}
";
/// Tests of numbers. Below: tests of recorded costs and files. An error that only recorded files
/// notice gives some robots right numbers by other operations.
const NUMBERS: [&str; 7] = ["-p", "rbd-ir", "-p", "rbd-build", "--lib", "--test", "kernels"];
const RECORDS: [&str; 4] = ["-p", "rbd-test-robots", "--test", "trust"];
const RECORDED: [&str; 2] =
    ["costs::no_function_costs_more", "golden::generated_files_are_the_recorded_ones"];
/// Random robots a test: few at first, since an error in a formula shows on the first one; then as
/// many as the tests have.
const FEW: u32 = 6;
const ALL: u32 = 48;

/// A test program with its arguments, and how long it takes as it is.
struct Test {
    program: PathBuf,
    arguments: &'static [&'static str],
    usual: Duration,
}

fn main() {
    let mut arguments = std::env::args().skip(1).map(|a| a.parse().expect("a number"));
    let (sample, seconds): (usize, u64) =
        (arguments.next().unwrap_or(80) as usize, arguments.next().unwrap_or(1500));
    let first = arguments.next().unwrap_or(0) as usize;
    let scratch = std::env::temp_dir().join("rbd-mutants");
    let copy = scratch.join("copy");
    copy_repository(&copy);
    let (mutants, programs) = plant_and_build(&copy, &scratch.join("target"));
    let test = |program, arguments| Test::new(&copy, program, arguments);
    let numbers: Vec<Test> = programs.into_iter().map(|p| test(p, &[])).collect();
    let (records, errors) = build(&copy, &scratch.join("target"), &RECORDS);
    assert!(errors.is_empty());
    let records: Vec<Test> = records.into_iter().map(|p| test(p, &RECORDED)).collect();
    eprintln!("{} errors compile", mutants.len());
    let deadline = Instant::now() + Duration::from_secs(seconds);
    let (mut by_numbers, mut by_records, mut survivors) = (0, Vec::new(), Vec::new());
    for mutant in spread(&mutants).into_iter().skip(first).take(sample) {
        if Instant::now() > deadline {
            break;
        }
        let all_pass = |tests: &[Test], cases| tests.iter().all(|t| t.passes(&copy, mutant.id, cases));
        // Recorded files are compared before the many robots, which take longest.
        if !all_pass(&numbers, FEW) {
            by_numbers += 1;
        } else if !all_pass(&records, ALL) {
            eprintln!("only what is recorded notices {mutant}");
            by_records.push(mutant);
        } else if !all_pass(&numbers, ALL) {
            by_numbers += 1;
        } else {
            eprintln!("survives: {mutant}");
            survivors.push(mutant);
        }
    }
    println!(
        "possible {}, tried {}, noticed by numbers {by_numbers}, by records {}, survived {}",
        mutants.len(),
        by_numbers + by_records.len() + survivors.len(),
        by_records.len(),
        survivors.len()
    );
    for (title, mut which) in [("by records", by_records), ("survived", survivors)] {
        println!("{title}:");
        which.sort_by_key(|m| m.id);
        which.iter().for_each(|m| println!("{m}"));
    }
}

/// All mutants in an order whose every beginning is spread over the files.
fn spread(mutants: &BTreeMap<u32, Mutant>) -> Vec<&Mutant> {
    let all: Vec<&Mutant> = mutants.values().collect();
    let gcd = |mut a: usize, mut b: usize| {
        while b != 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    // The golden section stays away from all earlier places.
    let from = (all.len() as f64 * 0.618).ceil() as usize;
    let stride = (from.max(1)..).find(|s| gcd(*s, all.len()) == 1).expect("a number without common factors");
    (0..all.len()).map(|k| all[k * stride % all.len()]).collect()
}

/// The tracked files.
fn copy_repository(copy: &Path) {
    let _ = std::fs::remove_dir_all(copy);
    std::fs::create_dir_all(copy).unwrap();
    let mut archive = Command::new("git").args(["archive", "HEAD"]).stdout(Stdio::piped()).spawn().unwrap();
    let packed = archive.stdout.take().expect("a pipe");
    let status = Command::new("tar").arg("-x").arg("-C").arg(copy).stdin(packed).status();
    assert!(status.unwrap().success() && archive.wait().unwrap().success());
    // The number of random robots comes from the environment, so that most errors cost only a few.
    let test = copy.join("rbd-build/tests/kernels/agreement.rs");
    let text = std::fs::read_to_string(&test).unwrap();
    let cases = |n| {
        format!(
            "cases: std::env::var(\"RBD_CASES\").unwrap().parse::<u32>().unwrap().min({n}), max_shrink_iters: 0"
        )
    };
    assert!(
        text.contains("cases: 48") && text.contains("cases: 24"),
        "the tests have other numbers of cases"
    );
    std::fs::write(&test, text.replace("cases: 48", &cases(48)).replace("cases: 24", &cases(24))).unwrap();
    for library in ["rbd-build/src/lib.rs", "rbd-ir/src/lib.rs"].map(|library| copy.join(library)) {
        let text = std::fs::read_to_string(&library).unwrap();
        std::fs::write(&library, text + SWITCH).unwrap();
    }
}

/// Plants all errors that compile, and gives them with the test programs.
fn plant_and_build(copy: &Path, target: &Path) -> (BTreeMap<u32, Mutant>, Vec<PathBuf>) {
    let mut sources = Vec::new();
    for place in PLACES {
        let place = copy.join(place);
        let mut files: Vec<PathBuf> = match place.is_dir() {
            true => std::fs::read_dir(place).unwrap().map(|f| f.unwrap().path()).collect(),
            false => vec![place],
        };
        files.retain(|f| f.file_name().is_some_and(|n| n != "tests.rs"));
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
        let (tests, errors) = build(copy, target, &NUMBERS);
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
fn build(copy: &Path, target: &Path, which: &[&str]) -> (Vec<PathBuf>, Vec<(String, usize, usize)>) {
    let output = Command::new("cargo")
        .current_dir(copy)
        .arg("test")
        .args(which)
        .args(["--no-run", "--message-format=json", "--target-dir"])
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

/// Errors planted in these lines, or else in the nearest line above.
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

impl Test {
    /// A test that passes without an error.
    fn new(copy: &Path, program: PathBuf, arguments: &'static [&'static str]) -> Self {
        let mut test = Self { program, arguments, usual: Duration::from_secs(300) };
        let start = Instant::now();
        assert!(test.passes(copy, 0, ALL), "{} fails as it is", test.program.display());
        test.usual = start.elapsed();
        test
    }

    /// Returns whether the test passes with this error in place, in `cases` random cases. A test
    /// that takes four times as long as it should, plus some time for other work on the machine,
    /// counts as endless.
    fn passes(&self, copy: &Path, mutant: u32, cases: u32) -> bool {
        let mut child = Command::new(&self.program)
            .current_dir(copy.join("rbd-build"))
            .args(["--quiet", "--test-threads=2"])
            .args(self.arguments)
            .env("RBD_MUTANT", mutant.to_string())
            .env("RBD_CASES", cases.to_string())
            // The same robots every time.
            .env("PROPTEST_RNG_SEED", "1")
            .env("PROPTEST_FAILURE_PERSISTENCE", "off")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let deadline = Instant::now() + Duration::from_secs(20) + 4 * self.usual * cases / ALL;
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
}
