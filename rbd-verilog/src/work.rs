//! The work of a unit: what it reads, how long it takes.

/// What a unit reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Source {
    /// A constant.
    Const(i32),
    /// A value: inputs are numbered first, then what [`Micro::ops`](crate::micro::Micro::ops) give.
    Value(u32),
}

/// What a unit does in one go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// A product and an addend, by a multiplier.
    Mac(Mac),
    /// `a + b`, or `a - b`, by an adder.
    Sum {
        /// The first.
        a: Source,
        /// The second.
        b: Source,
        /// Whether the second is taken away.
        minus: bool,
    },
    /// A part of a turn, reflected into a quarter turn; by an adder.
    Fold(Source),
    /// `2^exponent / a`, by a divider.
    Recip {
        /// The divisor.
        a: Source,
        /// The numerator's.
        exponent: u32,
    },
}

/// `c + round(a b)`, with signs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mac {
    /// A factor.
    pub a: Source,
    /// The other.
    pub b: Source,
    /// The addend: needed two cycles after the factors.
    pub c: Source,
    /// Whether the addend is what the operation before gave: then the same unit may do both in two cycles that follow.
    pub chained: bool,
    /// Whether the addend is negated.
    pub minus_c: bool,
    /// Whether the exact product is negated.
    pub minus: bool,
    /// Whether ties are rounded downwards: of a rounded product that is negated.
    pub ties_down: bool,
    /// Bits of the product that are left out.
    pub shift: u32,
}

/// How many cycles work takes, from when its operands are read until its value can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// A product with its addend.
    pub mac: u32,
    /// So much later than the factors the addend is read.
    pub addend_later: u32,
    /// Whether what a unit gave can be the addend of its next product: that is read a cycle earlier.
    pub passes_on: bool,
    /// A sum, a reflection.
    pub sum: u32,
    /// A reciprocal, beyond the cycles in which bits are found.
    pub recip: u32,
}

/// Of units that are shared: operands come from memories.
pub const FOLDED: Timing = Timing { mac: 3, addend_later: 1, passes_on: true, sum: 2, recip: 3 };
/// Of units that each do one piece of work: a product with three registers, a sum with one.
pub const PIPELINED: Timing = Timing { mac: 3, addend_later: 2, passes_on: false, sum: 1, recip: 2 };
/// Bits of a quotient that a divider finds in a cycle.
pub const BITS_A_CYCLE: u32 = 3;

/// Cycles in which the bits of a reciprocal are found.
pub fn division_steps(exponent: u32, bits: u32) -> u32 {
    // The numerator with half of the divisor, for rounding.
    (exponent.max(bits - 2) + 2).div_ceil(BITS_A_CYCLE)
}

/// Units of a kind can do the same work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A product with an addend.
    Multiplier,
    /// Two operands, or an angle.
    Adder,
    /// Bit by bit; it is busy meanwhile.
    Divider,
}

impl Work {
    /// What it reads, on shared units, and how much later than when it starts.
    pub fn reads(self) -> impl Iterator<Item = (Source, u32)> {
        self.reads_in(FOLDED)
    }

    /// What it reads, and how much later than when it starts.
    pub fn reads_in(self, timing: Timing) -> impl Iterator<Item = (Source, u32)> {
        let (first, second, third) = match self {
            Self::Mac(mac) => ((mac.a, 0), Some((mac.b, 0)), Some((mac.c, timing.addend_later))),
            Self::Sum { a, b, .. } => ((a, 0), Some((b, 0)), None),
            Self::Fold(a) | Self::Recip { a, .. } => ((a, 0), None, None),
        };
        [Some(first), second, third].into_iter().flatten()
    }

    /// Whether a multiplier does it.
    pub fn is_mac(self) -> bool {
        self.kind() == Kind::Multiplier
    }

    /// The units that do it.
    pub fn kind(self) -> Kind {
        match self {
            Self::Mac(_) => Kind::Multiplier,
            Self::Sum { .. } | Self::Fold(_) => Kind::Adder,
            Self::Recip { .. } => Kind::Divider,
        }
    }
}
