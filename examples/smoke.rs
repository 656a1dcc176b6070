rbd::rbd_robot!("robots/iiwa14.urdf");
use nalgebra::SVector;
fn main() {
    let q = SVector::from([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7]);
    let v = SVector::from([0.1, -0.2, 0.3, 0.4, -0.5, 0.6, 0.7]);
    let tau = Iiwa14::rnea(&q, &v, &SVector::zeros());
    let ddq = Iiwa14::aba(&q, &v, &tau);
    println!("{tau} {ddq}");
    let model = Iiwa14::model::<f64>();
    println!("{}", model.rnea(q.as_slice(), v.as_slice(), &[0.0; 7]));
    let d = Iiwa14::aba_derivatives(&q, &v, &tau);
    println!(
        "{}",
        d.ddq_dq
            - nalgebra::SMatrix::<f64, 7, 7>::from_column_slice(
                model.aba_derivatives(q.as_slice(), v.as_slice(), tau.as_slice(), None).ddq_dq.as_slice()
            )
    );
}
