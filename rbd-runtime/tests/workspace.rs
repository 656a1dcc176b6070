//! The algorithms allocate nothing once their workspace is made, and their operations can be counted.

use rbd_runtime::random::{Options, random_model, random_state};
use rbd_runtime::reference::*;
use rbd_runtime::{Model, ReferenceFrame};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

struct Counting;

// SAFETY: every call is passed on to the system's allocator unchanged; counting touches no memory
// that is being allocated (the counter is constant-initialised and needs no destructor).
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.with(|n| n.set(n.get() + 1));
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// No function of the reference allocates.
#[test]
fn nothing_is_allocated_in_the_loop() {
    for (seed, mimic) in [(1, 0.0), (2, 0.4)] {
        let model = random_model(seed, &Options { mimic, ..Options::everything(9, true) });
        let mut data = Data::new(&model);
        let x = random_state(&model, 0);
        let (q, v, a, tau) = (x.q.as_slice(), x.v.as_slice(), x.a.as_slice(), x.tau.as_slice());
        let (m, d, f) = (&model, &mut data, Some(x.fext.as_slice()));
        let mut moved = x.q.clone();
        let mut back = x.v.clone();
        let before = ALLOCATIONS.with(Cell::get);
        rnea(m, d, q, v, a, f);
        bias(m, d, q, v);
        gravity(m, d, q);
        aba(m, d, q, v, tau, f);
        crba(m, d, q);
        minv(m, d, q);
        rnea_derivatives(m, d, q, v, a, f);
        aba_derivatives(m, d, q, v, tau, f);
        kinematics_derivatives(m, d, q, v, a, 4);
        forward_kinematics(m, d, q);
        frame_jacobian(m, d, q, 3, ReferenceFrame::Local);
        frame_velocity(m, d, q, v, 3, ReferenceFrame::Local);
        centroidal_momentum_matrix(m, d, q);
        coriolis_matrix(m, d, q, v);
        kinetic_energy(m, d, q, v);
        potential_energy(m, d, q);
        regressor(m, d, q, v, a);
        m.integrate_into(q, v, moved.as_mut_slice());
        m.difference_into(q, moved.as_slice(), back.as_mut_slice());
        assert_eq!(ALLOCATIONS.with(Cell::get), before);
    }
    assert!(ALLOCATIONS.with(Cell::get) > 0, "the counter must count");
}

fn chain(bodies: usize) -> Model<f64> {
    random_model(
        1,
        &Options {
            bodies,
            branching: 0.0,
            on_world: 0.0,
            kinds: vec![rbd_runtime::JointKind::Revolute],
            ..Options::default()
        },
    )
}

/// Counts are right for a handful of operations, linear in the bodies for inverse dynamics, and
/// known for each function.
#[test]
fn operations_are_counted() {
    let model = chain(3);
    let count = operation_count(&model, |x| {
        let (a, b) = (x.v[0], x.v[1]);
        let _ = (a + b) * a / b - a;
    });
    assert_eq!(count, OperationCount { add: 2, mul: 1, div: 1, sin_cos: 0, other: 0 });

    let of = |n, function| dense_count(&chain(n), function).unwrap();
    let [five, six, seven] = [5, 6, 7].map(|n| of(n, "rnea"));
    assert_eq!(seven.total() - six.total(), six.total() - five.total());
    assert_eq!(seven.sin_cos, 7);
    assert_eq!(seven.div, 0);
    assert_eq!(of(7, "aba").div, 7);
    assert!(of(7, "rnea_derivatives").total() > 5 * seven.total());
    assert!(of(7, "gravity").total() < of(7, "bias").total());
    assert_eq!(dense_count(&model, "no such function"), None);
}
