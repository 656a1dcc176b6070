//! Bad and odd files, one fault each, and the exact report that each gets.
//!
//! `tests/bad/*.urdf` are refused, `tests/odd/*.urdf` are accepted with warnings; the report stands
//! beside each in a `.txt`. `RBD_BLESS=1 cargo test -p rbd-build --test urdf_reports` writes them
//! anew: read the difference. A first comment `<!-- options: ... -->` sets options.

use rbd_build::findings::{Findings, Severity};
use rbd_build::options::{Base, ReadOptions};
use rbd_build::urdf::read;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn options(text: &str) -> ReadOptions {
    let mut options = ReadOptions::default();
    let Some(rest) = text.trim_start().strip_prefix("<!-- options:") else { return options };
    for option in rest.split("-->").next().unwrap().split(',') {
        match option.split_whitespace().collect::<Vec<_>>()[..] {
            ["floating"] => options.base = Base::Floating,
            ["strict"] => options.strict = true,
            ["damping"] => options.damping = true,
            ["allow_unphysical_inertia"] => options.allow_unphysical_inertia = true,
            ["gravity", z] => options.gravity[2] = z.parse().unwrap(),
            ["lock", joint, value] => {
                options.lock.insert(joint.to_owned(), value.parse().unwrap());
            }
            ["armature", joint, value] => {
                options.armature.insert(joint.to_owned(), value.parse().unwrap());
            }
            _ => panic!("unknown option {option}"),
        }
    }
    options
}

fn files(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(folder);
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    files.retain(|p| p.extension().is_some_and(|e| e == "urdf"));
    files.sort();
    assert!(!files.is_empty());
    files
}

/// Compares the report on each file of a folder with the stored one; returns all codes seen.
fn compare(folder: &str, report: impl Fn(&str, &str) -> Findings) -> BTreeSet<&'static str> {
    let bless = std::env::var_os("RBD_BLESS").is_some();
    let mut codes = BTreeSet::new();
    let mut wrong = String::new();
    for path in files(folder) {
        let text = std::fs::read_to_string(&path).unwrap();
        let name = path.file_name().unwrap().to_str().unwrap();
        let findings = report(&text, &format!("tests/{folder}/{name}"));
        codes.extend(findings.iter().map(|f| f.code));
        let got = format!("{findings}\n");
        let stored = path.with_extension("txt");
        if bless {
            std::fs::write(&stored, &got).unwrap();
        } else if std::fs::read_to_string(&stored).unwrap_or_default() != got {
            wrong += &format!("--- {name}\n{got}\n");
        }
    }
    assert!(wrong.is_empty(), "these reports differ from the stored ones:\n{wrong}");
    codes
}

#[test]
fn bad_files_are_refused() {
    let codes = compare("bad", |text, file| match read(text, file, &options(text)) {
        Ok(reading) => panic!("{file} was accepted: {:?}", reading.warnings),
        Err(findings) => {
            assert!(findings.has_errors(), "{file}");
            findings
        }
    });
    // Those that no small file can show are in `urdf_hostile.rs`.
    for code in [
        "armature-of-many",
        "bad-armature",
        "bad-gravity",
        "bad-number",
        "cycle",
        "dtd",
        "duplicate-element",
        "duplicate-name",
        "empty-file",
        "empty-name",
        "inertia-not-psd",
        "limits-reversed",
        "lock-of-many",
        "massless-subtree",
        "mimic-cycle",
        "mimic-itself",
        "mimic-many",
        "mimic-unknown",
        "mimic-zero",
        "missing-attribute",
        "missing-element",
        "motion-without-inertia",
        "negative-mass",
        "no-links",
        "no-moving-joint",
        "non-finite",
        "not-a-robot",
        "not-xml",
        "number-out-of-range",
        "several-roots",
        "two-parents",
        "unexpanded-xacro",
        "unknown-joint",
        "unknown-joint-type",
        "unknown-link",
        "wrong-length",
        "zero-axis",
    ] {
        assert!(codes.contains(code), "no bad file shows {code}");
    }
}

#[test]
fn odd_files_are_warned_of() {
    let report = |text: &str, file: &str| {
        let reading = read(text, file, &options(text)).unwrap_or_else(|e| panic!("{e}"));
        assert!(!reading.warnings.is_empty(), "{file}: no warning");
        assert!(reading.warnings.iter().all(|f| f.severity == Severity::Warning && !f.mend.is_empty()));
        let strict = ReadOptions { strict: true, ..options(text) };
        let refused = read(text, file, &strict).unwrap_err();
        assert_eq!(refused.errors().count(), reading.warnings.len(), "{file}");
        reading.warnings
    };
    let codes = compare("odd", report);
    for code in [
        "armature-of-fixed",
        "damping-ignored",
        "inertia-not-psd",
        "inertia-on-fixed-root",
        "inertia-triangle",
        "inertia-without-mass",
        "limits-on-continuous",
        "lock-of-fixed",
        "lock-outside-limits",
        "missing-inertial",
        "missing-limits",
        "mimic-of-fixed",
        "mimic-on-fixed",
        "misspelt-element",
        "negative-damping",
        "negative-limit",
        "non-unit-axis",
        "singular-at-neutral",
    ] {
        assert!(codes.contains(code), "no odd file shows {code}");
    }
}

#[test]
fn everything_is_found_at_once() {
    let text = r#"<robot name="r">
<link name="a"/>
<link name="b"><inertial><mass value="-1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="x"/></inertial></link>
<joint name="j" type="hinge"><origin xyz="0 0"/><parent link="a"/><child link="c"/></joint>
<joint name="k" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 0 0"/></joint>
</robot>"#;
    let findings = read(text, "r.urdf", &ReadOptions::default()).unwrap_err();
    let found: Vec<_> = findings.iter().map(|f| (f.code, f.line, f.column)).collect();
    let expected = [
        ("negative-mass", 3, 39),
        ("bad-number", 3, 98),
        ("unknown-joint-type", 4, 23),
        ("wrong-length", 4, 43),
        ("unknown-link", 4, 80),
        ("zero-axis", 5, 81),
    ];
    assert_eq!(found, expected);
}
