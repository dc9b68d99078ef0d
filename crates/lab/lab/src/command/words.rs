//! Commands as texts: their words, as a shell splits them, and the values of parameters.

use parcrypt_protocol::Params;

use super::WholeCommandError;

/// Splits a text into words as a shell does, without its variables, patterns and redirections.
///
/// # Errors
/// [`WholeCommandError::Quotes`]; [`WholeCommandError::Empty`].
pub fn words(text: &str) -> Result<Vec<String>, WholeCommandError> {
    let words = shell_words::split(text).map_err(|_| WholeCommandError::Quotes { text: text.to_owned() })?;
    if words.is_empty() { Err(WholeCommandError::Empty) } else { Ok(words) }
}

/// Returns the first operator of a shell in a text that is not quoted: `|`, `&&`, `>`, `<`, or `$` with what it stands
/// for.
///
/// ```
/// use parcrypt_lab::command::shell_operator;
/// assert_eq!(shell_operator("sort a | uniq"), Some("|"));
/// assert_eq!(shell_operator("awk '{print $1 | \"sort\"}'"), None);
/// ```
pub fn shell_operator(text: &str) -> Option<&'static str> {
    const OPERATORS: [&str; 4] = ["|", "&&", ">", "<"];
    let mut quote = None;
    let mut rest = text.char_indices();
    while let Some((at, c)) = rest.next() {
        match (c, quote) {
            ('\\', Some('"') | None) => drop(rest.next()),
            ('\'' | '"', None) => quote = Some(c),
            (_, Some(open)) if c == open => quote = None,
            // Double quotes do not keep a shell from replacing it.
            ('$', Some('"') | None)
                if text[at + 1..]
                    .starts_with(|next: char| next.is_alphanumeric() || "_{(".contains(next)) =>
            {
                return Some("$");
            }
            (_, None) => {
                let found = OPERATORS.into_iter().find(|operator| text[at..].starts_with(operator));
                if found.is_some() {
                    return found;
                }
            }
            _ => {}
        }
    }
    None
}

/// Returns a text that [`words`] splits into these words.
pub fn join(words: &[String]) -> String {
    shell_words::join(words)
}

/// Returns the text with `{NAME}` replaced by the value of each parameter. Values are not searched again.
pub fn substitute(text: &str, params: &Params) -> String {
    let mut parts = text.split('{');
    let mut all = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let found = part.split_once('}').and_then(|(name, rest)| Some((params.get(name)?, rest)));
        all += &found.map_or_else(|| format!("{{{part}"), |(value, rest)| format!("{value}{rest}"));
    }
    all
}

/// Returns the name and the value if a word sets a variable of the environment, such as `LC_ALL=C`.
pub(super) fn variable(word: &str) -> Option<(&str, &str)> {
    let (name, value) = word.split_once('=')?;
    let first = |c: char| c.is_ascii_alphabetic() || c == '_';
    let rest = |c: char| c.is_ascii_alphanumeric() || c == '_';
    (name.starts_with(first) && name.chars().all(rest)).then_some((name, value))
}

/// Returns the words with which a shell runs a text: `sh` if none is given.
pub fn in_shell(shell: Option<&[String]>, text: String) -> Vec<String> {
    let shell = shell.map_or_else(|| vec!["sh".to_owned()], <[String]>::to_vec);
    shell.into_iter().chain(["-c".to_owned(), text]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_shell_would_do_is_found_unless_it_is_quoted() {
        for (text, found) in [
            ("./b data|cat", "|"),
            ("true && false", "&&"),
            ("sort numbers >> out", ">"),
            ("sort 2>&1", ">"),
            ("sort < numbers", "<"),
            ("ls $HOME", "$"),
            ("ls \"$HOME/a b\"", "$"),
            ("echo $(date +%s)", "$"),
        ] {
            assert_eq!(shell_operator(text), Some(found), "{text}");
        }
        for text in [
            "sh -c 'a | b && c > d; cd $HOME'",
            "grep -E 'a|b*' \"x > y\"",
            "grep \"x$\" a$",
            "echo a\\|b \\$HOME",
            "echo 'unclosed |",
            "",
        ] {
            assert_eq!(shell_operator(text), None, "{text}");
        }
    }

    #[test]
    fn parameters_stand_in_braces() {
        let params = Params::from([("a".into(), 7.into()), ("ab".into(), "{a}".into())]);
        let with = |text: &str| substitute(text, &params);
        assert_eq!(with("x{a}{ab}{b} {a"), "x7{a}{b} {a");
        assert_eq!(with("awk '{print $1}' {a}"), "awk '{print $1}' 7");
        assert_eq!(with("{{a}}"), "{7}");
    }
}
