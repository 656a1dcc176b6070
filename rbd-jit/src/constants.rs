//! A kernel's constants in memory, repeated for each state.

/// A cache line of numbers, which is as wide as the widest register.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Line([f64; 8]);

/// The constants of a kernel.
#[derive(Debug)]
pub struct Constants {
    lines: Vec<Line>,
    /// Where each begins, in numbers.
    begins: Vec<usize>,
    /// Whether all bits of each are zero.
    zeros: Vec<bool>,
}

impl Constants {
    /// These constants, by lane, for so many states side by side.
    pub fn new(constants: &[Vec<f64>], states: usize) -> Self {
        let mut numbers = Vec::new();
        let mut begins = Vec::new();
        for lanes in constants {
            // Aligned to its size, so that none crosses a line.
            let size = lanes.len().next_power_of_two() * states;
            numbers.resize(numbers.len().next_multiple_of(size), 0.0);
            begins.push(numbers.len());
            numbers.extend(lanes.iter().flat_map(|x| std::iter::repeat_n(*x, states)));
        }
        // Signs are flipped two numbers at a time, so that there is one after the last.
        numbers.push(0.0);
        let is_zero = |lanes: &Vec<f64>| lanes.iter().all(|x| x.to_bits() == 0);
        let zeros = constants.iter().map(is_zero).collect();
        let mut all = Self { lines: Vec::new(), begins, zeros };
        all.append(&numbers);
        all
    }

    /// More numbers, after those that there are. Where the first one is, in bytes after [`Self::address`].
    pub fn append(&mut self, numbers: &[f64]) -> i64 {
        let begin = self.lines.len();
        self.lines.extend(numbers.chunks(8).map(|some| {
            let mut line = Line([0.0; 8]);
            line.0[..some.len()].copy_from_slice(some);
            line
        }));
        (begin * size_of::<Line>()) as i64
    }

    /// Where they are. They stay there while this lives and nothing is appended, wherever it is moved to.
    pub fn address(&self) -> u64 {
        self.lines.as_ptr() as u64
    }

    /// All of them, for tests on another processor.
    #[cfg(test)]
    pub fn numbers(&self) -> Vec<f64> {
        self.lines.iter().flat_map(|line| line.0).collect()
    }

    /// Where one is, in bytes after [`Self::address`].
    pub fn offset(&self, constant: u32) -> i64 {
        8 * self.begins[constant as usize] as i64
    }

    /// Whether all its bits are zero.
    pub fn is_zero(&self, constant: u32) -> bool {
        self.zeros[constant as usize]
    }
}
