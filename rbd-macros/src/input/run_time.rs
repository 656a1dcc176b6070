//! The option `inertia`, and `gravity: runtime`.

use super::{Frame, frames, texts, unknown};
use syn::parse::ParseStream;
use syn::{Ident, LitStr, Result, Token, braced};

/// Inertias that are given at run time.
pub struct Inertia {
    all: bool,
    links: Vec<String>,
    loads: Vec<Frame>,
}

impl Inertia {
    pub fn apply(&self, robot: rbd_build::Robot) -> rbd_build::Robot {
        let robot = if self.all { robot.all_inertia_at_run_time() } else { robot };
        let robot = robot.inertia_at_run_time(&self.links);
        self.loads.iter().fold(robot, |robot, (name, on)| match on {
            None => robot.loads([name]),
            Some((link, xyz, rpy)) => robot.load_at(name, link, *xyz, *rpy),
        })
    }
}

/// `runtime`.
pub fn keyword(body: ParseStream) -> Result<()> {
    let word: Ident = body.parse()?;
    if word == "runtime" {
        Ok(())
    } else {
        Err(syn::Error::new(word.span(), "gravity is `[x, y, z]` or `runtime`"))
    }
}

/// `{ runtime: ["link_7"], loads: ["tool0"] }`, or `runtime: all`, or loads that are written like
/// frames; the names as they are written go to `literals`.
pub fn parse(body: ParseStream, literals: &mut Vec<LitStr>) -> Result<Inertia> {
    let inside;
    braced!(inside in body);
    let mut inertia = Inertia { all: false, links: Vec::new(), loads: Vec::new() };
    let mut given: Vec<Ident> = Vec::new();
    while !inside.is_empty() {
        let key: Ident = inside.parse()?;
        inside.parse::<Token![:]>()?;
        if given.contains(&key) {
            return Err(syn::Error::new(key.span(), format!("`{key}` is given twice")));
        }
        match key.to_string().as_str() {
            "runtime" if inside.peek(Ident) => {
                let word: Ident = inside.parse()?;
                if word != "all" {
                    return Err(syn::Error::new(
                        word.span(),
                        "`runtime` is `all`, or a list: `[\"link_7\"]`",
                    ));
                }
                inertia.all = true;
            }
            "runtime" => inertia.links = texts(&inside, literals)?,
            "loads" => inertia.loads = frames(&inside, literals)?,
            _ => return Err(unknown("part of `inertia`", &key, &["runtime", "loads"])),
        }
        given.push(key);
        if !inside.is_empty() {
            inside.parse::<Token![,]>()?;
        }
    }
    Ok(inertia)
}
