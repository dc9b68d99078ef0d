//! The commands of a comparison, from the arguments.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use parcrypt_lab::command::{
    Comparison, Quantity, Ran, WholeCommand, join, shell_operator, substitute, words,
};
use parcrypt_lab::plan::{Plan, control_name};
use parcrypt_lab::record::{Measure, PEAK_MEMORY, Params, Value};

use parcrypt_terminal::error::CommandError;

use super::Arguments;
use crate::commands::run_command;
use crate::layouts;
use crate::program::cores;
use crate::revisions::Tree;
use parcrypt_terminal::progress::Bar;
use parcrypt_terminal::text::on_one_line;

/// The commands of a comparison.
#[derive(Debug)]
pub(super) struct Commands {
    pub(super) commands: Vec<Command>,
    /// The command that all revisions run; the commands themselves are the title if it is left out.
    title: Option<String>,
    params: BTreeMap<String, Vec<Value>>,
    baseline: usize,
    control: bool,
    processors: usize,
    /// Time limit of a run.
    timeout: Option<Duration>,
    /// What is measured of each command, in one way to run it after the other.
    quantities: Vec<Quantity>,
    /// Memory layouts of each program.
    layouts: usize,
}

/// A command with its name, and what runs before and after all its runs.
#[derive(Clone, Debug)]
pub(super) struct Command {
    pub(super) name: String,
    pub(super) whole: WholeCommand,
    pub(super) setup: Option<String>,
    pub(super) cleanup: Option<String>,
}

/// What is compared with others of its kind: a command, or a revision that runs the same one.
struct Subject {
    name: String,
    words: Vec<String>,
    folder: Option<PathBuf>,
}

impl Commands {
    /// Reads the arguments for a comparison by these quantities. With trees, there is one command, which runs in each
    /// of them.
    ///
    /// # Errors
    /// A text that cannot be split, a wrong number of names, an unknown baseline, a wrong parameter.
    pub(super) fn new(
        arguments: &Arguments,
        quantities: Vec<Quantity>,
        trees: &[Tree],
    ) -> Result<Self, CommandError> {
        let shell = arguments.shell.as_deref().map(words).transpose()?;
        let subjects = subjects(&arguments.commands, shell.is_some(), trees)?;
        let count = subjects.len();
        let names = each("name", &arguments.names, count)?;
        if arguments.names.iter().any(|name| name.trim().is_empty()) {
            return Err(CommandError::new("--name: a name is empty"));
        }
        if names.len() > 1 && arguments.names.len() == 1 {
            return Err(CommandError::new(format!(
                "--name: one name for {count} commands: give one for each"
            )));
        }
        let [prepare, conclude, setup, cleanup] = [
            each("prepare", &arguments.prepare, count)?,
            each("conclude", &arguments.conclude, count)?,
            each("setup", &arguments.setup, count)?,
            each("cleanup", &arguments.cleanup, count)?,
        ];
        let command = |(at, subject): (usize, Subject)| Command {
            name: names[at].clone().unwrap_or(subject.name),
            whole: WholeCommand {
                words: subject.words,
                shell: shell.clone(),
                prepare: prepare[at].clone(),
                conclude: conclude[at].clone(),
                input: arguments.input.clone(),
                folder: subject.folder,
                ignore_exit_code: arguments.ignore_exit_code,
                same_output: arguments.same_output,
                memory: arguments.measure.contains(&Measure::Count(PEAK_MEMORY.to_owned())),
                quantity: quantities[0].clone(),
            },
            setup: setup[at].clone(),
            cleanup: cleanup[at].clone(),
        };
        let mut commands: Vec<Command> = subjects.into_iter().enumerate().map(command).collect();
        let mut params = parameters(&arguments.parameter)?;
        let is_unused = |name: &&String| !commands.iter().any(|command| command.names(name));
        if let Some(name) = params.keys().find(is_unused) {
            let why = format!("no text has {{{name}}}, so that all of its values run the same");
            return Err(CommandError::new(format!("--parameter {name}: {why}")));
        }
        if let [command] = &commands[..] {
            // Its values are compared with each other.
            commands =
                product(&std::mem::take(&mut params)).iter().map(|params| command.with(params)).collect();
        }
        if commands.len() < 2 && !arguments.fail_if.is_empty() {
            return Err(CommandError::new(
                "--fail-if: one command has nothing to compare it with: give another",
            ));
        }
        let within = |flag: &str, number: usize, most: usize| match (1..=most).contains(&number) {
            true => Ok(number),
            false => Err(CommandError::new(format!("--{flag} {number}: it must be from 1 to {most}"))),
        };
        let cores = cores().get();
        let baseline = within("baseline", arguments.baseline, commands.len())? - 1;
        distinguish(&mut commands, arguments.control.then_some(baseline));
        Ok(Commands {
            title: (!trees.is_empty()).then(|| arguments.commands.join(" ")),
            baseline,
            timeout: arguments.time_limit(),
            processors: within("processors", arguments.processors.unwrap_or(cores), cores)?,
            control: arguments.control,
            layouts: arguments.layouts.unwrap_or(0),
            quantities,
            commands,
            params,
        })
    }

