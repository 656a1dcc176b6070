//! An emulator that runs machine code of aarch64 on any processor.

use super::super::Made;
use crate::arrays::{Array, Arrays, Location};
use std::io::{BufReader, BufWriter, Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

/// Largest numbers of arrays that machine code reads and writes.
const READ: usize = 8;
const WRITTEN: usize = 23;

/// A program under the emulator, which runs what it is given.
pub struct Emulator {
    child: Child,
    to: BufWriter<ChildStdin>,
    from: BufReader<ChildStdout>,
    folder: PathBuf,
}

/// Folders of one run of the tests.
static FOLDERS: AtomicU32 = AtomicU32::new(0);

/// A folder of one test's own.
pub fn folder() -> PathBuf {
    let number = FOLDERS.fetch_add(1, Ordering::Relaxed);
    let folder = std::env::temp_dir().join(format!("rbd-jit-aarch64-{}-{number}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// True if all these programs are installed. Prints the missing one.
pub fn are_there(programs: &[&str]) -> bool {
    programs.iter().all(|program| {
        let mut command = Command::new(program);
        let quiet = command.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
        let is_there = quiet.status().is_ok_and(|status| status.success());
        if !is_there {
            println!("skipped: {program} is not installed");
        }
        is_there
    })
}

impl Emulator {
    /// Starts the emulator. Returns `None`, and prints a word, if there is no emulator or compiler.
    pub fn new() -> Option<Self> {
        const COMPILER: &str = "aarch64-linux-gnu-gcc";
        const EMULATOR: &str = "qemu-aarch64";
        if !are_there(&[COMPILER, EMULATOR]) {
            return None;
        }
        let folder = folder();
        let (source, program) = (folder.join("harness.c"), folder.join("harness"));
        std::fs::write(&source, include_str!("harness.c")).unwrap();
        let compiled = Command::new(COMPILER)
            .args(["-O1", "-Wall", "-Wextra", "-Werror", "-static", "-o"])
            .args([&program, &source])
            .status();
        assert!(compiled.unwrap().success(), "the harness compiles");
        let mut child = Command::new(EMULATOR)
            .arg(program)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("it was there a moment ago");
        let (to, from) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let (to, from) = (BufWriter::new(to), BufReader::new(from));
        Some(Self { child, to, from, folder })
    }

    fn put(&mut self, bytes: &[u8]) {
        self.to.write_all(bytes).expect("the emulated program reads");
    }

    fn put_number(&mut self, number: usize) {
        self.put(&(number as u64).to_le_bytes());
    }

    fn put_numbers(&mut self, numbers: &[f64]) {
        let bytes: Vec<u8> = numbers.iter().flat_map(|x| x.to_bits().to_le_bytes()).collect();
        self.put(&bytes);
    }

    fn put_counted(&mut self, numbers: &[f64]) {
        self.put_number(numbers.len());
        self.put_numbers(numbers);
    }

    fn flush(&mut self) {
        self.to.flush().expect("the emulated program reads");
    }

    fn get(&mut self) -> u64 {
        let mut bytes = [0; 8];
        self.from.read_exact(&mut bytes).expect("the emulated program answers");
        u64::from_le_bytes(bytes)
    }

    fn get_numbers(&mut self, numbers: &mut [f64]) {
        let mut bytes = vec![0; 8 * numbers.len()];
        self.from.read_exact(&mut bytes).expect("the emulated program answers");
        for (x, bytes) in numbers.iter_mut().zip(bytes.chunks_exact(8)) {
            *x = f64::from_bits(u64::from_le_bytes(bytes.try_into().unwrap()));
        }
    }

    /// Runs a kernel for this many states side by side. Returns its outputs.
    pub(in super::super) fn run(
        &mut self,
        made: &Made,
        states: usize,
        places: &[Array],
        inputs: &[Vec<f64>],
    ) -> Vec<Vec<f64>> {
        let is_output = |array: &&Array| matches!(array.location, Location::Output(_));
        let mut results: Vec<Vec<f64>> =
            places.iter().filter(is_output).map(|array| vec![f64::NAN; array.length]).collect();
        self.put_number(made.words.len());
        let words: Vec<u8> = made.words.iter().flat_map(|word| word.to_le_bytes()).collect();
        self.put(&words);
        self.put_counted(&made.constants.numbers());
        self.put_number(made.work);
        for k in 0..READ {
            self.put_counted(inputs.get(k).map_or(&[], Vec::as_slice));
        }
        for k in 0..WRITTEN {
            self.put_counted(results.get(k).map_or(&[], Vec::as_slice));
        }
        let mut work = vec![f64::NAN; made.work];
        self.flush();
        while self.get() == 1 {
            let routine = self.get() as usize;
            self.get_numbers(&mut work);
            results.iter_mut().for_each(|result| self.get_numbers(result));
            let mut outputs: Vec<&mut [f64]> = results.iter_mut().map(Vec::as_mut_slice).collect();
            let inputs: Vec<&[f64]> = inputs.iter().map(Vec::as_slice).collect();
            made.routines[routine].run(
                states,
                &mut Arrays {
                    arrays: places,
                    inputs: &inputs,
                    zeros: &[],
                    outputs: &mut outputs,
                    work: &mut work,
                },
            );
            self.put_numbers(&work);
            results.iter().for_each(|result| self.put_numbers(result));
            self.flush();
        }
        let wrong = self.get();
        results.iter_mut().for_each(|result| self.get_numbers(result));
        assert_eq!(wrong, 0, "registers that callees keep: 1, memory before an array: 2, the stack: 4");
        results
    }
}

impl Drop for Emulator {
    fn drop(&mut self) {
        // It may be waiting for more, or stopped by what it was given.
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
