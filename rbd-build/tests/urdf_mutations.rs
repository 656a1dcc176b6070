//! Good files with something dropped, doubled, swapped or garbled: an error with a place, or a
//! sound model; never a panic.

use proptest::prelude::*;
use rbd_build::options::{Base, ReadOptions};
use rbd_build::urdf::read;
use rbd_runtime::Model;

const ARM: &str = include_str!("good/arm.urdf");
const GRIPPER: &str = include_str!("good/gripper.urdf");

/// Cuts a file where a slip may happen: between tags, words, quotes and signs.
fn tokens(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '-' | '+' | ':');
        let end = match first {
            c if word(c) => rest.find(|c| !word(c)).unwrap_or(rest.len()),
            c if c.is_whitespace() => rest.find(|c: char| !c.is_whitespace()).unwrap_or(rest.len()),
            c => c.len_utf8(),
        };
        out.push(&rest[..end]);
        rest = &rest[end..];
    }
    out
}

/// Cuts a file at its elements' edges: each piece is a tag and the text after it.
fn elements(text: &str) -> Vec<&str> {
    let starts: Vec<usize> = text.match_indices('<').map(|(i, _)| i).collect();
    let ends = starts.iter().skip(1).copied().chain([text.len()]);
    starts.iter().zip(ends).map(|(&a, b)| &text[a..b]).collect()
}

const GARBAGE: &[&str] = &[
    "",
    "0",
    "-1",
    "1e308",
    "-1e49",
    "1e-320",
    "nan",
    "inf",
    "é\u{301}",
    "\u{0}",
    "\u{1b}",
    "&",
    "<",
    ">",
    "\"",
    "'",
    "fixed",
    "floating",
    "ball",
    "continuous",
    "planar",
    "base",
    "left",
    "name",
    "x:y",
    "xmlns:x",
    "${x}",
    "]]>",
    "<!--",
    "-->",
    "<![CDATA[",
    "<?xml?>",
    "<!DOCTYPE a>",
    "<mimic joint=\"left\" multiplier=\"3\"/>",
    "<mimic joint=\"right\"/>",
    "&#0;",
    "&#x41;",
    "\u{feff}",
    "1 2 3",
    "0 0 0",
    "<robot>",
    "</robot>",
];

#[derive(Clone, Debug)]
enum Mutation {
    Drop,
    Double,
    Swap(prop::sample::Index),
    Replace(prop::sample::Index),
    Insert(usize),
    Garble(usize),
    Cut,
}

fn grain() -> impl Strategy<Value = Grain> {
    prop_oneof![
        1 => Just(Grain::Token),
        1 => Just(Grain::Tag),
        2 => Just(Grain::Line),
        8 => Just(Grain::Value),
    ]
}

fn mutation() -> impl Strategy<Value = Mutation> {
    let garbage = 0..GARBAGE.len();
    prop_oneof![
        Just(Mutation::Drop),
        Just(Mutation::Double),
        any::<prop::sample::Index>().prop_map(Mutation::Swap),
        any::<prop::sample::Index>().prop_map(Mutation::Replace),
        garbage.clone().prop_map(Mutation::Insert),
        garbage.prop_map(Mutation::Garble),
        Just(Mutation::Cut),
    ]
}

/// Unit of a mutation. Mutated values and lines mostly leave a file XML, so that the code behind
/// the parser is tested too.
#[derive(Clone, Copy, Debug)]
enum Grain {
    Token,
    Tag,
    Line,
    Value,
}

fn mutate(text: &str, grain: Grain, place: prop::sample::Index, mutation: &Mutation) -> String {
    let mut pieces = match grain {
        Grain::Token => tokens(text),
        Grain::Tag => elements(text),
        Grain::Line => text.split_inclusive('\n').collect(),
        Grain::Value => text.split('"').collect(),
    };
    let count = pieces.len();
    if count < 2 {
        return text.to_owned();
    }
    if let Grain::Value = grain {
        // Every second piece stands between quotes.
        let value = |i: &prop::sample::Index| i.index(count / 2) * 2 + 1;
        let at = value(&place);
        match mutation {
            Mutation::Swap(other) => pieces.swap(at, value(other)),
            Mutation::Replace(other) => pieces[at] = pieces[value(other)],
            Mutation::Insert(g) | Mutation::Garble(g) => pieces[at] = GARBAGE[*g],
            Mutation::Drop | Mutation::Double | Mutation::Cut => pieces[at] = "",
        }
        return pieces.join("\"");
    }
    let at = place.index(count);
    match mutation {
        Mutation::Drop => drop(pieces.remove(at)),
        Mutation::Double => pieces.insert(at, pieces[at]),
        Mutation::Swap(other) => pieces.swap(at, other.index(count)),
        Mutation::Replace(other) => pieces[at] = pieces[other.index(count)],
        Mutation::Insert(g) => pieces.insert(at, GARBAGE[*g]),
        Mutation::Garble(g) => pieces[at] = GARBAGE[*g],
        Mutation::Cut => pieces.truncate(at),
    }
    pieces.concat()
}

