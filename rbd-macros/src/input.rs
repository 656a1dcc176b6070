//! Input of `rbd_robot!`.

mod contacts;
mod friction;
mod fused;
mod run_time;

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;
use rbd_build::option_table::{OPTIONS, OptionRow, Value};
use rbd_build::{Finding, Function, Shape};
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::token::Brace;
use syn::{Attribute, Ident, Lit, LitBool, LitStr, Path, Result, Token, Visibility, braced, bracketed};

/// The macro's input: the short form has a URDF alone.
pub struct Input {
    pub runtime: Path,
    pub urdf: LitStr,
    name: Option<Ident>,
    attributes: TokenStream,
    visibility: TokenStream,
    settings: Vec<Setting>,
}

type Apply = Box<dyn Fn(rbd_build::Robot) -> rbd_build::Robot>;

/// An option with its value, ready to be applied, and the joints or codes that it names.
struct Setting {
    key: Ident,
    apply: Apply,
    named: Vec<LitStr>,
}

/// Error for an unknown name, with the nearest known name or a list of all.
fn unknown(what: &str, name: &Ident, known: &[&str]) -> syn::Error {
    let near = rbd_build::nearest(&name.to_string(), known.iter().copied());
    let there_are = || format!("; there are {}", known.join(", "));
    let help = near.map_or_else(there_are, |near| format!(": did you mean `{near}`?"));
    syn::Error::new(name.span(), format!("there is no {what} `{name}`{help}"))
}

impl Input {
    /// The builder with everything that was written.
    pub fn configure(&self, robot: rbd_build::Robot) -> rbd_build::Robot {
        let mut robot = self.settings.iter().fold(robot, |robot, s| (s.apply)(robot));
        if let Some(name) = &self.name {
            robot = robot
                .name(name.to_string())
                .attributes(self.attributes.to_string())
                .visibility(self.visibility.to_string());
        }
        robot
    }

    /// Place of the option of this name.
    pub fn option_span(&self, name: &str) -> Option<Span> {
        self.settings.iter().find(|s| s.key == name).map(|s| s.key.span())
    }

    pub fn name_span(&self) -> Span {
        self.name.as_ref().map_or(self.urdf.span(), Ident::span)
    }

    /// Place of a finding: the joint or the code that an option names, or else the file.
    pub fn span_of(&self, finding: &Finding) -> Span {
        let named = self.settings.iter().flat_map(|s| s.named.iter().map(|name| (&s.key, name)));
        let mut about = named.filter(|(key, name)| finding.subject == format!("{key} of `{}`", name.value()));
        about.next().map_or(self.urdf.span(), |(_, name)| name.span())
    }
}

impl Parse for Input {
    fn parse(input: ParseStream) -> Result<Self> {
        let inside;
        bracketed!(inside in input);
        let runtime = inside.call(Path::parse_mod_style)?;
        if input.peek(LitStr) {
            let urdf = input.parse()?;
            input.parse::<Option<Token![,]>>()?;
            if !input.is_empty() {
                return Err(input.error(
                    "nothing may follow the URDF's path; options go into `pub struct Name { urdf: \"..\", .. }`",
                ));
            }
            let empty = TokenStream::new();
            return Ok(Self {
                runtime,
                urdf,
                name: None,
                attributes: empty.clone(),
                visibility: empty,
                settings: Vec::new(),
            });
        }
        if input.is_empty() {
            return Err(input.error(
                "expected the path of a URDF, as in rbd_robot!(\"robots/arm.urdf\"), or pub struct Name { urdf: \"..\" }",
            ));
        }
        let attributes = input.call(Attribute::parse_outer)?;
        let visibility: Visibility = input.parse()?;
        input.parse::<Token![struct]>()?;
        let name: Ident = input.parse()?;
        let body;
        braced!(body in input);
        let mut urdf: Option<LitStr> = None;
        let mut settings: Vec<Setting> = Vec::new();
        while !body.is_empty() {
            let key: Ident = body.parse()?;
            body.parse::<Token![:]>()?;
            let twice = if key == "urdf" { urdf.is_some() } else { settings.iter().any(|s| s.key == key) };
            if twice {
                return Err(syn::Error::new(key.span(), format!("`{key}` is given twice")));
            }
            if key == "urdf" {
                urdf = Some(body.parse()?);
            } else {
                settings.push(setting(key, &body)?);
            }
            if !body.is_empty() {
                body.parse::<Token![,]>()?;
            }
        }
        let urdf = urdf.ok_or_else(|| {
            syn::Error::new(
                name.span(),
                format!("`{name}` needs a URDF: add `urdf: \"path/from/Cargo.toml.urdf\"`"),
            )
        })?;
        let attributes = attributes.iter().map(ToTokens::to_token_stream).collect();
        Ok(Self {
            runtime,
            urdf,
            name: Some(name),
            attributes,
            visibility: visibility.to_token_stream(),
            settings,
        })
    }
}

