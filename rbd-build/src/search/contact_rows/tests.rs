//! Kernels of rows of contacts and closed loops against the generic reference and dense matrices, on random
//! trees, by the interpreter of kernels. Derivatives are compared with differences too.

use super::*;
use crate::signatures::contact_rows::{
    DRIFT, FREE_ROWS, JACOBIAN_OF_ROWS, JT, PATHS, PIVOTS, REDUCED_TORQUES, ROW_FORCES, ROW_VELOCITY,
    ROWS_DQ, ROWS_DV, VELOCITIES_DQ,
};
use crate::signatures::signature::{A, DDQ, DTAU_DQ, DTAU_DV, MINV, TAU_GIVEN, V};
use crate::tree::Packing;
use nalgebra::{DMatrix, DVector, SVector};
use rbd_ir::kernel::Role;
use rbd_runtime::model::Frame;
use rbd_runtime::random::{Options, Random, State, random_model, random_state};
use rbd_runtime::reference::{Contact, Data, Holding, contact_rows as rows_of_reference};
use rbd_runtime::{ContactKind, JointKind, Model, Scalar};
use stages::Wire;

mod constrained;
mod known_root;

const PACKINGS: [Packing; 2] =
    [Packing { lanes: &[4, 2], across: false }, Packing { lanes: &[4, 2], across: true }];

type Results = Vec<(Output, DMatrix<f64>)>;

/// Forces of all contacts.
fn some_forces(rows: usize) -> DMatrix<f64> {
    DMatrix::from_fn(rows, 1, |r, _| (r as f64 * 1.7 + 0.3).sin() * 4.0)
}

/// Results of all kernels of a tree, under these torques; with `by_bodies` of those with factors alone.
fn run(way: (&Tree, bool), rows: &[ContactRow], sizes: Sizes, state: &State, tau: &DVector<f64>) -> Results {
    run_in::<f64>(way, rows, sizes, state, tau)
}

/// [`run`] in these numbers.
fn run_in<T: Scalar + Into<f64>>(
    (tree, by_bodies): (&Tree, bool),
    rows: &[ContactRow],
    sizes: Sizes,
    state: &State,
    tau: &DVector<f64>,
) -> Results {
    let nf = entries(tree, sizes, by_bodies);
    let (sizes, mut made) = (Sizes { nf, ..sizes }, Results::from([(ROW_FORCES, some_forces(sizes.nr))]));
    let is_made = |spec: &&RowsSpec| match spec.has_factors() {
        true => !tree.has_mimic,
        // `constrained.rs` has the kernel of limbs.
        false => !by_bodies && !spec.of_limbs,
    };
    // The inverse of the mass matrix has its product in the straight line and as loops.
    let ways = |spec: &'static RowsSpec| {
        let products = if spec.outputs.contains(&MINV) { 2 } else { 1 };
        [ProductBy::None, ProductBy::Loops].into_iter().take(products).map(move |product| (spec, product))
    };
    for (spec, product) in CONTACT_ROWS.iter().filter(is_made).flat_map(ways) {
        let version = trace(spec, rows, sizes, tree, Way { by_bodies, product, ..Way::STRAIGHT }).version();
        version.kernel.verify().expect("a sound kernel");
        let inputs = version.kernel.declared().filter(|(_, decl)| decl.role == Role::In);
        let inputs: Vec<Vec<f64>> = inputs
            .map(|(id, _)| match version.wire(id) {
                Wire::Param(param) => match param {
                    Q => state.q.as_slice().to_vec(),
                    V => state.v.as_slice().to_vec(),
                    A => state.a.as_slice().to_vec(),
                    TAU_GIVEN => tau.as_slice().to_vec(),
                    other => panic!("{} has no value here", other.name),
                },
                Wire::Output(output) => of(&made, output).as_slice().to_vec(),
                Wire::Own => unreachable!("it is an input"),
            })
            .collect();
        let inputs = inputs.iter().map(|of| of.iter().copied().map(T::from_f64).collect());
        let inputs: Vec<Vec<T>> = inputs.collect();
        let results = version.kernel.run(&inputs.iter().map(Vec::as_slice).collect::<Vec<_>>());
        for ((_, output), numbers) in version.outputs(Role::Out).zip(results) {
            let (rows, columns) = output.shape.extent(sizes);
            let numbers = numbers.into_iter().map(Into::into).collect();
            made.push((output, DMatrix::from_vec(rows, columns, numbers)));
        }
    }
    made
}

