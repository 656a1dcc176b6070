//! Operations (+ - * /) of every formulation of every function, on the robot's own frames and
//! inertias and on each rewriting of them. The generator keeps the cheapest; this program shows the
//! gain of each step. It then shows the gain of each graph rule: operations without the rule, and
//! instructions once products are fused.
//!
//!     cargo run --release -p rbd-build --example formulations -- robots/iiwa14.urdf [floating]

use rbd_build::Function;
use rbd_build::graph::Rule;
use rbd_build::options::{Base, ReadOptions};
use rbd_build::tree::{BodyForm, Moment, Origin, Rewrite, Spin, Tree};
use std::error::Error;

const SHOWN: [&str; 6] = ["rnea", "crba", "aba", "minv", "rnea_derivatives", "aba_derivatives"];

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let path = arguments.first().ok_or("which URDF? give its path")?;
    let base = match arguments.get(1).map(String::as_str) {
        None => Base::Fixed,
        Some("floating") => Base::Floating,
        Some(other) => return Err(format!("`{other}` is no base: leave it out, or write `floating`").into()),
    };
    let options = ReadOptions { base, ..Default::default() };
    let model = rbd_build::urdf::read_file(path, &options).map_err(|findings| findings.to_string())?.model;

    let shares =
        [("none", None), ("Jyy", Some(Spin::Yy)), ("Jxx", Some(Spin::Xx)), ("Jz", Some(Spin::AlongZ))];
    let moments = [("Euler", Moment::Euler), ("second", Moment::SecondMoments), ("entries", Moment::Entries)];
    let rewrite = |realign, share, moment| {
        Tree::new(
            &model,
            Rewrite::uniform(&model, realign, BodyForm { share, moment, origin: Origin::AtChild }),
        )
    };
    let mut trees = Vec::new();
    for (realign, share, s) in
        std::iter::once((false, "as read", None)).chain(shares.map(|(share, s)| (true, share, s)))
    {
        let each = moments.iter().map(|(moment, m)| (format!("{share}, {moment}"), rewrite(realign, s, *m)));
        trees.extend(each);
    }
    print!("{:46}", "");
    trees.iter().for_each(|(name, _)| print!("{name:>18}"));
    println!();
    for function in Function::ALL.into_iter().filter(|f| SHOWN.contains(&f.name())) {
        // By rewriting, then by formulation.
        let traced = trees.iter().map(|(_, tree)| function.trace_all(tree)).collect::<Vec<_>>();
        for k in 0..traced[0].len() {
            print!("{:17}{:29}", if k == 0 { function.name() } else { "" }, traced[0][k].strategy);
            traced.iter().for_each(|one| print!("{:>18}", one[k].count().total()));
            println!();
        }
    }
    rules(&rewrite(true, Some(Spin::Yy), Moment::Euler));
    Ok(())
}

/// Each function in its first formulation, with all rules and without each one.
fn rules(tree: &Tree) {
    print!("\n{:17}{:>16}", "left out:", "nothing");
    Rule::ALL.iter().for_each(|rule| print!("{:>16}", format!("{rule}")));
    println!();
    for function in Function::ALL.into_iter().filter(|f| SHOWN.contains(&f.name())) {
        print!("{:17}", function.name());
        let all = function.trace_all(tree);
        let without = Rule::ALL.into_iter().map(|rule| function.trace_all_without(tree, rule));
        for traced in std::iter::once(all).chain(without) {
            let traced = &traced[0];
            print!("{:>16}", format!("{} / {}", traced.count().total(), traced.fused()));
        }
        println!();
    }
}
