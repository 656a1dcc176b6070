//! The instructions of each statement.

use super::operands::Made;
use super::{COLUMNS, Kind, LINE, Memory, Op, Routine};
use crate::allocate::{Home, Program, Value};
use rbd_build::routines::Prepared;
use rbd_build::routines::scratch;
use rbd_ir::calls::Call;
use rbd_ir::kernel::{Angle, ArrayId, Kernel, Op as KernelOp, Operand, Place, Reg, Signed, Stmt};
use rustc_hash::FxHashMap;

/// A kernel on its way to instructions.
pub(super) struct Lowering<'k> {
    pub(super) kernel: &'k Kernel,
    pub(super) program: Program<Op, Memory>,
    pub(super) constants: Vec<Vec<f64>>,
    pub(super) routines: Vec<Routine>,
    /// Workspace size of the kernel so far, in numbers.
    pub(super) work: u32,
    /// Number of entries that one instruction fills.
    pub(super) filled: u8,
    /// True if numbers can be joined in a register: doubles of one state.
    pub(super) joins: bool,
    /// The value of each variable.
    pub(super) variables: FxHashMap<u32, Value>,
    /// Both lanes, for each variable that is the second lane. To be stored, the variable needs no register.
    pub(super) seconds: FxHashMap<u32, Value>,
    /// Value of all lanes and number of the lane, for each variable that is a lane.
    pub(super) lanes: FxHashMap<u32, (Value, u8)>,
    /// Constants by their bits.
    pub(super) slots: FxHashMap<Vec<u64>, u32>,
    pub(super) made: FxHashMap<Made, Value>,
}

impl<'k> Lowering<'k> {
    pub(super) fn new(kernel: &'k Kernel, work: u32, filled: u8, joins: bool) -> Self {
        Self {
            kernel,
            program: Program { values: Vec::new(), body: Vec::with_capacity(kernel.body.len() * 9 / 8) },
            constants: Vec::new(),
            routines: Vec::new(),
            work,
            filled,
            joins,
            variables: FxHashMap::default(),
            seconds: FxHashMap::default(),
            lanes: FxHashMap::default(),
            slots: FxHashMap::default(),
            made: FxHashMap::default(),
        }
    }