    /// Returns the names of the commands that run in work trees, and their folders there.
    pub(super) fn trees(&self) -> Vec<(String, PathBuf)> {
        let in_tree = |command: &Command| Some((command.name.clone(), command.folder()?.to_owned()));
        self.commands.iter().filter_map(in_tree).collect()
    }

    /// Returns the index of the command that the others are compared with.
    pub(super) fn baseline(&self) -> usize {
        self.baseline
    }

    /// Returns whether each program has other memory layouts.
    pub(super) fn has_layouts(&self) -> bool {
        self.layouts > 0
    }

    /// Links the program of each command, which is built, in other memory layouts.
    ///
    /// # Errors
    /// Errors of [`layouts::link`].
    pub(super) fn link(&self) -> Result<(), CommandError> {
        let bar = Bar::of_items(if self.has_layouts() { self.commands.len() } else { 0 });
        for command in self.commands.iter().filter(|_| self.has_layouts()) {
            bar.begin(&format!("linking {} in {} layouts", command.name, self.layouts));
            let program = &command.whole.words[command.whole.program()];
            let program = command.folder().map_or(PathBuf::from(program), |folder| folder.join(program));
            let linked = layouts::link(&program, self.layouts);
            linked.map_err(|why| CommandError::new(format!("--layouts: {why}")))?;
            bar.advance();
        }
        Ok(())
    }

    /// Returns the paths of the program of a command in other memory layouts.
    fn layouts_of(&self, command: &Command) -> Result<Vec<String>, CommandError> {
        let program = command.whole.words.get(command.whole.program()).map_or("", String::as_str);
        if !program.contains('/') {
            let why = "is not a path in the work tree, such as target/release/NAME";
            return Err(CommandError::new(format!("--layouts: `{}` {why}", on_one_line(program))));
        }
        let path = |layout| layouts::path_of(Path::new(program), layout).to_string_lossy().into_owned();
        Ok((1..=self.layouts).map(path).collect())
    }

    /// Returns all commands, run for this quantity.
    fn ran(&self, quantity: &Quantity) -> Result<Ran, CommandError> {
        let mut ran = Ran { measure: quantity.measure(), commands: Vec::new(), layouts: Vec::new() };
        for command in &self.commands {
            let whole = WholeCommand { quantity: quantity.clone(), ..command.whole.clone() };
            let words = run_command::words(&whole)?;
            if self.has_layouts() {
                let at = words.len() - whole.words.len() + whole.program();
                ran.layouts.push((at, self.layouts_of(command)?));
            }
            ran.commands.push(words);
        }
        Ok(ran)
    }

    /// Returns the plan, whose commands run in `folder`.
    pub(super) fn plan(&self, folder: PathBuf) -> Result<Plan, CommandError> {
        let names: Vec<String> = self.commands.iter().map(|command| command.name.clone()).collect();
        let comparison = Comparison {
            title: self.title.clone().unwrap_or_else(|| names.join(", ")),
            names,
            ran: self.quantities.iter().map(|quantity| self.ran(quantity)).collect::<Result<_, _>>()?,
            params: self.params.clone(),
            baseline: self.baseline,
            control: self.control,
            processors: self.processors,
            limit: self.timeout,
        };
        Ok(comparison.plan(folder)?)
    }
}

impl Command {
    /// Returns the work tree in which it runs.
    pub(super) fn folder(&self) -> Option<&Path> {
        self.whole.folder.as_deref()
    }

    /// Returns whether the value of a parameter changes what is run.
    fn names(&self, param: &str) -> bool {
        let params = Params::from([(param.to_owned(), Value::Text(String::new()))]);
        let other = self.with(&params);
        (other.whole != self.whole) || other.setup != self.setup || other.cleanup != self.cleanup
    }

    /// Returns the command with the values of its parameters.
    fn with(&self, params: &Params) -> Self {
        let with = |text: &String| substitute(text, params);
        Command {
            name: with(&self.name),
            whole: self.whole.with(params),
            setup: self.setup.as_ref().map(with),
            cleanup: self.cleanup.as_ref().map(with),
        }
    }
}