/// Results of one kernel from these inputs.
fn results_of(version: &Version, sizes: Sizes, value: impl Fn(Wire) -> Vec<f64>) -> Results {
    version.kernel.verify().expect("a sound kernel");
    let inputs = version.kernel.declared().filter(|(_, decl)| decl.role == Role::In);
    let inputs: Vec<Vec<f64>> = inputs.map(|(id, _)| value(version.wire(id))).collect();
    let results = version.kernel.run(&inputs.iter().map(Vec::as_slice).collect::<Vec<_>>());
    let matrix = |((_, output), numbers): ((_, Output), Vec<f64>)| {
        let (rows, columns) = output.shape.extent(sizes);
        (output, DMatrix::from_vec(rows, columns, numbers))
    };
    version.outputs(Role::Out).zip(results).map(matrix).collect()
}

fn of(results: &Results, output: Output) -> &DMatrix<f64> {
    // Several kernels give the rows' velocities and their derivatives.
    &results.iter().rev().find(|(o, _)| *o == output).expect("a result").1
}

#[track_caller]
fn close(what: &str, got: &DMatrix<f64>, expected: &DMatrix<f64>) {
    assert_eq!(got.shape(), expected.shape(), "{what}");
    let error = (got - expected).amax() / expected.amax().max(1.0);
    assert!(error < 1e-10 || got.is_empty(), "{what}: {error:.1e}\n{got}{expected}");
}

/// Points and planes on some bodies and on the world, and closed loops.
///
/// Without `loops`, pairs of frames whose loops are certain, there are loops between any frames.
fn some_contacts(model: &mut Model<f64>, r: &mut Random, loops: &[[usize; 2]]) -> Vec<ContactAt> {
    let on_world = Frame { body: None, ..model.frames[0].clone() };
    model.frames.push(on_world);
    let n = model.frames.len();
    let kind = |r: &mut Random| if r.chance(0.5) { ContactKind::Point } else { ContactKind::Plane };
    let mut contacts = Vec::new();
    for frame in 0..n {
        // Each frame at most once; sometimes a point and a plane are on one body.
        if r.chance(0.6) || frame + 1 == n {
            contacts.push(ContactAt {
                name: model.frames[frame].name.clone(),
                kind: kind(r),
                frame,
                second: None,
            });
        }
    }
    let of_loops = kind(r);
    let mut close = |kind: ContactKind, [frame, second]: [usize; 2]| {
        let name = format!("loop_{}", contacts.len());
        contacts.push(ContactAt { name, kind, frame, second: Some(second) });
    };
    loops.iter().for_each(|pair| close(of_loops, *pair));
    if loops.is_empty() {
        for _ in 0..r.below(3) {
            let pair = [r.below(n), r.below(n)];
            close(kind(r), pair);
        }
    }
    contacts
}

/// The derivative at zero, by differences of fourth order.
fn rate(f: impl Fn(f64) -> DMatrix<f64>) -> DMatrix<f64> {
    let h = 1e-3;
    ((f(h) - f(-h)) * 8.0 - (f(2.0 * h) - f(-2.0 * h))) / (12.0 * h)
}

