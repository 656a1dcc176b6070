//! Machine code of aarch64, with NEON: 32 registers of two doubles.
//!
//! A register holds a number, two limbs, or two states side by side. Four limbs are two registers
//! ([`Lowered::in_pairs`]). The code is made on any processor, and knows no address: it finds what it needs
//! by its first argument.

mod assembler;
mod body;
mod encode;
mod products;
mod sines;

use crate::allocate::{Inst, Register, Rules};
use crate::arrays::Array;
use crate::constants::Constants;
use crate::lower::{Kind, Lowered, Op, Routine};
use crate::ordered::ordered;
use assembler::Width;
use body::Body;
use encode::{V, X};

// By the procedure call standard (AAPCS64) callees keep x19 to x29, and the lower halves of v8 to v15. x16
// and x17 are free between calls; x18 may belong to the system.

/// The context of a run, on entry. It is kept on the stack.
const CONTEXT: X = X(0);
/// The address of the pointers, on entry and everywhere but in loops.
const POINTERS: X = X(1);
/// The address of the constants.
const CONSTANTS: X = X(2);
/// The address of the kernel's own memory.
const WORK: X = X(3);
/// Scratch register, in which far addresses are made.
const SCRATCH: X = X(16);
/// Address of an array that has no register of its own, loaded when it is needed.
const FAR: X = X(17);
/// Registers that are free for loops.
const FREE: [X; 2] = [X(0), X(8)];
/// Addresses of arrays. Those that callees keep come last.
const ARRAY_BASES: [X; 21] = [
    X(4),
    X(5),
    X(6),
    X(7),
    X(9),
    X(10),
    X(11),
    X(12),
    X(13),
    X(14),
    X(15),
    X(19),
    X(20),
    X(21),
    X(22),
    X(23),
    X(24),
    X(25),
    X(26),
    X(27),
    X(28),
];
const FRAME: X = X(29);
const LINK: X = X(30);
/// The stack pointer, in addresses.
const STACK: X = X(31);

/// Number of registers that values are allocated to.
const REGISTERS: u8 = 31;
/// Vector register that no value is allocated to.
const SPARE: V = V(31);

/// The register of a value: those that callees keep come last.
fn vector(register: Register) -> V {
    V(match register.0 {
        k @ 0..8 => k,
        k @ 8..23 => k + 8,
        k => k - 15,
    })
}

/// True if callees preserve the lower half of a register.
fn is_kept(register: V) -> bool {
    (8..16).contains(&register.0)
}

/// Why there is no machine code.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// More arguments or results than calls hand on.
    #[error("more arguments or results than a call hands on")]
    TooManyArrays,
    /// The system gave no memory.
    #[error("no memory for machine code: {0}")]
    Memory(#[from] region::Error),
}

/// A kernel's words and numbers.
#[derive(Debug)]
struct Made {
    words: Vec<u32>,
    constants: Constants,
    routines: Vec<Routine>,
    work: usize,
}

impl Made {
    /// Makes the words for this many states side by side: one or two. `arrays` are the locations of the
    /// kernel's arrays.
    fn new(lowered: &Lowered, states: usize, arrays: &[Array]) -> Result<Self, Error> {
        assert!(states == 1 || states == 2);
        let lowered = lowered.clone().in_pairs();
        let (lowered, allocated) = ordered(&lowered, REGISTERS, |inst| rules(inst, states));
        let lowered = &*lowered;
        let mut constants = Constants::new::<f64>(&lowered.constants, states);
        let sines = sines::Sines::new(lowered, &mut constants);
        let kernel =
            body::Unit { lowered, allocated: &allocated, constants: &constants, arrays, states, sines };
        let words = Body::new(kernel)?.words();
        let work = (lowered.work + allocated.slots) as usize * states;
        Ok(Self { words, constants, routines: lowered.routines.clone(), work })
    }
}

/// Constraints of the processor on the operands of an instruction.
fn rules(inst: &Inst<Op>, states: usize) -> Rules {
    let Op { kind, lanes } = inst.op;
    match kind {
        // Of two numbers there are only forms that add to a register.
        Kind::MulAdd { .. } if Width::of(usize::from(lanes) * states) == Width::Two => {
            Rules { overwrites: [false, false, true], ..Rules::default() }
        }
        Kind::Routine(_) => Rules { is_call: true, ..Rules::default() },
        _ => Rules::default(),
    }
}

// Compiled in tests on any processor, and called on its own.
#[cfg_attr(not(target_arch = "aarch64"), expect(dead_code))]
mod call;
#[cfg(test)]
pub mod tests;
#[cfg(target_arch = "aarch64")]
pub use call::{Level, Native};