/// Finite numbers and valid indices throughout.
fn check(m: &Model<f64>) {
    assert!(m.nv > 0 && m.nq >= m.nv);
    let (mut nq, mut nv) = (0, 0);
    for (i, b) in m.bodies.iter().enumerate() {
        assert!(b.parent.is_none_or(|p| p < i) && !b.joint.is_empty() && !b.link.is_empty());
        match b.mimic {
            Some(mimic) => {
                let leader = &m.bodies[mimic.joint];
                assert!(leader.mimic.is_none() && (leader.idx_q, leader.idx_v) == (b.idx_q, b.idx_v));
                assert!(mimic.multiplier.is_finite() && mimic.multiplier != 0.0 && mimic.offset.is_finite());
            }
            None => assert_eq!((b.idx_q, b.idx_v), (nq, nv)),
        }
        (nq, nv) = (nq + b.nq(), nv + b.nv());
        let has_axis = b.kind.nv() == 1 || b.kind == rbd_runtime::JointKind::Planar;
        assert!((b.axis.norm() - f64::from(has_axis)).abs() < 1e-14);
        assert!(
            b.inertia.mass >= 0.0 && b.inertia.mass.is_finite() && b.inertia.j == b.inertia.j.transpose()
        );
        assert!(b.inertia.h.iter().chain(&b.inertia.j).all(|x| x.is_finite()));
        assert!(b.limits.lower <= b.limits.upper && !b.limits.velocity.is_nan() && !b.limits.effort.is_nan());
        assert!(b.damping.is_finite() && b.friction.is_finite() && b.armature.is_finite());
    }
    assert_eq!((nq, nv), (m.nq, m.nv));
    let placements = m.frames.iter().map(|f| &f.placement).chain(m.bodies.iter().map(|b| &b.placement));
    for p in placements {
        assert!((p.rotation * p.rotation.transpose() - nalgebra::Matrix3::identity()).amax() < 1e-12);
        assert!(
            (p.rotation.determinant() - 1.0).abs() < 1e-12 && p.translation.iter().all(|x| x.is_finite())
        );
    }
    assert!(m.frames.iter().all(|f| f.body.is_none_or(|b| b < m.bodies.len())));
    let mut names: Vec<_> = m.frames.iter().map(|f| &f.name).collect();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), m.frames.len());
}

fn judge(text: &str, options: &ReadOptions) -> bool {
    match read(text, "mutated.urdf", options) {
        Ok(reading) => {
            check(&reading.model);
            assert!(!reading.warnings.has_errors());
            true
        }
        Err(findings) => {
            assert!(findings.has_errors());
            for f in &findings {
                let lines = text.split('\n').count();
                assert!(f.code == "empty-file" || (1..=lines).contains(&f.line), "{f}");
                assert!(f.column >= 1 || f.line == 0, "{f}");
                assert!(!f.what.is_empty() && !f.help.is_empty() && !f.to_string().contains('\u{1b}'));
            }
            false
        }
    }
}

#[test]
fn unmutated_files_are_good() {
    for base in [Base::Fixed, Base::Floating] {
        let options = ReadOptions { base, ..Default::default() };
        assert!(judge(ARM, &options) && judge(GRIPPER, &options));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..Default::default() })]

    #[test]
    fn mutated_files_get_an_answer(
        gripper in any::<bool>(),
        floating in any::<bool>(),
        mutations in prop::collection::vec((grain(), any::<prop::sample::Index>(), mutation()), 1..4),
    ) {
        let mut text = if gripper { GRIPPER } else { ARM }.to_owned();
        for (grain, place, mutation) in &mutations {
            text = mutate(&text, *grain, *place, mutation);
        }
        let base = if floating { Base::Floating } else { Base::Fixed };
        judge(&text, &ReadOptions { base, allow_unphysical_inertia: true, ..Default::default() });
    }

    #[test]
    fn any_text_gets_an_answer(text in "([<>/='\" a:!?&-]|robot|<link name=|xmlns|\n|\\PC){0,60}") {
        judge(&text, &ReadOptions::default());
    }
}
