//! Comparison with a file of hashes, which has a line for each robot, target and set of options.

use rbd_build::option_table::{OPTIONS, SetFlag};
use rbd_build::{Error, Robot};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Files by name, or why there are none.
pub type Files = Result<Vec<(String, String)>, Error>;
/// Files of a robot for the target of this name.
pub type Write = fn(&str, &Robot) -> Files;

/// A line of the file: a hash and a number of bytes, then the case that they are of.
struct Line<'a> {
    known: &'a str,
    case: &'a str,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

impl<'a> Line<'a> {
    /// The columns before the case are as wide as they are, so that a new case may begin with any two words.
    fn parse(line: &'a str) -> Self {
        let case = line.splitn(3, ' ').nth(2).expect("a hash, a number of bytes, and a case");
        Self { known: line[..line.len() - case.len()].trim_end(), case }
    }
}

/// A robot with these flags of the command line, `--name=value` or `--name`.
fn robot<'a>(urdf: &str, flags: impl Iterator<Item = &'a str>) -> Robot {
    let mut robot = Robot::from_urdf(urdf).relative_to(root());
    for flag in flags {
        let (name, value) =
            flag.trim_start_matches("--").split_once('=').unwrap_or((flag.trim_start_matches("--"), ""));
        let row = OPTIONS.iter().flat_map(|row| row.flags).find(|row| row.name == name);
        let row = row.unwrap_or_else(|| panic!("there is no flag {flag}"));
        robot = match row.set {
            SetFlag::Switch(set) => set(robot),
            SetFlag::Once(set) | SetFlag::Each(set) => set(robot, value).expect(flag),
            SetFlag::List(set) => value.split(',').try_fold(robot, set).expect(flag),
        };
    }
    robot
}

/// FNV-1a, 64 bits: names and texts, each with its length before it.
fn hash(files: &[(String, String)]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut take = |bytes: &[u8]| {
        for byte in bytes {
            hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    };
    for text in files.iter().flat_map(|(name, text)| [name, text]) {
        take(&(text.len() as u64).to_le_bytes());
        take(text.as_bytes());
    }
    hash
}

/// A hash and a number of bytes, or the message with which the case is refused.
fn found(case: &str, written: Write) -> (String, Option<String>) {
    let mut words = case.split_whitespace();
    let (urdf, target) = (words.next().expect("a robot"), words.next().expect("a target"));
    match written(target, &robot(urdf, words)) {
        Ok(files) => {
            let bytes: usize = files.iter().map(|(_, text)| text.len()).sum();
            (format!("{:016x} {bytes}", hash(&files)), None)
        }
        Err(refusal) => ("refused -".into(), Some(refusal.to_string())),
    }
}

/// [`found`] of every case, in their order, on all cores.
fn all_found(cases: &[&str], written: Write) -> Vec<(String, Option<String>)> {
    let (next, found_at) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some((at, case)) = {
                    let at = next.fetch_add(1, Relaxed);
                    cases.get(at).map(|case| (at, case))
                } {
                    let found = found(case, written);
                    found_at.lock().expect("no thread panics while it writes").insert(at, found);
                }
            });
        }
    });
    found_at.into_inner().expect("all threads ended").into_values().collect()
}

/// Compares a file of the repository with what is written now; blessing writes it anew.
pub fn check(file: &str, written: Write) {
    let at = root().join(file);
    let text = std::fs::read_to_string(&at).expect(file);
    let is_case = |line: &&str| !line.starts_with('#') && !line.is_empty();
    let lines: Vec<Line<'_>> = text.lines().filter(is_case).map(Line::parse).collect();
    let cases: Vec<&str> = lines.iter().map(|line| line.case).collect();
    let mut all = all_found(&cases, written).into_iter().zip(&lines);
    let (mut now, mut changed) = (String::new(), Vec::new());
    for line in text.lines() {
        if !is_case(&line) {
            now += &format!("{line}\n");
            continue;
        }
        let ((found, refused), Line { known, case }) = all.next().expect("a case for each line");
        if found != *known {
            let refused = refused.map(|said| format!(": {said}")).unwrap_or_default();
            changed.push(format!("{case}: {known} is {found}{refused}"));
        }
        now += &format!("{found} {case}\n");
    }
    if std::env::var_os("RBD_BLESS").is_some_and(|x| x == "1") {
        std::fs::write(&at, now).expect("a file that can be written");
        println!("{}", changed.join("\n"));
    } else {
        assert!(
            changed.is_empty(),
            "other text is written than was, in {} cases; if that is meant, run `cargo xtask bless`:\n{}",
            changed.len(),
            changed.join("\n")
        );
    }
}
