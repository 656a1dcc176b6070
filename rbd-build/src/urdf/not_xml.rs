//! Messages about text that is not XML.

use super::source::Scanned;
use crate::urdf::findings::{At, Report, quoted};

/// The finding for text that is not XML, in words of our own where the parser's would mislead.
pub(super) fn report(error: &roxmltree::Error, scanned: &Scanned<'_>, text: &str, report: &mut Report) {
    use roxmltree::Error;
    const MEND: &str = "fix the XML here; `xmllint --noout FILE` checks a whole file";
    const CUT: &str = "add what is missing; if the file was cut short, get it again";
    let byte = byte_at(text, error.pos());
    let at = At::Byte(byte);
    // A comment that is not closed swallows the rest of the file.
    let comment = scanned.malformed.is_some_and(|begin| byte >= begin && text[begin..].starts_with("<!--"));
    match error {
        _ if comment || matches!(error, Error::UnclosedRootNode | Error::UnexpectedEndOfStream) => {
            // The place to look at is where the end is missing, not the end.
            let open = scanned.open.last();
            let inside = |(name, byte): &(&str, usize)| {
                let line = text[..*byte].matches('\n').count() + 1;
                format!("inside of {}, which line {line} opens", quoted(&format!("<{name}>")))
            };
            match (open, scanned.malformed) {
                (_, Some(byte)) => {
                    let part = if text[byte..].starts_with("<!--") { "a comment" } else { "a tag or a quote" };
                    let inside = open.map_or(String::new(), |open| format!(", {}", inside(open)));
                    let what = format!("the file ends before {part} is closed{inside}");
                    report.error("not-xml", At::Byte(byte), "", what, CUT)
                }
                (Some(open), None) => {
                    report.error("not-xml", At::Byte(open.1), "", format!("the file ends {}", inside(open)), CUT)
                }
                (None, None) => report.error("not-xml", at, "", "an element is never closed", MEND),
            }
        }
        Error::NoRootNode if text.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}').is_empty() => {
            report.error(
                "empty-file",
                At::Nowhere,
                "",
                "the file is empty",
                "check that it was written in full",
            )
        }
        Error::NoRootNode => report.error(
            "not-xml",
            At::Byte(0),
            "",
            "there is no XML element here",
            "a URDF is XML: `<robot name=\"...\">`",
        ),
        Error::UnexpectedCloseTag(expected, found, _) => report.error(
            "not-xml",
            at,
            "",
            format!("{} closes here while {} is open", quoted(found), quoted(expected)),
            "close elements in the order in which they were opened",
        ),
        Error::UnknownEntityReference(name, _) => report.error(
            "not-xml",
            at,
            "",
            format!("the entity {} is not known; entities are never expanded", quoted(name)),
            "write the text itself, and `&amp;` for an ampersand",
        ),
        Error::DuplicatedAttribute(name, _) => report.error(
            "not-xml",
            at,
            "",
            format!("the attribute {} is given twice", quoted(name)),
            "keep one of them",
        ),
        Error::UnknownToken(_) => report.error(
            "not-xml",
            at,
            "",
            // Invisible characters must be named: some files end with the zero byte of a C string.
            match text[byte..].chars().next() {
                Some(c) if c.is_control() => format!(
                    "the character U+{:04X} is outside of the one root element, where only comments may stand",
                    u32::from(c)
                ),
                _ => "this is outside of the one root element, where only comments may stand".into(),
            },
            "a URDF is one XML element: `<robot name=\"...\"> ... </robot>`",
        ),
        Error::InvalidChar(b'"' | b'\'', b'<', _) => report.error(
            "not-xml",
            at,
            "",
            "a tag begins inside of an attribute's value: a quote before it is not closed",
            "close the quote",
        ),
        other => {
            // The parser's message ends with its own line and column, which the finding already
            // has.
            let message = other.to_string();
            let message = message.rsplit_once(" at ").map_or(message.as_str(), |(head, _)| head);
            report.error("not-xml", at, "", format!("not XML: {message}"), MEND)
        }
    }
}

/// The byte of a parser's line and column (both from 1, columns in characters).
fn byte_at(text: &str, pos: roxmltree::TextPos) -> usize {
    let mut start = 0;
    for _ in 1..pos.row {
        match text[start..].find('\n') {
            Some(n) => start += n + 1,
            None => return text.len(),
        }
    }
    let column = (pos.col as usize).saturating_sub(1);
    text[start..].char_indices().nth(column).map_or(text.len(), |(n, _)| start + n)
}
