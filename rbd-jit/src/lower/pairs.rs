//! Two registers of two numbers in place of four lanes.

use super::{Kind, Lowered, Memory, Op};
use crate::allocate::{Home, Inst, Program, Value, ValueInfo};
use rbd_ir::kernel::Place;
use rustc_hash::FxHashMap;

impl Lowered {
    /// Instructions of at most two lanes, for processors whose registers have no room for more. Results are
    /// the same to the last bit: an instruction on four lanes becomes one on each half, and what only moves
    /// halves becomes nothing.
    pub fn in_pairs(self) -> Self {
        let mut pairs = Pairs {
            from: &self.program,
            to: Program { values: Vec::new(), body: Vec::with_capacity(self.program.body.len()) },
            constants: self.constants,
            halves: vec![None; self.program.values.len()],
            made: FxHashMap::default(),
        };
        for inst in &self.program.body {
            pairs.instruction(inst);
        }
        let Pairs { to, constants, .. } = pairs;
        Self { program: to, constants, ..self }
    }
}

/// The pairs of a value. Of at most two lanes, both are the value itself.
type Halves = [Value; 2];

struct Pairs<'p> {
    from: &'p Program<Op, Memory>,
    to: Program<Op, Memory>,
    constants: Vec<Vec<f64>>,
    /// Halves of each value of the original program.
    halves: Vec<Option<Halves>>,
    /// Halves of constants, by their bits.
    made: FxHashMap<[u64; 2], Value>,
}

impl Pairs<'_> {
    fn instruction(&mut self, inst: &Inst<Op>) {
        let Op { kind, lanes } = inst.op;
        let reads = inst.reads.map(|value| value.map(|value| self.halves(value)));
        let half = |k: usize| reads.map(|halves| halves.map(|halves| halves[k]));
        let Some(result) = inst.result else {
            match kind {
                Kind::Store(Memory::Work(at)) if lanes == 4 => {
                    self.push(kind, 2, None, half(0));
                    self.push(Kind::Store(Memory::Work(at + 2)), 2, None, half(1));
                }
                _ => self.push(kind, lanes.min(2), None, half(0)),
            }
            return;
        };
        self.halves[result.index()] = Some(match (kind, reads) {
            (Kind::Join, [Some(low), Some(high), _]) => [low[0], high[0]],
            (Kind::High, [Some(of), ..]) => [of[1]; 2],
            (Kind::Splat, _) => [self.make(kind, lanes.min(2), half(0)); 2],
            _ if lanes == 4 => [0, 1].map(|k| self.make(kind, 2, half(k))),
            _ => [self.make(kind, lanes, half(0)); 2],
        });
    }

    fn make(&mut self, kind: Kind, lanes: u8, reads: [Option<Value>; 3]) -> Value {
        let result = self.value(lanes, None);
        self.push(kind, lanes, Some(result), reads);
        result
    }

    fn push(&mut self, kind: Kind, lanes: u8, result: Option<Value>, reads: [Option<Value>; 3]) {
        self.to.body.push(Inst { op: Op { kind, lanes }, result, reads });
    }

    fn value(&mut self, lanes: u8, home: Option<Home<Memory>>) -> Value {
        self.to.values.push(ValueInfo { lanes, home });
        Value(self.to.values.len() as u32 - 1)
    }

    /// The pairs of a value that an instruction made, or that lies in memory.
    fn halves(&mut self, value: Value) -> Halves {
        if let Some(halves) = self.halves[value.index()] {
            return halves;
        }
        let ValueInfo { lanes, home } = self.from.values[value.index()];
        let home = home.expect("a value is made before it is read");
        let halves = if lanes == 4 { self.of_four(home) } else { [self.value(lanes, Some(home)); 2] };
        self.halves[value.index()] = Some(halves);
        halves
    }

    /// The pairs of four numbers in memory.
    fn of_four(&mut self, home: Home<Memory>) -> Halves {
        let place = |place: Place, more: u32| Place { index: place.index + more, ..place };
        let mut at = |at: Memory| self.value(2, Some(Home { at, ..home }));
        match home.at {
            Memory::Splat(_) => [at(home.at); 2],
            Memory::Entry(begin) => [0, 2].map(|k| at(Memory::Entry(place(begin, k)))),
            Memory::Work(begin) => [0, 2].map(|k| at(Memory::Work(begin + k))),
            Memory::Constant(k) => {
                let numbers = self.constants[k as usize].clone();
                [0, 2].map(|begin| self.constant([numbers[begin], numbers[begin + 1]], home))
            }
        }
    }

    fn constant(&mut self, numbers: [f64; 2], home: Home<Memory>) -> Value {
        let key = numbers.map(f64::to_bits);
        if let Some(value) = self.made.get(&key) {
            return *value;
        }
        self.constants.push(numbers.to_vec());
        let at = Memory::Constant(self.constants.len() as u32 - 1);
        let value = self.value(2, Some(Home { at, ..home }));
        self.made.insert(key, value);
        value
    }
}
