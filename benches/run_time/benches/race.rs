//! Compiled Rust beside `rbd-jit`, in one run: ns a state, and ratios.
//!
//!     cargo bench --manifest-path benches/run_time/Cargo.toml [--features g1] [-- NAME ..]
//!
//! A name is that of a robot or a function, `single` or `batch`: nothing else is raced then. Sides take turns
//! of 64 states, and the least time of many turns counts: what else runs on a machine makes times longer, and
//! never shorter.

use rbd_jit::{Base, Engine, Function, Id, Loaded, Options, Robot};
use rbd_runtime::random::{State, random_state};
use run_time_bench::{Compiled, FUNCTIONS, ROBOTS, Run};
use std::hint::black_box;
use std::time::{Duration, Instant};

const STATES: usize = 64;

/// A call a state, and one call for all states.
const KINDS: [&str; 2] = ["single", "batch"];

fn main() {
    let names: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with("--")).collect();
    let is_chosen = |name: &str, all: &[&str]| {
        let mut some = names.iter().filter(|n| all.contains(&n.as_str())).peekable();
        some.peek().is_none() || some.any(|n| n == name)
    };
    let names_of_robots: Vec<&str> = ROBOTS.iter().map(|robot| robot.name).collect();
    let is_there = |engine: &Engine| engine.is_there();
    let engines: Vec<Engine> =
        [Engine::Avx512, Engine::Avx2, Engine::Neon].into_iter().filter(is_there).collect();
    let mut ratios = vec![Vec::new(); KINDS.len() * engines.len()];
    for compiled in ROBOTS.iter().filter(|r| is_chosen(r.name, &names_of_robots)) {
        let robots = load(compiled, &engines);
        for (k, kind) in KINDS.iter().enumerate().filter(|(_, kind)| is_chosen(kind, &KINDS)) {
            let headers = [&["compiled"][..], &["one by one", "`batch::map`"]][k];
            let engines = engines.iter().map(|e| format!("{e:?}, ratio"));
            let headers: Vec<String> = headers.iter().map(|h| (*h).into()).chain(engines).collect();
            println!("\n| {}, {kind}, ns a state | {} |", compiled.name, headers.join(" | "));
            println!("|---|{}", "---:|".repeat(headers.len()));
            for name in FUNCTIONS.into_iter().filter(|name| is_chosen(name, &FUNCTIONS)) {
                let (theirs, ours) = race(compiled, &robots, name, *kind == "batch");
                let best = theirs.iter().copied().fold(f64::INFINITY, f64::min);
                let theirs: String = theirs.iter().map(|ns| format!(" {ns:.0} |")).collect();
                let with_ratio: String =
                    ours.iter().map(|ns| format!(" {ns:.0}, {:.2} |", ns / best)).collect();
                println!("| `{name}` |{theirs}{with_ratio}");
                for (e, ns) in ours.iter().enumerate() {
                    ratios[k * ours.len() + e].push(ns / best);
                }
            }
        }
    }
    println!();
    for (k, ratios) in ratios.iter().enumerate().filter(|(_, ratios)| !ratios.is_empty()) {
        let mean = (ratios.iter().map(|ratio| ratio.ln()).sum::<f64>() / ratios.len() as f64).exp();
        let largest = ratios.iter().copied().fold(0.0, f64::max);
        let (kind, engine) = (KINDS[k / engines.len()], engines[k % engines.len()]);
        println!("{kind}, {engine:?}: geometric mean {mean:.3}, largest {largest:.2}");
    }
}

/// The robot with each engine.
fn load(compiled: &Compiled, engines: &[Engine]) -> Vec<Loaded> {
    let urdf = format!("{}/../../robots/{}", env!("CARGO_MANIFEST_DIR"), compiled.urdf);
    let base = if compiled.is_floating { Base::Floating } else { Base::Fixed };
    let ids = FUNCTIONS.map(|name| Id::from_name(name).expect("a function of the table"));
    let robot = Robot::from_urdf(urdf).base(base).functions(ids);
    let with = |engine: &Engine| {
        let options = Options { engine: Some(*engine), ..Options::default() };
        robot.clone().load_with(options).expect("it loads")
    };
    engines.iter().map(with).collect()
}

/// The least times of the compiled sides, and of each engine.
fn race(compiled: &Compiled, robots: &[Loaded], name: &str, is_batch: bool) -> (Vec<f64>, Vec<f64>) {
    let states: Vec<State> = (0..STATES as u64).map(|k| random_state(robots[0].model(), k)).collect();
    let rows = |of: fn(&State) -> &[f64]| -> Vec<f64> { states.iter().flat_map(of).copied().collect() };
    let [q, v, a] = [rows(|s| s.q.as_slice()), rows(|s| s.v.as_slice()), rows(|s| s.a.as_slice())];
    let weights = v.clone();
    let states = [q, v, a, weights];
    let [single, one_by_one, lanes] = compiled.runs(&states, name);
    let mut sides: Vec<Run<'_>> = if is_batch { vec![one_by_one, lanes] } else { vec![single] };
    let theirs = sides.len();
    for robot in robots {
        let function = robot.function(name).expect("it was loaded");
        let run = if is_batch { batch(robot, function, &states) } else { calls(robot, function, &states) };
        sides.push(run);
    }
    let mut least = vec![f64::INFINITY; sides.len()];
    let begin = Instant::now();
    while begin.elapsed() < Duration::from_millis(1200) {
        for (run, least) in sides.iter_mut().zip(&mut least) {
            // Once for the caches.
            run();
            let now = Instant::now();
            run();
            *least = least.min(now.elapsed().as_nanos() as f64 / STATES as f64);
        }
    }
    let ours = least.split_off(theirs);
    (least, ours)
}

/// What a function's arguments are of, and how many numbers they have for a state.
fn inputs<'s>(function: &Function, states: &'s [Vec<f64>; 4]) -> Vec<(&'s [f64], usize)> {
    function.inputs().iter().zip(states).map(|(a, numbers)| (&numbers[..], a.length)).collect()
}

fn calls<'r>(robot: &'r Loaded, function: &'r Function, states: &'r [Vec<f64>; 4]) -> Run<'r> {
    let inputs = inputs(function, states);
    let mut workspace = robot.workspace().leaving_zeros();
    let mut results: Vec<Vec<f64>> = function.outputs().iter().map(|a| vec![0.0; a.length]).collect();
    let of_state = |k: usize| inputs.iter().map(move |(numbers, each)| &numbers[k * each..][..*each]);
    let states: Vec<Vec<&[f64]>> = (0..STATES).map(|k| of_state(k).collect()).collect();
    Box::new(move || {
        let mut outputs: Vec<&mut [f64]> = results.iter_mut().map(Vec::as_mut_slice).collect();
        for given in &states {
            let called = function.call(&mut workspace, black_box(given), black_box(&mut outputs));
            called.expect("arguments fit");
        }
    })
}

fn batch<'r>(robot: &'r Loaded, function: &'r Function, states: &'r [Vec<f64>; 4]) -> Run<'r> {
    let inputs: Vec<&[f64]> = inputs(function, states).into_iter().map(|(numbers, _)| numbers).collect();
    let lengths = function.outputs().iter().map(|a| a.length * STATES);
    let mut results: Vec<Vec<f64>> = lengths.map(|length| vec![0.0; length]).collect();
    Box::new(move || {
        let mut outputs: Vec<&mut [f64]> = results.iter_mut().map(Vec::as_mut_slice).collect();
        robot
            .batch()
            .leaving_zeros()
            .call(function, black_box(&inputs), black_box(&mut outputs))
            .expect("arguments fit");
    })
}
