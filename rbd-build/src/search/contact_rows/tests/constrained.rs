//! Constrained articulated bodies against one dense system, on random trunks with limbs.

use super::*;
use crate::search::contact_rows::limbs::MOST_DEPENDENCE;
use crate::signatures::contact_rows::{DEPENDENCE, ROW_RESIDUAL};

/// Kernel results in the order of its outputs: accelerations, forces, residual, and how nearly rows depend on
/// one another.
struct Found {
    ddq: DVector<f64>,
    forces: DVector<f64>,
    residual: DVector<f64>,
    dependence: f64,
}

/// Which contacts are active, pulls on the rows, kd and mu.
struct Settings {
    active: Vec<bool>,
    pulls: DVector<f64>,
    gains: [f64; 2],
}

fn run_constrained(
    tree: &Tree,
    rows: &[ContactRow],
    sizes: Sizes,
    state: &State,
    settings: &Settings,
) -> Found {
    let spec = CONTACT_ROWS.iter().find(|spec| spec.of_limbs).expect("it is there");
    let version = trace(spec, rows, sizes, tree, Way::STRAIGHT).version();
    let results = results_of(&version, sizes, |wire| match wire {
        Wire::Param(Q) => state.q.as_slice().to_vec(),
        Wire::Param(V) => state.v.as_slice().to_vec(),
        Wire::Param(TAU_GIVEN) => state.tau.as_slice().to_vec(),
        Wire::Output(ACTIVITY) => settings.active.iter().map(|a| f64::from(u8::from(*a))).collect(),
        Wire::Output(PULLS) => settings.pulls.as_slice().to_vec(),
        Wire::Output(GAINS) => settings.gains.to_vec(),
        other => panic!("{other:?} has no value here"),
    });
    let of = |wanted: Output| of(&results, wanted).column(0).into_owned();
    Found { ddq: of(DDQ), forces: of(ROW_FORCES), residual: of(ROW_RESIDUAL), dependence: of(DEPENDENCE)[0] }
}

/// A contact at the end of each limb of at least three joints: with `planes` a plane if it has six.
fn at_the_ends(model: &Model<f64>, limbs: [(usize, usize); 2], planes: bool) -> Vec<ContactAt> {
    let mut end = model.bodies.len() - limbs.iter().map(|(copies, length)| copies * length).sum::<usize>();
    let mut contacts = Vec::new();
    for (copies, length) in limbs {
        for _ in 0..copies {
            end += length;
            if length >= 3 {
                let kind = if planes && length >= 6 { ContactKind::Plane } else { ContactKind::Point };
                let (name, frame) = (format!("end_{end}"), end - 1);
                contacts.push(ContactAt { name, kind, frame, second: None });
            }
        }
    }
    contacts
}

/// Compares with one dense system of the active rows. Returns how many trees were compared, and whether there
/// were lanes.
fn check_constrained(seed: u64) -> (usize, bool) {
    let r = &mut Random::new(seed);
    let limbs = [(4, 3 + r.below(4)), (2, 2 + r.below(6))];
    let (model, _) = trunk_with(seed, r, |_| limbs);
    let contacts = at_the_ends(&model, limbs, r.chance(0.5));
    let rows = ContactRow::all(&model, &contacts);
    let sizes = Sizes::from(&model).with_contacts(&contacts);
    let state = random_state(&model, seed);
    let settings = Settings {
        active: contacts.iter().map(|_| r.chance(0.7)).collect(),
        pulls: r.vector(sizes.nr, 3.0),
        gains: [r.uniform(0.0, 20.0), if r.chance(0.5) { 0.0 } else { 1e-3 }],
    };
    let referred =
        contacts.iter().map(|c| Contact { frame: c.frame, kind: c.kind, anchor: None, second: None });
    let (q, v) = (state.q.as_slice(), state.v.as_slice());
    let [kd, mu] = settings.gains;
    let held = Holding { mu, kp: 0.0, kd };
    let (j, drift) =
        rows_of_reference(&model, &mut Data::new(&model), q, v, &referred.collect::<Vec<_>>(), held);
    // The rows of contacts that are not active say that their forces are zero.
    let (nv, nr) = (model.nv, sizes.nr);
    let mut system = DMatrix::zeros(nv + nr, nv + nr);
    let mut rhs = DVector::zeros(nv + nr);
    system.view_mut((0, 0), (nv, nv)).copy_from(&model.crba(q));
    rhs.rows_mut(0, nv).copy_from(&(&state.tau - model.bias(q, v)));
    let mut is_active = vec![false; nr];
    for (row, active) in rows.iter().zip(&settings.active) {
        is_active[row.row..row.row + row.kind.rows()].fill(*active);
    }
    for (k, active) in is_active.iter().enumerate() {
        system[(nv + k, nv + k)] = if *active { mu } else { 1.0 };
        if *active {
            system.view_mut((nv + k, 0), (1, nv)).copy_from(&j.row(k));
            system.view_mut((0, nv + k), (nv, 1)).copy_from(&-j.row(k).transpose());
            rhs[nv + k] = -(drift[k] + settings.pulls[k]);
        }
    }
    let expected = system.lu().solve(&rhs).expect("limbs of their own hold their contacts");
    let rewrite = <dyn crate::emit::Target>::search(&crate::emit::Rust::default(), &model).plain();
    let plain = Tree::new(&model, Rewrite { realign: r.chance(0.5), ..rewrite });
    let packed = PACKINGS.iter().filter_map(|packing| plain.with_limbs(*packing));
    let packed: Vec<Tree> = packed.filter(|tree| contact_rows::can_be_lanes(tree, &rows)).collect();
    let mut compared = 0;
    for tree in std::iter::once(&plain).chain(&packed) {
        assert!(has_limbs(tree, &rows, sizes), "{seed}");
        let found = run_constrained(tree, &rows, sizes, &state, &settings);
        // Up to what the runtime accepts.
        if found.dependence > MOST_DEPENDENCE {
            continue;
        }
        compared += 1;
        let close = |what: &str, got: &DVector<f64>, expected: &DVector<f64>| {
            let error = (got - expected).amax() / expected.amax().max(1.0);
            assert!(error < 1e-10, "{what} of {seed}: {error:.1e}\n{got}{expected}");
        };
        let (ddq, forces) = (expected.rows(0, nv).into_owned(), expected.rows(nv, nr).into_owned());
        close("accelerations", &found.ddq, &ddq);
        close("forces", &found.forces, &forces);
        let residual = DVector::from_fn(nr, |k, _| if is_active[k] { -mu * forces[k] } else { 0.0 });
        let scale = drift.amax().max(1.0);
        close("residual", &(&found.residual / scale), &(residual / scale));
        for (k, active) in is_active.iter().enumerate().filter(|(_, active)| !**active) {
            assert_eq!((found.forces[k], found.residual[k]), (0.0, 0.0), "row {k}, {active}");
        }
    }
    (compared, !packed.is_empty())
}