/// Returns the commands, or the trees with the one command, whose words may be one text.
fn subjects(texts: &[String], in_shell: bool, trees: &[Tree]) -> Result<Vec<Subject>, CommandError> {
    let split = |text: &String| match in_shell {
        true => Ok(vec![text.clone()]),
        false => without_shell(text, "give --shell"),
    };
    if trees.is_empty() {
        let subject = |text: &String| {
            Ok::<_, CommandError>(Subject { name: text.clone(), words: split(text)?, folder: None })
        };
        return texts.iter().map(subject).collect();
    }
    let words = match texts {
        [text] => split(text)?,
        words if in_shell => vec![join(words)],
        words => words.to_vec(),
    };
    let subject = |tree: &Tree| {
        let (name, folder) = (tree.name.clone(), Some(tree.folder.clone()));
        Subject { name, words: words.clone(), folder }
    };
    Ok(trees.iter().map(subject).collect())
}

/// Splits a command into words; `instead` is what an error advises if it needs a shell.
///
/// # Errors
/// A quotation mark without a counterpart, no word, and an operator of a shell.
pub(in crate::commands) fn without_shell(text: &str, instead: &str) -> Result<Vec<String>, CommandError> {
    let words = words(text)?;
    let Some(operator) = shell_operator(text) else { return Ok(words) };
    Err(CommandError::new(format!(
        "`{}` has `{operator}`, which only a shell understands: {instead}, or write it in single quotes to pass it to the \
         program as it is",
        on_one_line(text)
    )))
}

/// Returns the text of each of `count` commands, if there is none, one for all, or one for each.
fn each(flag: &str, texts: &[String], count: usize) -> Result<Vec<Option<String>>, CommandError> {
    match texts {
        [] => Ok(vec![None; count]),
        [one] => Ok(vec![Some(one.clone()); count]),
        texts if texts.len() == count => Ok(texts.iter().cloned().map(Some).collect()),
        texts => {
            let given = texts.len();
            Err(CommandError::new(format!("--{flag}: it is given {given} times for {count} commands")))
        }
    }
}

/// Parses names of parameters, each followed by its values.
fn parameters(texts: &[String]) -> Result<BTreeMap<String, Vec<Value>>, CommandError> {
    let mut all = BTreeMap::new();
    for pair in texts.chunks_exact(2) {
        let (name, values) = (&pair[0], &pair[1]);
        let wrong = |why: &str| CommandError::new(format!("--parameter {name} {values}: {why}"));
        if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c)) {
            return Err(wrong("a name has letters, digits, `-` and `_`"));
        }
        // Plans have other meanings for these.
        if ["threads", "program", "candidate", "workload", "command", "layout", "measure"]
            .contains(&name.as_str())
        {
            return Err(wrong("this name has a meaning of its own: take another"));
        }
        let values: Vec<Value> = separated(values).iter().map(|text| value(text)).collect();
        if (1..values.len()).any(|at| values[..at].contains(&values[at])) {
            return Err(wrong("a value is there twice"));
        }
        if all.insert(name.clone(), values).is_some() {
            return Err(wrong("this parameter is there twice"));
        }
    }
    Ok(all)
}

/// Returns the parts of a text between commas; `\,` is a comma in a part.
fn separated(text: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let is_escape = c == '\\' && rest.peek() == Some(&',');
        match (c, parts.last_mut()) {
            (',', _) => parts.push(String::new()),
            (c, Some(part)) => part.push(if is_escape { rest.next().unwrap_or(c) } else { c }),
            (_, None) => {}
        }
    }
    parts
}

/// Returns a value as a number if it is written as one, so that reports can draw it; else as a text.
fn value(text: &str) -> Value {
    // TOML has no greater integers.
    let number = text.parse().ok().filter(|n: &u64| n.to_string() == text && i64::try_from(*n).is_ok());
    number.map_or_else(|| Value::Text(text.to_owned()), Value::Number)
}

/// Returns every combination of one value for each parameter.
fn product(lists: &BTreeMap<String, Vec<Value>>) -> Vec<Params> {
    lists.iter().fold(vec![Params::new()], |combinations, (name, values)| {
        let with = |params: &Params, value: &Value| {
            let mut params = params.clone();
            params.insert(name.clone(), value.clone());
            params
        };
        combinations.iter().flat_map(|params| values.iter().map(move |value| with(params, value))).collect()
    })
}

/// Adds a number to names that occur twice, or that the A/A control of the `controlled` command has.
fn distinguish(commands: &mut [Command], controlled: Option<usize>) {
    for at in 0..commands.len() {
        let name = commands[at].name.clone();
        let control =
            controlled.filter(|index| *index != at).map(|index| control_name(&commands[index].name));
        let taken = |name: &str| {
            control.as_deref() == Some(name) || commands[..at].iter().any(|other| other.name == name)
        };
        let mut numbered = (2..).map(|number| format!("{name} ({number})"));
        if taken(&name)
            && let Some(free) = numbered.find(|name| !taken(name))
        {
            commands[at].name = free;
        }
    }
}
