use super::*;
use crate::products::Support;

const IN: ArrayId = ArrayId(0);
const OUT: ArrayId = ArrayId(1);

fn decl(name: &'static str, rows: usize, columns: usize, role: Role) -> ArrayDecl {
    ArrayDecl { name, rows, columns, role }
}

fn reg(number: u32) -> Reg {
    Reg { number, lanes: 1 }
}

fn load(index: u32) -> Operand {
    Operand::Load(Place { array: IN, index })
}

fn store(index: u32, operand: Operand, negated: bool) -> Stmt {
    Stmt::Store { to: Place { array: OUT, index }, from: Signed { operand, negated } }
}

/// `[-sin(q1) q0 + 2, 0]` by a fused product, and the sum of two lanes.
fn example() -> Kernel {
    let plus = |operand| Signed { operand, negated: false };
    let pair = Reg { number: 8, lanes: 2 };
    Kernel {
        arrays: vec![decl("q", 2, 1, Role::In), decl("y", 3, 1, Role::Out)],
        lane_constants: vec![vec![10.0, 20.0]],
        body: vec![
            Stmt::Fill { array: OUT, with: 0.0 },
            Stmt::SinCos(vec![Angle { of: load(1), sin: Some(reg(4)), cos: None, turned: None }]),
            Stmt::Let {
                reg: reg(7),
                op: Op::MulAdd {
                    a: Signed { operand: Operand::Reg(reg(4)), negated: true },
                    b: load(0),
                    c: plus(Operand::Const(2.0)),
                },
            },
            store(0, Operand::Reg(reg(7)), false),
            Stmt::Let { reg: pair, op: Op::Mul(Operand::LaneConst(0), load(0)) },
            Stmt::Let { reg: reg(9), op: Op::Sum(Operand::Reg(pair)) },
            store(2, Operand::Reg(reg(9)), true),
        ],
    }
}

#[test]
fn a_kernel_runs_as_it_reads() {
    let kernel = example();
    assert_eq!(kernel.verify(), Ok(()));
    let y = kernel.run(&[&[3.0, 0.5]]);
    assert_eq!(y, [[2.0 - 0.5_f64.sin() * 3.0, 0.0, -90.0]]);
    let text = "\
in q[2 x 1]
out y[3 x 1]
y[..] = 0.0
(x4, _) = sin_cos(q[1])
x7 = fma(-x4, q[0], 2.0)
y[0] = x7
x8:2 = [10.0, 20.0] * q[0]
x9 = sum(x8:2)
y[2] = -x9
";
    assert_eq!(kernel.to_string(), text);
    assert_eq!(kernel.instructions(), 3);
}

/// The fault of the example after this change.
fn fault(change: impl FnOnce(&mut Vec<Stmt>)) -> String {
    let mut kernel = example();
    change(&mut kernel.body);
    kernel.verify().expect_err("it is not sound any more")
}

#[test]
fn what_is_not_sound_is_found() {
    assert_eq!(fault(|body| drop(body.remove(0))), "y[1] is never written");
    assert_eq!(fault(|body| body.swap(1, 2)), "statement 1: x4 is not written yet");
    assert_eq!(
        fault(|body| {
            let again = body[2].clone();
            body.push(again);
        }),
        "statement 7: x7 is written twice"
    );
    assert_eq!(fault(|body| body.push(store(3, load(0), false))), "statement 7: y[3] is outside");
    let pair = Operand::Reg(Reg { number: 8, lanes: 2 });
    assert_eq!(fault(|body| body.push(store(1, pair, false))), "statement 7: one number is asked for");
    let sum = Stmt::Let { reg: reg(11), op: Op::Add(pair, pair) };
    assert_eq!(fault(|body| body.push(sum)), "statement 7: the lanes of x11's operands are not its own");
    assert_eq!(fault(|body| body.push(Stmt::Fill { array: IN, with: 0.0 })), "statement 7: q is read only");
    let no_angles = || Stmt::SinCos(Vec::new());
    assert_eq!(fault(|body| body.extend([no_angles(), no_angles()])), "sines and cosines are taken twice");
}

