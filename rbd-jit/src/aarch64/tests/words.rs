//! Each function of the encoder against GNU's assembler.

use super::super::assembler::{Address, Assembler, Width};
use super::super::encode::{self, V, X};
use super::emulator::{are_there, folder};
use crate::random::Random;
use std::fmt::Write;
use std::process::Command;

/// Lines of a program, and the words that they should be.
#[derive(Default)]
struct Lines {
    text: String,
    words: Vec<u32>,
}

impl Lines {
    fn add(&mut self, word: u32, line: &str) {
        writeln!(self.text, "    {line}").unwrap();
        self.words.push(word);
    }
}

/// The words that the assembler makes of lines.
fn assembled(text: &str) -> Vec<u32> {
    let folder = folder();
    let [source, object, binary] = ["a.s", "a.o", "a.bin"].map(|name| folder.join(name));
    std::fs::write(&source, text).unwrap();
    let run = |program: &str, arguments: &[&std::ffi::OsStr]| {
        assert!(Command::new(program).args(arguments).status().unwrap().success(), "{program}\n{text}");
    };
    run("aarch64-linux-gnu-as", &["-o".as_ref(), object.as_ref(), source.as_ref()]);
    let to_binary = ["-O".as_ref(), "binary".as_ref(), object.as_ref(), binary.as_ref()];
    run("aarch64-linux-gnu-objcopy", &to_binary);
    let bytes = std::fs::read(&binary).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect()
}

fn compare(lines: &Lines) {
    if !are_there(&["aarch64-linux-gnu-as", "aarch64-linux-gnu-objcopy"]) {
        return;
    }
    let found = assembled(&lines.text);
    assert_eq!(found.len(), lines.words.len());
    for ((found, word), line) in found.iter().zip(&lines.words).zip(lines.text.lines()) {
        assert_eq!(word, found, "{line}: {word:08x} is {found:08x}");
    }
}

#[test]
fn are_the_assemblers() {
    let random = &mut Random::new(7);
    let mut lines = Lines::default();
    for _ in 0..20 {
        let v: [u8; 4] = [0; 4].map(|_| random.below(32) as u8);
        let x: [u8; 3] = [0; 3].map(|_| random.below(31) as u8);
        vectors(&mut lines, v, random);
        addresses(&mut lines, v, x, random);
        generals(&mut lines, x, random);
    }
    compare(&lines);
}

/// Neighbours that are moved one after the other are moved by one word, unless a jump leads between them.
#[test]
fn neighbours_are_moved_together() {
    let mut out = Assembler::default();
    let at = |bytes: u32| Address { base: X(3), bytes };
    let load = |out: &mut Assembler, to: u8, bytes: u32| out.load(Width::One, V(to), at(bytes));
    load(&mut out, 1, 16);
    load(&mut out, 2, 24);
    // A third one begins another pair, in the other order.
    load(&mut out, 3, 40);
    load(&mut out, 4, 32);
    // Neither the register twice, nor other places, nor too far.
    load(&mut out, 5, 48);
    load(&mut out, 5, 56);
    load(&mut out, 6, 72);
    load(&mut out, 7, 512);
    load(&mut out, 8, 520);
    let _ = out.here();
    load(&mut out, 9, 528);
    out.store(Width::Two, at(0), V(1));
    out.store(Width::Two, at(16), V(1));
    let texts = [
        "ldp d1, d2, [x3, #16]",
        "ldp d4, d3, [x3, #32]",
        "ldr d5, [x3, #48]",
        "ldr d5, [x3, #56]",
        "ldr d6, [x3, #72]",
        "ldr d7, [x3, #512]",
        "ldr d8, [x3, #520]",
        "ldr d9, [x3, #528]",
        "stp q1, q1, [x3]",
    ];
    let words = out.finish();
    assert_eq!(words.len(), texts.len());
    let mut lines = Lines::default();
    words.iter().zip(texts).for_each(|(word, text)| lines.add(*word, text));
    compare(&lines);
}

