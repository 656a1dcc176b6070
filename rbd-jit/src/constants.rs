//! A kernel's constants in memory, repeated for each state.

use crate::Number;

/// A cache line, which is as wide as the widest register.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Line([u8; LINE]);

/// Bytes of a line.
const LINE: usize = 64;

/// The constants of a kernel, in its numbers.
#[derive(Debug)]
pub struct Constants {
    lines: Vec<Line>,
    /// Offset of each constant, in bytes.
    begins: Vec<usize>,
    /// True for each constant whose bits are all zero.
    zeros: Vec<bool>,
}

impl Constants {
    /// Lays out constants by lane, for this many states side by side.
    pub fn new<T: Number>(constants: &[Vec<f64>], states: usize) -> Self {
        let (mut numbers, mut begins, mut zeros) = (Vec::<T>::new(), Vec::new(), Vec::new());
        for lanes in constants {
            // Aligned to its size, so that none crosses a line.
            let size = lanes.len().next_power_of_two() * states;
            numbers.resize(numbers.len().next_multiple_of(size), T::zero());
            begins.push(numbers.len() * size_of::<T>());
            let lanes: Vec<T> = lanes.iter().map(|x| T::from_f64(*x)).collect();
            zeros.push(lanes.iter().all(|x| x.bits() == 0));
            numbers.extend(lanes.into_iter().flat_map(|x| std::iter::repeat_n(x, states)));
        }
        // Signs are flipped 16 bytes at a time, so that there are more after the last.
        numbers.extend(std::iter::repeat_n(T::zero(), 16 / size_of::<T>() - 1));
        let mut all = Self { lines: Vec::new(), begins, zeros };
        all.append(&numbers);
        all
    }

    /// More numbers, after those that there are. Where the first one is, in bytes after [`Self::address`].
    pub fn append<T: Number>(&mut self, numbers: &[T]) -> i64 {
        let begin = self.lines.len();
        let each = size_of::<T>();
        self.lines.extend(numbers.chunks(LINE / each).map(|some| {
            let mut line = Line([0; LINE]);
            for (to, x) in line.0.chunks_exact_mut(each).zip(some) {
                x.write(to);
            }
            line
        }));
        (begin * LINE) as i64
    }

    /// Address of the constants. Valid while this lives and nothing is appended, wherever it is moved to.
    pub fn address(&self) -> u64 {
        self.lines.as_ptr() as u64
    }

    /// All constants as doubles, for tests on another processor.
    #[cfg(test)]
    pub fn numbers(&self) -> Vec<f64> {
        let bytes = self.lines.iter().flat_map(|line| line.0).collect::<Vec<u8>>();
        bytes.as_chunks().0.iter().map(|bytes| f64::from_ne_bytes(*bytes)).collect()
    }

    /// Offset of a constant from [`Self::address`], in bytes.
    pub fn offset(&self, constant: u32) -> i64 {
        self.begins[constant as usize] as i64
    }

    /// True if all bits of a constant are zero.
    pub fn is_zero(&self, constant: u32) -> bool {
        self.zeros[constant as usize]
    }
}
