//! Matrices drawn as characters.

use rbd_build::measure::{Entry, Pattern};

/// Columns that a drawing may take.
const WIDTH: usize = 100;
/// Between drawings that stand side by side.
const GAP: usize = 4;
/// Largest number of columns for entries of two characters, which look square.
const SQUARE: usize = 24;

/// The matrices side by side, as many as fit, each below its name and its share of zeros.
pub fn draw(patterns: &[(&'static str, Pattern)]) -> String {
    let drawings: Vec<Vec<String>> = patterns.iter().map(|(name, p)| drawing(name, p)).collect();
    let mut text = String::new();
    let mut rest = &drawings[..];
    while !rest.is_empty() {
        let mut width = 0;
        let fits = |d: &&Vec<String>| {
            width += columns(d) + GAP;
            width <= WIDTH + GAP
        };
        let n = rest.iter().take_while(fits).count().max(1);
        let (now, later) = rest.split_at(n);
        for line in 0..now.iter().map(Vec::len).max().unwrap_or(0) {
            let padded = now.iter().map(|d| {
                let shown = d.get(line).map_or("", String::as_str);
                format!("{shown}{}", " ".repeat(columns(d) + GAP - shown.chars().count()))
            });
            let line: String = padded.collect();
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text.push('\n');
        rest = later;
    }
    text
}

fn columns(drawing: &[String]) -> usize {
    drawing.iter().map(|line| line.chars().count()).max().unwrap_or(0)
}

fn drawing(name: &str, pattern: &Pattern) -> Vec<String> {
    let (zero, constant) = (pattern.count(Entry::Zero), pattern.count(Entry::Constant));
    let of = pattern.rows * pattern.columns;
    // Rounded down, so that only the zero matrix has 100 %.
    let mut caption = format!("{} % zero", 100 * zero / of.max(1));
    if zero > 0 && 100 * zero < of {
        caption = format!("{zero} of {of} zero");
    }
    if constant > 0 {
        caption += &format!(", {constant} constant");
    }
    let mut lines = vec![format!("{name}  {} x {}", pattern.rows, pattern.columns), caption];
    if pattern.columns > WIDTH {
        lines.push("too large to be drawn".into());
        return lines;
    }
    let wide = pattern.columns <= SQUARE;
    let cell = |entry| match (entry, wide) {
        (Entry::Varies, true) => "██",
        (Entry::Constant, true) => "▒▒",
        (Entry::Zero, true) => "· ",
        (Entry::Varies, false) => "█",
        (Entry::Constant, false) => "▒",
        (Entry::Zero, false) => "·",
    };
    let row = |r| (0..pattern.columns).map(|c| cell(pattern.entry(r, c))).collect();
    lines.extend((0..pattern.rows).map(row));
    lines
}
