//! The text of a file before it is parsed.
//!
//! One pass over the tags, linear in the text, that
//! - bounds what could make a parser slow (nesting, attributes of one element, namespaces) and
//!   refuses document types, so that no entity is ever expanded;
//! - finds unexpanded xacro: in elements that dynamics read, the file has no meaning; elsewhere it
//!   does not matter;
//! - notes undeclared prefixes, which real files have (`<gazebo:plugin>`): their colon becomes a
//!   point, which keeps every offset and makes them ordinary foreign tags;
//! - blanks the XML declaration, which real files have after a blank line or a comment.

use super::vocabulary;
use crate::urdf::findings::{At, Report, quoted};
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
    /// Text of the same length and line breaks as the original.
    pub text: Cow<'a, str>,
    /// Byte where the text stops being tags and text.
    pub malformed: Option<usize>,
    /// Elements that are open at the end: name and offset.
    pub open: Vec<(&'a str, usize)>,
}

/// Scans the text. `None`: refused, and the report says why.
pub(super) fn scan<'a>(text: &'a str, report: &mut Report) -> Option<Scanned<'a>> {
    let mut scan = Scan {
        text,
        at: 0,
        open: Vec::new(),
        prefixes: Vec::new(),
        expressions: Vec::new(),
        declared: HashSet::new(),
        xmlns: 0,
    };
    let outcome = scan.run();
    if let Some((at, name)) = scan.xacro(false).next() {
        report.error(
            "unexpanded-xacro",
            At::Byte(at),
            "",
            format!("{} is xacro, which is not expanded here", quoted(&format!("<{name}>"))),
            format!("{XACRO_MEND}; if this is left over from it, remove it"),
        );
        return None;
    }
    scan.unread_xacro(report);
    let mut malformed = None;
    match outcome {
        Ok(()) => {}
        Err(Stop::Malformed) => malformed = Some(scan.at.min(text.len())),
        Err(Stop::Refused(code, what, help)) => {
            report.error(code, At::Byte(scan.at), "", what, help);
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
            // No name begins with a point, and none of a URDF has one.
            let first = colon == 0
                || matches!(bytes[colon - 1], b'<' | b'/')
                || bytes[colon - 1].is_ascii_whitespace();
            bytes[colon] = if first { b'_' } else { b'.' };
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

/// Returns whether a value contains an expression that only xacro can evaluate.
pub(super) fn is_xacro(value: &str) -> bool {
    value.contains("${") || value.contains("$(")
}

/// Advice to expand xacro.
pub(super) const XACRO_MEND: &str = "expand it first: `xacro robot.urdf.xacro > robot.urdf`";

enum Stop {
    /// Not well formed from here on; the parser reports the fault.
    Malformed,
    /// Code, reason, help.
    Refused(&'static str, String, &'static str),
}

struct Prefix<'a> {
    name: &'a str,
    colon: usize,
    /// The tag's name, where this is the prefix of an element.
    element: Option<&'a str>,
    /// True inside an element that dynamics do not read.
    unread: bool,
}

struct Scan<'a> {
    text: &'a str,
    at: usize,
    open: Vec<(&'a str, usize)>,
    prefixes: Vec<Prefix<'a>>,
    /// Values with an expression of xacro, of elements that dynamics does not read: where, and the value.
    expressions: Vec<(usize, &'a str)>,
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
        let tag = &text[start + 1..end];
        self.prefix(start + 1, tag, true);
        let mut attributes = 0;
        let mut at = end;
        loop {
            at = skip_space(at).ok_or(Stop::Malformed)?;
            if text[at..].starts_with('>') {
                self.open.push((tag, start));
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
            let inside = &text[value..at - 1];
            if is_xacro(inside) && (self.is_unread() || !vocabulary::is_read(tag)) {
                self.expressions.push((value, inside));
            }
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
            let unread = prefix == "xacro" && self.is_unread();
            self.prefixes.push(Prefix { name: prefix, colon, element: element.then_some(name), unread });
        }
    }

    /// Returns whether the next text is inside an element that dynamics do not read.
    fn is_unread(&self) -> bool {
        self.open.iter().any(|(name, _)| !vocabulary::is_read(name))
    }

    /// The xacro elements: where, and their tags.
    fn xacro(&self, unread: bool) -> impl Iterator<Item = (usize, &'a str)> {
        let wanted = self.prefixes.iter().filter(move |p| p.name == "xacro" && p.unread == unread);
        wanted.filter_map(|p| Some((p.colon - p.name.len() - 1, p.element?)))
    }

    /// One warning for all xacro that dynamics does not read.
    fn unread_xacro(&self, report: &mut Report) {
        let elements = self.xacro(true).map(|(at, tag)| (at, format!("<{tag}>")));
        let values = self.expressions.iter().map(|(at, value)| (*at, (*value).to_owned()));
        let all: Vec<_> = elements.chain(values).collect();
        let Some((at, first)) = all.iter().min() else { return };
        let more = match all.len() - 1 {
            0 => "is xacro that was not expanded".to_owned(),
            n => format!("and {n} more are xacro that was not expanded"),
        };
        report.warn(
            "unexpanded-xacro",
            At::Byte(*at),
            "",
            format!("{} {more}; dynamics does not read this part", quoted(first)),
            XACRO_MEND,
        );
    }

    /// The XML declaration before the first tag. It carries no information, since the text is
    /// Unicode.
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
