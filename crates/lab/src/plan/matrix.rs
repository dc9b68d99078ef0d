//! From a plan to the cells and rows that it stands for.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;
use std::path::Path;

use toml::Spanned;

use super::{CellEntry, ContestantEntry, InputEntry, OneOrMany, Plan, PlanError, Threads};
use crate::House;
use crate::house::{Own, Wrong};
use crate::question::Condition;
use crate::record::{Measure, Params, Role, Together, Value};

/// What the user chose beside the plan.
#[derive(Clone, Debug, Default)]
pub struct Choices {
    /// Numbers of threads in place of the plan's.
    pub threads: Option<Vec<usize>>,
    /// Rounds in place of the plan's.
    pub rounds: Option<usize>,
    /// Conditions on rows. One on a key takes the place of the plan's own filters on that key.
    pub filter: Vec<Condition>,
}

/// All that a plan, with the user's choices, stands for.
#[derive(Clone, Debug)]
pub struct Matrix {
    /// At least one.
    pub cells: Vec<CellPlan>,
    /// Rounds of fresh processes.
    pub rounds: usize,
}

/// One cell before it is measured.
#[derive(Clone, Debug)]
pub struct CellPlan {
    /// The workload's name.
    pub workload: String,
    /// Parameters that all rows share.
    pub params: Params,
    /// The input that all rows read.
    pub input: Option<Input>,
    /// What rows are compared by.
    pub measure: Measure,
    /// Which rows are alive at once and take turns.
    pub together: Together,
    /// A label, each of whose values gets figures of its own; empty where reports choose.
    pub figures_by: String,
    /// Whether each row is a step from the one before it.
    pub ladder: bool,
    /// Whether reports say how many bytes of the input go through in a second.
    pub throughput: bool,
    /// The least speed over the baseline's that is claimed for every contestant.
    pub least_speed: Option<f64>,
    /// Index in `rows` of the row that all others are compared with.
    pub baseline: usize,
    /// At least one.
    pub rows: Vec<RowPlan>,
    /// Where in the plan it stands, for messages.
    place: usize,
}

/// An input file: that many bytes from the seed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Input {
    /// Length in bytes.
    pub bytes: u64,
}

/// One row before it is measured.
#[derive(Clone, Debug, PartialEq)]
pub struct RowPlan {
    /// The contestant's name.
    pub contestant: String,
    /// What it is, in a phrase.
    pub about: String,
    /// What it is besides its name.
    pub labels: BTreeMap<String, String>,
    /// Threads or ranks.
    pub threads: usize,
    /// What part it plays.
    pub role: Role,
    /// The workload, which differs from the cell's for a limit.
    pub workload: String,
    /// The cell's parameters and its own.
    pub params: Params,
    /// The command.
    pub command: Vec<String>,
    /// Environment variables.
    pub env: BTreeMap<String, String>,
    /// What it is, where it is one of ours.
    own: Option<Own>,
    /// Where in the plan its contestant stands, for messages.
    place: usize,
}

/// A contestant after its lists were multiplied out.
struct Contestant<'a> {
    entry: &'a ContestantEntry,
    name: String,
    own: Option<Own>,
    params: Params,
    labels: BTreeMap<String, String>,
}

