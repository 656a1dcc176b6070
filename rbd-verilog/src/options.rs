//! Options of a circuit.

/// What a circuit is to be like.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Multipliers that it has.
    pub multipliers: usize,
    /// Adders; by default in proportion.
    pub adders: Option<usize>,
    /// Where sines and cosines are taken.
    pub angles: Angles,
}

/// Where sines and cosines are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Angles {
    /// In the circuit.
    Inside,
    /// By whoever gives the state.
    Given,
}