/// Compares derivatives along one direction with differences of the reference: of the rows, and of the
/// torques under these forces.
fn check_derivatives(model: &Model<f64>, referred: &[Contact<f64>], state: &State, results: &Results) {
    let none = Holding { mu: 0.0, kp: 0.0, kd: 0.0 };
    let e = DVector::from_fn(model.nv, |k, _| (0.7 + 1.3 * k as f64).sin());
    let rows = |q: &[f64], v: &DVector<f64>| {
        rows_of_reference(model, &mut Data::new(model), q, v.as_slice(), referred, none)
    };
    let at = |h: f64| model.integrate(state.q.as_slice(), (&e * h).as_slice());
    let accelerations = |q: &[f64], v: &DVector<f64>| {
        let (j, drift) = rows(q, v);
        DMatrix::from_columns(&[j * &state.a + drift])
    };
    let velocities = |q: &[f64]| DMatrix::from_columns(&[rows(q, &state.v).0 * &state.v]);
    let torques = |q: &[f64], v: &DVector<f64>| {
        let (j, _) = rows(q, v);
        let pushed = j.transpose() * some_forces(j.nrows()).column(0);
        DMatrix::from_columns(&[model.rnea(q, v.as_slice(), state.a.as_slice()) - pushed])
    };
    let (q, faster) = (state.q.as_slice(), |h: f64| &state.v + &e * h);
    for (output, expected) in [
        (ROWS_DQ, rate(|h| accelerations(at(h).as_slice(), &state.v))),
        (ROWS_DV, rate(|h| accelerations(q, &faster(h)))),
        (VELOCITIES_DQ, rate(|h| velocities(at(h).as_slice()))),
        (DTAU_DQ, rate(|h| torques(at(h).as_slice(), &state.v))),
        (DTAU_DV, rate(|h| torques(q, &faster(h)))),
    ] {
        let got = of(results, output) * &e;
        let error = (&got - &expected).amax() / expected.amax().max(1.0);
        assert!(error < 1e-7, "{}: {error:.1e}\n{got}{expected}", output.name);
    }
}

/// Compares all kernels of a model, without limbs as lanes and with them. Returns whether there were lanes.
fn check(seed: u64, mut model: Model<f64>, loops: &[[usize; 2]]) -> bool {
    let r = &mut Random::new(seed ^ 0x5eed);
    let contacts = some_contacts(&mut model, r, loops);
    let referred =
        contacts.iter().map(|c| Contact { frame: c.frame, kind: c.kind, anchor: None, second: c.second });
    let referred: Vec<_> = referred.collect();
    let rows = ContactRow::all(&model, &contacts);
    let sizes = Sizes::from(&model).with_contacts(&contacts);
    let state = random_state(&model, seed);
    let (q, v) = (state.q.as_slice(), state.v.as_slice());
    let none = Holding { mu: 0.0, kp: 0.0, kd: 0.0 };
    let (j, drift) = rows_of_reference(&model, &mut Data::new(&model), q, v, &referred, none);
    let column = |x: &DVector<f64>| DMatrix::from_column_slice(x.len(), 1, x.as_slice());
    let rewrite = <dyn crate::emit::Target>::search(&crate::emit::Rust::default(), &model).plain();
    let plain = Tree::new(&model, Rewrite { realign: r.chance(0.5), ..rewrite });
    let packed: Vec<Tree> = PACKINGS.iter().filter_map(|packing| plain.with_limbs(*packing)).collect();
    let packed: Vec<Tree> =
        packed.into_iter().filter(|tree| contact_rows::can_be_lanes(tree, &rows)).collect();
    let derivatives = run((&plain, false), &rows, sizes, &state, &state.tau);
    check_derivatives(&model, &referred, &state, &derivatives);
    let forces = some_forces(sizes.nr);
    let mut fext = vec![SVector::<f64, 6>::zeros(); model.bodies.len()];
    for (contact, row) in contacts.iter().zip(&rows) {
        let frame = &model.frames[contact.frame];
        let Some(body) = frame.body else { continue };
        let mut force = SVector::zeros();
        (0..row.kind.rows()).for_each(|k| force[k] = forces[row.row + k]);
        fext[body] += frame.placement.act_force(&force);
    }
    let torques = model.rnea_derivatives(q, v, state.a.as_slice(), Some(&fext));
    let trees = std::iter::once(&plain).chain(&packed);
    for (tree, by_bodies) in trees.flat_map(|tree| [false, true].map(|by_bodies| (tree, by_bodies))) {
        let results = run((tree, by_bodies), &rows, sizes, &state, &state.tau);
        let got = |output| of(&results, output);
        if !by_bodies {
            close("jt", got(JT), &j.transpose());
            close("jacobian", got(JACOBIAN_OF_ROWS), &j);
            close("velocity", got(ROW_VELOCITY), &column(&(&j * &state.v)));
            close("drift", got(DRIFT), &column(&drift));
            for output in [ROWS_DQ, ROWS_DV, VELOCITIES_DQ] {
                close(output.name, got(output), of(&derivatives, output));
                let alone = results.iter().find(|(o, _)| *o == output).expect("a result");
                close(output.name, got(output), &alone.1);
            }
            close("torques by q", got(DTAU_DQ), of(&derivatives, DTAU_DQ));
            if rows.iter().all(|row| row.second.is_none()) {
                close("torques by q", got(DTAU_DQ), &torques.dtau_dq);
            }
            close("torques by v", got(DTAU_DV), &torques.dtau_dv);
        }
        if tree.has_mimic {
            continue;
        }
        close("velocity", got(ROW_VELOCITY), &column(&(&j * &state.v)));
        let minv = model.crba(q).try_inverse().expect("a mass matrix");
        let ddq = &minv * (&state.tau - model.bias(q, v));
        close("free rows", got(FREE_ROWS), &column(&(&j * &ddq + &drift)));
        close("accelerations", got(DDQ), &column(&ddq));
        for (_, inverse) in results.iter().filter(|(output, _)| *output == MINV) {
            close("inverse", inverse, &minv);
        }
        let pivots = DMatrix::from_diagonal(&got(PIVOTS).column(0).into_owned());
        close("delassus", &(got(PATHS) * pivots * got(PATHS).transpose()), &(&j * &minv * j.transpose()));
        // Forces act as torques do.
        let forces = DVector::from_fn(j.nrows(), |_, _| r.uniform(-5.0, 5.0));
        let pushed = run((tree, by_bodies), &rows, sizes, &state, &(&state.tau + j.transpose() * &forces));
        let moved = column(&(got(PATHS).transpose() * &forces));
        close("reduced torques", of(&pushed, REDUCED_TORQUES), &(got(REDUCED_TORQUES) + moved));
        for (contact, row) in contacts.iter().zip(&rows) {
            let support = contact.support(&model);
            for dof in
                (0..model.nv).filter(|dof| !support.iter().any(|(from, to)| (*from..*to).contains(dof)))
            {
                let rows = row.row..row.row + row.kind.rows();
                assert!(rows.clone().all(|row| got(PATHS)[(row, dof)] == 0.0), "rows {rows:?}, {dof}");
            }
        }
    }
    !packed.is_empty()
}

