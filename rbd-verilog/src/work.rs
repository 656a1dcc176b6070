//! Work of a unit: operands and durations.

/// Source of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Source {
    /// A constant.
    Const(i32),
    /// A value. Inputs are numbered first, then the values of [`Micro::ops`](crate::micro::Micro::ops).
    Value(u32),
}

/// A piece of work of a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    /// Product with an addend, by a multiplier.
    Mac(Mac),
    /// Sum `a + b` or `a - b`, by an adder.
    Sum {
        /// First operand.
        a: Source,
        /// Second operand.
        b: Source,
        /// True if the second operand is subtracted.
        minus: bool,
    },
    /// Reflection of a fraction of a turn into a quarter turn, by an adder.
    Fold(Source),
    /// Quotient `2^exponent / a`, by a divider.
    Recip {
        /// The divisor.
        a: Source,
        /// Exponent of the numerator.
        exponent: u32,
    },
}

/// Sum `c + round(a b)`, with signs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mac {
    /// First factor.
    pub a: Source,
    /// Second factor.
    pub b: Source,
    /// Addend, which is read later than the factors ([`Timing::addend_later`]).
    pub c: Source,
    /// True if the addend is the previous operation's value. One unit may then do both in consecutive cycles.
    pub chained: bool,
    /// True if the addend is negated.
    pub minus_c: bool,
    /// True if the exact product is negated.
    pub minus: bool,
    /// True if ties are rounded downwards, as for the negative of a rounded product.
    pub ties_down: bool,
    /// Bits of the product that are dropped.
    pub shift: u32,
}

/// Durations of work, in cycles from reading the operands until the value can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Timing {
    /// Product with its addend.
    pub mac: u32,
    /// Delay of the addend after the factors.
    pub addend_later: u32,
    /// True if a unit's value can be the addend of its next product. It is then read a cycle earlier.
    pub passes_on: bool,
    /// Sum or reflection.
    pub sum: u32,
    /// Reciprocal, without the cycles that find its bits.
    pub recip: u32,
}

/// Durations of shared units, whose operands come from memories.
pub const FOLDED: Timing = Timing { mac: 3, addend_later: 1, passes_on: true, sum: 2, recip: 3 };
/// Durations of unshared units: a product has three registers, a sum one.
pub const PIPELINED: Timing = Timing { mac: 3, addend_later: 2, passes_on: false, sum: 1, recip: 2 };
/// Bits of a quotient that a divider finds in a cycle.
pub const BITS_A_CYCLE: u32 = 3;

/// Cycles in which a divider finds the bits of a reciprocal.
pub fn division_steps(exponent: u32, bits: u32) -> u32 {
    // Bits of the numerator with half of the divisor added, for rounding.
    (exponent.max(bits - 2) + 2).div_ceil(BITS_A_CYCLE)
}

/// Kind of a unit. Units of a kind can do each other's work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Computes a product with an addend.
    Multiplier,
    /// Computes a sum of two operands, or reflects an angle.
    Adder,
    /// Divides bit by bit, and is busy meanwhile.
    Divider,
}

impl Work {
    /// Operands on shared units, each with its delay after the start.
    pub fn reads(self) -> impl Iterator<Item = (Source, u32)> {
        self.reads_in(FOLDED)
    }

    /// Operands, each with its delay after the start.
    pub fn reads_in(self, timing: Timing) -> impl Iterator<Item = (Source, u32)> {
        let (first, second, third) = match self {
            Self::Mac(mac) => ((mac.a, 0), Some((mac.b, 0)), Some((mac.c, timing.addend_later))),
            Self::Sum { a, b, .. } => ((a, 0), Some((b, 0)), None),
            Self::Fold(a) | Self::Recip { a, .. } => ((a, 0), None, None),
        };
        [Some(first), second, third].into_iter().flatten()
    }

    /// True if it is work for a multiplier.
    pub fn is_mac(self) -> bool {
        self.kind() == Kind::Multiplier
    }

    /// Kind of the units that can do it.
    pub fn kind(self) -> Kind {
        match self {
            Self::Mac(_) => Kind::Multiplier,
            Self::Sum { .. } | Self::Fold(_) => Kind::Adder,
            Self::Recip { .. } => Kind::Divider,
        }
    }
}