fn setting(key: Ident, body: ParseStream) -> Result<Setting> {
    let mut named = Vec::new();
    let row = OptionRow::named(&key.to_string()).ok_or_else(|| unknown("option", &key, &names()))?;
    let apply: Apply = match row.value {
        Value::Switch(set) => {
            let value = body.parse::<LitBool>()?.value;
            Box::new(move |r| set(r, value))
        }
        Value::Number(set) => {
            let Number(value) = body.parse()?;
            Box::new(move |r| set(r, value))
        }
        Value::ByJoint(set) => {
            let values = by_joint(body, &mut named)?;
            Box::new(move |r| values.iter().fold(r, |r, (joint, x)| set(r, joint, *x)))
        }
        Value::Texts(set) => {
            let texts = texts(body, &mut named)?;
            Box::new(move |r| texts.iter().fold(r, |r, text| set(r, text)))
        }
        Value::Word(words) => {
            let word: Ident = body.parse()?;
            let known = words.iter().find(|(name, _)| word == name);
            let list = || words.iter().map(|(name, _)| format!("`{name}`")).collect::<Vec<_>>().join(" or ");
            let (_, set) =
                known.ok_or_else(|| syn::Error::new(word.span(), format!("{key} is {}", list())))?;
            Box::new(set)
        }
        Value::Own => own(&key, body, &mut named)?,
    };
    Ok(Setting { key, apply, named })
}

/// All options' names.
fn names() -> Vec<&'static str> {
    OPTIONS.iter().map(|row| row.name).collect()
}

/// Options with a grammar of their own.
fn own(key: &Ident, body: ParseStream, named: &mut Vec<LitStr>) -> Result<Apply> {
    Ok(match key.to_string().as_str() {
        "gravity" if body.peek(Ident) => {
            run_time::keyword(body)?;
            Box::new(|r| r.gravity_at_run_time(true))
        }
        "inertia" => {
            let inertia = run_time::parse(body, named)?;
            Box::new(move |r| inertia.apply(r))
        }
        "gravity" => {
            let gravity = three(body, |n| format!("gravity has three components, in m/s^2; here are {n}"))?;
            Box::new(move |r| r.gravity(gravity))
        }
        "friction" => {
            let smoothing = friction::parse(body)?;
            Box::new(move |r| r.friction(smoothing))
        }
        "shape" => {
            let shapes = shapes(body)?;
            Box::new(move |r| {
                shapes.iter().fold(r, |r, (function, shape)| match function {
                    Some(function) => r.shape_of(*function, *shape),
                    None => r.shape(*shape),
                })
            })
        }
        "functions" => {
            let inside;
            bracketed!(inside in body);
            let names = Punctuated::<Ident, Token![,]>::parse_terminated(&inside)?;
            let functions = functions(&names)?;
            Box::new(move |r| r.functions(functions.iter().copied()))
        }
        "frames" => {
            let frames = frames(body, named)?;
            Box::new(move |r| {
                frames.iter().fold(r, |r, (name, on)| match on {
                    None => r.frames([name]),
                    Some((link, xyz, rpy)) => r.frame(name, link, *xyz, *rpy),
                })
            })
        }
        "contacts" => {
            let contacts = contacts::parse(body, named)?;
            Box::new(move |r| contacts.iter().fold(r, |r, (name, kind)| r.contact(name, *kind)))
        }
        "closed_loops" => {
            let loops = contacts::closed_loops(body, named)?;
            Box::new(move |r| {
                loops.iter().fold(r, |r, (name, frames, kind)| r.closed_loop(name, frames.clone(), *kind))
            })
        }
        "fused" => {
            let all = fused::parse(body, named)?;
            Box::new(move |r| all.iter().cloned().fold(r, rbd_build::Robot::fused))
        }
        _ => return Err(unknown("option", key, &names())),
    })
}

