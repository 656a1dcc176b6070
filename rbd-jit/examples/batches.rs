//! Times batches for `benches/peers/batches.py`, which says when: one line of its input is one turn.
//!
//! Arguments: a URDF, `fixed` or `floating`, `float64` or `float32`, and a folder with the states: files `q`,
//! `v` and `a` of such numbers. A line has a function, a number of states, a number of threads and
//! repetitions. The answer is the least time of a repetition, ns. The results of the last one are files in
//! the folder, by names.

use rbd_jit::{Base, Function, Loaded, Number, Robot};
use std::io::{BufRead, Write};
use std::path::Path;
use std::time::Instant;

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let given: Vec<String> = std::env::args().skip(1).collect();
    let [urdf, base, dtype, folder] = &given[..] else {
        return Err("a URDF, a base, a type of numbers and a folder".into());
    };
    let base = if base == "floating" { Base::Floating } else { Base::Fixed };
    let robot = Robot::from_urdf(urdf).base(base).functions(["dynamics"]);
    match &dtype[..] {
        "float32" => answer(&robot.load_f32()?, Path::new(folder), f32::from_le_bytes, f32::to_le_bytes),
        _ => answer(&robot.load()?, Path::new(folder), f64::from_le_bytes, f64::to_le_bytes),
    }
}

/// Answers each line.
fn answer<T: Number, const BYTES: usize>(
    robot: &Loaded<T>,
    folder: &Path,
    read: impl Fn([u8; BYTES]) -> T,
    write: impl Fn(T) -> [u8; BYTES],
) -> Result<(), Failure> {
    let numbers = |name: &str| -> Result<Vec<T>, Failure> {
        let bytes = std::fs::read(folder.join(name))?;
        Ok(bytes.as_chunks::<BYTES>().0.iter().map(|x| read(*x)).collect())
    };
    let states = [numbers("q")?, numbers("v")?, numbers("a")?];
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let words: Vec<&str> = line.split_whitespace().collect();
        let [name, count, threads, times] = words[..] else {
            return Err("a function, states, threads, repetitions".into());
        };
        let (function, count, threads) = (robot.function(name)?, count.parse()?, threads.parse()?);
        let (least, results) = turn(robot, function, &states, (count, threads, times.parse()?))?;
        for (output, numbers) in function.outputs().iter().zip(&results) {
            let bytes: Vec<u8> = numbers.iter().flat_map(|x| write(*x)).collect();
            std::fs::write(folder.join(output.name), bytes)?;
        }
        println!("{least}");
        std::io::stdout().flush()?;
    }
    Ok(())
}

/// The least time of some repetitions, ns, and the results.
fn turn<T: Number>(
    robot: &Loaded<T>,
    function: &Function<T>,
    states: &[Vec<T>; 3],
    (count, threads, times): (usize, usize, usize),
) -> Result<(u128, Vec<Vec<T>>), Failure> {
    let each = function.inputs().iter().zip(states);
    let inputs: Vec<&[T]> = each.map(|(input, numbers)| &numbers[..input.length * count]).collect();
    let mut results: Vec<Vec<T>> =
        function.outputs().iter().map(|output| vec![T::zero(); output.length * count]).collect();
    let mut outputs: Vec<&mut [T]> = results.iter_mut().map(Vec::as_mut_slice).collect();
    let batch = robot.batch().threads(threads);
    // Once for the caches, and for the code.
    batch.call(function, &inputs, &mut outputs)?;
    let mut least = u128::MAX;
    for _ in 0..times {
        let begin = Instant::now();
        batch.call(function, &inputs, &mut outputs)?;
        least = least.min(begin.elapsed().as_nanos());
    }
    Ok((least, results))
}
