//! What a robot's code is made for, and where it is put.

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
    /// For another robot.
    pub fn new(engine: Engine) -> Self {
        Self {
            engine,
            #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
            memory: Arc::default(),
        }
    }

    /// What computes the robot.
    pub fn engine(&self) -> Engine {
        self.engine
    }

    /// Where its code is.
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    pub fn memory(&self) -> &CodeMemory {
        &self.memory
    }
}
