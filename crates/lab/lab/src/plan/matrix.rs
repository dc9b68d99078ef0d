//! Expansion of a plan into its cases and entries.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

use parcrypt_protocol::{Part, Prepare, Refusal, VERSION};
use toml::Spanned;

use super::{
    CandidateTable, CaseTable, InputTable, OneOrMany, Plan, PlanError, SUBCOMMAND, Sampling, Threads, listed,
};
use crate::command::find;
use crate::condition::Condition;
use crate::record::{COMMANDS, Measure, Params, Role, Suite, Turns, Value};
use crate::stats::{BLOCK, Design, ROUNDS_OF_BLOCKS};

/// The place where a plan is to run.
pub struct Here<'a> {
    /// Cores of this machine.
    pub cores: NonZeroUsize,
    /// Memory available to all candidates together, in bytes, if it is known.
    pub memory: Option<u64>,
    /// Command of the program whose runtimes the candidates name, if there is one.
    pub program: Option<&'a str>,
    /// Says whether an entry can do its work, and the memory in bytes that it needs, if that is known, as
    /// [`Checks::check`](crate::Checks::check).
    pub check: &'a dyn Fn(&EntryPlan) -> Result<Option<u64>, Refusal>,
}

/// The runtime that has one thread.
const SERIAL: &str = "serial";

/// The user's choices, which replace the plan's.
#[derive(Clone, Debug, Default)]
pub struct Choices {
    /// Numbers of threads, which replace the plan's.
    pub threads: Option<Vec<usize>>,
    /// Number of rounds of each case, which replaces the plan's.
    pub rounds: Option<usize>,
    /// Time of the whole run, shared by the cases, which replaces the plan's rounds and times.
    pub time: Option<Duration>,
    /// How the cases are judged if they are the benchmarks of a suite. If no number of rounds is given, each ends when
    /// its verdict is settled, and the time goes to the others.
    pub suite: Option<Suite>,
    /// Conditions on entries. A condition on a key replaces the plan's own filters on that key.
    pub filter: Vec<Condition>,
}

/// Cases and entries of a plan with the user's choices.
#[derive(Clone, Debug)]
pub struct Matrix {
    /// Cases, at least one.
    pub cases: Vec<CasePlan>,
    /// When a case ends.
    pub length: Length,
    /// Differences from the plan that the user may not expect: baselines and candidates that were left out.
    pub notes: BTreeSet<String>,
}

/// When the cases of a run end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Length {
    /// After this number of rounds.
    pub rounds: Option<usize>,
    /// Else after this time of its own, and enough rounds for an interval.
    pub case: Duration,
    /// How the benchmarks of a suite are judged. Unless the number of rounds is given, each ends when its verdict is
    /// settled, and not after its own time.
    pub suite: Option<Suite>,
    /// Time limit of the whole run.
    pub limit: Option<Duration>,
}

impl Length {
    fn new(sampling: &Sampling, choices: &Choices, cases: usize) -> Self {
        let cases = u32::try_from(cases.max(1)).unwrap_or(u32::MAX);
        let of_plan = || Duration::from_secs_f64(sampling.seconds);
        let case = choices.time.map_or_else(of_plan, |time| time / cases);
        let rounds = choices.rounds.or(sampling.rounds.filter(|_| choices.time.is_none()));
        // A verdict may never be settled.
        let of_suite = choices.suite.filter(|_| rounds.is_none()).map(|_| case.saturating_mul(cases));
        let limit = choices.time.or(sampling.budget_s.map(Duration::from_secs)).or(of_suite);
        Length { rounds, case, suite: choices.suite, limit }
    }

    /// Returns how cases are judged if each ends when its verdict is settled.
    pub(crate) fn settles(&self) -> Option<Suite> {
        self.suite.filter(|_| self.rounds.is_none())
    }
}

