//! One side of the race: a process that reads commands from its standard input.
//!
//!     time ROBOT FUNCTION PASSES          prints nanoseconds a pass over all states
//!     values ROBOT FUNCTION FILE          writes the results of all states, f64, matrices by columns
//!
//! A function that the side does not have is answered with `none`. The states are in
//! `FOLDER/ROBOT.states`.

pub mod contacts;
pub mod jobs;
pub mod values;

use nalgebra::{SMatrix, SVector};
use std::collections::HashMap;
use std::hint::black_box;
use std::io::{BufRead, Write};
use std::path::Path;
use std::rc::Rc;
use std::time::Instant;

/// One state of a robot, with the acceleration of its inverse and the torque of its forward dynamics.
pub struct State<const NQ: usize, const NV: usize> {
    pub q: SVector<f64, NQ>,
    pub v: SVector<f64, NV>,
    pub a: SVector<f64, NV>,
    pub tau: SVector<f64, NV>,
}

/// The numbers of a states file: nq, nv, how many states, and then q, v, a, tau of each.
pub struct States {
    pub nq: usize,
    pub nv: usize,
    pub rows: Vec<Vec<f64>>,
}

impl States {
    pub fn read(path: &Path) -> Self {
        let bytes = std::fs::read(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let numbers: Vec<f64> = bytes.as_chunks().0.iter().map(|x| f64::from_le_bytes(*x)).collect();
        let (nq, nv) = (numbers[0] as usize, numbers[1] as usize);
        let rows: Vec<_> = numbers[3..].chunks(nq + 3 * nv).map(<[f64]>::to_vec).collect();
        assert_eq!(rows.len(), numbers[2] as usize);
        Self { nq, nv, rows }
    }

    /// The states as vectors of fixed size.
    pub fn fixed<const NQ: usize, const NV: usize>(&self) -> Rc<[State<NQ, NV>]> {
        assert_eq!((self.nq, self.nv), (NQ, NV));
        let state = |x: &Vec<f64>| State {
            q: SVector::from_column_slice(&x[..NQ]),
            v: SVector::from_column_slice(&x[NQ..][..NV]),
            a: SVector::from_column_slice(&x[NQ + NV..][..NV]),
            tau: SVector::from_column_slice(&x[NQ + 2 * NV..]),
        };
        self.rows.iter().map(state).collect()
    }
}

/// One function of one robot over all states.
pub struct Job {
    pass: Box<dyn FnMut()>,
    values: Box<dyn FnMut() -> Vec<f64>>,
}

impl Job {
    /// `call` writes one result; `flat` appends it to a list. The optimiser cannot see through the
    /// result between the two.
    pub fn new<S: 'static, O: 'static>(
        states: Rc<[S]>,
        make: impl Fn() -> Box<O> + 'static,
        call: impl Fn(&S, &mut O) + Clone + 'static,
        flat: impl Fn(&O, &mut Vec<f64>) + 'static,
    ) -> Self {
        let mut out = make();
        let (again, the_same) = (states.clone(), call.clone());
        let pass = move || {
            for state in states.iter() {
                call(black_box(state), black_box(&mut out));
            }
        };
        let values = move || {
            let mut all = Vec::new();
            for state in again.iter() {
                let mut out = make();
                the_same(state, &mut out);
                flat(&out, &mut all);
            }
            all
        };
        Self { pass: Box::new(pass), values: Box::new(values) }
    }

    pub fn vector<S: 'static, const N: usize>(
        states: &Rc<[S]>,
        call: impl Fn(&S) -> SVector<f64, N> + Clone + 'static,
    ) -> Self {
        let run = move |s: &S, out: &mut SVector<f64, N>| *out = call(s);
        Self::new(states.clone(), || Box::new(SVector::zeros()), run, |x, all| all.extend(x.iter()))
    }

    pub fn matrix<S: 'static, const N: usize>(
        states: &Rc<[S]>,
        call: impl Fn(&S, &mut SMatrix<f64, N, N>) + Clone + 'static,
    ) -> Self {
        Self::new(states.clone(), || Box::new(SMatrix::zeros()), call, |x, all| all.extend(x.iter()))
    }
}

/// Prints the coordinates of each joint, a line a robot, for programs with another joint order.
pub fn print_joints(robots: &[(&str, &[rbd::Joint])]) {
    for (robot, joints) in robots {
        let joints = joints.iter().map(|x| format!("{}:{}:{}", x.name, x.idx_q, x.idx_v));
        println!("{robot} {}", joints.collect::<Vec<_>>().join(" "));
    }
}

/// The functions of one robot by name.
pub type Jobs = HashMap<&'static str, Job>;

/// Answers line by line until the input ends. `load` makes a robot's functions, when it is first
/// asked for, from its name and the folder.
pub fn serve(load: impl Fn(&str, &Path) -> Option<Jobs>) {
    let folder = std::env::args().nth(1).expect("usage: PROGRAM FOLDER");
    let mut robots: HashMap<String, Option<Jobs>> = HashMap::new();
    for line in std::io::stdin().lock().lines() {
        let line = line.expect("a line of text");
        let words: Vec<&str> = line.split_whitespace().collect();
        let (order, robot) = (words[0], words[1]);
        let jobs = robots.entry(robot.to_owned()).or_insert_with(|| load(robot, Path::new(&folder)));
        println!("{}", jobs.as_mut().and_then(|x| answer(order, &words[2..], x)).unwrap_or("none".into()));
        std::io::stdout().flush().expect("somebody to read it");
    }
}

fn answer(order: &str, words: &[&str], jobs: &mut Jobs) -> Option<String> {
    let job = jobs.get_mut(words[0])?;
    if order == "values" {
        let bytes: Vec<u8> = (job.values)().into_iter().flat_map(f64::to_le_bytes).collect();
        std::fs::write(words[1], bytes).expect("the results' file");
        return Some("written".into());
    }
    let passes: usize = words[1].parse().expect("a number of passes");
    // The first pass brings code and states back into the caches.
    (job.pass)();
    let start = Instant::now();
    for _ in 0..passes {
        (job.pass)();
    }
    Some((start.elapsed().as_nanos() as f64 / passes as f64).to_string())
}
