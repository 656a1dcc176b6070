//! Next use of each value.

use super::{Program, Value};

/// The places where values are read, and how far each has been followed.
pub struct Uses {
    /// Places of the reads of all values, one value after the other.
    places: Vec<u32>,
    /// Next read of each value, an index into `places`.
    next: Vec<u32>,
    /// End of each value's reads, an index into `places`.
    end: Vec<u32>,
}

impl Uses {
    pub fn new<O, H>(program: &Program<O, H>) -> Self {
        let mut end = vec![0; program.values.len()];
        for value in program.body.iter().flat_map(|inst| inst.operands()) {
            end[value.index()] += 1;
        }
        let mut sum = 0;
        for end in &mut end {
            sum += *end;
            *end = sum;
        }
        // Filled from the back, so that each value's next place ends up at its first.
        let (mut places, mut next) = (vec![0; sum as usize], end.clone());
        for (at, inst) in program.body.iter().enumerate().rev() {
            for value in inst.operands() {
                let next = &mut next[value.index()];
                *next -= 1;
                places[*next as usize] = at as u32;
            }
        }
        Self { places, next, end }
    }

    /// The instruction that reads a value next, if there is one.
    pub fn next(&self, value: Value) -> Option<u32> {
        let next = self.next[value.index()];
        (next < self.end[value.index()]).then(|| self.places[next as usize])
    }

    /// First instruction after `at` that reads a value.
    pub fn after(&self, value: Value, at: u32) -> Option<u32> {
        let places = self.next[value.index()] as usize..self.end[value.index()] as usize;
        self.places[places].iter().copied().find(|place| *place > at)
    }

    /// Goes past the instruction `at`.
    pub fn pass(&mut self, value: Value, at: u32) {
        while self.next(value).is_some_and(|next| next <= at) {
            self.next[value.index()] += 1;
        }
    }
}
