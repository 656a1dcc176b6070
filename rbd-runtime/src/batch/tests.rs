//! Tests that every state has its own result.

use super::*;
use crate::RneaDerivatives;
use nalgebra::{Matrix2, SVector, Vector2};
use std::vec::Vec;

/// Uses a part of every argument in every kind of result.
fn derivatives<T: Scalar>(
    (q, m, pair): &(Vector2<T>, Matrix2<T>, [Vector2<T>; 2]),
    d: &mut RneaDerivatives<T, 2>,
) {
    let times = |q: &Vector2<T>| -> Vector2<T> {
        SVector::from([m[(0, 0)] * q[0] + m[(0, 1)] * q[1], m[(1, 0)] * q[0] + m[(1, 1)] * q[1]])
    };
    d.tau = times(q);
    d.dtau_dq = Matrix2::from_columns(&[times(&pair[0]), times(&pair[1])]);
    d.dtau_dv = d.dtau_dq.transpose();
    d.dtau_da = *m;
}

fn check<T: Float + std::fmt::Debug>(each: impl Fn(f64) -> T) {
    // Small whole numbers: exact, and each state another.
    for n in 0..=2 * T::LANES + 1 {
        let number = |state: usize, k: usize| each(((state * 7 + k * 5) % 13) as f64 - 6.0);
        let q: Vec<Vector2<T>> = (0..n).map(|i| Vector2::from_fn(|r, _| number(i, r))).collect();
        let m: Vec<Matrix2<T>> = (0..n).map(|i| Matrix2::from_fn(|r, c| number(i, 2 + r + 2 * c))).collect();
        let pairs: Vec<[Vector2<T>; 2]> =
            (0..n).map(|i| array::from_fn(|k| Vector2::from_fn(|r, _| number(i, 6 + r + 2 * k)))).collect();
        let expected: Vec<RneaDerivatives<T, 2>> = (0..n)
            .map(|i| {
                let mut d = RneaDerivatives::zeros();
                derivatives(&(q[i], m[i], pairs[i]), &mut d);
                d
            })
            .collect();
        let mut out = std::vec![RneaDerivatives::zeros(); n];
        map((&q[..], &m[..], &pairs[..]), &mut out, derivatives);
        assert_eq!(out, expected);
        let each = |(q, m, pair): (&Vector2<T>, &Matrix2<T>, &[Vector2<T>; 2]), out: &mut _| {
            derivatives(&(*q, *m, *pair), out);
        };
        let mut out = std::vec![RneaDerivatives::zeros(); n];
        one_by_one((&q[..], &m[..], &pairs[..]), &mut out, each);
        assert_eq!(out, expected);
        #[cfg(feature = "rayon")]
        for grain in [0, 1, 5, 100] {
            let mut out = std::vec![RneaDerivatives::zeros(); n];
            par_map((&q[..], &m[..], &pairs[..]), &mut out, grain, derivatives);
            assert_eq!(out, expected);
            let mut out = std::vec![RneaDerivatives::zeros(); n];
            par_one_by_one((&q[..], &m[..], &pairs[..]), &mut out, grain, each);
            assert_eq!(out, expected);
        }
    }
}

#[test]
fn every_state_has_its_own_result() {
    check::<f64>(|x| x);
    check::<f32>(|x| x as f32);
}

#[test]
fn a_batch_has_as_many_threads_as_its_work_is_worth() {
    // One thread up to a million operations; beyond, 100,000 operations a thread and at least one
    // state.
    for (states, operations, expected) in [
        (4096, 150, 4096),
        (999, 1000, 999),
        (1000, 1000, 100),
        (4096, 600, 166),
        (0, 600, 0),
        (4096, 0, 4096),
        (8, 1_000_000, 0),
        (usize::MAX, 2, 50_000),
    ] {
        assert_eq!(grain(states, operations), expected, "{states} states of {operations}");
    }
}

/// Ids of the threads that computed at least one of `states` states with this grain.
#[cfg(feature = "rayon")]
fn threads_of(states: usize, grain: usize) -> std::collections::HashSet<std::thread::ThreadId> {
    let seen = std::sync::Mutex::new(std::collections::HashSet::new());
    let q = std::vec![1.0; states];
    let mut out = q.clone();
    par_map((&q[..],), &mut out, grain, |(q,), out| {
        seen.lock().unwrap().insert(std::thread::current().id());
        *out = *q;
    });
    seen.into_inner().unwrap()
}