    pub(super) fn statement(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Let { reg, op: KernelOp::Lane(of, lane) } if lane % 2 == 1 => {
                let of = self.operand(*of);
                let pair = self.pair(of, *lane);
                self.seconds.insert(reg.number, pair);
                self.lanes.insert(reg.number, (of, *lane));
            }
            Stmt::Let { reg, op } => {
                if let KernelOp::Lane(of, lane) = op {
                    let of = self.operand(*of);
                    self.lanes.insert(reg.number, (of, *lane));
                }
                let value = self.operation(*reg, op);
                self.variables.insert(reg.number, value);
            }
            Stmt::SinCos(angles) => self.sines(angles),
            Stmt::Fill { array, with } => {
                let value = self.broadcast(Operand::Const(*with), self.filled);
                self.push(Kind::Fill(*array), self.filled, None, &[value]);
            }
            Stmt::Store { to, from } => {
                let to = Memory::Entry(*to);
                if let Some((pair, is_second)) = self.negative_lane(*from) {
                    let kind = if is_second { Kind::StoreSecond(to) } else { Kind::Store(to) };
                    self.push(kind, 1, None, &[pair]);
                    return;
                }
                match self.second(*from) {
                    Some(pair) => self.push(Kind::StoreSecond(to), 1, None, &[pair]),
                    None => {
                        let value = self.signed(*from);
                        self.push(Kind::Store(to), 1, None, &[value]);
                    }
                }
            }
            Stmt::Product(product) => {
                let rows = self.kernel.array(product.result()).rows;
                let columns = self.take((COLUMNS * rows) as u32);
                self.routine(Routine::Product { product: product.clone(), rows, columns });
            }
            Stmt::Call(call) => self.call(call),
        }
    }

    /// Two lanes, the second of which may be what is stored, if that is a lane with the other sign: all lanes
    /// get it at once.
    fn negative_lane(&mut self, from: Signed) -> Option<(Value, bool)> {
        let Signed { operand: Operand::Reg(reg), negated: true } = from else { return None };
        let (of, lane) = *self.lanes.get(&reg.number)?;
        let all = self.negative(of, self.program.values[of.index()].lanes);
        Some((self.pair(all, lane), lane % 2 == 1))
    }

    /// Both lanes of what is stored, if it is the second one and in no register of its own.
    fn second(&self, from: Signed) -> Option<Value> {
        let Signed { operand: Operand::Reg(reg), negated: false } = from else { return None };
        let pair = self.seconds.get(&reg.number)?;
        (!self.made.contains_key(&Made::Second(*pair))).then_some(*pair)
    }

    /// The entries that these statements set to zero, in order.
    pub(super) fn zeros(&self, stmts: &[Stmt]) -> Vec<Place> {
        let place = |stmt: &Stmt| match stmt {
            Stmt::Store { to, .. } if is_zero(stmt) => Some(*to),
            _ => None,
        };
        let mut zeros: Vec<Place> = stmts.iter().filter_map(place).collect();
        zeros.sort_unstable_by_key(|place| (place.array.index(), place.index));
        zeros
    }

    /// Sets entries to zero, neighbours at once.
    pub(super) fn fill(&mut self, zeros: &[Place]) {
        for run in zeros.chunk_by(|a, b| a.array == b.array && a.index + 1 == b.index) {
            let zero = self.broadcast(Operand::Const(0.0), self.filled);
            self.push(Kind::Zeros(run[0], run.len() as u32), self.filled, None, &[zero]);
        }
    }

    fn routine(&mut self, routine: Routine) {
        self.routines.push(routine);
        self.push(Kind::Routine(self.routines.len() as u32 - 1), 1, None, &[]);
    }

    fn call(&mut self, call: &Call) {
        let with_length = |id: ArrayId| (id, self.kernel.array(id).len());
        let reads: Vec<_> = call.reads().map(with_length).collect();
        let results: Vec<_> = call.results.iter().copied().map(with_length).collect();
        let copied: usize = reads.iter().chain(&results).map(|(_, length)| length).sum();
        let memory = self.take((copied + scratch(call)) as u32);
        self.routine(Routine::Call { call: Prepared::new(call), reads, results, memory });
    }

    fn operation(&mut self, reg: Reg, op: &KernelOp) -> Value {
        let lanes = reg.lanes;
        let mut of = |operand: Operand| self.broadcast(operand, lanes);
        match op {
            KernelOp::Add(a, b) => {
                let reads = [of(*a), of(*b)];
                self.make(Kind::Add, lanes, &reads)
            }
            KernelOp::Sub(a, b) => {
                let reads = [of(*a), of(*b)];
                self.make(Kind::Sub, lanes, &reads)
            }
            KernelOp::Mul(a, b) => {
                let reads = [of(*a), of(*b)];
                self.make(Kind::Mul, lanes, &reads)
            }
            KernelOp::MulAdd { a, b, c } => {
                let reads = [of(a.operand), of(*b), of(c.operand)];
                let kind = Kind::MulAdd { minus_product: a.negated, minus_addend: c.negated };
                self.make(kind, lanes, &reads)
            }
            KernelOp::Recip(a) => {
                let reads = [of(Operand::Const(1.0)), of(*a)];
                self.make(Kind::Div, lanes, &reads)
            }
            KernelOp::Hypot(a, b) => {
                let [a, b] = [*a, *b].map(of);
                let squares = [a, b].map(|x| self.make(Kind::Mul, 1, &[x, x]));
                let sum = self.make(Kind::Add, 1, &squares);
                self.make(Kind::Sqrt, 1, &[sum])
            }
            KernelOp::Gather(scalars) => {
                let values: Vec<Value> = scalars.iter().map(|s| self.operand(s.operand)).collect();
                let pairs: Vec<Value> = values.chunks(2).map(|pair| self.make(Kind::Pair, 2, pair)).collect();
                let all =
                    if let [low, high] = *pairs { self.make(Kind::Join, 4, &[low, high]) } else { pairs[0] };
                if scalars.iter().all(|s| !s.negated) {
                    return all;
                }
                let signs: Vec<f64> = scalars.iter().map(|s| if s.negated { -0.0 } else { 0.0 }).collect();
                self.flipped(all, &signs)
            }
            KernelOp::Lane(a, lane) => {
                let value = self.operand(*a);
                self.lane(value, *lane)
            }
            KernelOp::Sum(a) => self.sum(*a),
        }
    }

    /// The sum over lanes, in the order of `rbd_runtime::limbs`: `(x0 + x2) + (x1 + x3)`.
    fn sum(&mut self, a: Operand) -> Value {
        let mut value = self.operand(a);
        if self.kernel.lanes(a) == 4 {
            let high = self.lane(value, 2);
            value = self.make(Kind::Add, 2, &[value, high]);
        }
        let second = self.lane(value, 1);
        self.make(Kind::Add, 1, &[value, second])
    }

    /// Angles in a row, their sines in the next row, and their cosines.
    fn sines(&mut self, angles: &[Angle]) {
        let lanes: Vec<u8> = angles.iter().map(|a| self.kernel.lanes(a.of)).collect();
        let count: u32 = lanes.iter().map(|lanes| u32::from(*lanes)).sum();
        let angles_at = self.row_of(angles).unwrap_or_else(|| {
            let begin = self.take(count);
            self.store_angles(angles, &lanes, begin);
            Memory::Work(begin)
        });
        let (sin, cos) = (self.take(count), self.take(count));
        self.routine(Routine::Sines { count, angles: angles_at, sin, cos });
        let mut at = 0;
        for (angle, lanes) in angles.iter().zip(lanes) {
            for (reg, row) in [(angle.sin, sin), (angle.cos, cos)] {
                let Some(reg) = reg else { continue };
                let home = Home { at: Memory::Work(row + at), is_operand: true };
                let value = self.value(lanes, Some(home));
                self.variables.insert(reg.number, value);
            }
            at += u32::from(lanes);
        }
    }

    /// Stores angles in a row. Four are joined first: a processor waits long for a register that it loads
    /// from what several instructions have just stored.
    fn store_angles(&mut self, angles: &[Angle], lanes: &[u8], begin: u32) {
        let (mut at, mut rest) = (begin, angles);
        while let [angle, ..] = rest {
            let done = angles.len() - rest.len();
            let are_single =
                |from: usize| lanes[from..].iter().take(4).filter(|lanes| **lanes == 1).count() == 4;
            if self.joins && are_single(done) {
                self.store_four(&rest[..4], at);
                (at, rest) = (at + 4, &rest[4..]);
                continue;
            }
            let value = self.operand(angle.of);
            self.push(Kind::Store(Memory::Work(at)), lanes[done], None, &[value]);
            (at, rest) = (at + u32::from(lanes[done]), &rest[1..]);
        }
        // The last register overlaps the one before it.
        if let Some(last) = angles.len().checked_sub(4)
            && self.joins
            && last > 0
            && !last.is_multiple_of(4)
            && lanes.iter().all(|lanes| *lanes == 1)
        {
            self.store_four(&angles[last..], begin + last as u32);
        }
    }

    fn store_four(&mut self, angles: &[Angle], at: u32) {
        let values: Vec<Value> = angles.iter().map(|angle| self.operand(angle.of)).collect();
        let pairs: Vec<Value> = values.chunks(2).map(|pair| self.make(Kind::Pair, 2, pair)).collect();
        let all = self.make(Kind::Join, 4, &pairs);
        self.push(Kind::Store(Memory::Work(at)), 4, None, &[all]);
    }

    /// Place of the angles, if they are in a row already: neighbours in an input.
    fn row_of(&self, angles: &[Angle]) -> Option<Memory> {
        let place = |angle: &Angle| match angle.of {
            Operand::Load(place) => Some(place),
            _ => None,
        };
        let first = place(angles.first()?)?;
        let is_next = |(k, angle): (usize, &Angle)| {
            place(angle) == Some(Place { index: first.index + k as u32, ..first })
        };
        angles.iter().enumerate().all(is_next).then_some(Memory::Entry(first))
    }

    /// Memory of the kernel's own.
    fn take(&mut self, count: u32) -> u32 {
        let begin = self.work;
        self.work += count.next_multiple_of(LINE);
        begin
    }
}

/// True if a statement sets an entry to zero, without a sign.
pub(super) fn is_zero(stmt: &Stmt) -> bool {
    match stmt {
        Stmt::Store { from: Signed { operand: Operand::Const(x), negated: false }, .. } => x.to_bits() == 0,
        _ => false,
    }
}