fn vectors(lines: &mut Lines, registers: [u8; 4], random: &mut Random) {
    let [d, n, m, a] = registers;
    let [vd, vn, vm, va] = registers.map(V);
    let three = [
        (encode::fadd as fn(V, V, V) -> u32, "fadd"),
        (encode::fsub, "fsub"),
        (encode::fmul, "fmul"),
        (encode::fdiv, "fdiv"),
    ];
    for (word, name) in three {
        lines.add(word(vd, vn, vm), &format!("{name} d{d}, d{n}, d{m}"));
    }
    let three = [
        (encode::fadd_2d as fn(V, V, V) -> u32, "fadd"),
        (encode::fsub_2d, "fsub"),
        (encode::fmul_2d, "fmul"),
        (encode::fdiv_2d, "fdiv"),
        (encode::fmla_2d, "fmla"),
        (encode::fmls_2d, "fmls"),
        (encode::facge_2d, "facge"),
        (encode::zip1_2d, "zip1"),
    ];
    for (word, name) in three {
        lines.add(word(vd, vn, vm), &format!("{name} v{d}.2d, v{n}.2d, v{m}.2d"));
    }
    let three =
        [(encode::and_16b as fn(V, V, V) -> u32, "and"), (encode::eor_16b, "eor"), (encode::bsl_16b, "bsl")];
    for (word, name) in three {
        lines.add(word(vd, vn, vm), &format!("{name} v{d}.16b, v{n}.16b, v{m}.16b"));
    }
    let two = [(encode::fmov as fn(V, V) -> u32, "fmov"), (encode::fsqrt, "fsqrt")];
    for (word, name) in two {
        lines.add(word(vd, vn), &format!("{name} d{d}, d{n}"));
    }
    lines.add(encode::fneg_2d(vd, vn), &format!("fneg v{d}.2d, v{n}.2d"));
    lines.add(encode::fsqrt_2d(vd, vn), &format!("fsqrt v{d}.2d, v{n}.2d"));
    lines.add(encode::addp_d(vd, vn), &format!("addp d{d}, v{n}.2d"));
    lines.add(encode::mov_16b(vd, vn), &format!("mov v{d}.16b, v{n}.16b"));
    let four = [
        (encode::fmadd as fn(V, V, V, V) -> u32, "fmadd"),
        (encode::fmsub, "fmsub"),
        (encode::fnmadd, "fnmadd"),
        (encode::fnmsub, "fnmsub"),
    ];
    for (word, name) in four {
        lines.add(word(vd, vn, vm, va), &format!("{name} d{d}, d{n}, d{m}, d{a}"));
    }
    let e = random.below(2) as u32;
    lines.add(encode::fmla_2d_element(vd, vn, vm, e), &format!("fmla v{d}.2d, v{n}.2d, v{m}.d[{e}]"));
    lines.add(encode::fmls_2d_element(vd, vn, vm, e), &format!("fmls v{d}.2d, v{n}.2d, v{m}.d[{e}]"));
    lines.add(encode::dup_2d(vd, vn, e), &format!("dup v{d}.2d, v{n}.d[{e}]"));
    lines.add(encode::dup_d(vd, vn, e), &format!("mov d{d}, v{n}.d[{e}]"));
    let by = random.below(64) as u32;
    lines.add(encode::shl_2d(vd, vn, by), &format!("shl v{d}.2d, v{n}.2d, #{by}"));
    lines.add(encode::sshr_2d(vd, vn, by + 1), &format!("sshr v{d}.2d, v{n}.2d, #{}", by + 1));
    lines.add(encode::movi_2d_zero(vd), &format!("movi v{d}.2d, #0"));
    let sign = if e == 0 { 1.0 } else { -1.0 };
    let number = sign * (16 + random.below(16)) as f64 / 16.0 * 2_f64.powi(random.below(8) as i32 - 3);
    let immediate = encode::immediate(number).expect("it is one of those numbers");
    lines.add(encode::fmov_immediate(vd, immediate), &format!("fmov d{d}, #{number}"));
    lines.add(encode::fmov_2d_immediate(vd, immediate), &format!("fmov v{d}.2d, #{number}"));
}

fn addresses(lines: &mut Lines, registers: [u8; 4], generals: [u8; 3], random: &mut Random) {
    let ([t, u, ..], [xt, xu, n]) = (registers, generals);
    let (vt, vu, xn) = (V(t), V(u), X(n));
    let units = random.below(4096) as u32;
    for (word, name, unit) in [
        (encode::ldr_d as fn(V, X, u32) -> u32, "ldr d", 8),
        (encode::str_d, "str d", 8),
        (encode::ldr_q, "ldr q", 16),
        (encode::str_q, "str q", 16),
    ] {
        lines.add(word(vt, xn, unit * units), &format!("{name}{t}, [x{n}, #{}]", unit * units));
    }
    lines.add(encode::ldr_x(X(xt), xn, 8 * units), &format!("ldr x{xt}, [x{n}, #{}]", 8 * units));
    let bytes = random.below(512) as i32 - 256;
    for (word, name) in [(encode::ldur_q as fn(V, X, i32) -> u32, "ldur"), (encode::stur_q, "stur")] {
        lines.add(word(vt, xn, bytes), &format!("{name} q{t}, [x{n}, #{bytes}]"));
    }
    for (word, name) in [
        (encode::ldr_d_post as fn(V, X, i32) -> u32, "ldr d"),
        (encode::ldr_q_post, "ldr q"),
        (encode::str_q_post, "str q"),
    ] {
        lines.add(word(vt, xn, bytes), &format!("{name}{t}, [x{n}], #{bytes}"));
    }
    let units = random.below(128) as i32 - 64;
    // Pairs of one register, or of one that is an address as well, are not defined.
    let (xt, xu) = if xt == xu || xt == n || xu == n { ((n + 1) % 31, (n + 2) % 31) } else { (xt, xu) };
    let (vu, u) = if t == u { (V((t + 1) % 32), (t + 1) % 32) } else { (vu, u) };
    let (at, bytes) = (format!("[x{n}"), 8 * units);
    let pair = (X(xt), X(xu));
    lines.add(encode::stp_x(pair.0, pair.1, xn, bytes), &format!("stp x{xt}, x{xu}, {at}, #{bytes}]"));
    lines.add(encode::ldp_x(pair.0, pair.1, xn, bytes), &format!("ldp x{xt}, x{xu}, {at}, #{bytes}]"));
    lines.add(encode::stp_x_pre(pair.0, pair.1, xn, bytes), &format!("stp x{xt}, x{xu}, {at}, #{bytes}]!"));
    lines.add(encode::ldp_x_post(pair.0, pair.1, xn, bytes), &format!("ldp x{xt}, x{xu}, {at}], #{bytes}"));
    lines.add(encode::stp_d(vt, vu, xn, bytes), &format!("stp d{t}, d{u}, {at}, #{bytes}]"));
    lines.add(encode::ldp_d(vt, vu, xn, bytes), &format!("ldp d{t}, d{u}, {at}, #{bytes}]"));
    lines.add(encode::stp_q(vt, vu, xn, 2 * bytes), &format!("stp q{t}, q{u}, {at}, #{}]", 2 * bytes));
    lines.add(encode::ldp_q(vt, vu, xn, 2 * bytes), &format!("ldp q{t}, q{u}, {at}, #{}]", 2 * bytes));
    lines.add(encode::stp_q_post(vt, vu, xn, 2 * bytes), &format!("stp q{t}, q{u}, {at}], #{}", 2 * bytes));
    lines.add(encode::ld1r_2d(vt, xn), &format!("ld1r {{v{t}.2d}}, [x{n}]"));
    lines.add(encode::ldr_x(X(xt), X(31), 16), &format!("ldr x{xt}, [sp, #16]"));
}