/// Functions by their names and by those of families, which may overlap: each once.
fn functions(names: &Punctuated<Ident, Token![,]>) -> Result<Vec<Function>> {
    let mut functions: Vec<Function> = Vec::new();
    for (k, name) in names.iter().enumerate() {
        let word = name.to_string();
        if names.iter().take(k).any(|known| known == name) {
            return Err(syn::Error::new(name.span(), format!("`{word}` is given twice")));
        }
        let unknown = || {
            let what = format!("there is no function `{word}`: {}", Function::unknown(&word));
            syn::Error::new(name.span(), what)
        };
        for function in Function::named(&word).ok_or_else(unknown)? {
            if !functions.contains(&function) {
                functions.push(function);
            }
        }
    }
    Ok(functions)
}

/// `loops`, for all functions, or `{ aba_derivatives: loops, .. }`.
fn shapes(body: ParseStream) -> Result<Vec<(Option<Function>, Shape)>> {
    let shape = |name: &Ident| {
        Shape::from_name(&name.to_string())
            .ok_or_else(|| unknown("shape", name, &Shape::ALL.map(Shape::name)))
    };
    if body.peek(Ident) {
        return Ok(vec![(None, shape(&body.parse()?)?)]);
    }
    let inside;
    braced!(inside in body);
    let mut shapes = Vec::new();
    while !inside.is_empty() {
        let of: Ident = inside.parse()?;
        inside.parse::<Token![:]>()?;
        let name: Ident = inside.parse()?;
        let function = Function::from_name(&of.to_string())
            .ok_or_else(|| unknown("function", &of, &Function::ALL.map(Function::name)))?;
        if shapes.iter().any(|(known, _)| *known == Some(function)) {
            return Err(syn::Error::new(of.span(), format!("`{of}` is given twice")));
        }
        shapes.push((Some(function), shape(&name)?));
        if !inside.is_empty() {
            inside.parse::<Token![,]>()?;
        }
    }
    Ok(shapes)
}

/// `["one", ..]`; as they are written they go to `literals`.
fn texts(body: ParseStream, literals: &mut Vec<LitStr>) -> Result<Vec<String>> {
    let inside;
    bracketed!(inside in body);
    let texts = Punctuated::<LitStr, Token![,]>::parse_terminated(&inside)?;
    literals.extend(texts.iter().cloned());
    Ok(texts.iter().map(LitStr::value).collect())
}

/// `{ "joint": 0.5, .. }`; the names as they are written go to `literals`.
fn by_joint(body: ParseStream, literals: &mut Vec<LitStr>) -> Result<Vec<(String, f64)>> {
    let inside;
    braced!(inside in body);
    let mut joints: Vec<(String, f64)> = Vec::new();
    while !inside.is_empty() {
        let joint: LitStr = inside.parse()?;
        inside.parse::<Token![:]>()?;
        let Number(value) = inside.parse()?;
        if joints.iter().any(|(known, _)| *known == joint.value()) {
            return Err(syn::Error::new(joint.span(), format!("joint `{}` is given twice", joint.value())));
        }
        joints.push((joint.value(), value));
        literals.push(joint);
        if !inside.is_empty() {
            inside.parse::<Token![,]>()?;
        }
    }
    Ok(joints)
}