#[test]
fn a_product_reads_what_is_written_and_writes_the_rest() {
    let full = Support::new(2, |_, _| true);
    let mut kernel = Kernel {
        arrays: vec![decl("a", 2, 2, Role::In), decl("x", 2, 2, Role::Out)],
        lane_constants: Vec::new(),
        body: vec![
            Stmt::Fill { array: OUT, with: 1.0 },
            Stmt::Product(Product::negative((IN, &full), (OUT, &full))),
        ],
    };
    assert_eq!(kernel.verify(), Ok(()));
    assert_eq!(kernel.run(&[&[1.0, 2.0, 3.0, 4.0]]), [[-4.0, -6.0, -4.0, -6.0]]);
    kernel.body.remove(0);
    assert_eq!(kernel.verify(), Err("statement 0: x[0] is read by a product, and not written yet".into()));
}

#[test]
fn a_symmetric_product_is_mirrored() {
    let lower = Support::new(2, |r, c| c <= r);
    let (g, d, out) = (ArrayId(0), ArrayId(1), ArrayId(2));
    let kernel = Kernel {
        arrays: vec![decl("g", 2, 2, Role::In), decl("d", 2, 1, Role::In), decl("m", 2, 2, Role::Out)],
        lane_constants: Vec::new(),
        body: vec![Stmt::Product(Product::gram((g, &lower), d, out))],
    };
    assert_eq!(kernel.verify(), Ok(()));
    // [1 0; 3 1] diag(2, 5) [1 3; 0 1].
    assert_eq!(kernel.run(&[&[1.0, 3.0, 0.0, 1.0], &[2.0, 5.0]]), [[2.0, 6.0, 6.0, 23.0]]);
}

/// Eight products are made first and then stored one after the other: each can be made where it is stored.
#[test]
fn a_lean_kernel_keeps_few_values_and_gives_the_same() {
    let made = (0..8).map(|k| Stmt::Let { reg: reg(k), op: Op::Mul(load(k % 2), load(k / 4)) });
    let stored = (0..8).map(|k| store(k, Operand::Reg(reg(7 - k)), false));
    let kernel = Kernel {
        arrays: vec![decl("q", 2, 1, Role::In), decl("y", 8, 1, Role::Out)],
        lane_constants: Vec::new(),
        body: made.chain(stored).collect(),
    };
    let lean = kernel.lean();
    // Two entries of the input, and the values computed from them.
    assert_eq!((kernel.most_alive(), lean.most_alive()), (8, 3));
    assert_eq!(lean.verify(), Ok(()));
    assert_eq!(lean.run(&[&[3.0, 0.5]]), kernel.run(&[&[3.0, 0.5]]));
    // A kernel that is not straight-line stays as it is.
    assert_eq!(example().lean(), example());
}

/// Computed angles, as of mimic joints: the values that they are computed from stay before their
/// sines.
#[test]
fn a_lean_kernel_has_the_sines_of_computed_values() {
    let of = |number: u32| Operand::Reg(reg(number));
    let twice = |number, index| Stmt::Let { reg: reg(number), op: Op::Mul(load(index), Operand::Const(2.0)) };
    let angle = |of, sin, cos| Angle { of, sin: Some(reg(sin)), cos: Some(reg(cos)), turned: None };
    let mut body = vec![twice(0, 0), twice(1, 1), Stmt::Let { reg: reg(2), op: Op::Add(of(0), of(1)) }];
    body.push(Stmt::SinCos(vec![angle(of(2), 3, 4), angle(of(1), 5, 6)]));
    // All products are made before any is stored; one of the variables before the sines is read
    // after them too.
    let pairs = [(3, 4), (3, 5), (3, 6), (4, 5), (4, 6), (5, 6), (0, 3), (0, 5)];
    for (k, (a, b)) in (10..).zip(pairs) {
        body.push(Stmt::Let { reg: reg(k), op: Op::Mul(of(a), of(b)) });
    }
    body.extend((0..8).map(|k| store(k, of(10 + k), k % 2 == 1)));
    let kernel = Kernel {
        arrays: vec![decl("q", 2, 1, Role::In), decl("y", 8, 1, Role::Out)],
        lane_constants: Vec::new(),
        body,
    };
    assert_eq!(kernel.verify(), Ok(()));
    let lean = kernel.lean();
    assert_eq!(lean.verify(), Ok(()));
    assert!(lean.most_alive() < kernel.most_alive(), "{} {}", lean.most_alive(), kernel.most_alive());
    let q: [f64; 2] = [0.3, -0.8];
    let at = |stmt: &Stmt| matches!(stmt, Stmt::SinCos(_));
    assert_eq!(lean.body.iter().position(at), Some(3));
    assert_eq!(lean.run(&[&q]), kernel.run(&[&q]));
    // By hand: sines and cosines of 2 q0 + 2 q1 and of 2 q1.
    let ((s, c), (t, d)) = ((2.0 * q[0] + 2.0 * q[1]).sin_cos(), (2.0 * q[1]).sin_cos());
    let x = 2.0 * q[0];
    let expected = [s * c, -(s * t), s * d, -(c * t), c * d, -(t * d), x * s, -(x * t)];
    assert_eq!(lean.run(&[&q]), [expected]);
}

