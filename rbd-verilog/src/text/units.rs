//! Units and the memories of their operands.

use super::control::{Control, address_width, exponents, shifts, works};
use super::width;
use crate::Circuit;
use crate::bind::port;
use crate::micro::{BITS_A_CYCLE, Work, division_steps};
use std::fmt::Write;

/// Bits of a field in the current control word.
pub(super) fn field(control: &Control, name: &str) -> String {
    match control.fields[name] {
        (first, 1) => format!("word[{first}]"),
        (first, bits) => format!("word[{}:{first}]", first + bits - 1),
    }
}

fn has(control: &Control, name: &str) -> bool {
    let (first, bits) = control.fields[name];
    control.words.iter().any(|word| word[first..first + bits].contains(&true))
}

/// Memory of an operand, in banks. Each is written in every cycle, by at most one unit, at the cycle's
/// number.
pub(super) fn memory(out: &mut String, circuit: &Circuit, control: &Control, unit: usize, operand: usize) {
    let p = port(unit, operand);
    let memory = &circuit.binding.ports[p];
    let w = circuit.format.bits - 1;
    let cycles = circuit.schedule.cycles as usize;
    let units = circuit.schedule.units.count();
    let (at, tw) = (field(control, &format!("at{p}")), width(cycles));
    let banks = memory.banks.len().max(usize::from(!memory.constants.is_empty()));
    for b in 0..banks {
        let constants = if b == 0 { &memory.constants[..] } else { &[] };
        let address_width = if b == 0 { address_width(circuit, p) } else { tw };
        let end = if b == 0 { (1 << address_width) - 1 } else { cycles - 1 };
        let _ = writeln!(
            out,
            "  (* ram_style = \"block\" *) reg [{w}:0] m{p}_{b} [0:{end}];\n  reg [{w}:0] q{p}_{b};"
        );
        for (k, x) in constants.iter().enumerate() {
            let bits = circuit.format.bits;
            let _ = writeln!(
                out,
                "  initial m{p}_{b}[{}] = {bits}'h{:x};",
                cycles + k,
                circuit.integers.word(*x)
            );
        }
        let given = |source: &usize| if *source == units { "in_data".into() } else { format!("y{source}") };
        let written = match memory.banks.get(b).map(Vec::as_slice) {
            None | Some([]) => None,
            Some([only]) => Some(given(only)),
            Some(several) => Some(
                several
                    .iter()
                    .map(|s| {
                        let open = field(control, &format!("to{p}_{b}_{s}"));
                        format!("({{{}{{{open}}}}} & {})", w + 1, given(s))
                    })
                    .collect::<Vec<_>>()
                    .join(" | "),
            ),
        };
        if let Some(written) = written {
            let _ = writeln!(out, "  always @(posedge clk) if (step) m{p}_{b}[t] <= {written};");
        }
        // A bank without constants has at most as many addresses as cycles.
        let (first, _) = control.fields[&format!("at{p}")];
        let read = match address_width {
            1 => format!("word[{first}]"),
            n => format!("word[{}:{first}]", first + n - 1),
        };
        debug_assert!(b > 0 || read == at);
        let _ = writeln!(out, "  always @(posedge clk) if (step) q{p}_{b} <= m{p}_{b}[{read}];");
    }
    let chosen = match banks {
        0 => format!("{}'d0", w + 1),
        1 => format!("q{p}_0"),
        n => {
            let bank = field(control, &format!("bank{p}"));
            let bits = width(n);
            let last = n - 1;
            let choice = (0..last).map(|b| format!("{bank} == {bits}'d{b} ? q{p}_{b} : "));
            choice.collect::<String>() + &format!("q{p}_{last}")
        }
    };
    let _ = writeln!(out, "  wire signed [{w}:0] x{p} = {chosen};");
}

/// Multiplier: a rounded product and an addend. A bit below both numbers creates an adder's carry.
pub(super) fn multiplier(out: &mut String, circuit: &Circuit, control: &Control, u: usize) {
    let bits = circuit.format.bits as usize;
    let (w, w2) = (bits - 1, 2 * bits - 1);
    let [a, b, c] = [0, 1, 2].map(|operand| port(u, operand));
    let minus = field(control, &format!("minus{u}"));
    let ties = field(control, &format!("ties{u}"));
    let minus_c = field(control, &format!("minusc{u}"));
    let shifts = shifts(circuit, u);
    let ties = if has(control, &format!("ties{u}")) { ties } else { "1'b0".into() };
    let minus = if has(control, &format!("minus{u}")) { minus } else { "1'b0".into() };
    let minus_c = if has(control, &format!("minusc{u}")) { minus_c } else { "1'b0".into() };
    // Half a step, or just below it if ties go downwards.
    let half = |shift: u32| {
        let shift = shift as usize;
        let below = if shift > 1 { format!(", {{{}{{{ties}}}}}", shift - 1) } else { String::new() };
        format!("{{{}'d0, !{ties}{below}}}", 2 * bits - shift)
    };
    let choose = |of: &dyn Fn(u32) -> String| {
        let mut text = String::new();
        for (k, shift) in shifts.iter().enumerate().take(shifts.len().saturating_sub(1)) {
            let field = field(control, &format!("shift{u}"));
            let _ = write!(text, "{field} == {}'d{k} ? {} : ", width(shifts.len()), of(*shift));
        }
        text + &of(*shifts.last().unwrap_or(&1))
    };
    // A product that drops more than half of its bits has too few left for a number.
    let rounded = choose(&|shift| match (shift as usize + bits).checked_sub(2 * bits) {
        Some(missing @ 1..) => {
            format!("{{{{{missing}{{s{u}[{}]}}}}, s{u}[{}:{}]}}", 2 * bits, 2 * bits, shift + 1)
        }
        _ => format!("s{u}[{}:{}]", shift as usize + bits, shift + 1),
    });
    let _ = writeln!(
        out,
        "  reg signed [{w2}:0] p{u};\n  always @(posedge clk) if (step) p{u} <= x{a} * x{b};\n\
        \x20 wire [{w2}:0] h{u} = {half};\n\
        \x20 wire [{top}:0] s{u} = {{p{u} ^ {{{n2}{{{minus}}}}}, 1'b1}} + {{h{u}, {minus}}};\n\
        \x20 wire [{w}:0] r{u} = {rounded};",
        half = choose(&half),
        n2 = w2 + 1,
        top = w2 + 1,
    );
    let addend = if has(control, &format!("pass{u}")) {
        let pass = field(control, &format!("pass{u}"));
        let _ = writeln!(out, "  reg [{w}:0] l{u};\n  always @(posedge clk) if (step) l{u} <= y{u};");
        format!("({pass} ? l{u} : x{c})")
    } else {
        format!("x{c}")
    };
    let _ = writeln!(
        out,
        "  wire [{w}:0] y{u};\n  wire [{bits}:0] z{u} = {{r{u}, 1'b1}} + {{{addend} ^ {{{bits}{{{minus_c}}}}}, {minus_c}}};\n\
        \x20 assign y{u} = z{u}[{bits}:1];",
    );
}

