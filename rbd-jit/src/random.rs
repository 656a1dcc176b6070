//! Random numbers and kernels for tests.

/// A small generator of numbers (PCG's multiplier; the upper bits).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        let mut random = Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d);
        random.next();
        random
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    /// Random integer from 0 to before `n`.
    pub fn below(&mut self, n: usize) -> usize {
        self.next() as usize % n
    }

    /// One of `n` things, more often a late one.
    pub fn recent(&mut self, n: usize) -> usize {
        let back = if self.below(4) == 0 { self.below(n) } else { self.below(n.min(30)) };
        n - 1 - back
    }

    /// Random number from -1 to 1.
    pub fn number(&mut self) -> f64 {
        self.next() as f64 / f64::from(1u32 << 30) - 1.0
    }
}

use rbd_ir::kernel::{Angle, ArrayDecl, ArrayId, Kernel, Op, Operand, Place, Reg, Role, Signed, Stmt};

/// Lengths of the two inputs and the outputs of a random kernel, by the numbers of their arrays.
pub const LENGTHS: [usize; 4] = [7, 40, 9, 23];

/// A kernel of so many operations: two inputs, an output that is filled and then partly stored to, and one
/// that is stored to. `lanes` says whether there are vectors.
pub fn kernel(random: &mut Random, operations: usize, lanes: bool) -> Kernel {
    let decl =
        |(k, name, role): (usize, &'static str, Role)| ArrayDecl { name, rows: LENGTHS[k], columns: 1, role };
    let arrays = [(0, "q", Role::In), (1, "x", Role::In), (2, "y", Role::Out), (3, "z", Role::Out)];
    let arrays = arrays.map(decl).to_vec();
    let lane_constants = [2, 4].map(|n| (0..n).map(|_| random.number()).collect()).to_vec();
    let mut made = Made { random, variables: Vec::new(), lanes, next: 0 };
    let mut body =
        vec![Stmt::Fill { array: ArrayId(3), with: if operations.is_multiple_of(2) { 0.0 } else { 1.5 } }];
    body.push(made.angles());
    for _ in 0..operations {
        let stmt = made.operation();
        body.push(stmt);
    }
    for (array, length) in [(2, LENGTHS[2]), (3, LENGTHS[3] / 2)] {
        for index in 0..length as u32 {
            let from = made.signed();
            body.push(Stmt::Store { to: Place { array: ArrayId(array), index }, from });
        }
    }
    let kernel = Kernel { arrays, lane_constants, body };
    kernel.verify().unwrap();
    kernel
}

struct Made<'r> {
    random: &'r mut Random,
    variables: Vec<Reg>,
    lanes: bool,
    next: u32,
}

impl Made<'_> {
    fn variable(&mut self, lanes: u8) -> Reg {
        self.next += 1;
        let reg = Reg { number: self.next, lanes };
        self.variables.push(reg);
        reg
    }

    fn load(&mut self) -> Operand {
        let array = self.random.below(2);
        let index = self.random.below(LENGTHS[array]) as u32;
        Operand::Load(Place { array: ArrayId(array as u16), index })
    }

    /// An operand of one lane or of `lanes` lanes.
    fn operand(&mut self, lanes: u8) -> Operand {
        match self.random.below(8) {
            0 => self.load(),
            1 => Operand::Const([0.0, 1.0, -0.5, 3.25][self.random.below(4)]),
            2 if lanes > 1 => Operand::LaneConst(u32::from(lanes / 4)),
            _ => {
                let fits: Vec<Reg> =
                    self.variables.iter().copied().filter(|r| [1, lanes].contains(&r.lanes)).collect();
                if fits.is_empty() { self.load() } else { Operand::Reg(fits[self.random.recent(fits.len())]) }
            }
        }
    }

    fn vector(&mut self) -> Option<Reg> {
        let vectors: Vec<Reg> = self.variables.iter().copied().filter(|r| r.lanes > 1).collect();
        (!vectors.is_empty()).then(|| vectors[self.random.recent(vectors.len())])
    }

    fn signed(&mut self) -> Signed {
        Signed { operand: self.operand(1), negated: self.random.below(3) == 0 }
    }

    /// Neighbours in an input, or anything.
    fn angles(&mut self) -> Stmt {
        let is_row = self.random.below(2) == 0;
        let count = 1 + self.random.below(LENGTHS[0]);
        let angles = (0..count as u32).map(|index| {
            let of = if is_row { Operand::Load(Place { array: ArrayId(0), index }) } else { self.load() };
            let sin = (self.random.below(5) != 0).then(|| self.variable(1));
            let cos = (self.random.below(5) != 0).then(|| self.variable(1));
            Angle { of, sin, cos, turned: None }
        });
        Stmt::SinCos(angles.collect())
    }

    fn operation(&mut self) -> Stmt {
        let lanes = if self.lanes { [1, 1, 2, 4][self.random.below(4)] } else { 1 };
        let op = match self.random.below(14) {
            0 | 1 => Op::Add(self.operand(lanes), self.operand(lanes)),
            2 | 3 => Op::Sub(self.operand(lanes), self.operand(lanes)),
            4 | 5 => Op::Mul(self.operand(lanes), self.operand(lanes)),
            6 => Op::Recip(self.operand(lanes)),
            7 if lanes == 1 => Op::Hypot(self.operand(1), self.operand(1)),
            8 if lanes > 1 => Op::Gather((0..lanes).map(|_| self.signed()).collect()),
            9 | 10 if lanes == 1 && self.vector().is_some() => {
                let vector = self.vector().expect("there is one");
                match self.random.below(3) {
                    0 => Op::Sum(Operand::Reg(vector)),
                    _ => Op::Lane(Operand::Reg(vector), self.random.below(vector.lanes.into()) as u8),
                }
            }
            _ => {
                let signed = |operand, random: &mut Random| Signed { operand, negated: random.below(3) == 0 };
                let [a, b, c] = [0; 3].map(|_| self.operand(lanes));
                Op::MulAdd { a: signed(a, self.random), b, c: signed(c, self.random) }
            }
        };
        Stmt::Let { reg: self.variable(lanes), op }
    }
}
