//! Text that means something else to a shell than to [`words`](super::words), which only splits at spaces and removes
//! quotation marks.

use super::variable;

/// What only a shell does with a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ShellSyntax {
    /// `|`, `&&`, `;`, `>`, `2>&1`, parentheses, a line end.
    Operator(String),
    /// A variable or the output of a command: `$HOME`, `$(date)`, `` `date` ``.
    Expansion(String),
    /// A word with `*`, `?` or `[…]`, or with `{a,b}`, that stands for names of files or several words.
    Pattern(String),
    /// A word with `~`, which stands for a folder.
    Home(String),
    /// `#` at the start of a word.
    Comment(String),
    /// A command of the shell itself, such as `cd`. There may be a program with this name that has no effect.
    BuiltIn(String),
}

/// Commands and words of the shell that no program can replace.
const BUILT_IN: [&str; 46] = [
    "!", "[[", "alias", "bg", "bind", "break", "builtin", "case", "cd", "command", "continue", "declare",
    "eval", "exec", "exit", "export", "fc", "fg", "for", "function", "getopts", "hash", "if", "jobs", "let",
    "local", "popd", "pushd", "read", "readonly", "return", "set", "shift", "shopt", "source", "trap",
    "type", "typeset", "ulimit", "umask", "unalias", "unset", "until", "wait", "while", "{",
];

impl ShellSyntax {
    /// Returns the first text of a command that needs a shell; `None` if it means the same without one.
    ///
    /// ```
    /// use parcrypt_lab::command::ShellSyntax;
    /// assert_eq!(ShellSyntax::find("sort a | uniq"), Some(ShellSyntax::Operator("|".to_owned())));
    /// assert_eq!(ShellSyntax::find("awk '{print $1 | \"sort\"}'"), None);
    /// ```
    pub fn find(text: &str) -> Option<Self> {
        Scan { rest: text, word: String::new(), raw: String::new(), words: Vec::new(), pattern: false }.run()
    }

    /// Returns the text that needs a shell.
    pub fn text(&self) -> &str {
        match self {
            ShellSyntax::Operator(text)
            | ShellSyntax::Expansion(text)
            | ShellSyntax::Pattern(text)
            | ShellSyntax::Home(text)
            | ShellSyntax::Comment(text)
            | ShellSyntax::BuiltIn(text) => text,
        }
    }
}

/// A pass over the text of a command.
struct Scan<'t> {
    rest: &'t str,
    /// The word so far, without quotation marks.
    word: String,
    /// The word so far as it is written.
    raw: String,
    /// The words before it.
    words: Vec<String>,
    /// Whether the word has a part that is not quoted and may be a pattern.
    pattern: bool,
}

