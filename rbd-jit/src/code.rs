//! A kernel that can run: in machine code, or interpreted.

use crate::arrays::{Array, Arrays, Location};
use crate::interpret::Interpreted;
use crate::lower::{At, Lowered};
use crate::sines::is_fused;
#[cfg(target_arch = "x86_64")]
use crate::x86_64::{self, Level, Native};
use crate::{Engine, Error};
use rbd_ir::kernel::{Kernel, Role};

/// A kernel that can run, and its arrays.
#[derive(Debug)]
pub struct Code {
    made: Made,
    arrays: Vec<Array>,
}

#[derive(Debug)]
enum Made {
    #[cfg(target_arch = "x86_64")]
    Native(Native),
    Interpreted(Box<Interpreted>),
}

/// Whether this processor has what an engine needs.
pub fn is_there(engine: Engine) -> bool {
    match engine {
        #[cfg(target_arch = "x86_64")]
        Engine::Avx512 => Level::Avx512.is_there(),
        #[cfg(target_arch = "x86_64")]
        Engine::Avx2 => Level::Avx2.is_there(),
        #[cfg(not(target_arch = "x86_64"))]
        Engine::Avx512 | Engine::Avx2 => false,
        Engine::Interpreter => true,
    }
}

impl Code {
    /// The code of a sound kernel without calls, for one state or as many side by side as the engine has.
    /// `location` says where an array is that is not the kernel's own.
    pub fn new(
        kernel: &Kernel,
        engine: Engine,
        states: usize,
        location: impl Fn(usize) -> Location,
    ) -> Result<Self, Error> {
        let lowered = Lowered::new(kernel, states);
        let at = |(k, at): (usize, &At)| match at {
            At::Work(begin) => Location::Work(*begin as usize * states),
            At::Pointer => location(k),
        };
        let locations = lowered.arrays.iter().enumerate().map(at);
        let arrays = locations.zip(&lowered.lengths);
        let arrays: Vec<Array> =
            arrays.map(|(location, length)| Array { location, length: length * states }).collect();
        // What `run` relies on: no array that is written is an argument, and no two are the same memory.
        for (k, decl) in kernel.arrays.iter().enumerate().filter(|(_, decl)| decl.role != Role::In) {
            assert!(!matches!(arrays[k].location, Location::Input(_)), "{} is written", decl.name);
            let is_same =
                |(other, a): (usize, &Array)| other != k && a.location == arrays[k].location && a.length > 0;
            let is_shared = arrays[k].length > 0 && arrays.iter().enumerate().any(is_same);
            assert!(!is_shared, "{} is another array as well", decl.name);
        }
        let made = match engine {
            #[cfg(target_arch = "x86_64")]
            Engine::Avx512 | Engine::Avx2 => {
                let level = if engine == Engine::Avx512 { Level::Avx512 } else { Level::Avx2 };
                match Native::new(&lowered, level, states) {
                    Ok(native) => Made::Native(native),
                    Err(x86_64::Error::Memory(error)) => return Err(Error::Memory(error)),
                    Err(x86_64::Error::TooManyArrays) if states > 1 => return Err(Error::TooManyArrays),
                    Err(x86_64::Error::TooManyArrays) => interpreted(lowered),
                }
            }
            _ => interpreted(lowered),
        };
        Ok(Self { made, arrays })
    }

    /// Runs the kernel.
    ///
    /// # Panics
    /// If an array is shorter than the kernel's, or there is too little memory of its own.
    pub fn run(&self, inputs: &[&[f64]], outputs: &mut [&mut [f64]], work: &mut [f64]) {
        for Array { location, length } in &self.arrays {
            let given = match *location {
                Location::Input(k) => inputs[k].len(),
                Location::Output(k) => outputs[k].len(),
                Location::Work(begin) => work.len() - begin,
            };
            assert!(given >= *length, "an array is shorter than the kernel's");
        }
        let arrays = &mut Arrays { arrays: &self.arrays, inputs, outputs, work };
        match &self.made {
            // SAFETY: the arrays are the kernel's, in its order, as long as it declares (above), and where
            // it writes, neither arguments nor the same (`new`). Different arguments and results are
            // different memory, since results are borrowed mutably; arrays of its own are apart
            // (`Lowered::new`).
            #[cfg(target_arch = "x86_64")]
            Made::Native(native) => unsafe { native.run(arrays) },
            Made::Interpreted(interpreted) => interpreted.run(arrays),
        }
    }

    /// How many numbers the kernel needs for itself.
    pub fn work(&self) -> usize {
        match &self.made {
            #[cfg(target_arch = "x86_64")]
            Made::Native(native) => native.work(),
            Made::Interpreted(interpreted) => interpreted.work(),
        }
    }

    /// How many bytes of machine code there are.
    pub fn bytes(&self) -> usize {
        match &self.made {
            #[cfg(target_arch = "x86_64")]
            Made::Native(native) => native.bytes(),
            Made::Interpreted(_) => 0,
        }
    }

    /// Whether it is machine code.
    pub fn is_native(&self) -> bool {
        !matches!(self.made, Made::Interpreted(_))
    }
}

fn interpreted(lowered: Lowered) -> Made {
    Made::Interpreted(Box::new(Interpreted::new(lowered, is_fused())))
}
