//! Recorded cost of each function, so that regressions show.
//!
//! Lower costs never fail: the test reports them, and `cargo xtask bless` records them.

use crate::bless::{blessing, recorded, root};
use rbd_build::plan::Plan;
use rbd_build::{Base, Function, Robot};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Robots that between them have every feature and size; the largest would take too long to trace
/// unoptimised.
const ROBOTS: [(&str, Base); 10] = [
    ("double_pendulum", Base::Fixed),
    ("ur5", Base::Fixed),
    ("iiwa14", Base::Fixed),
    ("panda", Base::Fixed),
    ("kinova", Base::Fixed),
    ("allegro_hand", Base::Fixed),
    ("solo12", Base::Floating),
    ("hyq", Base::Floating),
    ("go2", Base::Floating),
    ("anymal_c", Base::Floating),
];

const COLUMNS: [&str; 6] = ["adds", "muls", "divs", "angles", "instructions", "bytes"];
/// Columns whose sum must not grow. Operations may move between them.
const HEADER: &str = "\
# What a call of each generated function costs: additions, multiplications and divisions before fusing, angles
# whose sine and cosine are taken, instructions once products are fused with sums, bytes of generated Rust.
# Loops after the straight line (products with M^-1) are in adds and muls. `cargo xtask bless`
# writes this file; the test fails where instructions, loops included, divisions or bytes grow.
";

type Costs = BTreeMap<String, (String, [usize; 6])>;

/// `robot base function` by its formulation and figures.
fn now() -> Costs {
    let mut costs = Costs::new();
    for (name, base) in ROBOTS {
        let robot = Robot::from_urdf(root().join(format!("robots/{name}.urdf"))).base(base);
        let generated = robot.trace().unwrap();
        let mut only = generated.clone();
        let mut bytes = |functions: Vec<Plan>| {
            only.functions = functions;
            let module = only.module();
            module.body.len() + module.kernels.len()
        };
        let tables = bytes(Vec::new());
        for traced in generated.functions.iter().filter(|f| !f.function.is_second_order()) {
            let count = traced.count();
            let base = if base == Base::Floating { "floating" } else { "fixed" };
            let key = format!("{name} {base} {}", traced.function.name());
            let figures = [
                count.adds,
                count.muls,
                count.divs,
                count.sin_cos,
                traced.fused(),
                bytes(vec![traced.clone()]) - tables,
            ];
            costs.insert(key, (traced.strategy.to_string(), figures));
        }
    }
    costs
}

fn text(costs: &Costs) -> String {
    let mut text = HEADER.to_string();
    let _ = write!(text, "{:44}", "# robot base function");
    COLUMNS.iter().for_each(|c| write!(text, "{c:>13}").unwrap());
    text.push_str("  formulation\n");
    for (name, base) in ROBOTS {
        let base = if base == Base::Floating { "floating" } else { "fixed" };
        for function in Function::default_ones().filter(|f| !f.is_second_order()) {
            let key = format!("{name} {base} {}", function.name());
            let (formulation, figures) = &costs[&key];
            let _ = write!(text, "{key:44}");
            figures.iter().for_each(|x| write!(text, "{x:13}").unwrap());
            let _ = writeln!(text, "  {formulation}");
        }
    }
    text
}

fn read() -> Costs {
    let text = std::fs::read_to_string(recorded("costs.txt")).unwrap_or_default();
    let lines = text.lines().filter(|l| !l.starts_with('#'));
    lines
        .map(|line| {
            let words: Vec<&str> = line.split_whitespace().collect();
            let figures = std::array::from_fn(|k| words[3 + k].parse().unwrap());
            (words[..3].join(" "), (words[9..].join(" "), figures))
        })
        .collect()
}

#[test]
fn no_function_costs_more() {
    let now = now();
    if blessing() {
        std::fs::write(recorded("costs.txt"), text(&now)).unwrap();
        return;
    }
    let recorded = read();
    let (mut costlier, mut cheaper) = (String::new(), 0);
    for (key, (formulation, figures)) in &now {
        let Some((_, known)) = recorded.get(key) else {
            let _ = writeln!(costlier, "{key} is not recorded");
            continue;
        };
        for k in [2, 4, 5] {
            let (then, now) = (known[k], figures[k]);
            if now > then {
                let percent = 100.0 * (now - then) as f64 / then.max(1) as f64;
                let _ = writeln!(
                    costlier,
                    "{key} ({formulation}): {} {then} -> {now} (+{percent:.1} %)",
                    COLUMNS[k]
                );
            } else if now < then {
                cheaper += 1;
            }
        }
    }
    if cheaper > 0 {
        println!("{cheaper} figures became smaller: `cargo xtask bless` records them");
    }
    for key in recorded.keys().filter(|k| !now.contains_key(*k)) {
        let _ = writeln!(costlier, "{key} is recorded, and is no more");
    }
    assert!(costlier.is_empty(), "{costlier}If it is meant, `cargo xtask bless` records it.");
}