/// One case before it is measured.
#[derive(Clone, Debug)]
pub struct CasePlan {
    /// The workload's name.
    pub workload: String,
    /// The work in words; empty if reports show the workload and its parameters.
    pub title: String,
    /// Parameters shared by all entries.
    pub params: Params,
    /// Length in bytes of the input file that all entries read, which has bytes from the seed.
    pub input: Option<u64>,
    /// Quantity that entries are compared by.
    pub measure: Measure,
    /// Which entries are alive at once and take turns.
    pub turns: Turns,
    /// Whether each entry is a step from the one before it.
    pub steps: bool,
    /// Whether reports show the input bytes per second.
    pub throughput: bool,
    /// Index in `entries` of the entry that all others are compared with.
    pub baseline: usize,
    /// Entries, at least one.
    pub entries: Vec<EntryPlan>,
    /// Offset in the plan, for messages.
    place: usize,
}

/// One entry before it is measured.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EntryPlan {
    /// The candidate's name.
    pub candidate: String,
    /// Description of the candidate, in a phrase.
    pub about: String,
    /// Labels of the candidate by key.
    pub labels: BTreeMap<String, String>,
    /// Threads or ranks.
    pub threads: usize,
    /// Role in the case.
    pub role: Role,
    /// Workload, which differs from the case's for a limit.
    pub workload: String,
    /// The case's parameters and its own.
    pub params: Params,
    /// The command.
    pub command: Vec<String>,
    /// Programs that take the place of the word `{layout}` in the command, or of its first word, one for each block in
    /// turn; empty if it stays.
    pub layouts: Vec<String>,
    /// Whether each process runs a new copy of this program.
    pub copy: bool,
    /// Environment variables.
    pub env: BTreeMap<String, String>,
    /// Folder in which it runs, from the plan's.
    pub folder: PathBuf,
    /// Whether the program binds its own threads.
    pub binds_itself: bool,
    /// Further iterations of each sample in per cent, which are run and not counted; 0 for none.
    pub extra_percent: f64,
    /// Whether it is the plan's program, which is asked if it can do its work.
    is_own: bool,
    /// Offset of its candidate in the plan, for messages.
    place: usize,
}

/// A candidate with one value for each key.
pub(super) struct Candidate<'a> {
    table: &'a CandidateTable,
    pub(super) name: String,
    /// Options of the plan's program with their values, if the candidate is that.
    own: Option<Vec<(&'static str, String)>>,
    params: Params,
    pub(super) labels: BTreeMap<String, String>,
}

impl Matrix {
    /// Returns the matrix of a plan for a machine with `cores` cores, with the entries that answer `check` checked.
    pub fn new(plan: &Plan, choices: &Choices, here: &Here<'_>) -> Result<Self, PlanError> {
        if let Some(rounds) = choices.rounds.filter(|rounds| !(1..=10_000).contains(rounds)) {
            let why = format!("{rounds}: it must be from 1 to 10000");
            return Err(PlanError::Choice { flag: "--rounds", why });
        }
        let own = plan.file.filter.iter();
        let own = own.filter(|own| choices.filter.iter().all(|given| given.key() != own.key()));
        let mut expansion = Expansion {
            plan,
            choices,
            here,
            candidates: candidates(plan)?,
            filter: own.chain(&choices.filter).collect(),
            keys: ["workload", "candidate", "threads"].map(str::to_owned).into(),
            notes: BTreeSet::new(),
        };
        let mut cases = Vec::new();
        for table in &plan.file.case {
            for mut params in product(&table.params) {
                // As a parameter, it is in the name of the case.
                params.extend(
                    table.evict.iter().map(|size| (EVICT.to_owned(), Value::Text(size.get_ref().clone()))),
                );
                cases.extend(expansion.case(table, params)?);
            }
        }
        let wrong = |why| PlanError::Choice { flag: "--filter", why };
        let keys = &expansion.keys;
        if let Some(unknown) = choices.filter.iter().find(|given| !keys.contains(given.key())) {
            let known = listed(keys);
            return Err(wrong(format!("`{}` is not a key of this plan: it has {known}", unknown.key())));
        }
        if cases.is_empty() {
            let all: Vec<String> = expansion.filter.iter().map(ToString::to_string).collect();
            return Err(wrong(format!("no entry of `{}` is left by {}", plan.name, all.join(" and "))));
        }
        // Checked last, because entries that the filter leaves out may be too large for this machine.
        cases.iter().try_for_each(|case| expansion.check(case))?;
        let mut notes = expansion.notes;
        let length = Length::new(&plan.file.sampling, choices, cases.len());
        if length.rounds.is_some_and(|rounds| rounds > ROUNDS_OF_BLOCKS && !rounds.is_multiple_of(BLOCK)) {
            notes.insert(
                "the last round of an odd number is not used: two of opposite order are one value".to_owned(),
            );
        }
        Ok(Matrix { cases, length, notes })
    }