impl Matrix {
    /// Multiplies the plan out for a machine with so many `cores`, and has `house` check what is ours.
    pub fn new(
        plan: &Plan,
        choices: &Choices,
        house: &dyn House,
        cores: NonZeroUsize,
    ) -> Result<Self, PlanError> {
        let rounds = choices.rounds.unwrap_or(plan.file.sampling.rounds);
        if rounds == 0 || rounds > 10_000 {
            let why = format!("{rounds}: it must be from 1 to 10000");
            return Err(PlanError::Choice { flag: "--rounds", why });
        }
        let contestants = contestants(plan)?;
        let kept_from_plan =
            plan.filter.iter().filter(|own| choices.filter.iter().all(|given| given.key() != own.key()));
        let filter: Vec<&Condition> = kept_from_plan.chain(&choices.filter).collect();
        let mut keys = BTreeSet::new();
        let mut cells = Vec::new();
        for entry in &plan.file.cell {
            for params in product(&entry.params) {
                let mut cell = cell(plan, choices, house, cores, &contestants, entry, params)?;
                for row in &cell.rows {
                    keys.extend(row.params.keys().chain(row.labels.keys()).cloned());
                }
                let baseline = cell.rows[cell.baseline].clone();
                cell.rows
                    .retain(|row| filter.iter().all(|condition| condition.holds(&|key| lookup(row, key))));
                let place = |like: &dyn Fn(&RowPlan) -> bool| cell.rows.iter().position(like);
                let kept =
                    place(&|row| *row == baseline).or_else(|| place(&|row| row.role == Role::Contestant));
                cell.baseline = kept.unwrap_or(0);
                if !cell.rows.is_empty() {
                    cells.push(cell);
                }
            }
        }
        keys.extend(["workload", "contestant", "threads"].map(String::from));
        for given in &choices.filter {
            if !keys.contains(given.key()) {
                let known: Vec<&str> = keys.iter().map(String::as_str).collect();
                let why = format!("`{}` is not a key of this plan: it has {}", given.key(), known.join(", "));
                return Err(PlanError::Choice { flag: "--filter", why });
            }
        }
        if cells.is_empty() {
            let all: Vec<String> = filter.iter().map(ToString::to_string).collect();
            let why = format!("no row of `{}` is left by {}", plan.name, all.join(" and "));
            return Err(PlanError::Choice { flag: "--filter", why });
        }
        // Checked last, so that what the filter leaves out may be too large for this machine.
        for cell in &cells {
            check_ours(plan, choices, house, cell)?;
        }
        Ok(Matrix { cells, rounds })
    }

    /// Rows in all cells.
    pub fn rows(&self) -> usize {
        self.cells.iter().map(|cell| cell.rows.len()).sum()
    }
}

impl RowPlan {
    /// The command as a record keeps it: our own program goes by its name, wherever it lies on this machine.
    pub(crate) fn shown_command(&self) -> Vec<String> {
        let mut command = self.command.clone();
        if let (Some(_), Some(program)) = (&self.own, command.first_mut())
            && let Some(name) = Path::new(program).file_name()
        {
            *program = name.to_string_lossy().into_owned();
        }
        command
    }
}

impl CellPlan {
    /// Indices of the rows that are alive together.
    pub fn groups(&self) -> Vec<Vec<usize>> {
        self.together.groups(self.rows.iter().map(|row| row.threads))
    }

    /// The workload with its parameters, as in `fft-g1 scale=7`.
    pub fn name(&self) -> String {
        self.params.iter().fold(self.workload.clone(), |name, (key, value)| format!("{name} {key}={value}"))
    }
}

fn lookup(row: &RowPlan, key: &str) -> Option<String> {
    match key {
        "workload" => Some(row.workload.clone()),
        "contestant" => Some(row.contestant.clone()),
        "threads" => Some(row.threads.to_string()),
        _ => row.params.get(key).map(Value::to_string).or_else(|| row.labels.get(key).cloned()),
    }
}

/// Every combination of one value for each key.
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

fn contestants(plan: &Plan) -> Result<Vec<Contestant<'_>>, PlanError> {
    let mut all: Vec<Contestant> = Vec::new();
    for entry in &plan.file.contestant {
        let runtimes = entry.runtime.as_ref().map(|r| r.get_ref().as_slice());
        let backends = entry.backend.as_ref().map(OneOrMany::as_slice);
        // `None` once where the key is left out, so that the products below have one factor for it.
        let options = |list: Option<&[String]>| match list {
            Some(list) => list.iter().cloned().map(Some).collect(),
            None => vec![None],
        };
        let presences = entry.presence.as_ref().map(OneOrMany::as_slice);
        let (backends, presences) = (options(backends), options(presences));
        let ways =
            backends.iter().flat_map(|backend| presences.iter().map(move |presence| (backend, presence)));
        for runtime in options(runtimes) {
            for (backend, presence) in ways.clone() {
                for params in product(&entry.params) {
                    let mut labels = entry.labels.clone();
                    labels.extend(params.iter().map(|(k, v)| (k.clone(), v.to_string())));
                    labels.extend(runtime.iter().map(|r| ("runtime".to_owned(), r.clone())));
                    labels.extend(backend.iter().map(|b| ("backend".to_owned(), b.clone())));
                    labels.extend(presence.iter().map(|p| ("presence".to_owned(), p.clone())));
                    let name = labels.iter().fold(entry.name.get_ref().clone(), |name, (key, value)| {
                        name.replace(&format!("{{{key}}}"), value)
                    });
                    if all.iter().any(|other| other.name == name) {
                        let why = format!(
                            "two contestants are called `{name}`: use {{runtime}}, {{backend}} or {{param}} in the name"
                        );
                        return Err(plan.at(&entry.name, why));
                    }
                    let own = runtime.clone().map(|runtime| Own {
                        runtime,
                        backend: backend.clone(),
                        presence: presence.clone(),
                    });
                    all.push(Contestant { entry, name, own, params, labels });
                }
            }
        }
    }
    Ok(all)
}

