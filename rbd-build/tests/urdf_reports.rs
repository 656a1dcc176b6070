//! Bad and odd files, one fault each, and the exact report that each gets.
//!
//! `tests/bad/*.urdf` are refused, `tests/odd/*.urdf` are accepted with warnings; the report stands
//! beside each in a `.txt`. `cargo xtask bless` writes them
//! anew: read the difference. A first comment `<!-- options: ... -->` sets options.

use rbd_build::codes::WARNINGS;
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
            ["allow", code] => drop(options.allow.insert(code.to_owned())),
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
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
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
        "no-mass",
        "no-moving-joint",
        "non-finite",
        "not-a-robot",
        "not-xml",
        "number-out-of-range",
        "several-roots",
        "two-bases",
        "two-parents",
        "two-rotations",
        "unexpanded-xacro",
        "unknown-code",
        "unknown-joint",
        "unknown-joint-type",
        "unknown-link",
        "wrong-length",
        "zero-axis",
        "zero-quaternion",
    ] {
        assert!(codes.contains(code), "no bad file shows {code}");
    }
}

#[test]
fn odd_files_are_warned_of() {
    let report = |text: &str, file: &str| {
        let reading = read(text, file, &options(text)).unwrap_or_else(|e| panic!("{e}"));
        assert!(!reading.warnings.is_empty(), "{file}: no warning");
        assert!(reading.warnings.iter().all(|f| f.severity != Severity::Error && !f.help.is_empty()));
        // Notes refuse nothing.
        let strict = read(text, file, &ReadOptions { strict: true, ..options(text) });
        let errors = strict.map_or_else(|refused| refused.errors().count(), |_| 0);
        assert_eq!(errors, reading.warnings.warnings().count(), "{file}");
        // Allowed warnings are silent, in strict reading too.
        let allow = reading.warnings.iter().map(|f| f.code.to_owned()).collect();
        let silent = read(text, file, &ReadOptions { strict: true, allow, ..options(text) }).unwrap();
        assert!(silent.warnings.is_empty(), "{file}: {}", silent.warnings);
        reading.warnings
    };
    let codes = compare("odd", report);
    for (code, _) in WARNINGS {
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

#[test]
fn a_build_shows_three_of_a_kind_and_counts_the_rest() {
    let joints: String = (0..6)
        .map(|i| {
            format!(
                "<link name='l{i}'><inertial><mass value='1' unit='kg'/>\
                 <inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial></link>\
                 <joint name='j{i}' type='continuous'><parent link='r'/><child link='l{i}'/></joint>\n"
            )
        })
        .collect();
    let root = "<link name='r'><inertial><mass value='1'/>\
                <inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial></link>";
    let text = format!("<robot name='r'>{root}\n{joints}</robot>");
    let all = read(&text, "r.urdf", &ReadOptions::default()).unwrap().warnings;
    assert_eq!((all.warnings().count(), all.len()), (6, 7), "{all}");
    let brief = all.brief();
    let shown: Vec<_> = brief.iter().map(|f| (f.code, f.line)).collect();
    let code = "unknown-attribute";
    assert_eq!(shown, [(code, 2), (code, 3), (code, 4), (code, 0)]);
    let last = brief.iter().last().unwrap().to_string();
    assert!(last.starts_with("warning[unknown-attribute] r.urdf: 3 more warnings of this kind\n"), "{last}");
    // Errors are folded as warnings are, separately.
    let wrong = text.replace("continuous", "hinge");
    let refused = read(&wrong, "r.urdf", &ReadOptions::default()).unwrap_err().brief();
    assert_eq!((refused.errors().count(), refused.warnings().count()), (4, 4), "{refused}");
    let more = refused.errors().last().unwrap().to_string();
    assert!(more.starts_with("error[unknown-joint-type] r.urdf: 3 more errors of this kind\n"), "{more}");
    // A fault of an option is not due to the file.
    let option = ReadOptions { allow: ["odd".to_owned()].into(), ..ReadOptions::default() };
    let refused = read(&text, "r.urdf", &option).unwrap_err();
    assert_eq!((refused.warnings().count(), refused.brief().len()), (6, 1), "{refused}");
    // Three findings are all shown.
    let few = text.replacen(" unit='kg'", "", 3);
    assert_eq!(read(&few, "r.urdf", &ReadOptions::default()).unwrap().warnings.brief().len(), 3);
}

/// However much is wrong, a report has a hundred findings, errors first, and a count of the rest.
#[test]
fn a_report_is_bounded() {
    let links: String = (0..150).map(|i| format!("<link name='l{i}' colour='red'/>\n")).collect();
    let joint = |i: usize| {
        let kind = if i < 80 { "hinge" } else { "continuous" };
        format!("<joint name='j{i}' type='{kind}'><parent link='l0'/><child link='l{}'/></joint>\n", i + 1)
    };
    let joints: String = (0..149).map(joint).collect();
    let text = format!("<robot name='r'>{links}{joints}</robot>");
    let all = read(&text, "r.urdf", &ReadOptions::default()).unwrap_err();
    let errors = all.errors().count();
    assert_eq!((errors, all.warnings().count()), (80, 150), "{all}");
    let (shown, others) = all.bounded();
    assert_eq!((shown.len(), others.values().sum::<usize>()), (100, all.len() - 100));
    assert_eq!(shown.iter().filter(|f| f.severity == Severity::Error).count(), errors);
    assert!(shown.windows(2).all(|pair| pair[0].line <= pair[1].line), "not in the order of the file");
    let text = all.to_string();
    assert_eq!(text.matches("\n  = help: ").count(), 100);
    assert!(text.ends_with("... and 130 more: unknown-attribute x130"), "{text}");
}

/// Warnings about slips and wrong units must not occur for published robots.
#[test]
fn published_robots_have_no_slips() {
    let slips = [
        "inertia-units",
        "large-angle",
        "large-limit",
        "large-offset",
        "misplaced-element",
        "misspelt-element",
        "quaternion-version",
        "tiny-mass",
        "unexpanded-xacro",
        "unknown-attribute",
    ];
    let mut seen = 0;
    for path in files("../../robots") {
        let options = ReadOptions { allow_unphysical_inertia: true, ..ReadOptions::default() };
        let text = std::fs::read_to_string(&path).unwrap();
        let findings = read(&text, "", &options).unwrap().warnings;
        let found: Vec<_> = findings.iter().filter(|f| slips.contains(&f.code)).collect();
        assert!(found.is_empty(), "{}: {found:?}", path.display());
        seen += 1;
    }
    assert!(seen >= 15);
}
