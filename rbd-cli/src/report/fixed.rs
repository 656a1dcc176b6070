//! Cost and loss of fixed point, function by function.

use crate::output;
use crate::output::Error;
use rbd_build::Generated;
use rbd_runtime::Model;
use rbd_verilog::precision::Error as Loss;
use rbd_verilog::straight::Element;
use rbd_verilog::{Format, Limits, Precision, Straight};
use std::fmt::Write;

/// Random states that are tried.
const STATES: u64 = 300;
/// Largest number of joints that are named; for more, the text says "all".
const NAMED: usize = 3;

/// The table, and messages about functions that do not fit.
pub fn write(generated: &Generated, format: Format, limits: Limits) -> Result<(), Error> {
    let model = &generated.model;
    let before = format.bits - format.frac;
    let mut table = output::table([
        "function",
        "bits before the point",
        "bound",
        "result",
        "largest",
        "worst error",
        "at joint",
    ]);
    let mut notes = String::new();
    // Loops of the runtime have no kernel to examine.
    for plan in generated.functions.iter().filter(|plan| !plan.function.is_second_order()) {
        let name = plan.function.name();
        let precision = Precision::new(&Straight::of(plan), model, format, limits, STATES);
        let fits = precision.fits(format);
        let bound = precision.by_intervals.map_or("none".into(), |bits| bits.to_string());
        let shown = precision.errors_by_value.as_ref().unwrap_or(&precision.errors);
        for (k, loss) in shown.iter().enumerate() {
            let first = |text: String| if k == 0 { text } else { String::new() };
            table.add_row([
                first(format!("{name}{}", if fits { "" } else { " *" })),
                first(precision.by_states.to_string()),
                first(bound.clone()),
                loss.name.into(),
                format!("{:.3e}", loss.largest),
                format!("{:.1e}", loss.worst),
                joint(model, loss),
            ]);
        }
        if !fits {
            let (largest, from) = &precision.largest;
            let _ = writeln!(
                notes,
                "* {name} does not fit {format}: a value reaches {largest:.3e} ({}), {} bits before the point where there \
                 are {before}. Its errors above are with a format for each value, {} bits in all.",
                depends(model, from),
                precision.by_states,
                format.bits,
            );
        }
    }
    let text = format!(
        "{format} within {limits}: {STATES} random states; errors against f64, inputs rounded too\n\
         bits: what random states need, sign included; bound: what intervals give as enough for every state\n\n\
         {table}\n{notes}"
    );
    output::print(&text.lines().map(|line| format!("{}\n", line.trim_end())).collect::<String>())
}

fn joint(model: &Model<f64>, loss: &Loss) -> String {
    let body = model.bodies.iter().find(|b| (b.idx_v..b.idx_v + b.kind.nv()).contains(&loss.row));
    body.map_or(String::new(), |body| body.joint.escape_debug().to_string())
}

/// Joints whose state a value depends on.
fn depends(model: &Model<f64>, elements: &[Element]) -> String {
    let mut joints: Vec<String> = Vec::new();
    for body in &model.bodies {
        let is_its = |e: &&Element| {
            let (first, n) =
                if e.name == "q" { (body.idx_q, body.kind.nq()) } else { (body.idx_v, body.kind.nv()) };
            e.name != "fext" && (first..first + n).contains(&e.index)
        };
        if elements.iter().any(|e| is_its(&e)) {
            joints.push(body.joint.escape_debug().to_string());
        }
    }
    match joints.len() {
        0 => "of no joint's state".into(),
        n if n == model.bodies.len() && n > NAMED => "of the state of every joint".into(),
        n if n > NAMED => format!("of the state of {n} joints, {} to {}", joints[0], joints[n - 1]),
        _ => format!("of the state of {}", joints.join(", ")),
    }
}