fn cell(
    plan: &Plan,
    choices: &Choices,
    house: &dyn House,
    cores: NonZeroUsize,
    contestants: &[Contestant],
    entry: &CellEntry,
    params: Params,
) -> Result<CellPlan, PlanError> {
    let workload = entry.workload.get_ref();
    let threads = threads(plan, choices, cores, entry)?;
    let input = entry.input.as_ref().map(|input| size(plan, input, &params)).transpose()?;
    let named = |name: &Spanned<String>| {
        contestants.iter().find(|c| c.name == *name.get_ref()).ok_or_else(|| {
            let known: Vec<&str> = contestants.iter().map(|c| c.name.as_str()).collect();
            plan.at(
                name,
                format!("no contestant is called `{}`: there are {}", name.get_ref(), known.join(", ")),
            )
        })
    };
    let chosen: Vec<&Contestant> = match &entry.contestants {
        Some(names) => names.iter().map(named).collect::<Result<_, _>>()?,
        None => contestants.iter().collect(),
    };
    let mut rows = Vec::new();
    for contestant in chosen {
        for &threads in &threads {
            let own = contestant.own.as_ref();
            let can = contestant.entry.threads.as_ref().is_none_or(|list| list.contains(&threads))
                && own.is_none_or(|own| house.can_use(own, threads));
            if !can {
                continue;
            }
            let command = match (own, &contestant.entry.command) {
                (Some(own), _) => house.command(own),
                (None, Some(command)) => {
                    command.iter().map(|word| word.replace("{threads}", &threads.to_string())).collect()
                }
                (None, None) => Vec::new(),
            };
            let mut all_params = params.clone();
            all_params.extend(contestant.params.clone());
            rows.push(RowPlan {
                contestant: contestant.name.clone(),
                about: contestant.entry.about.clone(),
                labels: contestant.labels.clone(),
                threads,
                role: if contestant.entry.limit { Role::Limit } else { Role::Contestant },
                workload: contestant.entry.workload.as_ref().unwrap_or(&entry.workload).get_ref().clone(),
                params: all_params,
                command,
                env: contestant.entry.env.clone(),
                own: contestant.own.clone(),
                place: contestant.entry.name.span().start,
            });
        }
    }
    let first = || rows.iter().position(|row| row.role == Role::Contestant);
    let baseline = match &entry.baseline {
        Some(name) => {
            let name = &named(name)?.name;
            let found = rows.iter().position(|row| row.contestant == *name);
            // The user's numbers of threads may leave the serial one out.
            found.or_else(|| choices.threads.as_ref().and_then(|_| first()))
        }
        None => first(),
    };
    let Some(baseline) = baseline else {
        let why = format!("no contestant of `{workload}` can be the baseline with these threads");
        return Err(plan.at(entry.baseline.as_ref().unwrap_or(&entry.workload), why));
    };
    if entry.control {
        let mut control = rows[baseline].clone();
        control.role = Role::Control;
        control.contestant = format!("{} again", control.contestant);
        rows.push(control);
    }
    let figures_by = match &entry.figures_by {
        Some(label) if !rows.iter().any(|row| row.labels.contains_key(label.get_ref())) => {
            let known: BTreeSet<&str> =
                rows.iter().flat_map(|row| row.labels.keys()).map(String::as_str).collect();
            let known: Vec<&str> = known.into_iter().collect();
            let why = format!(
                "no contestant of `{workload}` has the label `{}`: they have {}",
                label.get_ref(),
                known.join(", ")
            );
            return Err(plan.at(label, why));
        }
        label => label.as_ref().map(|label| label.get_ref().clone()).unwrap_or_default(),
    };
    let place = entry.workload.span().start;
    let measure = entry.measure.clone();
    Ok(CellPlan {
        workload: workload.clone(),
        params,
        input,
        measure,
        together: entry.together,
        figures_by,
        ladder: entry.ladder,
        throughput: entry.throughput,
        least_speed: entry.least_speed.as_ref().map(|least| *least.get_ref()),
        baseline,
        rows,
        place,
    })
}

