//! Every citation has its target: `docs/math.md#anchor` to a section, a key such as `Singh-2022` in
//! brackets to the bibliography, a relative link of a document to a file and a heading, and a test
//! that a document names to a test.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};

/// Folders that are made, or ignored by git, begin so.
const SKIPPED: [&str; 4] = [".", "target", "wip", "__pycache__"];

/// Text files of the repository, by path from its root.
struct Repository {
    root: PathBuf,
    files: BTreeMap<PathBuf, String>,
}

impl Repository {
    fn read() -> Self {
        let root = rbd_build_tests::root();
        let mut repository = Self { root: root.clone(), files: BTreeMap::new() };
        repository.add(&root);
        repository
    }

    fn add(&mut self, folder: &Path) {
        for entry in fs::read_dir(folder).expect("a folder").map(|e| e.expect("an entry")) {
            let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
            if entry.file_type().expect("a type").is_dir() {
                if !SKIPPED.iter().any(|start| name.starts_with(start)) {
                    self.add(&path);
                }
            } else if ["rs", "md", "py"].iter().any(|e| path.extension().is_some_and(|x| x == *e)) {
                let relative = path.strip_prefix(&self.root).expect("below the root").to_path_buf();
                self.files.insert(relative, fs::read_to_string(&path).expect("text"));
            }
        }
    }

    fn documents(&self) -> impl Iterator<Item = (&PathBuf, &String)> {
        self.files.iter().filter(|(path, _)| path.extension().is_some_and(|e| e == "md"))
    }

    fn math(&self) -> &str {
        &self.files[Path::new("docs/math.md")]
    }

    /// Files that may cite. This file quotes what it forbids.
    fn citing(&self) -> impl Iterator<Item = (&PathBuf, &String)> {
        self.files.iter().filter(|(path, _)| !path.ends_with("tests/citations.rs"))
    }
}

/// The text without fenced blocks of code, which may contain anything.
fn without_code(text: &str) -> String {
    let mut inside = false;
    let mut out = String::new();
    for line in text.lines() {
        let fence = line.trim_start().starts_with("```");
        inside ^= fence;
        if !inside && !fence {
            out += line;
        }
        out.push('\n');
    }
    out
}

/// Anchors of a document's headings and marks, as GitHub makes them: lower case, spaces as hyphens,
/// no punctuation, and a number for repeated anchors.
fn anchors(text: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for line in without_code(text).lines() {
        let heading = line.trim_start_matches('#');
        if heading.len() < line.len() && heading.starts_with(' ') {
            let kept = heading.trim().chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
            let anchor: String =
                kept.map(|c| if c == ' ' { '-' } else { c }).flat_map(char::to_lowercase).collect();
            let again = (1..).map(|k| format!("{anchor}-{k}")).find(|a| !found.contains(a));
            found.insert(if found.contains(&anchor) { again.unwrap_or_default() } else { anchor });
        }
        found.extend(after_each(line, "id=\"").filter_map(|rest| Some(rest.split_once('"')?.0.to_string())));
    }
    found
}

/// The text after each occurrence of a mark.
fn after_each<'t>(text: &'t str, mark: &'t str) -> impl Iterator<Item = &'t str> {
    text.match_indices(mark).map(|(at, _)| &text[at + mark.len()..])
}

/// Keys of the form `Name-1234` or `Name-1234b` that stand in brackets, perhaps with a place behind a comma.
fn keys(text: &str) -> Vec<&str> {
    let is_key = |key: &&str| {
        let Some((name, year)) = key.split_once('-') else { return false };
        let digits = year.trim_end_matches(|c: char| c.is_ascii_lowercase());
        name.starts_with(|c: char| c.is_ascii_uppercase())
            && name.chars().all(char::is_alphabetic)
            && digits.len() == 4
            && year.len() <= 5
            && digits.chars().all(|c| c.is_ascii_digit())
    };
    let inside = after_each(text, "[").filter_map(|rest| Some(rest.split_once(']')?.0));
    inside.filter_map(|x| x.split(',').next()).filter(is_key).collect()
}

/// Joins a link to its document's folder.
fn resolve(document: &Path, link: &str) -> PathBuf {
    let mut out = document.parent().unwrap_or(Path::new("")).to_path_buf();
    for part in Path::new(link).components() {
        match part {
            Component::ParentDir => {
                out.pop();
            }
            Component::Normal(part) => out.push(part),
            _ => {}
        }
    }
    out
}

/// Fails with all these faults, if there are any.
fn none(faults: Vec<String>) {
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn sections_that_are_cited_exist() {
    let repository = Repository::read();
    let (sections, mut cited, mut faults) = (anchors(repository.math()), 0, Vec::new());
    for (path, text) in repository.citing() {
        for rest in after_each(text, "docs/math.md#") {
            let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '-').unwrap_or(rest.len());
            cited += 1;
            if !sections.contains(&rest[..end]) && &rest[..end] != "anchor" {
                faults.push(format!("{}: docs/math.md#{} is no section", path.display(), &rest[..end]));
            }
        }
    }
    none(faults);
    assert!(cited > 20, "only {cited} citations found: is anything read?");
}