pub(super) fn adder(out: &mut String, circuit: &Circuit, control: &Control, u: usize) {
    let bits = circuit.format.bits as usize;
    let w = bits - 1;
    let (a, b) = (port(u, 0), port(u, 1));
    let minus = field(control, &format!("minus{u}"));
    if works(circuit, u).any(|(_, work)| matches!(work, Work::Fold(_))) {
        let fold = field(control, &format!("fold{u}"));
        let _ = writeln!(
            out,
            "  // Beyond a quarter turn it is half a turn less that.\n\
            \x20 wire f{u} = {fold} && (x{a}[{w}] ^ x{a}[{v}]);\n\
            \x20 wire [{bits}:0] z{u} = {{x{a} ^ {{{bits}{{f{u}}}}}, 1'b1}} + \
             {{(x{b} ^ {{{bits}{{{minus}}}}}) & {{{bits}{{!{fold}}}}}, {minus} || f{u}}};\n\
            \x20 wire [{w}:0] y{u} = {{z{u}[{bits}] ^ f{u}, z{u}[{w}:1]}};",
            v = w - 1,
        );
    } else {
        let _ = writeln!(
            out,
            "  wire [{bits}:0] z{u} = {{x{a}, 1'b1}} + {{x{b} ^ {{{bits}{{{minus}}}}}, {minus}}};\n\
            \x20 wire [{w}:0] y{u} = z{u}[{bits}:1];"
        );
    }
}

/// Divider: it finds several bits of a quotient a cycle, from the first on, then applies sign and bounds.
pub(super) fn divider(out: &mut String, circuit: &Circuit, control: &Control, u: usize) {
    let bits = circuit.format.bits as usize;
    let (w, a) = (bits - 1, port(u, 0));
    let steps = division_steps(circuit.micro.exponent, circuit.format.bits);
    let n = (steps * BITS_A_CYCLE) as usize;
    let known = exponents(circuit);
    let numerator = |e: &u32| format!("{n}'h{:x}", 1_u64 << e);
    let mut chosen = String::new();
    for (k, e) in known.iter().enumerate().take(known.len() - 1) {
        let field = field(control, &format!("exponent{u}"));
        let _ = write!(chosen, "{field} == {}'d{k} ? {} : ", width(known.len()), numerator(e));
    }
    chosen += &numerator(known.last().expect("a divider has something to divide"));
    let load = field(control, &format!("load{u}"));
    let _ = writeln!(
        out,
        "  reg [{w}:0] d{u}, e{u};\n  reg [{top}:0] n{u}_q;\n  reg minus{u};\n\
        \x20 wire [{w}:0] size{u} = x{a}[{w}] ? -x{a} : x{a};",
        top = n - 1,
    );
    let mut rest = format!("e{u}");
    for k in 0..BITS_A_CYCLE as usize {
        let _ = writeln!(
            out,
            "  wire [{bits}:0] w{u}_{k} = {{{rest}, n{u}_q[{bit}]}};\n  wire b{u}_{k} = w{u}_{k} >= {{1'b0, d{u}}};\n\
            \x20 wire [{bits}:0] e{u}_{k} = b{u}_{k} ? w{u}_{k} - {{1'b0, d{u}}} : w{u}_{k};",
            bit = n - 1 - k,
        );
        rest = format!("e{u}_{k}[{w}:0]");
    }
    let found: Vec<String> = (0..BITS_A_CYCLE).map(|k| format!("b{u}_{k}")).collect();
    let _ = writeln!(
        out,
        "  always @(posedge clk) if (step) begin\n\
        \x20   if ({load}) begin\n      d{u} <= size{u};\n      e{u} <= {bits}'d0;\n      minus{u} <= x{a}[{w}];\n\
        \x20     n{u}_q <= ({chosen}) + (size{u} >> 1);\n\
        \x20   end else begin\n      e{u} <= {rest};\n      n{u}_q <= {{n{u}_q[{left}:0], {found}}};\n    end\n  end\n\
        \x20 wire beyond{u} = |n{u}_q[{top}:{w}];\n\
        \x20 wire [{w}:0] y{u} = beyond{u} ? {{minus{u}, {{{w}{{!minus{u}}}}}}} : \
         minus{u} ? -n{u}_q[{w}:0] : n{u}_q[{w}:0];",
        left = n - 1 - BITS_A_CYCLE as usize,
        top = n - 1,
        found = found.join(", "),
    );
}
