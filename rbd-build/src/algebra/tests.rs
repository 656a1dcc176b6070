//! The symbolic operations against dense 6x6 matrices, at random numbers.

use super::*;
use nalgebra::{Matrix3, Matrix6, Vector3, Vector6};
use rbd_ir::graph::{Evaluator, Expr, Graph, OperationCount, Value};
use rbd_ir::passes::fuse;
use rbd_runtime::random::Random;
use rbd_runtime::spatial::{
    Inertia, Placement, force_cross, force_cross_matrix, motion_cross, motion_cross_matrix,
};

/// Inputs for every number, so that nothing folds.
struct Symbols<'g> {
    graph: &'g Graph,
    numbers: Vec<f64>,
}

impl<'g> Symbols<'g> {
    fn number(&mut self, x: f64) -> Expr<'g> {
        self.numbers.push(x);
        self.graph.input(0, self.numbers.len() - 1)
    }

    fn vec3(&mut self, x: &Vector3<f64>) -> Vec3<'g> {
        Vec3([0, 1, 2].map(|k| self.number(x[k])))
    }

    fn motion(&mut self, x: &Vector6<f64>) -> Motion<'g> {
        let lin = self.vec3(&x.fixed_rows::<3>(0).into());
        Motion { lin, ang: self.vec3(&x.fixed_rows::<3>(3).into()) }
    }

    fn force(&mut self, x: &Vector6<f64>) -> Force<'g> {
        let Motion { lin, ang } = self.motion(x);
        Force { lin, ang }
    }

    fn mat3(&mut self, x: &Matrix3<f64>) -> Mat3<'g> {
        Mat3([0, 1, 2].map(|i| [0, 1, 2].map(|j| self.number(x[(i, j)]))))
    }

    fn inertia(&mut self, x: &Inertia<f64>) -> SpatialInertia<'g> {
        let (m, h) = (self.number(x.mass), self.vec3(&x.h));
        SpatialInertia { m, h, j: Sym3::from_upper(self.mat3(&x.j)) }
    }
}

/// Matrix of a linear operator as values: its results for the six unit motions.
fn columns<'g>(apply: impl Fn(Motion<'g>) -> Force<'g>) -> Vec<Value> {
    (0..6).flat_map(|k| six(apply(Motion::unit(k)))).collect()
}

fn six(f: Force<'_>) -> Vec<Value> {
    f.lin.0.iter().chain(&f.ang.0).map(|e| e.value()).collect()
}

fn as_force<'g>(m: Motion<'g>) -> Force<'g> {
    Force { lin: m.lin, ang: m.ang }
}

/// Evaluates the expressions of `build` and compares them with `expected`, column by column.
fn check<const C: usize>(
    name: &str,
    build: impl for<'g> FnOnce(&mut Symbols<'g>) -> Vec<Value>,
    expected: nalgebra::SMatrix<f64, 6, C>,
) {
    let graph = Graph::new();
    let mut symbols = Symbols { graph: &graph, numbers: Vec::new() };
    let values = build(&mut symbols);
    let numbers = std::mem::take(&mut symbols.numbers);
    let nodes = graph.finish();
    let at = Evaluator::new(&nodes, &[&numbers]);
    assert_eq!(values.len(), 6 * C);
    for (value, expected) in values.iter().zip(expected.iter()) {
        let error = (at.get(*value) - expected).abs();
        assert!(error <= 1e-13 * (1.0 + expected.abs()), "{name}: {} is not {expected}", at.get(*value));
    }
}

fn vector6(r: &mut Random) -> Vector6<f64> {
    Vector6::from_fn(|_, _| r.uniform(-1.0, 1.0))
}

/// `B(I, x) = (x x*) I - I (x x) + (I x)~`, from its definition (docs/math.md#coriolis-operator).
fn coriolis_by_definition(i: &Matrix6<f64>, x: &Vector6<f64>) -> Matrix6<f64> {
    let f = i * x;
    // f~ m = m x* f
    let bar = Matrix6::from_columns(&[0, 1, 2, 3, 4, 5].map(|k| force_cross(&Vector6::ith(k, 1.0), &f)));
    force_cross_matrix(x) * i - i * motion_cross_matrix(x) + bar
}

#[test]
fn products_and_operators_are_those_of_dense_matrices() {
    let r = &mut Random::new(7);
    for _ in 0..20 {
        let (m, n, f) = (vector6(r), vector6(r), vector6(r));
        let inertia = r.inertia();
        let dense = inertia.matrix();
        check("motion cross", |s| six(as_force(s.motion(&m).cross(s.motion(&n)))), motion_cross(&m, &n));
        check("force cross", |s| six(s.motion(&m).cross_force(s.force(&f))), force_cross(&m, &f));
        check(
            "inertia",
            |s| {
                let i = s.inertia(&inertia);
                columns(|m| i * m)
            },
            dense,
        );
        check(
            "variation",
            |s| {
                let i = s.inertia(&inertia).variation(s.motion(&m));
                columns(|x| i * x)
            },
            force_cross_matrix(&m) * dense - dense * motion_cross_matrix(&m),
        );
        let b = coriolis_by_definition(&dense, &m);
        check(
            "Coriolis operator",
            |s| {
                let b = Coriolis::new(s.inertia(&inertia), s.motion(&m));
                columns(|x| b * x)
            },
            b,
        );
        check(
            "its transpose",
            |s| {
                let b = Coriolis::new(s.inertia(&inertia), s.motion(&m));
                columns(|x| b.transpose_mul(x))
            },
            b.transpose(),
        );
        check(
            "its variation",
            |s| {
                let b = Coriolis::new(s.inertia(&inertia), s.motion(&m)).variation(s.motion(&n));
                columns(|x| b * x)
            },
            force_cross_matrix(&n) * b - b * motion_cross_matrix(&n),
        );
    }
}