fn threads(
    plan: &Plan,
    choices: &Choices,
    cores: NonZeroUsize,
    entry: &CellEntry,
) -> Result<Vec<usize>, PlanError> {
    if let Some(threads) = &choices.threads {
        if threads.is_empty() || threads.contains(&0) {
            let why = "numbers from 1, with commas between them, as in `--threads 1,2`".to_owned();
            return Err(PlanError::Choice { flag: "--threads", why });
        }
        return Ok(dedup(threads.clone()));
    }
    let up_to_cores = || {
        let cores = cores.get();
        dedup((0..=cores.ilog2()).map(|i| 1 << i).chain([cores]).collect())
    };
    match entry.threads.as_ref().map(|t| (t, t.get_ref())) {
        None => Ok(up_to_cores()),
        Some((_, Threads::Word(word))) if word == "cores" => Ok(up_to_cores()),
        Some((_, Threads::List(list))) if !list.is_empty() && !list.contains(&0) => Ok(dedup(list.clone())),
        Some((place, _)) => Err(plan.at(place, "`threads` is a list of numbers from 1, or \"cores\"")),
    }
}

fn dedup(mut threads: Vec<usize>) -> Vec<usize> {
    threads.sort_unstable();
    threads.dedup();
    threads
}

fn size(plan: &Plan, entry: &Spanned<InputEntry>, params: &Params) -> Result<Input, PlanError> {
    let InputEntry { bytes, times } = entry.get_ref();
    let wrong = |why: String| plan.at(entry, why);
    let number = |name: &str| match params.get(name) {
        Some(Value::Number(n)) => Ok(*n),
        _ => Err(wrong(format!("`times` names `{name}`, which is not a number among the cell's params"))),
    };
    let times = match times.as_deref() {
        None => Some(1),
        Some(times) => match times.strip_prefix("2^") {
            Some(name) => u32::try_from(number(name)?).ok().and_then(|n| 1u64.checked_shl(n)),
            None => Some(number(times)?),
        },
    };
    let bytes = times.and_then(|times| bytes.checked_mul(times));
    let bytes = bytes.ok_or_else(|| wrong("the input would have more than 2^64 bytes".into()))?;
    Ok(Input { bytes })
}

/// Has the house look at the rows that are ours, and blames what the user gave.
fn check_ours(plan: &Plan, choices: &Choices, house: &dyn House, cell: &CellPlan) -> Result<(), PlanError> {
    // A contestant from outside holds at least its input.
    let input = cell.input.map_or(0, |input| input.bytes);
    let mut rows = Vec::new();
    for row in &cell.rows {
        let Some(own) = &row.own else {
            rows.push(input);
            continue;
        };
        let checked = house.check(own, &row.workload, &row.params, row.threads);
        rows.push(checked.map_err(|wrong| match wrong {
            Wrong::Threads(why) if choices.threads.is_some() => PlanError::Choice { flag: "--threads", why },
            Wrong::Contestant(why) => plan.at_offset(row.place, why),
            Wrong::Workload(why) | Wrong::Threads(why) => plan.at_offset(cell.place, why),
        })?);
    }
    let together = |group: Vec<usize>| {
        let needed = group.iter().fold(0u64, |sum, row| sum.saturating_add(rows[*row]));
        (needed, group.len())
    };
    let Some((needed, alive)) = cell.groups().into_iter().map(together).max() else { return Ok(()) };
    if let Some(memory) = house.memory_available().filter(|memory| needed > *memory) {
        let fewer = match cell.together {
            Together::All => {
                "let them run in groups by `together = \"threads\"`, or take fewer rows by --filter"
            }
            Together::Threads => "or fewer rows by --filter",
        };
        let why = format!(
            "the {alive} rows of {} need {} MiB of memory at once, and {} MiB are available: take a smaller size, \
             {fewer}",
            cell.name(),
            needed >> 20,
            memory >> 20
        );
        return Err(plan.at_offset(cell.place, why));
    }
    Ok(())
}