#[cfg(feature = "rayon")]
#[test]
fn a_batch_that_is_not_shared_stays_on_the_thread_that_calls() {
    let here = std::thread::current().id();
    assert_eq!(threads_of(4096, grain(4096, 150)).into_iter().collect::<Vec<_>>(), [here]);
    // Shared work runs on the pool's threads. This thread is not one of them.
    assert!(!threads_of(4096, grain(4096, 1000)).contains(&here));
}

#[test]
fn poses_are_packed() {
    let state = |k: usize| Placement {
        rotation: nalgebra::Matrix3::from_fn(|r, c| (k + 3 * r + 7 * c) as f64),
        translation: nalgebra::Vector3::from_fn(|r, _| (k * r) as f64),
    };
    let given: Vec<_> = (0..7).map(state).collect();
    let mut out = std::vec![Placement::<f64>::identity(); 7];
    map((&given[..],), &mut out, |(given,), out| *out = *given);
    assert_eq!(out, given);
}

#[test]
#[should_panic(expected = "every argument must have 3 states")]
fn lengths_must_agree() {
    let q = [Vector2::zeros(); 2];
    map((&q[..],), &mut [Vector2::<f64>::zeros(); 3], |(q,), out| *out = *q);
}

#[test]
#[should_panic(expected = "every argument must have 3 states")]
fn lengths_must_agree_one_by_one() {
    let q = [Vector2::zeros(); 2];
    one_by_one((&q[..],), &mut [Vector2::<f64>::zeros(); 3], |(q,), out| *out = *q);
}

/// Checks results of several squares, which are transposed in registers, and of some numbers more.
fn check_large<T: Float + std::fmt::Debug>(each: impl Fn(f64) -> T) {
    type Large<T> = [SMatrix<T, 3, 7>; 2];
    for n in [T::LANES - 1, T::LANES, 3 * T::LANES] {
        let q: Vec<Vector2<T>> =
            (0..n).map(|i| Vector2::from_fn(|r, _| each((100 * i + 50 * r) as f64))).collect();
        let zeros: Large<T> = [SMatrix::from_element(T::zero()); 2];
        let mut out = std::vec![zeros; n];
        map((&q[..],), &mut out, |(q,), out| {
            for (page, q) in out.iter_mut().zip(q.iter()) {
                for (k, x) in page.iter_mut().enumerate() {
                    *x = *q + Scalar::from_f64(k as f64);
                }
            }
        });
        for (i, out) in out.iter().enumerate() {
            for (r, page) in out.iter().enumerate() {
                let expected: Vec<T> = (0..21).map(|k| each((100 * i + 50 * r + k) as f64)).collect();
                assert_eq!(page.as_slice(), &expected[..]);
            }
        }
    }
}

#[test]
fn every_number_of_a_large_result_is_in_its_place() {
    check_large::<f64>(|x| x);
    check_large::<f32>(|x| x as f32);
}

/// Every pattern of bits that a block of numbers can be left for, of three blocks and a rest.
fn check_left<T: Float + std::fmt::Debug>(each: impl Fn(f64) -> T + Copy) {
    type Matrix<T> = SMatrix<T, 9, 3>;
    for pattern in 0..8_u64 {
        // In each block that is not left, one entry can differ from zero.
        let bits = (0..3).filter(|k| pattern >> k & 1 == 1).fold(0, |bits, k| bits | 1_u64 << (9 * k));
        let number = |lane: usize, k: usize| each((100 * lane + k + 1) as f64);
        let lanes = SMatrix::from_data(ArrayStorage(array::from_fn(|c| {
            array::from_fn(|r| T::gather(|lane| number(lane, 9 * c + r)))
        })));
        let mut states = std::vec![Matrix::from_element(T::zero()); T::LANES];
        let nonzero: &'static [u64] = std::vec![bits].leak();
        unpack::group::<Matrix<T>>(&lanes, &mut states, &[Some(nonzero)]);
        for (lane, state) in states.iter().enumerate() {
            for (k, x) in state.as_slice().iter().enumerate() {
                let is_left = k < 24 && pattern >> (k / 8) & 1 == 0;
                let expected = if is_left { T::zero() } else { number(lane, k) };
                assert_eq!(*x, expected, "pattern {pattern:b}, lane {lane}, number {k}");
            }
        }
    }
}

