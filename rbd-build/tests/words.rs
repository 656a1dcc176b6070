//! The form of comments and documents: short lines, doc comments that stand alone, short cells of tables.

use std::fs;
use std::path::{Path, PathBuf};

/// Folders that are made, or ignored by git, begin so.
const SKIPPED: [&str; 4] = [".", "target", "wip", "__pycache__"];

/// Generated files, and files whose comments targets emit, so that recorded texts contain them.
const WRITTEN: [&str; 7] = [
    "rbd-build/src/emit/rust/contacts/traits.rs",
    "rbd-build/src/emit/rust/families.rs",
    "rbd-cli/tests/recorded",
    "rbd-jit/src/typed.rs",
    "rbd-runtime/src/batch/methods.rs",
    "rbd-runtime/src/functions.rs",
    "tests/golden",
];

/// Longest line of a comment, in characters: the width that rustfmt gives code.
const LINE: usize = 110;

/// Longest cell of a table, in characters. Longer ones are lists or paragraphs.
const CELL: usize = 200;

/// Paths below the root, and texts, of all files with this extension.
fn files(extension: &str) -> Vec<(String, String)> {
    fn add(folder: &Path, extension: &str, out: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).expect("a folder").map(|e| e.expect("an entry")) {
            let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
            if !entry.file_type().expect("a type").is_dir() {
                out.extend(path.extension().is_some_and(|e| e == extension).then_some(path));
            } else if !SKIPPED.iter().any(|start| name.starts_with(start)) {
                add(&path, extension, out);
            }
        }
    }
    let root = rbd_build_tests::root();
    let mut paths = Vec::new();
    add(&root, extension, &mut paths);
    let relative = |path: &Path| path.strip_prefix(&root).expect("below the root").display().to_string();
    paths.iter().map(|path| (relative(path), fs::read_to_string(path).expect("text"))).collect()
}

/// Sources whose comments are written by hand and not emitted.
fn sources() -> Vec<(String, String)> {
    let mut all = files("rs");
    all.retain(|(path, _)| !WRITTEN.iter().any(|start| path.starts_with(start)));
    assert!(all.len() > 300, "only {} files found: is anything read?", all.len());
    all
}

/// Fails with all these faults, if there are any.
fn none(faults: Vec<String>) {
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn comment_lines_have_at_most_110_characters() {
    let mut faults = Vec::new();
    for (path, text) in sources() {
        for (number, line) in text.lines().enumerate() {
            // Text in a string: a backslash continues the line.
            let is_string = line.ends_with('\\');
            if line.trim_start().starts_with("//") && !is_string && line.chars().count() > LINE {
                faults.push(format!("{path}:{}: {line}", number + 1));
            }
        }
    }
    none(faults);
}

/// An index of items shows first lines alone.
#[test]
fn doc_comments_do_not_refer_to_the_one_before() {
    let is_doc = |line: &str| line.starts_with("///") || line.starts_with("//!");
    let mut faults = Vec::new();
    // Documentation of methods is written from the table of functions.
    let mut all = sources();
    let written = files("rs").into_iter();
    all.extend(written.filter(|(path, _)| {
        ["rbd-jit/src/typed.rs", "rbd-runtime/src/functions.rs"].contains(&path.as_str())
    }));
    for (path, text) in all {
        let mut before = "";
        for (number, line) in text.lines().map(str::trim_start).enumerate() {
            if is_doc(line) && !is_doc(before) && line[3..].trim_start().starts_with("The same") {
                faults.push(format!("{path}:{}: {line}", number + 1));
            }
            before = line;
        }
    }
    none(faults);
}

#[test]
fn cells_of_tables_have_at_most_200_characters() {
    let (mut cells, mut faults) = (0, Vec::new());
    for (path, text) in &files("md") {
        for (number, line) in text.lines().enumerate().filter(|(_, line)| line.starts_with('|')) {
            for cell in line.split('|').map(str::trim) {
                cells += 1;
                if cell.chars().count() > CELL {
                    faults.push(format!("{path}:{}: {cell}", number + 1));
                }
            }
        }
    }
    none(faults);
    assert!(cells > 1000, "only {cells} cells found: is anything read?");
}
