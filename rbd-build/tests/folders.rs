//! Folders of a crate import each other in one direction: a newcomer can read them from the bottom.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// Crates whose folders are stages or layers.
const CRATES: [&str; 6] = ["rbd-build", "rbd-cli", "rbd-ir", "rbd-jit", "rbd-runtime", "rbd-verilog"];

/// Modules at the top of a crate, and those that each of them names.
type Imports = BTreeMap<String, BTreeSet<String>>;

/// Adds the names behind `crate::` in the Rust files of this folder, tests and comments apart.
fn read(folder: &Path, module: Option<&str>, folders: &mut BTreeSet<String>, imports: &mut Imports) {
    for entry in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry")) {
        let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
        let stem = name.trim_end_matches(".rs").to_owned();
        if stem == "tests" {
            continue;
        }
        let module = module.unwrap_or(&stem);
        if path.is_dir() {
            folders.insert(module.to_owned());
            read(&path, Some(module), folders, imports);
        } else if name.ends_with(".rs") && !["lib", "main"].contains(&module) {
            let text = fs::read_to_string(&path).expect("text");
            let code = text.split("\n#[cfg(test)]\nmod tests {").next().unwrap_or_default();
            let code = code.lines().filter(|line| !line.trim_start().starts_with("//"));
            let code: String = code.flat_map(|line| [line, "\n"]).collect();
            let named = imports.entry(module.to_owned()).or_default();
            for rest in code.split("crate::").skip(1) {
                let names = rest.strip_prefix('{').and_then(|list| list.split('}').next());
                for name in names.unwrap_or(rest).split(", ").take(if names.is_some() { 99 } else { 1 }) {
                    let end = name.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(name.len());
                    named.insert(name[..end].to_owned());
                }
            }
        }
    }
}

/// All modules that one leads to.
fn reached<'a>(from: &str, imports: &'a Imports) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::new();
    let mut next = vec![from];
    while let Some(module) = next.pop() {
        for named in imports.get(module).into_iter().flatten().filter(|named| *named != module) {
            if reached.insert(named.as_str()) {
                next.push(named);
            }
        }
    }
    reached
}

#[test]
fn folders_do_not_import_each_other_in_circles() {
    let mut circles = Vec::new();
    for name in CRATES {
        let (mut folders, mut imports) = (BTreeSet::new(), Imports::new());
        read(&rbd_build_tests::root().join(name).join("src"), None, &mut folders, &mut imports);
        imports.values_mut().for_each(|named| named.retain(|module| module != "__private"));
        assert!(imports.values().any(|named| !named.is_empty()), "{name} has no imports: is anything read?");
        for a in &folders {
            let from_a = reached(a, &imports);
            let back = |b: &&String| **b > *a && reached(b, &imports).contains(a.as_str());
            let with = folders.iter().filter(|b| from_a.contains(b.as_str())).filter(back);
            circles.extend(with.map(|b| format!("{name}: `{a}` and `{b}` import each other")));
        }
    }
    assert!(circles.is_empty(), "{}", circles.join("\n"));
}
