//! Growth of the cost of second derivatives with the number of links, for chains and binary trees
//! of spatial links:
//!
//!     cargo bench -p rbd-benches --bench growth
//!
//! Columns are nanoseconds of a call of the runtime's loops, the least of many rounds, in total and
//! divided:
//!
//! - by pairs of joints on one path, for Hessians of weighted torques, O(N d);
//! - by triples of joints on one path, for tensors, O(N d^2), d the depth.
//!
//! The quotients become constant as long as results fit the caches. Mebibytes are the sizes of the
//! tensors.

use rbd::__private::loops::of_model::Owned;
use rbd::__private::loops::second::{Given, Hessian, rnea_hessian, rnea_second_derivatives};
use rbd::Model;
use rbd::random::{Options, random_model, random_state};
use std::hint::black_box;
use std::time::Instant;

const SIZES: [usize; 10] = [2, 3, 5, 8, 12, 20, 30, 50, 70, 100];

fn made(tree: bool, n: usize) -> Model<f64> {
    let kinds = vec![rbd::JointKind::Revolute];
    let mut model =
        random_model(1, &Options { bodies: n, kinds, branching: 0.0, on_world: 0.0, ..Options::default() });
    if tree {
        // Depth first: the first half of the links after a link is its first subtree.
        let mut stretches = vec![(None, 0, n)];
        while let Some((parent, from, to)) = stretches.pop() {
            if from < to {
                model.bodies[from].parent = parent;
                let middle = from + 1 + (to - from - 1).div_ceil(2);
                stretches.extend([(Some(from), from + 1, middle), (Some(from), middle, to)]);
            }
        }
    }
    model
}

/// Ordered pairs and triples of links on one path, by depths.
fn related(model: &Model<f64>) -> (f64, f64) {
    let mut depth: Vec<f64> = Vec::new();
    for body in &model.bodies {
        depth.push(1.0 + body.parent.map_or(0.0, |p| depth[p]));
    }
    (depth.iter().sum(), depth.iter().map(|d| d * d).sum())
}

fn least(mut call: impl FnMut()) -> f64 {
    let (begin, mut least) = (Instant::now(), f64::INFINITY);
    for round in 0..200 {
        let start = Instant::now();
        (0..16).for_each(|_| call());
        least = least.min(start.elapsed().as_nanos() as f64 / 16.0);
        if round >= 10 && begin.elapsed().as_secs() >= 1 {
            break;
        }
    }
    least
}

fn measure<const P: usize>(name: &str, model: &Model<f64>) {
    let owned = Owned::from_model(model).expect("joints are numbered depth first");
    let padded = owned.padded::<P>().expect("there is room");
    let tables = padded.tables();
    let (n, x) = (model.nv, random_state(model, 1));
    let (q, v, a) = (x.q.as_slice(), x.v.as_slice(), x.a.as_slice());
    let given = |mu| Given { q, v, a, mu, fext: &[], turned: None };
    let mut value = [0.0];
    let mut gradient = [0; 3].map(|_| vec![0.0; n]);
    let mut blocks = [0; 4].map(|_| vec![0.0; n * n]);
    let hessian = least(|| {
        let gradient = gradient.each_mut().map(|x| &mut x[..]);
        let blocks = blocks.each_mut().map(|x| &mut x[..]);
        rnea_hessian(
            black_box(&tables),
            given(v),
            Hessian { value: &mut value, gradient, blocks, leaves_zeros: true },
        );
    });
    let mut cubes = [0; 4].map(|_| vec![0.0; n * n * n]);
    let tensors = least(|| {
        rnea_second_derivatives(black_box(&tables), given(&[]), cubes.each_mut().map(|x| &mut x[..]));
    });
    let (pairs, triples) = related(model);
    let mebibytes = |numbers: usize| (8 * numbers) as f64 / f64::from(1 << 20);
    println!(
        "| {name} | {n} | {hessian:.0} | {:.1} | {:.2} | {tensors:.0} | {:.2} |",
        hessian / pairs,
        mebibytes(4 * n * n * n),
        tensors / triples
    );
}

fn main() {
    println!("| | links | Hessians, ns | a pair | tensors, MiB | ns | a triple |");
    println!("|---|{}", "---:|".repeat(6));
    for (name, tree) in [("chain", false), ("binary tree", true)] {
        for n in SIZES {
            let model = made(tree, n);
            if n <= 24 { measure::<32>(name, &model) } else { measure::<112>(name, &model) }
        }
    }
}