#[test]
fn kernels_of_any_joints_agree_with_dense_matrices() {
    for seed in 0..24 {
        let mut options = Options::everything(1 + (seed % 7) as usize, seed % 2 == 0);
        if seed % 3 != 0 {
            options.mimic = 0.0;
        }
        options.friction = seed % 5 == 0;
        check(seed, random_model(seed, &options), &[]);
    }
}

/// A trunk with four legs of equal joints and different numbers, and with two arms.
///
/// Frames of the legs' ends and of their first bodies are pairs of closed loops, sometimes.
fn with_limbs(seed: u64) -> (Model<f64>, Vec<[usize; 2]>) {
    let r = &mut Random::new(seed);
    let lengths = |r: &mut Random| [(4, 1 + r.below(3)), (2, 2)];
    let (model, loops) = trunk_with(seed, r, lengths);
    (model, if seed.is_multiple_of(4) { Vec::new() } else { loops })
}

/// [`with_limbs`] of these numbers and lengths.
fn trunk_with(
    seed: u64,
    r: &mut Random,
    limbs: impl FnOnce(&mut Random) -> [(usize, usize); 2],
) -> (Model<f64>, Vec<[usize; 2]>) {
    let trunk = Options { bodies: 1 + r.below(2), floating: r.chance(0.7), ..Options::default() };
    let mut model = random_model(seed, &trunk);
    let (at, mut loops) = (model.bodies.len() - 1, Vec::new());
    for (copies, length) in limbs(r) {
        let shape = random_model(r.bits(), &Options { bodies: length, ..Options::default() });
        for _ in 0..copies {
            let first = model.bodies.len();
            // The end with the first body, or with the trunk, which is no lane.
            if length > 1 {
                loops.push([first + length - 1, if seed % 4 == 3 { at } else { first }]);
            }
            for (k, of_shape) in shape.bodies.iter().enumerate() {
                let mut body =
                    random_model(r.bits(), &Options { bodies: 1, ..Options::default() }).bodies.remove(0);
                body.kind =
                    if of_shape.kind == JointKind::Prismatic { of_shape.kind } else { JointKind::Revolute };
                (body.parent, body.mimic) = (Some(k.checked_sub(1).map_or(at, |k| first + k)), None);
                (body.idx_q, body.idx_v) = (model.nq, model.nv);
                (model.nq, model.nv) = (model.nq + 1, model.nv + 1);
                model.bodies.push(body);
            }
        }
    }
    let frame = |i: usize| {
        let placement =
            random_model(seed + i as u64, &Options { bodies: 1, ..Options::default() }).bodies[0].placement;
        Frame { name: format!("frame_{i}"), body: Some(i), placement }
    };
    model.frames = (0..model.bodies.len()).map(frame).collect();
    model.pinocchio_order = (0..model.bodies.len()).collect();
    (model, loops)
}

