//! Layout of generated Rust.
//!
//! `prettyplease` formats everything but the kernels, which would be megabytes for a humanoid.
//! Kernels are written one statement a line, and are only indented here.

use super::function::FunctionText;
use super::interface::Module;
use std::fmt::Write;

/// Placeholder for the kernels while the rest is formatted.
const HERE: &str = "mod kernels_go_here {}";

/// Widest line, unless it has no comma to break at.
const WIDTH: usize = 100;

/// Width of an indentation step.
const STEP: usize = 4;

impl Module {
    /// The whole text in Rust, formatted.
    ///
    /// # Panics
    /// If the emitter wrote invalid Rust, which is a bug of rbd.
    pub fn source(&self, runtime: &str) -> String {
        let around = Self { kernels: format!("{HERE}\n"), ..self.clone() };
        let file = syn::parse_file(&around.text(runtime)).expect("the emitter writes Rust");
        let around = prettyplease::unparse(&file);
        // The last occurrence: names of the robot may contain the placeholder, and they precede it.
        let (before, after) = around.rsplit_once(HERE).expect("what is parsed is printed");
        let indentation = before.chars().rev().take_while(|c| *c == ' ').count();
        let mut text = before[..before.len() - indentation].to_owned();
        indent(&mut text, &self.kernels, indentation);
        text.push_str(after.trim_start_matches('\n'));
        text
    }
}

/// A function in such a text: its methods, then its kernels.
pub fn of_function(function: &FunctionText) -> String {
    let FunctionText { type_name, methods, kernels } = function;
    let file = syn::parse_file(&format!("const _: () = {{ impl {type_name} {{ {methods} }} }};"));
    let block = prettyplease::unparse(&file.expect("the emitter writes Rust"));
    let mut lines: Vec<&str> = block.lines().skip(1).collect();
    lines.pop();
    let mut text = lines.join("\n") + "\n";
    indent(&mut text, kernels, 2 * STEP);
    text
}

/// Appends lines, each indented by a step for each earlier line that left brackets open.
pub fn indent(text: &mut String, lines: &str, indentation: usize) {
    // Number of brackets left open by each such line.
    let mut open: Vec<usize> = Vec::new();
    for line in lines.lines().map(str::trim).filter(|line| !line.is_empty()) {
        if line.starts_with("//") {
            let _ = writeln!(text, "{:1$}{line}", "", indentation + STEP * open.len());
            continue;
        }
        let closers = line.len() - line.trim_start_matches([')', ']', '}']).len();
        let mut own = 0;
        line[..closers].chars().for_each(|c| count(&mut open, &mut own, c));
        let depth = open.len();
        line[closers..].chars().for_each(|c| count(&mut open, &mut own, c));
        broken(text, line, indentation + STEP * depth);
        open.extend((own > 0).then_some(own));
    }
}

/// Counts a bracket, in those opened by the current line and those left open by earlier lines.
fn count(open: &mut Vec<usize>, own: &mut usize, bracket: char) {
    match bracket {
        '(' | '[' | '{' => *own += 1,
        ')' | ']' | '}' if *own > 0 => *own -= 1,
        ')' | ']' | '}' => {
            let left = open.pop().map_or(0, |n| n - 1);
            open.extend((left > 0).then_some(left));
        }
        _ => {}
    }
}

/// Appends a line, broken after commas if it is too long.
fn broken(text: &mut String, line: &str, indentation: usize) {
    let (mut rest, mut indentation, first) = (line, indentation, indentation);
    while indentation + rest.len() > WIDTH {
        let room = WIDTH.saturating_sub(indentation);
        let fits = rest.char_indices().take_while(|(at, _)| *at < room).map(|(at, _)| at);
        let Some(end) = fits.filter(|at| rest[*at..].starts_with(", ")).last() else {
            break;
        };
        let _ = writeln!(text, "{:indentation$}{}", "", &rest[..=end]);
        (rest, indentation) = (&rest[end + 2..], first + STEP);
    }
    let _ = writeln!(text, "{:indentation$}{rest}", "");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_indented_by_what_is_open() {
        let mut text = String::new();
        indent(&mut text, "fn f() {\nlet x = f([\n1,\n]);\n// } is a comment\n\n}\nfn g() {}\n", 4);
        let expected = [
            "    fn f() {",
            "        let x = f([",
            "            1,",
            "        ]);",
            "        // } is a comment",
            "    }",
            "    fn g() {}",
        ];
        assert_eq!(text.lines().collect::<Vec<_>>(), expected);
    }

    /// Names of the robot precede the kernels.
    #[test]
    fn kernels_go_to_their_module_whatever_names_there_are() {
        let module = Module {
            head: format!("/// {HERE}\nstruct X;\n"),
            body: format!("const NAME: &str = {HERE:?};\n"),
            kernels_head: "mod kernels_of_X".into(),
            kernels: "fn f() {\n}\n".into(),
        };
        let text = module.source("::rt");
        assert!(text.contains("        fn f() {\n        }\n    }\n};\n"), "{text}");
        assert_eq!(text.matches(HERE).count(), 2, "{text}");
    }

    #[test]
    fn long_lines_are_broken_behind_commas() {
        let (mut text, list) = (String::new(), vec!["number"; 40].join(", "));
        indent(&mut text, &format!("let x = [{list}];\n{}", "y".repeat(2 * WIDTH)), 8);
        assert!(text.lines().rev().skip(1).all(|line| line.len() <= WIDTH), "{text}");
        assert!(text.lines().nth(1).unwrap().starts_with("            number"), "{text}");
        let joined = |text: &str| text.split_whitespace().collect::<String>();
        assert_eq!(joined(&text), joined(&format!("let x = [{list}];{}", "y".repeat(2 * WIDTH))));
    }
}