    /// Number of entries in all cases.
    pub fn entries(&self) -> usize {
        self.cases.iter().map(|case| case.entries.len()).sum()
    }
}

impl EntryPlan {
    /// Returns the entry of a command that is in no plan.
    pub(crate) fn alone(command: Vec<String>, workload: String, params: Params, threads: usize) -> Self {
        EntryPlan {
            candidate: command.first().cloned().unwrap_or_default(),
            threads,
            workload,
            params,
            command,
            ..EntryPlan::default()
        }
    }

    /// Returns the work of the entry, as a candidate is asked for it.
    pub(crate) fn work(&self, input: Option<&Path>) -> Prepare {
        let mut params = self.params.clone();
        let evict = params.remove(EVICT).and_then(|size| bytes_of(&size.to_string()));
        let (workload, threads, input) = (self.workload.clone(), self.threads, input.map(Path::to_owned));
        Prepare { protocol: VERSION, workload, params, threads, input, evict }
    }

    /// Returns whether each sample is one iteration with cold caches.
    pub(crate) fn is_cold(&self) -> bool {
        self.params.contains_key(EVICT)
    }

    /// Returns the entry with the program of this block's layout in its command.
    pub(crate) fn in_block(&self, block: usize) -> Cow<'_, EntryPlan> {
        if self.layouts.is_empty() {
            return Cow::Borrowed(self);
        }
        let mut entry = self.clone();
        let at = entry.command.iter().position(|word| word == LAYOUT).unwrap_or(0);
        if let Some(program) = entry.command.get_mut(at) {
            program.clone_from(&self.layouts[block % self.layouts.len()]);
        }
        Cow::Owned(entry)
    }

    /// Returns the index of the word of the command in a block that is a program of which each process runs a copy.
    pub(crate) fn copied_word(&self) -> Option<usize> {
        let is_layout = |word: &String| self.layouts.contains(word);
        self.copy.then(|| self.command.iter().position(is_layout).unwrap_or(0))
    }

    /// Returns the folders with copies of the entry's programs, for a command that starts in `folder`; none if it runs
    /// no copy.
    pub(crate) fn folders_of_copies(&self, folder: &Path) -> BTreeSet<PathBuf> {
        let Some(at) = self.copied_word() else { return BTreeSet::new() };
        let programs =
            if self.layouts.is_empty() { self.command.get(at..=at) } else { Some(&self.layouts[..]) };
        let path = |program: &String| Some(folder.join(&self.folder).join(program).parent()?.to_owned());
        programs.into_iter().flatten().filter_map(path).collect()
    }

    /// Returns the command for the record, with this program by its name, without its path on this machine.
    pub(crate) fn shown_command(&self) -> Vec<String> {
        let mut command = self.command.clone();
        let ours = self.is_own || this_program().ok().as_ref() == command.first();
        if let (true, Some(program)) = (ours, command.first_mut())
            && let Some(name) = Path::new(program).file_name()
        {
            *program = name.to_string_lossy().into_owned();
        }
        command
    }
}

impl CasePlan {
    /// Indices of the entries that are alive at once, by group.
    pub fn groups(&self) -> Vec<Vec<usize>> {
        self.turns.groups(self.entries.iter().map(|entry| entry.threads))
    }

    /// Returns the workload with its parameters, as in `fft-g1 scale=7`.
    pub fn name(&self) -> String {
        self.params.iter().fold(self.workload.clone(), |name, (key, value)| format!("{name} {key}={value}"))
    }

