//! What loading a robot costs, and what its functions take:
//!
//!     cargo run --profile wheel -p rbd-jit --example times -- robots/hyq.urdf floating
//!
//! The profile optimises the generator, which that of releases does not here.

use rbd_jit::{Base, Cache, Error, Id, Loaded, Options, Robot};
use std::hint::black_box;
use std::time::{Duration, Instant};

fn main() -> Result<(), Error> {
    let mut arguments = std::env::args().skip(1);
    let urdf = arguments.next().unwrap_or_else(|| "robots/iiwa14.urdf".into());
    let base = if arguments.any(|word| word == "floating") { Base::Floating } else { Base::Fixed };
    let functions = [Id::Rnea, Id::Aba, Id::Crba, Id::Minv, Id::RneaDerivatives, Id::AbaDerivatives];
    let asked = Robot::from_urdf(&urdf).base(base).functions(functions);
    let load = |options: Options| {
        let begin = Instant::now();
        asked.clone().load_with(options).map(|robot| (robot, begin.elapsed()))
    };
    let (robot, anew) = load(Options { check: false, ..Options::default() })?;
    let (_, checked) = load(Options::default())?;
    let folder = std::env::temp_dir().join(format!("rbd-times-{}", std::process::id()));
    let kept = || Options { check: false, cache: Cache::in_folder(&folder), ..Options::default() };
    load(kept())?;
    let again = load(kept()).map(|(_, took)| took);
    let _ = std::fs::remove_dir_all(&folder);
    println!("{urdf}: {} degrees of freedom, {}", robot.nv(), robot.engine());
    println!(
        "loaded in {anew:.1?}, from the cache in {:.1?}; {checked:.1?} if it is compared with the reference\n",
        again?
    );
    println!("| function | bytes | ns a call | ns a state, in a batch |\n|---|---:|---:|---:|");
    for function in robot.functions() {
        let (one, batch) = (time(&robot, function, 1), time(&robot, function, 256));
        println!("| `{}` | {} | {one:.0} | {batch:.0} |", function.name(), function.bytes());
    }
    for (name, why) in robot.left_out() {
        println!("`{name}`: {why}");
    }
    Ok(())
}

/// The least time of a state, ns, over a fifth of a second.
fn time(robot: &Loaded, function: &rbd_jit::Function, states: usize) -> f64 {
    let all: Vec<_> =
        (0..states as u64).map(|k| rbd_runtime::random::random_state(robot.model(), k)).collect();
    let argument = |name: &str| -> Vec<f64> {
        let of = |state: &rbd_runtime::random::State| match name {
            "q" => state.q.as_slice().to_vec(),
            "v" => state.v.as_slice().to_vec(),
            "a" => state.a.as_slice().to_vec(),
            _ => state.tau.as_slice().to_vec(),
        };
        all.iter().flat_map(of).collect()
    };
    let inputs: Vec<Vec<f64>> = function.inputs().iter().map(|a| argument(a.name)).collect();
    let inputs: Vec<&[f64]> = inputs.iter().map(Vec::as_slice).collect();
    let mut results: Vec<Vec<f64>> =
        function.outputs().iter().map(|o| vec![0.0; o.length * states]).collect();
    let mut outputs: Vec<&mut [f64]> = results.iter_mut().map(Vec::as_mut_slice).collect();
    let mut workspace = robot.workspace();
    let repeat = if states == 1 { 200 } else { 1 };
    let (begin, mut least) = (Instant::now(), f64::INFINITY);
    while begin.elapsed() < Duration::from_millis(200) {
        let now = Instant::now();
        for _ in 0..repeat {
            if states == 1 {
                function
                    .call(&mut workspace, black_box(&inputs), black_box(&mut outputs))
                    .expect("arguments fit");
            } else {
                robot
                    .batch()
                    .call(function, black_box(&inputs), black_box(&mut outputs))
                    .expect("arguments fit");
            }
        }
        least = least.min(now.elapsed().as_nanos() as f64 / (repeat * states) as f64);
    }
    least
}
