//! Findings in an input file: all faults and oddities at once, each with its place and a suggested
//! fix.

use crate::urdf::codes;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// Severity of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Severity {
    /// The file is refused.
    Error,
    /// The file is used; the meaning that was chosen is in the finding.
    Warning,
    /// Nothing is wrong, but worth knowing. Shown by `rbd check`, not by builds.
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
    /// Severity of the finding.
    pub severity: Severity,
    /// Code of the finding: a stable name in kebab case, such as `zero-axis`.
    pub code: &'static str,
    /// The file, as the caller named it.
    pub file: String,
    /// Line, from 1; 0 where the finding is about the options or the whole file.
    pub line: usize,
    /// Column in characters, from 1; 0 where `line` is 0.
    pub column: usize,
    /// Subject, such as ``joint `elbow` ``; may be empty.
    pub subject: String,
    /// Description of the fault.
    pub what: String,
    /// Suggested fix.
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
/// Errors or warnings of one code that a build shows; the rest are counted.
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

    /// Findings that a build shows.
    ///
    /// For each code these are the first three errors and the first three warnings, with one line
    /// for the rest, and no notes. If all errors are about options, the file's warnings are left
    /// out, since they are not the cause.
    #[must_use]
    pub fn brief(&self) -> Self {
        let of_options = self.has_errors() && self.errors().all(|error| error.line == 0);
        let is_shown = |finding: &&Finding| match finding.severity {
            Severity::Error => true,
            Severity::Warning => !of_options || finding.line == 0,
            Severity::Note => false,
        };
        let kind = |finding: &Finding| (finding.severity == Severity::Warning, finding.code);
        let mut seen: BTreeMap<(bool, &str), usize> = BTreeMap::new();
        let mut all = Vec::new();
        for finding in self.iter().filter(is_shown) {
            let count = seen.entry(kind(finding)).or_default();
            *count += 1;
            if *count <= SHOWN_OF_A_CODE {
                all.push(finding.clone());
            }
        }
        for finding in self.iter().filter(is_shown) {
            // The rest of a code is counted once, at its first finding.
            let Some(count) = seen.remove(&kind(finding)).filter(|n| *n > SHOWN_OF_A_CODE) else { continue };
            let more = count - SHOWN_OF_A_CODE;
            let plural = if more == 1 { "" } else { "s" };
            let help = match finding.severity {
                Severity::Error => "`rbd check` shows more of them".to_owned(),
                _ => format!("`rbd check` shows more; `allow: [\"{}\"]` hides them", finding.code),
            };
            all.push(Finding {
                line: 0,
                column: 0,
                subject: String::new(),
                what: format!("{more} more {}{plural} of this kind", finding.severity),
                help,
                excerpt: None,
                ..finding.clone()
            });
        }
        Self { all }
    }

    /// Findings that fit a report, in the order of the file, and the number of the others by code.
    /// Errors take precedence over warnings, and warnings over notes.
    pub fn bounded(&self) -> (Vec<&Finding>, BTreeMap<&'static str, usize>) {
        let rank = |finding: &Finding| match finding.severity {
            Severity::Error => 0,
            Severity::Warning => 1,
            Severity::Note => 2,
        };
        let mut order: Vec<usize> = (0..self.len()).collect();
        order.sort_by_key(|&k| rank(&self.all[k]));
        let mut shown = order;
        let others = shown.split_off(self.len().min(SHOWN));
        shown.sort_unstable();
        let mut counts = BTreeMap::new();
        for k in others {
            *counts.entry(self.all[k].code).or_default() += 1;
        }
        (shown.into_iter().map(|k| &self.all[k]).collect(), counts)
    }

    /// Returns whether the file was refused.
    pub fn has_errors(&self) -> bool {
        self.errors().next().is_some()
    }

    /// Number of findings.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Returns whether there are no findings.
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
        let (shown, others) = self.bounded();
        for (i, finding) in shown.iter().enumerate() {
            if i > 0 {
                f.write_str("\n\n")?;
            }
            write!(f, "{finding}")?;
        }
        if !others.is_empty() {
            let counts: Vec<String> = others.iter().map(|(code, n)| format!("{code} x{n}")).collect();
            write!(f, "\n\n... and {} more: {}", others.values().sum::<usize>(), counts.join(", "))?;
        }
        Ok(())
    }
}

impl std::error::Error for Findings {}

/// Place of a finding in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum At {
    /// The options or the whole file.
    Nowhere,
    /// At this byte of the text.
    Byte(usize),
}

/// Collects findings by byte offset; lines and columns are worked out once, at the end.
pub(crate) struct Report {
    strict: bool,
    /// Codes of warnings that nobody wants to see.
    allow: BTreeSet<String>,
    /// True if a fault left something without a meaning.
    broken: bool,
    entries: Vec<(At, Finding)>,
}

impl Report {
    pub(crate) fn new(strict: bool, allow: &BTreeSet<String>) -> Self {
        Self { strict, allow: allow.clone(), broken: false, entries: Vec::new() }
    }

    /// A fault of a value that is still readable, so that whatever depends on it can be judged.
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

    /// Adds a note, which never refuses a file.
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

    /// Returns whether something has no meaning, so that no model can be assembled.
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

/// The text without control characters, which a terminal would execute.
fn printable(text: String) -> String {
    let bad = |c: char| c.is_control() && c != '\t';
    if text.contains(bad) { text.replace(bad, "\u{fffd}") } else { text }
}

/// A number for use in a message: seven digits at most, and as people write it.
pub(crate) fn shown(x: f64) -> String {
    const DIGITS: i32 = 6;
    let trimmed = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text.to_owned(),
    };
    let text = format!("{x:.6e}");
    let Some((mantissa, exponent)) = text.split_once('e') else { return text };
    match exponent.parse::<i32>() {
        Ok(exponent @ -4..=DIGITS) => {
            trimmed(&format!("{x:.*}", (DIGITS - exponent).unsigned_abs() as usize))
        }
        _ => format!("{}e{exponent}", trimmed(mantissa)),
    }
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

#[cfg(test)]
mod tests {
    use super::shown;

    #[test]
    fn numbers_are_written_as_people_write_them() {
        for (x, said) in [
            (0.0, "0"),
            (3e-6, "3e-6"),
            (-2.220446049250313e-22, "-2.220446e-22"),
            (0.1, "0.1"),
            (-0.000_25, "-0.00025"),
            (1.0 / 3.0, "0.3333333"),
            (120.0, "120"),
            (1e6, "1000000"),
            (123_456_789.0, "1.234568e8"),
            (5e-324, "4.940656e-324"),
            (f64::INFINITY, "inf"),
        ] {
            assert_eq!(shown(x), said);
        }
    }
}
