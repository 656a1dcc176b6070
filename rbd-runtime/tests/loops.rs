//! Loops over tables against the generic reference, which works body by body in link frames and shares nothing with them.

mod common;

use common::{close, for_all};
use nalgebra::{DMatrix, DVector};
use rbd_runtime::loops::of_model::Owned;
use rbd_runtime::loops::rnea_derivatives::{Results, rnea_derivatives_of_slices};
use rbd_runtime::model::Model;
use rbd_runtime::random::{Options, State, random_model, random_state};
use rbd_runtime::spatial::Vector6;
use rbd_runtime::{JointKind, Scalar};

/// tau, and its derivatives by q, v and a.
type Derivatives<T> = (DVector<T>, [DMatrix<T>; 3]);

/// By loops, of arrays for up to `P - 8` rows.
fn derivatives<T: Scalar, const P: usize>(
    owned: &Owned,
    [q, v, a]: [&[T]; 3],
    fext: Option<&[Vector6<T>]>,
) -> Derivatives<T> {
    let nv = v.len();
    let mut tau = DVector::from_element(nv, T::from_f64(f64::NAN));
    let mut by = [(); 3].map(|()| DMatrix::from_element(nv, nv, T::from_f64(f64::NAN)));
    let [dq, dv, da] = &mut by;
    let out = Results {
        tau: tau.as_mut_slice(),
        dq: dq.as_mut_slice(),
        dv: dv.as_mut_slice(),
        da: da.as_mut_slice(),
    };
    rnea_derivatives_of_slices(&owned.tables::<P>().expect("P is enough"), [q, v, a], fext, out);
    (tau, by)
}

fn check<const P: usize>(model: &Model<f64>, s: &State, owned: &Owned) {
    for fext in [None, Some(&s.fext[..])] {
        let (q, v, a) = (s.q.as_slice(), s.v.as_slice(), s.a.as_slice());
        let (tau, [dq, dv, da]) = derivatives::<f64, P>(owned, [q, v, a], fext);
        let expected = model.rnea_derivatives(q, v, a, fext);
        let what = |name| format!("{} {name}", model.name);
        close(&what("tau"), tau.iter(), expected.tau.iter(), 1e-12);
        close(&what("dtau_da"), da.iter(), expected.dtau_da.iter(), 1e-12);
        close(&what("dtau_dv"), dv.iter(), expected.dtau_dv.iter(), 1e-12);
        close(&what("dtau_dq"), dq.iter(), expected.dtau_dq.iter(), 1e-12);
    }
}

#[test]
fn derivatives_on_random_trees_of_every_joint_kind() {
    for_all(|model, s| {
        for longest in [1, 8, 1000] {
            let owned = Owned::with_segments(model, longest).expect("a model with masses");
            check::<64>(model, s, &owned);
        }
    });
}