fn generals(lines: &mut Lines, [d, n, m]: [u8; 3], random: &mut Random) {
    let (xd, xn, xm) = (X(d), X(n), X(m));
    let twelve = random.below(4096) as u32;
    lines.add(encode::add_immediate(xd, xn, twelve, false), &format!("add x{d}, x{n}, #{twelve}"));
    lines.add(encode::add_immediate(xd, xn, twelve, true), &format!("add x{d}, x{n}, #{twelve}, lsl #12"));
    lines.add(encode::add_immediate(xd, X(31), 0, false), &format!("mov x{d}, sp"));
    lines.add(encode::sub_immediate(xd, xn, twelve), &format!("sub x{d}, x{n}, #{twelve}"));
    lines.add(encode::cmn_immediate(xn, twelve), &format!("cmn x{n}, #{twelve}"));
    lines.add(encode::add_x(xd, xn, xm), &format!("add x{d}, x{n}, x{m}"));
    lines.add(encode::fmov_to_x(xd, V(n)), &format!("fmov x{d}, d{n}"));
    let (sixteen, part) = (random.below(1 << 16) as u32, random.below(4) as u32);
    lines.add(encode::movz(xd, sixteen, part), &format!("movz x{d}, #{sixteen}, lsl #{}", 16 * part));
    lines.add(encode::movk(xd, sixteen, part), &format!("movk x{d}, #{sixteen}, lsl #{}", 16 * part));
    let far = random.below(1 << 19) as i32 - (1 << 18);
    lines.add(encode::b(100 * far), &format!("b . + {}", 400 * far));
    lines.add(encode::b_eq(far), &format!("b.eq . + {}", 4 * far));
    lines.add(encode::cbnz(xn, far), &format!("cbnz x{n}, . + {}", 4 * far));
    lines.add(encode::blr(xn), &format!("blr x{n}"));
    lines.add(encode::ret(), "ret");
}

/// Numbers that an instruction has no room for are not taken.
#[test]
fn immediates_are_those_that_there_are() {
    for number in [0.0, -0.0, 0.1, 32.0, 0.0625, 1.03125, 1e300, f64::INFINITY, f64::NAN] {
        assert_eq!(encode::immediate(number), None, "{number}");
    }
}

/// Addresses at any distance: near ones in one word, others in at most four.
#[test]
fn far_addresses_are_reached() {
    let mut lines = Lines::default();
    let mut add = |bytes: u32, width: Width, texts: &[&str]| {
        let mut out = Assembler::default();
        out.load(width, V(5), Address { base: X(3), bytes });
        let words = out.finish();
        assert_eq!(words.len(), texts.len(), "{bytes}");
        words.iter().zip(texts).for_each(|(word, text)| lines.add(*word, text));
    };
    add(32760, Width::One, &["ldr d5, [x3, #32760]"]);
    add(32768, Width::One, &["add x16, x3, #8, lsl #12", "ldr d5, [x16]"]);
    add(65520, Width::Two, &["ldr q5, [x3, #65520]"]);
    add(65544, Width::Two, &["add x16, x3, #16, lsl #12", "add x16, x16, #8", "ldr q5, [x16]"]);
    add(248, Width::Two, &["ldur q5, [x3, #248]"]);
    add(264, Width::Two, &["add x16, x3, #264", "ldr q5, [x16]"]);
    let far = ["movz x16, #8", "movk x16, #256, lsl #16", "add x16, x16, x3", "ldr d5, [x16]"];
    add((1 << 24) + 8, Width::One, &far);
    compare(&lines);
}
