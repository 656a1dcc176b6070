//! Loads a robot and calls each of its functions once, alone and in a batch:
//! `cargo run -p rbd-jit --example each -- robots/hyq.urdf floating`. `tests/run_time/valgrind.sh` runs it
//! under Valgrind.

use rbd_jit::{Base, Error, Robot};

fn main() -> Result<(), Error> {
    let mut arguments = std::env::args().skip(1);
    let urdf = arguments.next().unwrap_or_else(|| "robots/double_pendulum.urdf".into());
    let base = if arguments.any(|word| word == "floating") { Base::Floating } else { Base::Fixed };
    let fused = "Step: ddq, m, com".parse().expect("a list of quantities");
    let builder = Robot::from_urdf(&urdf).base(base).fused(fused);
    let robot = builder.load()?;
    let sample = robot.sample(3).expect("a robot that moves");
    let mut workspace = robot.workspace();
    for function in robot.functions() {
        for states in [1, 11] {
            let inputs = sample.arguments(function);
            let inputs: Vec<Vec<f64>> = inputs.iter().map(|input| input.repeat(states)).collect();
            let inputs: Vec<&[f64]> = inputs.iter().map(Vec::as_slice).collect();
            let mut results: Vec<Vec<f64>> =
                function.outputs().iter().map(|output| vec![f64::NAN; output.length * states]).collect();
            let mut outputs: Vec<&mut [f64]> = results.iter_mut().map(Vec::as_mut_slice).collect();
            if states == 1 {
                function.call(&mut workspace, &inputs, &mut outputs)?;
            } else {
                robot.batch().call(function, &inputs, &mut outputs)?;
            }
            // Each number is looked at, so that one that was never written is seen.
            let all = results.iter().flatten().all(|x| x.is_finite());
            assert!(all, "{} of {states} states", function.name());
        }
    }
    println!("{urdf}: {} functions, by {}", robot.functions().len(), robot.engine());
    Ok(())
}
