//! Engine of a robot's code, and memory for the code.

use crate::Engine;

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use crate::memory::CodeMemory;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use std::sync::Arc;

/// The instructions that a robot's code is made of, and the memory that it shares.
#[derive(Clone, Debug)]
pub struct Machine {
    engine: Engine,
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    memory: Arc<CodeMemory>,
}

impl Machine {
    /// Makes a machine for one robot, with memory of its own.
    pub fn new(engine: Engine) -> Self {
        Self {
            engine,
            #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
            memory: Arc::default(),
        }
    }

    /// Engine that computes the robot.
    pub fn engine(&self) -> Engine {
        self.engine
    }

    /// Memory of the robot's code.
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    pub fn memory(&self) -> &CodeMemory {
        &self.memory
    }
}
