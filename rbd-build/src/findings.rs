//! What is wrong, or odd, in an input file: many findings at once, each with its place and a suggested fix.

use crate::codes;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Severity {
    /// The file is refused.
    Error,
    /// The file is used; the meaning that was chosen is in the finding.
    Warning,
    /// Nothing is wrong, and there is something to know. `rbd check` shows it; builds do not.
    Note,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Note => "note",
        })
    }
}

/// One thing that is wrong or odd.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Finding {
    /// How bad it is.
    pub severity: Severity,
    /// What kind of finding it is: a stable name in kebab case, such as `zero-axis`.
    pub code: &'static str,
    /// The file, as the caller named it.
    pub file: String,
    /// Line, from 1; 0 where the finding is about the options or the whole file.
    pub line: usize,
    /// Column in characters, from 1; 0 where `line` is 0.
    pub column: usize,
    /// What it is about, such as ``joint `elbow` ``; may be empty.
    pub subject: String,
    /// What is wrong.
    pub what: String,
    /// How to put it right.
    pub help: String,
    /// The part of the source line around the place, and the caret's distance from its start.
    excerpt: Option<(String, usize)>,
}

/// Source text on either side of the place, in characters.
const EXCERPT: usize = 90;

impl fmt::Display for Finding {
    /// `error[code] file:line:column: subject: what`, the source line with a caret, and the help.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}[{}] {}", self.severity, self.code, self.file)?;
        if self.line > 0 {
            write!(f, ":{}:{}", self.line, self.column)?;
        }
        f.write_str(": ")?;
        if !self.subject.is_empty() {
            write!(f, "{}: ", self.subject)?;
        }
        f.write_str(&self.what)?;
        if let Some((source, caret)) = &self.excerpt {
            let number = self.line.to_string();
            let gutter = " ".repeat(number.len());
            // Tabs stay tabs, so that the caret stands under its character at any tab width.
            let lead: String =
                source.chars().take(*caret).map(|c| if c == '\t' { '\t' } else { ' ' }).collect();
            write!(f, "\n{gutter} |\n{number} | {source}\n{gutter} | {lead}^")?;
        }
        write!(f, "\n  = help: {}", self.help)
    }
}

/// Everything that was found in one file, in the order of the file.
///
/// Printed, it is a report for people. As an error, it holds at least one [`Severity::Error`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    all: Vec<Finding>,
}

/// Findings that a printed report shows; the rest are counted.
const SHOWN: usize = 100;
/// Warnings of one code that a build shows; the rest are counted.
const SHOWN_OF_A_CODE: usize = 3;

impl Findings {
    /// All findings, in the order of the file.
    pub fn iter(&self) -> std::slice::Iter<'_, Finding> {
        self.all.iter()
    }

    /// The errors only.
    pub fn errors(&self) -> impl Iterator<Item = &Finding> {
        self.iter().filter(|f| f.severity == Severity::Error)
    }

    /// The warnings only.
    pub fn warnings(&self) -> impl Iterator<Item = &Finding> {
        self.iter().filter(|f| f.severity == Severity::Warning)
    }

    /// What a build shows: all errors, the first three warnings of each code and one line for the rest of
    /// them, and no notes.
    #[must_use]
    pub fn brief(&self) -> Self {
        let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
        let mut all = Vec::new();
        for finding in self {
            match finding.severity {
                Severity::Error => all.push(finding.clone()),
                Severity::Warning => {
                    let count = seen.entry(finding.code).or_default();
                    *count += 1;
                    if *count <= SHOWN_OF_A_CODE {
                        all.push(finding.clone());
                    }
                }
                Severity::Note => {}
            }
        }
        for finding in self.warnings() {
            // Where the first of a code is met, the rest of it is counted once.
            let Some(count) = seen.remove(finding.code).filter(|n| *n > SHOWN_OF_A_CODE) else { continue };
            let more = count - SHOWN_OF_A_CODE;
            all.push(Finding {
                line: 0,
                column: 0,
                subject: String::new(),
                what: format!("{more} more {} of this kind", if more == 1 { "warning" } else { "warnings" }),
                help: format!("`rbd check` shows all; `allow` with `{}` hides them", finding.code),
                excerpt: None,
                ..finding.clone()
            });
        }
        Self { all }
    }

    /// Whether the file was refused.
    pub fn has_errors(&self) -> bool {
        self.errors().next().is_some()
    }

    /// How many findings there are.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether there is nothing to say.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }
}

impl<'a> IntoIterator for &'a Findings {
    type Item = &'a Finding;
    type IntoIter = std::slice::Iter<'a, Finding>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl IntoIterator for Findings {
    type Item = Finding;
    type IntoIter = std::vec::IntoIter<Finding>;

    fn into_iter(self) -> Self::IntoIter {
        self.all.into_iter()
    }
}

impl fmt::Display for Findings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, finding) in self.iter().take(SHOWN).enumerate() {
            if i > 0 {
                f.write_str("\n\n")?;
            }
            write!(f, "{finding}")?;
        }
        if self.len() > SHOWN {
            write!(f, "\n\n... and {} more", self.len() - SHOWN)?;
        }
        Ok(())
    }
}

impl std::error::Error for Findings {}

/// Where in the text a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum At {
    /// It concerns the options or the whole file.
    Nowhere,
    /// At this byte of the text.
    Byte(usize),
}

