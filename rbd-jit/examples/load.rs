//! What loading takes, from nothing and from the cache, and what of it takes the time:
//! `cargo run --release -p rbd-jit --example load`, or with a URDF and `floating`.

use rbd_build::Robot;
use rbd_jit::{Base, Cache, Error, Id, Loaded, Options};
use std::path::Path;
use std::time::{Duration, Instant};

const FUNCTIONS: [Id; 6] = [Id::Rnea, Id::Aba, Id::Crba, Id::Minv, Id::RneaDerivatives, Id::AbaDerivatives];
const ROBOTS: [(&str, Base); 4] = [
    ("robots/iiwa14.urdf", Base::Fixed),
    ("robots/hyq.urdf", Base::Floating),
    ("robots/g1.urdf", Base::Floating),
    ("robots/talos_reduced.urdf", Base::Floating),
];

fn main() -> Result<(), Error> {
    println!(
        "| ms | read | trace, search | machine code | check | from nothing | from the cache | kept, KB |"
    );
    println!("|---|---:|---:|---:|---:|---:|---:|---:|");
    let given: Vec<String> = std::env::args().skip(1).collect();
    if let Some(urdf) = given.first() {
        let base = if given.iter().any(|word| word == "floating") { Base::Floating } else { Base::Fixed };
        return row(urdf, base);
    }
    ROBOTS.iter().try_for_each(|(urdf, base)| row(urdf, *base))
}

fn row(urdf: &str, base: Base) -> Result<(), Error> {
    let folder = std::env::temp_dir().join(format!("rbd-load-{}", std::process::id()));
    let builder = || Robot::from_urdf(urdf).base(base).functions(FUNCTIONS);
    let unchecked = || Options { check: false, ..Options::default() };
    let cached = || Options { cache: Cache::in_folder(&folder), ..Options::default() };
    let read =
        least(|| builder().read().map(drop).map_err(|found| Error::Robot(rbd_build::Error::Urdf(found))))?;
    let traced = least(|| builder().trace().map(drop).map_err(Error::from))?;
    let generated = builder().trace()?;
    let code = least(|| Loaded::new(generated.clone(), unchecked()).map(drop))?;
    let checked = least(|| Loaded::new(generated.clone(), Options::default()).map(drop))?;
    let nothing = least(|| rbd_jit::Robot::from(builder()).load().map(drop))?;
    rbd_jit::Robot::from(builder()).load_with(cached())?;
    let again = least(|| rbd_jit::Robot::from(builder()).load_with(cached()).map(drop))?;
    let size: u64 = std::fs::read_dir(&folder)
        .map(|files| files.flatten().filter_map(|file| Some(file.metadata().ok()?.len())).sum())
        .unwrap_or(0);
    let _ = std::fs::remove_dir_all(&folder);
    let name = Path::new(urdf).file_stem().unwrap_or_default().to_string_lossy();
    let ms = |time: Duration| format!("{:.1}", time.as_secs_f64() * 1e3);
    let [search, check] = [traced.saturating_sub(read), checked.saturating_sub(code)];
    let times = [read, search, code, check, nothing, again].map(ms).join(" | ");
    println!("| {name} | {times} | {} |", size / 1024);
    Ok(())
}

/// The least of five times.
fn least(mut what: impl FnMut() -> Result<(), Error>) -> Result<Duration, Error> {
    let mut least = Duration::MAX;
    for _ in 0..5 {
        let begin = Instant::now();
        what()?;
        least = least.min(begin.elapsed());
    }
    Ok(least)
}