    /// Returns how its rounds become replicates.
    pub(crate) fn design(&self, length: &Length) -> Design {
        let (is_count, layouts) =
            (!self.measure.is_time(), self.entries.iter().map(|entry| entry.layouts.len()));
        Design {
            is_count,
            sequential: !is_count && length.settles().is_some(),
            layouts: layouts.max().unwrap_or(0),
        }
    }

    /// Returns the case, the candidate of an entry and its threads, for messages; of a whole command its name and its
    /// parameters.
    pub(crate) fn what(&self, entry: &EntryPlan) -> String {
        if self.workload == COMMANDS {
            let with = |name: String, (key, value): (&String, _)| format!("{name}, {key}={value}");
            return self.params.iter().fold(entry.candidate.clone(), with);
        }
        let threads = if entry.threads == 1 { "thread" } else { "threads" };
        format!("{}, {} on {} {threads}", self.name(), entry.candidate, entry.threads)
    }
}

/// First word of a command that is the program which runs the plan.
pub const PROGRAM: &str = "{program}";

/// Word of a command that stands for its program in the layout of a block.
pub(crate) const LAYOUT: &str = "{layout}";

/// Key of a case with the memory that is written before each sample; its parameter of this name.
pub(crate) const EVICT: &str = "evict";

/// Returns the bytes of a size such as `64 MiB`, above 0.
pub(super) fn bytes_of(size: &str) -> Option<u64> {
    let (number, unit) = size.split_once(' ')?;
    let shift = 10 * (1 + ["KiB", "MiB", "GiB"].iter().position(|known| *known == unit)?);
    number.parse::<u64>().ok()?.checked_mul(1 << shift).filter(|bytes| *bytes > 0)
}

/// Returns the path of the program that runs the plan. Without `/proc` it is found as the shell found it.
fn this_program() -> Result<String, PlanError> {
    let started_by = || {
        let called = std::env::args_os().next()?.into_string().ok()?;
        std::path::absolute(find(&called, std::env::var_os("PATH")).ok()?).ok()
    };
    let path = std::env::current_exe().ok().or_else(started_by).ok_or(PlanError::OwnPath)?;
    path.into_os_string().into_string().map_err(|path| PlanError::OwnName { path: path.into() })
}

fn lookup(entry: &EntryPlan, key: &str) -> Option<String> {
    match key {
        "workload" => Some(entry.workload.clone()),
        "candidate" => Some(entry.candidate.clone()),
        "threads" => Some(entry.threads.to_string()),
        _ => entry.params.get(key).map(Value::to_string).or_else(|| entry.labels.get(key).cloned()),
    }
}

/// Returns every combination of one value for each key.
fn product(lists: &BTreeMap<String, OneOrMany<Value>>) -> Vec<Params> {
    lists.iter().fold(vec![Params::new()], |combinations, (key, values)| {
        let with = |value: &Value| {
            let mut combinations = combinations.clone();
            combinations.iter_mut().for_each(|c| drop(c.insert(key.clone(), value.clone())));
            combinations
        };
        values.as_slice().iter().flat_map(with).collect()
    })
}

/// Returns every combination of the values of each table of candidates.
pub(super) fn candidates(plan: &Plan) -> Result<Vec<Candidate<'_>>, PlanError> {
    let mut all: Vec<Candidate> = Vec::new();
    for table in &plan.file.candidate {
        let options = table.options().into_iter().fold(vec![Vec::new()], |ways, (key, values)| {
            let with = |way: &Vec<_>| {
                let way = way.clone();
                values.iter().map(move |value| [&way[..], &[(key, value.clone())]].concat())
            };
            ways.iter().flat_map(with).collect()
        });
        for own in options {
            for params in product(&table.params) {
                let mut labels = table.labels.clone();
                labels.extend(params.iter().map(|(key, value)| (key.clone(), value.to_string())));
                labels.extend(own.iter().map(|(key, value)| ((*key).to_owned(), value.clone())));
                let name = labels.iter().fold(table.name.get_ref().clone(), |name, (key, value)| {
                    name.replace(&format!("{{{key}}}"), value)
                });
                if all.iter().any(|other| other.name == name) {
                    let why = format!(
                        "two candidates are called `{name}`: use {{runtime}}, {{backend}} or {{param}} in the name"
                    );
                    return Err(plan.at(&table.name, why));
                }
                let own = table.runtime.is_some().then(|| own.clone());
                all.push(Candidate { table, name, own, params, labels });
            }
        }
    }
    Ok(all)
}