/// A frame's name and, if it is new, its link and its place there.
type Frame = (String, Option<(String, [f64; 3], [f64; 3])>);

/// `["tool0", ..]`, or `{ "tip": { link: "link_7", xyz: [..], rpy: [..] }, "tool0", .. }`; the
/// names as they are written go to `literals`.
fn frames(body: ParseStream, literals: &mut Vec<LitStr>) -> Result<Vec<Frame>> {
    let inside;
    let new_ones = body.peek(Brace);
    if new_ones {
        braced!(inside in body);
    } else {
        bracketed!(inside in body);
    }
    let mut frames: Vec<Frame> = Vec::new();
    while !inside.is_empty() {
        let name: LitStr = inside.parse()?;
        let on = if new_ones && inside.peek(Token![:]) {
            inside.parse::<Token![:]>()?;
            Some(place(&inside, &name)?)
        } else {
            None
        };
        if frames.iter().any(|(known, _)| *known == name.value()) {
            return Err(syn::Error::new(name.span(), format!("frame `{}` is given twice", name.value())));
        }
        frames.push((name.value(), on));
        literals.push(name);
        if !inside.is_empty() {
            inside.parse::<Token![,]>()?;
        }
    }
    Ok(frames)
}

/// `{ link: "link_7", xyz: [0.0, 0.0, 0.1], rpy: [0.0, 0.0, 0.0] }`; omitted fields are zero.
fn place(body: ParseStream, name: &LitStr) -> Result<(String, [f64; 3], [f64; 3])> {
    let inside;
    braced!(inside in body);
    let (mut link, mut xyz, mut rpy) = (None, [0.0; 3], [0.0; 3]);
    while !inside.is_empty() {
        let key: Ident = inside.parse()?;
        inside.parse::<Token![:]>()?;
        match key.to_string().as_str() {
            "link" => link = Some(inside.parse::<LitStr>()?.value()),
            "xyz" => xyz = three(&inside, |_| "expected three numbers".into())?,
            "rpy" => rpy = three(&inside, |_| "expected three numbers".into())?,
            _ => return Err(unknown("part of a frame", &key, &["link", "xyz", "rpy"])),
        }
        if !inside.is_empty() {
            inside.parse::<Token![,]>()?;
        }
    }
    let missing = || syn::Error::new(name.span(), format!("frame `{}` needs a `link`", name.value()));
    Ok((link.ok_or_else(missing)?, xyz, rpy))
}

/// Three numbers, such as `[0.0, 0.0, 0.1]`; `fault` makes the message for another count.
fn three(body: ParseStream, fault: fn(usize) -> String) -> Result<[f64; 3]> {
    let inside;
    let bracket = bracketed!(inside in body);
    let numbers = Punctuated::<Number, Token![,]>::parse_terminated(&inside)?;
    let numbers: Vec<f64> = numbers.into_iter().map(|Number(x)| x).collect();
    numbers.try_into().map_err(|n: Vec<f64>| syn::Error::new(bracket.span.join(), fault(n.len())))
}

/// A number with an optional sign.
struct Number(f64);

impl Parse for Number {
    fn parse(input: ParseStream) -> Result<Self> {
        let negative = input.parse::<Option<Token![-]>>()?.is_some();
        let literal: Lit = input.parse()?;
        let value: f64 = match &literal {
            Lit::Int(x) => x.base10_parse()?,
            Lit::Float(x) => x.base10_parse()?,
            other => return Err(syn::Error::new_spanned(other, "expected a number")),
        };
        Ok(Self(if negative { -value } else { value }))
    }
}
