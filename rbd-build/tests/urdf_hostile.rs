//! Malicious and huge input still gets an answer, and soon.
//!
//! The time limit is far above the need (seconds, mostly for want of optimisation) and far below
//! the time of quadratic work on these sizes.

use rbd_build::findings::Findings;
use rbd_build::options::{Base, ReadOptions};
use rbd_build::urdf::{Reading, read, read_file};
use std::fmt::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

const LIMIT: Duration = Duration::from_secs(30);
/// With optimisation, about as many links as 16 MiB hold.
const MANY: usize = if cfg!(debug_assertions) { 15_000 } else { 60_000 };

fn timed(text: &str, options: &ReadOptions) -> Result<Reading, Findings> {
    let start = Instant::now();
    let result = read(text, "big.urdf", options);
    // Printing is part of the answer.
    if let Err(findings) = &result {
        assert!(findings.to_string().len() < 100_000);
    }
    assert!(start.elapsed() < LIMIT, "{:?}", start.elapsed());
    result
}

#[track_caller]
fn refused(text: &str, code: &str) -> Findings {
    let findings = timed(text, &ReadOptions::default()).unwrap_err();
    assert!(findings.errors().all(|f| f.code == code), "{:?}", findings.errors().next());
    findings
}

const MASS: &str =
    r#"<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>"#;

/// A robot of many links; `parent` names the link that carries link i.
fn big(parent: impl Fn(usize) -> usize, kind: &str, mass: &str, inside: impl Fn(usize) -> String) -> String {
    let mut text = String::from("<robot name='r'><link name='l0'/>");
    for i in 1..=MANY {
        let (p, more) = (parent(i), inside(i));
        writeln!(
            text,
            "<link name='l{i}'>{mass}</link><joint name='j{i}' type='{kind}'><parent link='l{p}'/>\
             <child link='l{i}'/>{more}</joint>"
        )
        .unwrap();
    }
    text + "</robot>"
}

#[test]
fn entities_are_never_expanded() {
    let mut text = String::from("<!DOCTYPE robot [<!ENTITY a0 'ha'>");
    for i in 1..50 {
        write!(text, "<!ENTITY a{i} '{}'>", format!("&a{};", i - 1).repeat(10)).unwrap();
    }
    refused(&(text + "]><robot name='&a49;'/>"), "dtd");
    // A comment or a space before it changes nothing.
    refused("\u{feff} <!-- --><!DOCTYPE robot SYSTEM 'file:///etc/passwd'><robot name='r'/>", "dtd");
}

#[test]
fn nesting_is_bounded() {
    refused(&"<a>".repeat(1_000_000), "nested-too-deep");
    refused(
        &format!("<robot name='r'>{}{}</robot>", "<a>".repeat(300), "</a>".repeat(300)),
        "nested-too-deep",
    );
    refused(&"<a".repeat(1_000_000), "not-xml");
    refused(&"</a>".repeat(1_000_000), "not-xml");
    refused(&"<".repeat(1_000_000), "not-xml");
    refused(&"<!--".repeat(1_000_000), "not-xml");
    refused(&"<?xml ".repeat(1_000_000), "not-xml");
    refused(&"<?xml?>".repeat(1_000_000), "not-xml");
}

#[test]
fn attributes_and_namespaces_are_bounded() {
    let many = |prefix: &str| -> String { (0..MANY).map(|i| format!(" {prefix}{i}='x'")).collect() };
    refused(&format!("<robot name='r'{}/>", many("a")), "too-many-attributes");
    refused(&format!("<robot name='r'{}", many("a")), "too-many-attributes");
    refused(&format!("<robot name='r'{}/>", many("xmlns:a")), "too-many-attributes");
    let each: String = (0..MANY).map(|i| format!("<x xmlns:n{i}='u{i}'/>")).collect();
    refused(&format!("<robot name='r'>{each}</robot>"), "too-many-namespaces");
}

#[test]
fn a_long_chain_and_a_wide_fan() {
    let options = ReadOptions::default();
    let none = |_: usize| String::new();
    let chain = timed(&big(|i| i - 1, "continuous", MASS, none), &options).unwrap().model;
    assert_eq!((chain.nv, chain.bodies[MANY - 1].parent), (MANY, Some(MANY - 2)));
    let fan = timed(&big(|_| 0, "continuous", MASS, none), &options).unwrap().model;
    assert!(fan.nv == MANY && fan.bodies.iter().all(|b| b.parent.is_none()));
    let options = ReadOptions { base: Base::Floating, ..options };
    let fixed = timed(&big(|i| i - 1, "fixed", MASS, none), &options).unwrap().model;
    assert_eq!((fixed.nv, fixed.bodies[0].inertia.mass, fixed.frames.len()), (6, MANY as f64, 2 * MANY + 1));
}

