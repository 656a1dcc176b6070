//! `rbd check`: all findings of a URDF, or of many.

use crate::deep;
use crate::options::Reading;
use crate::output;
use crate::output::Error;
use crate::progress::Progress;
use rbd_build::findings::{Finding, Findings, Severity};
use serde_json::json;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Judge URDFs: everything that is wrong or odd, each with its place and its help
#[derive(clap::Args)]
pub struct Arguments {
    /// Files, or folders that are searched for `*.urdf`
    #[arg(required = true, value_name = "FILE.urdf")]
    paths: Vec<PathBuf>,
    /// Only the summary
    #[arg(short, long)]
    quiet: bool,
    /// For machines
    #[arg(long, conflicts_with = "quiet")]
    json: bool,
    /// Compare every function with the generic reference at a thousand random states, for minutes
    #[arg(long, conflicts_with = "json")]
    deep: bool,
    #[command(flatten)]
    reading: Reading,
}

/// Result for a file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Accepted,
    Warned,
    Refused,
}

impl Verdict {
    fn name(self) -> &'static str {
        match self {
            Self::Accepted => "accepted",
            Self::Warned => "warned",
            Self::Refused => "refused",
        }
    }
}

struct Judged {
    path: PathBuf,
    verdict: Verdict,
    findings: Findings,
}

/// Code 1 if any file is refused or disagrees with the reference, or if a folder holds none.
pub fn run(arguments: &Arguments) -> Result<ExitCode, Error> {
    let mut files = Vec::new();
    for path in &arguments.paths {
        if path.is_dir() {
            let before = files.len();
            search(path, &mut files)?;
            if files.len() == before {
                return Err(Error::Request(format!("{}: no `*.urdf` in this folder", path.display())));
            }
        } else {
            files.push(path.clone());
        }
    }
    let summary = files.len() > 1 || arguments.quiet;
    let mut all = Vec::new();
    let progress = Progress::new("reading");
    progress.count(files.len(), "reading");
    let mut disagrees = false;
    for path in files {
        if !arguments.deep {
            progress.one_more();
        }
        let judged = judge(path, &arguments.reading)?;
        // Print each result at once: a folder may have many files.
        if !arguments.json && !arguments.quiet {
            progress.aside(|| output::print(&report(&judged, summary)))?;
        }
        if arguments.deep && judged.verdict != Verdict::Refused {
            let robot = arguments.reading.robot(&judged.path)?;
            let (said, agrees) = deep::compare(&judged.path, robot, &progress)?;
            progress.aside(|| output::print(&said))?;
            disagrees |= !agrees;
        }
        all.push(judged);
    }
    drop(progress);
    if arguments.json {
        output::print(&as_json(&all))?;
    } else if summary {
        output::print(&summarise(&all))?;
    }
    let refused = all.iter().any(|j| j.verdict == Verdict::Refused);
    Ok(if refused || disagrees { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn judge(path: PathBuf, reading: &Reading) -> Result<Judged, Error> {
    let (refused, findings) = match reading.robot(&path)?.read() {
        Ok(reading) => (false, reading.warnings),
        Err(findings) => (true, findings),
    };
    let verdict = match (refused, findings.warnings().next()) {
        (true, _) => Verdict::Refused,
        // Notes are no reproach.
        (false, None) => Verdict::Accepted,
        (false, Some(_)) => Verdict::Warned,
    };
    Ok(Judged { path, verdict, findings })
}

/// The URDFs in a folder and in those below it, by name. Links to folders are not followed: they
/// may go round.
fn search(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), Error> {
    let unreadable = |e| Error::Request(format!("{}: cannot be read: {e}", folder.display()));
    let entries = std::fs::read_dir(folder).and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let mut paths: Vec<PathBuf> = entries.map_err(unreadable)?.into_iter().map(|e| e.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() && !path.is_symlink() {
            search(&path, files)?;
        } else if path.is_file() && path.extension().is_some_and(|e| e.eq_ignore_ascii_case("urdf")) {
            files.push(path);
        }
    }
    Ok(())
}

/// The findings: at most a hundred, and a count of the rest. Empty for a file among many that has
/// none.
fn report(judged: &Judged, among_many: bool) -> String {
    let mut text = String::new();
    if !judged.findings.is_empty() {
        let _ = writeln!(text, "{}\n", judged.findings);
    }
    if !among_many {
        let count = |severity, name: &str| match of_severity(judged, severity).count() {
            1 => format!("1 {name}"),
            n => format!("{n} {name}s"),
        };
        let _ = writeln!(
            text,
            "{}: {} ({}, {}{})",
            judged.path.display(),
            if judged.verdict == Verdict::Refused { "refused" } else { "accepted" },
            count(Severity::Error, "error"),
            count(Severity::Warning, "warning"),
            match of_severity(judged, Severity::Note).count() {
                0 => String::new(),
                _ => format!(", {}", count(Severity::Note, "note")),
            },
        );
    }
    text
}

fn of_severity(judged: &Judged, severity: Severity) -> impl Iterator<Item = &Finding> {
    judged.findings.iter().filter(move |f| f.severity == severity)
}

/// Codes with counts, such as `zero-axis x2, bad-number`.
fn codes(judged: &Judged, severity: Severity) -> String {
    let mut codes: BTreeMap<&str, usize> = BTreeMap::new();
    for finding in of_severity(judged, severity) {
        *codes.entry(finding.code).or_default() += 1;
    }
    let shown = codes.iter().map(|(code, n)| match n {
        1 => (*code).to_owned(),
        n => format!("{code} x{n}"),
    });
    shown.collect::<Vec<_>>().join(", ")
}

/// The folder that all files are in, if it is not the current one.
fn common_folder(all: &[Judged]) -> Option<&Path> {
    let [first, others @ ..] = all else { return None };
    let inside = |folder: &&Path| others.iter().all(|judged| judged.path.starts_with(folder));
    let folder = first.path.ancestors().skip(1).find(inside)?;
    (!others.is_empty() && folder != Path::new("")).then_some(folder)
}

fn summarise(all: &[Judged]) -> String {
    let folder = common_folder(all);
    let mut table = output::table(["file", "verdict", "errors and warnings"]);
    for judged in all {
        let both = [Severity::Error, Severity::Warning].map(|s| codes(judged, s));
        let both: Vec<&str> = both.iter().map(String::as_str).filter(|s| !s.is_empty()).collect();
        let path = folder.and_then(|folder| judged.path.strip_prefix(folder).ok()).unwrap_or(&judged.path);
        table.add_row([path.display().to_string(), judged.verdict.name().into(), both.join(", ")]);
    }
    let inside = folder.map_or(String::new(), |folder| format!("in {}:\n", folder.display()));
    let count = |verdict| all.iter().filter(|j| j.verdict == verdict).count();
    format!(
        "{inside}{table}\n{} files: {} accepted, {} accepted with warnings, {} refused\n",
        all.len(),
        count(Verdict::Accepted),
        count(Verdict::Warned),
        count(Verdict::Refused)
    )
}

fn as_json(all: &[Judged]) -> String {
    let finding = |f: &Finding| {
        json!({
            "severity": f.severity.to_string(),
            "code": f.code,
            "line": f.line,
            "column": f.column,
            "subject": f.subject,
            "what": f.what,
            "help": f.help,
        })
    };
    let file = |j: &Judged| {
        json!({
            "file": j.path.display().to_string(),
            "verdict": j.verdict.name(),
            "findings": j.findings.iter().map(finding).collect::<Vec<_>>(),
        })
    };
    let value = serde_json::Value::Array(all.iter().map(file).collect());
    format!("{value:#}\n")
}