/// Collects findings by byte offset; lines and columns are worked out once, at the end.
pub(crate) struct Report {
    strict: bool,
    /// Codes of warnings that nobody wants to see.
    allow: BTreeSet<String>,
    /// Whether a fault was found that leaves something without a meaning.
    broken: bool,
    entries: Vec<(At, Finding)>,
}

impl Report {
    pub(crate) fn new(strict: bool, allow: &BTreeSet<String>) -> Self {
        Self { strict, allow: allow.clone(), broken: false, entries: Vec::new() }
    }

    /// A fault of a value that can be read all the same, so that what depends on it can still be judged.
    pub(crate) fn value_error(
        &mut self,
        code: &'static str,
        at: At,
        subject: impl Into<String>,
        what: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.add(Severity::Error, code, at, subject.into(), what.into(), help.into());
    }

    pub(crate) fn error(
        &mut self,
        code: &'static str,
        at: At,
        subject: impl Into<String>,
        what: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.broken = true;
        self.add(Severity::Error, code, at, subject.into(), what.into(), help.into());
    }

    pub(crate) fn warn(
        &mut self,
        code: &'static str,
        at: At,
        subject: impl Into<String>,
        what: impl Into<String>,
        help: impl Into<String>,
    ) {
        debug_assert!(codes::is_warning(code), "{code} is missing from the list of warnings");
        if self.allow.contains(code) {
            return;
        }
        let severity = if self.strict { Severity::Error } else { Severity::Warning };
        self.add(severity, code, at, subject.into(), what.into(), help.into());
    }

    /// Something to know, where nothing is wrong: it never refuses a file.
    pub(crate) fn note(
        &mut self,
        code: &'static str,
        at: At,
        subject: impl Into<String>,
        what: impl Into<String>,
        help: impl Into<String>,
    ) {
        debug_assert!(codes::is_warning(code), "{code} is missing from the list of warnings");
        if !self.allow.contains(code) {
            self.add(Severity::Note, code, at, subject.into(), what.into(), help.into());
        }
    }

    fn add(
        &mut self,
        severity: Severity,
        code: &'static str,
        at: At,
        subject: String,
        what: String,
        help: String,
    ) {
        let (file, line, column, excerpt) = (String::new(), 0, 0, None);
        let [subject, what, help] = [subject, what, help].map(printable);
        self.entries.push((at, Finding { severity, code, file, line, column, subject, what, help, excerpt }));
    }

    pub(crate) fn has_errors(&self) -> bool {
        self.entries.iter().any(|(_, f)| f.severity == Severity::Error)
    }

    /// Whether something has no meaning, so that there is nothing to put together.
    pub(crate) fn is_broken(&self) -> bool {
        self.broken
    }

    /// Turns offsets into lines, columns and excerpts, in one pass over the text.
    pub(crate) fn finish(mut self, file: &str, text: &str) -> Findings {
        self.entries.sort_by_key(|(at, _)| *at);
        // `done`: the place up to which lines and columns are counted.
        let (mut done, mut line, mut column) = (0, 1, 1);
        for (at, finding) in &mut self.entries {
            finding.file = file.to_owned();
            let At::Byte(offset) = *at else { continue };
            let offset = (0..=offset.min(text.len())).rev().find(|&o| text.is_char_boundary(o)).unwrap_or(0);
            for c in text[done..offset].chars() {
                (line, column) = match c {
                    '\n' => (line + 1, 1),
                    // A byte order mark is no column of any editor.
                    '\u{feff}' if column == 1 => (line, 1),
                    _ => (line, column + 1),
                };
            }
            done = offset;
            (finding.line, finding.column) = (line, column);
            finding.excerpt = Some(excerpt(text, offset));
        }
        Findings { all: self.entries.into_iter().map(|(_, f)| f).collect() }
    }
}

/// The source line around `offset`, cut to a readable length, and the caret's distance in it.
fn excerpt(text: &str, offset: usize) -> (String, usize) {
    let within = |&c: &char| !matches!(c, '\n' | '\r' | '\u{feff}');
    let before: Vec<char> = text[..offset].chars().rev().take_while(within).take(EXCERPT + 1).collect();
    let after: Vec<char> = text[offset..].chars().take_while(within).take(EXCERPT + 1).collect();
    let (cut_before, cut_after) = (before.len() > EXCERPT, after.len() > EXCERPT);
    let line = before.iter().take(EXCERPT).rev().chain(after.iter().take(EXCERPT));
    let mut shown = printable(line.collect());
    shown.truncate(shown.trim_end().len());
    if cut_after {
        shown.push_str("...");
    }
    if cut_before { (format!("...{shown}"), EXCERPT + 3) } else { (shown, before.len()) }
}

/// The text without control characters, which a terminal would obey.
fn printable(text: String) -> String {
    let bad = |c: char| c.is_control() && c != '\t';
    if text.contains(bad) { text.replace(bad, "\u{fffd}") } else { text }
}

/// A name from the file for use in a message: quoted and of bounded length.
pub(crate) fn quoted(name: &str) -> String {
    const LONGEST: usize = 80;
    let mut shown: String = name.chars().take(LONGEST).collect();
    if name.chars().nth(LONGEST).is_some() {
        shown.push_str("...");
    }
    format!("`{shown}`")
}
