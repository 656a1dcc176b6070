//! Storage of results until they are output.

use super::control::Control;
use super::units::field;
use super::width;
use crate::Circuit;
use crate::bind::written;
use crate::micro::Source;
use std::fmt::Write;

/// Memories of results. Each unit has one for the results that it makes, in order.
pub(super) struct Kept {
    bits: u32,
    /// Number of results of each unit.
    numbers: Vec<usize>,
    /// For each result, its unit and place. The number after the last unit stands for constants.
    places: Vec<(usize, usize)>,
    constants: Vec<u32>,
}

impl Kept {
    pub(super) fn new(circuit: &Circuit) -> Self {
        let units = circuit.schedule.units.count();
        let mut made: Vec<Vec<(u32, u32)>> = vec![Vec::new(); units];
        let mut constants: Vec<u32> = Vec::new();
        for source in &circuit.micro.results {
            match *source {
                Source::Const(x) if !constants.contains(&circuit.integers.word(x)) => {
                    constants.push(circuit.integers.word(x))
                }
                Source::Const(_) => {}
                Source::Value(value) => {
                    let maker = circuit.micro.maker(*source).expect("results are made by units");
                    let when = (written(&circuit.micro, &circuit.schedule, value), value);
                    let made = &mut made[circuit.schedule.unit[maker]];
                    if !made.contains(&when) {
                        made.push(when);
                    }
                }
            }
        }
        made.iter_mut().for_each(|made| made.sort_unstable());
        let place = |source: &Source| match *source {
            Source::Const(x) => {
                let known = constants.iter().position(|c| *c == circuit.integers.word(x));
                (units, known.expect("it is one of them"))
            }
            Source::Value(value) => {
                let place = |made: &Vec<(u32, u32)>| made.iter().position(|(_, v)| *v == value);
                let found = made.iter().enumerate().find_map(|(u, made)| Some((u, place(made)?)));
                found.expect("it is kept")
            }
        };
        Self {
            bits: circuit.format.bits,
            places: circuit.micro.results.iter().map(place).collect(),
            numbers: made.iter().map(Vec::len).collect(),
            constants,
        }
    }

    pub(super) fn memory(&self, out: &mut String, control: &Control, u: usize) {
        let n = self.numbers[u];
        if n == 0 {
            return;
        }
        let (w, cw) = (self.bits - 1, width(n + 1));
        let keep = field(control, &format!("keep{u}"));
        let _ = writeln!(
            out,
            "  (* ram_style = \"distributed\" *) reg [{w}:0] kept{u} [0:{last}];\n  reg [{cm}:0] n{u};\n\
            \x20 always @(posedge clk) begin\n    if (step && {keep}) kept{u}[n{u}] <= y{u};\n\
            \x20   if (reset || last) n{u} <= {cw}'d0;\n    else if (step && {keep}) n{u} <= n{u} + {cw}'d1;\n  end",
            last = n - 1,
            cm = cw - 1,
        );
    }

    /// Widths of a unit's number and of a place.
    fn widths(&self) -> (usize, usize) {
        let most = self.numbers.iter().copied().max().unwrap_or(0).max(self.constants.len());
        (width(self.numbers.len() + 1), width(most))
    }

    pub(super) fn output(&self, out: &mut String) {
        let (uw, pw) = self.widths();
        let w = self.bits - 1;
        let _ = writeln!(
            out,
            "\n  // Results, in order: the unit that has it, and its place there.\n\
            \x20 reg [{m}:0] places [0:{last}];\n  reg [{m}:0] place;\n\
            \x20 always @(posedge clk) place <= places[k_next];\n\
            \x20 wire [{um}:0] holder = place[{m}:{pw}];\n  wire [{pm}:0] index = place[{pm}:0];",
            m = uw + pw - 1,
            um = uw - 1,
            pm = pw - 1,
            last = self.places.len() - 1,
        );
        let mut terms: Vec<String> = Vec::new();
        for (u, n) in self.numbers.iter().enumerate().filter(|(_, n)| **n > 0) {
            let iw = width(*n).min(pw);
            let index = if iw == pw { "index".into() } else { format!("index[{}:0]", iw - 1) };
            let index = if *n == 1 { "1'b0".into() } else { index };
            let _ = writeln!(out, "  wire [{w}:0] g{u} = kept{u}[{index}];");
            terms.push(format!("(holder == {uw}'d{u} ? g{u} : {}'d0)", w + 1));
        }
        for (k, x) in self.constants.iter().enumerate().filter(|(_, x)| **x != 0) {
            let is = format!("holder == {uw}'d{} && index == {pw}'d{k}", self.numbers.len());
            terms.push(format!("({is} ? {bits}'h{x:x} : {bits}'d0)", bits = self.bits));
        }
        if terms.is_empty() {
            terms.push(format!("{}'d0", self.bits));
        }
        let _ = writeln!(out, "  assign out_data =\n    {};", terms.join(" |\n    "));
    }

    pub(super) fn words(&self, out: &mut String) {
        let (uw, pw) = self.widths();
        out.push_str("  initial begin\n");
        for (k, (unit, place)) in self.places.iter().enumerate() {
            let _ = writeln!(out, "    places[{k}] = {{{uw}'d{unit}, {pw}'d{place}}};");
        }
        out.push_str("  end\n");
    }
}