/// Expansion of a plan with the user's choices, and what was seen in all cases.
struct Expansion<'a> {
    plan: &'a Plan,
    choices: &'a Choices,
    here: &'a Here<'a>,
    candidates: Vec<Candidate<'a>>,
    /// Conditions of the plan and of the user.
    filter: Vec<&'a Condition>,
    /// Keys of parameters and labels of all entries, also of those that are left out.
    keys: BTreeSet<String>,
    notes: BTreeSet<String>,
}

impl Expansion<'_> {
    /// Returns a case with those entries that meet the filter, or `None` if there are none.
    fn case(&mut self, table: &CaseTable, params: Params) -> Result<Option<CasePlan>, PlanError> {
        let (plan, candidates, workload) = (self.plan, &self.candidates, table.workload.get_ref());
        let all_threads = self.threads(table)?;
        let input = table.input.as_ref().map(|input| self.size(input, &params)).transpose()?;
        let named = |name: &Spanned<String>| {
            candidates.iter().find(|c| c.name == *name.get_ref()).ok_or_else(|| {
                let known = listed(candidates.iter().map(|c| &c.name));
                plan.at(name, format!("no candidate is called `{}`: there are {known}", name.get_ref()))
            })
        };
        let taking_part: Vec<&Candidate> = match &table.candidates {
            Some(names) => names.iter().map(named).collect::<Result<_, _>>()?,
            None => candidates.iter().collect(),
        };
        // Entries of the case, and entries of candidates that can run on none of its numbers of threads.
        let (mut entries, mut not_here) = (Vec::new(), Vec::new());
        for candidate in taking_part {
            let is_serial = candidate.labels.get("runtime").is_some_and(|runtime| runtime == SERIAL);
            let supports = |threads: &usize| match &candidate.table.threads {
                _ if candidate.own.is_some() && is_serial && *threads > 1 => false,
                None => true,
                Some(Threads::List(list)) => list.contains(threads),
                Some(Threads::Word(_)) => Some(threads) == all_threads.last(),
            };
            let mut can_run = all_threads.iter().filter(|threads| supports(threads)).peekable();
            if can_run.peek().is_none() {
                for threads in &all_threads {
                    not_here.push(self.entry(candidate, table, &params, *threads)?);
                }
            }
            for threads in can_run {
                entries.push(self.entry(candidate, table, &params, *threads)?);
            }
        }
        let mut with_layouts = entries.iter().filter(|entry| !entry.layouts.is_empty());
        if let Some(first) = with_layouts.next()
            && let Some(other) = with_layouts.find(|other| other.layouts.len() != first.layouts.len())
        {
            let (layouts, others) = (first.layouts.len(), other.layouts.len());
            let why = format!(
                "`layouts` has {others}, but `{}` of the same case has {layouts}: their numbers must be equal",
                first.candidate
            );
            return Err(plan.at_offset(other.place, why));
        }
        for entry in &entries {
            self.keys.extend(entry.params.keys().chain(entry.labels.keys()).cloned());
        }
        let planned = table.baseline.as_ref().map(named).transpose()?.map(|candidate| &candidate.name);
        let can_be_baseline = |entry: &EntryPlan| match planned {
            Some(name) => entry.candidate == *name,
            None => entry.role == Role::Candidate,
        };
        let had_baseline = entries.iter().any(can_be_baseline);
        let kept = |entry: &EntryPlan| {
            self.filter.iter().all(|condition| condition.holds(&|key| lookup(entry, key)))
        };
        entries.retain(kept);
        not_here.retain(kept);
        if entries.is_empty() {
            return Ok(None);
        }
        let of_plan = planned.and_then(|name| entries.iter().position(|entry| entry.candidate == *name));
        // The user's filter and numbers of threads may leave the plan's baseline out. If a filter leaves limits alone,
        // the first is theirs.
        let replaced = had_baseline || self.choices.threads.is_some();
        let first =
            entries.iter().position(|entry| entry.role == Role::Candidate).or(had_baseline.then_some(0));
        let Some(baseline) = of_plan.or(first.filter(|_| replaced)) else {
            let why = format!("no candidate of `{workload}` can be the baseline with these threads");
            return Err(plan.at(table.baseline.as_ref().unwrap_or(&table.workload), why));
        };
        if let (Some(name), None) = (planned, of_plan) {
            let other = &entries[baseline].candidate;
            let note =
                format!("the baseline `{name}` of `{workload}` is left out: `{other}` takes its place");
            self.notes.insert(note);
        }
        let on = format!("{} thread{}", listed(&all_threads), if all_threads == [1] { "" } else { "s" });
        for entry in not_here {
            let name = entry.candidate;
            self.notes.insert(format!("`{name}` is left out of `{workload}`: it cannot run on {on}"));
        }
        if table.control {
            let mut control = entries[baseline].clone();
            control.role = Role::Control;
            control.candidate = control_name(&control.candidate);
            entries.push(control);
        }
        let title = table.title.as_ref().map_or("", |title| title.get_ref().trim()).to_owned();
        let with = |text: String, (key, value): (&String, &Value)| {
            text.replace(&format!("{{{key}}}"), &value.to_string())
        };
        Ok(Some(CasePlan {
            workload: workload.clone(),
            title: params.iter().fold(title, with),
            params,
            input,
            measure: table.measure.clone(),
            turns: table.turns,
            steps: table.steps,
            throughput: table.throughput,
            baseline,
            entries,
            place: table.workload.span().start,
        }))
    }

    /// Returns the entry of a candidate on a number of threads.
    fn entry(
        &self,
        candidate: &Candidate<'_>,
        case: &CaseTable,
        params: &Params,
        threads: usize,
    ) -> Result<EntryPlan, PlanError> {
        let Candidate { table, own, .. } = candidate;
        let command = match (own, table.command.as_deref().unwrap_or_default()) {
            (Some(own), _) => {
                let why = "`runtime` is one of a program, and none is named: the plan names it by `program = \"parcrypt\"`, \
                           or the user by --program";
                let program = self.here.program.ok_or_else(|| self.plan.at(&table.name, why))?;
                let options = own.iter().flat_map(|(key, value)| [format!("--{key}"), value.clone()]);
                [program, SUBCOMMAND].map(str::to_owned).into_iter().chain(options).collect()
            }
            // Its other words are the user's whole command.
            (None, [program, words @ ..]) if program == PROGRAM => {
                std::iter::once(this_program()?).chain(words.iter().cloned()).collect()
            }
            (None, words) => {
                words.iter().map(|word| word.replace("{threads}", &threads.to_string())).collect()
            }
        };
        // Those of the case mean nothing to another workload that has its own.
        let is_other = table.workload.is_some() && !candidate.params.is_empty();
        let mut all_params = params.clone();
        all_params.retain(|key, _| !is_other || key == EVICT);
        all_params.extend(candidate.params.clone());
        Ok(EntryPlan {
            candidate: candidate.name.clone(),
            about: table.about.clone(),
            labels: candidate.labels.clone(),
            threads,
            role: if table.limit { Role::Limit } else { Role::Candidate },
            workload: table.workload.as_ref().unwrap_or(&case.workload).get_ref().clone(),
            params: all_params,
            command,
            layouts: table.layouts.clone(),
            copy: table.copy,
            env: table.env.clone(),
            folder: table.folder.clone().unwrap_or_default(),
            binds_itself: table.binds_itself,
            extra_percent: table.extra_percent.as_ref().map_or(0.0, |extra| *extra.get_ref()),
            is_own: own.is_some(),
            place: table.name.span().start,
        })
    }

    /// Returns the numbers of threads of a case.
    fn threads(&self, table: &CaseTable) -> Result<Vec<usize>, PlanError> {
        let (choices, cores) = (self.choices, self.here.cores);
        let list = match (&choices.threads, table.threads.as_ref().map(Spanned::get_ref)) {
            (Some(list), _) | (None, Some(Threads::List(list))) => list.clone(),
            (None, Some(Threads::Word(word))) if word != "cores" => Vec::new(),
            (None, _) => (0..=cores.ilog2()).map(|i| 1 << i).chain([cores.get()]).collect(),
        };
        let threads: BTreeSet<usize> = list.into_iter().collect();
        match &table.threads {
            _ if !threads.is_empty() && !threads.contains(&0) => Ok(threads.into_iter().collect()),
            Some(place) if choices.threads.is_none() => {
                Err(self.plan.at(place, "`threads` is a list of numbers from 1, or \"cores\""))
            }
            _ => {
                let why = "numbers from 1, with commas between them, as in `--threads 1,2`".to_owned();
                Err(PlanError::Choice { flag: "--threads", why })
            }
        }
    }

    /// Returns the length of the input of a case in bytes.
    fn size(&self, table: &Spanned<InputTable>, params: &Params) -> Result<u64, PlanError> {
        let InputTable { bytes, times } = table.get_ref();
        let wrong = |why: String| self.plan.at(table, why);
        let number = |name: &str| match params.get(name) {
            Some(Value::Number(n)) => Ok(*n),
            _ => {
                let numbers = params.iter().filter(|(_, value)| matches!(value, Value::Number(_)));
                let numbers = listed(numbers.map(|(name, _)| name));
                Err(wrong(format!(
                    "`times` names `{name}`, and the numbers among the case's params are: {numbers}"
                )))
            }
        };
        let times = match times.as_deref() {
            None => Some(1),
            Some(times) => match times.strip_prefix("2^") {
                Some(name) => u32::try_from(number(name)?).ok().and_then(|n| 1u64.checked_shl(n)),
                None => Some(number(times)?),
            },
        };
        let bytes = times.and_then(|times| bytes.checked_mul(times));
        bytes.ok_or_else(|| wrong("the input would have more than 2^64 bytes".into()))
    }

    /// Checks the entries that can be asked, and that those that are alive at once fit into memory. The error names the
    /// flag or the line to correct.
    fn check(&self, case: &CasePlan) -> Result<(), PlanError> {
        let (plan, here) = (self.plan, self.here);
        // Each candidate needs at least its input.
        let input = case.input.unwrap_or(0);
        let mut entries = Vec::new();
        for entry in &case.entries {
            let evict = entry.work(None).evict.unwrap_or(0);
            if evict > 0 && (entry.threads > 1 || entry.extra_percent > 0.0) {
                let why = "`evict` is for candidates on one thread, whose caches it empties, without `extra-percent`";
                return Err(plan.at_offset(case.place, why));
            }
            let memory = match entry.is_own {
                true => (here.check)(entry).map_err(|Refusal { part, why }| match part {
                    Part::Threads if self.choices.threads.is_some() => {
                        PlanError::Choice { flag: "--threads", why }
                    }
                    Part::Candidate => plan.at_offset(entry.place, why),
                    Part::Workload | Part::Threads => plan.at_offset(case.place, why),
                })?,
                false => None,
            };
            entries.push(memory.unwrap_or(input).saturating_add(evict));
        }
        let needed = |group: Vec<usize>| {
            let needed = group.iter().fold(0u64, |sum, entry| sum.saturating_add(entries[*entry]));
            (needed, group.len())
        };
        let Some((needed, alive)) = case.groups().into_iter().map(needed).max() else { return Ok(()) };
        if let Some(memory) = here.memory.filter(|memory| needed > *memory) {
            let fewer = match case.turns {
                Turns::All => {
                    "let them run in groups by `turns = \"threads\"`, or take fewer entries by --filter"
                }
                Turns::Threads => "or fewer entries by --filter",
            };
            let why = format!(
                "the {alive} entries of {} need {} MiB of memory at once, and {} MiB are available: take a smaller size, \
                 {fewer}",
                case.name(),
                needed >> 20,
                memory >> 20
            );
            return Err(plan.at_offset(case.place, why));
        }
        Ok(())
    }
}

/// Returns the name of the A/A control of a candidate.
pub fn control_name(candidate: &str) -> String {
    format!("{candidate} again")
}
