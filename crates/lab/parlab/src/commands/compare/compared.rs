//! The commands of a comparison, from the arguments.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use parcrypt_lab::command::{
    Comparison, Quantity, Ran, WholeCommand, join, shell_operator, substitute, words,
};
use parcrypt_lab::record::{Measure, PEAK_MEMORY, Params, Value};

use parcrypt_terminal::error::CommandError;

use super::Arguments;
use crate::commands::run_command;
use crate::layouts;
use crate::program::cores;
use crate::revisions::Tree;
use parcrypt_terminal::progress::Bar;
use parcrypt_terminal::text::{counted, on_one_line};

/// The commands of a comparison, and what becomes its plan.
pub(super) struct Commands {
    pub(super) commands: Vec<Command>,
    pub(super) comparison: Comparison,
}

/// A command with its name, and what runs before and after all its runs.
#[derive(Clone, PartialEq)]
pub(super) struct Command {
    pub(super) name: String,
    pub(super) whole: WholeCommand,
    pub(super) setup: Option<String>,
    pub(super) cleanup: Option<String>,
}

impl Commands {
    /// Reads the arguments for a comparison by these quantities, one way to run the commands for each. With trees,
    /// there is one command, which runs in each of them.
    pub(super) fn new(
        arguments: &Arguments,
        quantities: &[Quantity],
        trees: &[Tree],
    ) -> Result<Self, CommandError> {
        let whole = WholeCommand {
            shell: arguments
                .shell
                .as_ref()
                .map(|shell| words(shell.as_deref().unwrap_or("sh")))
                .transpose()?,
            input: arguments.input.clone(),
            ignore_exit_code: arguments.ignore_exit_code,
            same_output: arguments.same_output,
            memory: arguments.measure.contains(&Measure::Count(PEAK_MEMORY.to_owned())),
            quantity: quantities[0].clone(),
            ..WholeCommand::default()
        };
        let mut commands = commands(&arguments.commands, &whole, trees)?;
        let count = commands.len();
        if ![0, count].contains(&arguments.names.len()) {
            let given = counted(arguments.names.len(), "name");
            return Err(CommandError::new(format!(
                "--name: {given} for {count} commands: give one for each"
            )));
        }
        if arguments.names.iter().any(|name| name.trim().is_empty()) {
            return Err(CommandError::new("--name: a name is empty"));
        }
        commands.iter_mut().zip(&arguments.names).for_each(|(command, name)| command.name.clone_from(name));
        type Place = fn(&mut Command) -> &mut Option<String>;
        for (flag, texts, place) in [
            ("prepare", &arguments.prepare, (|command| &mut command.whole.prepare) as Place),
            ("conclude", &arguments.conclude, |command| &mut command.whole.conclude),
            ("setup", &arguments.setup, |command| &mut command.setup),
            ("cleanup", &arguments.cleanup, |command| &mut command.cleanup),
        ] {
            if ![0, 1, count].contains(&texts.len()) {
                let why = format!("it is given {} times for {count} commands", texts.len());
                return Err(CommandError::new(format!("--{flag}: {why}")));
            }
            // One text is for all.
            for (command, text) in commands.iter_mut().zip(texts.iter().cycle()) {
                *place(command) = Some(text.clone());
            }
        }
        let mut params = parameters(&arguments.parameter)?;
        let is_unused = |name: &&String| {
            let params = Params::from([((*name).clone(), Value::Text(String::new()))]);
            let is_same = |one: &Command| Command { name: one.name.clone(), ..one.with(&params) } == *one;
            commands.iter().all(is_same)
        };
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
        let (baseline, count) = (arguments.baseline, commands.len());
        if !(1..=count).contains(&baseline) {
            return Err(CommandError::new(format!("--baseline {baseline}: it must be from 1 to {count}")));
        }
        distinguish(&mut commands);
        let names: Vec<String> = commands.iter().map(|command| command.name.clone()).collect();
        let layouts = arguments.layouts.unwrap_or(0);
        let ran = quantities.iter().map(|quantity| ran(&commands, quantity, layouts));
        let comparison = Comparison {
            title: if trees.is_empty() { names.join(", ") } else { arguments.commands.join(" ") },
            names,
            ran: ran.collect::<Result<_, _>>()?,
            params,
            baseline: baseline - 1,
            control: arguments.control,
            processors: arguments.processors.unwrap_or_else(|| cores().get()),
            limit: arguments.time_limit(),
        };
        Ok(Commands { commands, comparison })
    }

