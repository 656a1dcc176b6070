//! Known columns of a floating root beside the whole derivatives and the dense mass matrix.

use super::*;
use crate::table::routines::knows_root;

/// With accelerations x in place of a column's torques, torques and rows are what they were without
/// `t + M x` and with `r + J x`.
#[test]
fn known_columns_are_accelerations_that_cancel_torques() {
    let spec = CONTACT_ROWS.iter().find(|spec| spec.beside_root.is_some()).expect("it is there");
    let mut checked = 0;
    for seed in 0..24 {
        let (mut model, _) = with_limbs(seed);
        let r = &mut Random::new(seed ^ 0xf007);
        let mut contacts = some_contacts(&mut model, r, &[]);
        contacts.retain(|contact| contact.second.is_none());
        if !knows_root(&model, &contacts) {
            continue;
        }
        checked += 1;
        let rows = ContactRow::all(&model, &contacts);
        let sizes = Sizes::from(&model).with_contacts(&contacts);
        let state = random_state(&model, seed);
        let rewrite = <dyn crate::emit::Target>::search(&crate::emit::Rust::default(), &model).plain();
        let plain = Tree::new(&model, Rewrite { realign: r.chance(0.5), ..rewrite });
        let packed = PACKINGS.iter().filter_map(|packing| plain.with_limbs(*packing));
        let packed: Vec<Tree> = packed.filter(|tree| contact_rows::can_be_lanes(tree, &rows)).collect();
        for tree in std::iter::once(&plain).chain(&packed) {
            let [whole, beside] = [false, true].map(|knows_root| {
                let way = Way { knows_root, ..Way::STRAIGHT };
                let version = trace(spec, &rows, sizes, tree, way).version();
                results_of(&version, sizes, |wire| match wire {
                    Wire::Param(Q) => state.q.as_slice().to_vec(),
                    Wire::Param(V) => state.v.as_slice().to_vec(),
                    Wire::Param(A) => state.a.as_slice().to_vec(),
                    Wire::Output(ROW_FORCES) => some_forces(sizes.nr).as_slice().to_vec(),
                    other => panic!("{other:?} has no value here"),
                })
            });
            let (mass, j) = (model.crba(state.q.as_slice()), of(&whole, ROWS_DQ).clone_owned());
            let referred =
                contacts.iter().map(|c| Contact { frame: c.frame, kind: c.kind, anchor: None, second: None });
            let none = Holding { mu: 0.0, kp: 0.0, kd: 0.0 };
            let (q, v, data) = (state.q.as_slice(), state.v.as_slice(), &mut Data::new(&model));
            let (jacobian, _) = rows_of_reference(&model, data, q, v, &referred.collect::<Vec<_>>(), none);
            assert_eq!(jacobian.shape(), j.shape());
            for (torques, of_rows, known) in [(DTAU_DQ, ROWS_DQ, 3..6), (DTAU_DV, ROWS_DV, 0..3)] {
                let (t, r) = (of(&whole, torques), of(&whole, of_rows));
                let (mut t_expected, mut r_expected) = (t.clone(), r.clone());
                for column in known {
                    let x = of(&beside, torques).column(column).into_owned();
                    assert!(x.rows(3, model.nv - 3).iter().all(|x| *x == 0.0), "linear accelerations alone");
                    let left = t.column(column) + &mass * &x;
                    assert!(left.amax() < 1e-10 * t.amax().max(1.0), "{seed}: {left}");
                    t_expected.set_column(column, &x);
                    r_expected.set_column(column, &(r.column(column) + &jacobian * &x));
                }
                // By q, turns of the root and its position alone.
                close("torques", of(&beside, torques), &t_expected);
                close("rows", of(&beside, of_rows), &r_expected);
            }
        }
    }
    assert!(checked >= 8, "{checked} of 24 have a floating root");
}