#[test]
fn a_long_mimic_chain() {
    let follow = |i: usize| if i < MANY { format!("<mimic joint='j{}'/>", i + 1) } else { String::new() };
    let model = timed(&big(|_| 0, "continuous", MASS, follow), &ReadOptions::default()).unwrap().model;
    assert_eq!((model.nv, model.bodies[0].mimic.unwrap().joint), (1, MANY - 1));
    let circle = |i: usize| format!("<mimic joint='j{}'/>", i % MANY + 1);
    assert_eq!(refused(&big(|_| 0, "continuous", MASS, circle), "mimic-cycle").len(), 1);
}

#[test]
fn many_faults() {
    let none = |_: usize| String::new();
    assert_eq!(refused(&big(|i| i % MANY + 1, "continuous", MASS, none), "cycle").errors().count(), 1);
    assert_eq!(refused(&big(|i| i + MANY * 2, "continuous", MASS, none), "unknown-link").len(), MANY);
    let axis = |_: usize| "<axis xyz='0 0 0'/>".to_owned();
    let findings = refused(&big(|i| i - 1, "continuous", MASS, axis).replace('\n', " "), "zero-axis");
    assert_eq!((findings.len(), findings.iter().last().unwrap().line), (MANY, 1));
    let links: String = (0..MANY).map(|i| format!("<link name='l{i}'/>\n")).collect();
    assert_eq!(refused(&format!("<robot name='r'>{links}</robot>"), "several-roots").len(), MANY - 1);
    let same = "<link name='l'/>".repeat(MANY);
    let joint = "<joint name='j' type='fixed'><parent link='l'/><child link='l'/></joint>".repeat(MANY / 2);
    assert!(timed(&format!("<robot name='r'>{same}{joint}</robot>"), &ReadOptions::default()).is_err());
}

#[test]
fn a_long_massless_chain() {
    let none = |_: usize| String::new();
    let text = big(|i| i - 1, "continuous", "", none);
    assert_eq!(refused(&text, "no-mass").errors().count(), 1);
    let text = text.replacen("<link name='l0'/>", &format!("<link name='l0'>{MASS}</link>"), 1);
    assert_eq!(refused(&text, "massless-subtree").errors().count(), 1);
    let floating = ReadOptions { base: Base::Floating, ..ReadOptions::default() };
    let text = text
        .replacen(&format!("<link name='l0'>{MASS}</link>"), "<link name='l0'/>", 1)
        .replace(&format!("<link name='l{MANY}'></link>"), &format!("<link name='l{MANY}'>{MASS}</link>"));
    let findings = timed(&text, &floating).unwrap_err();
    assert!(findings.errors().any(|f| f.code == "two-bases"), "{findings}");
}

fn temporary(name: &str, bytes: &[u8]) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, bytes).unwrap();
    path
}

#[test]
fn files_that_are_no_text() {
    let code = |path: PathBuf| {
        let findings = read_file(&path, &ReadOptions::default()).unwrap_err();
        let finding = findings.iter().next().unwrap();
        assert_eq!((findings.len(), finding.line, &*finding.file), (1, 0, &*path.display().to_string()));
        finding.code
    };
    assert_eq!(code(PathBuf::from("no such file.urdf")), "unreadable-file");
    assert_eq!(code(PathBuf::from(env!("CARGO_TARGET_TMPDIR"))), "unreadable-file");
    assert_eq!(code(temporary("latin1.urdf", b"<robot name=\"gr\xf6\xdfe\"/>")), "not-utf8");
    assert_eq!(code(temporary("utf16.urdf", b"\xff\xfe<\0r\0/\0>\0")), "not-utf8");
    let big = vec![b' '; (16 << 20) + 1];
    assert_eq!(code(temporary("big.urdf", &big)), "too-large");
    assert_eq!(refused(std::str::from_utf8(&big).unwrap(), "too-large").len(), 1);
    assert_eq!(code(temporary("blank.urdf", &big[1..])), "empty-file");
    #[cfg(unix)]
    assert_eq!(code(PathBuf::from("/dev/zero")), "too-large");
}