    /// Links the program of each command, which is built, in `count` other memory layouts.
    pub(super) fn link(&self, count: usize) -> Result<(), CommandError> {
        let bar = Bar::of_items(self.commands.len());
        for command in &self.commands {
            bar.begin(&format!("linking {} in {count} layouts", command.name));
            let program = &command.whole.words[command.whole.program()];
            let folder = command.whole.folder.as_deref().unwrap_or(Path::new(""));
            let linked = layouts::link(&folder.join(program), count);
            linked.map_err(|why| CommandError::new(format!("--layouts: {why}")))?;
            bar.advance();
        }
        Ok(())
    }
}

impl Command {
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

/// Returns all commands, run for this quantity, with their programs in `layouts` other memory layouts.
fn ran(commands: &[Command], quantity: &Quantity, layouts: usize) -> Result<Ran, CommandError> {
    let mut ran = Ran { measure: quantity.measure(), commands: Vec::new(), layouts: Vec::new() };
    for command in commands {
        let whole = WholeCommand { quantity: quantity.clone(), ..command.whole.clone() };
        let words = run_command::words(&whole)?;
        if layouts > 0 {
            let program = whole.words.get(whole.program()).map_or("", String::as_str);
            if !program.contains('/') {
                let why = "is not a path in the work tree, such as target/release/NAME";
                return Err(CommandError::new(format!("--layouts: `{}` {why}", on_one_line(program))));
            }
            let path = |layout| layouts::path_of(Path::new(program), layout).to_string_lossy().into_owned();
            let at = words.len() - whole.words.len() + whole.program();
            ran.layouts.push((at, (1..=layouts).map(path).collect()));
        }
        ran.commands.push(words);
    }
    Ok(ran)
}

/// Returns the commands, or the one command in each tree, whose words may be one text; each runs as `whole` says.
fn commands(texts: &[String], whole: &WholeCommand, trees: &[Tree]) -> Result<Vec<Command>, CommandError> {
    let in_shell = whole.shell.is_some();
    let split = |text: &String| match in_shell {
        true => Ok(vec![text.clone()]),
        false => without_shell(text, "give --shell"),
    };
    let command = |name: &String, words: Vec<String>, folder: Option<PathBuf>| {
        let whole = WholeCommand { words, folder, ..whole.clone() };
        Command { name: name.clone(), whole, setup: None, cleanup: None }
    };
    if trees.is_empty() {
        return texts.iter().map(|text| Ok(command(text, split(text)?, None))).collect();
    }
    let words = match texts {
        [text] => split(text)?,
        words if in_shell => vec![join(words)],
        words => words.to_vec(),
    };
    let in_tree = |tree: &Tree| command(&tree.name, words.clone(), Some(tree.folder.clone()));
    Ok(trees.iter().map(in_tree).collect())
}

/// Splits a command into words; `instead` is what an error advises if it needs a shell.
pub(in crate::commands) fn without_shell(text: &str, instead: &str) -> Result<Vec<String>, CommandError> {
    let words = words(text)?;
    let Some(operator) = shell_operator(text) else { return Ok(words) };
    Err(CommandError::new(format!(
        "`{}` has `{operator}`, which only a shell understands: {instead}, or write it in single quotes to pass it to the \
         program as it is",
        on_one_line(text)
    )))
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
    let mut parts: Vec<String> = Vec::new();
    for part in text.split(',') {
        match parts.last_mut().filter(|last| last.ends_with('\\')) {
            Some(last) => last.replace_range(last.len() - 1.., &format!(",{part}")),
            None => parts.push(part.to_owned()),
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

/// Adds a number to names that occur twice.
fn distinguish(commands: &mut [Command]) {
    for at in 1..commands.len() {
        let (before, rest) = commands.split_at_mut(at);
        let name = rest[0].name.clone();
        let mut names = (2..).map(|number| format!("{name} ({number})"));
        let is_taken = |name: &str| before.iter().any(|other| other.name == name);
        while is_taken(&rest[0].name) {
            rest[0].name = names.next().unwrap_or_default();
        }
    }
}
