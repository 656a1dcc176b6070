//! The text of a file before it is parsed: what a parser must never see, and what it need not mind.
//!
//! One pass over the tags, linear in the text, that
//! - bounds what could make a parser slow (nesting, attributes of one element, namespaces) and
//!   refuses document types, so that no entity is ever expanded;
//! - notes undeclared prefixes, which real files have (`<gazebo:plugin>`): their colon becomes an
//!   underscore, which keeps every offset and makes them ordinary foreign tags;
//! - blanks the XML declaration, which real files have after a blank line or a comment.

use crate::findings::{At, Report, quoted};
use std::borrow::Cow;
use std::collections::HashSet;

/// Largest file that is read, bytes.
pub(super) const MAX_BYTES: usize = 16 << 20;
/// Deepest nesting of elements; a URDF's own is 5.
const MAX_DEPTH: usize = 256;
/// Most attributes of one element; a URDF's own have 6.
const MAX_ATTRIBUTES: usize = 256;
/// Most namespace declarations in a file.
const MAX_NAMESPACES: usize = 1000;

/// The text to parse, and where scanning had to stop, if it did.
pub(super) struct Scanned<'a> {
    /// Same length and line breaks as the original.
    pub text: Cow<'a, str>,
    /// Byte where the text stops being tags and text.
    pub malformed: Option<usize>,
    /// Elements that are open at the end: name and offset.
    pub open: Vec<(&'a str, usize)>,
}

/// Scans the text. `None`: refused, and the report says why.
pub(super) fn scan<'a>(text: &'a str, report: &mut Report) -> Option<Scanned<'a>> {
    let mut scan =
        Scan { text, at: 0, open: Vec::new(), prefixes: Vec::new(), declared: HashSet::new(), xmlns: 0 };
    let outcome = scan.run();
    if let Some((at, name)) = scan.xacro() {
        report.error(
            "unexpanded-xacro",
            At::Byte(at),
            "",
            format!("{} is xacro, which is not expanded here", quoted(&format!("<{name}>"))),
            XACRO_MEND,
        );
        return None;
    }
    let mut malformed = None;
    match outcome {
        Ok(()) => {}
        Err(Stop::Malformed) => malformed = Some(scan.at.min(text.len())),
        Err(Stop::Refused(code, what, mend)) => {
            report.error(code, At::Byte(scan.at), "", what, mend);
            return None;
        }
    }
    let undeclared: Vec<usize> =
        scan.prefixes.iter().filter(|p| !scan.declared.contains(p.name)).map(|p| p.colon).collect();
    let declaration = scan.declaration();
    let mut patched = Cow::Borrowed(text);
    if !undeclared.is_empty() || declaration.is_some() {
        let mut bytes = text.as_bytes().to_vec();
        for colon in undeclared {
            bytes[colon] = b'_';
        }
        for b in &mut bytes[declaration.unwrap_or(0..0)] {
            if *b != b'\n' {
                *b = b' ';
            }
        }
        // Only whole ASCII characters were put in place of bytes of whole characters.
        patched = Cow::Owned(String::from_utf8_lossy(&bytes).into_owned());
    }
    Some(Scanned { text: patched, malformed, open: scan.open })
}

/// How to expand xacro.
pub(super) const XACRO_MEND: &str = "expand it first: `xacro robot.urdf.xacro > robot.urdf`";

enum Stop {
    /// Not well formed from here on: the parser will say what is wrong.
    Malformed,
    /// Code, reason, mend.
    Refused(&'static str, String, &'static str),
}

struct Prefix<'a> {
    name: &'a str,
    colon: usize,
    /// The tag's name, where this is the prefix of an element.
    element: Option<&'a str>,
}

struct Scan<'a> {
    text: &'a str,
    at: usize,
    open: Vec<(&'a str, usize)>,
    prefixes: Vec<Prefix<'a>>,
    declared: HashSet<&'a str>,
    xmlns: usize,
}

impl<'a> Scan<'a> {
    fn run(&mut self) -> Result<(), Stop> {
        while let Some(step) = self.text[self.at..].find('<') {
            self.at += step;
            let rest = &self.text[self.at..];
            if rest.starts_with("<!--") {
                self.skip_past(4, "-->")?;
            } else if rest.starts_with("<![CDATA[") {
                self.skip_past(9, "]]>")?;
            } else if rest.starts_with("<!") {
                return Err(Stop::Refused(
                    "dtd",
                    "the file has a document type declaration; entities are never expanded".to_owned(),
                    "remove the `<!DOCTYPE ...>` (a URDF needs none) and write entities out",
                ));
            } else if rest.starts_with("<?") {
                self.skip_past(2, "?>")?;
            } else if rest.starts_with("</") {
                let end = rest.find('>').ok_or(Stop::Malformed)?;
                self.prefix(self.at + 2, rest[2..end].trim_end(), false);
                self.open.pop();
                self.at += end + 1;
            } else {
                self.start_tag()?;
            }
        }
        Ok(())
    }

    fn skip_past(&mut self, from: usize, end: &str) -> Result<(), Stop> {
        let length = self.text[self.at + from..].find(end).ok_or(Stop::Malformed)?;
        self.at += from + length + end.len();
        Ok(())
    }

