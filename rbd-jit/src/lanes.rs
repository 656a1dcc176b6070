//! Numbers of states side by side as one scalar, for functions of the runtime.

use rbd_runtime::Scalar;
use std::marker::PhantomData;

/// A computation with a scalar that holds a number of each of several states.
pub trait InLanes<T> {
    /// Computes.
    fn run<L: Scalar>(self, beside: Beside<T, L>);
}

/// Numbers of states side by side as lanes `L`, and back.
#[derive(Clone, Copy, Debug)]
pub struct Beside<T, L> {
    of: PhantomData<(T, L)>,
}

impl<T: Copy, L: Copy> Beside<T, L> {
    /// Number of states in one value of `L`.
    const STATES: usize = size_of::<L>() / size_of::<T>();

    /// # Safety
    /// `L` is transparent around a number of each state, in order.
    pub unsafe fn new() -> Self {
        const { assert!(size_of::<T>() > 0 && size_of::<L>().is_multiple_of(size_of::<T>())) };
        Self { of: PhantomData }
    }

    /// # Panics
    /// If the first number is not where lanes may begin, or the last lanes are not full.
    pub fn lanes(self, numbers: &[T]) -> &[L] {
        let (begin, count) = Self::checked(numbers);
        if count == 0 {
            return &[];
        }
        // SAFETY: so many lanes are these numbers (`new`), and begin where lanes may (`checked`). They are
        // borrowed as long as the numbers are.
        unsafe { std::slice::from_raw_parts(begin, count) }
    }

    /// # Panics
    /// As [`Self::lanes`].
    pub fn lanes_mut(self, numbers: &mut [T]) -> &mut [L] {
        let (_, count) = Self::checked(numbers);
        if count == 0 {
            return &mut [];
        }
        // SAFETY: as in `lanes`.
        unsafe { std::slice::from_raw_parts_mut(numbers.as_mut_ptr().cast(), count) }
    }

    /// The numbers of lanes.
    pub fn numbers(self, lanes: &[L]) -> &[T] {
        // SAFETY: lanes are so many numbers (`new`), which may begin wherever lanes may.
        unsafe { std::slice::from_raw_parts(lanes.as_ptr().cast(), lanes.len() * Self::STATES) }
    }

    /// The numbers of lanes.
    pub fn numbers_mut(self, lanes: &mut [L]) -> &mut [T] {
        // SAFETY: as in `numbers`.
        unsafe { std::slice::from_raw_parts_mut(lanes.as_mut_ptr().cast(), lanes.len() * Self::STATES) }
    }

    /// The numbers of full lanes.
    pub fn whole(self, numbers: &mut [T]) -> &mut [T] {
        let length = numbers.len() / Self::STATES * Self::STATES;
        &mut numbers[..length]
    }

    fn checked(numbers: &[T]) -> (*const L, usize) {
        let begin: *const L = numbers.as_ptr().cast();
        let is_whole = numbers.len().is_multiple_of(Self::STATES);
        assert!(
            is_whole && (numbers.is_empty() || begin.is_aligned()),
            "lanes are whole, and in their place"
        );
        (begin, numbers.len() / Self::STATES)
    }
}
