//! Compiles single files that use `rbd`, with the libraries that this test's package depends on:
//! nothing else is built for them.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Compiles as cargo does for the package in the folder `root`.
pub struct Compiler {
    root: &'static str,
    out: &'static str,
    libraries: Vec<PathBuf>,
    rbd: PathBuf,
}

impl Compiler {
    /// A compiler that writes its results to the folder `out`.
    pub fn new(root: &'static str, out: &'static str) -> Self {
        // Where cargo puts programs of tests, it puts libraries.
        let here = std::env::current_exe().unwrap();
        let deps = here.parent().unwrap();
        let of_rbd = |file: &PathBuf| {
            let name = file.file_name().unwrap().to_string_lossy();
            name.starts_with("librbd-") && name.ends_with(".rlib")
        };
        let files = deps.read_dir().unwrap().map(|f| f.unwrap().path()).filter(of_rbd);
        // Each set of features has its own library; the newest is up to date.
        let rbd = files.max_by_key(|f| f.metadata().unwrap().modified().unwrap()).expect("the library rbd");
        // With `--target`, the macro is elsewhere.
        let of_the_host = deps.join("../../../debug/deps");
        Self { root, out, libraries: vec![deps.into(), of_the_host], rbd }
    }

    /// Command to compile this file of the package.
    pub fn command(&self, file: &Path) -> Command {
        let mut compiler = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()));
        compiler.current_dir(self.root).env("CARGO_MANIFEST_DIR", self.root);
        compiler.args(["--edition=2024", "--emit=metadata", "--cap-lints=allow", "--color=never"]);
        compiler.arg("--out-dir").arg(self.out);
        for folder in &self.libraries {
            compiler.arg("-L").arg(format!("dependency={}", folder.display()));
        }
        compiler.arg("--extern").arg(format!("rbd={}", self.rbd.display())).arg(file);
        compiler
    }
}
