//! Engines: machine code for a processor, or the interpreter.

/// Means of computing a robot's functions: machine code for a processor, or the interpreter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Engine {
    /// Machine code for AVX-512.
    Avx512,
    /// Machine code for AVX2 and FMA.
    Avx2,
    /// Machine code of aarch64, with NEON.
    Neon,
    /// No machine code: kernels are interpreted. Answers are the same, and calls take much longer.
    Interpreter,
}

impl Engine {
    /// Fastest engine of this processor.
    pub fn best() -> Self {
        let all = [Self::Avx512, Self::Avx2, Self::Neon];
        all.into_iter().find(|engine| engine.is_there()).unwrap_or(Self::Interpreter)
    }

    /// True if this processor has the instructions of the engine.
    pub fn is_there(self) -> bool {
        crate::code::is_there(self)
    }

    /// Number of states of a batch that the engine computes side by side, in double precision.
    pub fn states(self) -> usize {
        match self {
            Self::Avx512 => 8,
            Self::Avx2 => 4,
            Self::Neon => 2,
            Self::Interpreter => 1,
        }
    }
}

impl std::fmt::Display for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Avx512 => "AVX-512 (F, VL and DQ)",
            Self::Avx2 => "AVX2 and FMA",
            Self::Neon => "NEON",
            Self::Interpreter => "interpreter",
        })
    }
}
