//! Objects of C sources. A process compiles each source once: tests call a robot's text in several ways.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, LazyLock, Mutex, OnceLock};

/// Objects by the hash of everything that they depend on.
static OBJECTS: LazyLock<Mutex<HashMap<u64, Arc<OnceLock<PathBuf>>>>> = LazyLock::new(Mutex::default);

/// The objects of the C sources among these files, which are in `folder`. The compiler has no warning.
pub fn objects(compiler: &str, folder: &Path, files: &[(String, String)], flags: &[&str]) -> Vec<PathBuf> {
    let (sources, headers): (Vec<_>, Vec<_>) = files.iter().partition(|(name, _)| name.ends_with(".c"));
    let object = |source: &(String, String)| {
        let mut hasher = DefaultHasher::new();
        (compiler, flags, source, &headers).hash(&mut hasher);
        let hash = hasher.finish();
        let slot = Arc::clone(OBJECTS.lock().unwrap().entry(hash).or_default());
        slot.get_or_init(|| {
            let to = folder.join(format!("{}.{hash:016x}.o", source.0));
            let mut command = Command::new(compiler);
            command.current_dir(folder).args(flags).args(["-c", &source.0, "-o"]).arg(&to);
            without_warnings(compiler, &mut command);
            to
        })
        .clone()
    };
    sources.into_iter().map(object).collect()
}

/// Runs a compiler, which has nothing to say.
pub fn without_warnings(compiler: &str, command: &mut Command) {
    let compiled = command.output().unwrap();
    assert!(compiled.status.success(), "{compiler}: {}", String::from_utf8_lossy(&compiled.stderr));
    assert_eq!(String::from_utf8_lossy(&compiled.stderr), "", "{compiler} says something");
}
