//! A picture of a schedule: units over cycles, as SVG.

use super::Circuit;
use crate::hardware::micro::Kind;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Of a unit in the picture: its height, and how much of it is filled.
const ROW: u32 = 14;
const BAR: u32 = 11;
/// What is beside and above the units.
const LEFT: u32 = 84;
const TOP: u32 = 28;
/// How wide all cycles are together, about.
const WIDE: u32 = 760;
/// What units do, in the colours that stand for it.
const WORKS: [(&str, &str); 4] =
    [("product", "#4e79a7"), ("sine", "#f28e2b"), ("sum", "#59a14f"), ("quotient", "#e15759")];

/// The picture: transparent, with grey text, for light and dark.
pub(super) fn svg(circuit: &Circuit) -> String {
    let units = circuit.schedule.units;
    let cycles = circuit.schedule.cycles;
    let cycle = (WIDE / cycles.max(1)).clamp(2, 12);
    let bottom = TOP + ROW * units.count() as u32;
    let (width, height) = (LEFT + cycle * cycles + 10, bottom + 34);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"sans-serif\" font-size=\"10\" fill=\"#808080\">\n"
    );
    for unit in 0..units.count() {
        let kind = units.kind(unit);
        let name = match kind {
            Kind::Multiplier => "multiplier",
            Kind::Adder => "adder",
            Kind::Divider => "divider",
        };
        let (y, number) = (TOP + ROW * unit as u32 + BAR - 2, unit - units.of(kind).start);
        let _ =
            writeln!(out, "<text x=\"{}\" y=\"{y}\" text-anchor=\"end\">{name} {number}</text>", LEFT - 6);
    }
    // Cycles of a unit that follow one another, of the same work, are one bar.
    let mut busy: BTreeMap<(usize, &str), Vec<(u32, u32)>> = BTreeMap::new();
    for piece in circuit.pieces() {
        let bars = busy.entry((piece.unit, piece.work)).or_default();
        match bars.last_mut() {
            Some((from, many)) if *from + *many == piece.cycle => *many += piece.busy,
            _ => bars.push((piece.cycle, piece.busy)),
        }
    }
    for (work, colour) in WORKS {
        let _ = writeln!(out, "<g fill=\"{colour}\">");
        for ((unit, _), bars) in busy.iter().filter(|((_, of), _)| *of == work) {
            let y = TOP + ROW * *unit as u32;
            for (from, many) in bars {
                let (x, w) = (LEFT + cycle * from, cycle * many);
                let _ = writeln!(out, "<rect x=\"{x}\" y=\"{y}\" width=\"{w}\" height=\"{BAR}\"/>");
            }
        }
        out.push_str("</g>\n");
    }
    let known = WORKS.iter().filter(|(work, _)| busy.keys().any(|(_, of)| of == work));
    for (k, (work, colour)) in known.enumerate() {
        let x = LEFT + 90 * k as u32;
        let _ = writeln!(out, "<rect x=\"{x}\" y=\"6\" width=\"10\" height=\"10\" fill=\"{colour}\"/>");
        let _ = writeln!(out, "<text x=\"{}\" y=\"15\">{work}</text>", x + 15);
    }
    let every = if cycles > 150 { 50 } else { 10 };
    for t in (0..=cycles).step_by(every) {
        let x = LEFT + cycle * t;
        let _ = writeln!(out, "<path d=\"M{x} {bottom}v4\" stroke=\"#808080\"/>");
        let _ = writeln!(out, "<text x=\"{x}\" y=\"{}\" text-anchor=\"middle\">{t}</text>", bottom + 15);
    }
    let middle = LEFT + cycle * cycles / 2;
    let _ = writeln!(
        out,
        "<text x=\"{middle}\" y=\"{}\" text-anchor=\"middle\">cycle from the first input</text>\n</svg>",
        bottom + 29
    );
    out
}
