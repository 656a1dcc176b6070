//! Copies large results past the caches.
//!
//! A plain store first fetches the line of memory that it changes, and evicts another one. Results of
//! thousands of states are not read soon: a store of a whole line past the caches fetches nothing.

/// Bytes of a line.
#[cfg(any(test, target_arch = "x86_64"))]
const LINE: usize = 64;

/// Ends copies past the caches: when it is dropped, other threads may read them.
///
/// The processor may delay such stores beyond later ones. Rust's memory model has no such stores, so each
/// copy asks for this.
#[derive(Debug)]
pub struct Fence(());

impl Fence {
    pub(super) fn new() -> Self {
        Self(())
    }
}

impl Drop for Fence {
    fn drop(&mut self) {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: every x86-64 has it.
        unsafe {
            core::arch::x86_64::_mm_sfence();
        }
    }
}

/// A number of which whole lines are stored past the caches.
pub trait Streamed: Copy {
    /// Copies `from` to `to`, which are as long. Threads that are synchronised with this one after `until` is
    /// dropped read what was copied.
    fn stream(from: &[Self], to: &mut [Self], until: &Fence);
}

macro_rules! streamed {
    ($float:ident, $store:ident, $load:ident) => {
        impl Streamed for $float {
            #[cfg(target_arch = "x86_64")]
            fn stream(from: &[Self], to: &mut [Self], _: &Fence) {
                use core::arch::x86_64::{$load, $store};
                const PER_LINE: usize = LINE / size_of::<$float>();
                const PER_REGISTER: usize = 16 / size_of::<$float>();
                let before = to.as_ptr().align_offset(LINE).min(to.len()).min(from.len());
                let ((first, from), (to_first, to)) = (from.split_at(before), to.split_at_mut(before));
                plain(first, to_first);
                let (lines, last) = from.as_chunks::<PER_LINE>();
                let (to_lines, to_last) = to.as_chunks_mut::<PER_LINE>();
                for (line, to) in lines.iter().zip(to_lines) {
                    let registers = line.as_chunks::<PER_REGISTER>().0;
                    for (register, to) in registers.iter().zip(to.as_chunks_mut::<PER_REGISTER>().0) {
                        // SAFETY: every x86-64 has SSE2. Both are 16 bytes, and `to` begins at a
                        // multiple of 16: lines begin at multiples of 64.
                        unsafe { $store(to.as_mut_ptr(), $load(register.as_ptr())) };
                    }
                }
                plain(last, to_last);
            }
            #[cfg(not(target_arch = "x86_64"))]
            fn stream(from: &[Self], to: &mut [Self], _: &Fence) {
                plain(from, to);
            }
        }
    };
}
streamed!(f64, _mm_stream_pd, _mm_loadu_pd);
streamed!(f32, _mm_stream_ps, _mm_loadu_ps);

fn plain<T: Copy>(from: &[T], to: &mut [T]) {
    for (from, to) in from.iter().zip(to) {
        *to = *from;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks copies from every place within a line, with lengths of up to several lines.
    fn copies_are_equal<T: Streamed + PartialEq + core::fmt::Debug>(number: impl Fn(usize) -> T) {
        let around = number(100);
        for length in 0..64 {
            let from: alloc::vec::Vec<T> = (0..length).map(&number).collect();
            for begin in 0..LINE / size_of::<T>() {
                let mut to = alloc::vec![around; begin + length + 1];
                T::stream(&from, &mut to[begin..begin + length], &Fence::new());
                assert_eq!(to[begin..begin + length], from, "{begin} {length}");
                assert!(to[..begin].iter().chain(&to[begin + length..]).all(|x| *x == around));
            }
        }
    }

    #[test]
    fn copies_in_double_are_equal() {
        copies_are_equal(|k| k as f64);
    }

    #[test]
    fn copies_in_single_are_equal() {
        copies_are_equal(|k| k as f32);
    }
}
