//! Messages of the compiler for wrong calls of the macro. `cargo xtask bless` writes the expected
//! messages again; read them before committing.
//!
//! Each case is given to the compiler alone, with the libraries that this test was linked with:
//! nothing else is built.

mod compiler;

use compiler::Compiler;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

/// Every file in `cases` fails to compile, with the message beside it.
#[test]
fn wrong_calls_are_refused_with_a_message_that_helps() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("cases");
    let mut cases: Vec<PathBuf> = folder.read_dir().unwrap().map(|f| f.unwrap().path()).collect();
    cases.retain(|f| f.extension().is_some_and(|e| e == "rs"));
    cases.sort();
    let bless = std::env::var_os("RBD_BLESS").is_some();
    let mut wrong = Vec::new();
    for case in &cases {
        let (name, expected) = (case.file_name().unwrap().to_str().unwrap(), case.with_extension("stderr"));
        let said = said_of(name);
        if bless {
            fs::write(&expected, &said).unwrap();
        } else if fs::read_to_string(&expected).ok().as_ref() != Some(&said) {
            wrong.push(format!("{name}: not what {} says, but\n{said}", expected.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(cases.len() > 30, "cases are missing");
}

/// The messages are not about the cases' surroundings: a call that is right compiles.
#[test]
fn a_right_call_compiles() {
    let output = compile("right.rs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// The errors of this case, as they are on any machine.
fn said_of(case: &str) -> String {
    let output = compile(&format!("cases/{case}"));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success(), "{case} compiles");
    // The summary adds nothing.
    let end =
        said.find("error: aborting due to").unwrap_or_else(|| panic!("{case}: the compiler says\n{said}"));
    everywhere_the_same(&said[..end])
}

fn compile(file: &str) -> Output {
    let compiler = Compiler::new(env!("CARGO_MANIFEST_DIR"), env!("CARGO_TARGET_TMPDIR"));
    compiler.command(Path::new(file)).output().unwrap()
}

/// The message with other folders' paths as on all machines, and without line numbers, which change
/// for other reasons.
fn everywhere_the_same(said: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
    let mut elsewhere = false;
    let mut lines = Vec::new();
    // The file to which the compiler wrote a long type's name does not matter.
    let lines_said = said.lines().filter(|line| !line.contains("long-type") && !line.contains("`--verbose`"));
    for line in lines_said.map(|line| line.replace(root.to_str().unwrap(), "$ROOT")) {
        let line = line.trim_end();
        if let Some(at) = line.find("--> ").or(line.find("::: ")) {
            let path = &line[at + 4..];
            elsewhere = !path.starts_with("cases/");
            if elsewhere {
                let path = path.split(':').next().unwrap();
                let path =
                    path.rsplit_once("/library/").map_or(path.into(), |(_, rest)| format!("$RUST/{rest}"));
                lines.push(format!("{}{path}", &line[..at + 4]));
                continue;
            }
        }
        let bar = line.find('|').filter(|bar| line[..*bar].trim().parse::<u32>().is_ok());
        lines.push(match bar {
            Some(bar) if elsewhere => format!("{}{}", " ".repeat(2), &line[bar..]),
            _ => line.into(),
        });
    }
    lines.join("\n").trim_end().to_owned() + "\n"
}
