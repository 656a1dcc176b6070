//! Unpacks lanes: writes each lane's numbers to its own state.
//!
//! Squares of four numbers of four states are transposed in registers. From a plain loop compilers
//! make loads of single numbers, or gathers, which take two to three times as long.

use super::{Float, Lanewise};

/// Numbers of a state that are written together: a cache line of doubles.
const BLOCK: usize = 8;

/// Rows and columns of a square.
const SIDE: usize = 4;

/// Writes each lane to its state. Numbers that are zero in every state, whose bits in `nonzero` are zero, may
/// stay as they are.
#[inline(always)]
pub(super) fn group<O: Lanewise>(lanes: &O::Lanes, out: &mut [O], nonzero: &[Option<&'static [u64]>]) {
    // A literal number of states for each case, from one to the number of lanes.
    match out {
        [_, _, _, _] => of::<O, 4>(lanes, out, nonzero),
        [_, _, _, _, _, _, _, _] => of::<O, 8>(lanes, out, nonzero),
        _ => of::<O, 16>(lanes, out, nonzero),
    }
}

#[inline(always)]
fn of<O: Lanewise, const N: usize>(lanes: &O::Lanes, out: &mut [O], nonzero: &[Option<&'static [u64]>]) {
    match <&mut [O; N]>::try_from(&mut *out) {
        Ok(out) if N == O::Float::LANES => match nonzero {
            [] => O::unpack_all(lanes, out.each_mut()),
            _ => O::unpack_nonzero(lanes, out.each_mut(), &mut nonzero.iter().copied()),
        },
        _ => {
            for (i, out) in out.iter_mut().enumerate() {
                lane(lanes, i, out);
            }
        }
    }
}

/// Writes lane `i`, of sixteen at most, to `out`.
pub(crate) fn lane<O: Lanewise + ?Sized>(lanes: &O::Lanes, i: usize, out: &mut O) {
    // With a lane number known at compile time, reading a lane is one load.
    match i {
        0 => O::unpack::<0>(lanes, out),
        1 => O::unpack::<1>(lanes, out),
        2 => O::unpack::<2>(lanes, out),
        3 => O::unpack::<3>(lanes, out),
        4 => O::unpack::<4>(lanes, out),
        5 => O::unpack::<5>(lanes, out),
        6 => O::unpack::<6>(lanes, out),
        7 => O::unpack::<7>(lanes, out),
        8 => O::unpack::<8>(lanes, out),
        9 => O::unpack::<9>(lanes, out),
        10 => O::unpack::<10>(lanes, out),
        11 => O::unpack::<11>(lanes, out),
        12 => O::unpack::<12>(lanes, out),
        13 => O::unpack::<13>(lanes, out),
        14 => O::unpack::<14>(lanes, out),
        _ => O::unpack::<15>(lanes, out),
    }
}

/// A number type whose squares can be transposed in registers.
pub trait Turned: Copy {
    /// Number i of row j of the result is number j of row i.
    fn turn(square: [&[Self; SIDE]; SIDE], to: [&mut [Self; SIDE]; SIDE]);
}

/// Writes lane i of `lanes[k]` to `states[i][k]`. States beyond the lanes are left as they are, and blocks
/// whose bits in `nonzero` are all zero.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn scatter<T: Turned, const LANES: usize, const N: usize>(
    lanes: &[[T; LANES]],
    states: [&mut [T]; N],
    nonzero: Option<&[u64]>,
) {
    match nonzero {
        None => scatter_all_but(lanes, states, |_| false),
        Some(bits) => scatter_all_but(lanes, states, |k| {
            // A block has a byte of bits. Beyond the last word all are zero.
            bits.get(k / BLOCK).is_none_or(|word| word.to_le_bytes()[k % BLOCK] == 0)
        }),
    }
}

/// Panics if a number that is zero in every state is not.
#[track_caller]
pub fn check_zeros<T: Float>(state: &[T], nonzero: &[u64]) {
    let is_nonzero = |k: usize| nonzero.get(k / 64).is_some_and(|word| word >> (k % 64) & 1 == 1);
    let stays = |(k, x): (usize, &T)| is_nonzero(k) || *x == T::zero();
    assert!(state.iter().enumerate().all(stays), "{}", crate::__private::NOT_ZERO);
}

#[cfg_attr(not(debug_assertions), inline(always))]
fn scatter_all_but<T: Turned, const LANES: usize, const N: usize>(
    lanes: &[[T; LANES]],
    states: [&mut [T]; N],
    is_left: impl Fn(usize) -> bool,
) {
    let (blocks, rest) = lanes.as_chunks::<BLOCK>();
    let mut states = states.map(|state| state.as_chunks_mut::<BLOCK>());
    for (k, block) in blocks.iter().enumerate().filter(|(k, _)| !is_left(*k)) {
        for (first, states) in states.as_chunks_mut::<SIDE>().0.iter_mut().enumerate() {
            let rows = block.each_ref().map(|row| row.as_chunks::<SIDE>().0.get(first));
            let to = states.each_mut().map(|(to, _)| to.get_mut(k));
            let [Some(a), Some(b), Some(c), Some(d), Some(e), Some(f), Some(g), Some(h)] = rows else {
                continue;
            };
            let [Some(p), Some(q), Some(r), Some(s)] = to else { continue };
            let halves = [p, q, r, s].map(|to| to.as_chunks_mut::<SIDE>().0);
            if let [[p, t], [q, u], [r, v], [s, w]] = halves {
                T::turn([a, b, c, d], [p, q, r, s]);
                T::turn([e, f, g, h], [t, u, v, w]);
            }
        }
    }
    for (lane, (whole, to)) in states.iter_mut().enumerate() {
        // States of equal length have equally many numbers left.
        if whole.len() == blocks.len() {
            for (to, lanes) in to.iter_mut().zip(rest) {
                if let Some(x) = lanes.get(lane) {
                    *to = *x;
                }
            }
        }
    }
}

impl Turned for f64 {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn turn(square: [&[Self; SIDE]; SIDE], to: [&mut [Self; SIDE]; SIDE]) {
        #[cfg(all(target_arch = "x86_64", target_feature = "avx"))]
        // SAFETY: compiled only for processors with AVX; each load and store is of four numbers in
        // bounds.
        unsafe {
            use core::arch::x86_64::*;
            let [a, b, c, d] = square.map(|row| _mm256_loadu_pd(row.as_ptr()));
            let (ab, cd) = (_mm256_unpacklo_pd(a, b), _mm256_unpacklo_pd(c, d));
            let (over_ab, over_cd) = (_mm256_unpackhi_pd(a, b), _mm256_unpackhi_pd(c, d));
            let [p, q, r, s] = to;
            _mm256_storeu_pd(p.as_mut_ptr(), _mm256_permute2f128_pd::<0x20>(ab, cd));
            _mm256_storeu_pd(q.as_mut_ptr(), _mm256_permute2f128_pd::<0x20>(over_ab, over_cd));
            _mm256_storeu_pd(r.as_mut_ptr(), _mm256_permute2f128_pd::<0x31>(ab, cd));
            _mm256_storeu_pd(s.as_mut_ptr(), _mm256_permute2f128_pd::<0x31>(over_ab, over_cd));
        }
        #[cfg(not(all(target_arch = "x86_64", target_feature = "avx")))]
        one_by_one(square, to);
    }
}

impl Turned for f32 {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn turn(square: [&[Self; SIDE]; SIDE], to: [&mut [Self; SIDE]; SIDE]) {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: every processor of this architecture has SSE; each load and store is of four
        // numbers in bounds.
        unsafe {
            use core::arch::x86_64::*;
            let [mut a, mut b, mut c, mut d] = square.map(|row| _mm_loadu_ps(row.as_ptr()));
            _MM_TRANSPOSE4_PS(&mut a, &mut b, &mut c, &mut d);
            for (to, row) in to.into_iter().zip([a, b, c, d]) {
                _mm_storeu_ps(to.as_mut_ptr(), row);
            }
        }
        #[cfg(not(target_arch = "x86_64"))]
        one_by_one(square, to);
    }
}

/// Number by number.
#[allow(dead_code, reason = "where there are no registers for it")]
#[cfg_attr(not(debug_assertions), inline(always))]
fn one_by_one<T: Copy>(square: [&[T; SIDE]; SIDE], to: [&mut [T; SIDE]; SIDE]) {
    for (k, to) in to.into_iter().enumerate() {
        *to = square.map(|row| row[k]);
    }
}
