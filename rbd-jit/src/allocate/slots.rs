//! Memory for values that have no register.

/// Slots of one, two and four numbers, each aligned to its size.
#[derive(Default)]
pub struct Slots {
    free: [Vec<u32>; 3],
    end: u32,
}

impl Slots {
    /// Takes a slot for this many lanes.
    pub fn take(&mut self, lanes: u8) -> u32 {
        let size = u32::from(lanes).next_power_of_two();
        self.free[class(lanes)].pop().unwrap_or_else(|| {
            let begin = self.end.next_multiple_of(size);
            self.end = begin + size;
            begin
        })
    }

    /// Gives a slot back.
    pub fn give(&mut self, slot: u32, lanes: u8) {
        self.free[class(lanes)].push(slot);
    }

    /// Size of all slots together, in numbers.
    pub fn len(&self) -> u32 {
        self.end
    }
}

fn class(lanes: u8) -> usize {
    match lanes {
        1 => 0,
        2 => 1,
        _ => 2,
    }
}