impl Scan<'_> {
    fn run(mut self) -> Option<ShellSyntax> {
        while let Some(c) = self.rest.chars().next() {
            let found = match c {
                '\'' => {
                    let end = self.rest[1..].find('\'').map_or(self.rest.len(), |end| end + 2);
                    let quoted = self.take(end);
                    self.word.push_str(quoted.trim_matches('\''));
                    None
                }
                '"' => self.double_quoted(),
                '\\' => {
                    let next = self.rest[1..].chars().next().map_or(0, char::len_utf8);
                    let pair = self.take(1 + next);
                    self.word.push_str(&pair[1..]);
                    None
                }
                ' ' | '\t' => {
                    self.rest = &self.rest[1..];
                    self.end_word()
                }
                '#' if self.raw.is_empty() => Some(ShellSyntax::Comment("#".to_owned())),
                '~' if self.begins_value() => {
                    let end = self.rest.find([' ', '\t']).unwrap_or(self.rest.len());
                    Some(ShellSyntax::Home(self.rest[..end].to_owned()))
                }
                '$' | '`' => self.expansion(),
                _ => self.plain(c),
            };
            if found.is_some() {
                return found;
            }
        }
        self.end_word()
    }

    /// Removes this many bytes from the text and returns them.
    fn take(&mut self, bytes: usize) -> String {
        let (taken, rest) = self.rest.split_at(bytes.min(self.rest.len()));
        self.rest = rest;
        self.raw.push_str(taken);
        taken.to_owned()
    }

    /// Whether a word, or the value of a variable before the program, begins here.
    fn begins_value(&self) -> bool {
        let in_value =
            || self.raw.ends_with(['=', ':']) && variable(&self.word).is_some() && self.only_variables();
        self.raw.is_empty() || in_value()
    }

    fn only_variables(&self) -> bool {
        self.words.iter().all(|word| variable(word).is_some())
    }

    fn plain(&mut self, c: char) -> Option<ShellSyntax> {
        const OPERATORS: [&str; 15] =
            ["2>&1", "&>", "&&", "||", ">>", "<<", ">&", "|", "&", ";", "<", ">", "(", ")", "\n"];
        if let Some(operator) = OPERATORS.into_iter().find(|operator| self.rest.starts_with(operator)) {
            // `2` is part of an operator only at the start of a word.
            if !operator.starts_with('2') || self.raw.is_empty() {
                return Some(ShellSyntax::Operator(operator.replace('\n', "\\n")));
            }
        }
        let closed = |open: char, close: char| {
            let word = self.rest.split([' ', '\t']).next().unwrap_or_default();
            c == open && word[1..].find(close).is_some_and(|at| at > 0)
        };
        let braces = || {
            let inside = self.rest.split(['}', ' ']).next().unwrap_or_default();
            closed('{', '}') && (inside.contains(',') || inside.contains(".."))
        };
        self.pattern |= c == '*' || c == '?' || closed('[', ']') || braces();
        let taken = self.take(c.len_utf8());
        self.word.push_str(&taken);
        None
    }

    fn double_quoted(&mut self) -> Option<ShellSyntax> {
        self.take(1);
        while let Some(c) = self.rest.chars().next() {
            match c {
                '"' => {
                    self.take(1);
                    return None;
                }
                '\\' => {
                    let next = self.rest[1..].chars().next().map_or(0, char::len_utf8);
                    let pair = self.take(1 + next);
                    self.word.push_str(&pair[1..]);
                }
                '$' | '`' => {
                    if let found @ Some(_) = self.expansion() {
                        return found;
                    }
                }
                _ => {
                    let taken = self.take(c.len_utf8());
                    self.word.push_str(&taken);
                }
            }
        }
        None
    }

    /// Returns a variable or the output of a command. A `$` that nothing follows stands for itself.
    fn expansion(&mut self) -> Option<ShellSyntax> {
        let after = &self.rest[1..];
        let begins = |c: char| c.is_ascii_alphanumeric() || "_({@*#?$!-".contains(c);
        if self.rest.starts_with('$') && !after.starts_with(begins) {
            let taken = self.take(1);
            self.word.push_str(&taken);
            return None;
        }
        let end = match (self.rest.as_bytes().first(), after.as_bytes().first()) {
            (Some(b'`'), _) => after.find('`').map(|at| at + 1),
            (_, Some(b'(')) => after.find(')').map(|at| at + 1),
            (_, Some(b'{')) => after.find('}').map(|at| at + 1),
            _ => after.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').map(|at| at.max(1)),
        };
        let end = end.map_or(self.rest.len(), |end| end + 1).min(self.rest.len());
        let expansion = self.rest.get(..end).unwrap_or(self.rest);
        Some(ShellSyntax::Expansion(expansion.trim_end_matches(['"', ' ']).to_owned()))
    }

    fn end_word(&mut self) -> Option<ShellSyntax> {
        let (word, raw) = (std::mem::take(&mut self.word), std::mem::take(&mut self.raw));
        if raw.is_empty() {
            return None;
        }
        // `[` is a program, and so no pattern by itself.
        if std::mem::take(&mut self.pattern) {
            return Some(ShellSyntax::Pattern(raw));
        }
        let is_program = self.only_variables() && variable(&word).is_none();
        if is_program && raw == word && BUILT_IN.contains(&word.as_str()) {
            return Some(ShellSyntax::BuiltIn(word));
        }
        self.words.push(word);
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_shell_would_do_is_found() {
        for (text, found) in [
            ("./b data | cat", "|"),
            ("./b data|cat", "|"),
            ("true && false", "&&"),
            ("true || false", "||"),
            ("sleep 1 &", "&"),
            ("a; b", ";"),
            ("sort numbers > out", ">"),
            ("sort numbers >> out", ">>"),
            ("sort 2>&1", "2>&1"),
            ("sort 2>/dev/null", ">"),
            ("sort < numbers", "<"),
            ("(sort numbers)", "("),
            ("a\nb", "\\n"),
            ("ls $HOME", "$HOME"),
            ("ls \"$HOME/a b\"", "$HOME"),
            ("ls ${HOME}/x", "${HOME}"),
            ("echo $(date +%s) x", "$(date +%s)"),
            ("echo `date`", "`date`"),
            ("echo $1", "$1"),
            ("A=$B ./c", "$B"),
            ("wc -l *.txt", "*.txt"),
            ("cat numbers?", "numbers?"),
            ("cat n[ua]mbers", "n[ua]mbers"),
            ("cp a.{c,h} b", "a.{c,h}"),
            ("echo {1..3}", "{1..3}"),
            ("ls ~", "~"),
            ("ls ~/x y", "~/x"),
            ("LANG=C ls ~root", "~root"),
            ("PATH=~/bin:/bin x", "~/bin:/bin"),
            ("sort numbers # slow", "#"),
            ("cd /tmp", "cd"),
            ("LC_ALL=C ulimit -s 100", "ulimit"),
            ("source x", "source"),
        ] {
            assert_eq!(ShellSyntax::find(text).as_ref().map(ShellSyntax::text), Some(found), "{text}");
        }
    }

    #[test]
    fn what_means_the_same_without_a_shell_is_not_found() {
        for text in [
            "awk '{print $1 | \"sort\"}' numbers",
            "sh -c 'a | b && c > d; cd $HOME'",
            "grep -E 'a|b*' \"x y\"",
            "LC_ALL=C sort -n numbers",
            "LC_ALL=C OTHER='~' sort",
            "sed {lines}q numbers",
            "find . -name '*.rs' -exec true {} +",
            "grep x$ numbers",
            "grep \"x$\" a",
            "echo a\\|b \\$HOME \\*",
            "echo a#b a~b x=~/y",
            "dd if=a of=b",
            "echo cd",
            "'cd' x",
            "[ a = a ]",
            "test 1 != 2",
            "printf %s 100%",
            "echo 'unclosed",
            "",
        ] {
            assert_eq!(ShellSyntax::find(text), None, "{text}");
        }
    }
}
