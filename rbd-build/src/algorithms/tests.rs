//! Functions of frames against the generic reference, on random trees, by the interpreter of kernels.

use super::robot::SymbolicRobot;
use super::run_time::Given;
use super::*;
use crate::algorithms::strategy::{Algorithm, ProductBy, Strategy};
use crate::search::plan::Wire;
use crate::signatures::frames::FrameAt;
use crate::signatures::signature::{A, Param, Q, Sizes, V};
use crate::tree::{BodyForm, Moment, Origin, Rewrite, Spin, Tree};
use nalgebra::DMatrix;
use rbd_ir::graph::{Graph, Rules};
use rbd_ir::passes::{Ir, schedule};
use rbd_runtime::random::{Options, Random, State, random_model, random_state};
use rbd_runtime::reference::{self, Data};
use rbd_runtime::spatial::Vector6;
use rbd_runtime::{Model, ReferenceFrame};

type Trace = for<'g> fn(&SymbolicRobot<'g>, &mut Draft<'g>);
type Results = Vec<(&'static str, DMatrix<f64>)>;

/// Results of a traced function.
fn run(
    tree: &Tree,
    params: &'static [Param],
    algorithm: Algorithm,
    frame: Option<FrameAt>,
    trace: Trace,
    state: &State,
) -> Results {
    let graph = Graph::with(Rules::default());
    let sizes = Sizes { nq: tree.nq, nv: tree.nv, nb: tree.nb, ..Sizes::default() };
    let mut draft = Draft::new(sizes, params, Strategy::new(algorithm, ProductBy::None), 0);
    draft.frame = frame;
    let q = draft.param(Q);
    trace(&SymbolicRobot::new(&graph, tree, q, Given::default()), &mut draft);
    let Draft { arrays, wires, entries, products, .. } = draft;
    let entries = entries.into_iter().map(|(array, entries)| (array, entries.values())).collect();
    let ir = Ir { nodes: graph.finish(), arrays, entries, calls: Vec::new(), products }
        .simplified(Rules::default());
    let kernel = schedule(&ir);
    kernel.verify().expect("a sound kernel");
    let inputs: Vec<&[f64]> = wires
        .iter()
        .filter_map(|wire| match wire {
            Wire::Param(param) if *param == Q => Some(state.q.as_slice()),
            Wire::Param(param) if *param == V => Some(state.v.as_slice()),
            Wire::Param(_) => Some(state.a.as_slice()),
            _ => None,
        })
        .collect();
    let names = wires.iter().filter_map(|wire| match wire {
        Wire::Output(output) => Some(output),
        _ => None,
    });
    let results = kernel.run(&inputs);
    names
        .zip(results)
        .map(|(output, values)| {
            let (rows, columns) = output.shape.extent(sizes);
            (output.name, DMatrix::from_vec(rows, columns, values))
        })
        .collect()
}

fn column(x: &[f64]) -> DMatrix<f64> {
    DMatrix::from_column_slice(x.len(), 1, x)
}

/// Asks that all results are as expected.
fn compare(what: &str, seed: u64, got: &Results, expected: &[(&str, DMatrix<f64>)]) {
    assert_eq!(got.len(), expected.len(), "{what}");
    for ((name, got), (other, expected)) in got.iter().zip(expected) {
        assert_eq!(name, other, "{what}");
        assert_eq!(got.shape(), expected.shape(), "{what}, {name}");
        let difference = got - expected;
        // NaN must not pass for small, as it does in `amax`.
        let error = if difference.iter().any(|x| x.is_nan()) { f64::INFINITY } else { difference.amax() };
        let error = error / expected.amax().max(1.0);
        assert!(error < 1e-11, "{what}, {name}: {error:e}, seed {seed}");
    }
}

/// A rewrite with a random form for each body.
fn some_rewrite(model: &Model<f64>, seed: u64) -> Rewrite {
    let r = &mut Random::new(seed);
    let shares = [None, Some(Spin::Yy), Some(Spin::Xx), Some(Spin::AlongZ)];
    let origins = [Origin::AtChild, Origin::AtParent];
    let mut form =
        || BodyForm { share: shares[r.below(4)], moment: Moment::Euler, origin: origins[r.below(2)] };
    let bodies = model.bodies.iter().map(|_| form()).collect();
    Rewrite { realign: !seed.is_multiple_of(3), bodies }
}

/// Random robots, each with its tree and a state: of one coordinate a joint, with all features,
/// with several trees on the world.
fn for_all(mut check: impl FnMut(u64, &Model<f64>, &Tree, &State)) {
    for seed in 0..60_u64 {
        let bodies = 1 + (seed as usize * 7) % 14;
        let options = match seed % 4 {
            0 => Options { bodies, ..Options::default() },
            1 => Options { bodies, on_world: 0.4, ..Options::everything(bodies, false) },
            other => Options::everything(bodies, other == 2),
        };
        let model = random_model(seed, &options);
        let tree = Tree::new(&model, some_rewrite(&model, seed));
        check(seed, &model, &tree, &random_state(&model, seed));
    }
}

/// Frames on several bodies, and one on the world, each with its number in the model.
fn some_frames(model: &mut Model<f64>) -> Vec<usize> {
    let mut on_world = model.frames[0].clone();
    on_world.body = None;
    model.frames.push(on_world);
    let n = model.frames.len();
    [0, n / 2, n - 2, n - 1].into_iter().collect()
}

#[test]
fn frames_agree_with_the_reference() {
    for_all(|seed, model, tree, state| {
        let mut model = model.clone();
        let frames = some_frames(&mut model);
        let data = &mut Data::new(&model);
        let (q, v, a) = (state.q.as_slice(), state.v.as_slice(), state.a.as_slice());
        for frame in frames {
            let placement = reference::frame_placement(&model, data, q, frame);
            let mut expected = DMatrix::zeros(3, 4);
            expected.view_mut((0, 0), (3, 3)).copy_from(&placement.rotation);
            expected.view_mut((0, 3), (3, 1)).copy_from(&placement.translation);
            for reference in ReferenceFrame::ALL {
                let at = FrameAt {
                    index: frame,
                    body: model.frames[frame].body,
                    placement: model.frames[frame].placement,
                    reference,
                };
                let check = |what: &str, params, trace: Trace, expected: &[(&str, DMatrix<f64>)]| {
                    for algorithm in [Algorithm::Outward, Algorithm::Inward] {
                        let got = run(tree, params, algorithm, Some(at), trace, state);
                        compare(&format!("{what}, {reference:?}, {algorithm:?}"), seed, &got, expected);
                    }
                };
                let vector = |x: Vector6<f64>| column(x.as_slice());
                check("placement", &[Q], frames::placement, &[("placement", expected.clone())]);
                let jacobian = reference::frame_jacobian(&model, data, q, frame, reference).clone();
                check("Jacobian", &[Q], frames::jacobian, &[("jacobian", jacobian)]);
                let d = reference::frame_derivatives(&model, data, q, v, a, frame, reference);
                let velocity = ("velocity", vector(d.velocity));
                check("velocity", &[Q, V], frames::velocity, std::slice::from_ref(&velocity));
                let acceleration = ("acceleration", vector(d.acceleration));
                check("acceleration", &[Q, V, A], frames::acceleration, std::slice::from_ref(&acceleration));
                let classical =
                    reference::frame_classical_acceleration(&model, data, q, v, a, frame, reference);
                let classical = [("acceleration", vector(classical))];
                check("classical", &[Q, V, A], frames::classical_acceleration, &classical);
                let bias = reference::frame_bias_acceleration(&model, data, q, v, frame, reference);
                check("bias", &[Q, V], frames::bias_acceleration, &[("acceleration", vector(bias))]);
                let of_velocity = [velocity, ("dv_dq", d.dv_dq), ("dv_dv", d.jacobian.clone())];
                check("velocity", &[Q, V], frame_derivatives::velocity, &of_velocity);
                let of_acceleration =
                    [acceleration, ("da_dq", d.da_dq), ("da_dv", d.da_dv), ("da_da", d.jacobian)];
                check("acceleration", &[Q, V, A], frame_derivatives::acceleration, &of_acceleration);
            }
        }
    });
}