#[test]
fn constrained_bodies_agree_with_one_dense_system() {
    let all: Vec<(usize, bool)> = (0..24).map(check_constrained).collect();
    let compared: usize = all.iter().map(|(trees, _)| trees).sum();
    assert!(compared > 24, "{compared} trees are regular");
    let in_lanes = all.iter().filter(|(_, lanes)| *lanes).count();
    assert!(in_lanes > 12, "{in_lanes} of 24 have limbs in lanes");
}

/// Contacts that share a body, that are on the world, whose limb is too short, and closed loops.
#[test]
fn contacts_without_limbs_of_their_own_are_left_to_other_kernels() {
    let (model, _) = trunk_with(3, &mut Random::new(3), |_| [(2, 3), (2, 2)]);
    let tree =
        Tree::new(&model, <dyn crate::emit::Target>::search(&crate::emit::Rust::default(), &model).plain());
    let first = model.bodies.len() - 10;
    let at = |frame: usize, second: Option<usize>| ContactAt {
        name: format!("{frame}"),
        kind: ContactKind::Point,
        frame,
        second,
    };
    let possible = |contacts: &[ContactAt]| {
        let sizes = Sizes::from(&model).with_contacts(contacts);
        has_limbs(&tree, &ContactRow::all(&model, contacts), sizes)
    };
    let (left, right, short) = (first + 2, first + 5, first + 7);
    assert!(possible(&[at(left, None), at(right, None)]));
    assert!(!possible(&[at(left, None), at(left, None)]), "they share a body");
    assert!(!possible(&[at(left, None), at(short, None)]), "two joints cannot hold three rows");
    assert!(!possible(&[at(left, Some(right))]), "a closed loop");
}

/// A planar leg has joints enough, and holds its foot in no state.
#[test]
fn limbs_that_cannot_hold_their_contacts_are_left_to_other_kernels() {
    let legs = |axis: &str| {
        let joint = |name: &str, parent: &str, axis: &str| {
            format!(
                "<link name=\"{name}\"><inertial><mass value=\"1\"/><origin xyz=\"0 0.01 -0.1\"/>\
                 <inertia ixx=\"0.01\" ixy=\"0\" ixz=\"0\" iyy=\"0.01\" iyz=\"0\" izz=\"0.01\"/></inertial></link>\
                 <joint name=\"to_{name}\" type=\"continuous\"><parent link=\"{parent}\"/><child link=\"{name}\"/>\
                 <origin xyz=\"0.05 0 -0.3\"/><axis xyz=\"{axis}\"/></joint>"
            )
        };
        let all = [
            joint("thigh", "trunk", axis),
            joint("shank", "thigh", "0 1 0"),
            joint("foot", "shank", "0 1 0"),
        ];
        format!(
            "<robot name=\"leg\"><link name=\"trunk\"/>{}<link name=\"tip\"/><joint name=\"end\" type=\"fixed\">\
             <parent link=\"foot\"/><child link=\"tip\"/><origin xyz=\"0.02 0.01 -0.2\"/></joint></robot>",
            all.concat()
        )
    };
    for (axis, expected) in [("1 0 0", true), ("0 1 0", false)] {
        let robot = crate::Robot::from_urdf_text("leg.urdf", legs(axis)).functions([Function::Crba]);
        let model = robot.trace().expect("a leg").model.clone();
        let frame = model.frames.iter().position(|frame| frame.name == "tip").expect("a link");
        let contact = ContactAt { name: "foot".into(), kind: ContactKind::Point, frame, second: None };
        let search = <dyn crate::emit::Target>::search(&crate::emit::Rust::default(), &model);
        let plans = search.contact_rows(&[contact], true, |_| true);
        assert_eq!(plans.iter().any(|plan| plan.spec().of_limbs), expected, "{axis}");
    }
}
