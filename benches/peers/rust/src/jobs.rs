//! Derivatives of one state, differences in their place, and derivatives of many states.
//!
//! A robot without all functions does not have the trait `Robot`, so these take the functions that they need.

use crate::{Job, State};
use nalgebra::{SMatrix, SVector};
use rbd::batch::Float;
use rbd::{AbaDerivatives, RneaDerivatives, batch};
use std::rc::Rc;

/// SIMD type of one register: four states, or eight with AVX-512.
pub type Lanes = <f64 as Float>::Lanes;

fn flat_rnea<const NV: usize>(x: &RneaDerivatives<f64, NV>, all: &mut Vec<f64>) {
    all.extend(x.tau.iter().chain(&x.dtau_dq).chain(&x.dtau_dv).chain(&x.dtau_da));
}

fn flat_aba<const NV: usize>(x: &AbaDerivatives<f64, NV>, all: &mut Vec<f64>) {
    all.extend(x.ddq.iter().chain(&x.ddq_dq).chain(&x.ddq_dv).chain(&x.ddq_dtau));
}

/// A job that writes derivatives of inverse dynamics.
fn of_rnea<const NQ: usize, const NV: usize>(
    states: &Rc<[State<NQ, NV>]>,
    call: impl Fn(&State<NQ, NV>, &mut RneaDerivatives<f64, NV>) + Clone + 'static,
) -> Job {
    Job::new(states.clone(), || Box::new(RneaDerivatives::zeros()), call, flat_rnea)
}

/// A job that writes derivatives of forward dynamics.
fn of_aba<const NQ: usize, const NV: usize>(
    states: &Rc<[State<NQ, NV>]>,
    call: impl Fn(&State<NQ, NV>, &mut AbaDerivatives<f64, NV>) + Clone + 'static,
) -> Job {
    Job::new(states.clone(), || Box::new(AbaDerivatives::zeros()), call, flat_aba)
}

pub fn rnea<const NQ: usize, const NV: usize>(
    states: &Rc<[State<NQ, NV>]>,
    f: impl Fn(&SVector<f64, NQ>, &SVector<f64, NV>, &SVector<f64, NV>) -> SVector<f64, NV> + Copy + 'static,
) -> Job {
    Job::vector(states, move |s| f(&s.q, &s.v, &s.a))
}

pub fn aba<const NQ: usize, const NV: usize>(
    states: &Rc<[State<NQ, NV>]>,
    f: impl Fn(&SVector<f64, NQ>, &SVector<f64, NV>, &SVector<f64, NV>) -> SVector<f64, NV> + Copy + 'static,
) -> Job {
    Job::vector(states, move |s| f(&s.q, &s.v, &s.tau))
}

pub fn crba<const NQ: usize, const NV: usize>(
    states: &Rc<[State<NQ, NV>]>,
    f: impl Fn(&SVector<f64, NQ>, &mut SMatrix<f64, NV, NV>) + Copy + 'static,
) -> Job {
    Job::matrix(states, move |s, out| f(&s.q, out))
}

pub fn minv<const NQ: usize, const NV: usize>(
    states: &Rc<[State<NQ, NV>]>,
    f: impl Fn(&SVector<f64, NQ>, &mut SMatrix<f64, NV, NV>) + Copy + 'static,
) -> Job {
    crba(states, f)
}

pub fn rnea_derivatives<const NQ: usize, const NV: usize>(
    states: &Rc<[State<NQ, NV>]>,
    f: impl Fn(&SVector<f64, NQ>, &SVector<f64, NV>, &SVector<f64, NV>, &mut RneaDerivatives<f64, NV>)
    + Copy
    + 'static,
) -> Job {
    of_rnea(states, move |s, out| f(&s.q, &s.v, &s.a, out))
}

pub fn aba_derivatives<const NQ: usize, const NV: usize>(
    states: &Rc<[State<NQ, NV>]>,
    f: impl Fn(&SVector<f64, NQ>, &SVector<f64, NV>, &SVector<f64, NV>, &mut AbaDerivatives<f64, NV>)
    + Copy
    + 'static,
) -> Job {
    of_aba(states, move |s, out| f(&s.q, &s.v, &s.tau, out))
}

/// `f(q, v)`, and column by column its forward differences, by q in the tangent space: 2 NV + 1 values.
fn differences<const NQ: usize, const NV: usize>(
    s: &State<NQ, NV>,
    integrate: impl Fn(&SVector<f64, NQ>, &SVector<f64, NV>) -> SVector<f64, NQ>,
    f: impl Fn(&SVector<f64, NQ>, &SVector<f64, NV>) -> SVector<f64, NV>,
    by_q: &mut SMatrix<f64, NV, NV>,
    by_v: &mut SMatrix<f64, NV, NV>,
) -> SVector<f64, NV> {
    const STEP: f64 = 1e-8;
    let value = f(&s.q, &s.v);
    let mut step = SVector::zeros();
    let mut v = s.v;
    for j in 0..NV {
        step[j] = STEP;
        by_q.set_column(j, &((f(&integrate(&s.q, &step), &s.v) - value) / STEP));
        step[j] = 0.0;
        v[j] += STEP;
        by_v.set_column(j, &((f(&s.q, &v) - value) / STEP));
        v[j] = s.v[j];
    }
    value
}