    fn start_tag(&mut self) -> Result<(), Stop> {
        let start = self.at;
        let text = self.text;
        let name_end = |from: usize| {
            let stop = |c: char| c.is_ascii_whitespace() || matches!(c, '/' | '>' | '=' | '<' | '"' | '\'');
            text[from..].find(stop).map(|n| from + n).ok_or(Stop::Malformed)
        };
        let skip_space =
            |from: usize| text[from..].find(|c: char| !c.is_ascii_whitespace()).map(|n| from + n);
        let end = name_end(start + 1)?;
        let name = &text[start + 1..end];
        self.prefix(start + 1, name, true);
        let mut attributes = 0;
        let mut at = end;
        loop {
            at = skip_space(at).ok_or(Stop::Malformed)?;
            if text[at..].starts_with('>') {
                self.open.push((name, start));
                if self.open.len() > MAX_DEPTH {
                    return Err(Stop::Refused(
                        "nested-too-deep",
                        format!("elements are nested more than {MAX_DEPTH} deep"),
                        "a URDF is flat: links and joints are children of `<robot>`",
                    ));
                }
                self.at = at + 1;
                return Ok(());
            }
            if text[at..].starts_with("/>") {
                self.at = at + 2;
                return Ok(());
            }
            let name_at = at;
            at = name_end(name_at)?;
            let name = &text[name_at..at];
            at = skip_space(at).ok_or(Stop::Malformed)?;
            if name.is_empty() || !text[at..].starts_with('=') {
                self.at = at;
                return Err(Stop::Malformed);
            }
            at = skip_space(at + 1).ok_or(Stop::Malformed)?;
            let quote = text[at..].chars().next().filter(|c| matches!(c, '"' | '\''));
            let quote = quote.ok_or(Stop::Malformed)?;
            let value = at + 1;
            at = text[value..].find(quote).map(|n| value + n + 1).ok_or(Stop::Malformed)?;
            attributes += 1;
            self.attribute(name_at, name)?;
            if attributes > MAX_ATTRIBUTES {
                return Err(Stop::Refused(
                    "too-many-attributes",
                    format!("an element has more than {MAX_ATTRIBUTES} attributes"),
                    "no element of a URDF has more than six",
                ));
            }
        }
    }

    fn attribute(&mut self, at: usize, name: &'a str) -> Result<(), Stop> {
        if let Some(declared) = name.strip_prefix("xmlns:") {
            self.declared.insert(declared);
        }
        if name == "xmlns" || name.starts_with("xmlns:") {
            self.xmlns += 1;
            if self.xmlns > MAX_NAMESPACES {
                return Err(Stop::Refused(
                    "too-many-namespaces",
                    format!("the file declares more than {MAX_NAMESPACES} namespaces"),
                    "declare each namespace once, on `<robot>`",
                ));
            }
        } else {
            self.prefix(at, name, false);
        }
        Ok(())
    }

    fn prefix(&mut self, at: usize, name: &'a str, element: bool) {
        if let Some((prefix, _)) = name.split_once(':')
            && prefix != "xml"
        {
            let colon = at + prefix.len();
            self.prefixes.push(Prefix { name: prefix, colon, element: element.then_some(name) });
        }
    }

    /// The first xacro element: where, and its tag.
    fn xacro(&self) -> Option<(usize, &'a str)> {
        let found = self.prefixes.iter().find(|p| p.name == "xacro" && p.element.is_some())?;
        Some((found.colon - found.name.len() - 1, found.element?))
    }

    /// The XML declaration before the first tag: it says nothing that is not known, since the text is Unicode.
    fn declaration(&self) -> Option<std::ops::Range<usize>> {
        let mut at = 0;
        loop {
            at += self.text[at..].find('<')?;
            let rest = &self.text[at..];
            if rest.starts_with("<!--") {
                at += rest.find("-->")?;
            } else if let Some(inside) = rest.strip_prefix("<?") {
                let end = at + rest.find("?>")? + 2;
                let name = inside.split(|c: char| c.is_ascii_whitespace() || c == '?').next();
                if name.is_some_and(|n| n.eq_ignore_ascii_case("xml")) {
                    return Some(at..end);
                }
                at = end;
            } else {
                return None;
            }
        }
    }
}

/// The finding for text that is not XML, in words of our own where the parser's would mislead.
pub(super) fn not_xml(error: &roxmltree::Error, scanned: &Scanned<'_>, text: &str, report: &mut Report) {
    use roxmltree::Error;
    const MEND: &str = "mend the XML here; `xmllint --noout FILE` checks a whole file";
    let byte = byte_at(text, error.pos());
    let at = At::Byte(byte);
    match error {
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
        Error::UnclosedRootNode => match (scanned.open.last(), scanned.malformed) {
            (_, Some(byte)) => {
                report.error("not-xml", At::Byte(byte), "", "a tag or a quote is not closed", MEND)
            }
            (Some((name, byte)), None) => report.error(
                "not-xml",
                At::Byte(*byte),
                "",
                format!("{} is never closed", quoted(&format!("<{name}>"))),
                "add its closing tag; if the end of the file is missing, get it again",
            ),
            (None, None) => report.error("not-xml", at, "", "an element is never closed", MEND),
        },
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
            // What cannot be seen must be named: some files end with the zero byte of a C string.
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
            // The parser's message ends with its own line and column, which the finding has already.
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
