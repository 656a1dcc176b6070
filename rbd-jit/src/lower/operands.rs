//! The values of a kernel's operands, each made once.

use super::statements::Lowering;
use super::{Kind, Memory, Op};
use crate::allocate::{Home, Inst, Value, ValueInfo};
use rbd_ir::kernel::{Operand, Signed};

/// Key of a value that is made once: the operands and the operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Made {
    /// Value in memory and its number of lanes. A broadcast number has a number of lanes too.
    Memory(Memory, u8),
    Splat(Value, u8),
    High(Value),
    Second(Value),
    Negative(Value),
}

impl Lowering<'_> {
    /// An operand of an instruction of `lanes` lanes: a scalar is broadcast.
    pub(super) fn broadcast(&mut self, operand: Operand, lanes: u8) -> Value {
        if lanes == 1 || self.kernel.lanes(operand) > 1 {
            return self.operand(operand);
        }
        match operand {
            Operand::Const(x) => self.constant(&vec![x; lanes.into()]),
            // As quick to load again as it was the first time.
            Operand::Load(place) => self.in_memory(Memory::Splat(place), lanes),
            _ => {
                let scalar = self.operand(operand);
                self.once(Made::Splat(scalar, lanes), Kind::Splat, lanes, scalar)
            }
        }
    }

    /// An operand as it is.
    pub(super) fn operand(&mut self, operand: Operand) -> Value {
        match operand {
            Operand::Const(x) => self.constant(&[x]),
            Operand::LaneConst(slot) => self.constant(&self.kernel.lane_constants[slot as usize].clone()),
            Operand::Load(place) => self.in_memory(Memory::Entry(place), 1),
            Operand::Reg(reg) => match self.seconds.get(&reg.number) {
                Some(pair) => self.once(Made::Second(*pair), Kind::Second, 1, *pair),
                None => self.variables[&reg.number],
            },
        }
    }

    /// A number or its negative.
    pub(super) fn signed(&mut self, signed: Signed) -> Value {
        match signed.operand {
            Operand::Const(x) if signed.negated => self.constant(&[-x]),
            operand => {
                let value = self.operand(operand);
                if signed.negated { self.negative(value, 1) } else { value }
            }
        }
    }

    /// The first lanes of a value with the other sign. Entries of a symmetric matrix are stored twice.
    pub(super) fn negative(&mut self, value: Value, lanes: u8) -> Value {
        let key = Made::Negative(value);
        match self.made.get(&key) {
            Some(negative) if self.lanes(*negative) == lanes => *negative,
            _ => {
                let negative = self.flipped(value, &vec![-0.0; lanes.into()]);
                self.made.insert(key, negative);
                negative
            }
        }
    }

    /// A value with the signs of these numbers flipped that are negative zeros.
    pub(super) fn flipped(&mut self, value: Value, signs: &[f64]) -> Value {
        let signs = self.constant(signs);
        let lanes = self.lanes(signs);
        self.make(Kind::Flip, lanes, &[value, signs])
    }

    /// One lane.
    pub(super) fn lane(&mut self, value: Value, lane: u8) -> Value {
        let pair = self.pair(value, lane);
        // What reads one lane of a value reads the first.
        if lane.is_multiple_of(2) { pair } else { self.once(Made::Second(pair), Kind::Second, 1, pair) }
    }

    /// The pair of lanes that contains `lane`.
    pub(super) fn pair(&mut self, value: Value, lane: u8) -> Value {
        if lane > 1 { self.once(Made::High(value), Kind::High, 2, value) } else { value }
    }

    fn constant(&mut self, numbers: &[f64]) -> Value {
        let bits: Vec<u64> = numbers.iter().map(|x| x.to_bits()).collect();
        let constants = &mut self.constants;
        let slot = *self.slots.entry(bits).or_insert_with(|| {
            constants.push(numbers.to_vec());
            constants.len() as u32 - 1
        });
        self.in_memory(Memory::Constant(slot), numbers.len() as u8)
    }

    /// Returns a value that lies in memory from the beginning.
    fn in_memory(&mut self, at: Memory, lanes: u8) -> Value {
        if let Some(value) = self.made.get(&Made::Memory(at, lanes)) {
            return *value;
        }
        let is_operand = !matches!(at, Memory::Splat(_));
        let value = self.value(lanes, Some(Home { at, is_operand }));
        self.made.insert(Made::Memory(at, lanes), value);
        value
    }

    /// Makes a value by one instruction on one value, unless it is there already.
    fn once(&mut self, key: Made, kind: Kind, lanes: u8, of: Value) -> Value {
        if let Some(value) = self.made.get(&key) {
            return *value;
        }
        let value = self.make(kind, lanes, &[of]);
        self.made.insert(key, value);
        value
    }

    pub(super) fn make(&mut self, kind: Kind, lanes: u8, reads: &[Value]) -> Value {
        let result = self.value(lanes, None);
        self.push(kind, lanes, Some(result), reads);
        result
    }

    pub(super) fn push(&mut self, kind: Kind, lanes: u8, result: Option<Value>, reads: &[Value]) {
        let reads = [0, 1, 2].map(|k| reads.get(k).copied());
        self.program.body.push(Inst { op: Op { kind, lanes }, result, reads });
    }

    pub(super) fn value(&mut self, lanes: u8, home: Option<Home<Memory>>) -> Value {
        self.program.values.push(ValueInfo { lanes, home });
        Value(self.program.values.len() as u32 - 1)
    }

    pub(super) fn lanes(&self, value: Value) -> u8 {
        self.program.values[value.index()].lanes
    }
}
