//! Arguments and results that straight lines read and write, for registers that hold their addresses.

use super::{At, Kind, Lowered, Memory, Routine};
use rbd_ir::kernel::{ArrayId, Place};

impl Memory {
    /// The array of a place, if it is an entry.
    pub fn array(self) -> Option<ArrayId> {
        match self {
            Self::Entry(place) | Self::Splat(place) => Some(place.array),
            Self::Constant(_) | Self::Work(_) => None,
        }
    }
}

impl Lowered {
    /// The array that an instruction writes, or of whose angles it takes sines.
    pub fn written(&self, kind: Kind) -> Option<ArrayId> {
        match kind {
            Kind::Store(at) | Kind::StoreSecond(at) => at.array(),
            Kind::Fill(array) | Kind::Zeros(Place { array, .. }, _) => Some(array),
            Kind::Routine(k) => match &self.routines[k as usize] {
                Routine::Sines { angles, .. } => angles.array(),
                _ => None,
            },
            _ => None,
        }
    }

    /// The arguments and results that straight lines read or write: what is used most comes first.
    pub fn most_used(&self) -> Vec<ArrayId> {
        let read = self.program.values.iter().filter_map(|value| value.home?.at.array());
        let written = self.program.body.iter().filter_map(|inst| self.written(inst.op.kind));
        let mut uses = vec![0u32; self.arrays.len()];
        let mut order = Vec::new();
        for array in read.chain(written).filter(|array| self.arrays[array.index()] == At::Pointer) {
            if uses[array.index()] == 0 {
                order.push(array);
            }
            uses[array.index()] += 1;
        }
        order.sort_by_key(|array| std::cmp::Reverse(uses[array.index()]));
        order
    }
}
