//! A kernel that can run: in machine code, or interpreted.

use crate::arrays::{Array, Arrays, Location};
use crate::interpret::Interpreted;
use crate::lower::{At, Lowered};
use crate::sines::is_fused;
#[cfg(target_arch = "x86_64")]
use crate::x86_64::{self, Level, Native, Pointers};
use crate::{Engine, Error};
use rbd_ir::kernel::{Kernel, Role};

/// A kernel that can run, and its arrays.
#[derive(Debug)]
pub struct Code {
    made: Made,
    arrays: Vec<Array>,
    /// The arguments and results among the arrays, each once, and how many numbers each must have.
    given: Vec<(Location, usize)>,
}

/// The memory of a call.
#[derive(Debug)]
pub struct Call<'a, 'm> {
    arrays: Arrays<'a, 'm>,
    #[cfg(target_arch = "x86_64")]
    pointers: Pointers,
}

impl<'a, 'm> Call<'a, 'm> {
    /// A call with these arguments and results, zeros in place of an argument that there is not, and memory
    /// of the kernels' own.
    #[inline(always)]
    pub fn new(
        inputs: &'a [&'a [f64]],
        zeros: &'a [f64],
        outputs: &'a mut [&'m mut [f64]],
        work: &'a mut [f64],
    ) -> Self {
        Self {
            arrays: Arrays { arrays: &[], inputs, zeros, outputs, work },
            #[cfg(target_arch = "x86_64")]
            pointers: Pointers::new(),
        }
    }

    /// Runs kernels, one after the other.
    ///
    /// # Panics
    /// If an array is shorter than a kernel's, or there is too little memory of its own.
    #[inline(always)]
    pub fn run(&mut self, stages: &'a [Code]) {
        #[cfg(target_arch = "x86_64")]
        self.pointers.set(&mut self.arrays);
        for code in stages {
            code.run(self);
        }
    }
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
                match Native::new(&lowered, level, states, &arrays) {
                    Ok(native) => Made::Native(native),
                    Err(x86_64::Error::Memory(error)) => return Err(Error::Memory(error)),
                    Err(x86_64::Error::TooManyArrays) if states > 1 => return Err(Error::TooManyArrays),
                    Err(x86_64::Error::TooManyArrays) => interpreted(lowered),
                }
            }
            _ => interpreted(lowered),
        };
        let mut given: Vec<(Location, usize)> = Vec::new();
        for Array { location, length } in &arrays {
            match given.iter_mut().find(|(other, _)| other == location) {
                Some((_, most)) => *most = (*most).max(*length),
                None if matches!(location, Location::Work(_)) => {}
                None => given.push((*location, *length)),
            }
        }
        Ok(Self { made, arrays, given })
    }

    #[inline(always)]
    fn run<'a>(&'a self, call: &mut Call<'a, '_>) {
        let arrays = &mut call.arrays;
        arrays.arrays = &self.arrays;
        for (location, length) in &self.given {
            assert!(arrays.length(*location) >= *length, "an array is shorter than the kernel's");
        }
        match &self.made {
            // SAFETY: the pointers are to these arrays, which nobody moved since (`Call::run`). The arrays are
            // the kernel's, in its order, as long as it declares (above; those of its own are within its
            // memory, which `run` asks for), and where it writes, neither arguments nor the same (`new`).
            // Different arguments and results are different memory, since results are borrowed mutably;
            // arrays of its own are apart (`Lowered::new`).
            #[cfg(target_arch = "x86_64")]
            Made::Native(native) => unsafe { native.run(&call.pointers, arrays) },
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
