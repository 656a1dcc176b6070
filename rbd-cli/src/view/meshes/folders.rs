//! The files that a URDF's names of meshes stand for.

use std::path::{Component, Path, PathBuf};

/// Folders that meshes may be in.
#[derive(Debug)]
pub struct Folders {
    /// The URDF's folder and those above it, by their names: a package is one of these.
    above: Vec<PathBuf>,
    /// Folders that packages are in.
    packages: Vec<PathBuf>,
}

impl Folders {
    /// Folders of a URDF, and those that the user names.
    pub fn new(urdf: &Path, packages: &[PathBuf]) -> Self {
        let folder = urdf.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
        let above = folder.canonicalize().map(|folder| folder.ancestors().map(Path::to_owned).collect());
        Self { above: above.unwrap_or_default(), packages: packages.to_vec() }
    }

    /// The file that a URDF names, within one of the folders.
    pub fn find(&self, name: &str) -> Result<PathBuf, String> {
        let (package, rest) = match name.split_once("://") {
            Some(("package", path)) => {
                // Published robots have a third slash.
                let path = path.trim_start_matches('/');
                let (package, rest) = path.split_once('/').unwrap_or((path, ""));
                (Some(package), rest)
            }
            Some(("file", _)) => return Err("a path of another machine is not followed".into()),
            Some(_) => return Err("only files and packages are read".into()),
            None => (None, name),
        };
        let (rest, package) = (Path::new(rest), package.map(Path::new));
        let [mut descends, mut relative] = [true; 2];
        for part in rest.components().chain(package.into_iter().flat_map(Path::components)) {
            descends &= matches!(part, Component::Normal(_) | Component::CurDir);
            relative &= !matches!(part, Component::RootDir | Component::Prefix(_));
        }
        if !relative || (!descends && package.is_some()) {
            return Err("the path leads out of the folder".into());
        }
        // Pairs of a folder and a file that must lie in it.
        let mut places: Vec<(PathBuf, PathBuf)> = Vec::new();
        let own = self.above.first();
        for folder in own.into_iter().chain(&self.packages) {
            places.extend(own.map(|own| (folder.clone(), own.join(rest))));
            places.push((folder.clone(), folder.join(rest)));
            places.extend(package.map(|package| (folder.clone(), folder.join(package).join(rest))));
        }
        let named = |folder: &&PathBuf| {
            package.is_some_and(|p| folder.file_name().is_some_and(|name| name == p.as_os_str()))
        };
        places.extend(self.above.iter().filter(named).map(|folder| (folder.clone(), folder.join(rest))));
        let there = places.into_iter().find_map(|(folder, path)| {
            // A link may lead out of the folder.
            let (folder, path) = (folder.canonicalize().ok()?, path.canonicalize().ok()?);
            (path.starts_with(&folder) && path.is_file()).then_some(path)
        });
        there.ok_or_else(|| match descends {
            true => "there is no such file beside the URDF; name the folder of packages by --meshes".into(),
            false => {
                "the path leads out of the URDF's folder; name the folder that it leads to by --meshes".into()
            }
        })
    }
}