#[test]
fn kernels_of_limbs_in_lanes_agree_with_dense_matrices() {
    let is_in_lanes = |seed: &u64| {
        let (model, loops) = with_limbs(*seed);
        check(*seed, model, &loops)
    };
    let in_lanes = (0..16).filter(is_in_lanes).count();
    assert!(in_lanes > 8, "{in_lanes} of 16 have limbs in lanes");
}

/// Articulated bodies have fewer operations for long limbs, factors of the mass matrix for short ones.
#[test]
fn kernels_of_long_limbs_are_by_articulated_bodies() {
    for (bodies, expected) in [(2, false), (24, true)] {
        let chain = Options { bodies, branching: 0.0, on_world: 0.0, ..Options::default() };
        let mut model = random_model(3, &chain);
        let end = Frame { body: Some(model.bodies.len() - 1), ..model.frames[0].clone() };
        model.frames.push(end);
        let frame = model.frames.len() - 1;
        let contact = ContactAt { name: "end".into(), kind: ContactKind::Plane, frame, second: None };
        let contacts = [contact];
        let rows = ContactRow::all(&model, &contacts);
        let sizes = Sizes::from(&model).with_contacts(&contacts);
        let search = <dyn crate::emit::Target>::search(&crate::emit::Rust::default(), &model);
        let by_bodies = |runtime| search.factoring(&rows, sizes, runtime).expect("no mimic joints").by_bodies;
        assert_eq!([true, false].map(by_bodies), [expected; 2], "{bodies} bodies");
    }
}

/// In seven digits, articulated bodies are as good as factors.
#[test]
fn articulated_bodies_lose_no_more_digits_than_factors() {
    let mut sums = [0.0; 2];
    for seed in 0..12 {
        let (mut model, loops) = with_limbs(seed);
        let contacts = some_contacts(&mut model, &mut Random::new(seed), &loops);
        let rows = ContactRow::all(&model, &contacts);
        let sizes = Sizes::from(&model).with_contacts(&contacts);
        let state = random_state(&model, seed);
        let rewrite = <dyn crate::emit::Target>::search(&crate::emit::Rust::default(), &model).plain();
        let tree = Tree::new(&model, rewrite);
        for (by_bodies, sum) in [false, true].into_iter().zip(&mut sums) {
            let way = (&tree, by_bodies);
            let exact = run(way, &rows, sizes, &state, &state.tau);
            let rounded = run_in::<f32>(way, &rows, sizes, &state, &state.tau);
            for output in [DDQ, FREE_ROWS, PATHS, MINV] {
                let (exact, rounded) = (of(&exact, output), of(&rounded, output));
                let error = (rounded - exact).amax() / exact.amax();
                assert!(error < 1e-4, "{}: {error:.1e}", output.name);
                *sum += error.max(1e-8).ln();
            }
        }
    }
    let [factors, bodies] = sums.map(|sum| sum / 48.0);
    assert!(bodies < factors + 0.7, "{:.1e} and {:.1e}", factors.exp(), bodies.exp());
}