/// An order that is good enough is not improved.
#[test]
fn a_lean_kernel_may_have_so_many_values_alive() {
    let made = (0..8).map(|k| Stmt::Let { reg: reg(k), op: Op::Mul(load(k % 2), load(k / 4)) });
    let stored = (0..8).map(|k| store(k, Operand::Reg(reg(7 - k)), false));
    let kernel = Kernel {
        arrays: vec![decl("q", 2, 1, Role::In), decl("y", 8, 1, Role::Out)],
        lane_constants: Vec::new(),
        body: made.chain(stored).collect(),
    };
    assert_eq!(kernel.lean_within(8), kernel);
    assert_eq!(kernel.lean_within(7).most_alive(), 3);
}

/// Kernels of every kind of statement are read as they were written, and nothing else is read.
#[test]
fn bytes_are_the_kernel() {
    use super::bytes::{Known, Reader, Writer};
    let place = |index| Place { array: IN, index };
    let support = Support::new(2, |row, column| row >= column);
    let product = Product::negative((IN, &support), (OUT, &support));
    let gram = Product::gram((IN, &support), OUT, ArrayId(2));
    let call = Call {
        routine: crate::calls::Routine::Inverse,
        arguments: vec![Some(IN), None],
        scratch: vec![ArrayId(2)],
        results: vec![OUT],
        robot: None,
        terms: Some(std::sync::Arc::new(crate::calls::Terms {
            panels: crate::products::Panels::new(&support),
            by_q: product.groups.clone(),
            by_v: Vec::new(),
            knows_base: true,
        })),
    };
    let mut kernel = example();
    let turned = Some(Turned { of: place(1), sign: -1.0, offset: 0.5 });
    kernel.body.push(Stmt::SinCos(vec![Angle { of: load(0), sin: None, cos: Some(reg(1 << 20)), turned }]));
    kernel.body.extend([Stmt::Product(product), Stmt::Product(gram), Stmt::Call(call)]);
    let ops = [
        Op::Sub(load(0), Operand::Const(-0.0)),
        Op::Recip(load(1)),
        Op::Hypot(load(0), load(1)),
        Op::Lane(Operand::LaneConst(0), 1),
    ];
    kernel.body.extend(ops.map(|op| Stmt::Let { reg: reg(300), op }));
    let mut written = Writer::default();
    kernel.write(&mut written);
    fn interned(name: &str) -> &'static str {
        ["q", "y"].into_iter().find(|known| *known == name).unwrap_or("other")
    }
    let known = Known { robot: None, interned };
    let bytes = &written.bytes[..];
    let mut reader = Reader { bytes };
    assert_eq!(Kernel::read(&mut reader, known).as_ref(), Some(&kernel));
    assert!(reader.bytes.is_empty());
    for length in 0..bytes.len() {
        assert_eq!(Kernel::read(&mut Reader { bytes: &bytes[..length] }, known), None, "{length} bytes");
    }
    // Whatever the bytes are, reading ends.
    for k in 0..bytes.len() {
        for bit in 0..8 {
            let mut other = bytes.to_vec();
            other[k] ^= 1 << bit;
            let _ = Kernel::read(&mut Reader { bytes: &other }, known);
        }
    }
}
