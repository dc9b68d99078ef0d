//! Flame graphs: stacks as boxes, each as wide as its share of the time and below the function that called it.
//!
//! They are boxes of HTML and not of SVG, so that names are cut at the edge of their box by the browser, at any width.
//! (B. Gregg, 'The Flame Graph', Communications of the ACM 59 (2016) 48–57.)

use std::collections::BTreeMap;

use maud::{Markup, html};
use parcrypt_lab::record::Stack;

use crate::format;

/// Minimum share of the time of a box; narrower ones cannot be seen.
const LEAST: f64 = 0.002;
/// Number of colours.
const COLOURS: usize = 4;

/// A function as it was called by the one below it.
#[derive(Default)]
struct Called<'s> {
    time: f64,
    calls: BTreeMap<&'s str, Called<'s>>,
}

/// Returns the flame graph of an entry's stacks.
pub(crate) fn graph(name: &str, stacks: &[Stack]) -> Markup {
    let mut root = Called::default();
    for stack in stacks {
        let time = stack.time_us as f64;
        root.time += time;
        let mut here = &mut root;
        for function in &stack.functions {
            here = here.calls.entry(function).or_default();
            here.time += time;
        }
    }
    let title = format!("Flame graph of {}", format::one_line(name));
    html! {
        div.flame role="img" aria-label=(title) { (calls(&root, root.time)) }
    }
}

/// Returns the boxes of what a function called, whose widths are shares of its own.
fn calls(of: &Called<'_>, all: f64) -> Markup {
    html! {
        @for (name, called) in of.calls.iter().filter(|(_, called)| called.time >= LEAST * all) {
            @let name = format::one_line(name);
            @let share = 100.0 * called.time / all;
            div style=(format!("width:{:.2}%", 100.0 * called.time / of.time)) {
                span class=(format!("k{}", colour(&name))) title=(format!("{name}: {share:.1} %")) {
                    (short(&name))
                }
                @if !called.calls.is_empty() { div.calls { (calls(called, all)) } }
            }
        }
    }
}

/// Returns the last part of a path of names, without what is in angle brackets.
fn short(name: &str) -> String {
    let mut depth = 0_usize;
    let mut plain = String::new();
    for character in name.chars() {
        match character {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            other if depth == 0 => plain.push(other),
            _ => {}
        }
    }
    let parts: Vec<&str> = plain.split("::").filter(|part| !part.is_empty()).collect();
    parts.last().map_or_else(|| name.to_string(), |last| (*last).to_string())
}

/// Returns the colour of a function, the same in all graphs.
fn colour(name: &str) -> usize {
    name.bytes().fold(0_usize, |hash, byte| hash.wrapping_mul(31).wrapping_add(byte.into())) % COLOURS
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stack(functions: &str, time_us: u64) -> Stack {
        Stack { functions: functions.split(';').map(str::to_owned).collect(), time_us }
    }

    #[test]
    fn widths_are_shares_of_the_caller_and_titles_shares_of_all() {
        let stacks =
            [stack("main;work;add", 60), stack("main;work", 20), stack("main;<b>", 20), stack("main;x", 0)];
        let text = graph("a & b", &stacks).into_string();
        assert!(text.contains("aria-label=\"Flame graph of a &amp; b\""), "{text}");
        for (width, title) in
            [("100.00", "main: 100.0 %"), ("80.00", "work: 80.0 %"), ("75.00", "add: 60.0 %")]
        {
            assert!(text.contains(&format!("width:{width}%")) && text.contains(title), "{title}: {text}");
        }
        assert!(text.contains("title=\"&lt;b&gt;: 20.0 %\"") && !text.contains("x: "), "{text}");
        assert_eq!(graph("a", &[]).into_string().matches("<span").count(), 0);
    }

    #[test]
    fn names_are_cut_to_their_last_part() {
        for (name, cut) in [
            ("parcrypt_kzg::eip4844::verify::<&dyn Runtime>", "verify"),
            ("<a::B as c::D>::run", "run"),
            ("add", "add"),
            ("::", "::"),
            ("<lambda>", "<lambda>"),
        ] {
            assert_eq!(short(name), cut);
        }
    }
}
