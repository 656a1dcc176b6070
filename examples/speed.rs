use nalgebra::SVector;
use std::hint::black_box;
use std::time::Instant;
rbd::rbd_robot!("robots/iiwa14.urdf");
rbd::rbd_robot! { pub struct Hyq { urdf: "robots/hyq.urdf", base: floating } }
fn time(name: &str, mut f: impl FnMut()) {
    let mut best = f64::MAX;
    for _ in 0..200 {
        let n = 500;
        let t = Instant::now();
        for _ in 0..n {
            f();
        }
        best = best.min(t.elapsed().as_nanos() as f64 / n as f64);
    }
    println!("{name:28} {best:8.1} ns");
}
macro_rules! bench {
    ($R:ident, $nq:literal, $nv:literal) => {
        let q = $R::integrate(&$R::neutral(), &SVector::<f64, $nv>::from_fn(|i, _| (i as f64 * 0.7).sin()));
        let v = SVector::<f64, $nv>::from_fn(|i, _| (i as f64 * 0.3).cos());
        let a = SVector::<f64, $nv>::from_fn(|i, _| (i as f64 * 0.9).cos());
        let mut d = rbd::RneaDerivatives::zeros();
        let mut e = rbd::AbaDerivatives::zeros();
        println!("{}", $R::NAME);
        time("rnea", || {
            black_box($R::rnea(black_box(&q), black_box(&v), black_box(&a)));
        });
        time("crba", || {
            black_box($R::crba(black_box(&q)));
        });
        time("minv", || {
            black_box($R::minv(black_box(&q)));
        });
        time("aba", || {
            black_box($R::aba(black_box(&q), black_box(&v), black_box(&a)));
        });
        time("rnea_derivatives", || {
            $R::rnea_derivatives_into(black_box(&q), black_box(&v), black_box(&a), &mut d);
            black_box(&d);
        });
        time("aba_derivatives", || {
            $R::aba_derivatives_into(black_box(&q), black_box(&v), black_box(&a), &mut e);
            black_box(&e);
        });
        let model = $R::model::<f64>();
        let mut data = rbd::reference::Data::new(&model);
        time("reference rnea", || {
            black_box(rbd::reference::rnea(
                &model,
                &mut data,
                black_box(q.as_slice()),
                black_box(v.as_slice()),
                black_box(a.as_slice()),
                None,
            ));
        });
        time("reference rnea_derivatives", || {
            black_box(rbd::reference::rnea_derivatives(
                &model,
                &mut data,
                black_box(q.as_slice()),
                black_box(v.as_slice()),
                black_box(a.as_slice()),
                None,
            ));
        });
    };
}
fn main() {
    bench!(Iiwa14, 7, 7);
    bench!(Hyq, 19, 18);
}