#[test]
fn blocks_of_zeros_are_left_alone() {
    check_left::<f64>(|x| x);
    check_left::<f32>(|x| x as f32);
}

/// States beyond what bits there are, as all of [`crate::Structure`].
#[test]
#[should_panic(expected = "`out` is not zero")]
fn zeros_are_checked_beyond_the_last_bit() {
    unpack::check_zeros(&[[1.0; 64], [1.0; 64]].concat(), &[u64::MAX]);
}

#[test]
fn nonzero_numbers_are_not_checked() {
    unpack::check_zeros(&[1.0, 0.0, 1.0], &[0b101]);
}

/// Each state is in one piece, whatever the number of threads.
#[test]
fn pieces_are_all_states() {
    for states in [0, 1, 15, 16, 17, 1000] {
        for operations in [0, 1, 1500, 1_000_000] {
            let robot = Batch::<(), 1, 1>::new();
            let mut all = std::vec![robot];
            #[cfg(feature = "rayon")]
            all.extend([0, 2, 3, usize::MAX].map(|threads| robot.threads(threads)));
            for batch in all {
                let mut out = std::vec![usize::MAX; states];
                batch.in_pieces(operations, &mut out, |start, out| {
                    assert_eq!(start % 16, 0);
                    out.iter_mut().zip(start..).for_each(|(out, k)| *out = k);
                });
                assert!(out.iter().copied().eq(0..states), "{states} states of {operations}, {batch:?}");
            }
        }
    }
}

/// Threads of a robot's batch, counted by its pieces, as in [`threads_of`].
#[cfg(feature = "rayon")]
#[test]
fn a_robots_batch_has_no_more_threads_than_asked_for() {
    let pieces_of = |threads: usize, operations: usize| {
        let pieces = std::sync::atomic::AtomicUsize::new(0);
        Batch::<(), 1, 1>::new().threads(threads).in_pieces(operations, &mut [0_u8; 4096], |_, _| {
            pieces.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        });
        pieces.into_inner()
    };
    let pool = rayon::current_num_threads();
    assert_eq!([pieces_of(1, 1000), pieces_of(2, 100), pieces_of(usize::MAX, 100)], [1; 3]);
    if pool > 2 {
        assert_eq!(pieces_of(2, 1000), 2);
    }
    // Pieces of a hundred states, by 16.
    assert_eq!(pieces_of(usize::MAX, 1000), 4096_usize.div_ceil(112));
}

fn check_large_results<T: Float + std::fmt::Debug>(number: impl Fn(usize) -> T) {
    type Result<T> = RneaDerivatives<T, 12>;
    // Beyond the caches: results are copied.
    let states = (9 << 20) / size_of::<Result<T>>();
    let q: Vec<SVector<T, 1>> = (0..states).map(|k| SVector::from([number(k)])).collect();
    let f = |q: &SVector<T, 1>, out: &mut Result<T>| {
        let place = |field: usize| move |r: usize, c: usize| (field + 4 * r + 48 * c) as f64;
        let value = |k: f64| q[0] * T::from_f64(k + 1.0);
        out.tau = SVector::from_fn(|r, c| value(place(0)(r, c)));
        out.dtau_dq = SMatrix::from_fn(|r, c| value(place(1)(r, c)));
        out.dtau_dv = SMatrix::from_fn(|r, c| value(place(2)(r, c)));
        out.dtau_da = SMatrix::from_fn(|r, c| value(place(3)(r, c)));
    };
    let mut expected = std::vec![Result::zeros(); states];
    q.iter().zip(&mut expected).for_each(|(q, out)| f(q, out));
    let batch = Batch::<(), 1, 12>::new();
    let mut all = std::vec![batch];
    #[cfg(feature = "rayon")]
    all.extend([2, usize::MAX].map(|threads| batch.threads(threads)));
    for batch in all {
        let of = Facts::<0> { cost: Cost::loops("f", 1000, 0), nonzero: [] };
        let mut out = std::vec![Result::zeros(); states];
        batch.alone(of, (&q[..],), &mut out, |(q,), out| f(q, out));
        assert!(out == expected, "{batch:?}");
    }
}

#[test]
fn large_results_are_those_of_calls() {
    check_large_results(|k| k as f64);
    check_large_results(|k| k as f32);
}
