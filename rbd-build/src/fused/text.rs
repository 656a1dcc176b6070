//! Lists as text for the command line: `Step: ddq, tool: placement(tool0), jacobian(tool0, local)`.

use super::{Entry, Fault, Fused, Quantity, reference_named};
use std::str::FromStr;

impl FromStr for Fused {
    type Err = Fault;

    /// Parses a name, a colon, and quantities separated by commas, as in the macro. Frames need no quotes.
    fn from_str(text: &str) -> Result<Self, Fault> {
        let example = "write a name and quantities, as in `Step: ddq, placement(tool0)`";
        let (name, list) = text.split_once(':').ok_or_else(|| Fault(format!("`{text}`: {example}")))?;
        let mut fused = Self::new(name.trim())?;
        for word in split(list) {
            let word = word.trim();
            if word == "fext" {
                fused = fused.under_forces();
            } else if !word.is_empty() {
                fused = fused.give(word.parse()?)?;
            }
        }
        fused.check()?;
        Ok(fused)
    }
}

impl FromStr for Entry {
    type Err = Fault;

    fn from_str(text: &str) -> Result<Self, Fault> {
        // A frame's name may contain a colon. A field's name may not.
        let head = text.split('(').next().unwrap_or(text);
        let (field, rest) = match head.split_once(':') {
            Some((field, _)) => (Some(field.trim()), text[field.len() + 1..].trim()),
            None => (None, text.trim()),
        };
        let entry = match rest.split_once('(') {
            None => Self::new(Quantity::named(rest)?)?,
            Some((name, inside)) => {
                let quantity = Quantity::named(name.trim())?;
                let inside = inside.trim_end().strip_suffix(')');
                let inside = inside.ok_or_else(|| Fault(format!("`{text}` needs a `)` at its end")))?;
                let (frame, reference) = match inside.rsplit_once(',') {
                    Some((frame, reference)) => (frame, Some(reference_named(reference.trim())?)),
                    None => (inside, None),
                };
                Self::of_frame(quantity, frame.trim().trim_matches('"'), reference)?
            }
        };
        field.map_or(Ok(entry.clone()), |field| entry.called(field))
    }
}

/// Splits at commas outside of parentheses.
fn split(list: &str) -> Vec<&str> {
    let mut depth = 0_usize;
    let at_comma = move |c: char| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    };
    list.split(at_comma).collect()
}