#[test]
fn keys_that_are_cited_are_in_the_bibliography() {
    let repository = Repository::read();
    let bibliography: BTreeSet<&str> =
        after_each(repository.math(), "**[").filter_map(|rest| Some(rest.split_once("]**")?.0)).collect();
    assert!(bibliography.len() > 10);
    let (mut used, mut faults) = (BTreeSet::new(), Vec::new());
    for (path, text) in repository.citing() {
        let body = text.split("\n## Bibliography").next().unwrap_or(text);
        for key in keys(body) {
            used.insert(key);
            if !bibliography.contains(key) {
                faults.push(format!("{}: [{key}] is not in docs/math.md#bibliography", path.display()));
            }
        }
    }
    faults.extend(bibliography.difference(&used).map(|key| format!("[{key}] is cited nowhere")));
    none(faults);
}

#[test]
fn documents_link_to_files_and_headings_that_exist() {
    let repository = Repository::read();
    let mut faults = Vec::new();
    for (path, text) in repository.documents() {
        let text = without_code(text);
        for link in after_each(&text, "](").filter_map(|rest| Some(rest.split_once(')')?.0)) {
            if link.contains("://") {
                continue;
            }
            let (file, anchor) = link.split_once('#').map_or((link, None), |(f, a)| (f, Some(a)));
            let target = if file.is_empty() { path.clone() } else { resolve(path, file) };
            let mut missing = !repository.root.join(&target).exists();
            if let (Some(anchor), Some(text)) = (anchor, repository.files.get(&target)) {
                missing |= !anchors(text).contains(anchor);
            }
            if missing {
                faults.push(format!("{}: ({link}) leads nowhere", path.display()));
            }
        }
    }
    none(faults);
}

/// File and, if any, test that a quotation names. Tests of `tests/trust` are also written
/// `trust::module::name_of_a_test`.
fn named_in(quoted: &str) -> Option<(String, Option<&str>)> {
    let (file, test) = quoted.split_once("::").map_or((quoted, None), |(file, test)| (file, Some(test)));
    if file == "trust" {
        let (module, test) = test?.split_once("::").map_or((test?, None), |(m, t)| (m, Some(t)));
        return (!module.is_empty()).then(|| (format!("tests/trust/{module}.rs"), test));
    }
    let plain = file.contains('/') && file.chars().all(|c| c.is_ascii_alphanumeric() || "/_-.".contains(c));
    (plain && [".rs", ".py", ".md"].iter().any(|e| file.ends_with(e))).then(|| (file.to_string(), test))
}

/// "`path/to/file.rs`" and "`path/to/file.rs::name_of_a_test`" in documents: from there, from the
/// root, or from the generator's source.
#[test]
fn files_and_tests_that_documents_name_exist() {
    let repository = Repository::read();
    let (mut named, mut faults) = (0, Vec::new());
    for (path, text) in repository.documents() {
        let text = without_code(text);
        for quoted in text.split('`').skip(1).step_by(2) {
            let Some((file, test)) = named_in(quoted) else { continue };
            named += 1;
            let places = [resolve(path, &file), PathBuf::from(&file), Path::new("rbd-build/src").join(&file)];
            let Some(place) = places.iter().find(|p| repository.root.join(p).exists()) else {
                faults.push(format!("{}: there is no {file}", path.display()));
                continue;
            };
            let is_there = |name: &str| {
                repository.files.get(place).is_some_and(|text| text.contains(&format!("fn {name}(")))
            };
            if test.is_some_and(|name| !is_there(name)) {
                faults.push(format!("{}: there is no {quoted}", path.display()));
            }
        }
    }
    none(faults);
    assert!(named > 30, "only {named} files named: is anything read?");
}

/// Citations of notes that were never in the repository.
#[test]
fn nothing_cites_what_nobody_can_open() {
    let repository = Repository::read();
    let mut faults = Vec::new();
    for (path, text) in repository.citing() {
        for (number, line) in text.lines().enumerate() {
            let notes = after_each(line, "PAPERS ").any(|r| r.starts_with(|c: char| c.is_ascii_digit()));
            let papers = ["000", "001", "002", "003", "004"].iter().any(|paper| {
                let place =
                    |r: &str| ["Algorithm", "equation", "section", "Eq"].iter().any(|w| r.starts_with(w));
                after_each(line, &format!("{paper} ")).any(place)
            });
            if notes || papers {
                faults.push(format!("{}:{}: {}", path.display(), number + 1, line.trim()));
            }
        }
    }
    none(faults);
}

/// The README answers a newcomer's questions in a few minutes; everything else has a page in `docs/`.
#[test]
fn the_readme_has_at_most_700_words() {
    let words = Repository::read().files[Path::new("README.md")].split_whitespace().count();
    assert!((300..=700).contains(&words), "{words} words (`wc -w`)");
}

#[test]
fn anchors_are_those_of_github() {
    let text =
        "# Two words\n## `code` and (more)\n## Two words\n<a id=\"here\"></a>\n```sh\n# no heading\n```\n";
    let expected = ["code-and-more", "here", "two-words", "two-words-1"];
    assert_eq!(anchors(text).into_iter().collect::<Vec<_>>(), expected);
    assert_eq!(
        keys("[A-2001] [B-2002b, table 1] [c-2003] [D-20] [link](x) [E-2004x5]"),
        ["A-2001", "B-2002b"]
    );
}
