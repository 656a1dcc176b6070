//! Register allocation for straight lines, which knows no instruction set.
//!
//! In goes a [`Program`]: values, and instructions that read up to three of them. What a processor can do
//! is said of each instruction by [`Rules`]: which operands it takes from memory, and whether it overwrites
//! one of them. Out comes a list of [`Step`]s over registers, places in memory that hold a value anyway,
//! and slots. There are no branches, so that the next use of each value is known, and the value that is
//! used last gives up its register (Belady).

mod order;
mod scan;
mod slots;
mod uses;

pub use scan::allocate;

/// A number of a program, or several side by side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Value(pub u32);

impl Value {
    /// Index into [`Program::values`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Description of a value. `H` names a place in memory.
#[derive(Clone, Copy, Debug)]
pub struct ValueInfo<H> {
    /// Number of lanes. An instruction of fewer lanes reads the first ones.
    pub lanes: u8,
    /// Place in memory that holds the value from the beginning, or from a call on: an input, a constant, a
    /// result of a call.
    pub home: Option<Home<H>>,
}

/// A place in memory that holds a value for as long as the value is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Home<H> {
    /// The place.
    pub at: H,
    /// True if an instruction can read its operand from this place. Otherwise the operand is loaded.
    pub is_operand: bool,
}

/// An instruction on values.
#[derive(Clone, Debug)]
pub struct Inst<O> {
    /// Operation.
    pub op: O,
    /// Value that the instruction makes.
    pub result: Option<Value>,
    /// Values that the instruction reads; the first ones are there.
    pub reads: [Option<Value>; 3],
}

impl<O> Inst<O> {
    /// Values that the instruction reads, in order.
    pub fn operands(&self) -> impl Iterator<Item = Value> + '_ {
        self.reads.iter().copied().flatten()
    }
}

/// A straight line.
#[derive(Clone, Debug)]
pub struct Program<O, H> {
    /// The values, by number.
    pub values: Vec<ValueInfo<H>>,
    /// Instructions, in order.
    pub body: Vec<Inst<O>>,
}

/// Constraints of a processor on the operands of an instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    /// Operands that may be in memory, though not more than one at once.
    pub in_memory: [bool; 3],
    /// Operands of which one is overwritten by the result; none, where the result is anywhere.
    pub overwrites: [bool; 3],
    /// True if the instruction is a call: it preserves no register.
    pub is_call: bool,
}

/// The number of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Register(pub u8);

/// Place of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// A register.
    Register(Register),
    /// Place in memory that holds the value from the beginning.
    Home(Value),
    /// A spill slot, by its first number.
    Slot(u32),
}

/// One machine instruction's worth.
#[derive(Clone, Copy, Debug)]
pub enum Step {
    /// Reads a value from memory.
    Load {
        /// The register.
        to: Register,
        /// The value.
        value: Value,
        /// Place in memory.
        from: Source,
    },
    /// Writes a value that somebody reads later to a slot.
    Save {
        /// The register.
        from: Register,
        /// The value.
        value: Value,
        /// The slot.
        slot: u32,
    },
    /// Copies a value from register to register.
    Copy {
        /// The register that is written.
        to: Register,
        /// The value.
        value: Value,
        /// The register that is read.
        from: Register,
    },
    /// An instruction of the program.
    Do {
        /// Index into [`Program::body`].
        inst: u32,
        /// Register of the result.
        to: Option<Register>,
        /// Places of the operands.
        from: [Option<Source>; 3],
    },
}

/// A program whose values have places.
#[derive(Clone, Debug)]
pub struct Allocated {
    /// Steps, in order.
    pub steps: Vec<Step>,
    /// Size of all spill slots together, in numbers.
    pub slots: u32,
}

impl Allocated {
    /// Cost of all moves of values. A save counts twice, since a load follows.
    pub fn moves(&self) -> usize {
        let cost = |step: &Step| match step {
            Step::Load { .. } => 2,
            Step::Save { .. } => 3,
            Step::Copy { .. } => 1,
            Step::Do { from, .. } => {
                usize::from(from.iter().flatten().any(|from| matches!(from, Source::Slot(_))))
            }
        };
        self.steps.iter().map(cost).sum()
    }
}

#[cfg(test)]
mod tests;
