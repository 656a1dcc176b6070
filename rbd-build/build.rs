//! Says which generator this is: a change of its source makes what it wrote before unusable, with
//! the same version too.

use std::path::{Path, PathBuf};

fn main() -> std::io::Result<()> {
    let mut files = Vec::new();
    // In a registry each crate is alone, and the other two have the version of this one.
    for folder in ["src", "../rbd-ir/src", "../rbd-runtime/src"]
        .map(Path::new)
        .into_iter()
        .filter(|folder| folder.is_dir())
    {
        println!("cargo::rerun-if-changed={}", folder.display());
        collect(folder, &mut files)?;
    }
    files.sort();
    // FNV-1a, twice from different beginnings.
    let mut hashes = [0xcbf2_9ce4_8422_2325_u64, 0x6c62_272e_07bb_0142];
    for file in files {
        let name = file.display().to_string();
        for byte in name.bytes().chain(std::fs::read(&file)?) {
            for hash in &mut hashes {
                *hash = (*hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3).rotate_left(5);
            }
        }
    }
    println!("cargo::rustc-env=RBD_GENERATOR={:016x}{:016x}", hashes[0], hashes[1]);
    Ok(())
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}