#[test]
fn frames_change_as_by_dense_matrices() {
    let r = &mut Random::new(11);
    for case in 0..40 {
        let (m, f, inertia) = (vector6(r), vector6(r), r.inertia());
        // General rotations, planar ones about each axis (the cheap way), and right angles.
        let angle = if case % 8 < 4 { r.uniform(-3.0, 3.0) } else { std::f64::consts::FRAC_PI_2 };
        let axis = case % 4;
        let rotation = match axis {
            3 => r.rotation(),
            k => nalgebra::Rotation3::from_axis_angle(
                &nalgebra::Unit::new_unchecked(Vector3::ith(k, 1.0)),
                angle,
            )
            .into_inner(),
        };
        let placement = Placement { rotation, translation: r.vector3(1.0) };
        // X^T I X with X the motion transform from parent to child.
        let x_inverse = placement.inverse().motion_matrix();
        let moved = |i: &Matrix6<f64>| placement.force_matrix() * i * x_inverse;
        macro_rules! transform {
            ($s:expr) => {{
                let rotation = if axis < 3 {
                    let pair = match case % 8 {
                        0..4 => ($s.number(angle.sin()), $s.number(angle.cos())),
                        _ => (Expr::ONE, Expr::ZERO),
                    };
                    Mat3::rotation(axis, pair)
                } else {
                    $s.mat3(&rotation)
                };
                let translation = $s.vec3(&placement.translation);
                Transform::new([Step::Rotate(rotation), Step::Translate(translation)])
            }};
        }
        check(
            "motion to parent",
            |s| {
                let t = transform!(s);
                six(as_force(t.motion_to_parent(s.motion(&m))))
            },
            placement.act_motion(&m),
        );
        check(
            "motion to child",
            |s| {
                let t = transform!(s);
                six(as_force(t.motion_to_child(s.motion(&m))))
            },
            placement.act_inv_motion(&m),
        );
        check(
            "force to parent",
            |s| {
                let t = transform!(s);
                six(t.force_to_parent(s.force(&f)))
            },
            placement.act_force(&f),
        );
        check(
            "inertia to parent",
            |s| {
                let t = transform!(s);
                let i = t.inertia_to_parent(s.inertia(&inertia));
                columns(|m| i * m)
            },
            moved(&inertia.matrix()),
        );
        check(
            "inertia, placed",
            |s| {
                let t = transform!(s);
                let i = super::Placement::IDENTITY.then(&t).act_inertia(s.inertia(&inertia));
                columns(|m| i * m)
            },
            moved(&inertia.matrix()),
        );
        check(
            "motion, placed before",
            |s| {
                let t = transform!(s);
                six(as_force(super::Placement::IDENTITY.before(&t).act_motion(s.motion(&m))))
            },
            placement.act_inv_motion(&m),
        );
        check(
            "Coriolis operator to parent",
            |s| {
                let t = transform!(s);
                let b = Coriolis::new(s.inertia(&inertia), s.motion(&m));
                let b = t.coriolis_to_parent(b);
                columns(|m| b * m)
            },
            moved(&coriolis_by_definition(&inertia.matrix(), &m)),
        );
        let other = r.inertia();
        let articulated = inertia.matrix() + other.matrix() * 2.0
            - other.matrix().column(4) * other.matrix().column(4).transpose();
        check(
            "articulated inertia to parent",
            |s| {
                let t = transform!(s);
                let (i, o) = (s.inertia(&inertia), s.inertia(&other));
                let u = [o * Motion::unit(4)];
                let sum =
                    ArticulatedInertia::from(i) + ArticulatedInertia::from(o) + ArticulatedInertia::from(o);
                let i = t.articulated_to_parent(sum.minus_outer(&u, &u));
                columns(|m| i * m)
            },
            moved(&articulated),
        );
    }
}

/// Shows why angles are not doubled. With sine and cosine of twice the angle a turned inertia takes
/// as many operations and one more instruction, even if the two are free.
#[test]
fn doubled_angles_save_nothing() {
    let cost = |build: &dyn Fn([Expr<'_>; 5]) -> Vec<Value>| {
        let graph = Graph::new();
        let outputs = build([0, 1, 2, 3, 4].map(|k| graph.input(0, k)));
        let nodes = graph.finish();
        let count = OperationCount::of(&nodes, outputs.iter().copied()).total();
        (count, fuse(&nodes, outputs).len())
    };
    let single = cost(&|[a, d, b, s, c]| {
        let inertia = Sym3 { xx: a, yy: d, xy: b, ..Sym3::ZERO };
        let Sym3 { xx, yy, xy, .. } = inertia.rotated(Mat3::rotation(2, (s, c)));
        [xx, yy, xy].map(|x| x.value()).to_vec()
    });
    // With half the sine and the cosine of twice the angle, and the sine's square.
    let double = cost(&|[a, d, b, half_sin2, cos2]| {
        let square = (Expr::ONE - cos2) * 0.5;
        let (difference, twice) = (a - d, half_sin2 * 2.0);
        let moved = square * difference + twice * b;
        [a - moved, d + moved, half_sin2 * difference + cos2 * b].map(|x| x.value()).to_vec()
    });
    // The second number is the part that all inertias of a joint share: `2 c`; `square` and
    // `twice`.
    assert_eq!(single, (9 + 1, 6 + 1));
    assert_eq!(double, (9 + 3, 7 + 3));
}