/// The results of [`rnea_derivatives`], by differences and the mass matrix.
pub fn rnea_differences<const NQ: usize, const NV: usize>(
    states: &Rc<[State<NQ, NV>]>,
    integrate: impl Fn(&SVector<f64, NQ>, &SVector<f64, NV>) -> SVector<f64, NQ> + Copy + 'static,
    rnea: impl Fn(&SVector<f64, NQ>, &SVector<f64, NV>, &SVector<f64, NV>) -> SVector<f64, NV> + Copy + 'static,
    crba: impl Fn(&SVector<f64, NQ>, &mut SMatrix<f64, NV, NV>) + Copy + 'static,
) -> Job {
    of_rnea(states, move |s, out| {
        let f = |q: &_, v: &_| rnea(q, v, &s.a);
        out.tau = differences(s, integrate, f, &mut out.dtau_dq, &mut out.dtau_dv);
        crba(&s.q, &mut out.dtau_da);
    })
}

/// The results of [`aba_derivatives`], by differences and the mass matrix's inverse.
pub fn aba_differences<const NQ: usize, const NV: usize>(
    states: &Rc<[State<NQ, NV>]>,
    integrate: impl Fn(&SVector<f64, NQ>, &SVector<f64, NV>) -> SVector<f64, NQ> + Copy + 'static,
    aba: impl Fn(&SVector<f64, NQ>, &SVector<f64, NV>, &SVector<f64, NV>) -> SVector<f64, NV> + Copy + 'static,
    minv: impl Fn(&SVector<f64, NQ>, &mut SMatrix<f64, NV, NV>) + Copy + 'static,
) -> Job {
    of_aba(states, move |s, out| {
        let f = |q: &_, v: &_| aba(q, v, &s.tau);
        out.ddq = differences(s, integrate, f, &mut out.ddq_dq, &mut out.ddq_dv);
        minv(&s.q, &mut out.ddq_dtau);
    })
}

/// Arguments of many states as slices of their own.
struct Many<const NQ: usize, const NV: usize> {
    q: Vec<SVector<f64, NQ>>,
    v: Vec<SVector<f64, NV>>,
    tau: Vec<SVector<f64, NV>>,
}

/// A job of one call for all states, with a result for each.
fn of_many<const NQ: usize, const NV: usize>(
    states: &[State<NQ, NV>],
    call: impl Fn(&Many<NQ, NV>, &mut [AbaDerivatives<f64, NV>]) + Clone + 'static,
) -> Job {
    let count = states.len();
    let many = Many {
        q: states.iter().map(|s| s.q).collect(),
        v: states.iter().map(|s| s.v).collect(),
        tau: states.iter().map(|s| s.tau).collect(),
    };
    let make = move || Box::new(vec![AbaDerivatives::zeros(); count]);
    let flat = |all: &Vec<_>, list: &mut Vec<f64>| all.iter().for_each(|x| flat_aba(x, list));
    Job::new([many].into(), make, move |many, all: &mut Vec<_>| call(many, all), flat)
}

/// `aba_derivatives` of all states: one by one, in lanes, and in lanes on all cores.
pub fn batches<const NQ: usize, const NV: usize>(
    states: &[State<NQ, NV>],
    one: impl Fn(&SVector<f64, NQ>, &SVector<f64, NV>, &SVector<f64, NV>, &mut AbaDerivatives<f64, NV>)
    + Copy
    + 'static,
    lanes: impl Fn(&SVector<Lanes, NQ>, &SVector<Lanes, NV>, &SVector<Lanes, NV>, &mut AbaDerivatives<Lanes, NV>)
    + Copy
    + Sync
    + 'static,
) -> [(&'static str, Job); 3] {
    let one_by_one = of_many(states, move |s, all| {
        for (((q, v), tau), out) in s.q.iter().zip(&s.v).zip(&s.tau).zip(all) {
            one(q, v, tau, out);
        }
    });
    let in_lanes = of_many(states, move |s, all| {
        batch::map((&s.q[..], &s.v[..], &s.tau[..]), all, |(q, v, tau), out| lanes(q, v, tau, out));
    });
    let threads = of_many(states, move |s, all| {
        batch::par_map((&s.q[..], &s.v[..], &s.tau[..]), all, 16, |(q, v, tau), out| lanes(q, v, tau, out));
    });
    [
        ("aba_derivatives_batch", one_by_one),
        ("aba_derivatives_batch:lanes", in_lanes),
        ("aba_derivatives_batch:threads", threads),
    ]
}
